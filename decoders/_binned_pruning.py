"""The best path by bounds over bins of lengths.

A beam that follows the bounds (`align.decoders._suffix_bounds`) finds a path that is usually the
best. All states whose bound reaches its score are then decoded exactly
(`align.decoders._bounded_search`), so that what is returned is the best, ties included. Where too
many states are left, nothing is returned and `align.decoders._envelope` decodes all of them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._bounded_search import Kept, search
from align.decoders._first_order import Tables
from align.decoders._length_bins import (
    Bins,
    bytes_of_bins,
    cut_lengths,
    expected_lengths,
    no_bins,
)
from align.decoders._suffix_bounds import (
    N_BETWEEN,
    Bounds,
    bound_after,
    n_bounds,
    n_scratch,
    suffix_bounds,
)
from align.decoders._vectors import LANES, MOST, extremes
from align.decoders._windows import Windows
from align.decoders._workspace import KEPT, Workspace
from align.types import FloatArray, IntArray

__all__ = ["Searched", "is_concave", "search_by_bins"]

# spreads of the scores of one onset that a shortfall can be told of, the fewer, the shorter is a
# unit: this part of what the scores of any onset differ by, but at least and at most so many
_PART = 0.8
_TOLD = (3.0, 12.0)
_AGAIN = 8.0  # where fewer can be told, the most of them are tried as well
_AT_ONCE = 0.3  # if so great a part of what bounds are above a path is lost at one event
_BEAM = 0.25  # how wide it begins, in spreads of the scores of one onset
# of each beam: how many states of an event it aims at, its growth at most, and how many spreads
# its path may be from the greatest bound (where it is farther, too many states are between)
_BEAMS = ((4, 1.1, 1.0), (24, 1.1, 8.0), (128, 4.0, 8.0))
_CLOSER = 0.7  # once there was no room, the score must be that much closer
_ENOUGH = 2**31  # bytes that are allocated without being asked
_ROWS = 64  # bytes of bounds for each frame, about, where wide windows have more bins
_SHARE = 8  # of so many parts of all memory, these may take one
_FEW = 2**13  # states that are decoded sooner than bounds are found
_LEAST = 2.0  # states that there must be room for, for each frame an onset can take
_MOST = 8.0  # at most: beyond, envelopes are as fast

_Float64 = npt.NDArray[np.float64]
_EPS = float(np.finfo(np.float64).eps)
_NOTHING = 8.0 * _EPS  # of a number, may be rounding


class Searched(NamedTuple):
    """What `search_by_bins` found.

    Attributes
    ----------
    score : float
        Of the best path, without the constant.
    onsets : np.ndarray [shape=(K,), dtype=intp]
        That path.
    n_states : int
        States that were kept by the last search.
    """

    score: float
    onsets: IntArray
    n_states: int


def is_concave(ratio: FloatArray) -> bool:
    """Whether no ratio term exceeds its tangents.

    Parameters
    ----------
    ratio : np.ndarray [shape=(K, 3)]
        As in `Potentials`.

    Examples
    --------
    >>> is_concave(np.array([[0.0, 0, 0], [-1, -1, 2]])), is_concave(np.array([[-1.0, -1, 3]]))
    (True, False)
    """
    return bool(_is_concave(np.ascontiguousarray(ratio, dtype=np.float64)))


@compiled()
def _is_concave(ratio: npt.NDArray[np.float64]) -> bool:
    for k in range(ratio.shape[0]):
        a, b, c = ratio[k]
        if not (a <= 0.0 and b <= 0.0):
            return False
        if not abs(c) <= 2.0 * np.sqrt(-a) * np.sqrt(-b) * (1.0 + 4.0 * _EPS):  # a b can underflow
            return False
    return True


def search_by_bins(
    tables: Tables, ratio: FloatArray, max_memory: int | None, few: int = _FEW
) -> Searched | None:
    """Find the best path; None where the bounds leave too many states, or no path is finite.

    Parameters
    ----------
    tables : Tables
        Onset and duration scores.
    ratio : np.ndarray [shape=(K, 3)]
        Concave terms.
    max_memory : int or None
        Most bytes to allocate; None for `_ENOUGH`.
    few : int
        States that are decoded sooner than bounds are found.
    """
    n_events = tables.row.size
    n_nodes, n_states, widest_window, most, longest = _measure(tables.windows)
    if n_events < 2 or n_states < few:
        return None
    allowed = _ENOUGH if max_memory is None else max_memory
    used = bytes_of_bins(n_events, most) + 4 * N_BETWEEN
    used += 120 * n_events + 48 * widest_window + 24 * longest
    if used > allowed:
        return None
    bins = no_bins(n_events, most)
    terms: _Float64 = np.ascontiguousarray(ratio, dtype=np.float64)
    roots = np.empty((3, n_events))
    top = np.empty(n_events)
    more = _ROWS * n_nodes < allowed // _SHARE
    widest, n_rows, spread, told, rounded, offsets = _prepare(
        tables, terms, more, bins, roots, top
    )
    of_all, of_rows = offsets
    n_of_all, n_by_row = offsets[:, -1].tolist()
    n_by_row += widest_window + LANES
    n_bytes = 2 * (n_of_all + LANES + n_rows + n_by_row) + 4 * n_nodes + 1024
    room = _room(n_nodes, n_bytes, allowed - used)
    n_bytes += 16 * room
    if n_bytes + used > allowed:
        return None
    with Workspace(n_bytes) as space:
        shortfall = space.take(n_of_all + LANES, np.uint16)
        by_row = space.take(n_by_row, np.uint16)
        base, most_left = np.empty((2, n_events + 1))
        scratch = space.take(n_rows, np.uint16)
        kept = Kept(
            space.take(room, np.float64),
            space.take(room, np.int32),
            space.take(room, np.int32),
            space.take(n_nodes, np.int32),
            np.empty(n_events + 1, dtype=np.intp),
            np.empty(n_events + 1, dtype=np.intp),
        )
        onsets = np.empty(n_events, dtype=np.intp)
        onsets[0] = -1
        while True:
            unit = (MOST + 1) / (told * spread)
            bounds = Bounds(shortfall, by_row, of_all, of_rows, base, most_left, unit)
            bound = suffix_bounds(tables, roots, bins, widest, top, bounds, scratch)
            if bound == -np.inf:
                return None
            score = _search_beneath(
                bound, tables, terms, roots, bins, bounds, spread, rounded, kept, onsets
            )
            if score > -np.inf:
                return Searched(score, onsets, int(kept.begin[n_events]))
            if told > _AGAIN or _lost_at_once(tables, terms, bins, bounds, onsets) < _AT_ONCE:
                return None
            told = _TOLD[1]


def _search_beneath(
    bound: float,
    tables: Tables,
    terms: _Float64,
    roots: _Float64,
    bins: Bins,
    bounds: Bounds,
    spread: float,
    rounded: float,
    kept: Kept,
    onsets: IntArray,
) -> float:
    """Find the best path, given bounds and the greatest of all; return its score.

    It is -inf where there is no room for the states that may be on it: `onsets` holds the path of
    a beam then, if one was found.
    """
    n_events = onsets.size
    beam, known, closer = _BEAM * spread, -np.inf, np.inf
    for crowd, wider, far in _BEAMS:
        score, highest = search(
            tables, terms, roots, bins, bounds, bound - beam, beam, crowd, wider, kept, onsets
        )
        if not (score > known and bound - score < min(closer, far * spread)):
            continue
        known = score
        slack = 8.0 * _EPS * (n_events + 8) * (rounded + abs(known) - known)
        if not highest <= known - slack:
            score, _ = search(
                tables, terms, roots, bins, bounds, known - slack, np.inf, 1, 1.0, kept, onsets
            )
        if score >= known:
            return score
        closer = _CLOSER * (bound - known)  # there was no room for all states
    return -np.inf


@compiled()
def _lost_at_once(
    tables: Tables, ratio: _Float64, bins: Bins, bounds: Bounds, onsets: IntArray
) -> float:
    """Return which part of what the bounds are above a path is lost at one event, at most.

    Bounds that cannot tell enough spreads lose all they do where a change costs more than that;
    others lose a little at every event. It is 1 where there is no path, and `onsets` negative.
    """
    if onsets[0] < 0:
        return 1.0
    n_events, end = onsets.size, tables.windows.last[onsets.size]
    rest = above = most = 0.0  # of what follows: its score, and how far its bound is above that
    for k in range(n_events - 1, 0, -1):
        t = onsets[k]
        d, before = end - t, t - onsets[k - 1]
        a, b, c = ratio[k]
        rest += float(tables.onset[k, t - tables.start[k]]) + tables.duration[tables.row[k], d]
        rest += a * d * d + b * before * before + c * d * before
        here = bound_after(tables.windows, bins, bounds, b, k, before, t) - rest
        most, above, end = max(most, here - above), here, t
    return most / above if above > 0.0 else 0.0


def _room(n_nodes: int, n_bytes: int, allowed: int) -> int:
    """Return how many states there is room for, beside other bytes.

    Room for many comes for nothing where memory is kept from call to call, or cannot be kept.
    """
    least, most = (int(share * n_nodes) + 4096 for share in (_LEAST, _MOST))
    rest = allowed - n_bytes
    if n_bytes + 16 * least <= KEPT:
        rest = min(rest, KEPT - n_bytes)
    return max(least, min(most, rest // 16))


@compiled()
def _measure(windows: Windows) -> tuple[int, int, int, int, int]:
    """Return how many frames all onsets can take, how many states there are, and maxima.

    Of the frames of one onset, of the lengths of one event, and of the lengths.
    """
    first, last, shortest, longest = windows
    n_nodes, n_states, most_frames, most_lengths, top = 0, 0, 0, 0, 0
    for k in range(shortest.size):
        n_frames, n_lengths = last[k] - first[k] + 1, longest[k] - shortest[k] + 1
        n_nodes += n_frames
        n_states += n_frames * n_lengths
        most_frames, most_lengths = max(most_frames, n_frames), max(most_lengths, n_lengths)
        top = max(top, longest[k])
    return n_nodes, n_states, most_frames, most_lengths, top


@compiled()
def _prepare(
    tables: Tables, ratio: _Float64, more: bool, bins: Bins, roots: _Float64, top: _Float64
) -> tuple[int, int, float, float, float, IntArray]:
    """Fill bins, roots of the terms [shape=(3, K)], and the greatest score of each onset.

    `more` is whether there is memory for more bins where windows are wide.
    Returns the width of the widest bin, how much room `suffix_bounds` needs, the mean difference
    of the scores of one onset, or spread, how many of them shortfalls can be told of, what
    rounding is proportional to beside the score, and where the bounds of each begin. What lies
    beside the window of an onset may be anything, even NaN.
    """
    first, last = tables.windows.first, tables.windows.last
    onset, start, longest = tables.onset, tables.start, tables.windows.longest
    total, n, most, rounded = 0.0, 0, 0.0, 0.0
    found = np.empty(2)
    for k in range(top.size):
        a, b, c = ratio[k]
        roots[0, k], roots[1, k] = np.sqrt(-a), np.sqrt(-b)
        product = 2.0 * roots[0, k] * roots[1, k]
        rest = product - c
        roots[2, k] = rest if rest > _NOTHING * product else 0.0
        begin = first[k] - start[k]
        end = last[k] - start[k] + 1
        extremes(onset, k * onset.shape[1] + begin, end - begin, found)
        top[k] = found[0]
        rounded += max(0.0, 2.0 * top[k])
        if not tables.flat:
            rounded += max(0.0, 2.0 * np.max(tables.duration[tables.row[k], : longest[k] + 1]))
        length = float(max(longest[k], longest[k - 1] if k > 0 else 0))
        rounded += (abs(a) + abs(b) + abs(c)) * length * length
        if found[0] > found[1]:
            total += found[0] - found[1]
            most = max(most, found[0] - found[1])
            n += 1
    spread = total / n if n > 0 and 1e-290 * n < total < 1e290 else 1.0
    told = min(max(_PART * most / spread, _TOLD[0]), _TOLD[1])
    rounded += 16.0 * spread  # of bounds, which are some spreads in all
    expected = expected_lengths(first, last, roots[0], roots[1])
    steep = np.empty(top.size)
    for k in range(top.size):
        steep[k] = max(roots[0, k], roots[1, k + 1] if k < top.size - 1 else 0.0) / np.sqrt(spread)
        if k < top.size - 1 and roots[2, k + 1] > 0.0:
            steep[k] = np.inf  # costs that rise with lengths are not known beyond these
    widest, n_most = cut_lengths(expected, steep, tables.windows, more, bins)
    n_rows = n_scratch(widest, np.max(last - first) + 1, n_most)
    return widest, n_rows, spread, told, rounded, n_bounds(first, last, bins)
