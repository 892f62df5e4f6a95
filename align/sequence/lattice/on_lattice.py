"""Base functions of a lattice: what features score, laid out for nodes and arcs.

A feature scores a sequence of events. In a lattice an event may follow several others, and may or
may not be the first or the last. So features score *covering sequences*, in which
each event stands in each of its roles: every pair of labels that an arc joins stands side by side
somewhere, every label that may come first or last comes first or last somewhere. Segments and
lengths are then scored at the nodes, onsets at the arcs. The sum over a path is that of the base
functions of its events as a sequence.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders import Lattice, LatticePath, decode_lattice, path_potentials
from align.errors import ModelError, ParameterError
from align.features.base import rows_of
from align.potentials import Potentials
from align.sequence.lattice.lattices import arcs_in_order
from align.terms import DurationTerm, OnsetTerm, SegmentTerm, Term
from align.types import BoolArray, Event, Float64, FloatArray, IntArray

_Table = FloatArray


class Roles(NamedTuple):
    """N nodes that each have one role.

    Which node each copies, whether it is a start or an end, and whether a pause follows it.
    """

    lattice: Lattice
    origin: IntArray
    first: BoolArray
    last: BoolArray
    final: BoolArray


def with_roles(
    lattice: Lattice, pauses: BoolArray | None = None, drawn: BoolArray | None = None
) -> Roles:
    """Copy nodes so that each either begins all its paths or none, and so with their end.

    The lattice has the same paths, and event numbers that are not used. Of nodes that are `drawn`
    [shape=(N,)], by default all, and may be followed by `pauses` [shape=(N,)], and by others,
    there are copies for either.

    Examples
    --------
    >>> roles = with_roles(Lattice.with_optional(2, [0]))
    >>> roles.origin.tolist(), roles.first.tolist()
    ([0, 1, 1], [True, False, True])
    """
    n = lattice.n_nodes
    u, v = lattice.arcs.T
    waits_at = np.zeros(len(u), dtype=bool) if pauses is None else pauses[v]
    if drawn is not None:
        waits_at = waits_at & drawn[u]
    start, follows, end, leads, waits = np.zeros((5, n), dtype=bool)
    start[lattice.starts] = end[lattice.ends] = follows[v] = True
    leads[u[~waits_at]] = waits[u[waits_at]] = True
    roles = np.zeros((2, 3, n), dtype=bool)  # inside or first; inside, before a pause, or last
    for first, begins in enumerate((follows, start)):
        for after, closes in enumerate((leads, waits, end)):
            roles[first, after] = begins & closes
    origin, begun, then = np.nonzero(roles.transpose(2, 0, 1))
    number = np.full((2, 3, n), -1, dtype=np.intp)
    number[begun, then, origin] = np.arange(len(origin))
    inner = waits_at.astype(np.intp)  # what a node is after which the path goes on
    pairs = np.array(
        [[number[first, inner, u], number[0, after, v]] for first in (0, 1) for after in (0, 1, 2)]
    )
    arc, way = np.nonzero((pairs >= 0).all(axis=1).T)
    start_score, end_score = np.zeros((2, n))
    start_score[lattice.starts], end_score[lattice.ends] = lattice.start_score, lattice.end_score
    starts, ends = np.flatnonzero(begun), np.flatnonzero(then == 2)
    split = Lattice(
        len(origin),
        pairs[way, :, arc],
        starts,
        ends,
        lattice.arc_score[arc],
        start_score[origin[starts]],
        end_score[origin[ends]],
        labels=tuple(lattice.labels[v] for v in origin.tolist()) if lattice.labels else (),
    )
    return Roles(split, origin.astype(np.intp), begun.astype(bool), then == 2, then == 1)


def forbidding(lattice: Lattice, nodes: BoolArray | None) -> Lattice:
    """Return a lattice whose paths pass none of the `nodes` [shape=(N,)], which stay in it."""
    if nodes is None or not nodes.any():
        return lattice
    arc_score, start_score = lattice.arc_score.copy(), lattice.start_score.copy()
    arc_score[nodes[lattice.arcs[:, 1]]] = -np.inf
    start_score[nodes[lattice.starts]] = -np.inf
    return replace(lattice, arc_score=arc_score, start_score=start_score)


@dataclass(frozen=True)
class LatticeScores:
    """Weighted scores of a lattice, ready to be decoded.

    Nodes that share all scores have the same event number. `potentials` have the onset scores of
    first events, and lengths; `segment` scores of frames; `transition` scores of onsets that
    follow another event.
    """

    lattice: Lattice
    potentials: Potentials
    segment: SegmentTerm | None
    transition: OnsetTerm | None

    def without(self, nodes: BoolArray | None) -> "LatticeScores":
        """Return the scores of the paths that pass none of the nodes [shape=(N,)]."""
        return replace(self, lattice=forbidding(self.lattice, nodes))

    def between(
        self,
        keep: BoolArray,
        begin: int | None,
        end: int | None,
        first: int,
        stop: int,
    ) -> tuple["LatticeScores", IntArray, IntArray]:
        """Return the scores of the paths from a node to another, in some frames.

        These are the frames ``first .. stop - 1``. The paths pass nodes to `keep` [shape=(N,)]
        only; `begin` begins with the first frame, and what precedes `end` ends with the last. By
        default paths go from a start of the lattice, and to an end. The second result is which
        nodes of the lattice those of the part are, the third where each may begin [shape=(n, 2)].
        """
        g, p = self.lattice, self.potentials
        starts, start_score = g.starts, g.start_score
        if begin is not None:
            starts, start_score = np.array([begin]), np.zeros(1)
        ends, end_score = g.ends, g.end_score
        if end is not None:
            last = np.flatnonzero(g.arcs[:, 1] == end)
            ends, end_score = g.arcs[last, 0], g.arc_score[last]
            if self.transition is not None:
                rows = self.transition.rows[last]
                end_score = end_score + np.where(rows < 0, 0.0, self.transition.table[rows, stop])
        kept, arcs = _on_paths(g, keep, starts, ends)
        number = np.full(g.n_nodes, -1, dtype=np.intp)
        number[kept] = np.arange(len(kept))
        begins, closes = number[starts] >= 0, number[ends] >= 0
        lattice = Lattice(
            len(kept),
            number[g.arcs[arcs]],
            number[starts[begins]],
            number[ends[closes]],
            g.arc_score[arcs],
            start_score[begins],
            end_score[closes],
            event=g.event[kept],
            labels=tuple(g.labels[v] for v in kept.tolist()),
        )
        n_frames = stop - first
        potentials = replace(
            p,
            onset=p.onset[:, first:stop],
            n_frames=n_frames,
            stop=np.minimum(p.stop, n_frames),
            duration=None if p.duration is None else p.duration[:, : n_frames + 1],
        )
        segment, transition = self.segment, self.transition
        if segment is not None:
            segment = SegmentTerm(segment.prefix[:, first : stop + 1], segment.rows)
        if transition is not None:
            transition = OnsetTerm(transition.table[:, first:stop], transition.rows[arcs])
        windows = np.tile(np.array([0, n_frames]), (len(kept), 1))
        if begin is not None:
            windows[lattice.starts, 1] = 1
        return LatticeScores(lattice, potentials, segment, transition), kept, windows

    def decode(self, windows: IntArray | None = None) -> LatticePath:
        """Return the best path, in nodes of `lattice`, each within its window [shape=(N, 2)]."""
        return decode_lattice(
            self.potentials,
            self.lattice,
            segment=self.segment,
            transition=self.transition,
            windows=windows,
        )

    def along(self, nodes: IntArray, windows: IntArray | None = None) -> Potentials:
        """Return the potentials of the events of one path, within the windows of its nodes."""
        return path_potentials(
            self.potentials,
            self.lattice,
            nodes,
            segment=self.segment,
            transition=self.transition,
            windows=windows,
        )


def lattice_scores(
    terms: Callable[[tuple[Event, ...]], Mapping[str, Term]],
    weights: Mapping[str, float],
    roles: Roles,
    events: Sequence[Event],
    max_length: IntArray,
    n_frames: int,
    *,
    pinned: bool,
) -> LatticeScores:
    """Return scores of the nodes and arcs of a lattice.

    `terms` returns the base functions of a sequence of events, by name; those that have `weights`
    are wanted. `events` and `max_length` [shape=(N,)], in frames, are those of the nodes of
    `roles`; T = `n_frames`. With `pinned` the first event begins at frame 0. Raises ParameterError
    where a base function looks at more than two neighbouring onsets and has a weight, ModelError
    where one is missing.
    """
    cover = _Cover(roles, events)
    width = min(n_frames, int(max_length.max())) + 1
    parts = _parts([terms(sequence) for sequence in cover.sequences], weights, n_frames, width)
    onsets, segments, lengths = (parts[kind] for kind in (OnsetTerm, SegmentTerm, DurationTerm))
    # a kind of nodes shares all its scores; windows of later kinds must not begin earlier
    described = np.stack((~roles.first, roles.last, roles.final, cover.symbol, max_length), axis=1)
    where, kind_of = _distinct(described)
    kinds = described[where]
    at_kind = np.array(
        [cover.at_node(s, not later, last, final) for later, last, final, s, _ in kinds.tolist()]
    )
    at_arc = cover.at_pairs(roles.lattice.arcs)
    first_kinds = np.flatnonzero(kinds[:, 0] == 0)
    onset = np.zeros((len(kinds), n_frames))
    for part in onsets:
        part.add(onset, first_kinds, at_kind[first_kinds])
    stop = np.full(len(kinds), n_frames)
    if pinned:
        stop[first_kinds] = 1
    duration, duration_row = _sums(lengths, at_kind)
    segment, transition = _sums(segments, at_kind), _sums(onsets, at_arc)
    potentials = Potentials(
        onset,
        n_frames,
        start=np.zeros(len(kinds), dtype=np.intp),
        stop=stop,
        duration=duration,
        duration_row=duration_row,
        max_length=kinds[:, 4].astype(np.intp),
    )
    labels = tuple(map(str, events))
    return LatticeScores(
        replace(roles.lattice, event=kind_of, labels=labels),
        potentials,
        None if segment[0] is None else SegmentTerm(*segment),  # type: ignore[arg-type]
        None if transition[0] is None else OnsetTerm(*transition),  # type: ignore[arg-type]
    )


def _on_paths(
    lattice: Lattice, keep: BoolArray, starts: IntArray, ends: IntArray
) -> tuple[IntArray, IntArray]:
    """Return which nodes to `keep` [shape=(N,)] are on paths of such nodes, and the arcs there.

    The paths go from one of `starts` to one of `ends`.
    """
    ahead, behind = np.zeros((2, lattice.n_nodes), dtype=bool)
    ahead[starts], behind[ends] = True, True
    ahead, behind = ahead & keep, behind & keep
    order = arcs_in_order(lattice)
    inner = order[keep[lattice.arcs[order]].all(axis=1)]
    arcs = lattice.arcs[inner]
    for u, v in arcs.tolist():
        ahead[v] |= ahead[u]
    for u, v in arcs[::-1].tolist():
        behind[u] |= behind[v]
    used = ahead & behind
    return np.flatnonzero(used), np.sort(inner[used[arcs].all(axis=1)])


def most_frames(lattice: Lattice, longest: IntArray) -> int:
    """Return how many frames the longest path can last, given the `longest` length of each node.

    Examples
    --------
    >>> most_frames(Lattice.with_optional(3, [1]), np.array([4, 9, 2]))
    15
    """
    reach = longest.astype(np.int64)
    _extend(lattice.arcs[arcs_in_order(lattice)], longest, reach)
    return int(reach[lattice.ends].max())


@compiled()
def _extend(arcs: IntArray, longest: IntArray, reach: IntArray) -> None:
    """Add to each node's own length that of the longest way before it; arcs are in order."""
    for a in range(len(arcs)):
        u, v = arcs[a]
        reach[v] = max(reach[v], reach[u] + longest[v])


