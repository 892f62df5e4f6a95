"""A recording with a pause in front of it and behind, and what networks hear of it."""

import numpy as np

from align.features import NetworkConfidence, Signal
from align.features.sound.signal import LongerSignal

RATE, HOP = 16000, 0.005


def own_and_longer() -> tuple[Signal, LongerSignal]:
    """Soft, then loud noise; the last frame is half empty."""
    rng = np.random.default_rng(0)
    level = np.repeat([0.001, 0.1], 2020)
    samples = (level * rng.standard_normal(4040)).astype(np.float32)
    own = Signal(samples, RATE, HOP, "one", own_rate=44100)
    pause = np.full(320, 0.5, dtype=np.float32)
    return own, LongerSignal(own, pause[:160], pause)


def test_the_recording_lies_in_it_at_whole_frames() -> None:
    own, longer = own_and_longer()
    assert (longer.before, own.n_frames, longer.n_frames) == (2, 51, 57)
    np.testing.assert_array_equal(longer.samples[160:4200], own.samples)
    assert (longer.own, longer.name, longer.own_rate) == (own, "one", 44100)


def test_networks_hear_the_recording_between_its_softest_frames() -> None:
    """Whatever was put in: its spectra are not asked for."""
    own, longer = own_and_longer()
    network = NetworkConfidence()
    heard, alone = network.energies(longer), network.energies(own)
    assert heard.shape == (57, alone.shape[1])
    np.testing.assert_allclose(heard.mean(axis=0), 0.0, atol=1e-5)
    shift = heard[2:53] - alone
    np.testing.assert_allclose(shift, np.tile(shift[0], (51, 1)), atol=1e-5)
    np.testing.assert_array_equal(heard[:2], np.tile(heard[0], (2, 1)))
    np.testing.assert_array_equal(heard[53:], np.tile(heard[0], (4, 1)))
    softest = np.sort(heard[2:53].mean(axis=1))[:3].mean()
    np.testing.assert_allclose(heard[0].mean(), softest, atol=1e-5)
