"""Bounds of second-order scores: lengths are cut into bins, and the length before is known by bin.

With the bins of every event fixed, ``R_k(b, t)`` is at least the score of all that follows onset k
at frame t, its own score and the change of length included, where the length of event k - 1 is any
of bin b::

    R_k(b, t) = onset[k, t] + max { cost_k(b, B) + X_k(B, t) : bins B of event k }
    X_k(B, t) = max { duration[row_k, d] + R_{k+1}(B, t + d) : d in B }

and ``R_K(b, T) = 0``. ``cost_k(b, B)`` is at least the ratio term of all lengths d' of b and d of
B. For concave terms, with ``alpha**2 = -a`` and ``beta**2 = -b``, it is ::

    a d**2 + b d'**2 + c d' d = -(alpha d - beta d')**2 - (2 alpha beta - c) d' d

which is greatest where the intervals ``alpha B`` and ``beta b`` are nearest and both lengths are
least.

Bins are single lengths around the one that is expected and grow away from it, so that there are
few of them, and the bounds are tight where the best paths are. Unlike bounds that leave the ratio
terms out, these lose little for each event, and are of use on pieces of a thousand.

All is in float32: twice as many scores in a vector, and half the memory. From each row its
greatest score is taken, and kept in float64; what is rounded is at most `rounding` in all. The
scores of frames and lengths are taken less the greatest of each event, so that none is positive.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._first_order import Tables
from align.decoders._numba import compiled
from align.decoders._vectors import (
    LANES,
    TILE,
    costs_of_bins,
    max_plus,
    max_plus_pair,
    shorten_row,
)
from align.types import IntArray

__all__ = [
    "Bins",
    "Bounds",
    "cut_lengths",
    "expected_lengths",
    "most_bins",
    "n_bounds",
    "rounding",
    "suffix_bounds",
]

_CORE = 4  # bins of one length either side of the one expected
_GROWTH = 1.6  # of the bins beyond, each to the one before
_LEAST = -1e30  # finite scores stay finite in float32, even their sums

_Row = npt.NDArray[np.float32]
_Float64 = npt.NDArray[np.float64]


class Bins(NamedTuple):
    """Lengths of each event, cut into bins.

    Attributes
    ----------
    edge : np.ndarray [shape=(K, M + 1), dtype=intp]
        Bin i of event k holds the lengths ``edge[k, i] .. edge[k, i + 1] - 1``.
    n_bins : np.ndarray [shape=(K,), dtype=intp]
        Bins of each event.
    of : np.ndarray [shape=(K, L), dtype=uint8]
        Bin of each length, the shortest of the event first.
    """

    edge: IntArray
    n_bins: IntArray
    of: npt.NDArray[np.uint8]


class Bounds(NamedTuple):
    """What `suffix_bounds` fills.

    Attributes
    ----------
    score : np.ndarray [dtype=uint16]
        Bound of onset k at frame ``first[k] + i`` after a length of bin b, less ``base[k]``, at
        ``offset[k] + b n + i``, where n is the number of frames of onset k, rounded up to `LANES`;
        the upper halves of float32. One more bin has the greatest of all. The end has one only,
        and onset 0 has none.
    offset : np.ndarray [shape=(K + 2,), dtype=intp]
    base : np.ndarray [shape=(K + 1,), dtype=float64]
        In the same unit.
    unit : float
        What scores are multiplied by.
    """

    score: npt.NDArray[np.uint16]
    offset: IntArray
    base: _Float64
    unit: float


def most_bins(longest: int) -> int:
    """Return how many bins a table of lengths may need."""
    n, width, reach = 2 * _CORE + 1, 1.0, 0
    while reach < longest:
        width *= _GROWTH
        reach += int(width)
        n += 2
    return n


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


@compiled()
def cut_lengths(expected: IntArray, shortest: IntArray, longest: IntArray, bins: Bins) -> int:
    """Cut the lengths of each event around the one expected; return the width of the widest."""
    widest = 1
    for k in range(expected.size):
        low, high = shortest[k], longest[k]
        middle = min(max(expected[k], low), high)
        # downwards first: the edges are turned round at the end
        edge, n = bins.edge[k], 0
        at, width, i = middle, 1.0, 0
        while at > low:
            i += 1
            if i > _CORE:
                width *= _GROWTH
            at = max(low, at - int(width))
            edge[n] = at
            n += 1
        for i in range(n // 2):
            edge[i], edge[n - 1 - i] = edge[n - 1 - i], edge[i]
        at, width, i = middle, 1.0, 0
        while at <= high:
            edge[n] = at
            n += 1
            if i > _CORE:
                width *= _GROWTH
            i += 1
            at += int(width)
        edge[n] = high + 1
        bins.n_bins[k] = n
        for i in range(n):
            widest = max(widest, edge[i + 1] - edge[i])
            for d in range(edge[i], edge[i + 1]):
                bins.of[k, d - low] = i
    return widest


@compiled()
def n_bounds(first: IntArray, last: IntArray, bins: Bins) -> IntArray:
    """Return where the bounds of each onset begin, and their number [shape=(K + 2,)]."""
    n_events = bins.n_bins.size
    offset = np.zeros(n_events + 2, dtype=np.intp)
    for k in range(1, n_events):
        n_frames = (last[k] - first[k] + LANES) // LANES * LANES
        offset[k + 1] = offset[k] + n_frames * (bins.n_bins[k - 1] + 1)
    offset[n_events + 1] = offset[n_events] + LANES
    return offset


@compiled()
def rounding(n_events: int, span: float) -> float:
    """Bound what rounding takes from the bound of a path, in units of `Bounds.unit`.

    Parameters
    ----------
    n_events : int
    span : float
        How much less than the greatest scores of all frames and lengths the path scores.

    Notes
    -----
    Along the path no sum is below -span, none is positive, and at most six are rounded for each
    event.
    """
    return 6.0 * 2.0**-24 * (n_events + 2) * span * (1.0 + n_events * 2.0**-20)


class _Rows(NamedTuple):
    """Rows of frames in one array: where they begin, and what is before and after them.

    Attributes
    ----------
    score : np.ndarray [dtype=float32]
    stride : int
        From one row to the next.
    pad : int
        Scores of -inf on either side of each row.
    spread, steps, onset, none : int
        Where X begins, what it is made from, the scores of an onset and a row of zeros. R of two
        events is before them.
    """

    score: _Row
    stride: int
    pad: int
    spread: int
    steps: int
    onset: int
    none: int


def n_scratch(widest: int, widest_window: int, most: int) -> int:
    """Return how many scores `suffix_bounds` needs room for.

    Parameters
    ----------
    widest : int
        Lengths in the widest bin.
    widest_window : int
        Frames the least certain onset can take.
    most : int
        Columns of ``Bins.edge``.
    """
    return (2 * widest + widest_window + 8 * LANES) * (3 * most + 4)


@compiled()
def suffix_bounds(
    tables: Tables,
    terms: tuple[_Float64, _Float64, _Float64],
    bins: Bins,
    widest: int,
    top: _Float64,
    bounds: Bounds,
    scratch: _Row,
) -> bool:
    """Fill the bounds, last event first; False where no path has a finite score.

    `terms` are alpha, beta and ``2 alpha beta - c`` of each event, `top` is at least the greatest
    score of each onset, and `scratch` has room for `n_scratch` scores.
    """
    first, last = tables.windows.first, tables.windows.last
    # arrays taken out of tuples are counted: once here, not in the loops
    edge, n_bins = bins.edge, bins.n_bins
    bound, offset, bases, unit = bounds
    all_alpha, all_beta, all_rest = terms
    n_events, most = edge.shape
    rows = _lay_out(scratch, np.max(last - first) + 1, widest, most)
    score, pad, stride = rows.score, rows.pad, rows.stride
    none = np.zeros(most + 4, dtype=np.float32)
    at = np.empty(2 * most + widest, dtype=np.intp)  # rows that are read; bins
    second = most + TILE
    add = np.empty(max(2 * second, widest), dtype=np.float32)
    low, high, least = np.full((3, most + TILE), 0.0)
    now = 0  # which of two tables holds R_{k+1}
    filled = np.zeros(2, dtype=np.intp)  # frames of them that are not -inf
    for b in range(n_bins[n_events - 1]):
        score[b * stride + pad] = 0.0
    filled[0] = LANES
    shorten_row(score, pad, bound, int(offset[n_events]), 1)
    bases[n_events] = base = 0.0
    greatest = np.float32(0.0)
    for k in range(n_events - 1, 0, -1):
        alpha, beta, rest = all_alpha[k], all_beta[k], all_rest[k]
        root = np.sqrt(unit)  # of costs, which are squares
        top_length = _top_length(tables, k)
        if top[k] == -np.inf or top_length == -np.inf:
            return False
        table = now * most * stride
        n_alive = _spread(tables, k, bins, rows, table, top_length, unit, at, add, none)
        if n_alive == 0:
            return False
        for i in range(n_alive):
            b = at[most + widest + i]
            at[i] = rows.spread + b * stride
            low[i] = root * alpha * edge[k, b]
            high[i] = root * alpha * (edge[k, b + 1] - 1)
            least[i] = edge[k, b]
        _fill_onset(tables, k, top[k], unit, rows)
        base += greatest + (top[k] + top_length) * unit
        bases[k] = base
        then = 1 - now
        n = (last[k] - first[k] + LANES) // LANES * LANES
        next_greatest = np.float32(-np.inf)
        for b in range(0, n_bins[k - 1], 2):
            for i in range(2):  # the last one twice where they are odd
                j = min(b + i, n_bins[k - 1] - 1)
                shortest, longest = edge[k - 1, j], edge[k - 1, j + 1] - 1
                costs_of_bins(
                    low, high, least, n_alive, root * beta * shortest, root * beta * longest,
                    unit * rest * shortest, float(greatest), add, i * second,
                )  # fmt: skip
            to = (then * most + b) * stride + pad
            then_to = to + stride if b + 1 < n_bins[k - 1] else rows.steps
            found = max_plus_pair(
                score, at, add, second, n_alive, rows.onset, to, then_to, n // LANES
            )
            next_greatest = max(next_greatest, found)
            for j in range(b, min(b + 2, n_bins[k - 1])):
                if filled[then] > n:
                    score[to + n : to + filled[then]] = -np.inf
                shorten_row(score, to, bound, offset[k] + j * n, n // LANES)
                to = then_to
        filled[then] = max(filled[then], n)
        for b in range(n_bins[k - 1]):
            at[b] = (then * most + b) * stride + pad
        max_plus(score, at, none, n_bins[k - 1], rows.none, rows.steps, n // LANES)
        place = offset[k] + n_bins[k - 1] * n
        shorten_row(score, rows.steps, bound, place, n // LANES)
        if next_greatest == -np.inf:
            return False
        greatest, now = next_greatest, then
    return True


@compiled()
def _lay_out(scratch: _Row, n_frames: int, widest: int, most: int) -> _Rows:
    """Cut the scratch into rows that hold -inf, and one that holds zeros."""
    room = (n_frames + LANES - 1) // LANES * LANES
    pad = (widest + 3 * LANES) // LANES * LANES
    stride = pad + room + pad + LANES // 2  # rows begin in different sets of the cache
    scratch[: stride * (3 * most + 4)] = -np.inf
    spread, steps = 2 * most * stride, 3 * most * stride
    onset, none = steps + 2 * stride, steps + 3 * stride
    scratch[none : none + stride] = 0.0
    return _Rows(scratch, stride, pad, spread, steps, onset, none)


@compiled()
def _top_length(tables: Tables, k: int) -> float:
    """Greatest score of a length of event k."""
    if tables.flat:
        return 0.0
    low, high = tables.windows.shortest[k], tables.windows.longest[k]
    return float(np.max(tables.duration[tables.row[k], low : high + 1]))


@compiled()
def _fill_onset(tables: Tables, k: int, top: float, unit: float, rows: _Rows) -> None:
    """Fill the row of the scores of onset k, less `top`."""
    first, last = tables.windows.first[k], tables.windows.last[k]
    scores = tables.onset[k, first - tables.start[k] : last - tables.start[k] + 1]
    row = rows.score[rows.onset : rows.onset + scores.size]
    for i in range(scores.size):
        score = (scores[i] - top) * unit
        score = score if score > _LEAST else _LEAST
        row[i] = score if scores[i] > -np.inf else -np.inf
    end = rows.onset + (scores.size + LANES - 1) // LANES * LANES
    rows.score[rows.onset + scores.size : end] = -np.inf


@compiled()
def _spread(
    tables: Tables,
    k: int,
    bins: Bins,
    rows: _Rows,
    table: int,
    top: float,
    unit: float,
    at: IntArray,
    add: _Row,
    none: _Row,
) -> int:
    """Fill X of event k from the R of the next onset, which begins at `table`.

    Puts the bins whose row is not all -inf in the last places of `at`, as many as a row of edges
    has; returns their number. All bins are done in one call, as calls with arrays are slow.
    """
    first, last = tables.windows.first, tables.windows.last
    duration = tables.duration[tables.row[k]]
    edge, score, flat = bins.edge, rows.score, tables.flat
    here = at.size - edge.shape[1]
    n, n_next = last[k] - first[k] + 1, last[k + 1] - first[k + 1] + 1
    whole = (n + LANES - 1) // LANES * LANES
    n_alive = 0
    for b in range(bins.n_bins[k]):
        shortest, width = edge[k, b], edge[k, b + 1] - edge[k, b]
        shift = first[k] - first[k + 1] + shortest
        begin = max(0, -shift - width + 1) // LANES * LANES  # before, no next onset is reached
        end = min(n, n_next - shift)
        if begin >= end:
            continue
        source = table + b * rows.stride + rows.pad + shift + begin
        to = rows.spread + b * rows.stride
        blocks = (end - begin + LANES - 1) // LANES
        if not flat:
            for i in range(width):
                at[i] = source + i
                cost = (duration[shortest + i] - top) * unit
                cost = cost if cost > _LEAST else _LEAST
                add[i] = cost if duration[shortest + i] > -np.inf else -np.inf
            max_plus(score, at, add, width, rows.none, to + begin, blocks)
        else:  # the greatest of `width` neighbours, from those of ever more
            reach, step = 1, rows.steps
            while 4 * reach < width:
                for j in range(4):
                    at[j] = source + j * reach
                needed = blocks * LANES + width - 4 * reach
                max_plus(score, at, none, 4, rows.none, step, (needed + LANES - 1) // LANES)
                source, step = step, 2 * rows.steps + rows.stride - step
                reach *= 4
            n_parts, part = 1, 0
            at[0] = source
            while part < width - reach:
                part = min(part + reach, width - reach)
                at[n_parts] = source + part
                n_parts += 1
            max_plus(score, at, none, n_parts, rows.none, to + begin, blocks)
        stop = begin + blocks * LANES
        if begin > 0:
            score[to : to + begin] = -np.inf
        if stop < whole:
            score[to + stop : to + whole] = -np.inf
        at[here + n_alive] = b
        n_alive += 1
    return n_alive
