r"""Projections on an orthant, the simplex, the l1 ball and, entropically, a simplex with a floor.

Euclidean projection finds the nearest point in the l2 sense; entropic projection minimises the
relative entropy :math:`\sum_j w_j \ln(w_j / u_j)`. Every function takes one vector or any stack of
vectors: the last axis is projected, the leading axes are the batch.

The simplex threshold is found by Condat's scan, linear in expectation; the entropic floor by one
sort, O(n log n).

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 7.1,
figures 7.1 to 7.3. In print figure 7.2 returns its argument unchanged and figure 7.3 lost every
floor; what stands here is the corrected form.
Condat, "Fast projection onto the simplex and the l1 ball", 2016.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align._numba import compiled, read_only
from align.errors import ParameterError
from align.types import BoolArray, Float64


def project_orthant(mu: Float64, non_negative: BoolArray | None) -> Float64:
    r"""Return the nearest point of :math:`\{a : a_j \ge 0` where `non_negative` :math:`\}`.

    Parameters
    ----------
    mu : np.ndarray [shape=(..., p)]
        Points to project.
    non_negative : np.ndarray [shape=(p,), dtype=bool] or None
        Which entries must not be negative; None for none.

    Returns
    -------
    np.ndarray [shape=(..., p)]
        `mu` itself where there is nothing to do.

    Examples
    --------
    >>> project_orthant(np.array([-1.0, -2.0, 3.0]), np.array([True, False, True]))
    array([ 0., -2.,  3.])
    """
    if non_negative is None:
        return mu
    return np.where(non_negative, np.maximum(mu, 0.0), mu)


def project_simplex(mu: npt.ArrayLike, size: npt.ArrayLike = 1.0) -> Float64:
    r"""Return the nearest point of the simplex :math:`\{a \ge 0, \sum_j a_j = z\}`.

    Source: Shalev-Shwartz 2007, section 7.1.1, Figure 7.1.

    Parameters
    ----------
    mu : array_like [shape=(..., p)]
        Points to project, along the last axis.
    size : array_like, broadcast to shape (...), default 1
        z, the sum of the result; not negative. 0 gives zeros.

    Returns
    -------
    np.ndarray [shape=(..., p), dtype=float64]
        ``max(mu - threshold, 0)`` with the threshold that makes it sum to z.

    Raises
    ------
    ParameterError
        If `mu` has no entry or is not finite, or a size is negative or not finite.

    Notes
    -----
    Figure 7.1 of the reference. Order and ties of `mu` are kept.

    Examples
    --------
    >>> project_simplex([0.5, 1.2, -0.3, 0.9], 2.0).round(12)
    array([0.3, 1. , 0. , 0.7])
    """
    rows, sizes, shape = _rows(mu, size, "mu")
    out = np.empty_like(rows)
    _simplex_rows(read_only(rows), read_only(sizes), out)
    return out.reshape(shape)


def project_l1_ball(mu: npt.ArrayLike, radius: npt.ArrayLike = 1.0) -> Float64:
    r"""Return the nearest point of the l1 ball :math:`\{a : \sum_j |a_j| \le z\}`.

    Source: Shalev-Shwartz 2007, section 7.1.2, Figure 7.2.

    Parameters
    ----------
    mu : array_like [shape=(..., p)]
        Points to project, along the last axis.
    radius : array_like, broadcast to shape (...), default 1
        z, not negative.

    Returns
    -------
    np.ndarray [shape=(..., p), dtype=float64]
        `mu` itself where it lies within the ball.

    Raises
    ------
    ParameterError
        If `mu` has no entry or is not finite, or a radius is negative or not finite.

    Examples
    --------
    >>> project_l1_ball([0.5, -1.2, 0.3], 1.0).round(12)
    array([ 0.15, -0.85,  0.  ])
    """
    rows, radii, shape = _rows(mu, radius, "mu")
    out = np.empty_like(rows)
    _l1_rows(read_only(rows), read_only(radii), out)
    return out.reshape(shape)


def project_entropic(u: npt.ArrayLike, floor: float = 0.0, *, log: bool = False) -> Float64:
    r"""Minimise :math:`\sum_j w_j \ln(w_j / u_j)` over the simplex whose entries are >= a floor.

    Source: Shalev-Shwartz 2007, section 7.1.3, Figure 7.3.

    Parameters
    ----------
    u : array_like [shape=(..., n)]
        Weights, not negative and not all zero; their scale does not matter. With ``log=True``
        their logarithms, of any size, -inf for zero.
    floor : float, default 0
        eps, the least value of an entry, ``0 <= floor <= 1/n``. At 1/n the result is uniform.
    log : bool, default False
        Whether `u` holds logarithms.

    Returns
    -------
    np.ndarray [shape=(..., n), dtype=float64]
        ``max(u / Z, floor)`` with the Z that makes it sum to 1. Without a floor, zeros stay zero.

    Raises
    ------
    ParameterError
        If the floor is out of range, or a row of `u` is all zero, negative or not a number.

    Notes
    -----
    Figure 7.3 of the reference, with its lost floors restored: with u ascending, the first
    l entries are raised to the floor where l is the least with
    ``u_{l+1} >= eps Z_l``, ``Z_l = sum_{j>l} u_j / (1 - l eps)``.

    Examples
    --------
    >>> project_entropic([1.0, 5.0, 30.0, 64.0], 0.1).round(8)
    array([0.1       , 0.1       , 0.25531915, 0.54468085])
    """
    array = np.array(u, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ParameterError(f"u.shape={array.shape}, must be (..., n) with n >= 1.")
    n = array.shape[-1]
    # 1/n is not a binary fraction: a floor computed as 1/n by any route must be let through.
    if not 0.0 <= floor <= (1.0 + 1e-12) / n:
        raise ParameterError(f"floor={floor}, must lie in [0, 1/n]=[0, {1.0 / n}].")
    if log:
        top = array.max(axis=-1, keepdims=True)
        if np.isnan(array).any() or not np.isfinite(top).all():
            raise ParameterError("u: each row of logarithms needs a finite largest entry.")
        array = np.exp(array - top)
    else:
        if not (np.isfinite(array).all() and (array >= 0.0).all()):
            raise ParameterError("u must be finite and not negative.")
        top = array.max(axis=-1, keepdims=True)
        if not (top > 0.0).all():
            raise ParameterError("u must not be zero everywhere in a row.")
        array /= top
    # Z_l from suffix sums; the running update of the figure loses digits by cancellation.
    floor = min(float(floor), 1.0 / n)
    ascending = np.sort(array, axis=-1)
    free = np.cumsum(ascending[..., ::-1], axis=-1)[..., ::-1]
    totals = free / (1.0 - np.arange(n) * floor)
    # The last entry is always free; rounding at a floor of 1/n must not say otherwise.
    stays = ascending >= floor * totals
    stays[..., -1] = True
    total = np.take_along_axis(totals, stays.argmax(axis=-1)[..., None], axis=-1)
    result: Float64 = np.maximum(array / total, floor)
    return result


def _rows(
    mu: npt.ArrayLike, size: npt.ArrayLike, name: str
) -> tuple[Float64, Float64, tuple[int, ...]]:
    """Check `mu` and `size`; return them as a C-contiguous matrix and one size per row."""
    array = np.ascontiguousarray(mu, dtype=np.float64)
    if array.ndim == 0 or np.ndim(mu) == 0 or array.shape[-1] == 0:
        raise ParameterError(f"{name}.shape={np.shape(mu)}, must be (..., p) with p >= 1.")
    if not np.isfinite(array).all():
        raise ParameterError(f"{name} must be finite.")
    sizes = np.asarray(size, dtype=np.float64)
    if not (np.isfinite(sizes).all() and (sizes >= 0.0).all()):
        raise ParameterError(f"size={size!r}, must be finite and not negative.")
    try:
        sizes = np.broadcast_to(sizes, array.shape[:-1])
    except ValueError:
        raise ParameterError(
            f"size.shape={sizes.shape}, must broadcast to {array.shape[:-1]}: one for each row."
        ) from None
    return (
        array.reshape(-1, array.shape[-1]),
        np.ascontiguousarray(sizes, dtype=np.float64).reshape(-1),
        array.shape,
    )


@compiled()
def _threshold(mu: Any, top: float, size: float, kept: Any) -> float:
    """Return h with ``sum max(mu - top - h, 0) = size``; `top` is max(mu), `kept` work space."""
    # Condat's scan: `low` never exceeds the threshold, so what lies below it is dropped for good.
    # Everything is relative to the maximum, so that huge entries keep the digits of `size`; and
    # since only what lies within `size` of it can matter, the scan never has to start afresh.
    n_kept = 0
    low = 0.0
    for i in range(mu.size):
        y = mu[i] - top
        if y <= -size:
            continue
        if n_kept == 0:
            low = y - size
        elif y > low:
            low += (y - low) / (n_kept + 1)
        else:
            continue
        kept[n_kept] = y
        n_kept += 1
    # What is kept holds all entries above the threshold, and maybe some below. The mean of all is
    # too low by those; drop what it excludes, and take the mean again, until nothing is dropped.
    while True:
        # One exact mean over the survivors replaces the running one: no rounding piles up.
        total = 0.0
        for j in range(n_kept):
            total += kept[j]
        low = (total - size) / n_kept
        left = 0
        for j in range(n_kept):
            if kept[j] > low:
                kept[left] = kept[j]
                left += 1
        if left == n_kept or left == 0:
            return low
        n_kept = left


@compiled()
def _simplex_rows(mu: Any, sizes: Any, out: Any) -> None:
    """Fill the projection of each row on the simplex of its size (E1)."""
    m, p = mu.shape
    kept = np.empty(p)
    for r in range(m):
        if sizes[r] <= 0.0:
            out[r, :] = 0.0
            continue
        top = mu[r].max()
        threshold = _threshold(mu[r], top, sizes[r], kept)
        for i in range(p):
            out[r, i] = max(mu[r, i] - top - threshold, 0.0)


@compiled()
def _l1_rows(mu: Any, radii: Any, out: Any) -> None:
    """Fill the projection of each row on the l1 ball (E2): that of the sizes, with their signs."""
    m, p = mu.shape
    kept = np.empty(p)
    size = np.empty(p)
    for r in range(m):
        total = 0.0
        for i in range(p):
            size[i] = abs(mu[r, i])
            total += size[i]
        if total <= radii[r]:  # within the ball: the point itself
            for i in range(p):
                out[r, i] = mu[r, i]
            continue
        if radii[r] <= 0.0:
            out[r, :] = 0.0
            continue
        top = size.max()
        threshold = _threshold(size, top, radii[r], kept)
        for i in range(p):
            out[r, i] = np.sign(mu[r, i]) * max(size[i] - top - threshold, 0.0)
