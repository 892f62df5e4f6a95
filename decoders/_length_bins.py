"""Lengths cut into bins: single ones around the length that is expected, wider ones beyond.

So there are few of them, and bounds that know lengths by bin (`align.decoders._suffix_bounds`) are
tight where the best paths are. Bins grow sooner where changes of length cost little, and later
where the windows of the onsets are so wide that the best length may be far from the one expected.

What follows an event is bounded for fewer lengths still, those of a few knots; between two of them
a line tells the bound. Far from the length expected, and where changes are so dear that a line is
too far above, all lengths of a bin are bounded together. Each knot, or bin, has a row of bounds.
"""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._windows import Windows
from align.types import IntArray

__all__ = [
    "APART",
    "BOW",
    "NEAR",
    "Bins",
    "bytes_of_bins",
    "cut_lengths",
    "expected_lengths",
    "no_bins",
]

# roots of what a change by one frame costs, in spreads of the scores of one onset
_LIMITS = (0.007, 0.0195, 0.035, 0.056, 0.098)
# how many frames from the one expected lengths may be, from which on each of the first kinds has
# more bins, if there are many lengths
_FAR = (40, 70, 70)
_MANY = 70
_WIDTHS: tuple[tuple[int, ...], ...] = (  # of bins either side of the middle
    # where a change costs less than each limit, or more; the third has more bins only below
    (1, 1, *4 * (2,), 3, 3, 4, 5, 7, 10, 20),
    (*4 * (1,), *6 * (2,), *5 * (3,), 4, 6, 10, 10, 40),
    (*12 * (1,), *4 * (2,), 3, 4, 5, 10, 20),
    (*12 * (1,), *4 * (2,), 3, 4, 5, 10, 20),
    (*12 * (1,), *4 * (2,), 3, 4, 5, 10, 20),
    (*8 * (1,), 2, 2, 3, 5, 10),
    # below each of the first limits, where lengths may be far from the one expected
    (*10 * (1,), *6 * (2,), 3, 3, 4, 5, 5, 7, 7, 8, 8, 9, 9, *4 * (10,), 16, 18, 20, 22, 25, 28,
     30, 35, 40),
    (*25 * (1,), *3 * (2,), 3, 3, 4, *4 * (5,), 6, 6, 7, 7, 8, 8, 10, 10, 14, 16, 18, 20, 24, 26,
     30, 34),
    (*20 * (1,), *6 * (2,), 5, 5, 10),
)  # fmt: skip
_GROWTH = 2  # of bins beyond, each to the one before
_KNOTS = (  # frames from the middle, where some bins end; there are none where a line is too high
    (0, 6, 16, 32, 62),
    (0, 4, 10, 16, 22, 31, 41, 61),
    (0, 4, 8, 12, 20, 32),
    (0, 4, 8, 12, 20, 32),
    (0, 2, 4, 6, 8, 10, 14, 20),
    (0,),
    (0, 6, 16, 32, 56, 90, 130, 184, 259, 364),
    (0, 4, 10, 16, 22, 31, 41, 61, 87, 123, 171, 241),
    (0, 4, 8, 12, 20, 32),
)

_at = np.uintp  # where a place may be negative, numba counts from the end: some instructions each

_Float64 = npt.NDArray[np.float64]
_Shorts = npt.NDArray[np.int16]


def _between_knots() -> npt.NDArray[np.float64]:
    """Return how far lengths are from the knots either side [shape=(2, kinds, 2 NEAR + 1)]."""
    near = max(knots[-1] for knots in _KNOTS)
    apart = np.zeros((2, len(_KNOTS), 2 * near + 1))
    for kind, knots in enumerate(_KNOTS):
        for low, high in pairwise(knots):
            for d in range(low + 1, high + 1):
                apart[:, kind, near + d] = d - low, high - d
                apart[:, kind, near - d] = high - d, d - low
    return apart


APART = _between_knots()
"""Frames from each length to the knots below and above; 0 where there are none.

Of shape (2, kinds, 2 NEAR + 1): that of the length d frames above the middle is at ``NEAR + d``.
"""
NEAR = APART.shape[2] // 2
"""Frames from the middle to the last knot, at most."""
BOW = APART[0] * APART[1]
"""The product of its distances from both, in squared frames; as `APART`."""


