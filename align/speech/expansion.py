"""What phones leave out: closures of stops, and silence at either end.

A model of TIMIT's labels has a label for the closure of a stop and one for its release; a
pronunciation dictionary has one for both. Where no closure is given, each stop is decoded as
closure and release, and begins with its closure.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from align.decoders import Lattice
from align.features import Feature, Signal
from align.sequence.lattices import ExpandedLattice
from align.terms import SegmentTerm
from align.types import SILENCE, Event, IntArray

__all__ = [
    "Spelled",
    "abrupt_costs",
    "closures_of",
    "expanded_lattice",
    "expanded_sequence",
    "is_closure",
]

_INSTANT = 0.015  # seconds at either end that say whether there is silence
_SILENT = math.log(0.3)  # from this log probability of silence on, nothing else is looked for

_CLOSURE_OF = {
    **dict.fromkeys(("p", "t", "k", "ch"), "cl"),
    **dict.fromkeys(("b", "d", "g", "jh"), "vcl"),
}


class Spelled(NamedTuple):
    """Phones as a model knows them: labels, the closure to put before each, whether it sounds."""

    labels: list[str]
    closures: list[str | None]
    sounds: list[bool]


def is_closure(symbol: str) -> bool:
    """Whether a phone is the closure of a stop, whose release follows it."""
    return symbol in _CLOSURE_OF.values()


def closures_of(symbols: Sequence[str], known: set[str]) -> list[str | None]:
    """Return the closure to put before each phone; none where closures are given or not known."""
    closures = set(_CLOSURE_OF.values())
    split = not closures.intersection(symbols) and closures <= known
    return [_CLOSURE_OF.get(symbol) if split else None for symbol in symbols]


def expanded_sequence(phones: Spelled) -> tuple[tuple[Event, ...], IntArray]:
    """Return the events to decode, and the place in them of each phone given, and of the end."""
    labels, closures, sounds = phones
    decoded: list[Event] = [SILENCE] if sounds[0] else []
    place = []
    for label, closure in zip(labels, closures, strict=True):
        place.append(len(decoded))
        decoded += [label] if closure is None else [closure, label]
    place.append(len(decoded))
    if sounds[-1]:
        decoded.append(SILENCE)
    return tuple(decoded), np.array(place, dtype=np.intp)


def abrupt_costs(
    features: Sequence[Feature], signal: Signal, cost: float, temperature: float
) -> tuple[float, float]:
    """Return what it costs that a recording begins, and that it ends, without a silence.

    That is `cost`, if a network among the features is certain of silence in the first or last
    instant, and less by the log probability of silence, which counts at a `temperature`. Where
    silence is probable, it is infinite: lattices are smaller so.
    """
    network = next((feature for feature in features if feature.scores_noise), None)
    if network is None or cost == math.inf:
        return cost, cost
    term = network.terms(signal, (SILENCE,))[f"{network.name}.phone"]
    assert isinstance(term, SegmentTerm)
    n = min(max(1, round(_INSTANT / signal.hop)), signal.n_frames)
    sums = term.prefix[term.rows[0]]
    begins, ends = (
        math.inf if silent >= _SILENT else max(0.0, cost + temperature * silent)
        for silent in (float(sums[n]) / n, float(sums[-1] - sums[-1 - n]) / n)
    )
    return begins, ends


def expanded_lattice(
    lattice: Lattice, phones: Spelled, abrupt: tuple[float, float] = (math.inf, math.inf)
) -> ExpandedLattice:
    """Return the lattice to decode, as `expanded_sequence` does for a sequence.

    Where no node is a closure, each stop becomes two nodes; paths that do not begin or end
    with silence get one that is outside of what was asked for. At the costs `abrupt`, if finite,
    the silence at the beginning, and that at the end, may also be left out.
    """
    labels, closures, sounds = phones
    decoded: list[Event] = []
    given, head, tail = [], [], []
    arcs, score = [], []
    for v, (label, closure) in enumerate(zip(labels, closures, strict=True)):
        head.append(len(decoded))
        given.append(v)
        if closure is not None:
            decoded.append(closure)
            given.append(-1)
            arcs.append((len(decoded) - 1, len(decoded)))
            score.append(0.0)
        decoded.append(label)
        tail.append(len(decoded) - 1)
    arcs += [(tail[u], head[v]) for u, v in lattice.arcs.tolist()]
    score += lattice.arc_score.tolist()
    outer: list[list[tuple[int, float]]] = []  # starts, ends
    u, v = lattice.arcs.T.tolist()
    for nodes, scores, side, beside, cost in (
        (lattice.starts.tolist(), lattice.start_score.tolist(), head, (u, v), abrupt[0]),
        (lattice.ends.tolist(), lattice.end_score.tolist(), tail, (v, u), abrupt[1]),
    ):
        silence = len(decoded)
        own = dict(zip(nodes, scores, strict=True))
        inner = {side[node]: value for node, value in own.items() if not sounds[node]}
        for node, value in own.items():
            if sounds[node]:
                arcs.append((silence, side[node]) if side is head else (side[node], silence))
                score.append(value)
        if any(sounds[node] for node in nodes):
            decoded.append(SILENCE)
            given.append(-2)
            inner[silence] = 0.0
        if cost < math.inf:
            for node, value in _sounds_first(own, sounds, *beside, lattice.arc_score.tolist()):
                inner[side[node]] = max(value - cost, inner.get(side[node], -math.inf))
        outer.append(list(inner.items()))
    return ExpandedLattice(
        _lattice(decoded, arcs, score, *outer), tuple(decoded), np.array(given, dtype=np.intp)
    )


def _sounds_first(
    outer: Mapping[int, float],
    sounds: Sequence[bool],
    near: Sequence[int],
    far: Sequence[int],
    score: Sequence[float],
) -> Iterator[tuple[int, float]]:
    """Yield the nodes that sound first, from one end, if silences at that end are left out.

    `outer` are the nodes at that end and their scores; arcs join those that are `near` it to
    those that are `far`, and have the scores given.
    """
    for node, value in outer.items():
        if sounds[node]:
            yield node, value
    for a, b, more in zip(near, far, score, strict=True):
        if a in outer and not sounds[a] and sounds[b]:
            yield b, outer[a] + more


def _lattice(
    events: Sequence[Event],
    arcs: Sequence[tuple[int, int]],
    score: Sequence[float],
    starts: Sequence[tuple[int, float]],
    ends: Sequence[tuple[int, float]],
) -> Lattice:
    """Return the lattice of scored arcs between events, and of scored starts and ends."""
    return Lattice(
        len(events),
        arcs,  # type: ignore[arg-type]
        [v for v, _ in starts],  # type: ignore[arg-type]
        [v for v, _ in ends],  # type: ignore[arg-type]
        score,  # type: ignore[arg-type]
        [value for _, value in starts],  # type: ignore[arg-type]
        [value for _, value in ends],  # type: ignore[arg-type]
        labels=tuple(str(event) for event in events),
    )
