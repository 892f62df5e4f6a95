"""Lattices of events as an aligner takes them, and what it returns."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from align.decoders import Lattice
from align.errors import ParameterError
from align.results.alignment import Alignment
from align.types import Event, IntArray


class LatticeAlignment(NamedTuple):
    """What `SequenceAligner.align_lattice` returns.

    Attributes
    ----------
    alignment : Alignment
        Of the events on the path that was chosen.
    nodes : np.ndarray [shape=(M,), dtype=intp]
        Node of the lattice that each of them is.
    """

    alignment: Alignment
    nodes: IntArray


class ExpandedLattice(NamedTuple):
    """A lattice of N nodes, the event of each, and those for what its labels leave out.

    `given` [shape=(N,)] is the node of the user's lattice that begins there; -1 where it goes on,
    -2 at one that is outside of what was asked for, before the first event or after the last.
    """

    lattice: Lattice
    events: tuple[Event, ...]
    given: IntArray


def arcs_in_order(lattice: Lattice) -> IntArray:
    """Return the numbers of the arcs [shape=(A,)], those to a node in front of those from it."""
    rank = np.argsort(lattice.order)
    return np.argsort(rank[lattice.arcs[:, 1]], kind="stable")


def neighbours(lattice: Lattice) -> tuple[list[list[int]], list[list[int]]]:
    """Return the nodes that precede each node, and those that follow it."""
    before: list[list[int]] = [[] for _ in range(lattice.n_nodes)]
    after: list[list[int]] = [[] for _ in range(lattice.n_nodes)]
    for u, v in lattice.arcs.tolist():
        before[v].append(u)
        after[u].append(v)
    return before, after


def node_events(lattice: Lattice, events: Sequence[Event] | None) -> tuple[Event, ...]:
    """Return the event of each node: by its number in ``lattice.event``, or its label.

    Raises ParameterError where there are neither events nor labels, or too few.
    """
    if events is None:
        if not lattice.labels:
            raise ParameterError(
                "the lattice has no labels to align; give it some, or pass events."
            )
        return lattice.labels
    if isinstance(events, str) or len(events) <= int(lattice.event.max()):
        raise ParameterError(
            f"events={events!r}, must be a sequence with one for each event of the lattice, "
            f"0..{lattice.event.max()}."
        )
    return tuple(events[k] for k in lattice.event)
