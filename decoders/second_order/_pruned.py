"""The best path by bounds: most states are dropped before they are ever decoded.

A beam that follows the bounds finds a path that is usually the best. All states whose bound
reaches its score are then searched, so that what is returned is the best of all, ties included.
Where too many states are left nothing is returned, and envelopes decode all of them.
"""

from typing import NamedTuple

import numpy as np

from align._numba import compiled
from align.decoders._first_order import Tables
from align.decoders.second_order._bounds import Bounds, bound_all, bound_offsets, scratch_bytes
from align.decoders.second_order._knots import Lengths, choose_lengths, most_places
from align.decoders.second_order._search import States, search
from align.types import Float64, FloatArray, IntArray

_BEAM = 0.25  # its width at first, in spreads of the scores of one onset
_AIMS = (4, 32)  # states of each event that beams aim at, one after the other
_ENOUGH = 3 * 2**29  # bytes that are allocated without being asked
_FEW = 2**13  # states that envelopes decode sooner than bounds are found
# states there is room for: so many for each frame an onset can take, and more; beyond, envelopes
_ROOM, _MORE_ROOM = 12, 2**12

_LANES = 8  # frames whose extremes are found at once
_EPS = float(np.finfo(np.float64).eps)
_NOTHING = 8.0 * _EPS  # of a number, may be rounding


class Found(NamedTuple):
    """Score of the best path without the constant, its onsets, and how many states were kept."""

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
    a, b, c = np.asarray(ratio, dtype=np.float64).T
    if not ((a <= 0.0).all() and (b <= 0.0).all()):
        return False
    most = 2.0 * np.sqrt(-a) * np.sqrt(-b) * (1.0 + 4.0 * _EPS)  # a b can underflow
    return bool((np.abs(c) <= most).all())


def search_by_bounds(
    tables: Tables, ratio: FloatArray, max_memory: int | None, few: int = _FEW
) -> Found | None:
    """Find the best path; None where the bounds leave too many states, or no path is finite.

    The terms of `ratio` [shape=(K, 3)] are concave. At most `max_memory` bytes are allocated, by
    default `_ENOUGH`; problems of at most `few` states are left to envelopes.
    """
    windows, n_events = tables.windows, tables.row.size
    n_frames = windows.last[:-1] - windows.first[:-1] + 1
    n_nodes = int(n_frames.sum())
    n_states = int(n_frames @ (windows.longest - windows.shortest + 1))
    if n_events < 2 or n_states < few:
        return None
    allowed = _ENOUGH if max_memory is None else max_memory
    longest, widest = int(windows.longest.max()), int(n_frames.max())
    places = most_places(longest)
    used = 16 * n_events * places + 200 * n_events + 40 * widest
    used += scratch_bytes(places, longest, widest)
    if used > allowed:
        return None
    terms: Float64 = np.ascontiguousarray(ratio, dtype=np.float64)
    roots, (top, bottom) = np.empty((3, n_events)), np.empty((2, n_events))
    _extremes(tables, top, bottom)
    spread, rounded = _measure(tables, terms, top, bottom, roots)
    lengths = Lengths(*np.empty((2, n_events, places), np.intp), *np.empty((2, n_events), np.intp))
    choose_lengths(windows, roots[0], roots[1], spread, lengths)
    offset, stride, offset_of_all = bound_offsets(windows.first, windows.last, lengths.n_knots)
    n_rows, n_of_all = int(offset[-1]), int(offset_of_all[-1])
    used += 4 * (n_rows + n_of_all + n_nodes)
    room = min(_ROOM * n_nodes + _MORE_ROOM, (allowed - used) // 16)
    if room < min(n_nodes, _MORE_ROOM):
        return None
    # two blocks, of which the first is filled and the second hardly touched: what a single array
    # took, the system can give to the next call as it is
    of_all, table = np.split(np.empty(n_of_all + n_rows, np.float32), [n_of_all])
    cuts = np.cumsum([2 * room, room, room])
    value, length, other, newest = np.split(np.empty(4 * room + n_nodes, np.int32), cuts)
    level, greatest, top_length = np.empty((3, n_events + 1))
    bounds = Bounds(
        table, offset, stride, of_all, offset_of_all, level, greatest, top_length, spread
    )
    bound = bound_all(tables, roots, top, lengths, bounds)
    if bound == -np.inf:
        return None
    place, begin = np.empty((2, n_events + 1), dtype=np.intp)
    states = States(value.view(np.float64), length, other, newest, place, begin)
    onsets = np.empty(n_events, dtype=np.intp)
    beam, known = _BEAM * spread, -np.inf
    for aim in _AIMS:
        score, highest = search(
            tables, terms, roots, lengths, bounds, bound - beam, beam, aim, states, onsets
        )
        if not score > known:  # NaN where there was no room
            continue
        known = score
        slack = 8.0 * _EPS * (n_events + 8) * (rounded + abs(known) - known)
        if not highest <= known - slack:
            score, _ = search(
                tables, terms, roots, lengths, bounds, known - slack, np.inf, 1, states, onsets
            )
        if score >= known:
            return Found(score, onsets, int(states.begin[n_events]))
    return None


@compiled()
def _extremes(tables: Tables, top: Float64, bottom: Float64) -> None:
    """Fill the greatest and the least finite score of each onset within its window.

    Eight frames at once, each with its own extremes, because the compiler makes no vectors of a
    loop that has one.
    """
    onset, first, last = tables.onset, tables.windows.first, tables.windows.last
    high, low = np.empty((2, _LANES))
    for k in range(top.size):
        high[:], low[:] = -np.inf, np.inf
        begin, end = first[k] - tables.start[k], last[k] - tables.start[k] + 1
        for i in range(begin, end, _LANES):
            at = min(i, max(begin, end - _LANES))  # the last ones overlap those before
            for j in range(min(_LANES, end - at)):
                value = float(onset[np.uintp(k), np.uintp(at + j)])
                most = high[np.uintp(j)]
                high[np.uintp(j)] = value if value > most else most
                value = value if value > -np.inf else np.inf
                least = low[np.uintp(j)]
                low[np.uintp(j)] = value if value < least else least
        top[k], bottom[k] = np.max(high), np.min(low)


@compiled()
def _measure(
    tables: Tables, ratio: Float64, top: Float64, bottom: Float64, roots: Float64
) -> tuple[float, float]:
    """Fill alpha, beta and rho of each event; return the spread, and what rounding grows with.

    The spread is the mean difference of the greatest and the least score of an onset.
    """
    longest = tables.windows.longest
    total, n, rounded = 0.0, 0, 0.0
    for k in range(top.size):
        a, b, c = ratio[k, 0], ratio[k, 1], ratio[k, 2]
        roots[0, k], roots[1, k] = np.sqrt(-a), np.sqrt(-b)
        product = 2.0 * roots[0, k] * roots[1, k]
        rest = product - c
        roots[2, k] = rest if rest > _NOTHING * product else 0.0
        rounded += max(0.0, 2.0 * top[k])
        if not tables.flat:
            rounded += max(0.0, 2.0 * np.max(tables.duration[tables.row[k], : longest[k] + 1]))
        length = float(max(longest[k], longest[k - 1] if k > 0 else 0))
        rounded += (abs(a) + abs(b) + abs(c)) * length * length
        if top[k] > bottom[k]:
            total += top[k] - bottom[k]
            n += 1
    spread = total / n if n > 0 and 1e-290 * n < total < 1e290 else 1.0
    return spread, rounded + 16.0 * spread  # bounds are some spreads beside the scores
