"""Forward and backward scores of first-order potentials, by one max-plus kernel.

With ``F_k(t)`` the best score of all that lies before onset k at frame t, its own score included,
and ``B_k(t)`` of all that follows::

    F_0(t) = onset[0, t]
    F_k(t) = onset[k, t] + max { F_{k-1}(t - d) + duration[row_{k-1}, d] : d }
    B_{K-1}(t) = duration[row_{K-1}, T - t]
    B_k(t) = max { duration[row_k, d] + onset[k+1, t + d] + B_{k+1}(t + d) : d }

Rows lie one after the other in flat arrays: onset k at frame t is at ``offset[k] + t - first[k]``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._rows import row_offsets
from align.decoders._windows import Windows, check_values, tighten
from align.errors import ParameterError
from align.potentials import Potentials
from align.types import FloatArray, IntArray

__all__ = ["Tables", "backward", "first_order_tables", "forward", "without_ratio"]

_BLOCK = 1024  # frames whose partial maxima stay in the first-level cache
_GROUP = 8  # lengths in one sweep; `_sweep` is written out for this number


class Tables(NamedTuple):
    """What the kernels read of first-order potentials.

    Attributes
    ----------
    onset : np.ndarray [shape=(K, W), dtype=float32 or float64]
        As in `Potentials`, contiguous.
    start : np.ndarray [shape=(K,), dtype=intp]
        First frame of each row of `onset`.
    windows : Windows
        Frames and lengths to search.
    duration : np.ndarray [shape=(R, L + 1), dtype=float64]
        As in `Potentials`; one row of zeros where lengths score nothing.
    row : np.ndarray [shape=(K,), dtype=intp]
        Row of `duration` for each event.
    flat : bool
        Whether lengths score nothing.
    offset : np.ndarray [shape=(K + 1,), dtype=intp]
        Where the row of each event begins in flat arrays.
    """

    onset: FloatArray
    start: IntArray
    windows: Windows
    duration: npt.NDArray[np.float64]
    row: IntArray
    flat: bool
    offset: IntArray


def first_order_tables(potentials: Potentials, caller: str) -> Tables:
    """Check potentials and lay them out for the kernels.

    Parameters
    ----------
    potentials : Potentials
        At least one event.
    caller : str
        What messages call the function that was asked.

    Raises
    ------
    ParameterError
        Ratio or general scores are present; a score is NaN or +inf; no timing meets the windows
        and the lengths.
    """
    if potentials.ratio is not None and potentials.ratio.any():
        raise ParameterError(f"{caller} cannot score ratio.")
    if potentials.general:
        raise ParameterError(f"{caller} cannot score general functions.")
    onset = check_values(potentials)
    return without_ratio(potentials, onset, tighten(potentials))


def without_ratio(potentials: Potentials, onset: FloatArray, windows: Windows) -> Tables:
    """Lay out what scores an onset or a length alone; `onset` is as `check_values` returns it."""
    row: IntArray
    if potentials.duration is None:
        duration = np.zeros((1, int(windows.longest.max()) + 1))
        row = np.zeros(potentials.n_events, dtype=np.intp)
    else:
        assert potentials.duration_row is not None
        duration = np.ascontiguousarray(potentials.duration, dtype=np.float64)
        row = potentials.duration_row
    flat = potentials.duration is None
    offset = row_offsets(windows.first, windows.last)
    return Tables(onset, potentials.start, windows, duration, row, flat, offset)


@compiled()
def forward(tables: Tables, best: npt.NDArray[np.float64]) -> None:
    """Fill F, [shape=(offset[K],)]."""
    windows, offset = tables.windows, tables.offset
    first, last = windows.first, windows.last
    padded = np.empty(np.max(last - first) + 1 + 2 * _GROUP)
    for k in range(tables.row.size):
        here = best[offset[k] : offset[k + 1]]
        if k == 0:
            here[:] = 0.0
        else:
            before = best[offset[k - 1] : offset[k]]
            padded[:_GROUP] = -np.inf
            padded[_GROUP : _GROUP + before.size] = before
            padded[_GROUP + before.size : before.size + 2 * _GROUP] = -np.inf
            _spread(padded, before.size, first[k] - first[k - 1], tables, k - 1, here)
        scores = tables.onset[k, first[k] - tables.start[k] : last[k] - tables.start[k] + 1]
        for i in range(here.size):
            here[i] += scores[i]


@compiled()
def backward(tables: Tables, after: npt.NDArray[np.float64]) -> None:
    """Fill B, [shape=(offset[K],)]."""
    windows, offset = tables.windows, tables.offset
    first, last = windows.first, windows.last
    widest = np.max(last - first) + 1
    padded = np.empty(widest + 2 * _GROUP)
    turned = np.empty(widest)  # the last frame first, so that time runs as in `forward`
    for k in range(tables.row.size - 1, -1, -1):
        here = after[offset[k] : offset[k + 1]]
        n = last[k + 1] - first[k + 1] + 1
        padded[:_GROUP] = -np.inf
        padded[_GROUP] = 0.0
        padded[_GROUP + n : n + 2 * _GROUP] = -np.inf
        if k < tables.row.size - 1:
            follows = after[offset[k + 1] : offset[k + 2]]
            shift = first[k + 1] - tables.start[k + 1]
            for i in range(n):
                j = n - 1 - i
                padded[_GROUP + i] = follows[j] + tables.onset[k + 1, shift + j]
        _spread(padded, n, last[k + 1] - last[k], tables, k, turned[: here.size])
        for i in range(here.size):
            here[i] = turned[here.size - 1 - i]


@compiled()
def _spread(
    padded: npt.NDArray[np.float64],
    n: int,
    distance: int,
    tables: Tables,
    k: int,
    here: npt.NDArray[np.float64],
) -> None:
    """Best score at each place `here`, one length of event k away from n scores.

    Place i is ``distance + i - j`` frames from score j, which is at ``padded[_GROUP + j]``.
    """
    low, high = tables.windows.shortest[k], tables.windows.longest[k]
    shift = distance - low
    if tables.flat and high >= here.size - 1 + distance:  # the longest length does not bind
        top = -np.inf
        for j in range(min(shift, n)):
            top = max(top, padded[_GROUP + j])
        for i in range(here.size):
            if 0 <= i + shift < n:
                top = max(top, padded[_GROUP + i + shift])
            here[i] = top
        return
    duration = tables.duration[tables.row[k], low : high + 1]
    lengths = np.empty(_GROUP)
    here[:] = -np.inf
    for block in range(0, here.size, _BLOCK):
        stop = min(here.size, block + _BLOCK)
        for g in range(0, duration.size, _GROUP):
            reach = shift - g
            begin = max(block, -reach)
            end = min(stop, n - reach + _GROUP - 1)
            if begin < end:
                for r in range(_GROUP):
                    lengths[r] = duration[g + r] if g + r < duration.size else -np.inf
                _sweep(padded[begin + reach + 1 : end + reach + _GROUP], lengths, here[begin:end])


@compiled()
def _sweep(
    before: npt.NDArray[np.float64],
    lengths: npt.NDArray[np.float64],
    here: npt.NDArray[np.float64],
) -> None:
    """Eight lengths at once, in vector instructions; as in `align.decoders.semi_markov`."""
    b0, b1, b2, b3 = lengths[0], lengths[1], lengths[2], lengths[3]
    b4, b5, b6, b7 = lengths[4], lengths[5], lengths[6], lengths[7]
    for i in range(here.size):
        v0 = before[i + 7] + b0
        v1 = before[i + 6] + b1
        v2 = before[i + 5] + b2
        v3 = before[i + 4] + b3
        v4 = before[i + 3] + b4
        v5 = before[i + 2] + b5
        v6 = before[i + 1] + b6
        v7 = before[i] + b7
        v0 = v0 if v0 > v1 else v1
        v2 = v2 if v2 > v3 else v3
        v4 = v4 if v4 > v5 else v5
        v6 = v6 if v6 > v7 else v7
        v0 = v0 if v0 > v2 else v2
        v4 = v4 if v4 > v6 else v6
        v0 = v0 if v0 > v4 else v4
        here[i] = v0 if v0 > here[i] else here[i]
