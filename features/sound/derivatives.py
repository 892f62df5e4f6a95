"""Derivatives of a sampled curve by least-squares fits of a polynomial.

Around each frame t a polynomial of degree p is fitted to the 2 W + 1 values at ``t-W .. t+W``;
its derivatives at t are the result (Savitzky and Golay). For the parabola, with
``S2 = sum k**2``, ``S4 = sum k**4`` and ``N = 2 W + 1``::

    slope             = sum_k k x[t+k] / S2
    second derivative = 2 (N sum_k k**2 x[t+k] - S2 sum_k x[t+k]) / (N S4 - S2**2)

Frames beyond either end repeat the first or the last one.

References
----------
Savitzky and Golay, "Smoothing and differentiation of data by simplified least squares
procedures", Analytical Chemistry 36, 1964.
Shalev-Shwartz, "Online Learning", 2007, sections 9.5.1 and 9.6.1.
"""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import Float64, FloatArray


def polynomial_derivatives(
    x: npt.ArrayLike,
    width: int,
    order: int = 2,
    *,
    degree: int | None = None,
    axis: int = 0,
) -> FloatArray:
    """Return derivatives by fitting a polynomial around each frame.

    Parameters
    ----------
    x : array_like [shape=(..., T, ...)]
        Curves, sampled once a frame along `axis`; T > 0.
    width : int
        Number of frames of each fit, odd and greater than `degree`.
    order : int
        Highest derivative, at least 1.
    degree : int, optional
        Degree of the polynomial, at least `order`; by default `order`.
    axis : int
        The axis of time.

    Returns
    -------
    np.ndarray [shape=(order, ..., T, ...)]
        Derivatives 1 .. `order`, per frame, per frame squared and so on; float32 where `x` is,
        otherwise float64.

    Raises
    ------
    ParameterError
        For a width, order or degree that gives no fit, or an empty axis.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.arange(7.0)
    >>> slope, curvature = polynomial_derivatives(t**2, width=3)
    >>> slope[1:-1], curvature[1:-1]
    (array([ 2.,  4.,  6.,  8., 10.]), array([2., 2., 2., 2., 2.]))
    """
    array = np.asarray(x)
    if array.dtype != np.float32:
        array = array.astype(np.float64)
    if order < 1:
        raise ParameterError(f"order={order}, must be at least 1.")
    degree = order if degree is None else degree
    if degree < order:
        raise ParameterError(f"degree={degree}, must be at least order={order}.")
    if width % 2 != 1 or width <= degree:
        raise ParameterError(f"width={width}, must be odd and greater than degree={degree}.")
    if array.ndim == 0 or not -array.ndim <= axis < array.ndim:
        raise ParameterError(f"axis={axis} is not an axis of x, whose shape is {array.shape}.")
    moved = np.moveaxis(array, axis, 0)
    n_frames = moved.shape[0]
    if n_frames == 0:
        raise ParameterError(f"x.shape={array.shape}, must not be empty along axis {axis}.")
    half = width // 2
    index = np.clip(np.arange(-half, n_frames + half), 0, n_frames - 1)
    padded = moved[index]
    out = np.zeros((order, *moved.shape), dtype=array.dtype)
    scratch = np.empty_like(moved)
    for derivative, weights in zip(out, _coefficients(width, order, degree), strict=True):
        for k in range(half + 1):
            weight = array.dtype.type(weights[half + k])
            if weight == 0.0:
                continue
            after, before = (padded[half + s : half + s + n_frames] for s in (k, -k))
            if k == 0:
                np.multiply(after, weight, out=scratch)
            else:  # the weights are even or odd in k, so that constants cancel exactly
                combine = np.add if weights[half - k] * weight > 0 else np.subtract
                combine(after, before, out=scratch)
                scratch *= weight
            derivative += scratch
    return np.moveaxis(out, 1, axis % array.ndim + 1)


@lru_cache(maxsize=64)
def _coefficients(width: int, order: int, degree: int) -> Float64:
    """Weights of the frames of a fit in derivatives 1 .. order [shape=(order, width)]."""
    half = width // 2
    k = np.arange(-half, half + 1) / half  # scaled, so that high degrees stay well conditioned
    fit = np.linalg.pinv(np.vander(k, degree + 1, increasing=True))
    rows = [math.factorial(n) / half**n * fit[n] for n in range(1, order + 1)]
    # exact symmetry, which rounding breaks
    return np.array([(row + (-1) ** n * row[::-1]) / 2 for n, row in enumerate(rows, start=1)])
