"""A recording that was made longer at its ends, and what was found there in its own time.

Events that may be long, pauses, lie in what was added; all others begin within the recording. A
pause of which less than 10 ms is in the recording is none of it. Some events begin in silence, as
stops do, and the beginning of the recording is as good a time for them as the end of a pause.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from align.decoders import Lattice
from align.features import Signal
from align.sequence.anchors import Held
from align.sequence.frames import in_order
from align.terms import OnsetTerm, Term
from align.types import BoolArray, Event, Float64, IntArray

_NONE: IntArray = np.zeros(0, dtype=np.intp)
_LEAST = 0.010  # seconds of a pause that count
_EDGE, _CUT = "edge", 3.0  # log odds: that a recording is cut just there is not by chance


class Extended(NamedTuple):
    """A recording, what was made of it, and how many frames were put in front.

    And which events are `closed`: they begin in silence.
    """

    own: Signal
    signal: Signal
    before: int = 0
    closed: Callable[[Event], bool] = bool

    @property
    def span(self) -> tuple[int, int]:
        """The first frame of the recording itself, and the one behind its last."""
        return self.before, self.before + self.own.n_frames

    @property
    def after(self) -> int:
        """How many frames were put behind."""
        return self.signal.n_frames - self.before - self.own.n_frames

    def windows(self, lattice: Lattice) -> IntArray | None:
        """Return in which frames the nodes of a lattice may begin [shape=(N, 2)].

        None where nothing was added.
        """
        if self.signal is self.own:
            return None
        stop = min(self.before + self.own.n_frames + 1, self.signal.n_frames)
        windows = np.tile(np.array([self.before, stop]), (lattice.n_nodes, 1))
        windows[lattice.starts, 0] = 0
        return windows

    def held(self, n_events: int) -> Held | None:
        """Return the windows of a sequence of events; None where nothing was added."""
        if self.signal is self.own:
            return None
        steps = np.arange(n_events)
        low = np.where(steps > 0, self.before + steps - 1, 0)
        stop = min(self.before + self.own.n_frames + 1, self.signal.n_frames)
        return Held(_NONE, np.zeros(0), np.stack((low, stop - steps[::-1]), axis=1))

    def edge(self, events: Sequence[Event]) -> dict[str, Term]:
        """Return the base function of events that begin in silence, with the recording itself."""
        if not self.before:
            return {}
        table = np.zeros((1, self.signal.n_frames))
        table[0, self.before] = 1.0
        rows = np.array([0 if self.closed(event) else -1 for event in events], dtype=np.intp)
        return {_EDGE: OnsetTerm(table, rows)}

    def weight(self, temperature: float) -> dict[str, float]:
        """Return the weight of this base function, among scores that count at a temperature."""
        return {_EDGE: _CUT * temperature} if self.before else {}

    def within(self, times: Float64, silent: BoolArray) -> tuple[Float64, BoolArray]:
        """Return onsets in seconds of the recording itself, and which events are in it.

        `times` [shape=(K,)] are onsets in what was made of it; `silent` [shape=(K,)] says which
        events are pauses.
        """
        inside = np.ones(len(times), dtype=bool)
        if self.signal is self.own:
            return times, inside
        duration = self.own.duration
        moved = times - self.before * self.own.hop
        if len(times) > 1:
            inside[0] = not (silent[0] and self.before and moved[1] < _LEAST)
            more = self.signal.n_frames - self.before > self.own.n_frames
            inside[-1] = not (silent[-1] and more and moved[-1] > duration - _LEAST)
        if not inside[0]:
            moved[1] = 0.0
        moved[inside] = in_order(moved[inside], duration)
        return moved, inside
