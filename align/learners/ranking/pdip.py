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
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError, check_shape
from align.learners.parts import Complexity, Entropy, Euclidean, as_complexity
from align.learners.parts.parameters import positive
from align.learners.ranking._pdip import DUAL_TOLERANCE, MAX_ITER, TOLERANCE, solve_round
from align.types import Float64


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

    a: Float64
    gap: float
    n_iter: int
    converged: bool


def interior_point(
    derivatives: Callable[[Float64], tuple[Float64, Float64]],
    A: npt.ArrayLike,
    b: npt.ArrayLike,
    p: npt.ArrayLike,
    q: npt.ArrayLike,
    start: npt.ArrayLike,
    *,
    tol: float = TOLERANCE,
    dual_tol: float = DUAL_TOLERANCE,
    max_iter: int = MAX_ITER,
) -> InteriorPoint:
    r"""Minimise a separable convex function under equalities and one bound for each variable.

    Source: Shalev-Shwartz 2007, section 7.3.2.

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
            a: Float64, lam: Float64, nu: Float64, first: Float64, barrier: float = barrier
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
) -> Float64:
    """Return the exact dual step of label ranking from the block matrix itself.

    Source: Shalev-Shwartz 2007, section 7.3.2, and Figure 7.4 of the Euclidean one.

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
    positive(c, "c")
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
) -> Float64:
    """Return the exact dual steps of a batch of rounds from their scores.

    Source: Shalev-Shwartz 2007, section 7.3.2.

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
    positive(c, "c")
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


def _solve(
    values: Float64,
    masses: Float64,
    relevant: npt.ArrayLike,
    c: float,
    margin: float,
    entropy: bool,
) -> Float64:
    """Solve one round; with no loss, no instance, or no pair, return zeros."""
    relevant = np.asarray(relevant, dtype=np.bool_)
    k = len(masses)
    check_shape("relevant", relevant.shape, "(k,)", (k,))
    if not np.isfinite(margin):
        raise ParameterError(f"margin={margin}, must be finite.")
    scores = Entropy().link(masses) @ values if entropy else masses[:, 0]
    if not values.any() or relevant.all() or not relevant.any():
        return np.zeros(k)
    if margin - scores[relevant].min() + scores[~relevant].max() <= 0.0:
        return np.zeros(k)
    alpha = np.empty(k)
    solve_round(
        entropy, values, np.ascontiguousarray(masses), relevant, float(c), float(margin), alpha
    )
    return alpha
