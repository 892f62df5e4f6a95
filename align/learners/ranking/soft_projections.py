r"""SOPOPO: the exact Euclidean dual step of label ranking, in O(k log k).

A round has k labels, of which a set Y is relevant, and the loss is the worst pair,
``max over r in Y, s not in Y of [margin - (<w_r, x> - <w_s, x>)]_+``. Its dual step maximises

    margin sum_{r in Y} alpha_r - (1 / 2c) sum_r |V_r + sigma_r alpha_r x|^2

over ``alpha >= 0`` whose sum over Y equals its sum off Y and is at most 1, where sigma is +1 on Y
and -1 off it. With ``mu_r = c (margin - s_r) / |x|^2`` on Y and ``nu_s = c s_s / |x|^2`` off it,
for a given common sum z both halves are Euclidean projections on the simplex of size z. What the
projection of mu leaves is

    g(z; mu) = (A_i - z)^2 / (2 i) + sum of mu_r^2 / 2 over r > i,    A_i = mu_1 + ... + mu_i,

for mu sorted downwards and z between the breakpoints ``z_i = A_i - i mu_i`` and z_(i+1): the i
largest entries are free, the others 0. g is convex, its slope ``(z - A_i) / i`` continuous. The z
wanted is the minimum over [0, 1] of ``g(z; mu) + g(z; nu)``, found by a walk over the breakpoints
of both (E6).

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 7.3.1,
figure 7.4. In print Lemma 20 bounds the sum over *all* labels by 1, where 2 belongs, and halves
the margin in mu alone; Lemma 10 lacks a factor 1/2 and its last piece. The corrected form stands
here; the printed one is off by up to 0.97 in alpha.
Shalev-Shwartz and Singer, "Efficient learning of label ranking by soft projections onto
polyhedra", 2006.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.errors import ParameterError
from align.learners.parts.parameters import positive
from align.types import Float64


def sopopo(
    scores: npt.ArrayLike,
    relevant: npt.ArrayLike,
    squared_norm: npt.ArrayLike,
    c: float = 1.0,
    margin: float = 1.0,
    *,
    total: float = 1.0,
) -> Float64:
    r"""Return the exact dual step of label ranking, for one round or a batch of them.

    Parameters
    ----------
    scores : array_like [shape=(..., k)]
        ``<w_r, x>`` of each label, with ``w = V / c``.
    relevant : array_like of bool [shape=(..., k)]
        Membership in Y.
    squared_norm : array_like [shape=(...)]
        ``|x|^2`` of each round.
    c : float, default 1
        Weight of complexity against loss, positive.
    margin : float, default 1
        gamma.
    total : float, default 1
        Largest sum of alpha over Y. With c = 1 this is the aggressiveness C of PA-I; infinite
        gives the hard constraint of PA.

    Returns
    -------
    np.ndarray [shape=(..., k)]
        alpha, not negative. The step is ``V_r += alpha_r x`` on Y and ``V_s -= alpha_s x`` off it;
        ``w`` moves by ``alpha / c``. Zero where there is no loss, x is 0, or Y is empty or full.

    Raises
    ------
    ParameterError
        For shapes that do not agree, values that are not finite, or c or total out of range.

    Examples
    --------
    >>> W, x = np.array([[0.2, 0.1], [0.5, 0.0], [0.0, 0.4], [0.3, 0.3]]), np.array([1.0, 2.0])
    >>> sopopo(W @ x, [True, False, True, False], x @ x).round(12)
    array([0.15, 0.07, 0.07, 0.15])
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    relevant = np.ascontiguousarray(relevant, dtype=np.bool_)
    if scores.ndim == 0 or scores.shape != relevant.shape:
        raise ParameterError(f"relevant.shape={relevant.shape}, must be that of scores, (..., k).")
    square = np.asarray(squared_norm, dtype=np.float64)
    if not (np.isfinite(scores).all() and np.isfinite(square).all() and np.isfinite(margin)):
        raise ParameterError("scores, squared_norm and margin must be finite.")
    if (square < 0.0).any():
        raise ParameterError("squared_norm must not be negative.")
    positive(c, "c")
    if not total >= 0.0:
        raise ParameterError(f"total={total}, must not be negative.")
    try:
        square = np.broadcast_to(square, scores.shape[:-1])
    except ValueError:
        raise ParameterError(
            f"squared_norm.shape={square.shape}, must be {scores.shape[:-1]}: one for each round."
        ) from None
    k = scores.shape[-1]
    alpha = np.zeros((square.size, k))
    _sopopo_rows(
        scores.reshape(square.size, k),
        relevant.reshape(square.size, k),
        np.array(square).reshape(-1),
        float(c),
        float(margin),
        float(total),
        alpha,
    )
    return alpha.reshape(scores.shape)


