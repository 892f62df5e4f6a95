"""What phones leave out: closures of stops, and silence at either end.

A model of TIMIT's labels has a label for the closure of a stop and one for its release; a
pronunciation dictionary has one for both. Where no closure is given, each stop is decoded as
closure and release, and begins with its closure.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from align.decoders import Lattice
from align.sequence.lattices import ExpandedLattice
from align.speech.text.pronouncing.realisation import CLOSURE_OF
from align.types import SILENCE, Event, IntArray

__all__ = ["Spelled", "closures_of", "expanded_lattice", "expanded_sequence", "is_closure"]


class Spelled(NamedTuple):
    """Phones as a model knows them: labels, the closure to put before each, whether it sounds."""

    labels: list[str]
    closures: list[str | None]
    sounds: list[bool]


def is_closure(symbol: str) -> bool:
    """Whether a phone is the closure of a stop, whose release follows it."""
    return symbol in CLOSURE_OF.values()


def closures_of(symbols: Sequence[str], known: set[str]) -> list[str | None]:
    """Return the closure to put before each phone; none where closures are given or not known."""
    closures = set(CLOSURE_OF.values())
    split = not closures.intersection(symbols) and closures <= known
    return [CLOSURE_OF.get(symbol) if split else None for symbol in symbols]


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


def expanded_lattice(lattice: Lattice, phones: Spelled) -> ExpandedLattice:
    """Return the lattice to decode, as `expanded_sequence` does for a sequence.

    Where no node is a closure, each stop becomes two nodes; paths that do not begin or end
    with silence get one that is outside of what was asked for.
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
    for nodes, scores, side in (
        (lattice.starts.tolist(), lattice.start_score.tolist(), head),
        (lattice.ends.tolist(), lattice.end_score.tolist(), tail),
    ):
        silence = len(decoded)
        inner = [(side[v], x) for v, x in zip(nodes, scores, strict=True) if not sounds[v]]
        for v, value in zip(nodes, scores, strict=True):
            if sounds[v]:
                arcs.append((silence, side[v]) if side is head else (side[v], silence))
                score.append(value)
        if any(sounds[v] for v in nodes):
            decoded.append(SILENCE)
            given.append(-2)
            inner.append((silence, 0.0))
        outer.append(inner)
    return ExpandedLattice(
        _lattice(decoded, arcs, score, *outer), tuple(decoded), np.array(given, dtype=np.intp)
    )


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
