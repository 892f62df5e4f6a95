"""Clicks are taken out, and nothing else."""

import numpy as np

from align.features.sound.clicks import without_clicks
from align.types import Float32

RATE = 16000


def tone(seconds: float, frequency: float = 220.0) -> Float32:
    times = np.arange(round(seconds * RATE)) / RATE
    return (0.3 * np.sin(2 * np.pi * frequency * times)).astype(np.float32)


def test_scratches_are_taken_out_wherever_they_are() -> None:
    clean = tone(1.0)
    scratched = clean.copy()
    draw = np.random.default_rng(0)
    for place in (0, 4000, 8123, 15996):
        scratched[place : place + 4] += draw.choice([-0.2, 0.2], scratched[place : place + 4].size)
    assert np.abs(scratched - clean).max() > 0.1
    mended = without_clicks(scratched, RATE)
    assert np.abs(mended[2000:15990] - clean[2000:15990]).max() < 0.04


def test_notes_noise_and_pulses_of_low_tones_stay() -> None:
    note = tone(0.5, 1760.0)
    begun = np.concatenate([np.zeros(4000, dtype=np.float32), note])
    noise = np.random.default_rng(0).normal(0.0, 0.1, RATE).astype(np.float32)
    burst = begun.copy()
    burst[9000:9160] += 3 * noise[:160]  # 10 ms
    pulses = np.zeros(RATE, dtype=np.float32)
    pulses[:: RATE // 110] = 0.5
    struck = np.tile(np.exp(-np.arange(2000) / 400) * np.cos(np.arange(2000) * 0.3), 8)
    for sound in (begun, noise, burst, pulses, struck.astype(np.float32)):
        np.testing.assert_array_equal(without_clicks(sound, RATE), sound)


def test_almost_nothing() -> None:
    for n in (0, 1, 3):
        assert without_clicks(np.zeros(n, dtype=np.float32), RATE).size == n