class Bins(NamedTuple):
    """Lengths of each event, cut into bins, and the rows of bounds that they are between.

    Few arrays, as each takes a fraction of a microsecond to be given to compiled code.

    Attributes
    ----------
    lengths : np.ndarray [shape=(4, K, M + 1), dtype=intp]
        Edges: bin i of event k holds the lengths ``edge[k, i] .. edge[k, i + 1] - 1``. Codes of
        bins: twice the row of their lengths, or that plus one where they lie between that row and
        the next, both knots. The first and the last length of each row, the same for a knot.
    counts : np.ndarray [shape=(5, K), dtype=intp]
        How many bins and rows each event has, the length in the middle of its bins, the rows below
        that, and the kind of bins.
    of_length : np.ndarray [shape=(3, kinds, 2 L + 1), dtype=int16]
        For each kind, at L + d, the bin, the code and the row of the length d frames above the
        middle, counted from those of the middle. The row is the lower one, where it is between
        two.
    between : np.ndarray [shape=(kinds, 2 L + 1, 2), dtype=float64]
        At the same place, how far the length is from that row to the next, from 0 to 1, and the
        product of its distances from both, in squared frames. Both are 0 for lengths on a row.
    about : np.ndarray [shape=(3, kinds, 2 N + 2), dtype=intp]
        For each kind, at N + i, where bin i begins, and the first and the last length of row i,
        counted from the middle.
    """

    lengths: IntArray
    counts: IntArray
    of_length: _Shorts
    between: _Float64
    about: IntArray


@lru_cache(maxsize=32)
def _ends(reach: int) -> list[list[int]]:
    """Return where the bins of each kind end either side of the middle, the first there.

    All bins that knots are about, and as many more as it takes to reach so far.
    """
    sides = []
    for widths, knots in zip(_WIDTHS, _KNOTS, strict=True):
        ends, width = [0], 1
        while ends[-1] < max(reach, knots[-1]):
            n = len(ends) - 1
            width = widths[n] if n < len(widths) else _GROWTH * width
            ends.append(ends[-1] + width)
        sides.append(ends)
    return sides


@lru_cache(maxsize=32)
def _n_about(reach: int) -> int:
    """Return how many bins `Bins.about` has room for."""
    return 2 * max(len(ends) for ends in _ends(reach)) + 2


@lru_cache(maxsize=8)
def _kinds(reach: int) -> tuple[_Shorts, _Float64, IntArray]:
    """Return what `Bins` has of each kind, for lengths at most `reach` frames from the middle."""
    sides = _ends(reach)
    n_kinds, most = len(sides), _n_about(reach) // 2 - 1
    bin_of, code, row_of = of_length = np.zeros((3, n_kinds, 2 * reach + 1), dtype=np.int16)
    edge, low, high = about = np.zeros((3, n_kinds, _n_about(reach)), dtype=np.intp)
    for kind, ends in enumerate(sides):
        knots, row = _KNOTS[kind], 0
        for i in range(1, len(ends)):
            begin, end = ends[i - 1] + 1, ends[i]
            edge[kind, most + i], edge[kind, most - i] = begin, -end
            near, ends_row = end <= knots[-1], end in knots or end > knots[-1]
            up = slice(reach + begin, reach + min(end, reach) + 1)
            down = slice(reach - min(end, reach), max(0, reach - begin + 1))
            bin_of[kind, up], bin_of[kind, down] = i, -i
            whole = int(not near)
            code[kind, up], code[kind, down] = 2 * row + 1 + whole, -2 * row - 1 - whole
            if ends_row:
                row += 1
                if near and end <= reach:  # a knot
                    code[kind, reach + end], code[kind, reach - end] = 2 * row, -2 * row
                begin = end if near else begin
                low[kind, most + row], high[kind, most + row] = begin, end
                low[kind, most - row], high[kind, most - row] = -end, -begin
    row_of[:] = code >> 1
    between = np.zeros((n_kinds, 2 * reach + 1, 2))
    near = min(reach, NEAR)
    here, there = slice(reach - near, reach + near + 1), slice(NEAR - near, NEAR + near + 1)
    below, above = APART[:, :, there] * (code[:, here] % 2)
    between[:, here, 0] = below / np.maximum(below + above, 1.0)
    between[:, here, 1] = below * above
    return of_length, between, about


