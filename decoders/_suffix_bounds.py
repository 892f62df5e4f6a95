"""Bounds of second-order scores, where the length before is known by bin.

With the bins of every event fixed (`align.decoders._length_bins`), ``R_k(b, t)`` is at least the
score of all that follows onset k at frame t, its own score and the change of length included,
where the length of event k - 1 is any of bin b::

    R_k(b, t) = onset[k, t] + max { cost_k(b, B) + X_k(B, t) : bins B of event k }
    X_k(B, t) = max { duration[row_k, d] + R_{k+1}(B, t + d) : d in B }

and ``R_K(b, T) = 0``. ``cost_k(b, B)`` is at least the ratio term of all lengths d' of b and d of
B. For concave terms, with ``alpha**2 = -a`` and ``beta**2 = -b``, it is ::

    a d**2 + b d'**2 + c d' d = -(alpha d - beta d')**2 - (2 alpha beta - c) d' d

which is greatest where the intervals ``alpha B`` and ``beta b`` are nearest and both lengths are
least.

Unlike bounds that leave the ratio terms out, these lose little for each event, and are of use on
pieces of a thousand.

What is kept is by how much each bound falls short of a score that no path from onset k on exceeds,
in whole numbers of 16 bits: four times as many in a vector as float64, in a fourth of the memory.
Each number that is added is cut to a whole one, and sums stop at `MOST`, so that nothing is ever
taken from a bound. Costs are found in single precision, and what that may add to them is taken off
again. What all this loosens a bound by is little more than one unit for each number, of which
there are two or three for each event; `Bounds.unit` says how small a unit is. Once they have
bounded what comes before, the bounds of each bin are kept in 8 bits, and those of all bins
together in 16.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._first_order import Tables
from align.decoders._length_bins import Bins
from align.decoders._numba import compiled
from align.decoders._vectors import (
    FEW,
    LANES,
    MOST,
    ROWS,
    costs_of_bins,
    gaps_of_bins,
    least_of_bins,
    least_of_rows,
    least_sums,
    lowest,
)
from align.types import IntArray

__all__ = ["Bounds", "n_bounds", "n_scratch", "suffix_bounds"]

_at = np.uintp  # where a place may be negative, numba counts from the end: some instructions each
_HUGE = 1e18  # the square of what is greater may be infinite in single precision
_ROUNDED = 2.0**-21  # more than rounding to single precision takes from a cost or adds to it

_Row = npt.NDArray[np.uint16]
_Float64 = npt.NDArray[np.float64]


class Bounds(NamedTuple):
    """What `suffix_bounds` fills.

    Attributes
    ----------
    shortfall : np.ndarray [dtype=uint16]
        By how much the bound of onset k at frame ``first[k] + i`` after any length is less than
        ``base[k]``, at ``offset[k] + i``. Onset 0 has none.
    by_bin : np.ndarray [dtype=uint8]
        The same after a length of bin b, cut to a number times `COARSE`, 255 at most, at
        ``bin_offset[k] + b n + i``, where n is the number of frames of onset k, rounded up to
        `LANES`. Onset 0 and the end have none.
    offset, bin_offset : np.ndarray [shape=(K + 2,), dtype=intp]
    base, greatest : np.ndarray [shape=(K + 1,), dtype=float64]
        In the same unit; the latter is the greatest bound of all.
    unit : float
        What scores are multiplied by.
    """

    shortfall: _Row
    by_bin: npt.NDArray[np.uint8]
    offset: IntArray
    bin_offset: IntArray
    base: _Float64
    greatest: _Float64
    unit: float


@compiled()
def n_bounds(first: IntArray, last: IntArray, bins: Bins) -> IntArray:
    """Return where the bounds of each onset begin, and their number [shape=(2, K + 2)].

    Those of any length, and those of each bin.
    """
    n_events = bins.n_bins.size
    offset = np.zeros((2, n_events + 2), dtype=np.intp)
    for k in range(1, n_events):
        n_frames = (last[k] - first[k] + LANES) // LANES * LANES
        n_rows = (bins.n_bins[k - 1] + ROWS - 1) // ROWS * ROWS
        offset[0, k + 1] = offset[0, k] + n_frames
        offset[1, k + 1] = offset[1, k] + n_frames * n_rows
    offset[0, n_events + 1] = offset[0, n_events] + LANES
    offset[1, n_events + 1] = offset[1, n_events]
    return offset


class _Rows(NamedTuple):
    """Rows of frames in one array: where they begin, and what is before and after them.

    Attributes
    ----------
    shortfall : np.ndarray [dtype=uint16]
    stride : int
        From one row to the next.
    pad : int
        `MOST` on either side of each row.
    spread, steps, onset : int
        Where X begins, what it is made from, and the scores of an onset. R of two events is
        before them.
    """

    shortfall: _Row
    stride: int
    pad: int
    spread: int
    steps: int
    onset: int


def n_scratch(widest: int, widest_window: int, most: int) -> int:
    """Return how many numbers `suffix_bounds` needs room for.

    Parameters
    ----------
    widest : int
        Lengths in the widest bin.
    widest_window : int
        Frames the least certain onset can take.
    most : int
        Columns of ``Bins.edge``.
    """
    return _stride(widest_window, widest)[1] * (3 * most + 2 * ROWS + 3)


@compiled()
def suffix_bounds(
    tables: Tables,
    roots: _Float64,
    bins: Bins,
    widest: int,
    top: _Float64,
    bounds: Bounds,
    scratch: _Row,
) -> float:
    """Fill the bounds, last event first; return a score that no path exceeds.

    It is -inf where no path has a finite score, or numbers are too large. `roots` are alpha, beta
    and ``2 alpha beta - c`` of each event, `top` is the greatest score of each onset, and
    `scratch` has room for `n_scratch` numbers.
    """
    first, last = tables.windows.first, tables.windows.last
    # arrays taken out of tuples are counted: once here, not in the loops
    edge, n_bins = bins.edge, bins.n_bins
    of_all, by_bin, offset, bin_offset, bases, greatest, unit = bounds
    all_alpha, all_beta, all_rest = roots
    root = np.sqrt(unit)  # of costs, which are squares
    longest_of_all = float(np.max(tables.windows.longest))
    if not root * max(np.max(all_alpha), np.max(all_beta)) * longest_of_all < _HUGE:
        return -np.inf
    flat = tables.flat
    n_events, most = edge.shape
    rows = _lay_out(scratch, np.max(last - first) + 1, widest, most)
    shortfall, pad, stride = rows.shortfall, rows.pad, rows.stride
    at = np.empty(most, dtype=np.intp)  # rows that are read
    add = np.empty(ROWS * (most + ROWS), dtype=np.uint32)
    low, high, least = np.zeros((3, most + ROWS), dtype=np.float32)
    below, above, slope = np.empty((3, most + ROWS), dtype=np.float32)  # of bins before
    parts, lengths = np.empty(widest + 4, dtype=np.intp), np.empty(widest, dtype=np.uint32)
    now = 0  # which of two tables holds R_{k+1}
    filled = np.zeros(2, dtype=np.intp)  # frames of them that are not `MOST`
    of_all[offset[n_events] : offset[n_events + 1]] = MOST
    of_all[offset[n_events]] = 0
    for b in range(n_bins[n_events - 1]):
        shortfall[b * stride + pad] = 0
    filled[0] = LANES
    bases[n_events] = greatest[n_events] = base = top_length = 0.0
    less = 0  # the least of R_{k+1}
    n_alive = 0
    for k in range(n_events - 1, -1, -1):
        alpha, beta, rest = all_alpha[k], all_beta[k], all_rest[k]
        top_length = 0.0 if flat else _top_length(tables, k)
        if top[k] == -np.inf or top_length == -np.inf:
            return -np.inf
        source = now * (most + ROWS) * stride + pad
        first_alive, n_alive = _spread(
            tables, k, edge[k], n_bins[k], rows, source, top_length, unit, at, parts, lengths
        )
        if n_alive == 0:
            return -np.inf
        if k == 0:
            break
        edges = edge[k, first_alive : first_alive + n_alive + 1]
        for i in range(n_alive):
            low[i], high[i] = root * alpha * edges[i], root * alpha * (edges[_at(i + 1)] - 1)
            least[i] = edges[i]
        _fill_onset(tables, k, top[k], less, unit, rows)
        # a change that all paths must make is no shortfall
        n_before = n_bins[k - 1]
        edges_before = edge[k - 1, : n_before + 1]
        least_before, most_before = edges_before[0], edges_before[n_before] - 1
        least_here, most_here = edges[0], edges[n_alive] - 1
        change = max(
            root * (alpha * least_here - beta * most_before),
            root * (beta * least_before - alpha * most_here),
            0.0,
        )
        needed = change * change + unit * rest * least_before * least_here
        # what single precision rounds is taken from each gap, and from each cost
        less_sure = needed + _ROUNDED * (MOST + needed)
        unsure = _ROUNDED * root * max(alpha * most_here, beta * most_before)
        far = np.sqrt(MOST + less_sure) + 1.0 + unsure  # a gap that costs more than can be told
        base += (top[k] + top_length) * unit - less - needed
        bases[k] = base
        then = 1 - now
        n = (last[k] - first[k] + LANES) // LANES * LANES
        to, place = then * (most + ROWS) * stride + pad, bin_offset[k]
        of_all[offset[k] : offset[k] + n] = MOST
        n_blocks, few = n // LANES, 0
        if last[k] - first[k] < n - LANES + FEW:  # few frames in the last block
            n_blocks, few = n_blocks - 1, 1
        n_filled = n_blocks * LANES + few * FEW
        for b in range(n_before):
            below[b] = root * beta * edges_before[b] - unsure
            above[b] = root * beta * (edges_before[_at(b + 1)] - 1) + unsure
            slope[b] = unit * rest * edges_before[b]
        for b in range(n_before, (n_before + ROWS - 1) // ROWS * ROWS):  # the last one again
            below[b], above[b], slope[b] = below[b - 1], above[b - 1], slope[b - 1]
        begin = end = 0
        for b in range(0, n_before, ROWS):
            # bins too far away add nothing: those that are near come one after the other
            while begin < n_alive - 1 and not high[begin] > below[b] - far:
                begin += 1
            reach = above[b + ROWS - 1] + far
            end = max(end, begin + 1) if low[n_alive - 1] > reach else n_alive
            while end < n_alive and not low[end] > reach:
                end += 1
            n_near = end - begin
            if rest > 0.0:
                costs_of_bins(
                    low, high, least, begin, n_near, below, above, slope, b, less_sure, add
                )
            else:
                gaps_of_bins(
                    low, high, least, begin, n_near, below, above, slope, b, less_sure, add
                )
            least_of_bins(
                shortfall, at, begin, add, n_near, rows.onset, to + b * stride, stride, by_bin,
                place + b * n, n, of_all, offset[k], n_blocks, few,
            )  # fmt: skip
        if filled[then] > n_filled:
            for b in range(n_before):
                row = to + b * stride
                shortfall[row + n_filled : row + filled[then]] = MOST
        filled[then] = max(filled[then], n_filled)
        less, now = lowest(of_all, offset[k], n // LANES), then
        greatest[k] = base - less
    n = last[0] - first[0] + 1
    least_of_rows(shortfall, at, n_alive, shortfall, rows.steps, (n + LANES - 1) // LANES)
    _fill_onset(tables, 0, top[0], 0, unit, rows)
    found = 2 * MOST
    for i in range(n):
        found = min(found, int(shortfall[rows.steps + i]) + int(shortfall[rows.onset + i]))
    return float((base + (top[0] + top_length) * unit - found) / unit)


@compiled()
def _stride(n_frames: int, widest: int) -> tuple[int, int]:
    """Return what is before and after each row, and how far it is to the next."""
    room = (n_frames + LANES - 1) // LANES * LANES
    pad = room + (widest + LANES - 1) // LANES * LANES
    return pad, pad + room + pad + LANES  # rows begin in different sets of the cache


@compiled()
def _lay_out(scratch: _Row, n_frames: int, widest: int, most: int) -> _Rows:
    """Cut the scratch into rows that hold `MOST`."""
    pad, stride = _stride(n_frames, widest)
    spread = 2 * (most + ROWS) * stride
    steps = spread + most * stride
    scratch[: steps + 3 * stride] = MOST
    return _Rows(scratch, stride, pad, spread, steps, steps + 2 * stride)


@compiled()
def _top_length(tables: Tables, k: int) -> float:
    """Greatest score of a length of event k."""
    low, high = tables.windows.shortest[k], tables.windows.longest[k]
    return float(np.max(tables.duration[tables.row[k], low : high + 1]))


@compiled()
def _fill_onset(tables: Tables, k: int, top: float, less: int, unit: float, rows: _Rows) -> None:
    """Fill the row of the scores of onset k: by how much they are less than `top`, minus `less`.

    Modulo 2**16: what is added to it is at least `less`.
    """
    first, last = tables.windows.first[k], tables.windows.last[k]
    scores = tables.onset[k, first - tables.start[k] : last - tables.start[k] + 1]
    row = rows.shortfall[rows.onset : rows.onset + scores.size + LANES]
    for i in range(scores.size):
        shortfall = (top - scores[i]) * unit
        row[i] = np.int32(shortfall if shortfall < MOST else MOST) - less
    row[scores.size :] = MOST - less


@compiled()
def _spread(
    tables: Tables,
    k: int,
    edge: IntArray,
    n_bins: int,
    rows: _Rows,
    table: int,
    top: float,
    unit: float,
    at: IntArray,
    parts: IntArray,
    lengths: npt.NDArray[np.uint32],
) -> tuple[int, int]:
    """Fill X of event k from the R of the next onset, whose first row begins at `table`.

    Returns the first bin that leads to a frame of that onset, and the number of those that do: one
    after the other. X of them is `at`, which for a single length that scores nothing is R itself.
    All bins are done in one call, as calls with arrays are slow.
    """
    first, last = tables.windows.first, tables.windows.last
    duration = tables.duration[tables.row[k]]
    shortfall, flat, stride = rows.shortfall, tables.flat, rows.stride
    n, n_next = last[k] - first[k] + 1, last[k + 1] - first[k + 1] + 1
    ahead = first[k + 1] - first[k]
    whole = (n + LANES - 1) // LANES * LANES
    first_alive = n_alive = 0
    for b in range(n_bins):
        shortest, width = edge[_at(b)], edge[_at(b + 1)] - edge[_at(b)]
        shift = shortest - ahead
        low, end = max(0, 1 - shift - width), min(n, n_next - shift)
        if low >= end:
            continue
        if n_alive == 0:
            first_alive = b
        source = table + b * stride + shift
        to = rows.spread + b * stride
        single = flat and width == 1
        at[_at(n_alive)] = source if single else to
        n_alive += 1
        if single:
            continue
        begin = low // LANES * LANES  # before, no next onset is reached
        source += begin
        blocks = (end - begin + LANES - 1) // LANES
        if not flat:
            for i in range(width):
                parts[_at(i)] = source + i
                less = (top - duration[shortest + i]) * unit
                lengths[_at(i)] = np.int32(less if less < MOST else MOST) * 65537
            least_sums(shortfall, parts, lengths, width, to + begin, blocks)
        else:  # the least of `width` neighbours, from those of ever more
            reach, step = 1, rows.steps
            while 8 * reach < width:
                for j in range(4):
                    parts[_at(j)] = source + j * reach
                needed = blocks * LANES + width - 4 * reach
                n_blocks = (needed + LANES - 1) // LANES
                least_of_rows(shortfall, parts, 4, shortfall, step, n_blocks)
                source, step = step, 2 * rows.steps + stride - step
                reach *= 4
            n_parts, part = 1, 0
            parts[0] = source
            while part < width - reach:
                part = min(part + reach, width - reach)
                parts[_at(n_parts)] = source + part
                n_parts += 1
            least_of_rows(shortfall, parts, n_parts, shortfall, to + begin, blocks)
        stop = begin + blocks * LANES
        if begin > 0:
            shortfall[to : to + begin] = MOST
        if stop < whole:
            shortfall[to + stop : to + whole] = MOST
    return first_alive, n_alive
