r"""The Euclidean dual step for the worst of many hinges, by subgradient descent with averaging.

The loss of a round is ``max_i [b_i - <w, a_i>]_+``. Its exact step minimises

    phi(z) = (c / 2) |z|^2 + max_i [gamma_i - <a_i, z>]_+,   gamma_i = b_i - <w, a_i>,

over the move z of w. The iteration keeps ``z = sum_i alpha_i a_i / c`` with ``alpha >= 0`` of sum
at most 1, so that every average of its iterates is dual feasible and carries a certificate: the
gap between phi and the dual value ``<alpha, gamma> - |sum alpha_i a_i|^2 / (2 c)``.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 7.4, figure
7.5; Eq. 7.35 mixes the signs and scales of theta, which is written out above.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.errors import ParameterError
from align.learners.parts.parameters import positive
from align.types import Float64


class MaxHingeStep(NamedTuple):
    """What `max_hinge_step` returns.

    Attributes
    ----------
    alpha : np.ndarray [shape=(k,)]
        Dual variables: ``v += alpha @ directions``, ``w += alpha @ directions / c``.
    gap : float
        How far, at most, phi at the step lies above its minimum; never negative.
    n_iter : int
        Iterations taken.
    """

    alpha: Float64
    gap: float
    n_iter: int


def max_hinge_step(
    directions: npt.ArrayLike,
    shortfalls: npt.ArrayLike,
    c: float = 1.0,
    *,
    max_iter: int = 200,
    tol: float = 0.0,
) -> MaxHingeStep:
    """Return a nearly exact dual step on ``max_i [b_i - <w, a_i>]_+``, with its duality gap.

    Source: Shalev-Shwartz 2007, section 7.4, Figure 7.5.

    Parameters
    ----------
    directions : array_like [shape=(k, n)]
        a_i, one in each row.
    shortfalls : array_like [shape=(k,)]
        ``gamma_i = b_i - <w, a_i>`` at the current w.
    c : float, default 1
        Weight of complexity against loss, positive.
    max_iter : int, default 200
        T, the iterations.
    tol : float, default 0
        Stop as soon as the gap is below.

    Returns
    -------
    MaxHingeStep

    Raises
    ------
    ParameterError
        For shapes that do not agree, values that are not finite, or c or max_iter out of range.

    Notes
    -----
    O(T k) after one product of `directions` with each direction that is ever the worst. With one
    direction the step is exact. Two things hold of what is returned:

    1. its dual value D is at least that of the exact step on the worst hinge alone (Eq. 3.9);
    2. phi lies above its minimum by at most `max_hinge_bound` of T or, where `tol` stopped the
       iteration early, by at most `tol`.

    Proof. The mean of the iterates has the second property (a subgradient method on a function
    that is strongly convex with modulus c). Where it has the first, too, it is returned. Where it
    has not, the single step has the first, but phi there can be large: its move can make another
    hinge the worst. So the single step is returned only if its own gap ``phi - D`` is within the
    bound; D is at most the minimum of phi, so this gap proves the second. Else conditional
    gradient steps (Frank and Wolfe) start from the single step: each goes from alpha towards the
    hinge that is now the worst (towards 0 if none is active), as far as the dual rises. The dual
    never falls, which keeps the first property, and they stop only where ``phi - D`` is within
    the bound, which proves the second. They do stop: among the first N such steps one has a gap of
    at most ``27 max |a_i|^2 / (c (N + 2))`` (Jaggi, "Revisiting Frank-Wolfe", 2013, theorem 2; the
    hull of 0 and the a_i is at most ``2 max |a_i|`` wide).

    Examples
    --------
    >>> step = max_hinge_step([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.5], c=1.0, max_iter=2000)
    >>> step.alpha.round(2), step.gap < 0.01
    (array([0.75, 0.25]), True)
    """
    a = np.ascontiguousarray(directions, dtype=np.float64)
    gamma = np.ascontiguousarray(shortfalls, dtype=np.float64)
    if gamma.ndim != 1 or a.ndim != 2 or len(a) != gamma.size:
        raise ParameterError(
            f"directions.shape={a.shape}, shortfalls.shape={gamma.shape}, must be (k, n) and (k,)."
        )
    if not (np.isfinite(a).all() and np.isfinite(gamma).all()):
        raise ParameterError("directions and shortfalls must be finite.")
    positive(c, "c")
    if max_iter < 1:
        raise ParameterError(f"max_iter={max_iter}, must be at least 1.")
    alpha = np.zeros(gamma.size)
    if gamma.size == 0 or gamma.max() <= 0.0:
        return MaxHingeStep(alpha, 0.0, 0)
    n_iter = 0
    if gamma.size > 1:
        n_iter = _descend(a, gamma, float(c), int(max_iter), float(tol), alpha)
    # The exact step on the worst hinge alone.
    worst = int(gamma.argmax())
    square = float(a[worst] @ a[worst])
    single = np.zeros(gamma.size)
    single[worst] = min(1.0, c * gamma[worst] / square) if square > 0.0 else 1.0
    values = [_dual(a, gamma, c, alpha), _dual(a, gamma, c, single)]
    if values[1] > values[0]:
        stopped = 0 < n_iter < max_iter
        limit = tol if stopped else max_hinge_bound(a, gamma, c, int(max_iter))
        alpha = _close_gap(a, gamma, float(c), single, limit)
        values[1] = _dual(a, gamma, c, alpha)
    return MaxHingeStep(alpha, max(_primal(a, gamma, c, alpha) - max(values), 0.0), n_iter)


def max_hinge_bound(
    directions: npt.ArrayLike, shortfalls: npt.ArrayLike, c: float, n_iter: int
) -> float:
    """Return the proved bound on the gap after `n_iter` iterations without an early stop.

    Parameters
    ----------
    directions, shortfalls, c
        As in `max_hinge_step`.
    n_iter : int
        T.

    Returns
    -------
    float
        ``(sqrt(2 c max[gamma]_+) + max |a_i|)^2 (1 + ln T) / (2 c T)``.

    Examples
    --------
    >>> round(max_hinge_bound([[1.0, 0.0]], [0.5], 1.0, 100), 6)
    0.112103
    """
    size = float(np.linalg.norm(np.asarray(directions, dtype=np.float64), axis=1).max(initial=0.0))
    worst = float(np.max(np.asarray(shortfalls, dtype=np.float64), initial=0.0))
    return float(
        (np.sqrt(2.0 * c * worst) + size) ** 2 * (1.0 + np.log(n_iter)) / (2.0 * c * n_iter)
    )


def _close_gap(a: Float64, gamma: Float64, c: float, alpha: Float64, limit: float) -> Float64:
    """Raise the dual from alpha by conditional gradient steps until its gap is within `limit`."""
    move = alpha @ a
    largest = float((a * a).sum(axis=1).max())
    most = int(min(27.0 * largest / (c * max(limit, 1e-12)) + 1.0, 1e6))
    for _ in range(most):
        short = gamma - a @ move / c
        worst = int(short.argmax())
        active = short[worst] > 0.0
        vertex = a[worst] if active else np.zeros_like(move)
        # The slope of the dual towards the vertex is the duality gap at alpha.
        gap = max(float(short[worst]), 0.0) - float(alpha @ short)
        away = vertex - move
        square = float(away @ away)
        if gap <= limit or square == 0.0:
            break
        share = min(1.0, c * gap / square)
        alpha = (1.0 - share) * alpha
        alpha[worst] += share * active
        move = move + share * away
    return alpha


def _dual(a: Float64, gamma: Float64, c: float, alpha: Float64) -> float:
    move = alpha @ a
    return float(alpha @ gamma - move @ move / (2.0 * c))


def _primal(a: Float64, gamma: Float64, c: float, alpha: Float64) -> float:
    z = alpha @ a / c
    return float(c * (z @ z) / 2.0 + max(float((gamma - a @ z).max()), 0.0))


@compiled()
def _descend(a: Any, gamma: Any, c: float, max_iter: int, tol: float, average: Any) -> int:
    """Fill `average` with the mean of the dual iterates; return the iterations taken.

    z itself is never formed: what is kept is ``products[j] = <a_j, sum_i alpha_i a_i>``. Columns
    of the Gram matrix are computed when their direction first turns out the worst.
    """
    k = gamma.size
    limit = c * np.sqrt(2.0 * gamma.max() / c)  # of |sum alpha_i a_i| = c |z|
    column = np.full(k, -1)
    columns = np.empty((min(k, max_iter), k))
    n_columns = 0
    # The iterate z_t as its alpha, and the mean of the iterates as `average`, each with its inner
    # products; all of them change by shrinking, and by steps along one direction.
    alpha = np.zeros(k)
    products = np.zeros(k)
    square = 0.0  # |sum alpha_i a_i|^2
    mean_products = np.zeros(k)
    for t in range(1, max_iter + 1):
        worst = 0
        for j in range(k):
            # Running means of z_1 .. z_t, the iterates before their updates.
            average[j] += (alpha[j] - average[j]) / t
            mean_products[j] += (products[j] - mean_products[j]) / t
            if gamma[j] - products[j] / c > gamma[worst] - products[worst] / c:
                worst = j
        # The certificate phi - dual at the mean, where c |z|^2 = norm / c; every eighth time, for
        # it costs as much as the iteration.
        if tol > 0.0 and (t % 8 == 0 or t == max_iter):
            norm = 0.0
            gain = 0.0
            loss = 0.0
            for j in range(k):
                norm += average[j] * mean_products[j]
                gain += average[j] * gamma[j]
                loss = max(loss, gamma[j] - mean_products[j] / c)
            if norm / c + loss - gain < tol:
                return t
        # A subgradient step of length 1 / (c t) on phi, strongly convex with modulus c: z shrinks
        # by 1 - 1/t, and moves by a_worst / (c t) if the worst hinge is active (E8).
        on = gamma[worst] - products[worst] / c > 0.0
        shrink = 1.0 - 1.0 / t
        square *= shrink * shrink
        for j in range(k):
            alpha[j] *= shrink
            products[j] *= shrink
        if on:
            if column[worst] < 0:
                column[worst] = n_columns
                for j in range(k):
                    total = 0.0
                    for i in range(a.shape[1]):
                        total += a[j, i] * a[worst, i]
                    columns[n_columns, j] = total
                n_columns += 1
            gram = columns[column[worst]]
            # |v + a / t|^2, from the product <a, v> before it moves.
            square += 2.0 * products[worst] / t + gram[worst] / (t * t)
            alpha[worst] += 1.0 / t
            for j in range(k):
                products[j] += gram[j] / t
        # At the minimum phi <= phi(0) = max gamma, so |z|^2 <= 2 max gamma / c: back to that ball.
        if square > limit * limit:
            shrink = limit / np.sqrt(square)
            square = limit * limit
            for j in range(k):
                alpha[j] *= shrink
                products[j] *= shrink
    return max_iter
