"""Recordings of the training set, of events that follow each other."""

from collections.abc import Callable

import numpy as np

from align.errors import DataError
from align.features import Signal, TimedSignal
from align.sequence.frames import onset_frames
from align.types import Example


def read_timed(example: Example, name: str, signal_of: Callable[[], Signal]) -> TimedSignal:
    """Return a recording with its events and true onsets, in frames.

    `signal_of` reads it, once it is known that there is something to learn from. Raises DataError
    where there are no onsets, they do not increase, or they do not fit into the recording.
    """
    if example.onsets is None or len(example.events) == 0:
        raise DataError("it has no labelled events to learn from.", path=name)
    signal, times = signal_of(), example.onsets
    if not (np.isfinite(times).all() and (np.diff(times) > 0).all() and times[0] >= 0):
        raise DataError("its onsets must be finite and increasing, from 0 s or later.", path=name)
    end = signal.duration if example.end is None else min(example.end, signal.duration)
    if not times[-1] < end:
        raise DataError(
            f"its last event begins at {times[-1]:.3f} s, after the end at {end:.3f} s.",
            path=name,
        )
    onsets = onset_frames(times, signal)
    if onsets is None:
        raise DataError(
            f"its {len(times)} events do not fit into {signal.n_frames} frames of "
            f"{1000 * signal.hop:g} ms; use a shorter hop.",
            path=name,
        )
    last = signal.n_frames
    if example.end is not None:
        last = max(int(onsets[-1]) + 1, min(last, round(end / signal.hop)))
    return TimedSignal(signal, example.events, onsets, times, last, example.group, example.text)
