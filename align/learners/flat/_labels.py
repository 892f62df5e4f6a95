"""Labels of classes as numbers, quickly where they are small whole numbers already."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.errors import ParameterError

Labels: TypeAlias = npt.NDArray[Any]


def sorted_labels(y: Labels) -> Labels:
    """Return the distinct labels, sorted; of label sets [shape=(m, K)] the numbers of the columns.

    Examples
    --------
    >>> sorted_labels(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    if y.ndim == 2:
        return np.arange(y.shape[1])
    if y.size == 1:  # one example of a stream, whose call takes some microseconds in all
        return y
    span = _span(y)
    if span is None:
        return np.unique(y)
    low, size = span
    seen = np.zeros(size, dtype=np.bool_)
    if y.dtype == np.int64:
        _mark(y, low, seen)
    else:
        seen[y - low] = True
    return (np.flatnonzero(seen) + low).astype(y.dtype)


def several_labels(y: Labels) -> Labels:
    """Return `sorted_labels`, of which there must be two."""
    found = sorted_labels(y)
    if len(found) < 2:
        raise ParameterError(
            f"y has 1 class, {found.tolist()}, must have 2 classes or more; a stream that begins "
            "with one class only can go to the partial_fit of a learner that has one."
        )
    return found


def label_codes(y: Labels, classes: Labels) -> npt.NDArray[np.int64]:
    """Return the place of each label among the sorted classes, all of which are known.

    Examples
    --------
    >>> label_codes(np.array(["b", "a"]), np.array(["a", "b"])).tolist()
    [1, 0]
    """
    span = _span(y)
    if span is None or classes.dtype.kind not in "iu":
        return np.searchsorted(classes, y).astype(np.int64)
    low, size = span
    inside = (classes >= low) & (classes < low + size)
    table = np.zeros(size, dtype=np.int64)
    table[classes[inside] - low] = np.flatnonzero(inside)
    quick = y.dtype == np.int64
    codes: npt.NDArray[np.int64] = _look_up(y, low, table) if quick else table[y - low]
    return codes


def _span(y: Labels) -> tuple[int, int] | None:
    """Return the least label and the size of the range, where a table of it is short enough."""
    if y.dtype.kind not in "iu" or y.size <= 1:
        return None
    low, high = _range(y) if y.dtype == np.int64 else (int(y.min()), int(y.max()))
    if high - low >= max(1024, 2 * y.size) or high > np.iinfo(np.int64).max:
        return None
    return low, high - low + 1


@compiled()
def _range(y: Any) -> tuple[int, int]:
    """Return the least and the greatest label, in one pass where NumPy makes two."""
    low = high = y[0]
    for i in range(y.shape[0]):
        low = min(low, y[i])
        high = max(high, y[i])
    return low, high


@compiled()
def _mark(y: Any, low: int, seen: Any) -> None:
    """Note which labels there are, without the table of places that NumPy makes first."""
    for i in range(y.shape[0]):
        seen[y[i] - low] = True


@compiled()
def _look_up(y: Any, low: int, table: Any) -> Any:
    """Return the code of each label, likewise."""
    codes = np.empty(y.shape[0], dtype=np.int64)
    for i in range(y.shape[0]):
        codes[i] = table[y[i] - low]
    return codes