@compiled()
def _sort_down(values: Any) -> None:
    """Sort in place, largest first: a heapsort, which compiles in a tenth of numpy's time."""
    n = values.size
    for end in range(n + n // 2 - 1, 0, -1):
        if end >= n:  # build a heap with the least on top
            root = end - n
            stop = n
        else:  # the least of what is left goes to the end
            values[0], values[end] = values[end], values[0]
            root = 0
            stop = end
        kept = values[root]
        while 2 * root + 1 < stop:
            child = 2 * root + 1
            if child + 1 < stop and values[child + 1] < values[child]:
                child += 1
            if values[child] >= kept:
                break
            values[root] = values[child]
            root = child
        values[root] = kept


@compiled()
def _descending(values: Any, breakpoints: Any, sums: Any) -> None:
    """Sort `values` downwards; fill their prefix sums and the breakpoints ``A_i - i mu_i``."""
    _sort_down(values)
    total = 0.0
    position = 0.0
    for i in range(values.size):
        total += values[i]
        sums[i] = total
        if i:
            # Sums of steps that are not negative: written so, rounding cannot disorder them.
            position += i * (values[i - 1] - values[i])
        breakpoints[i] = position


@compiled()
def _sopopo_rows(
    scores: Any, relevant: Any, squares: Any, c: float, margin: float, total: float, alpha: Any
) -> None:
    """Fill the alpha of each round with a loss; `total` bounds the common sum z, 1 by default."""
    m, k = scores.shape
    mu = np.empty(k)
    nu = np.empty(k)
    mu_breaks = np.empty(k)
    nu_breaks = np.empty(k)
    mu_sums = np.empty(k)
    nu_sums = np.empty(k)
    for row in range(m):
        if squares[row] == 0.0:
            continue
        # Split the labels: what each asks for, alone.
        scale = c / squares[row]
        p = 0
        q = 0
        for r in range(k):
            if relevant[row, r]:
                mu[p] = scale * (margin - scores[row, r])
                p += 1
            else:
                nu[q] = scale * scores[row, r]
                q += 1
        if p == 0 or q == 0 or total == 0.0 or mu[:p].max() + nu[:q].max() <= 0.0:
            continue
        _descending(mu[:p], mu_breaks[:p], mu_sums[:p])
        _descending(nu[:q], nu_breaks[:q], nu_sums[:q])
        # Walk the merged breakpoints upwards: with R and S labels free, the slope in z is
        # (z - A_R) / R + (z - B_S) / S, zero at `optimum`. If that lies before the next breakpoint
        # it is the minimum; else the labels whose breakpoint is reached become free, too.
        n_up = 1
        n_down = 1
        z = 0.0
        while True:
            after = total
            if n_up < p:
                after = min(after, mu_breaks[n_up])
            if n_down < q:
                after = min(after, nu_breaks[n_down])
            up = mu_sums[n_up - 1]
            down = nu_sums[n_down - 1]
            optimum = (n_down * up + n_up * down) / (n_up + n_down)
            if optimum <= after:
                z = max(z, optimum)  # rounding may put it just before the breakpoint
                break
            z = after
            if z >= total:
                break
            while n_up < p and mu_breaks[n_up] <= z:
                n_up += 1
            while n_down < q and nu_breaks[n_down] <= z:
                n_down += 1
        # Each half is now the projection on the simplex of size z: less a threshold, at least 0.
        up_shift = (mu_sums[n_up - 1] - z) / n_up
        down_shift = (nu_sums[n_down - 1] - z) / n_down
        for r in range(k):
            if relevant[row, r]:
                alpha[row, r] = max(scale * (margin - scores[row, r]) - up_shift, 0.0)
            else:
                alpha[row, r] = max(scale * scores[row, r] - down_shift, 0.0)
