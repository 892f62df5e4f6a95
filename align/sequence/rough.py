"""Roughly when each event of a long recording begins, in little memory.

Blocks of the recording, two minutes each, are pooled to cells of 40 ms and forgotten; the best
path through the cells of all (`align.decoders.CoarseBlocks`) says where everything is, to within a
second.

What a feature says of an event depends on the event before, on whether something follows that
`align.features.Feature.draws_out` names, and on whether it is the first or the last. An hour of
speech has some 60,000 phones, but few thousands that differ in this; so features of each block are
asked for a short sequence that *covers* these.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from align.decoders.coarse_blocks import CoarseBlocks
from align.features import Signal
from align.sequence.feature_terms import terms_of
from align.terms import BaseFunctions, DurationTerm
from align.types import Event, Float64, IntArray

_BLOCK = 120.0  # seconds of a block
_AROUND = 1.0  # seconds either side of a block that its scores may depend on
_CELL = 0.04  # seconds of a cell
_PAUSE = 8.0  # seconds that a pause may last at first: a second round takes as long as the first


def rough_onsets(
    aligner: Any,
    signal: Signal,
    events: tuple[Event, ...],
    windows: IntArray,
    costs: Mapping[Event, float],
) -> IntArray | None:
    """Return roughly when each event begins, in frames [shape=(K,)]; None if there is no way.

    The `aligner` is a fitted `SequenceAligner`; onsets are looked for in `windows` [shape=(K, 2)].
    Some events cost something where they last any time at all, and should not occur.
    """
    n_frames, hop = signal.n_frames, signal.hop
    free, room = aligner._free(events), aligner._room(signal)
    rare = np.array([event in costs for event in events])
    cover, places = covering(events, cache(aligner._draws_out))
    blocks = CoarseBlocks(max(1, round(_CELL / hop)), places)
    size = round(_BLOCK / hop) // blocks.factor * blocks.factor
    around = round(_AROUND / hop)
    for begin in range(0, n_frames, size):
        first, stop = max(0, begin - around), min(n_frames, begin + size + around)
        part = signal.part(first * hop, stop * hop)
        suited = aligner._suited(part)
        terms = terms_of([feature.rough() for feature in suited.features_], part, cover)
        x = suited._assemble(part, cover, terms)
        weights = suited._weights(x)
        if costs:
            x, weights = _with_costs(x, weights, cover, costs, part.hop)
        blocks.add(x, weights, begin - first, min(begin + size, n_frames) - first)
    pause: int | None = max(room.pause, round(_PAUSE / hop))
    onsets: IntArray | None = None
    while pause is not None:
        limits = room.limits(free, pause)
        onsets = blocks.onsets(limits, windows, rare, onsets)
        if onsets is None:
            return None
        pause = room.longer_pause(free, limits, onsets)
    return onsets


def covering(
    events: tuple[Event, ...], draws_out: Callable[[Event], bool]
) -> tuple[tuple[Event, ...], IntArray]:
    """Return a sequence of no more events, and the place in it of each of these [shape=(K,)].

    Examples
    --------
    A pause draws out what precedes it; "a" after "b" is found once:

    >>> cover, place = covering(tuple("abababab.ab"), lambda event: event == ".")
    >>> "".join(cover), place.tolist()
    ('ababab.ab', [0, 1, 2, 1, 2, 1, 2, 5, 6, 7, 8])
    """
    n = len(events)
    drawn = [draws_out(event) for event in events]
    known: dict[tuple[Event, Event, bool], int] = {}
    places = list(range(n))
    for k in range(1, n - 1):
        places[k] = known.setdefault((events[k - 1], events[k], drawn[k + 1]), k)
    kept = np.zeros(n, dtype=bool)  # those that stand for some, and their neighbours
    stand = np.array(sorted({0, n - 1, *known.values()}), dtype=np.intp)
    for beside in (-1, 0, 1):
        kept[np.clip(stand + beside, 0, n - 1)] = True
    number = np.cumsum(kept) - 1
    return tuple(events[k] for k in np.flatnonzero(kept)), number[places]


def _with_costs(
    x: BaseFunctions,
    weights: Float64,
    events: Sequence[Event],
    costs: Mapping[Event, float],
    hop: float,
) -> tuple[BaseFunctions, Float64]:
    """Return base functions and weights by which some events cost something where they occur.

    For a rough pass, in which events may take no cell: what takes none costs nothing.
    """
    nothing = round(_CELL / hop) // 2  # frames of which there may be none in cells
    kinds = list(costs)
    table = np.tile(-np.array([[costs[kind]] for kind in kinds]), x.n_frames + 1)
    table[:, : nothing + 1] = 0.0
    rows = np.array([kinds.index(e) if e in costs else -1 for e in events], dtype=np.intp)
    term = DurationTerm(table, rows)
    more = replace(x, terms=[*x.terms, term], names=[*x.names, "costs"])
    return more, np.append(weights, 1.0)
