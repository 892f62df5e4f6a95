r"""A primal-dual interior point method, and the exact label-ranking step it gives for any f.

The general problem is separable: minimise ``sum_r f_r(a_r)`` subject to ``A a = b`` and
``p_r a_r <= q_r``, each f_r convex. Newton's method on its perturbed optimality conditions costs
O(d) per step for two equalities, and about 15 steps.

Label ranking is the instance with one variable for each label and a slack: over ``alpha >= 0``
with equal sums on Y and off it, at most 1, minimise

    sum_r c f*((V_r + sigma_r alpha_r x) / c) - margin sum_{r in Y} alpha_r.

For the Euclidean f this equals `sopopo`; for the entropy there is no closed form.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 7.3.2.
Corrected from print: Eq. 7.26 is ``D <= P - eta``; z_r has p_r squared and u_r a factor p_r on its
barrier term; Eq. 7.32 has minus signs before ``A' dnu``; the slack variable is not mentioned.
Boyd and Vandenberghe, "Convex Optimization", 2004, section 11.7.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.errors import ParameterError
from align.learners.parts import Complexity, Entropy, Euclidean, as_complexity

__all__ = ["InteriorPoint", "interior_point", "ranking_step", "ranking_steps"]

Floats: TypeAlias = npt.NDArray[np.float64]

_TOLERANCE = 1e-10  # of the duality gap
_DUAL_TOLERANCE = 1e-8  # of the dual residual
_MAX_ITER = 100


class InteriorPoint(NamedTuple):
    """What `interior_point` returns.

    Attributes
    ----------
    a : np.ndarray [shape=(d,)]
        The minimiser.
    gap : float
        eta, the surrogate duality gap: where the dual residual is 0, no feasible point is better
        than `a` by more.
    n_iter : int
        Newton steps taken.
    converged : bool
        Whether gap and residual fell below their tolerances.
    """

    a: Floats
    gap: float
    n_iter: int
    converged: bool


def interior_point(
    derivatives: Callable[[Floats], tuple[Floats, Floats]],
    A: npt.ArrayLike,
    b: npt.ArrayLike,
    p: npt.ArrayLike,
    q: npt.ArrayLike,
    start: npt.ArrayLike,
    *,
    tol: float = _TOLERANCE,
    dual_tol: float = _DUAL_TOLERANCE,
    max_iter: int = _MAX_ITER,
) -> InteriorPoint:
    r"""Minimise a separable convex function under equalities and one bound for each variable.

    Parameters
    ----------
    derivatives : callable
        ``a -> (f', f'')``, first and second derivative of each f_r at a_r, both [shape=(d,)].
    A : array_like [shape=(m, d)]
        Equalities ``A a = b``; full row rank.
    b : array_like [shape=(m,)]
    p, q : array_like [shape=(d,)]
        Bounds ``p_r a_r <= q_r``.
    start : array_like [shape=(d,)]
        A strictly feasible point.
    tol, dual_tol : float
        Stop when the gap and the norm of the dual residual are below.
    max_iter : int, default 100

    Returns
    -------
    InteriorPoint

    Raises
    ------
    ParameterError
        If shapes disagree or `start` is not strictly feasible.

    Examples
    --------
    The nearest point of the simplex to (0.5, 1.2, -0.3, 0.9):

    >>> mu = np.array([0.5, 1.2, -0.3, 0.9])
    >>> found = interior_point(
    ...     lambda a: (a - mu, np.ones(4)), np.ones((1, 4)), [1.0], -np.ones(4), np.zeros(4),
    ...     np.full(4, 0.25))
    >>> (found.a.round(6) + 0.0).tolist()
    [0.0, 0.65, 0.0, 0.35]
    """
    A, b = np.atleast_2d(np.asarray(A, dtype=np.float64)), np.asarray(b, dtype=np.float64)
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    a = np.array(start, dtype=np.float64)
    d = a.size
    if A.shape != (b.size, d) or p.shape != (d,) or q.shape != (d,):
        raise ParameterError(
            f"A.shape={A.shape}, p.shape={p.shape}, q.shape={q.shape}, must be "
            f"({b.size}, {d}), ({d},), ({d},)."
        )
    if not ((p * a < q).all() and np.allclose(A @ a, b, rtol=1e-9, atol=1e-9)):
        raise ParameterError("start must be strictly feasible: A a = b and p a < q.")
    lam, nu = 1.0 / (q - p * a), np.zeros(b.size)
    gap = np.inf
    for n_iter in range(max_iter + 1):
        slack = q - p * a
        first, second = derivatives(a)
        gap = float(lam @ slack)
        residual = first + lam * p + A.T @ nu
        if gap < tol and np.linalg.norm(residual) < dual_tol:
            return InteriorPoint(a, gap, n_iter, True)
        if n_iter == max_iter:
            break
        barrier = 0.1 * gap / d
        z = second + lam * p * p / slack
        u = -first - p * barrier / slack - A.T @ nu
        off = b - A @ a
        dnu = np.linalg.solve((A / z) @ A.T, A @ (u / z) - off)
        da = (u - A.T @ dnu) / z
        dlam = (lam * p * da + barrier) / slack - lam
        s = min(1.0, 0.99 * float(np.min(-lam[dlam < 0] / dlam[dlam < 0], initial=np.inf)))
        while (p * (a + s * da) >= q).any():
            s *= 0.5

        def size(
            a: Floats, lam: Floats, nu: Floats, first: Floats, barrier: float = barrier
        ) -> float:
            dual = first + lam * p + A.T @ nu
            return float(
                np.linalg.norm(np.concatenate([dual, lam * (q - p * a) - barrier, A @ a - b]))
            )

        before = size(a, lam, nu, first)
        while s > 1e-16:
            trial = a + s * da
            after = size(trial, lam + s * dlam, nu + s * dnu, derivatives(trial)[0])
            if after <= (1.0 - 0.01 * s) * before:
                break
            s *= 0.5
        else:  # rounding leaves nothing to gain
            break
        a, lam, nu = a + s * da, lam + s * dlam, nu + s * dnu
    return InteriorPoint(a, gap, n_iter, False)


def ranking_step(
    v: npt.ArrayLike,
    x: npt.ArrayLike,
    relevant: npt.ArrayLike,
    c: float = 1.0,
    margin: float = 1.0,
    *,
    complexity: str | Complexity = "entropy",
) -> Floats:
    """Return the exact dual step of label ranking from the block matrix itself.

    Parameters
    ----------
    v : array_like [shape=(k, n)]
        Minus the sum of the dual variables, one row for each label.
    x : array_like [shape=(n,)]
        Instance, any real values.
    relevant : array_like of bool [shape=(k,)]
        Membership in Y.
    c, margin : float
        As in `align.learners.ranking.sopopo`.
    complexity : {"entropy", "euclidean"} or Complexity
        f of one row.

    Returns
    -------
    np.ndarray [shape=(k,)]
        alpha, not negative; ``v_r += alpha_r x`` on Y, ``v_s -= alpha_s x`` off it. Zero where
        there is no loss, x is 0, or Y is empty or full.

    Raises
    ------
    ParameterError
        For shapes that do not agree or values that are not finite.

    Examples
    --------
    >>> ranking_step(np.zeros((3, 2)), [1.0, 0.0], [True, False, False], margin=0.4).round(4)
    array([1. , 0.5, 0.5])
    """
    f = as_complexity(complexity)
    v, x = np.asarray(v, dtype=np.float64), np.asarray(x, dtype=np.float64)
    if v.ndim != 2 or x.shape != v.shape[1:] or v.size == 0:
        raise ParameterError(f"v.shape={v.shape}, x.shape={x.shape}, must be (k, n) and (n,).")
    if not (np.isfinite(v).all() and np.isfinite(x).all()):
        raise ParameterError("v and x must be finite.")
    _positive(c)
    if type(f) is Euclidean:
        values, masses = np.array([x @ x]), (v @ x / c)[:, None]
        return _solve(values, masses, relevant, c, margin, entropy=False)
    if type(f) is not Entropy:
        raise ParameterError(f"complexity={f}, must be Entropy() or Euclidean().")
    # Entries of x that are equal act as one, with the sum of their weights; in logarithms, for
    # a weight that underflows now may matter after the step.
    values, place = np.unique(x, return_inverse=True)
    theta = v / c - np.max(v / c, axis=1, keepdims=True)
    masses = np.full((len(v), values.size), -np.inf)
    for j, column in enumerate(place):
        masses[:, column] = np.logaddexp(masses[:, column], theta[:, j])
    return _solve(values, masses, relevant, c, margin, entropy=True)


def ranking_steps(
    scores: npt.ArrayLike,
    relevant: npt.ArrayLike,
    c: float = 1.0,
    margin: float = 1.0,
    *,
    squared_norm: npt.ArrayLike | None = None,
) -> Floats:
    """Return the exact dual steps of a batch of rounds from their scores.

    Parameters
    ----------
    scores : array_like [shape=(..., k)]
        ``<w_r, x>`` of each label.
    relevant : array_like of bool [shape=(..., k)]
        Membership in Y.
    c, margin : float
        As in `align.learners.ranking.sopopo`.
    squared_norm : array_like [shape=(...)], optional
        ``|x|^2`` of each round, for the Euclidean f. Without it f is the entropy and the entries
        of x are 0 and 1, so that the scores are all that matters.

    Returns
    -------
    np.ndarray [shape=(..., k)]
        alpha, as in `ranking_step`.

    Raises
    ------
    ParameterError
        For shapes that do not agree, or scores outside [0, 1] with the entropy.

    Examples
    --------
    >>> ranking_steps([[0.3, 0.6]], [[True, False]], c=0.5, margin=0.2).round(4)
    array([[0.5184, 0.5184]])
    """
    scores = np.asarray(scores, dtype=np.float64)
    relevant = np.asarray(relevant, dtype=np.bool_)
    if scores.ndim == 0 or scores.shape != relevant.shape:
        raise ParameterError(f"relevant.shape={relevant.shape}, must be that of scores, (..., k).")
    if not np.isfinite(scores).all():
        raise ParameterError("scores must be finite.")
    _positive(c)
    alpha = np.zeros(scores.shape)
    if squared_norm is None:
        if not ((scores >= -1e-9) & (scores <= 1.0 + 1e-9)).all():
            raise ParameterError("scores must lie in [0, 1]: weights on a simplex, x of 0 and 1.")
        on = np.clip(scores, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            masses = np.log(np.stack([1.0 - on, on], axis=-1))
        values = np.array([0.0, 1.0])
        for i in np.ndindex(scores.shape[:-1]):
            alpha[i] = _solve(values, masses[i], relevant[i], c, margin, entropy=True)
        return alpha
    square = np.broadcast_to(np.asarray(squared_norm, dtype=np.float64), scores.shape[:-1])
    if not (np.isfinite(square).all() and (square >= 0.0).all()):
        raise ParameterError("squared_norm must be finite and not negative.")
    for i in np.ndindex(scores.shape[:-1]):
        values = np.array([square[i]])
        alpha[i] = _solve(values, scores[i][:, None], relevant[i], c, margin, entropy=False)
    return alpha


def _positive(c: float) -> None:
    if not (np.isfinite(c) and c > 0.0):
        raise ParameterError(f"c={c}, must be positive and finite.")


def _solve(
    values: Floats, masses: Floats, relevant: npt.ArrayLike, c: float, margin: float, entropy: bool
) -> Floats:
    """Solve one round; with no loss, no instance, or no pair, return zeros."""
    relevant = np.asarray(relevant, dtype=np.bool_)
    k = len(masses)
    if relevant.shape != (k,):
        raise ParameterError(f"relevant.shape={relevant.shape}, must be (k,)=({k},).")
    if not np.isfinite(margin):
        raise ParameterError(f"margin={margin}, must be finite.")
    scores = Entropy().link(masses) @ values if entropy else masses[:, 0]
    if not values.any() or relevant.all() or not relevant.any():
        return np.zeros(k)
    if margin - scores[relevant].min() + scores[~relevant].max() <= 0.0:
        return np.zeros(k)
    alpha = np.empty(k)
    _ranking(
        entropy, values, np.ascontiguousarray(masses), relevant, float(c), float(margin), alpha
    )
    return alpha


@compiled()
def _derivatives(
    entropy: bool, values: Any, masses: Any, sign: Any, c: float, margin: float, a: Any,
    first: Any, second: Any,
) -> None:  # fmt: skip
    """Fill first and second derivative of each f_r; the last variable is the slack, f = 0.

    With the entropy, row r of `masses` holds the log of the weight on each of `values`; else its
    one column is the score and the one value is ``|x|^2``.
    """
    k = masses.shape[0]
    for r in range(k):
        if entropy:
            shift = -np.inf
            for j in range(values.size):
                shift = max(shift, masses[r, j] + sign[r] * a[r] * values[j] / c)
            total = 0.0
            mean = 0.0
            square = 0.0
            for j in range(values.size):
                weight = np.exp(masses[r, j] + sign[r] * a[r] * values[j] / c - shift)
                total += weight
                mean += weight * values[j]
            mean /= total
            for j in range(values.size):
                weight = np.exp(masses[r, j] + sign[r] * a[r] * values[j] / c - shift)
                square += weight * (values[j] - mean) ** 2
            second[r] = square / total / c
        else:
            mean = masses[r, 0] + sign[r] * a[r] * values[0] / c
            second[r] = values[0] / c
        first[r] = sign[r] * mean
        if sign[r] > 0.0:
            first[r] -= margin
    first[k] = 0.0
    second[k] = 0.0


@compiled()
def _residual(
    first: Any, sign: Any, relevant: Any, a: Any, lam: Any, nu0: float, nu1: float, barrier: float
) -> tuple[float, float]:
    """Return the squared norms of the dual and of the whole residual; p = -1, q = 0."""
    d = a.size
    dual = 0.0
    centre = 0.0
    balance = 0.0
    budget = -1.0
    for r in range(d):
        on = relevant[r] if r < d - 1 else True
        dual += (first[r] - lam[r] + sign[r] * nu0 + on * nu1) ** 2
        centre += (lam[r] * a[r] - barrier) ** 2
        balance += sign[r] * a[r]
        budget += on * a[r]
    return dual, dual + centre + balance * balance + budget * budget


@compiled()
def _ranking(
    entropy: bool, values: Any, masses: Any, relevant: Any, c: float, margin: float, alpha: Any
) -> int:
    """Run the method with its 2 x 2 system written out; return the number of steps."""
    k = masses.shape[0]
    d = k + 1
    n_on = relevant.sum()
    sign = np.zeros(d)
    a = np.empty(d)
    for r in range(k):
        sign[r] = 1.0 if relevant[r] else -1.0
        a[r] = 0.5 / n_on if relevant[r] else 0.5 / (k - n_on)
    a[k] = 0.5
    lam = 1.0 / a
    nu0 = 0.0
    nu1 = 0.0
    first = np.empty(d)
    second = np.empty(d)
    z = np.empty(d)
    u = np.empty(d)
    da = np.empty(d)
    dlam = np.empty(d)
    trial = np.empty(d)
    n_iter = 0
    _derivatives(entropy, values, masses, sign, c, margin, a, first, second)
    while n_iter < _MAX_ITER:
        gap = 0.0
        for r in range(d):
            gap += lam[r] * a[r]
        barrier = 0.1 * gap / d
        dual, before = _residual(first, sign, relevant, a, lam, nu0, nu1, barrier)
        if gap < _TOLERANCE and dual < _DUAL_TOLERANCE * _DUAL_TOLERANCE:
            break
        # Row 0 of A is `sign`, row 1 is 1 on Y and on the slack; b = (0, 1).
        m00 = 0.0
        m01 = 0.0
        m11 = 0.0
        g0 = 0.0
        g1 = -1.0
        for r in range(d):
            on = 1.0 if r == k or relevant[r] else 0.0
            z[r] = second[r] + lam[r] / a[r]
            u[r] = -first[r] + barrier / a[r] - sign[r] * nu0 - on * nu1
            m00 += sign[r] * sign[r] / z[r]
            m01 += sign[r] * on / z[r]
            m11 += on / z[r]
            g0 += sign[r] * (u[r] / z[r] + a[r])
            g1 += on * (u[r] / z[r] + a[r])
        det = m00 * m11 - m01 * m01
        dnu0 = (m11 * g0 - m01 * g1) / det
        dnu1 = (m00 * g1 - m01 * g0) / det
        s = 1.0
        for r in range(d):
            on = 1.0 if r == k or relevant[r] else 0.0
            da[r] = (u[r] - sign[r] * dnu0 - on * dnu1) / z[r]
            dlam[r] = (barrier - lam[r] * da[r]) / a[r] - lam[r]
            if dlam[r] < 0.0:
                s = min(s, -0.99 * lam[r] / dlam[r])
        while (a + s * da).min() <= 0.0:
            s *= 0.5
        while s > 1e-16:
            for r in range(d):
                trial[r] = a[r] + s * da[r]
            _derivatives(entropy, values, masses, sign, c, margin, trial, first, second)
            _, after = _residual(
                first, sign, relevant, trial, lam + s * dlam, nu0 + s * dnu0, nu1 + s * dnu1,
                barrier,
            )  # fmt: skip
            if after <= (1.0 - 0.01 * s) ** 2 * before:
                break
            s *= 0.5
        if s <= 1e-16:
            break
        for r in range(d):
            a[r] = trial[r]
            lam[r] += s * dlam[r]
        nu0 += s * dnu0
        nu1 += s * dnu1
        n_iter += 1
    up = 0.0
    down = 0.0
    for r in range(k):
        if relevant[r]:
            up += a[r]
        else:
            down += a[r]
    common = min(up, down)
    for r in range(k):
        alpha[r] = max(a[r], 0.0) * common / (up if relevant[r] else down)
    return n_iter