_PAIRS = 2  # where pairs begin in the first covering sequence


class _Cover:
    """Sequences in which each event stands in each of its roles, and where it does."""

    def __init__(self, roles: Roles, events: Sequence[Event]) -> None:
        known, self.symbol = rows_of(events)
        symbols = self.symbol.tolist()
        u, v = roles.lattice.arcs.T
        starts = np.flatnonzero(roles.first[u])
        begins = zip(u[starts].tolist(), v[starts].tolist(), strict=True)
        head = list(  # first events, whether a pause follows, and what does
            {(symbols[a], bool(roles.final[a])): symbols[b] for a, b in begins}.items()
        )
        tail = list(dict.fromkeys(self._chosen(roles.last & ~roles.first)))
        # pairs side by side, and whether a pause follows the first of both
        code = (self.symbol[u] * len(known) + self.symbol[v]) * 2 + roles.final[u]
        code = np.unique(code)
        self._pairs = code // 2
        first, second = np.divmod(self._pairs, len(known))
        # each place is (sequence, position) made one number below, by the length of all before
        sequences: list[list[int]] = []
        self._first: dict[tuple[int, bool], int] = {}
        self._last: dict[int, int] = {}
        self._alone: dict[int, int] = {}
        inside, place = np.unique(first * 2 + code % 2, return_index=True)
        self._inside = dict(zip(inside.tolist(), (_PAIRS + 2 * place).tolist(), strict=True))
        total = 0
        for i in range(max(len(head), len(tail))):
            begin, after = head[min(i, len(head) - 1)]
            self._first.setdefault(begin, total)
            sequence = [begin[0], after]
            if i == 0:
                sequence += np.stack((first, second), axis=1).ravel().tolist()
            sequence.append(tail[min(i, len(tail) - 1)])
            total += len(sequence)
            self._last.setdefault(sequence[-1], total - 1)
            sequences.append(sequence)
        for a in dict.fromkeys(self._chosen(roles.first & roles.last)):
            self._alone[a] = total
            sequences.append([a])
            total += 1
        self.sequences = [tuple([known[i] for i in sequence]) for sequence in sequences]

    def _chosen(self, which: BoolArray) -> list[int]:
        chosen: list[int] = self.symbol[which].tolist()
        return chosen

    def at_node(self, symbol: int, first: bool, last: bool, final: bool) -> int:
        """Return the place of a symbol in a role, of all sequences one after the other."""
        if last:
            return self._alone[symbol] if first else self._last[symbol]
        return self._first[symbol, final] if first else self._inside[2 * symbol + final]

    def at_pairs(self, arcs: IntArray) -> IntArray:
        """Return the places of the later events of arcs [shape=(A, 2)] after the earlier ones."""
        pair = self.symbol[arcs[:, 0]] * (int(self.symbol.max()) + 1) + self.symbol[arcs[:, 1]]
        return _PAIRS + 1 + 2 * (np.searchsorted(self._pairs, pair, side="right") - 1)


