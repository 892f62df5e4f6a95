"""The best timing of a sequence, or the best path of a lattice, however long the recording.

Two things would make decoding slow. Pauses may be as long as the recording, and lengths cost time:
so they are taken to be short at first, and where one takes more than half of what that allows,
everything is decoded again with twice as much. This is no proof that a longer pause would not be
better, but a pause that is cut short fills what it may. And the table of onset scores grows with
the square of a recording's length: a long one is decoded in windows, around the path of a coarse
pass (`align.decoders.decode_coarse_to_fine`) or, of a lattice, around one path through it
(`align.sequence.long_lattice`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from align.decoders import LatticePath, decode, decode_coarse_to_fine
from align.errors import ParameterError
from align.potentials import Path, Potentials
from align.sequence.lattices import ExpandedLattice
from align.sequence.long_lattice import (
    Guess,
    decode_in_windows,
    fullest_path,
    reachable_windows,
)
from align.sequence.on_lattice import LatticeScores, lattice_scores, most_frames, with_roles
from align.terms import BaseFunctions
from align.types import Event, IntArray

__all__ = ["FoundNodes", "Room", "best_lattice_path", "best_path", "is_long"]

Terms: TypeAlias = Callable[[tuple[Event, ...]], Mapping[str, Any]]

PAUSE = 2.0  # seconds; longer pauses are looked for where this is not enough
MOST_CELLS = 10**8  # of the onset table, 8 bytes each; beyond, windows from a coarse pass
LATTICE_CELLS = 3 * 10**6  # of that of a lattice, which takes several times as long to decode
CELL = 0.04  # seconds; cells of the coarse pass
REACH = 1.5  # seconds an onset may be away from where the coarse pass has it, at first
LATTICE_REACH = 1.5  # seconds away from where one path through the lattice has it, at first


@dataclass(frozen=True)
class Room:
    """How long events may last, in frames of `hop` seconds; the recording has `n_frames`.

    `longest` is for an event that is no pause. Unless it `ends_with_recording`, the last event
    lasts to the end of the recording, and may be long.
    """

    n_frames: int
    hop: float
    longest: int
    ends_with_recording: bool

    @property
    def pause(self) -> int:
        """Length that a pause may have at first."""
        return max(1, round(PAUSE / self.hop))

    def limits(self, free: npt.NDArray[np.bool_], pause: int | None = None) -> IntArray:
        """Return the longest length of each event of a sequence [shape=(K,)].

        Those that are `free` are pauses, which may last the whole recording, or `pause` frames.
        Twice as much where all events together would not fill the recording, and so on; where that
        is not enough, every event gets more room: it is slower than anything in training.
        """
        n_frames = self.n_frames
        pause = n_frames if pause is None else min(pause, n_frames)
        while True:
            limits: IntArray = np.where(free, pause, self.longest).astype(np.intp)
            if not self.ends_with_recording:
                limits[-1:] = np.maximum(limits[-1:], pause)
            if limits.sum() >= n_frames:
                return limits
            if pause >= n_frames:
                limits[:] = min(n_frames, int(np.ceil(2 * self.longest * n_frames / limits.sum())))
                return limits
            pause = min(2 * pause, n_frames)


def is_long(n_events: int, n_frames: int, most_cells: int | None = None) -> bool:
    """Whether the table of onset scores is too large to be laid out; `most_cells` are not."""
    return n_events * n_frames > (MOST_CELLS if most_cells is None else most_cells)


def best_path(
    base_functions: Callable[[IntArray], BaseFunctions],
    weights: Callable[[BaseFunctions], npt.NDArray[np.float64]],
    free: npt.NDArray[np.bool_],
    room: Room,
    most_cells: int | None = None,
) -> tuple[Potentials, Path]:
    """Return what was decoded, perhaps in windows, and the best timing of a sequence.

    `base_functions` returns those of the recording, given the longest length of each event
    [shape=(K,)], and `weights` their weights [shape=(J,)]; events that are `free` [shape=(K,)] are
    pauses. Tables of more than `most_cells` events times frames are decoded in windows. Raises
    ParameterError where no timing has a finite score.
    """
    may_last = free.copy()
    may_last[-1:] |= not room.ends_with_recording
    pause = room.pause
    while True:
        x = base_functions(room.limits(free, pause))
        if is_long(x.n_events, x.n_frames, most_cells):
            found = decode_coarse_to_fine(
                x,
                weights(x),
                factor=max(1, round(CELL / room.hop)),
                reach=max(1, round(REACH / room.hop)),
            )
            potentials, path = found.potentials, found.path
        else:
            potentials = x.potentials(weights(x))
            path = decode(potentials)
        lengths = np.diff(path.onsets, append=room.n_frames)
        limits = potentials.max_length
        long = 2 * lengths > limits
        if not (may_last & long & (limits < room.n_frames)).any():
            return potentials, path
        pause = 2 * int(limits[may_last].max())


class FoundNodes(NamedTuple):
    """The best path of a lattice: potentials of its events, onsets in frames, and nodes."""

    potentials: Potentials
    path: Path
    nodes: IntArray

    def averaged(self) -> "FoundNodes":
        """Return the same with scores that are divided by the number of events."""
        p, by = self.potentials, 1.0 / len(self.nodes)
        duration = None if p.duration is None else p.duration * by
        scaled = replace(p, onset=p.onset * by, duration=duration, constant=p.constant * by)
        return self._replace(potentials=scaled)


def best_lattice_path(
    expanded: ExpandedLattice,
    terms: Terms,
    weights: Mapping[str, float],
    unbounded: Callable[[Event], bool],
    draws_out: Callable[[Event], bool],
    room: Room,
    *,
    pinned: bool,
    onsets_of: Callable[[tuple[Event, ...]], IntArray],
    windows: IntArray | None = None,
) -> FoundNodes:
    """Return the best path of a lattice, and when its events begin.

    `terms` returns the base functions of a sequence of events, by name; `unbounded` says whether
    an event is a pause, `draws_out` whether what comes before it scores otherwise. With `pinned`
    the first event begins at frame 0. `onsets_of` returns the onsets, in frames, of a sequence of
    events; asked for where the recording is long, of one path through the lattice. Nodes begin
    within `windows` [shape=(N, 2)], if given. Raises ParameterError where no path can be timed.
    """
    pauses = np.flatnonzero([draws_out(event) for event in expanded.events])
    roles, n_frames = with_roles(expanded.lattice, pauses), room.n_frames
    events = tuple(expanded.events[v] for v in roles.origin)
    free = np.array([unbounded(event) for event in events])
    open_end = roles.last & (not room.ends_with_recording)
    pause, begin = min(n_frames, room.pause), None
    held, cells = None, expanded.lattice.n_nodes * n_frames
    if windows is not None:
        held = reachable_windows(roles.lattice, windows[roles.origin])
        cells = int(np.diff(held).sum())
    if cells > LATTICE_CELLS:
        nodes = fullest_path(roles.lattice)
        begin = Guess(nodes, onsets_of(tuple(events[v] for v in nodes)))
        longest_found = int(np.diff(begin.onsets, append=n_frames).max())
        pause = min(n_frames, max(pause, 2 * longest_found + 1))
    longest, same = room.longest, cache(terms)  # asked for again however long a pause may be
    while True:
        limits = np.where(free, pause, longest)
        limits[open_end] = np.maximum(limits[open_end], pause)
        if most_frames(roles.lattice, limits) < n_frames and min(pause, longest) < n_frames:
            if pause == n_frames:
                longest = min(n_frames, 2 * longest)
            pause = min(n_frames, 2 * pause)
            continue
        scores = lattice_scores(same, weights, roles, events, limits, n_frames, pinned=pinned)
        try:
            found, used_windows = _decoded(scores, held, begin, room)
        except ParameterError:
            # what lies between two windows may have to last longer than any event in training
            if held is None or min(longest, pause) >= n_frames:
                raise
            longest, pause = min(n_frames, 2 * longest), min(n_frames, 2 * pause)
            continue
        if begin is not None:
            begin = Guess(found.nodes, found.onsets)
        used = limits[found.nodes]
        lengths = np.diff(found.onsets, append=n_frames)
        may_last = (free | open_end)[found.nodes] & (used < n_frames)
        if not (may_last & (2 * lengths > used)).any():
            break
        pause = min(n_frames, 2 * int(used[may_last].max()))
    path = Path(found.onsets, found.score)
    return FoundNodes(scores.along(found.nodes, used_windows), path, roles.origin[found.nodes])


def _decoded(
    scores: LatticeScores, held: IntArray | None, begin: Guess | None, room: Room
) -> tuple[LatticePath, IntArray | None]:
    """Return the best path and its windows: those held, of a long recording around a guess."""

    def within(windows: IntArray) -> IntArray:
        if held is None:
            return windows
        first, stop = np.maximum(held[:, 0], windows[:, 0]), np.minimum(held[:, 1], windows[:, 1])
        return np.stack((first, stop), axis=1)

    if begin is None:
        return scores.decode(held), held
    reach = max(1, round(LATTICE_REACH / room.hop))
    found, windows = decode_in_windows(
        lambda wide: scores.decode(within(wide)), scores.lattice, begin, room.n_frames, reach
    )
    return found, within(windows)
