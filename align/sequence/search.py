"""The best timing of a sequence, however long the recording.

Two things would make decoding slow. Pauses may be as long as the recording, and lengths cost time:
so they are taken to be short at first, and where one takes more than half of what that allows,
everything is decoded again with twice as much. This is no proof that a longer pause would not be
better, but a pause that is cut short fills what it may. And the table of onset scores grows with
the square of a recording's length: a long one is decoded in windows, around the path of a coarse
pass (`align.decoders.decode_coarse_to_fine`). For lattices see
`align.sequence.lattice_paths`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from align.decoders import decode, decode_coarse_to_fine
from align.potentials import Path, Potentials
from align.terms import BaseFunctions
from align.types import BoolArray, Float64, IntArray

PAUSE = 2.0  # seconds; longer pauses are looked for where this is not enough
MOST_CELLS = 10**8  # of the onset table, 8 bytes each; beyond, windows from a coarse pass
CELL = 0.04  # seconds; cells of the coarse pass
REACH = 1.5  # seconds an onset may be away from where the coarse pass has it, at first


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

    def limits(self, free: BoolArray, pause: int | None = None) -> IntArray:
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

    def longer_pause(self, free: BoolArray, limits: IntArray, onsets: IntArray) -> int | None:
        """Return the length that pauses need, where one took more than half of its limit.

        `limits` [shape=(K,)] are those that the events had; None where there was room enough.
        """
        may_last = free.copy()
        may_last[-1:] |= not self.ends_with_recording
        cut_short = may_last & (2 * np.diff(onsets, append=self.n_frames) > limits)
        if not (cut_short & (limits < self.n_frames)).any():
            return None
        return 2 * int(limits[may_last].max())


def is_long(n_events: int, n_frames: int, most_cells: int | None = None) -> bool:
    """Whether the table of onset scores is too large to be laid out; `most_cells` are not."""
    return n_events * n_frames > (MOST_CELLS if most_cells is None else most_cells)


def best_path(
    base_functions: Callable[[IntArray], BaseFunctions],
    weights: Callable[[BaseFunctions], Float64],
    free: BoolArray,
    room: Room,
    most_cells: int | None = None,
) -> tuple[Potentials, Path]:
    """Return what was decoded, perhaps in windows, and the best timing of a sequence.

    `base_functions` returns those of the recording, given the longest length of each event
    [shape=(K,)], and `weights` their weights [shape=(J,)]; events that are `free` [shape=(K,)] are
    pauses. Tables of more than `most_cells` events times frames are decoded in windows. Raises
    ParameterError where no timing has a finite score.
    """
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
        longer = room.longer_pause(free, potentials.max_length, path.onsets)
        if longer is None:
            return potentials, path
        pause = longer
