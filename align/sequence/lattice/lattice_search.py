"""The best path of a lattice through a recording, and what other paths would score.

The scores of a lattice are computed once, and asked as often as need be: for the best path, for
the best of those that pass none of some nodes, and for *detours*: the best way from one node of a
path to a later one, where only the nodes between the two are looked at. A detour takes a hundredth
of the time that the whole lattice takes.

Pauses are taken to be short at first, as in `align.sequence.search`. A long recording is decoded
in windows around one path through the lattice (`align.sequence.lattice.long_lattice`), and later
paths in windows around the best one.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from align.decoders import LatticePath
from align.errors import ParameterError
from align.features.base import rows_of
from align.potentials import Path, Potentials
from align.sequence.lattice.lattices import ExpandedLattice
from align.sequence.lattice.long_lattice import (
    Guess,
    decode_in_windows,
    fullest_path,
    reachable_windows,
)
from align.sequence.lattice.on_lattice import (
    LatticeScores,
    forbidding,
    lattice_scores,
    most_frames,
    with_roles,
)
from align.sequence.search import Room
from align.types import BoolArray, Event, IntArray

__all__ = ["FoundNodes", "FoundPath", "LatticeSearch"]

Terms: TypeAlias = Callable[[tuple[Event, ...]], Mapping[str, Any]]

LATTICE_CELLS = 3 * 10**6  # of the onset table, which takes several times as long as a sequence
LATTICE_REACH = 1.5  # seconds away from where one path through the lattice has it, at first


class FoundPath(NamedTuple):
    """A path: what it was decoded from, its nodes there and their onsets, and its score.

    `user` [shape=(M,)] are the nodes of the lattice that was given, as in
    `align.sequence.lattice.lattices.ExpandedLattice`; `windows` those of all nodes, if there were
    any.
    """

    scores: LatticeScores
    nodes: IntArray
    onsets: IntArray
    score: float
    windows: IntArray | None
    user: IntArray


class FoundNodes(NamedTuple):
    """A path of a lattice: potentials of its events, onsets in frames, and expanded nodes."""

    potentials: Potentials
    path: Path
    nodes: IntArray

    def averaged(self) -> "FoundNodes":
        """Return the same with scores that are divided by the number of events."""
        p, by = self.potentials, 1.0 / len(self.nodes)
        duration = None if p.duration is None else p.duration * by
        scaled = replace(p, onset=p.onset * by, duration=duration, constant=p.constant * by)
        return self._replace(potentials=scaled)


class LatticeSearch:
    """The paths of a lattice through one recording.

    `terms` returns the base functions of a sequence of events, by name; `unbounded` says whether
    an event is a pause, `draws_out` whether what comes before it scores otherwise, of events that
    are `is_drawn_out`. With `pinned` the first event begins at frame 0. `onsets_of` returns the
    onsets, in frames, of a sequence of events; asked for where the recording is long, of one path
    through the lattice, unless `near` has seconds at which some nodes begin, more or less, or all
    is to be searched `at_once`. Nodes of `expanded` begin within `windows` [shape=(N, 2)], if
    given.
    """

    def __init__(
        self,
        expanded: ExpandedLattice,
        terms: Terms,
        weights: Mapping[str, float],
        unbounded: Callable[[Event], bool],
        room: Room,
        *,
        draws_out: Callable[[Event], bool],
        is_drawn_out: Callable[[Event], bool],
        pinned: bool,
        onsets_of: Callable[[tuple[Event, ...]], IntArray],
        windows: IntArray | None = None,
        near: Mapping[int, float] | None = None,
        at_once: bool = False,
    ) -> None:
        known, row = rows_of(expanded.events)
        pauses, drawn = (
            np.array([asked(event) for event in known])[row] for asked in (draws_out, is_drawn_out)
        )
        self._roles = roles = with_roles(expanded.lattice, pauses, drawn)
        self._terms = cache(terms)  # asked for again however long a pause may be
        self._weights: Mapping[str, float] = weights
        self._room, self._pinned, self._onsets_of = room, pinned, onsets_of
        self.hop = room.hop
        self._events = tuple([expanded.events[v] for v in roles.origin.tolist()])
        self._free = np.array([unbounded(event) for event in known])[row[roles.origin]]
        self._open_end = roles.last & (not room.ends_with_recording)
        begins = np.maximum.accumulate(
            np.where(expanded.given != -1, np.arange(len(expanded.given)), 0)
        )
        self._user = expanded.given[begins][roles.origin]
        self._held, cells = None, expanded.lattice.n_nodes * room.n_frames
        if windows is not None:
            self._held = reachable_windows(roles.lattice, windows[roles.origin])
            cells = int(np.diff(self._held).sum())
        self._long = cells > LATTICE_CELLS and not at_once
        self._limits: tuple[int, int] = room.longest, min(room.n_frames, room.pause)
        self._scores: LatticeScores | None = None
        self._guess: Guess | None = None
        if near and self._long:
            user = expanded.given[roles.origin]
            begun = np.flatnonzero(np.isin(user, list(near)))
            times = np.array([near[v] for v in user[begun].tolist()])
            frames = np.clip(np.rint(times / room.hop), 0, room.n_frames - 1)
            self._guess = Guess(begun, frames.astype(np.intp))

    def best(self, drop: IntArray | None = None) -> FoundPath:
        """Return the best path that passes none of some nodes of the lattice that was given.

        Raises ParameterError where no path can be timed.
        """
        forbidden = None if drop is None else np.isin(self._user, drop)
        n_frames = self._room.n_frames
        if self._long and self._guess is None:
            nodes = fullest_path(forbidding(self._roles.lattice, forbidden))
            onsets = self._onsets_of(tuple(self._events[v] for v in nodes))
            self._guess = Guess(nodes, onsets)
            longest_found = int(np.diff(onsets, append=n_frames).max())
            self._allow(pause=max(self._limits[1], 2 * longest_found + 1))
        while True:
            limits = self._longest()
            longest, pause = self._limits
            if (
                most_frames(self._roles.lattice, limits) < n_frames
                and min(pause, longest) < n_frames
            ):
                if pause == n_frames:
                    self._allow(longest=2 * longest)
                self._allow(pause=2 * pause)
                continue
            if self._scores is None:
                self._scores = lattice_scores(
                    self._terms,
                    self._weights,
                    self._roles,
                    self._events,
                    limits,
                    n_frames,
                    pinned=self._pinned,
                )
            scores = self._scores.without(forbidden)
            try:
                found, windows = self._decoded(scores)
            except ParameterError:
                # what lies between two windows may have to last longer than any event in training
                if self._held is None or min(longest, pause) >= n_frames:
                    raise
                self._allow(longest=2 * longest, pause=2 * pause)
                continue
            if self._guess is not None:
                self._guess = Guess(found.nodes, found.onsets)
            used = limits[found.nodes]
            lengths = np.diff(found.onsets, append=n_frames)
            may_last = (self._free | self._open_end)[found.nodes] & (used < n_frames)
            if not (may_last & (2 * lengths > used)).any():
                break
            self._allow(pause=2 * int(used[may_last].max()))
        user = self._user[found.nodes]
        return FoundPath(self._scores, found.nodes, found.onsets, found.score, windows, user)

    def detour(
        self,
        path: FoundPath,
        keep: BoolArray,
        drop: BoolArray,
        begin: int | None = None,
        end: int | None = None,
    ) -> FoundPath | None:
        """Return a path with the best way from one of its nodes to a later one.

        The way passes nodes to `keep`, and none to `drop` [shape=(N,)]. It leaves and rejoins the
        path where the nodes `begin` and `end` of it begin, which stay; by default these are the
        ends of the recording. All nodes are those of the lattice that was given. None where there
        is no such way, or it has no room.
        """
        a = 0 if begin is None else int(np.argmax(path.user == begin))
        b = len(path.nodes) if end is None else int(np.argmax(path.user == end))
        first = 0 if begin is None else int(path.onsets[a])
        stop = self._room.n_frames if end is None else int(path.onsets[b])
        inner = slice(a, b)
        outer = self._user < 0  # before the first node given, or behind the last one
        wanted = np.where(outer, True, keep[self._user])
        forbidden = np.where(outer, False, drop[self._user])
        wanted |= np.isin(self._user, path.user[inner])  # in every copy: ways out begin in each
        begins = None if begin is None else int(path.nodes[a])
        ends = None if end is None else int(path.nodes[b])
        part, kept, near = path.scores.between(wanted, begins, ends, first, stop)
        if self._held is not None:
            low, high = (self._held[kept] - first).T
            near[:, 0], near[:, 1] = np.maximum(near[:, 0], low), np.minimum(near[:, 1], high)
        own = np.searchsorted(kept, path.nodes[inner])
        score = part.along(own).score(path.onsets[inner] - first)
        try:
            found = part.without(forbidden[kept]).decode(near)
        except ParameterError:
            return None
        nodes = np.concatenate((path.nodes[:a], kept[found.nodes], path.nodes[b:]))
        onsets = np.concatenate((path.onsets[:a], found.onsets + first, path.onsets[b:]))
        windows = path.windows
        if windows is not None:
            windows = windows.copy()
            windows[nodes, 0] = np.minimum(windows[nodes, 0], onsets)
            windows[nodes, 1] = np.maximum(windows[nodes, 1], onsets + 1)
        return FoundPath(
            path.scores,
            nodes,
            onsets,
            path.score - score + found.score,
            windows,
            self._user[nodes],
        )

    def weighed(self, factors: Mapping[str, float], path: FoundPath) -> Self | None:
        """Return a search around a path, in which base functions weigh so many times as much.

        None where it has not all of them.
        """
        if not self._weights.keys() >= factors.keys():
            return None
        other = copy(self)
        own = self._weights.items()
        other._weights = {name: weight * factors.get(name, 1.0) for name, weight in own}
        other._scores, other._guess = None, Guess(path.nodes, path.onsets)
        return other

    def along(self, path: FoundPath) -> FoundNodes:
        """Return the potentials of the events on a path, its timing, and its expanded nodes."""
        windows = path.windows
        if windows is not None:  # where it was searched may be too narrow to say how sure it is
            windows = windows.copy()
            reach, nodes = round(LATTICE_REACH / self.hop), path.nodes
            low, high = np.maximum(path.onsets - reach, 0), path.onsets + reach + 1
            windows[nodes, 0] = np.minimum(windows[nodes, 0], low)
            windows[nodes, 1] = np.maximum(
                windows[nodes, 1], np.minimum(high, self._room.n_frames)
            )
            windows = self._allowed(windows)
        potentials = path.scores.along(path.nodes, windows)
        return FoundNodes(
            potentials, Path(path.onsets, path.score), self._roles.origin[path.nodes]
        )

    def _allow(self, *, longest: int = 0, pause: int = 0) -> None:
        """Let events, or pauses, last so many frames at least."""
        before, n_frames = self._limits, self._room.n_frames
        self._limits = max(before[0], min(n_frames, longest)), max(before[1], min(n_frames, pause))
        if self._limits != before:
            self._scores = None

    def _longest(self) -> IntArray:
        """Return the longest length of each node in frames [shape=(N,)]."""
        longest, pause = self._limits
        limits = np.where(self._free, pause, longest)
        limits[self._open_end] = np.maximum(limits[self._open_end], pause)
        return limits.astype(np.intp)

    def _decoded(self, scores: LatticeScores) -> tuple[LatticePath, IntArray | None]:
        """Return the best path and its windows: those held, of a long recording around a guess."""
        if self._guess is None:
            return scores.decode(self._held), self._held
        reach = max(1, round(LATTICE_REACH / self._room.hop))
        found, windows = decode_in_windows(
            lambda wide: scores.decode(self._allowed(wide)),
            scores.lattice,
            self._guess,
            self._room.n_frames,
            reach,
        )
        return found, self._allowed(windows)

    def _allowed(self, windows: IntArray) -> IntArray:
        """Return the part of windows [shape=(N, 2)] in which nodes may begin at all."""
        if self._held is None:
            return windows
        first = np.maximum(self._held[:, 0], windows[:, 0])
        return np.stack((first, np.minimum(self._held[:, 1], windows[:, 1])), axis=1)
