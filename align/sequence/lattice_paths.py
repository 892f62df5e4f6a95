"""The paths of a lattice through one recording: the best, others near it, and their alignments.

The scores of a lattice are computed once, and asked as often as need be: for the best path, for
the best of those that pass none of some nodes, and for *detours*: the best way from one node of a
path to a later one, where only the nodes between the two are looked at. A detour takes a hundredth
of the time that the whole lattice takes. A path that is found is then *placed*, as that of a
sequence is: onsets in seconds, with confidence and match.

Pauses are taken to be short at first, as in `align.sequence.search`. A long recording is decoded
in windows around one path through the lattice (`align.sequence.lattice.long_lattice`), and later
paths in windows around the best one.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from align._blas import one_thread
from align.decoders import LatticePath
from align.errors import DataError, ParameterError
from align.features import Signal
from align.features.base import rows_of
from align.potentials import Potentials
from align.results.alignment import Alignment
from align.sequence.anchors import Held
from align.sequence.extended import Extended
from align.sequence.feature_terms import terms_of
from align.sequence.fit import fields_of, fits_of
from align.sequence.lattice.lattices import ExpandedLattice, LatticeAlignment
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
from align.sequence.stretches import MOST_OF_STRETCH
from align.sequence.times.placement import sureness_of
from align.types import BoolArray, Event, IntArray

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


def averaged(potentials: Potentials) -> Potentials:
    """Return the potentials of a path with scores that are divided by the number of events."""
    by = 1.0 / len(potentials.onset)
    duration = None if potentials.duration is None else potentials.duration * by
    onset, constant = potentials.onset * by, potentials.constant * by
    return replace(potentials, onset=onset, duration=duration, constant=constant)


class LatticePaths:
    """The paths of a lattice through a recording; see `SequenceAligner.lattice_paths`.

    Parameters
    ----------
    aligner : SequenceAligner
        A fitted one.
    given : tuple of Event
        Event of each node of the lattice as it was given.
    expanded : ExpandedLattice
        The lattice as it is decoded.
    signal : Signal
        The recording.
    held : Held or None
        Nodes whose times are known.
    audio : str or None
        Its file, if it is one.
    abrupt, near, weights, pauses, noise, at_once
        As in `SequenceAligner.lattice_paths`.
    """

    def __init__(
        self,
        aligner: Any,
        given: tuple[Event, ...],
        expanded: ExpandedLattice,
        signal: Signal,
        held: Held | None,
        audio: str | None,
        *,
        abrupt: bool,
        near: Mapping[int, float],
        weights: Mapping[str, float],
        pauses: float,
        noise: float | None,
        at_once: bool,
    ) -> None:
        self._aligner, self._suited = aligner, aligner._suited(signal)
        self._given, self._expanded, self._held_nodes = given, expanded, held
        self._audio, self._abrupt = audio, abrupt
        suited, extended = self._suited, Extended(signal, signal)
        if held is None:
            extended = suited._with_outer_pauses(signal)
        self._extended, self.hop = extended, signal.hop
        self._room = room = suited._room(extended.signal)
        self._score_by(weights, pauses, noise)
        known, row = rows_of(expanded.events)
        unbounded, draws, drawn = (
            np.array([asked(event) for event in known])[row]
            for asked in (suited._unbounded, suited._draws_out, suited._is_drawn_out)
        )
        self._roles = roles = with_roles(expanded.lattice, draws, drawn)
        self._events = tuple([expanded.events[v] for v in roles.origin.tolist()])
        self._free = unbounded[roles.origin]
        self._open_end = roles.last & (not room.ends_with_recording)
        begins = np.maximum.accumulate(
            np.where(expanded.given != -1, np.arange(len(expanded.given)), 0)
        )
        self._user = expanded.given[begins][roles.origin]
        windows, at_start = extended.windows(expanded.lattice), False
        if held is not None:
            windows = held.windows
            at_start = bool(np.isin(expanded.lattice.starts, held.at).any())
        self._pinned = suited._pins_start(expanded.events) and not at_start
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
            times = np.array([near[v] for v in user[begun].tolist()]) + extended.before * self.hop
            frames = np.clip(np.rint(times / self.hop), 0, room.n_frames - 1)
            self._guess = Guess(begun, frames.astype(np.intp))

    def _score_by(self, weights: Mapping[str, float], pauses: float, noise: float | None) -> None:
        """Set the base functions and their weights; parameters are those of `lattice_paths`."""
        suited, extended, abrupt = self._suited, self._extended, self._abrupt
        features = suited.features_
        if pauses != 1.0:
            features = [feature.weighing_pauses(pauses) for feature in features]
        if noise is not None:
            features = [feature.with_spoken_noise(noise) for feature in features]

        @cache  # asked for again however long a pause may be
        def terms(sequence: tuple[Event, ...]) -> dict[str, Any]:
            # no method: with a reference to itself, a search would keep its tables until the
            # garbage is collected, and an hour of speech has hundreds
            edge = extended.edge(sequence) if abrupt else {}
            return {**terms_of(features, extended.signal, sequence), **edge}

        own = dict(zip(suited.base_functions_, suited.coef_ / suited.scale_, strict=True))
        own |= {name: weight for name, weight in weights.items() if name in own}
        if abrupt:
            own |= extended.weight(suited.placement_.temperature)
        self._terms, self._weights = terms, own

    @one_thread()
    def best(self, drop: IntArray | None = None) -> FoundPath:
        """Return the best path that passes none of some nodes; DataError where there is none."""
        forbidden = None if drop is None else np.isin(self._user, drop)
        try:
            return self._best(forbidden)
        except ParameterError as error:
            raise DataError(str(error), path=self._extended.own.name) from error

    def _best(self, forbidden: BoolArray | None) -> FoundPath:
        """Return the best path; ParameterError where none can be timed."""
        n_frames = self._room.n_frames
        if self._long and self._guess is None:
            nodes = fullest_path(forbidding(self._roles.lattice, forbidden))
            onsets = self._in_order(tuple(self._events[v] for v in nodes))
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

    def along(self, path: FoundPath) -> Potentials:
        """Return the potentials of the events on a path."""
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
        return path.scores.along(path.nodes, windows)

    @one_thread()
    def placed(self, path: FoundPath) -> LatticeAlignment:
        """Return the alignment of the events on a path, and the node of each."""
        aligner, extended = self._suited, self._extended
        potentials, nodes = self.along(path), self._roles.origin[path.nodes]
        own = None if self._held_nodes is None else self._held_nodes.along(nodes)
        decoded = tuple(self._expanded.events[v] for v in nodes)
        terms = terms_of(aligner.features_, extended.signal, decoded)
        potentials = averaged(potentials) if aligner.normalise else potentials
        fits = fits_of(terms, path.onsets, extended.signal.n_frames)
        slopes = aligner._slopes(decoded)
        placed = aligner.placement_.times(potentials, path.onsets, fits, slopes)
        if placed.confidence is not None:
            sure = self._aligner._sure_of_chosen(placed.confidence)
            placed = placed._replace(confidence=sure)
        times = aligner._placed(placed.times, terms, decoded, extended.signal, own)
        fit = aligner._match(extended, decoded, terms, path.onsets, chosen=True)
        at = self._expanded.given[nodes]
        silent = aligner._free(decoded) & (self._abrupt | (at == -2))
        times, inside = extended.within(times, silent)
        asked = (at >= 0) & inside
        hidden = at[-1] == -2 and inside[-1]  # what follows the last event given
        alignment = Alignment(
            events=tuple(self._given[v] for v in at[asked]),
            onsets=times[asked],
            end=float(times[-1]) if hidden else extended.own.duration,
            duration=extended.own.duration,
            **sureness_of(placed, times, np.flatnonzero(asked)),
            score=path.score,
            audio=self._audio,
            rate=extended.own.own_rate,
            **fields_of(fit, np.append(np.flatnonzero(at != -1), len(at)), asked),
        )
        return LatticeAlignment(self._aligner._with_new_labels(alignment), at[asked])

    def _in_order(self, events: tuple[Event, ...]) -> IntArray:
        """Return the onsets, in frames, of the best timing of a sequence of events."""
        suited, signal = self._suited, self._extended.signal
        terms = terms_of(suited.features_, signal, events)
        onsets: IntArray = suited._best_path(signal, events, terms, None, MOST_OF_STRETCH)[
            1
        ].onsets
        return onsets

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
