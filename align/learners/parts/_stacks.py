"""Stacks of vectors for complexity functions: checks, and sums along the last axis."""

from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import Float64

__all__ = ["SLACK", "half_square", "matrices", "scalar", "vectors", "xlogx"]


# How far a point may lie outside S by rounding and still count as inside.
SLACK = 1e-9


def vectors(values: npt.ArrayLike) -> Float64:
    """Return values as an array with a last axis that is not empty."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ParameterError(f"shape={array.shape}, must be (..., n) with n >= 1.")
    return array


def matrices(values: npt.ArrayLike) -> Float64:
    """Return values as an array with two axes or more."""
    array = vectors(values)
    if array.ndim < 2:
        raise ParameterError(f"shape={array.shape}, must be (..., k, n): one row for each block.")
    return array


def scalar(values: Any) -> Any:
    """Turn a 0-d array into a float; leave a batch alone."""
    return float(values) if np.ndim(values) == 0 else values


def half_square(w: Float64) -> Any:
    """Return ``|w|^2 / 2``."""
    return scalar(np.square(w).sum(-1) / 2.0)


def xlogx(w: Float64) -> Float64:
    """Return ``w ln w`` entry by entry, with 0 ln 0 = 0."""
    return w * np.log(np.where(w > 0.0, w, 1.0))