class _Part(NamedTuple):
    """One base function over all covering sequences, one after the other."""

    weight: float
    table: _Table
    rows: IntArray

    @classmethod
    def of(cls, weight: float, name: str, terms: Sequence[Any], width: int) -> "_Part":
        """Join the tables, called `name`, of one base function."""
        tables: list[_Table] = [getattr(term, name)[:, :width] for term in terms]
        if len(tables) == 1:
            return cls(weight, tables[0], terms[0].rows)
        narrow = min(table.shape[1] for table in tables)
        shift = np.cumsum([0] + [len(table) for table in tables[:-1]])
        rows = [np.where(t.rows >= 0, t.rows + n, -1) for t, n in zip(terms, shift, strict=True)]
        return cls(
            weight, np.concatenate([table[:, :narrow] for table in tables]), np.concatenate(rows)
        )

    def add(self, to: Float64, at: IntArray, places: IntArray) -> None:
        """Add the weighted rows of places of the sequences to rows of a table."""
        rows, table = self.rows[places], self.table[:, : to.shape[1]]
        on = np.flatnonzero(rows >= 0)
        if len(on) < len(to):
            to[at[on]] += self.weight * table[rows[on]]
        else:  # `at` has all rows, in order
            to += self.weight * (table if len(table) == 1 else table[rows])


