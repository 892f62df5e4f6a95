"""Bounds of all that can follow an onset, where the length before it is known.

With alpha, beta >= 0, ``alpha**2 = -a``, ``beta**2 = -b`` and ``rho = 2 alpha beta - c >= 0``,
a concave ratio term is ::

    a d**2 + b d'**2 + c d' d = -(alpha d - beta d')**2 - rho d' d

Let ``R_k(d', t)`` be at least the score of onset k at frame t and of all that follows, the change
from a length d' before included. From the last event to the first::

    R_K(d', T) = 0
    X_k(B, t)  = max { duration[row_k, d] + R_{k+1}(d, t + d) : d in B }
    R_k(d', t) = onset[k, t] + max { X_k(B, t) - cost_k(d', B) : bins B of lengths }

where ``cost_k(d', B)`` is the least cost of a change from d' to a length in B. R_k is kept for the
knots d' alone (`align.decoders.second_order._knots`). As a function of d' it is the greatest of
functions whose only square is ``-beta**2 d'**2``, so with that square taken away it is convex,
and between two knots n < m no greater than the line that joins them::

    R_k(d', t) <= (1 - p) R_k(n, t) + p R_k(m, t) + beta**2 (d' - n) (m - d')
    d'          = (1 - p) n + p m

What a bound is too high adds up over events only where a path is far from the knots, or in wide
bins: bounds that left the changes out would be of no use after some ten events.

Numbers are in single precision, eight or more in a vector, so each is taken relative to a level
in double precision for each onset, and in units of the spread of scores: R is at most 0. They are
rounded towards 0 (`_TOWARDS_0`), which keeps a bound a bound.
"""

from typing import NamedTuple

import numpy as np

from align._numba import compiled
from align.decoders._first_order import Tables
from align.decoders.second_order._knots import Lengths
from align.types import Float32, Float64, FloatArray, IntArray

PAD = 16
"""Frames of score `_NEVER` before each row, and after the last one."""
LANES = 8
"""Frames in a vector: rows hold a whole number of them."""
_ROWS = 4  # rows of R that are filled at once
_GROUP = 4  # lengths, and bins, that are tried at once
_NEVER = np.float32(-1e30)  # where nothing can be: -inf times 0 would be NaN
_FAR = 14.0  # spreads: changes that cost so much more than the least are not distinguished
_TOWARDS_0 = np.float32(1.0 - 2.0**-20)  # more than all sums of one event are rounded by
_ROUNDED = 2.0**-20
_HUGE = 1e18

_at = np.uintp  # numba counts a place that may be negative from the end: some instructions each

_Float32 = Float32


class Bounds(NamedTuple):
    """What `bound_all` fills; bounds of onset k are ``unit * (level[k] + ...)``.

    Attributes
    ----------
    table : np.ndarray [dtype=float32]
        R: after the length of knot j of event k - 1, of onset k at frame ``first[k] + i``, at
        ``offset[k] + j * stride[k] + PAD + i``. Onset 0 has none.
    offset, stride : np.ndarray [shape=(K + 2,), dtype=intp]
    of_all : np.ndarray [dtype=float32]
        The greatest after any length, at ``offset_of_all[k] + i``.
    offset_of_all : np.ndarray [shape=(K + 2,), dtype=intp]
    level, greatest : np.ndarray [shape=(K + 1,), dtype=float64]
        The latter is the greatest bound of onset k, without the level.
    unit : float
    """

    table: _Float32
    offset: IntArray
    stride: IntArray
    of_all: _Float32
    offset_of_all: IntArray
    level: Float64
    greatest: Float64
    top_length: Float64
    unit: float


