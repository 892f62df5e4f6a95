"""Search of the states whose bound reaches a threshold, one event after another.

State ``(t, d)`` of event k begins at frame t and lasts d frames; H_k(t, d) is the best score of
the terms of events ``0 .. k`` (`align.decoders.second_order`). With the bounds of
`align.decoders.second_order._bounds` no path through the state scores more than ::

    H_k(t, d) + R_{k+1}(d, t + d)

States below the threshold are dropped as they are met, and only frames where a state ends are
looked at for the next onset. If the best path found reaches the highest threshold that was used,
no path that was dropped is better: it is the best of all, ties included.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._first_order import Tables
from align.decoders.second_order._bounds import PAD, Bounds
from align.decoders.second_order._envelopes import add_line
from align.decoders.second_order._knots import Lengths
from align.types import Float64, IntArray

_at = np.uintp  # numba counts a place that may be negative from the end: some instructions each
_WIDEST = 16.0  # times its first width, a beam grows no more where states are few
_GIVE_UP = 2.0**16  # nor where no state is left: it is given up
_NARROWEST = 2.0**-40  # times its first width: a beam of no width could not grow again
_UNSURE = 1e-5  # of the spread, and of scores 1e-14: more than rounding takes from a quick test
_FEW_LINES = 3  # are tried one by one; of more the upper envelope is found
_SLACK = 8  # of so many parts of the events, states may come sooner than the rest leaves room for

_Int32 = npt.NDArray[np.int32]


class States(NamedTuple):
    """Room for the states that are kept, event by event.

    Attributes
    ----------
    value : np.ndarray [dtype=float64]
        H_k(t, d).
    length : np.ndarray [dtype=int32]
        d.
    other : np.ndarray [dtype=int32]
        The next shorter state that ends at the same frame; -1 for none.
    newest : np.ndarray [dtype=int32]
        The shortest state of event k - 1 that ends at frame ``first[k] + i``, at
        ``place[k] + i``; -1 for none. Frames that are looked at only, one event after the other.
    place : np.ndarray [shape=(K + 1,), dtype=intp]
        Where frame ``first[k]`` is, or would be, in `newest`.
    begin : np.ndarray [shape=(K + 1,), dtype=intp]
        Where the states of each event begin.
    """

    value: Float64
    length: _Int32
    other: _Int32
    newest: _Int32
    place: IntArray
    begin: IntArray


@compiled(inline="always")
def _lines(
    state: int, length: _Int32, value: Float64, other: _Int32, b: float, c: float, before: Float64,
    slope: Float64, base: Float64,
) -> tuple[float, int]:  # fmt: skip
    """Fill the lines of an onset; return the best score of its states, and how many there are.

    Each state of the event before that ends here, from the shortest `state` on, is a line in the
    length d of this event: `base` plus `slope` times d. `before` has the lengths.
    """
    top, n_lines = -np.inf, 0
    while state >= 0:
        d_before, score = float(length[_at(state)]), value[_at(state)]
        before[_at(n_lines)] = d_before
        slope[_at(n_lines)] = c * d_before
        base[_at(n_lines)] = score + b * d_before * d_before
        top = score if score > top else top
        state = other[_at(state)]
        n_lines += 1
    return top, n_lines


@compiled(inline="always")
def _within_reach(
    low: int, high: int, shortest: float, longest: float, reach: float, alpha: float
) -> tuple[int, int]:
    """Return the lengths d from `low` to `high` to which no change costs more than ``reach**2``.

    It costs at least ``(alpha d - beta d')**2``; `shortest` and `longest` are ``beta d'``.
    """
    nearest, farthest = (shortest - reach) / alpha, (longest + reach) / alpha
    return int(min(max(nearest, float(low)), high + 1.0)), int(min(farthest, float(high)))


@compiled(inline="always")
def _between_knots(
    less: float, more: float, past: float, ahead: float, bend: float, unit: float
) -> float:
    """Return the bound of what follows a length that is `past` one knot and `ahead` of the next.

    Those of the knots are `less` and `more`; between them it is on their line, and above it by
    what it may be convex.
    """
    part = past / (past + ahead) if past > 0.0 else 0.0
    return unit * (less + part * (more - less)) + bend * past * ahead


@compiled(inline="always")
def _next_beam(beam: float, first_beam: float, much: float) -> float:
    """Return the width of the beam after an event that kept `much` times as many as it should."""
    if much > 1.0:
        return float(max(beam * max(0.1, much**-0.5), _NARROWEST * first_beam))
    if much < 0.5:
        return float(min(beam * min(1.1, much**-0.5), max(beam, _WIDEST * first_beam)))
    return beam


@compiled()
def search(
    tables: Tables, ratio: Float64, roots: Float64, lengths: Lengths, bounds: Bounds, threshold:
    float, beam: float, aim: int, states: States, onsets: IntArray,
) -> tuple[float, float]:  # fmt: skip
    """Fill the best path; return its score and the highest threshold that was used.

    The score is -inf where no path reaches the thresholds, NaN where there is no more room, or
    the events so far leave too little of it to the others. With a finite `beam` the threshold
    follows the best bound of each event at that distance, which narrows where more than `aim`
    states of one event are kept, and grows where fewer than half of them are.
    """
    # arrays are taken out of tuples here once, because each time counts references
    first, last = tables.windows.first, tables.windows.last
    shortest, longest = tables.windows.shortest, tables.windows.longest
    of_all, of_all_at = bounds.of_all, bounds.offset_of_all
    table, table_at, stride = bounds.table, bounds.offset, bounds.stride
    level, greatest, unit = bounds.level, bounds.greatest, bounds.unit
    value, length, other = states.value, states.length, states.other
    begins, newest_of_all, places = states.begin, states.newest, states.place
    onset_table, start = tables.onset, tables.start
    n_events = onsets.size
    widest = np.max(last - first) + 1
    newest, coming = np.full((2, widest), -1, dtype=np.int32)
    before, slope, base, meet = np.empty((4, widest))  # the lines of one onset
    highest, first_beam = -np.inf, beam
    n = n_places = 0
    reached_first, reached_last = 0, last[0] - first[0]
    k = 0
    while k < n_events:
        # what a change of length costs, and the best that all events after k may score
        begin = begins[k] = n
        places[k] = n_places - reached_first
        a, b, c = ratio[k, 0], ratio[k, 1], ratio[k, 2]
        alpha, beta = roots[0, k], roots[1, k]
        duration = tables.duration[tables.row[k]]
        knot, n_intervals = lengths.knot[k], lengths.n_knots[k] - 1
        top_own = bounds.top_length[k]
        bend = 0.0 if k == n_events - 1 else roots[1, k + 1] * roots[1, k + 1]
        after = level[k + 1] * unit
        unsure = _UNSURE + 1e-14 * (abs(after) + abs(threshold)) / unit
        row = table_at[k + 1] + PAD - first[k + 1]
        best_bound = -np.inf
        next_first, next_last = last[k + 1] - first[k + 1], 0
        for i in range(reached_first, reached_last + 1):
            # an onset at each frame where a state of the event before ends: one line for each
            t = first[k] + i
            state = newest[_at(i)]
            newest_of_all[_at(n_places)] = state
            n_places += 1
            if state < 0 and k > 0:
                continue
            onset = float(onset_table[_at(k), _at(t - start[k])])
            top, n_lines = 0.0, 1
            before[0] = slope[0] = base[0] = 0.0
            if k > 0:
                top, n_lines = _lines(state, length, value, other, b, c, before, slope, base)
            # what a change of length, and what follows, may still cost
            left = top + onset + top_own + after - threshold
            most = left + greatest[k + 1] * unit + unsure * unit
            if not most >= 0.0:
                continue
            # lengths that the windows leave, and no change to which costs more than `most`
            low, high = max(shortest[k], first[k + 1] - t), min(longest[k], last[k + 1] - t)
            if k > 0 and alpha > 0.0:
                ends = beta * before[0], beta * before[_at(n_lines - 1)]
                low, high = _within_reach(low, high, ends[0], ends[1], np.sqrt(most), alpha)
            by_envelope = n_lines > _FEW_LINES and c > 0.0
            if by_envelope and low <= high:
                n_tried, n_lines = n_lines, 0
                for p in range(n_tried):
                    d_before, v, s = before[_at(p)], base[_at(p)], slope[_at(p)]
                    n_lines = add_line(n_lines, d_before, v, s, before, base, slope, meet)
            best_line = 0
            needed = -left / unit - unsure
            all_at = of_all_at[k + 1] + t - first[k + 1]
            j = 0  # the interval between knots that holds d
            for d in range(low, high + 1):
                # a quick bound first, of what follows length d whatever this onset scored
                if of_all[_at(all_at + d)] < needed:
                    continue
                # H_k(t, d): the best line at d; along an envelope the best is never one before
                x = float(d)
                score = base[_at(best_line)] + slope[_at(best_line)] * x
                for p in range(best_line + 1, n_lines):
                    line = base[_at(p)] + slope[_at(p)] * x
                    if line > score:
                        score = line
                        best_line = p if by_envelope else 0
                    elif by_envelope:  # those after it are lower still
                        break
                score = onset + (duration[_at(d)] + a * x * x + score)
                # what follows: the line between two knots
                while j < n_intervals - 1 and knot[_at(j + 1)] < d:
                    j += 1
                bound = score + after
                if k < n_events - 1:
                    place = _at(row + j * stride[k + 1] + t + d)
                    less, more = float(table[place]), float(table[place + _at(stride[k + 1])])
                    past, ahead = float(d - knot[_at(j)]), float(knot[_at(j + 1)] - d)
                    bound += _between_knots(less, more, past, ahead, bend, unit)
                if not bound >= threshold:
                    continue
                # keep the state; onsets rise, so that it is the shortest yet to end at its frame
                if n >= value.size:
                    return np.nan, highest
                best_bound = bound if bound > best_bound else best_bound
                end = t + d - first[k + 1]
                value[_at(n)], length[_at(n)], other[_at(n)] = score, d, coming[_at(end)]
                coming[_at(end)] = n
                n += 1
                next_first, next_last = min(next_first, end), max(next_last, end)
        # the event is through: give up in time, widen the beam if nothing is left, or go on
        size = value.size
        if n > size // 2 and n * float(n_events) > size * float(k + n_events // _SLACK + 1):
            return np.nan, highest
        if n == begin:
            if not beam < _GIVE_UP * first_beam:
                return -np.inf, highest
            # the bounds of all states fell by more than the beam is wide: once more
            threshold -= beam
            beam *= 2.0
            n_places = places[k] + reached_first
            continue
        highest = max(highest, threshold)
        newest[reached_first : reached_last + 1] = -1
        newest, coming = coming, newest
        reached_first, reached_last = next_first, next_last
        k += 1
        if beam < np.inf:
            beam = _next_beam(beam, first_beam, (n - begin) / aim)
            threshold = best_bound - beam
    begins[n_events] = n
    return _trace(tables, ratio, states, onsets), highest


@compiled()
def _trace(tables: Tables, ratio: Float64, states: States, onsets: IntArray) -> float:
    """Fill the best path through the states that were kept; ties: the greatest length before."""
    first, begin = tables.windows.first, states.begin
    value, length, other = states.value, states.length, states.other
    newest, place = states.newest, states.place
    n_events = onsets.size
    total, state = -np.inf, -1
    for s in range(begin[n_events - 1], begin[n_events]):
        if value[s] > total:
            total, state = value[s], s
    t = first[n_events]
    for k in range(n_events - 1, -1, -1):
        d = float(length[state])
        t -= length[state]
        onsets[k] = t
        if k == 0:
            break
        b, c = ratio[k, 1], ratio[k, 2]
        top, s = -np.inf, newest[place[k] + t - first[k]]
        while s >= 0:  # by rising length
            x = float(length[s])
            score = value[s] + b * x * x + c * x * d
            if score >= top:
                top, state = score, s
            s = other[s]
    return total
