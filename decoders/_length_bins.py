"""Lengths cut into bins: single ones around the length that is expected, wider ones beyond.

So there are few of them, and bounds that know lengths by bin (`align.decoders._suffix_bounds`) are
tight where the best paths are. Where there are few lengths in all, each has a bin of its own.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._numba import compiled
from align.types import IntArray

__all__ = ["Bins", "bytes_of_bins", "cut_lengths", "expected_lengths", "no_bins"]

_WIDTHS = (1, 1, 1, 1, 1, 1, 1, 2, 3, 5)  # of bins either side of the length that is expected
_GROWTH = 2  # of those beyond, each to the one before
_FINE = 24  # lengths that have a bin each

_Float64 = npt.NDArray[np.float64]


class Bins(NamedTuple):
    """Lengths of each event, cut into bins.

    Attributes
    ----------
    edge : np.ndarray [shape=(K, M + 1), dtype=intp]
        Bin i of event k holds the lengths ``edge[k, i] .. edge[k, i + 1] - 1``.
    n_bins : np.ndarray [shape=(K,), dtype=intp]
        Bins of each event.
    middle, below : np.ndarray [shape=(K,), dtype=intp]
        The length that is expected, and how many bins are below it.
    step : np.ndarray [shape=(2 L + 1,), dtype=intp]
        Length d is in bin ``below[k] + step[L + d - middle[k]]``.
    """

    edge: IntArray
    n_bins: IntArray
    middle: IntArray
    below: IntArray
    step: IntArray


@compiled()
def _width(i: int, before: int, n_lengths: int) -> int:
    """Width of the bin that has i bins between it and the one of the length expected."""
    if n_lengths <= _FINE:
        return 1
    return _WIDTHS[i] if i < len(_WIDTHS) else _GROWTH * before


@compiled()
def _most_bins(longest: int) -> int:
    """Return how many bins a table of lengths may need."""
    n, width, reach = 1, 1, 0
    while reach < longest:
        width = _width(n - 1, width, longest)
        reach += width
        n += 1
    return min(2 * n - 1, longest)


@compiled()
def expected_lengths(first: IntArray, last: IntArray, alpha: _Float64, beta: _Float64) -> IntArray:
    """Return the lengths that the middles of the windows tell, evened out over neighbours.

    A change of length costs nothing where ``alpha[k] d_k`` is ``beta[k] d_{k-1}``: each length is
    that part of what its event and its neighbours last together that costs nothing.
    """
    n_events = alpha.size
    length = np.diff((first + last) / 2.0)
    expected = np.empty(n_events, dtype=np.intp)
    for k in range(n_events):
        total, parts = length[k], 1.0
        if k > 0 and alpha[k] > 0.0 and beta[k] > 0.0:
            total += length[k - 1]
            parts += alpha[k] / beta[k]
        if k < n_events - 1 and alpha[k + 1] > 0.0 and beta[k + 1] > 0.0:
            total += length[k + 1]
            parts += beta[k + 1] / alpha[k + 1]
        expected[k] = np.rint(total / parts)
    return expected


def bytes_of_bins(n_events: int, n_lengths: int) -> int:
    """Return how many bytes `no_bins` takes."""
    return 8 * (n_events * (_most_bins(n_lengths) + 4) + 2 * n_lengths + 1)


def no_bins(n_events: int, n_lengths: int) -> Bins:
    """Return room for the bins of events that have at most `n_lengths` lengths."""
    edge = np.empty((n_events, _most_bins(n_lengths) + 1), dtype=np.intp)
    n_bins, middle, below = np.empty((3, n_events), dtype=np.intp)
    return Bins(edge, n_bins, middle, below, np.empty(2 * n_lengths + 1, dtype=np.intp))


@compiled()
def cut_lengths(expected: IntArray, shortest: IntArray, longest: IntArray, bins: Bins) -> int:
    """Cut the lengths of each event around the one expected; return the width of the widest.

    Bins of all events are alike, but for the ends of the first and the last.
    """
    edge, n_bins, middles, belows, step = bins
    reach = step.size // 2
    ends = np.empty(edge.shape[1] + 1, dtype=np.intp)  # of bins either side, from the middle
    ends[0], width, n, widest = 0, 1, 0, 1
    step[reach] = 0
    while ends[n] < reach:
        width = _width(n, width, reach)
        ends[n + 1] = ends[n] + width
        n += 1
        for d in range(ends[n - 1] + 1, min(ends[n], reach) + 1):
            step[reach + d], step[reach - d] = n, -n
    for k in range(expected.size):
        low, high = shortest[k], longest[k]
        middle = middles[k] = min(max(expected[k], low), high)
        below, above = -step[reach + low - middle], step[reach + high - middle]
        edge[k, 0] = low
        for i in range(1, below + 1):
            edge[k, i] = middle - ends[below - i]
        for i in range(above):
            edge[k, below + 1 + i] = middle + 1 + ends[i]
        edge[k, below + above + 1] = high + 1
        belows[k], n_bins[k] = below, below + above + 1
        for i in range(n_bins[k]):
            widest = max(widest, edge[k, i + 1] - edge[k, i])
    return widest