def _parts(
    asked: Sequence[Mapping[str, Term]], weights: Mapping[str, float], n_frames: int, width: int
) -> dict[type, list[_Part]]:
    """Return the weighted base functions by their kind; tables of lengths have `width` columns."""
    columns = {OnsetTerm: n_frames, SegmentTerm: n_frames + 1, DurationTerm: width}
    parts: dict[type, list[_Part]] = {kind: [] for kind in columns}
    for name, weight in weights.items():
        if any(name not in found for found in asked):
            raise ModelError(f"the features do not give the base functions {[name]}.")
        if weight == 0.0:
            continue
        same = [found[name] for found in asked]
        kind = next((kind for kind in columns if isinstance(same[0], kind)), None)
        if kind is None:
            raise ParameterError(
                f"base function {name!r} depends on three successive onsets; a text or lattice "
                "can be aligned where each depends on two at most. Give the phones, or train with "
                "features that lack it: of speech 'default' or 'universal' instead of 'thesis'."
            )
        table = "prefix" if kind is SegmentTerm else "table"
        parts[kind].append(_Part.of(weight, table, same, columns[kind]))
    return parts


def _sums(parts: Sequence[_Part], places: IntArray) -> tuple[Float64 | None, IntArray | None]:
    """Sum the weighted rows of places, each combination once; return which one each place has."""
    if not parts or not places.size:
        return None, None
    where, row = _distinct(np.stack([part.rows[places] for part in parts], axis=1))
    table = np.zeros((where.size, min(part.table.shape[1] for part in parts)))
    for part in parts:
        part.add(table, np.arange(where.size), places[where])
    return table, row


def _distinct(rows: npt.NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return where each distinct row is first, the rows in order, and which one each row is.

    `numpy.unique` along an axis sorts rows as bytes, which takes five times as long.
    """
    order = np.lexsort(rows.T[::-1])
    follow = rows[order]
    new = np.append(True, (follow[1:] != follow[:-1]).any(axis=1))
    which = np.empty(len(rows), dtype=np.intp)
    which[order] = np.cumsum(new) - 1
    return order[new], which
