"""Second-order decoding of the states whose bound reaches a threshold, one event after another.

State ``(t, d)`` of event k begins at frame t and lasts d frames, and H_k(t, d) is the best score
of the terms of events ``0 .. k`` (`align.decoders.second_order`). With the bounds of
`align.decoders._length_bins` no path through the state scores more than ::

    H_k(t, d) + R_{k+1}(bin of d, t + d)

States below a threshold are dropped as they are met, and only frames that a state leads to are
looked at. If the best path that is found reaches every threshold that was used, it is the best of
all, and so are its ties.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._first_order import Tables
from align.decoders._length_bins import Bins, Bounds
from align.decoders._numba import compiled
from align.decoders._vectors import LANES, TILE, bounded_lines, lengthen, lowest_bit, prefetch
from align.types import IntArray

__all__ = ["Kept", "greatest_bound", "search"]


_Float64 = npt.NDArray[np.float64]


class Kept(NamedTuple):
    """Room for the states that are kept.

    Attributes
    ----------
    value : np.ndarray [dtype=float64]
        H_k(t, d).
    length : np.ndarray [dtype=int32]
        d.
    end : np.ndarray [dtype=int32]
        ``t + d - first[k + 1]``.
    other : np.ndarray [dtype=int32]
        The state before that ends at the same frame; -1 for none.
    begin : np.ndarray [shape=(K + 1,), dtype=intp]
        Where the states of each event begin.
    """

    value: _Float64
    length: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    other: npt.NDArray[np.int32]
    begin: IntArray


@compiled()
def greatest_bound(tables: Tables, bins: Bins, bounds: Bounds) -> float:
    """Return a score that no path exceeds."""
    first, last = tables.windows.first, tables.windows.last
    duration = tables.duration[tables.row[0]]
    unit = 1.0 / bounds.unit
    stride = (last[1] - first[1] + LANES) // LANES * LANES
    greatest = -np.inf
    for t in range(first[0], last[0] + 1):
        onset = float(tables.onset[0, t - tables.start[0]])
        for b in range(bins.n_bins[0]):
            source = bounds.offset[1] + b * stride + t - first[1]
            low = max(bins.edge[0, b], first[1] - t)
            for d in range(low, min(bins.edge[0, b + 1], last[1] - t + 1)):
                bound = onset + duration[d] + lengthen(bounds.score[source + d]) * unit
                greatest = max(greatest, bound)
    return float(greatest + bounds.base[1] * unit)


@compiled()
def search(
    tables: Tables,
    ratio: _Float64,
    alpha: _Float64,
    beta: _Float64,
    bins: Bins,
    bounds: Bounds,
    threshold: float,
    beam: float,
    crowd: int,
    kept: Kept,
    onsets: IntArray,
) -> tuple[float, float]:
    """Find the best path; return its score and the highest threshold that was used.

    The score is -inf where no path reaches the thresholds, NaN where there is no more room. A
    finite `beam` lets the threshold follow the best bound of each event at that distance, which
    narrows where more than `crowd` states of one event are kept.
    """
    # arrays taken out of tuples are counted: once here, not in the loops
    first, last = tables.windows.first, tables.windows.last
    all_shortest, all_longest = tables.windows.shortest, tables.windows.longest
    onset_table, start = tables.onset, tables.start
    after, offset = bounds.score, bounds.offset
    bin_of, n_bins = bins.of, bins.n_bins
    kept_value, kept_length, kept_end, kept_other = kept.value, kept.length, kept.end, kept.other
    n_events = onsets.size
    widest = np.max(last - first) + 1
    # the last state that ends at each frame of the next onset, and the best score of those
    newest, coming = np.full((2, widest), -1, dtype=np.int32)
    best, coming_best = np.full((2, widest), -np.inf)
    length, slope, level = np.empty((3, widest))
    value, own = np.empty((2, int(np.max(all_longest)) + 1 + TILE))
    unit = 1.0 / bounds.unit
    highest = threshold
    n = 0
    reached_first, reached_last = 0, last[0] - first[0]
    for k in range(n_events):
        begin = kept.begin[k] = n
        a, b, c = ratio[k]
        base = bounds.base[k + 1] * unit
        stride = (last[k + 1] - first[k + 1] + LANES) // LANES * LANES
        duration = tables.duration[tables.row[k]]
        shortest, longest = all_shortest[k], all_longest[k]
        for d in range(shortest, longest + 1):
            own[d] = duration[d] + a * float(d) * float(d)
        top_own = 0.0  # without the cost of a change, for all lengths
        if not tables.flat:
            top_own = np.max(duration[shortest : longest + 1])
        of_all = offset[k + 1]  # the greatest bounds of all bins
        if k < n_events - 1:
            of_all += n_bins[k] * stride
        step = 1.0 / alpha[k] if alpha[k] > 0.0 else 0.0
        if k + 3 < n_events:
            at = offset[k + 3]
            prefetch(after, at, offset[k + 4] - at)
        greatest = -np.inf
        next_first, next_last = last[k + 1] - first[k + 1], 0
        for i in range(reached_first, reached_last + 1):
            t = first[k] + i
            onset = float(onset_table[k, t - start[k]])
            top, state = best[i], newest[i]
            best[i], newest[i] = -np.inf, -1
            n_lines = 1
            if k == 0:
                top = length[0] = slope[0] = level[0] = 0.0
            left = top + onset + base + top_own - threshold
            if not left >= 0.0:
                continue
            if k > 0:
                n_lines = 0
                while state >= 0:
                    d_before = float(kept_length[state])
                    length[n_lines] = d_before
                    slope[n_lines] = c * d_before
                    level[n_lines] = kept_value[state] + b * d_before * d_before
                    state = kept_other[state]
                    n_lines += 1
            low = max(shortest, first[k + 1] - t)
            high = min(longest, last[k + 1] - t)
            if k > 0 and step > 0.0:  # what a change of length may cost
                reach = np.sqrt(left)
                nearest = (beta[k] * length[0] - reach) * step
                farthest = (beta[k] * length[n_lines - 1] + reach) * step
                if nearest > low:
                    low = int(min(np.ceil(nearest), high + 1.0))
                if farthest < high:
                    high = int(np.floor(farthest))
            if low > high:
                continue
            first_end = t - first[k + 1]
            next_first = min(next_first, first_end + low)
            next_last = max(next_last, first_end + high)
            if n + high - low >= kept_value.size:
                return np.nan, highest
            for tile in range(low, high + 1, TILE):
                bits = bounded_lines(
                    slope, level, n_lines, tile, own, onset, after,
                    of_all + first_end + tile, unit, base, threshold, value, high,
                )  # fmt: skip
                while bits != 0:  # without branches, which none could foresee
                    d = tile + lowest_bit(bits)
                    bits &= bits - 1
                    end = first_end + d
                    bound = value[d] + base
                    if k < n_events - 1:
                        row = np.intp(bin_of[k, d - shortest]) * stride
                        bound += lengthen(after[offset[k + 1] + row + end]) * unit
                    reached = bound >= threshold
                    kept_value[n] = value[d]
                    kept_length[n] = d
                    kept_end[n] = end
                    kept_other[n] = coming[end]
                    coming[end] = n if reached else coming[end]
                    score = value[d] if reached else -np.inf
                    coming_best[end] = score if score > coming_best[end] else coming_best[end]
                    greatest = bound if bound > greatest else greatest
                    n += reached
        if n == begin:
            return -np.inf, highest
        reached_first, reached_last = next_first, next_last
        newest, coming = coming, newest
        best, coming_best = coming_best, best
        if beam < np.inf:
            much = (n - begin) / crowd
            if much > 1.0:
                beam *= max(0.1, much**-0.5)
            elif much < 0.5:
                beam *= 1.1
            threshold = greatest - beam
            highest = max(highest, threshold)
    kept.begin[n_events] = n
    return _trace(tables, ratio, kept, onsets), highest


@compiled()
def _trace(tables: Tables, ratio: _Float64, kept: Kept, onsets: IntArray) -> float:
    """Fill the best path through the states that were kept; ties: the greatest length before."""
    first, begin = tables.windows.first, kept.begin
    kept_value, kept_length, kept_end = kept.value, kept.length, kept.end
    n_events = onsets.size
    total, state = -np.inf, -1
    for s in range(begin[n_events - 1], begin[n_events]):
        if kept_value[s] > total:
            total, state = kept_value[s], s
    t = first[n_events]
    for k in range(n_events - 1, -1, -1):
        d = float(kept_length[state])
        t -= kept_length[state]
        onsets[k] = t
        if k == 0:
            break
        top, end = -np.inf, t - first[k]
        b, c = ratio[k, 1], ratio[k, 2]
        for s in range(begin[k - 1], begin[k]):  # by rising onset, falling length
            if kept_end[s] == end:
                x = float(kept_length[s])
                value = kept_value[s] + b * x * x + c * x * d
                if value > top:
                    top, state = value, s
    return total