@compiled()
def expected_lengths(first: IntArray, last: IntArray, alpha: _Float64, beta: _Float64) -> IntArray:
    """Return the lengths that the middles of the windows tell, evened out over neighbours.

    A change of length costs nothing where ``alpha[k] d_k`` is ``beta[k] d_{k-1}``: each length is
    that part of what its event and its neighbours last together that costs nothing.
    """
    n_events = alpha.size
    length = np.empty(n_events)
    for k in range(n_events):  # np.diff takes two seconds to compile
        length[k] = (first[k + 1] + last[k + 1] - first[k] - last[k]) / 2.0
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
    reach = _reach(n_lengths)
    n_about = _n_about(reach)
    of_kinds = len(_WIDTHS) * (22 * (2 * reach + 1) + 24 * n_about)
    return 8 * n_events * (4 * min(n_about, n_lengths + 2) + 5) + of_kinds


def no_bins(n_events: int, n_lengths: int) -> Bins:
    """Return room for the bins of events that have at most `n_lengths` lengths."""
    of_length, between, about = _kinds(_reach(n_lengths))
    lengths = np.empty((4, n_events, min(about.shape[2], n_lengths + 2)), dtype=np.intp)
    return Bins(lengths, np.empty((5, n_events), dtype=np.intp), of_length, between, about)


def _reach(n_lengths: int) -> int:
    """Return a power of two that is not less: tables are kept, and few of them are enough."""
    return 1 << max(0, int(n_lengths) - 1).bit_length()


@compiled()
def cut_lengths(
    expected: IntArray, steep: _Float64, windows: Windows, more: bool, bins: Bins
) -> tuple[int, int]:
    """Cut the lengths of each event around the one expected.

    Returns the width of the widest bin, and how many bins the event has that has most.

    `steep` is the root of what a change by one frame costs, in the unit of `_LIMITS`. All events
    of one kind have the same bins about the length expected; the first and the last bin end where
    the lengths do, but knots may be beyond. Lengths may be as far from the one expected as an
    onset from the middle of its window; `more` is whether those far from it may have more bins.
    """
    edge, code, low, high = bins.lengths[0], bins.lengths[1], bins.lengths[2], bins.lengths[3]
    counts, about = bins.counts, bins.about
    bin_at, code_at = bins.of_length[0], bins.of_length[1]
    reach, most = bin_at.shape[1] // 2, about.shape[2] // 2 - 1
    n_frames = windows.last - windows.first
    widest = n_most = 1
    for k in range(expected.size):
        first, last = windows.shortest[k], windows.longest[k]
        kind = 0
        while kind < len(_LIMITS) and steep[k] > _LIMITS[kind]:
            kind += 1
        far = (n_frames[k] + n_frames[k + 1]) // 4
        if more and kind < len(_FAR) and far >= _FAR[kind] and last - first >= _MANY:
            kind += len(_LIMITS) + 1
        middle = min(max(expected[k], first), last)
        zero = reach - middle
        n_below, n_above = -int(bin_at[kind, zero + first]), int(bin_at[kind, zero + last])
        below = -(int(code_at[kind, zero + first]) // 2)
        n = n_below + n_above + 1
        m = below + (int(code_at[kind, zero + last]) + 1) // 2 + 1
        counts[0, k], counts[1, k], counts[2, k], counts[3, k] = n, m, middle, below
        counts[4, k] = kind
        n_most = max(n_most, n)
        event, begin = _at(k), most - n_below
        for i in range(n):
            edge[event, _at(i)] = middle + about[0, kind, _at(begin + i)]
        edge[k, 0], edge[k, n] = first, last + 1
        for i in range(n_below):  # of the length that is nearest the middle
            d = edge[event, _at(i + 1)] - 1
            code[event, _at(i)] = 2 * below + code_at[kind, _at(zero + d)]
        for i in range(n_below, n):
            code[event, _at(i)] = 2 * below + code_at[kind, _at(zero + edge[event, _at(i)])]
        begin = most - below
        for r in range(m):
            low[event, _at(r)] = middle + about[1, kind, _at(begin + r)]
            high[event, _at(r)] = middle + about[2, kind, _at(begin + r)]
        if low[k, 0] < high[k, 0]:
            low[k, 0] = first
        if low[k, m - 1] < high[k, m - 1]:
            high[k, m - 1] = last
        for i in (0, 1, n - 2, n - 1):  # the last of either side may be cut short
            if 0 <= i < n:
                widest = max(widest, edge[k, i + 1] - edge[k, i])
    return widest, n_most
