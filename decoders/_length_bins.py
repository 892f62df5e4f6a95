"""Lengths cut into bins: single ones around the length that is expected, wider ones beyond.

So there are few of them, and bounds that know lengths by bin (`align.decoders._suffix_bounds`) are
tight where the best paths are. Bins grow sooner where changes of length cost little.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._numba import compiled
from align.types import IntArray

__all__ = ["Bins", "bytes_of_bins", "cut_lengths", "expected_lengths", "no_bins"]

_WIDTHS = (  # of bins either side of the length that is expected; the second where change is cheap
    (1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5, 10),
    (1, 1, 2, 2, 2, 2, 2, 3, 3, 4, 5, 10, 20),
)
_CHEAP = 1.0  # where one frame costs less than the square of this, in units of the bounds
_GROWTH = 2  # of bins beyond, each to the one before

_Float64 = npt.NDArray[np.float64]


class Bins(NamedTuple):
    """Lengths of each event, cut into bins.

    Attributes
    ----------
    edge : np.ndarray [shape=(K, M + 1), dtype=intp]
        Bin i of event k holds the lengths ``edge[k, i] .. edge[k, i + 1] - 1``.
    n_bins : np.ndarray [shape=(K,), dtype=intp]
        Bins of each event.
    below, shift : np.ndarray [shape=(K,), dtype=intp]
        Bins below the one of the length expected, and where `step` has length 0.
    step : np.ndarray [shape=(4 L + 2,), dtype=intp]
        Length d is in bin ``below[k] + step[shift[k] + d]``.
    """

    edge: IntArray
    n_bins: IntArray
    below: IntArray
    shift: IntArray
    step: IntArray


@compiled()
def _width(cheap: int, i: int, before: int) -> int:
    """Width of the bin that has i bins between it and the one of the length expected."""
    widths = _WIDTHS[cheap]
    return widths[i] if i < len(widths) else _GROWTH * before


@compiled()
def _most_bins(longest: int) -> int:
    """Return how many bins a table of lengths may need."""
    most = 1
    for cheap in range(2):
        n, width, reach = 1, 1, 0
        while reach < longest:
            width = _width(cheap, n - 1, width)
            reach += width
            n += 1
        most = max(most, n)
    return min(2 * most - 1, longest)


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
    return 8 * (n_events * (_most_bins(n_lengths) + 4) + 4 * n_lengths + 2)


def no_bins(n_events: int, n_lengths: int) -> Bins:
    """Return room for the bins of events that have at most `n_lengths` lengths."""
    edge = np.empty((n_events, _most_bins(n_lengths) + 1), dtype=np.intp)
    n_bins, below, shift = np.empty((3, n_events), dtype=np.intp)
    return Bins(edge, n_bins, below, shift, np.empty(4 * n_lengths + 2, dtype=np.intp))


@compiled()
def cut_lengths(
    expected: IntArray, steep: _Float64, shortest: IntArray, longest: IntArray, bins: Bins
) -> int:
    """Cut the lengths of each event around the one expected; return the width of the widest.

    `steep` is the root of what a change by one frame costs, in units of the bounds. All events
    whose changes are cheap have the same bins about the length expected, and so have all others;
    the first and the last bin end where the lengths do.
    """
    edge, n_bins, belows, shifts, step = bins
    reach = step.size // 4
    ends = np.zeros((2, edge.shape[1] + 1), dtype=np.intp)  # of bins either side, from the middle
    for cheap in range(2):
        zero, end, width, n = reach + cheap * (2 * reach + 1), ends[cheap], 1, 0
        step[zero] = 0
        while end[n] < reach:
            width = _width(cheap, n, width)
            end[n + 1] = end[n] + width
            n += 1
            for d in range(end[n - 1] + 1, min(end[n], reach) + 1):
                step[zero + d], step[zero - d] = n, -n
    widest = 1
    for k in range(expected.size):
        low, high = shortest[k], longest[k]
        cheap = int(steep[k] < _CHEAP)
        middle, end = min(max(expected[k], low), high), ends[cheap]
        shift = shifts[k] = reach + cheap * (2 * reach + 1) - middle
        below, above = -step[shift + low], step[shift + high]
        edge[k, 0] = low
        for i in range(1, below + 1):
            edge[k, i] = middle - end[below - i]
        for i in range(above):
            edge[k, below + 1 + i] = middle + 1 + end[i]
        edge[k, below + above + 1] = high + 1
        n = n_bins[k] = below + above + 1
        belows[k] = below
        for i in (0, 1, n - 2, n - 1):  # the last of either side may be cut short
            if 0 <= i < n:
                widest = max(widest, edge[k, i + 1] - edge[k, i])
    return widest