@compiled()
def bound_offsets(
    first: IntArray, last: IntArray, n_knots: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return where the rows of each onset begin, how long they are, and those of all lengths."""
    n_events = n_knots.size
    offset, offset_of_all, stride = np.zeros((3, n_events + 2), dtype=np.intp)
    for k in range(1, n_events + 1):
        whole = (last[k] - first[k] + LANES) // LANES * LANES
        stride[k] = PAD + whole
        n_rows = (n_knots[k - 1] + _ROWS - 1) // _ROWS * _ROWS
        offset[k + 1] = offset[k] + n_rows * stride[k] + PAD
        offset_of_all[k + 1] = offset_of_all[k] + whole
    return offset, stride, offset_of_all


def scratch_bytes(places: int, longest: int, widest: int) -> int:
    """Return how many bytes `bound_all` allocates at most, for the longest length and so on."""
    rows = places + 2 * _GROUP
    return 4 * rows * (widest + 2 * PAD) + 20 * (longest + 1) + 4 * rows * (places + _ROWS + 12)


@compiled()
def bound_all(
    tables: Tables, roots: Float64, top: Float64, lengths: Lengths, bounds: Bounds
) -> float:
    """Fill the bounds, last event first; return a score that no path exceeds.

    It is -inf where no path has a finite score, or where numbers are too large. `roots` are alpha,
    beta and rho of each event, `top` the greatest score of each onset.
    """
    # arrays are taken out of tuples here once, and every kernel is called once for each event,
    # because each time references are counted
    first, last = tables.windows.first, tables.windows.last
    shortest, longest = tables.windows.shortest, tables.windows.longest
    table, offset, stride = bounds.table, bounds.offset, bounds.stride
    of_all, offset_of_all = bounds.of_all, bounds.offset_of_all
    level, greatest, unit = bounds.level, bounds.greatest, bounds.unit
    knots, edges = lengths.knot, lengths.edge
    n_events = top.size
    longest_of_all = np.max(longest)
    per_unit = 1.0 / unit
    if not np.max(roots) * float(longest_of_all) * np.sqrt(per_unit) < _HUGE:
        return -np.inf
    widest = (np.max(last - first) + LANES) // LANES * LANES + PAD
    most_bins = np.max(lengths.n_bins) + 2 * _GROUP
    spread = np.empty(most_bins * widest, np.float32)  # X
    onset = np.empty(widest, np.float32)
    line_at = np.empty(longest_of_all + 1, np.intp)
    line = np.empty((3, longest_of_all + 1), np.float32)
    cost = np.empty((knots.shape[1] + _ROWS, most_bins), np.float32)
    bins = np.empty((3, most_bins))
    limit, slack = np.empty((2, knots.shape[1] + _ROWS), np.float32)
    # after the last event nothing follows, whatever its length
    table[offset[n_events] : offset[n_events + 1]] = _NEVER
    for j in range(lengths.n_knots[n_events - 1]):
        table[offset[n_events] + j * stride[n_events] + PAD] = 0.0
    of_all[offset_of_all[n_events] : offset_of_all[n_events + 1]] = _NEVER
    of_all[offset_of_all[n_events]] = 0.0
    level[n_events] = greatest[n_events] = 0.0
    bend = 0.0  # beta**2 of the event that follows
    best = -np.inf
    for k in range(n_events - 1, -1, -1):
        duration = tables.duration[tables.row[k]]
        top_length = 0.0 if tables.flat else np.max(duration[shortest[k] : longest[k] + 1])
        bounds.top_length[k] = top_length
        if top[k] == -np.inf or top_length == -np.inf:
            return -np.inf
        n_frames = last[k] - first[k] + 1
        added = _fill_lines(
            knots[k], lengths.n_knots[k], stride[k + 1], bend, duration, tables.flat, top_length,
            per_unit, greatest[k + 1], line_at, line,
        )  # fmt: skip
        _fill_spread(
            table, offset[k + 1] + PAD, stride[k + 1], line_at, line, edges[k], lengths.n_bins[k],
            first[k + 1] - first[k], last[k + 1] - first[k], n_frames, spread, widest,
        )  # fmt: skip
        _fill_onset(tables.onset[k], first[k] - tables.start[k], n_frames, top[k], per_unit, onset)
        level[k] = level[k + 1] + greatest[k + 1] + (top[k] + top_length) * per_unit
        level[k] += _ROUNDED * added
        if k == 0:
            for b in range(lengths.n_bins[0]):
                for i in range(n_frames):
                    best = max(best, float(spread[b * widest + i]) + float(onset[i]))
            break
        n_knots = lengths.n_knots[k - 1]
        bend = roots[1, k] * roots[1, k] * per_unit
        _fill_costs(
            edges[k], lengths.n_bins[k], knots[k - 1], n_knots, roots[0, k], roots[1, k],
            roots[2, k], per_unit, bins, cost, limit, slack,
        )  # fmt: skip
        greatest[k] = _fill_rows(
            spread, widest, lengths.n_bins[k], cost, limit, n_knots, onset, slack, table,
            offset[k], stride[k], n_frames, of_all, offset_of_all[k],
        )  # fmt: skip
    return float(unit * (level[0] + best))


@compiled()
def _fill_onset(
    scores: FloatArray, begin: int, n: int, top: float, per_unit: float, onset: _Float32
) -> None:
    """Fill the scores of one onset, relative to the greatest."""
    for i in range(n):
        value = (scores[_at(begin + i)] - top) * per_unit
        onset[_at(i)] = value if value > _NEVER else _NEVER
    for i in range(n, min(n + LANES, onset.size)):
        onset[_at(i)] = _NEVER


@compiled()
def _fill_lines(
    knot: IntArray, n_knots: int, stride: int, bend: float, duration: Float64, flat: bool,
    top: float, per_unit: float, greatest: float, at: IntArray, line: _Float32,
) -> float:  # fmt: skip
    """Fill, for each length, how two rows bound what follows; return the greatest number added.

    The bound after d frames is ``line[0, d]`` times the row of the knot below, ``line[1, d]``
    times that of the knot above, and ``line[2, d]``: how far the bound may be above the line that
    joins both, and the score of the length.
    """
    widest = 0
    for j in range(n_knots - 1):
        low, high = knot[_at(j)], knot[_at(j + 1)]
        widest, row, step = max(widest, high - low), j * stride, 1.0 / float(high - low)
        for d in range(low, high):
            part = float(d - low) * step
            at[_at(d)] = row + d
            line[0, _at(d)], line[1, _at(d)] = 1.0 - part, part
            line[2, _at(d)] = bend * float((d - low) * (high - d)) - greatest
    end = knot[n_knots - 1]  # the last knot: all of the row above, or there is one row
    part = 1.0 if n_knots > 1 else 0.0
    at[end] = max(n_knots - 2, 0) * stride + end
    line[0, end], line[1, end], line[2, end] = 1.0 - part, part, -greatest
    if not flat:
        for d in range(knot[0], end + 1):
            more = line[2, _at(d)] + (duration[_at(d)] - top) * per_unit
            line[2, _at(d)] = more if more > _NEVER else _NEVER
    return max(0.0, bend * float(widest // 2 * (widest - widest // 2)) - greatest)


@compiled(inline="always")
def _greater(a: np.float32, b: np.float32) -> np.float32:
    """Return the greater number, by one instruction: `max` has to mind NaN."""
    return a if a > b else b


@compiled(inline="always")
def _lesser(a: np.float32, b: np.float32) -> np.float32:
    """Return the smaller number, likewise."""
    return a if a < b else b


@compiled(inline="always")
def _greatest(a: np.float32, b: np.float32, c: np.float32, d: np.float32) -> np.float32:
    """Return the greatest of four numbers, in pairs, so that none waits for all the others."""
    return _greater(_greater(a, b), _greater(c, d))


@compiled(fastmath={"contract"})  # products and sums in one instruction, which rounds less
def _fill_spread(
    table: _Float32, begin: int, stride: int, line_at: IntArray, line: _Float32, edge: IntArray,
    n_bins: int, first_end: int, last_end: int, n_frames: int, spread: _Float32, widest: int,
) -> None:  # fmt: skip
    """Fill X: for each bin the best of its lengths, for all frames of the onset at once.

    Frame i of the onset and length d lead to frame ``i + d - first_end`` of the next onset, from
    ``begin`` on in each row. Rows are read beyond their ends, where they hold `_NEVER`.
    """
    whole = (n_frames + LANES - 1) // LANES * LANES
    for b in range(n_bins, n_bins + _GROUP - 1):  # are read because four are read at once
        spread[b * widest : b * widest + whole] = _NEVER
    for b in range(n_bins):
        low, high = edge[_at(b)], edge[_at(b + 1)]
        for i in range(b * widest, b * widest + whole):
            spread[_at(i)] = _NEVER
        for d in range(low, high, _GROUP):
            a = max(0, first_end - d - _GROUP + 1)  # the first frame that reaches the next onset
            n = min(n_frames, last_end - d + 1) - a
            n = (n + LANES - 1) // LANES * LANES  # whole vectors
            source, z = begin - first_end + a, _at(b * widest + a)
            d0 = _at(d)
            x0, p0, q0, c0 = _at(source + line_at[d0]), line[0, d0], line[1, d0], line[2, d0]
            y0 = x0 + _at(stride)
            if high - low == 1:
                for i in range(n):
                    f = _at(i)
                    spread[z + f] = c0 + q0 * table[y0 + f] + p0 * table[x0 + f]
                continue
            # four lengths; where there are fewer, the last one again
            rest = high - 1
            d1, d2, d3 = _at(min(d + 1, rest)), _at(min(d + 2, rest)), _at(min(d + 3, rest))
            x1, p1, q1, c1 = _at(source + line_at[d1]), line[0, d1], line[1, d1], line[2, d1]
            x2, p2, q2, c2 = _at(source + line_at[d2]), line[0, d2], line[1, d2], line[2, d2]
            x3, p3, q3, c3 = _at(source + line_at[d3]), line[0, d3], line[1, d3], line[2, d3]
            y1, y2, y3 = x1 + _at(stride), x2 + _at(stride), x3 + _at(stride)
            for i in range(n):
                f = _at(i)
                best = _greatest(
                    c0 + q0 * table[y0 + f] + p0 * table[x0 + f],
                    c1 + q1 * table[y1 + f] + p1 * table[x1 + f],
                    c2 + q2 * table[y2 + f] + p2 * table[x2 + f],
                    c3 + q3 * table[y3 + f] + p3 * table[x3 + f],
                )
                spread[z + f] = _greater(best, spread[z + f])


@compiled()
def _fill_costs(
    edge: IntArray, n_bins: int, knot: IntArray, n_knots: int, alpha: float, beta: float,
    rest: float, per_unit: float, bins: Float64, cost: _Float32, limit: _Float32, slack: _Float32,
) -> None:  # fmt: skip
    """Fill the least cost of a change from each knot to each bin, and which costs are too much.

    Also the slack: by how much bounds on either side of a knot may exceed the greater of both
    knots. Rows and bins that are only read because four are read at once repeat the last row, and
    cost infinitely much.
    """
    root = np.sqrt(per_unit)
    least, most, shortest = bins[0], bins[1], bins[2]
    n = (n_bins + 2 * _GROUP - 2) // _GROUP * _GROUP
    least[n_bins:n], most[n_bins:n], shortest[n_bins:n] = np.inf, np.inf, 0.0
    for b in range(n_bins):
        low, high = float(edge[_at(b)]), float(edge[_at(b + 1)] - 1)
        least[_at(b)], most[_at(b)] = root * alpha * low, root * alpha * high
        shortest[_at(b)] = low
    n_rows = (n_knots + _ROWS - 1) // _ROWS * _ROWS
    for j in range(n_rows):
        before = float(knot[min(j, n_knots - 1)])
        there, slope = root * beta * before, rest * before * per_unit
        row = cost[j]
        for b in range(n):
            below, above = least[_at(b)] - there, there - most[_at(b)]
            gap = below if below > above else above
            gap = gap if gap > 0.0 else 0.0
            row[_at(b)] = gap * gap + slope * shortest[_at(b)]
        # as if there were one bin of all lengths: no change costs less
        gap = max(least[0] - there, there - most[n_bins - 1], 0.0)
        limit[j] = gap * gap + slope * shortest[0] + _FAR
    before = 0.0
    for j in range(n_rows):
        width = knot[j + 1] - knot[j] if j < n_knots - 1 else 0
        after = beta * beta * per_unit * float((width // 2) * (width - width // 2))
        slack[j] = max(before, after)
        before = after


@compiled()
def _least(cost: _Float32, j: int, b: int) -> float:
    """Return the least cost of four rows."""
    return float(min(min(cost[j, b], cost[j + 1, b]), min(cost[j + 2, b], cost[j + 3, b])))


@compiled()
def _fill_rows(
    spread: _Float32, widest: int, n_bins: int, cost: _Float32, limits: _Float32, n_knots: int,
    onset: _Float32, slack: _Float32, table: _Float32, to: int, stride: int, n_frames: int,
    of_all: _Float32, at: int,
) -> float:  # fmt: skip
    """Fill R of one onset, and the greatest of all rows at each frame; return the greatest of all.

    Four bins are tried in one loop over the frames, so each number of X that is read serves four
    rows, and each of R is read and written once for four bins. The compiler makes vectors of such
    loops (``inspect_asm`` of the kernel shows ``vmaxps``) if they are written for it: places are
    unsigned, no slice is taken, loops run over whole vectors, and the greater of two numbers is
    found by `_greater`, never by ``max(a, b)``.
    """
    whole = (n_frames + LANES - 1) // LANES * LANES
    zero = np.float32(0.0)
    for i in range(at, at + whole):
        of_all[_at(i)] = _NEVER
    for j in range(0, n_knots, _ROWS):
        # bins whose cost is beyond the limit of all four rows add nothing to that bound
        limit = max(max(limits[j], limits[j + 1]), max(limits[j + 2], limits[j + 3]))
        begin, end = 0, n_bins
        while begin < end and _least(cost, j, begin) > limit:
            begin += 1
        while begin < end and _least(cost, j, end - 1) > limit:
            end -= 1
        # rows begin at what a change beyond that limit leaves: X is at most 0
        o0 = _at(to + j * stride + PAD)
        o1, o2, o3 = o0 + _at(stride), o0 + _at(2 * stride), o0 + _at(3 * stride)
        for i in range(whole):
            f = _at(i)
            table[o0 + f] = table[o1 + f] = table[o2 + f] = table[o3 + f] = -limit
        for b in range(begin, end, _GROUP):
            x0, b0 = _at(b * widest), _at(b)
            x1, x2, x3 = x0 + _at(widest), x0 + _at(2 * widest), x0 + _at(3 * widest)
            b1, b2, b3 = b0 + _at(1), b0 + _at(2), b0 + _at(3)
            k00, k01 = cost[_at(j + 0), b0], cost[_at(j + 0), b1]
            k02, k03 = cost[_at(j + 0), b2], cost[_at(j + 0), b3]
            k10, k11 = cost[_at(j + 1), b0], cost[_at(j + 1), b1]
            k12, k13 = cost[_at(j + 1), b2], cost[_at(j + 1), b3]
            k20, k21 = cost[_at(j + 2), b0], cost[_at(j + 2), b1]
            k22, k23 = cost[_at(j + 2), b2], cost[_at(j + 2), b3]
            k30, k31 = cost[_at(j + 3), b0], cost[_at(j + 3), b1]
            k32, k33 = cost[_at(j + 3), b2], cost[_at(j + 3), b3]
            # R = max(R, X - cost): row r of the four loses k_r0 .. k_r3 to the four bins
            for i in range(whole):
                f = _at(i)
                v0, v1, v2, v3 = spread[x0 + f], spread[x1 + f], spread[x2 + f], spread[x3 + f]
                best = _greatest(v0 - k00, v1 - k01, v2 - k02, v3 - k03)
                table[o0 + f] = _greater(best, table[o0 + f])
                best = _greatest(v0 - k10, v1 - k11, v2 - k12, v3 - k13)
                table[o1 + f] = _greater(best, table[o1 + f])
                best = _greatest(v0 - k20, v1 - k21, v2 - k22, v3 - k23)
                table[o2 + f] = _greater(best, table[o2 + f])
                best = _greatest(v0 - k30, v1 - k31, v2 - k32, v3 - k33)
                table[o3 + f] = _greater(best, table[o3 + f])
        for r in range(_ROWS):  # the score of the onset, and nothing beside the window
            row, more, a = to + (j + r) * stride + PAD, slack[_at(j + r)], _at(at)
            o = _at(row)
            for i in range(whole):
                f = _at(i)
                # X is at most 0 as a score, not as a bound
                value = (_lesser(table[o + f], zero) + onset[f]) * _TOWARDS_0
                table[o + f] = value
                value += more
                best = of_all[a + f]
                of_all[a + f] = value if value > best else best
            for i in range(row + n_frames, row + stride):
                table[_at(i)] = _NEVER
    table[to : to + PAD] = _NEVER
    best = _NEVER
    for i in range(n_frames):
        value, most = of_all[_at(at + i)], onset[_at(i)] * _TOWARDS_0
        value = _lesser(value, most)
        of_all[_at(at + i)] = value
        best = value if value > best else best
    return float(best)
