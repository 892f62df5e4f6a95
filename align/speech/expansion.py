"""What phones leave out: closures of stops, and silence at either end.

A model of TIMIT's labels has a label for the closure of a stop and one for its release; a
pronunciation dictionary has one for both. Where no closure is given, each stop is decoded as
closure and release, and begins with its closure.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from align.decoders import Lattice
from align.sequence.lattice.lattices import ExpandedLattice
from align.types import SILENCE, Event, Float64, IntArray

CLOSURE_OF = {
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
    spelled = zip(closures, labels, strict=True)
    decoded: list[Event] = [event for own in spelled for event in own if event is not None]
    split, loud = np.array([closure is not None for closure in closures]), np.array(sounds)
    tail = np.cumsum(1 + split) - 1
    head = tail - split
    given = np.full(len(decoded), -1)
    given[head] = np.arange(len(head))
    u, v = lattice.arcs.T
    arcs = [np.stack((head, tail), axis=1)[split], np.stack((tail[u], head[v]), axis=1)]
    score = [np.zeros(len(arcs[0])), lattice.arc_score]
    outer: list[tuple[IntArray, Float64]] = []  # starts, ends
    for nodes, scores, side, silent in (
        (lattice.starts, lattice.start_score, head, 0),
        (lattice.ends, lattice.end_score, tail, 1),
    ):
        sound = loud[nodes]
        inner, own = side[nodes[~sound]], scores[~sound]
        if sound.any():
            more = np.repeat(side[nodes[sound]][:, None], 2, axis=1)
            more[:, silent] = silence = len(decoded)
            arcs.append(more)
            score.append(scores[sound])
            inner, own = np.append(inner, silence), np.append(own, 0.0)
            decoded.append(SILENCE)
            given = np.append(given, -2)
        outer.append((inner, own))
    (starts, start_score), (ends, end_score) = outer
    joined = Lattice(
        len(decoded),
        np.concatenate(arcs),
        starts,
        ends,
        np.concatenate(score),
        start_score,
        end_score,
        labels=tuple(map(str, decoded)),
    )
    return ExpandedLattice(joined, tuple(decoded), given)
