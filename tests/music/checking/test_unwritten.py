"""How much of what begins in a recording is in none of the notes of its score."""

import numpy as np
import pytest

from align.features.notes.note_levels import set_tuning
from align.features.sound.signal import Signal
from align.music.checking.unwritten import unwritten_share

RATE = 8000


def test_what_is_not_written_is_counted() -> None:
    pitches, onsets = np.array([60, 43, 62, 47, 64, 48]), np.repeat([0.5, 1.0, 1.5], 2)
    t = np.arange(2 * RATE) / RATE
    x = np.zeros(t.size)
    for pitch, onset in zip(pitches, onsets, strict=True):
        after = np.clip(t - onset, 0.0, None)
        for n in (1, 2, 3):
            tone = np.sin(2 * np.pi * n * 440 * 2 ** ((pitch - 69) / 12) * after)
            x += tone * np.exp(-4 * after) * (after < 0.45) / n
    signal = Signal(x.astype(np.float32), RATE, 0.01)
    set_tuning(signal, 0.0)
    ends = onsets + 0.45
    assert unwritten_share(signal, pitches, onsets, ends) < 0.15
    top = pitches >= 60
    assert unwritten_share(signal, pitches[top], onsets[top], ends[top]) > 0.36
    silence = Signal(np.zeros(RATE, dtype=np.float32), RATE, 0.01)
    assert unwritten_share(silence, pitches, onsets, ends) == pytest.approx(0.0)
