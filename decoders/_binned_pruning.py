"""The best path by bounds over bins of lengths, where first-order bounds say too little.

A beam that follows the bounds (`align.decoders._length_bins`) finds a path that is usually the
best. All states whose bound reaches its score are then decoded exactly
(`align.decoders._bounded_search`), so that what is returned is the best, ties included. Where too
many states are left, nothing is returned and `align.decoders._envelope` decodes all of them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._bounded_search import Kept, greatest_bound, search
from align.decoders._first_order import Tables
from align.decoders._length_bins import (
    Bins,
    Bounds,
    cut_lengths,
    expected_lengths,
    most_bins,
    n_bounds,
    n_scratch,
    rounding,
    suffix_bounds,
)
from align.decoders._numba import compiled
from align.decoders._vectors import TILE
from align.decoders._workspace import Workspace, workspace
from align.types import FloatArray, IntArray

__all__ = ["Searched", "search_by_bins"]

_BEAM = 4.0  # to begin with, in spreads of the scores of one onset
_CROWDS = (32, 128)  # states of one event, above which the beam narrows
_ENOUGH = 2**28  # bytes that are allocated without being asked
_FEW = 2**16
_SHARE = 2.0  # most states that are kept, for each frame an onset can take
_Float64 = npt.NDArray[np.float64]
_EPS = float(np.finfo(np.float64).eps)


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
    first, last, shortest, longest = tables.windows
    n_events = shortest.size
    n_frames = last[:-1] - first[:-1] + 1
    n_nodes = int(n_frames.sum())
    n_lengths = longest - shortest + 1
    if n_events < 2 or int(n_frames @ n_lengths) < few:
        return None
    terms: _Float64 = np.ascontiguousarray(ratio, dtype=np.float64)
    a, b, c = terms.T
    alpha, beta = np.sqrt(-a), np.sqrt(-b)
    rest = np.maximum(0.0, 2.0 * alpha * beta - c)
    most = most_bins(int(n_lengths.max()))
    allowed = _ENOUGH if max_memory is None else max_memory
    used = n_events * (int(n_lengths.max()) + 16 * (most + 1) + 128)
    used += 48 * int(n_frames.max()) + 16 * int(longest.max())
    if used > allowed:
        return None
    bins = Bins(
        np.empty((n_events, most + 1), dtype=np.intp),
        np.empty(n_events, dtype=np.intp),
        np.empty((n_events, int(n_lengths.max())), dtype=np.uint8),
    )
    widest = cut_lengths(expected_lengths(first, last, alpha, beta), shortest, longest, bins)
    most = int(bins.n_bins.max())
    bins = bins._replace(edge=np.ascontiguousarray(bins.edge[:, : most + 1]))
    offset = n_bounds(first, last, bins)
    room = int(_SHARE * n_nodes) + 4096
    n_rows = n_scratch(widest, int(n_frames.max()), most + 1)
    n_bytes = 2 * (int(offset[-1]) + TILE) + 4 * n_rows + 20 * room + 1024
    if n_bytes + used > allowed:
        return None
    with workspace(n_bytes) as space:
        return _search(
            tables, terms, (alpha, beta, rest), bins, widest, offset, n_rows, room, space
        )


def _search(
    tables: Tables,
    terms: _Float64,
    roots: tuple[_Float64, _Float64, _Float64],
    bins: Bins,
    widest: int,
    offset: IntArray,
    n_rows: int,
    room: int,
    space: Workspace,
) -> Searched | None:
    """Find bounds, a path by a beam, and what is better."""
    n_events = bins.n_bins.size
    alpha, beta, _ = roots
    spread = _spread(tables)
    bounds = Bounds(
        space.take(int(offset[-1]) + TILE, np.uint16), offset, np.empty(n_events + 1), 1.0 / spread
    )
    top_onset = _top_onsets(tables)
    scratch = space.take(n_rows, np.float32)
    if not suffix_bounds(tables, roots, bins, widest, top_onset, bounds, scratch):
        return None
    kept = Kept(
        space.take(room, np.float64),
        space.take(room, np.int32),
        space.take(room, np.int32),
        space.take(room, np.int32),
        np.empty(n_events + 1, dtype=np.intp),
    )
    onsets = np.empty(n_events, dtype=np.intp)
    top = greatest_bound(tables, bins, bounds)
    if not np.isfinite(top):
        return None
    for crowd in _CROWDS:
        beam = _BEAM * spread
        score, highest = search(
            tables, terms, alpha, beta, bins, bounds, top - beam, beam, crowd, kept, onsets
        )
        if score > -np.inf:
            break
    else:
        return None
    slack = _slack(tables, terms, top_onset, score, spread)
    if highest > score - slack:
        known = score
        score, _ = search(
            tables, terms, alpha, beta, bins, bounds, known - slack, np.inf, 1, kept, onsets
        )
        if not score >= known:
            return None
    return Searched(score, onsets, int(kept.begin[n_events]))


@compiled()
def _top_onsets(tables: Tables) -> _Float64:
    """Greatest score of each onset; what lies beside its window may be anything, even NaN."""
    first, last = tables.windows.first, tables.windows.last
    top = np.empty(tables.row.size)
    for k in range(top.size):
        at = first[k] - tables.start[k]
        top[k] = np.max(tables.onset[k, at : at + last[k] - first[k] + 1])
    return top


@compiled()
def _spread(tables: Tables) -> float:
    """Mean difference of the scores of one onset, of some onsets."""
    total, n = 0.0, 0
    for k in range(0, tables.row.size, tables.row.size // 16 + 1):
        at = tables.windows.first[k] - tables.start[k]
        low, high = np.inf, -np.inf
        for i in range(at, at + tables.windows.last[k] - tables.windows.first[k] + 1):
            score = float(tables.onset[k, i])
            low = min(low, score if score > -np.inf else np.inf)
            high = max(high, score)
        if high > low:
            total += high - low
            n += 1
    return total / n if n > 0 and 1e-290 * n < total < 1e290 else 1.0


@compiled()
def _slack(tables: Tables, ratio: _Float64, top: _Float64, score: float, spread: float) -> float:
    """Bound what rounding takes from the bounds of a path of this score, or adds to its score."""
    longest = tables.windows.longest
    n_events = longest.size
    span, terms = -score, abs(score)
    for k in range(n_events):
        span += top[k]
        terms += abs(top[k])
        if not tables.flat:
            most = np.max(tables.duration[tables.row[k], : longest[k] + 1])
            span += most
            terms += abs(most)
        length = float(max(longest[k], longest[k - 1] if k > 0 else 0))
        terms += np.sum(np.abs(ratio[k])) * length * length
    terms += span
    tiny = 3.0 * 2.0**-149 * n_events * spread  # what float32 loses near zero
    return rounding(n_events, span) + tiny + 8.0 * _EPS * (n_events + 8) * terms
