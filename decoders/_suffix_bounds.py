"""Bounds of second-order scores, where the length before is known by row.

With the bins and rows of every event fixed (`align.decoders._length_bins`), ``R_k(r, t)`` is at
least the score of all that follows onset k at frame t, its own score and the change of length
included, where the length of event k - 1 is any of row r::

    R_k(r, t) = onset[k, t] + max { cost_k(r, B) + X_k(B, t) : bins B of event k }
    X_k(B, t) = max { duration[row_k, d] + R_{k+1}(d, t + d) : d in B }

and ``R_K(d, T) = 0``. ``cost_k(r, B)`` is at least the ratio term of all lengths d' of r and d of
B. For concave terms, with ``alpha**2 = -a`` and ``beta**2 = -b``, it is ::

    a d**2 + b d'**2 + c d' d = -(alpha d - beta d')**2 - (2 alpha beta - c) d' d

which is greatest where the intervals ``alpha B`` and ``beta r`` are nearest and both lengths are
least.

Most rows are of one length, a knot. As a function of the length d' before, what follows onset k
is the greatest of functions whose only square is ``b d'**2``: with ``beta**2 d'**2`` added it is
convex, and between two knots n and m at most the line that joins them::

    R_k(d', t) <= (1 - p) R_k(n, t) + p R_k(m, t) + beta**2 (d' - n) (m - d')
    d' = (1 - p) n + p m

That is nearly all it is, as far as the best length of event k is the same after n and after m. It
holds for any d', also lengths that event k - 1 cannot have.

Unlike bounds that leave the ratio terms out, these lose little for each event, and are of use on
pieces of a thousand.

What is kept is by how much each bound falls short of a score that no path from onset k on exceeds,
in whole numbers of 16 bits: four times as many in a vector as float64, in a fourth of the memory.
Each number that is added is cut to a whole one, and sums stop at `MOST`, so that nothing is ever
taken from a bound. Costs are found in single precision, and what that may add to them is taken off
again. What all this loosens a bound by is little more than one unit for each number, of which
there are two or three for each event; `Bounds.unit` says how small a unit is.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._first_order import Tables
from align.decoders._length_bins import APART, BOW, NEAR, Bins
from align.decoders._vectors import (
    DEAREST,
    FEW,
    LANES,
    MOST,
    ROWS,
    costs_of_bins,
    gaps_of_bins,
    least_of_bins,
    least_of_mixes,
    least_of_rows,
    least_sums,
    lowest,
)
from align.decoders._windows import Windows
from align.types import FloatArray, IntArray

__all__ = ["N_BETWEEN", "Bounds", "bound_after", "n_bounds", "n_scratch", "suffix_bounds"]

_at = np.uintp  # where a place may be negative, numba counts from the end: some instructions each
_HUGE = 1e18  # the square of what is greater may be infinite in single precision
_ROUNDED = 2.0**-21  # more than rounding to single precision takes from a cost or adds to it
_SHARE = 65536.0 / np.maximum(APART.sum(axis=0), 1.0)
_LOWER, _UPPER = (
    np.minimum(_SHARE * apart, 65535).astype(np.uint32).ravel() * np.uint32(65537)
    for apart in APART[::-1]
)
_N_KINDS, _SPAN = _SHARE.shape  # kinds of bins, and lengths of each that may be between knots
N_BETWEEN = _N_KINDS * _SPAN
"""How many numbers of 32 bits `suffix_bounds` allocates for them."""
_BEGIN = np.where(APART.any(axis=(0, 2)), APART.any(axis=0).argmax(axis=1), NEAR)  # the first
_CUT = 4  # units a mix of two rows may lose as it is cut to a whole number

_Row = npt.NDArray[np.uint16]
_Twice = npt.NDArray[np.uint32]
_Float64 = npt.NDArray[np.float64]


class Bounds(NamedTuple):
    """What `suffix_bounds` fills.

    Attributes
    ----------
    shortfall : np.ndarray [dtype=uint16]
        By how much the bound of onset k at frame ``first[k] + i`` after any length is less than
        ``base[k]``, at ``offset[k] + i``. Onset 0 has none.
    by_row : np.ndarray [dtype=uint16]
        The same after a length of row r, at ``row_offset[k] + r n + i``, where n is the number of
        frames of onset k, rounded up to `LANES`. Onset 0 and the end have none.
    offset, row_offset : np.ndarray [shape=(K + 2,), dtype=intp]
    base, greatest : np.ndarray [shape=(K + 1,), dtype=float64]
        In the same unit; the latter is the greatest bound of all.
    unit : float
        What scores are multiplied by.
    """

    shortfall: _Row
    by_row: _Row
    offset: IntArray
    row_offset: IntArray
    base: _Float64
    greatest: _Float64
    unit: float


@compiled()
def n_bounds(first: IntArray, last: IntArray, bins: Bins) -> IntArray:
    """Return where the bounds of each onset begin, and their number [shape=(2, K + 2)].

    Those of any length, and those of each row.
    """
    n_events = bins.counts.shape[1]
    offset = np.zeros((2, n_events + 2), dtype=np.intp)
    for k in range(1, n_events):
        n_frames = (last[k] - first[k] + LANES) // LANES * LANES
        n_rows = (bins.counts[1, k - 1] + ROWS - 1) // ROWS * ROWS
        offset[0, k + 1] = offset[0, k] + n_frames
        offset[1, k + 1] = offset[1, k] + n_frames * n_rows
    offset[0, n_events + 1] = offset[0, n_events] + LANES
    offset[1, n_events + 1] = offset[1, n_events]
    return offset


@compiled()
def bound_after(
    windows: Windows, bins: Bins, bounds: Bounds, b: float, k: int, before: int, t: int
) -> float:
    """Return the bound of what follows onset k at frame t, after a length of `before` frames.

    k is from 1 to K - 1, and ``b`` is the factor of the square of that length in the ratio term.
    """
    _, _, middle, below, kind = bins.counts[:, k - 1]
    x = bins.of_length.shape[2] // 2 + before - middle
    n_frames = (windows.last[k] - windows.first[k] + LANES) // LANES * LANES
    row = below + bins.of_length[2, kind, x]
    place = bounds.row_offset[k] + row * n_frames + t - windows.first[k]
    # on the line between two rows, or on one of them
    less, then = float(bounds.by_row[place]), float(bounds.by_row[place + n_frames])
    less += (then - less) * bins.between[kind, x, 0]
    less += b * bins.between[kind, x, 1] * bounds.unit
    return float((bounds.base[k] - less) / bounds.unit)


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


@compiled()
def n_scratch(widest: int, widest_window: int, most: int) -> int:
    """Return how many numbers `suffix_bounds` needs room for.

    Parameters
    ----------
    widest : int
        Lengths in the widest bin.
    widest_window : int
        Frames the least certain onset can take.
    most : int
        Bins of the event that has most.
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
    # arrays taken out of tuples are counted, and so are slices: once here, not in the loops
    first, last = tables.windows.first, tables.windows.last
    onset, start, duration = tables.onset, tables.start, tables.duration
    edge, code, row_low, row_high = (
        bins.lengths[0], bins.lengths[1], bins.lengths[2], bins.lengths[3],
    )  # fmt: skip
    n_bins, n_rows, middle, kind = bins.counts[0], bins.counts[1], bins.counts[2], bins.counts[4]
    of_all, by_row, offset, row_offset, bases, greatest, unit = bounds
    all_alpha, all_beta, all_rest = roots
    root = np.sqrt(unit)  # of costs, which are squares
    longest_of_all = int(np.max(tables.windows.longest))
    if not root * max(np.max(all_alpha), np.max(all_beta)) * float(longest_of_all) < _HUGE:
        return -np.inf
    flat = tables.flat
    n_events, most = n_bins.size, int(np.max(n_bins))
    rows = _lay_out(scratch, np.max(last - first) + 1, widest, most)
    shortfall, pad, stride = rows.shortfall, rows.pad, rows.stride
    at = np.empty(most, dtype=np.intp)  # rows that are read
    add = np.empty(ROWS * (most + ROWS), dtype=np.uint32)
    low, high, least = np.zeros((3, most + ROWS), dtype=np.float32)
    below, above, slope = np.empty((3, most + ROWS), dtype=np.float32)  # of bins before
    slack = np.empty(most + ROWS, dtype=np.uint16)
    parts, lengths = np.empty(widest + 4, dtype=np.intp), np.empty(widest, dtype=np.uint32)
    more = np.empty(N_BETWEEN, dtype=np.uint32)  # of lengths between knots
    bend_of = np.full(_N_KINDS, -1.0)  # what `more` holds
    now = 0  # which of two tables holds R_{k+1}
    filled = np.zeros(2, dtype=np.intp)  # frames of them that are not `MOST`
    of_all[offset[n_events] : offset[n_events + 1]] = MOST
    of_all[offset[n_events]] = 0
    for r in range(n_rows[n_events - 1]):
        shortfall[r * stride + pad] = 0
    filled[0] = LANES
    bases[n_events] = greatest[n_events] = base = top_length = 0.0
    less = 0  # no more than the least of X_k
    bend = 0.0  # beta**2 of the event that follows, in units
    n_alive = 0
    for k in range(n_events - 1, -1, -1):
        alpha, beta, rest = all_alpha[k], all_beta[k], all_rest[k]
        top_length = 0.0 if flat else _top_length(tables, k)
        if top[k] == -np.inf or top_length == -np.inf:
            return -np.inf
        source = now * (most + ROWS) * stride + pad
        between = kind[k] * _SPAN + NEAR - middle[k]  # where a length of 0 is in `more`
        if not flat or bend != bend_of[kind[k]]:
            bend_of[kind[k]] = bend
            shortest, longest = edge[_at(k), 0], edge[_at(k), _at(n_bins[k])] - 1
            _fill_more(
                kind[k], middle[k], shortest, longest, duration, tables.row[k], flat, top_length,
                unit, bend, longest_of_all, more,
            )  # fmt: skip
        first_alive, n_alive = _spread(
            first, last, k, edge, n_bins[k], code, shortfall, stride, rows.spread, rows.steps,
            source, duration, tables.row[k], flat, top_length, unit, between, at, parts, lengths,
            more,
        )  # fmt: skip
        if n_alive == 0:
            return -np.inf
        if k == 0:
            break
        event, before, end = _at(k), _at(k - 1), first_alive + n_alive
        for i in range(n_alive):
            shortest, longest = edge[event, first_alive + i], edge[event, first_alive + i + 1] - 1
            low[i], high[i] = root * alpha * shortest, root * alpha * longest
            least[i] = shortest
        n_before = n_rows[k - 1]
        bend = unit * beta * beta
        most_slack = _fill_slack(row_low, row_high, k - 1, n_before, bend, slack) + _CUT
        n_frames = last[k] - first[k] + 1
        _fill_onset(
            onset, k, first[k] - start[k], n_frames, top[k], most_slack, unit, shortfall,
            rows.onset,
        )  # fmt: skip
        # a change that all paths must make is no shortfall
        least_before, most_before = row_low[before, 0], row_high[before, n_before - 1]
        least_here, most_here = edge[event, first_alive], edge[event, end] - 1
        change = max(
            root * (alpha * least_here - beta * most_before),
            root * (beta * least_before - alpha * most_here),
            0.0,
        )
        needed = change * change + unit * rest * least_before * least_here
        # what single precision rounds is taken from each gap, and from each cost
        less_sure = needed + _ROUNDED * (MOST + needed)
        widest_before = max(float(most_before), -float(least_before))
        unsure = _ROUNDED * root * max(alpha * most_here, beta * widest_before)
        far = np.sqrt(MOST + less_sure) + 1.0 + unsure  # a gap that costs more than can be told
        base += (top[k] + top_length) * unit - less - needed + most_slack
        bases[k] = base
        then = 1 - now
        n = (n_frames + LANES - 1) // LANES * LANES
        to, place = then * (most + ROWS) * stride + pad, row_offset[k]
        of_all[offset[k] : offset[k] + n] = MOST
        n_blocks, few = n // LANES, 0
        if n_frames <= n - LANES + FEW:  # few frames in the last block
            n_blocks, few = n_blocks - 1, 1
        n_filled = n_blocks * LANES + few * FEW
        for r in range(n_before):
            shortest, longest = row_low[before, r], row_high[before, r]
            below[r] = root * beta * shortest - unsure
            above[r] = root * beta * longest + unsure
            slope[r] = unit * rest * shortest
        for r in range(n_before, (n_before + ROWS - 1) // ROWS * ROWS):  # the last one again
            below[r], above[r], slope[r] = below[r - 1], above[r - 1], slope[r - 1]
            slack[r] = slack[r - 1]
        begin = end = 0
        for r in range(0, n_before, ROWS):
            # bins too far away add nothing: those that are near come one after the other
            while begin < n_alive - 1 and not high[begin] > below[r] - far:
                begin += 1
            reach = above[r + ROWS - 1] + far
            end = max(end, begin + 1) if low[n_alive - 1] > reach else n_alive
            while end < n_alive and not low[end] > reach:
                end += 1
            n_near = end - begin
            if rest > 0.0:
                costs_of_bins(
                    low, high, least, begin, n_near, below, above, slope, r, less_sure, add
                )
            else:
                gaps_of_bins(
                    low, high, least, begin, n_near, below, above, slope, r, less_sure, add
                )
            least_of_bins(
                shortfall, at, begin, add, n_near, rows.onset, less, to + r * stride, stride,
                by_row, place + r * n, n, of_all, offset[k], slack, r, n_blocks, few,
            )  # fmt: skip
        if filled[then] > n_filled:
            for r in range(n_before):
                row = to + r * stride
                shortfall[row + n_filled : row + filled[then]] = MOST
        filled[then] = max(filled[then], n_filled)
        lost, now = lowest(of_all, offset[k], n // LANES), then
        greatest[k] = base - lost
        less = max(lost - _CUT, 0)
    n = last[0] - first[0] + 1
    least_of_rows(shortfall, at, n_alive, shortfall, rows.steps, (n + LANES - 1) // LANES)
    _fill_onset(onset, 0, first[0] - start[0], n, top[0], 0, unit, shortfall, rows.onset)
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
def _fill_slack(
    low: IntArray, high: IntArray, k: int, n_rows: int, bend: float, slack: _Row
) -> int:
    """Fill how far bounds beside each row may be above the line to the next; return the most."""
    most, before = 0, 0
    for r in range(n_rows):
        after = 0
        if r < n_rows - 1 and low[k, r] == high[k, r] and low[k, r + 1] == high[k, r + 1]:
            width = low[k, r + 1] - low[k, r]
            after = int(np.ceil(bend * (width // 2) * (width - width // 2)))
        slack[r] = max(before, after)
        most, before = max(most, after), after
    return most


@compiled()
def _fill_more(
    kind: int,
    middle: int,
    shortest: int,
    longest: int,
    duration: _Float64,
    row: int,
    flat: bool,
    top: float,
    unit: float,
    bend: float,
    most: int,
    more: _Twice,
) -> None:
    """Fill what is added to the mix of two rows that a length between two knots is.

    By how much the score of the length falls short, less how far the bound may be above the line
    between the knots. No length is more than `most` frames from the middle.
    """
    start, begin = kind * _SPAN, max(_BEGIN[kind], NEAR - most)
    for x in range(begin, _SPAN - begin):
        above = int(np.int32(np.ceil(bend * BOW[_at(kind), _at(x)])))
        more[_at(start + x)] = (-above & 65535) * 65537
    if not flat:
        for d in range(max(shortest, middle - NEAR), min(longest, middle + NEAR) + 1):
            x = d - middle + NEAR
            less = (top - duration[row, d]) * unit
            lost = int(less if less < DEAREST else DEAREST)
            lost -= int(np.ceil(bend * BOW[kind, x]))
            more[_at(start + x)] = (lost & 65535) * 65537


@compiled()
def _fill_onset(
    onset: FloatArray,
    k: int,
    begin: int,
    n: int,
    top: float,
    more: int,
    unit: float,
    shortfall: _Row,
    to: int,
) -> None:
    """Fill the row of the scores of onset k: by how much they are less than `top`, plus `more`."""
    most = MOST - more
    for i in range(n):
        less = (top - onset[_at(k), _at(begin + i)]) * unit
        shortfall[_at(to + i)] = np.int32(less if less < most else most) + more
    for i in range(n, n + LANES):
        shortfall[_at(to + i)] = MOST


@compiled()
def _spread(
    first: IntArray,
    last: IntArray,
    k: int,
    edge: IntArray,
    n_bins: int,
    code: IntArray,
    shortfall: _Row,
    stride: int,
    spread: int,
    steps: int,
    table: int,
    duration: _Float64,
    duration_row: int,
    flat: bool,
    top: float,
    unit: float,
    mixes: int,
    at: IntArray,
    parts: IntArray,
    lengths: _Twice,
    more: _Twice,
) -> tuple[int, int]:
    """Fill X of event k from the R of the next onset, whose first row begins at `table`.

    Returns the first bin that leads to a frame of that onset, and the number of those that do: one
    after the other. X of them is `at`, which for a single length that scores nothing is R itself.
    `more` is what `_fill_more` filled, for a length of 0 at `mixes`.
    All bins are done in one call, as calls with arrays are slow.
    """
    event = _at(k)
    n, n_next = last[k] - first[k] + 1, last[k + 1] - first[k + 1] + 1
    ahead = first[k + 1] - first[k]
    whole = (n + LANES - 1) // LANES * LANES
    first_alive = n_alive = 0
    for b in range(n_bins):
        shortest = edge[event, _at(b)]
        width = edge[event, _at(b + 1)] - shortest
        shift = shortest - ahead
        low, end = max(0, 1 - shift - width), min(n, n_next - shift)
        if low >= end:
            continue
        if n_alive == 0:
            first_alive = b
        row, between = code[event, _at(b)] >> 1, code[event, _at(b)] & 1
        source = table + row * stride + shift
        to = spread + b * stride
        single = flat and width == 1 and not between
        at[_at(n_alive)] = source if single else to
        n_alive += 1
        if single:
            continue
        begin = low // LANES * LANES  # before, no next onset is reached
        source += begin
        blocks = (end - begin + LANES - 1) // LANES
        if between:
            least_of_mixes(
                shortfall, source, stride, _LOWER, _UPPER, more, mixes + shortest, width,
                to + begin, blocks,
            )  # fmt: skip
        elif not flat:
            for i in range(width):
                parts[_at(i)] = source + i
                less = (top - duration[duration_row, shortest + i]) * unit
                lengths[_at(i)] = int(less if less < DEAREST else DEAREST) * 65537
            least_sums(shortfall, parts, lengths, width, to + begin, blocks)
        else:  # the least of `width` neighbours, from those of ever more
            reach, step = 1, steps
            while 8 * reach < width:
                for j in range(4):
                    parts[_at(j)] = source + j * reach
                needed = blocks * LANES + width - 4 * reach
                n_blocks = (needed + LANES - 1) // LANES
                least_of_rows(shortfall, parts, 4, shortfall, step, n_blocks)
                source, step = step, 2 * steps + stride - step
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
