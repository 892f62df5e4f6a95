"""Second-order decoding of the states whose bound reaches a threshold, one event after another.

State ``(t, d)`` of event k begins at frame t and lasts d frames, and H_k(t, d) is the best score
of the terms of events ``0 .. k`` (`align.decoders.second_order`). With the bounds of
`align.decoders._suffix_bounds` no path through the state scores more than ::

    H_k(t, d) + R_{k+1}(d, t + d)

States below a threshold are dropped as they are met, and only frames that a state leads to are
looked at. If the best path that is found reaches every threshold that was used, it is the best of
all, and so are its ties.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._first_order import Tables
from align.decoders._length_bins import Bins
from align.decoders._suffix_bounds import Bounds
from align.decoders._vectors import LANES, MOST, TILE, bounded_lines, lowest_bit, places_at_most
from align.types import IntArray

__all__ = ["Kept", "search"]


_at = np.uintp  # where a place may be negative, numba counts from the end: some instructions each
_WIDEST = 16.0  # times as wide as it was, a beam grows no more where states are few
_GIVE_UP = 2.0**16  # nor where it ends: it is given up
_LEAST = 2.0**-40  # times as wide, it narrows no more: one of no width could not grow
_TILES = 32  # that are found before they are looked at
_UNSURE = 16.0 * float(np.finfo(np.float64).eps)  # of scores, more than sums of them are rounded
_SLACK = 8  # of so many parts of the events, states may come sooner than the rest leaves room for

_Float64 = npt.NDArray[np.float64]


class Kept(NamedTuple):
    """Room for the states that are kept.

    Attributes
    ----------
    value : np.ndarray [dtype=float64]
        H_k(t, d).
    length : np.ndarray [dtype=int32]
        d.
    other : np.ndarray [dtype=int32]
        The state before that ends at the same frame; -1 for none.
    newest : np.ndarray [dtype=int32]
        The last state of event k - 1 that ends at frame ``first[k] + i``, at ``place[k] + i``; -1
        for none. Of the frames that are looked at, one event after the other.
    place : np.ndarray [shape=(K + 1,), dtype=intp]
        Where frame ``first[k]`` is, or would be, in `newest`.
    begin : np.ndarray [shape=(K + 1,), dtype=intp]
        Where the states of each event begin.
    """

    value: _Float64
    length: npt.NDArray[np.int32]
    other: npt.NDArray[np.int32]
    newest: npt.NDArray[np.int32]
    place: IntArray
    begin: IntArray


@compiled()
def search(
    tables: Tables,
    ratio: _Float64,
    roots: _Float64,
    bins: Bins,
    bounds: Bounds,
    threshold: float,
    beam: float,
    crowd: int,
    wider: float,
    kept: Kept,
    onsets: IntArray,
) -> tuple[float, float]:
    """Find the best path; return its score and the highest threshold that was used.

    The score is -inf where no path reaches the thresholds, NaN where there is no more room, or the
    events so far leave too little of it to the others. A finite `beam` lets the threshold follow
    the best bound of each event at that distance, which narrows where more than `crowd` states of
    one event are kept, and grows by up to `wider` where fewer than half of them are.
    """
    # arrays taken out of tuples are counted: once here, not in the loops
    first, last = tables.windows.first, tables.windows.last
    all_shortest, all_longest = tables.windows.shortest, tables.windows.longest
    onset_table, start = tables.onset, tables.start
    after, offset = bounds.shortfall, bounds.offset
    by_row, row_offset = bounds.by_row, bounds.row_offset
    bases, greatest_bound = bounds.base, bounds.greatest
    alphas, betas = roots[0], roots[1]
    middle, below, kinds = bins.counts[2], bins.counts[3], bins.counts[4]
    rows_of, between = bins.of_length[2], bins.between
    zero = rows_of.shape[1] // 2
    kept_value, kept_length, kept_other = kept.value, kept.length, kept.other
    begins, kept_newest, places = kept.begin, kept.newest, kept.place
    n_events = onsets.size
    widest = np.max(last - first) + 1
    # the last state that ends at each frame of the next onset
    newest, coming = np.full((2, widest), -1, dtype=np.int32)
    length, slope, level = np.empty((3, widest))
    own = np.empty(int(np.max(all_longest)) + 1 + TILE)
    # what is found is looked at some tiles later: the end of a loop that no one can foresee then
    # waits for nothing
    room = _TILES + own.size // TILE + 1
    value = np.empty(room * TILE)
    found, tile_length, tile_end = np.empty((3, room), dtype=np.intp)
    own_of, own_first, own_last = 1.0, 0, -1  # what `own` holds
    duration, rows, flat = tables.duration, tables.row, tables.flat
    scale, unit, short = bounds.unit, 1.0 / bounds.unit, float(MOST)
    highest = -np.inf
    n = n_places = 0
    size = kept_value.size
    reached_first, reached_last = 0, last[0] - first[0]
    k, first_beam = 0, beam
    while k < n_events:
        begin = begins[k] = n
        places[k] = n_places - reached_first
        a, b, c = ratio[k, 0], ratio[k, 1], ratio[k, 2]
        base, most = bases[k + 1] * unit, greatest_bound[k + 1] * unit
        stride = (last[k + 1] - first[k + 1] + LANES) // LANES * LANES
        first_here, start_here, row = first[k], start[k], rows[k]
        first_next, last_next = first[k + 1], last[k + 1]
        shortest, longest = all_shortest[k], all_longest[k]
        if not (flat and a == own_of and own_first <= shortest and longest <= own_last):
            for d in range(shortest, longest + 1):
                own[_at(d)] = duration[_at(row), _at(d)] + a * float(d) * float(d)
            own_of, own_first, own_last = a, shortest, longest
        top_own = 0.0  # without the cost of a change, for all lengths
        if not flat:
            top_own = np.max(duration[row, shortest : longest + 1])
        of_all = offset[k + 1]  # the greatest bounds of all lengths
        of_rows = row_offset[k + 1] + below[k] * stride  # of the middle
        to_middle, kind = zero - middle[k], kinds[k]
        bend = 0.0 if k == n_events - 1 else betas[k + 1] * betas[k + 1]
        # rounding must not let the lengths be fewer than those `bounded_lines` would find
        unsure = 1.0 + _UNSURE * scale * (abs(base) + abs(threshold))
        alpha, beta = alphas[k], betas[k]
        step = 1.0 / alpha if alpha > 0.0 else 0.0
        greatest = -np.inf
        next_first, next_last = last[k + 1] - first[k + 1], 0
        i = reached_first
        while i <= reached_last:
            n_tiles = 0
            while i <= reached_last and n_tiles < _TILES:
                t, frame = first_here + i, _at(i)
                i += 1
                state = newest[frame]
                kept_newest[_at(n_places)] = state
                n_places += 1
                if state < 0 and k > 0:
                    continue
                onset = float(onset_table[_at(k), _at(t - start_here)])
                top, n_lines = 0.0, 1
                if k == 0:
                    length[0] = slope[0] = level[0] = 0.0
                else:
                    top, n_lines = -np.inf, 0
                    while state >= 0:
                        d_before, score = float(kept_length[_at(state)]), kept_value[_at(state)]
                        length[_at(n_lines)] = d_before
                        slope[_at(n_lines)] = c * d_before
                        level[_at(n_lines)] = score + b * d_before * d_before
                        top = score if score > top else top
                        state = kept_other[_at(state)]
                        n_lines += 1
                left = top + onset + most + top_own - threshold
                if not left >= 0.0:
                    continue
                low = max(shortest, first_next - t)
                high = min(longest, last_next - t)
                if k > 0 and step > 0.0:  # what a change of length may cost
                    reach = np.sqrt(left)
                    nearest = (beta * length[0] - reach) * step
                    farthest = (beta * length[_at(n_lines - 1)] + reach) * step
                    if nearest > low:
                        low = int(min(nearest, high + 1.0))
                    if farthest < high:
                        high = int(farthest)
                if low > high:
                    continue
                # what follows must lose no more than that
                lost = (top + onset + base + top_own - threshold) * scale + unsure
                if not lost >= 0.0:
                    continue
                first_end = t - first_next
                begin_at, end_at = places_at_most(
                    after, of_all + first_end + low, high - low + 1, int(min(lost, short))
                )
                low, high = low + begin_at, low + end_at
                for tile in range(low, high + 1, TILE):
                    bits = bounded_lines(
                        slope, level, n_lines, tile, own, onset, after, of_all + first_end + tile,
                        unit, base, threshold, value, n_tiles * TILE, high,
                    )  # fmt: skip
                    found[_at(n_tiles)] = bits
                    tile_length[_at(n_tiles)] = tile
                    tile_end[_at(n_tiles)] = first_end + tile
                    n_tiles += bits != 0
            if n + n_tiles * TILE >= size:
                return np.nan, highest
            for tile in range(n_tiles):
                bits, first_d = found[_at(tile)], tile_length[_at(tile)]
                first_end = tile_end[_at(tile)]
                end = first_end + lowest_bit(bits)
                next_first = min(next_first, end)
                while bits != 0:  # without branches, which none could foresee
                    j = lowest_bit(bits)
                    bits &= bits - 1
                    d, end = first_d + j, first_end + j
                    score = value[_at(tile * TILE + j)]
                    bound = score + base
                    if k < n_events - 1:
                        # on the line between two rows, or on one of them
                        x = _at(d + to_middle)
                        place = rows_of[_at(kind), x] * stride + (of_rows + end)
                        less, then = float(by_row[_at(place)]), float(by_row[_at(place + stride)])
                        less += (then - less) * between[_at(kind), x, 0]
                        bound += bend * between[_at(kind), x, 1] - less * unit
                    reached = bound >= threshold
                    kept_value[_at(n)] = score
                    kept_length[_at(n)] = d
                    kept_other[_at(n)] = coming[_at(end)]
                    coming[_at(end)] = n if reached else coming[_at(end)]
                    greatest = bound if bound > greatest else greatest
                    n += reached
                next_last = max(next_last, end)
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
            much = (n - begin) / crowd
            if much > 1.0:
                beam = max(beam * max(0.1, much**-0.5), _LEAST * first_beam)
            elif much < 0.5:
                most_beam = max(beam, _WIDEST * first_beam)
                beam = min(beam * min(wider, much**-0.5), most_beam)
            threshold = greatest - beam
    begins[n_events] = n
    return _trace(tables, ratio, kept, onsets), highest


@compiled()
def _trace(tables: Tables, ratio: _Float64, kept: Kept, onsets: IntArray) -> float:
    """Fill the best path through the states that were kept; ties: the greatest length before."""
    first, begin = tables.windows.first, kept.begin
    value, length, other = kept.value, kept.length, kept.other
    newest, place = kept.newest, kept.place
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
