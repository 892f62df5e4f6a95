"""Lattices: which event may follow which, where events are optional or have alternatives.

A lattice is a directed acyclic graph. Its *nodes* are occurrences of events, its *arcs* say which
node may follow which. A *path* begins at a start node, follows arcs, and stops at an end node; it
has at least one node. `align.decoders.decode_lattice` finds the best path and its best timing.

* An optional event (a pause between words, an ornament) is a node that arcs pass by.
* Alternatives (pronunciation variants) are chains side by side between the same neighbours.
* A repeat (jump back to a mark) is unrolled: the second pass has nodes of its own, which are
  occurrences of the same events. Hence no cycle is needed, or allowed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from align.decoders._graphs import check_on_paths, topological_order
from align.errors import ParameterError, check_shape
from align.types import Float64, IntArray


@dataclass(frozen=True, eq=False)
class Lattice:
    """A directed acyclic graph of events.

    Parameters
    ----------
    n_nodes : int
        N, at least 1. Nodes may be numbered in any order.
    arcs : array_like [shape=(A, 2)]
        Node and the node that may follow it.
    starts, ends : array_like [shape=(S,)], [shape=(E,)]
        Nodes a path may begin at, and nodes it may end at.
    arc_score : array_like [shape=(A,)], optional
        Added to the score of a path that follows the arc; by default 0.
    start_score, end_score : array_like [shape=(S,)], [shape=(E,)], optional
        Added to the score of a path that begins or ends there; by default 0.
    event : array_like [shape=(N,)], optional
        Event of each node: its row in the potentials, which holds its scores, lengths and window.
        By default node n is event n. Nodes may share an event.
    labels : sequence of str, length N, optional
        What messages call the nodes.
    slot : array_like [shape=(N,)], optional
        Place of each node in what was aligned (a word, an event of the score); for callers, no
        decoder reads it. By default `event`.
    variant : array_like [shape=(N,)], optional
        Which alternative of its slot, or which pass of a repeat, each node belongs to; for
        callers. By default 0.

    Attributes
    ----------
    order : np.ndarray [shape=(N,), dtype=intp]
        The nodes, each after all that it may follow.

    Raises
    ------
    ParameterError
        There is a cycle; a node is on no path from a start to an end; there is no start or end
        node; a node does not exist, or an arc is there twice; a score is NaN or +inf.

    Examples
    --------
    A pause may come between two words:

    >>> lattice = Lattice(3, [(0, 1), (1, 2), (0, 2)], starts=[0], ends=[2],
    ...                   labels=("word", "pause", "word"))
    >>> lattice.n_arcs
    3
    """

    n_nodes: int
    arcs: IntArray
    starts: IntArray
    ends: IntArray
    arc_score: Float64 = None  # type: ignore[assignment]  # see __post_init__
    start_score: Float64 = None  # type: ignore[assignment]
    end_score: Float64 = None  # type: ignore[assignment]
    event: IntArray = None  # type: ignore[assignment]
    labels: tuple[str, ...] = field(default=(), repr=False)
    slot: IntArray = None  # type: ignore[assignment]
    variant: IntArray = None  # type: ignore[assignment]
    order: IntArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n = self.n_nodes
        if n < 1:
            raise ParameterError(f"n_nodes={n}, must be at least 1: a path has a node.")
        arcs = np.asarray(self.arcs, dtype=np.intp)
        if arcs.size == 0:
            arcs = arcs.reshape(0, 2)
        if arcs.ndim != 2 or arcs.shape[1] != 2:
            raise ParameterError(f"arcs.shape={arcs.shape}, must be (A, 2).")
        _set(self, "arcs", arcs)
        for name in ("starts", "ends"):
            _set(self, name, _nodes(getattr(self, name), n, name))
        wrong = np.flatnonzero((arcs < 0) | (arcs >= n))
        if wrong.size:
            u, v = arcs[wrong[0] // 2]
            raise ParameterError(f"arcs: {u} -> {v} leaves the nodes 0..{n - 1}.")
        code = np.sort(arcs[:, 0] * n + arcs[:, 1])
        twice = np.flatnonzero(code[1:] == code[:-1])
        if twice.size:
            u, v = divmod(int(code[twice[0]]), n)
            raise ParameterError(
                f"arcs: {u} -> {v} is there twice; keep the one that scores more."
            )
        for name, size in (
            ("arc_score", len(arcs)),
            ("start_score", len(self.starts)),
            ("end_score", len(self.ends)),
        ):
            _set(self, name, _scores(getattr(self, name), size, name))
        everyone = np.arange(n)
        _set(self, "event", _per_node(self.event, everyone, "event"))
        _set(self, "slot", _per_node(self.slot, self.event, "slot"))
        _set(self, "variant", _per_node(self.variant, np.zeros(n, dtype=np.intp), "variant"))
        if (self.event < 0).any():
            raise ParameterError(f"event={self.event.min()}, must not be negative.")
        _set(self, "labels", tuple(self.labels))
        if self.labels and len(self.labels) != n:
            raise ParameterError(f"{len(self.labels)} labels for {n} nodes.")
        _set(self, "order", topological_order(n, arcs))
        check_on_paths(n, arcs, self.starts, self.ends, self.label)

    @property
    def n_arcs(self) -> int:
        """A, the number of arcs."""
        return len(self.arcs)

    def label(self, node: int) -> str:
        """Name a node for a message, as ``node 2 ('ae')``; nodes count from 0."""
        return f"node {node} ({self.labels[node]!r})" if self.labels else f"node {node}"

    @classmethod
    def chain(cls, n: int, *, labels: Sequence[str] = ()) -> Self:
        """Build the lattice of `n` events of which each follows the one before.

        Parameters
        ----------
        n : int
            Events, at least 1.
        labels : sequence of str, length n, optional
            What messages call the events.

        Examples
        --------
        >>> Lattice.chain(3).arcs.tolist()
        [[0, 1], [1, 2]]
        """
        return cls.with_optional(n, (), labels=labels)

    @classmethod
    def with_optional(
        cls,
        n: int,
        optional: npt.ArrayLike,
        *,
        score: npt.ArrayLike = 0.0,
        max_run: int | None = None,
        labels: Sequence[str] = (),
    ) -> Self:
        """Build a chain of `n` events some of which may be left out.

        Parameters
        ----------
        n : int
            Events, at least 1.
        optional : array_like of int
            Those that may be left out, counted from 0.
        score : float or array_like [shape=(n,)]
            Added for each event that is left out.
        max_run : int, optional
            Greatest number of successive events left out; by default any. It bounds the arcs,
            which grow with the square of a run of optional events.
        labels : sequence of str, length n, optional
            What messages call the events.

        Examples
        --------
        >>> Lattice.with_optional(4, [1, 2], max_run=1).arcs.tolist()
        [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
        """
        left_out = np.zeros(n, dtype=bool)
        left_out[_nodes(optional, n, "optional", empty=True)] = True
        cost = np.concatenate(([0.0], np.cumsum(np.broadcast_to(np.asarray(score, float), n))))
        longest = n if max_run is None else max_run
        arcs, scores = [], []
        begin, start_score, end, end_score = [], [], [], []
        for u in range(-1, n):  # -1 and n stand for the start and the end of the path
            v = u + 1
            while v <= n:
                passed = cost[v] - cost[u + 1]
                if u < 0 and v < n:
                    begin.append(v)
                    start_score.append(passed)
                elif u >= 0 and v == n:
                    end.append(u)
                    end_score.append(passed)
                elif u >= 0:
                    arcs.append((u, v))
                    scores.append(passed)
                if v == n or not left_out[v] or v - u > longest:
                    break
                v += 1
        return cls(
            n,
            arcs,  # type: ignore[arg-type]
            begin,  # type: ignore[arg-type]
            end,  # type: ignore[arg-type]
            scores,  # type: ignore[arg-type]
            start_score,  # type: ignore[arg-type]
            end_score,  # type: ignore[arg-type]
            labels=tuple(labels),
        )

    @classmethod
    def from_alternatives(
        cls,
        slots: Sequence[Sequence[Sequence[str]]],
        *,
        scores: Sequence[Sequence[float]] | None = None,
    ) -> Self:
        """Build the lattice of a sequence of slots, each filled by one of its alternatives.

        Parameters
        ----------
        slots : sequence of slots
            A slot is a sequence of alternatives, an alternative is a sequence of labels. An empty
            alternative lets the slot be left out.
        scores : sequence of sequences of float, optional
            Added for each alternative that is chosen, such as the log of its probability.

        Returns
        -------
        Lattice
            One node for each label, in the order given: `slot` and `variant` say where it comes
            from, `labels` what it is.

        Raises
        ------
        ParameterError
            A slot holds no alternatives, or one of them twice; or scores do not fit.

        Examples
        --------
        The word "the" said in two ways, a pause before it or not:

        >>> pause, the = [["sil"], []], [["dh", "ah"], ["dh", "iy"]]
        >>> lattice = Lattice.from_alternatives([pause, the])
        >>> lattice.labels, lattice.slot.tolist(), lattice.variant.tolist()
        (('sil', 'dh', 'ah', 'dh', 'iy'), [0, 1, 1, 1, 1], [0, 0, 0, 1, 1])
        >>> lattice.starts.tolist(), lattice.ends.tolist()
        ([0, 1, 3], [2, 4])
        """
        if scores is not None and [len(s) for s in scores] != [len(s) for s in slots]:
            raise ParameterError("scores must hold one score for each alternative of each slot.")
        labels: list[str] = []
        arcs: list[tuple[int, int]] = []
        where: list[tuple[int, int]] = []
        arc_score: list[float] = []
        begin: list[tuple[int, float]] = []
        front: list[tuple[int, float]] = [(-1, 0.0)]  # nodes a slot may follow; -1 is the start
        for i, slot in enumerate(slots):
            if isinstance(slot, str) or any(isinstance(a, str) for a in slot):
                raise ParameterError(f"slot {i} is {slot!r}, must be a list of lists of labels.")
            if len({tuple(a) for a in slot}) != len(slot) or not slot:
                raise ParameterError(f"slot {i} is {slot!r}, must hold distinct alternatives.")
            after: list[tuple[int, float]] = []
            for j, alternative in enumerate(slot):
                score = 0.0 if scores is None else float(scores[i][j])
                if not alternative:
                    after += [(node, passed + score) for node, passed in front]
                    continue
                first = len(labels)
                for node, passed in front:
                    if node < 0:
                        begin.append((first, passed + score))
                    else:
                        arcs.append((node, first))
                        arc_score.append(passed + score)
                labels += alternative
                last = len(labels) - 1
                arcs += zip(range(first, last), range(first + 1, last + 1), strict=True)
                arc_score += [0.0] * (last - first)
                where += [(i, j)] * len(alternative)
                after.append((last, 0.0))
            front = after
        stop = [(node, score) for node, score in front if node >= 0]
        slot_of = np.array(where, dtype=np.intp).reshape(-1, 2)
        return cls(
            len(labels),
            arcs,  # type: ignore[arg-type]
            [node for node, _ in begin],  # type: ignore[arg-type]
            [node for node, _ in stop],  # type: ignore[arg-type]
            arc_score,  # type: ignore[arg-type]
            [score for _, score in begin],  # type: ignore[arg-type]
            [score for _, score in stop],  # type: ignore[arg-type]
            labels=tuple(labels),
            slot=slot_of[:, 0],
            variant=slot_of[:, 1],
        )

    @classmethod
    def with_repeats(
        cls,
        n: int,
        repeats: Sequence[tuple[int, int] | tuple[int, int, int]],
        *,
        score: float = 0.0,
        labels: Sequence[str] = (),
    ) -> Self:
        """Build a chain of `n` events with sections that may be played a second time.

        Parameters
        ----------
        n : int
            Events, at least 1.
        repeats : sequence of (begin, end) or (begin, ending, end)
            Events ``begin .. end - 1`` may be repeated once. The events ``ending .. end - 1`` are
            a first ending: heard only before the jump back. Sections do not overlap.
        score : float
            Added for each repeat that is played.
        labels : sequence of str, length n, optional
            What messages call the events.

        Returns
        -------
        Lattice
            Its `event` is the event of each node, its `variant` 1 on the second pass.

        Raises
        ------
        ParameterError
            Sections overlap, or leave the events.

        Examples
        --------
        >>> lattice = Lattice.with_repeats(3, [(0, 2)])
        >>> lattice.event.tolist(), lattice.variant.tolist()
        ([0, 1, 0, 1, 2], [0, 0, 1, 1, 0])
        >>> lattice.arcs.tolist()
        [[0, 1], [1, 2], [2, 3], [1, 4], [3, 4]]
        """
        event: list[int] = []
        variant: list[int] = []
        arcs: list[tuple[int, int]] = []
        arc_score: list[float] = []
        front: list[int] = []  # nodes that the next event may follow

        def play(begin: int, end: int, second: int, jump: float = 0.0) -> None:
            nonlocal front
            for k in range(begin, end):
                arcs.extend((node, len(event)) for node in front)
                arc_score.extend([jump if k == begin else 0.0] * len(front))
                front = [len(event)]
                event.append(k)
                variant.append(second)

        done = 0
        for section in repeats:
            begin, end = section[0], section[-1]
            ending = section[1]  # the end itself, where there is no first ending
            if not (done <= begin < ending <= end <= n):
                raise ParameterError(
                    f"repeat {tuple(section)} must lie in 0..{n}, begin before its ending, and "
                    "after the repeat before it; unroll nested repeats by hand."
                )
            play(done, ending, 0)
            once = front
            play(ending, end, 0)
            play(begin, ending, 1, score)
            front = once + front
            done = end
        play(done, n, 0)
        return cls(
            len(event),
            arcs,  # type: ignore[arg-type]
            [0],  # type: ignore[arg-type]
            front,  # type: ignore[arg-type]
            arc_score,  # type: ignore[arg-type]
            event=event,  # type: ignore[arg-type]
            labels=tuple(labels[k] for k in event) if labels else (),
            variant=variant,  # type: ignore[arg-type]
        )


def _set(lattice: Lattice, name: str, value: object) -> None:
    object.__setattr__(lattice, name, value)  # it is frozen


def _nodes(values: npt.ArrayLike, n: int, name: str, *, empty: bool = False) -> IntArray:
    nodes = np.asarray(values, dtype=np.intp).reshape(-1)
    if not nodes.size and not empty:
        raise ParameterError(f"there is no {name[:-1]} node: {name} is empty.")
    if nodes.size and not 0 <= nodes.min() <= nodes.max() < n:
        raise ParameterError(f"{name}={nodes.tolist()}, must be nodes 0..{n - 1}.")
    if len(set(nodes.tolist())) != nodes.size:
        raise ParameterError(f"{name}={nodes.tolist()}, must be distinct.")
    return nodes


def _scores(values: npt.ArrayLike | None, size: int, name: str) -> Float64:
    scores = np.zeros(size) if values is None else np.asarray(values, dtype=np.float64)
    if scores.shape != (size,):
        raise ParameterError(f"{name}.shape={scores.shape}, must be ({size},).")
    if not (scores < np.inf).all():
        raise ParameterError(f"{name} must be finite, or -inf to forbid.")
    return scores


def _per_node(values: npt.ArrayLike | None, default: IntArray, name: str) -> IntArray:
    vector = default if values is None else np.asarray(values, dtype=np.intp)
    check_shape(name, vector.shape, "(N,)", default.shape)
    return vector
