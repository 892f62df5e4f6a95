"""Fades are undone before a recording is said to hold but a part of its score."""

import numpy as np

from align.features.notes.note_levels import semitone_levels
from align.features.sound.signal import Signal
from align.music.performances.evened import evened

RATE = 4000


def test_a_recording_that_fades_out_is_as_loud_as_before_but_for_some_decibels() -> None:
    time = np.arange(12 * RATE) / RATE
    loud = 0.3 * np.sin(2 * np.pi * 440 * time)
    assert evened(Signal(loud.astype(np.float32), RATE, 0.010)) is None
    faded = loud * 10.0 ** (-np.clip(10.0 * (time - 6.0), 0.0, None) / 20.0)
    signal = Signal(faded.astype(np.float32), RATE, 0.010, own_rate=8000)
    louder = evened(signal)
    assert louder is not None
    assert (louder.own_rate, louder.n_frames) == (8000, signal.n_frames)
    was, now = (semitone_levels(one)[1100].max() for one in (signal, louder))
    assert was < 3.0 < 7.0 < now
