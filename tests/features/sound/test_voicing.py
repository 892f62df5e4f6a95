"""Sounds with a voice in them and without, made so that it is known."""

import numpy as np
import pytest

from align.features.sound.voicing import voiceless

RATE = 16000
TIMES = np.arange(RATE // 2) / RATE
NOISE = np.random.default_rng(0).normal(0.0, 0.3, len(TIMES))


def voice(frequency):
    """Return pulses, each of which a resonance answers."""
    pulses = np.diff(np.floor(TIMES * frequency), prepend=0.0)
    ring = np.exp(-400.0 * TIMES[:200]) * np.sin(2 * np.pi * 700.0 * TIMES[:200])
    return np.convolve(pulses, ring)[: len(TIMES)]


def is_voiceless(sound, words=(0.0, 0.5)):
    """Say so of a sound behind a word of half a second."""
    samples = np.concatenate((voice(120.0), sound)).astype(np.float32)
    spans = np.array([[0.5, len(samples) / RATE]])
    return bool(voiceless(samples, RATE, spans, np.array([words]))[0])


@pytest.mark.parametrize("frequency", [80.0, 200.0, 350.0])
def test_a_voice(frequency):
    assert not is_voiceless(voice(frequency))
    assert not is_voiceless(np.concatenate((NOISE, voice(frequency)[:1600], NOISE)))


@pytest.mark.parametrize(
    "sound",
    [
        NOISE,
        NOISE * np.exp(-TIMES / 0.05),
        np.sin(2 * np.pi * 1000.0 * TIMES),
        np.sin(2 * np.pi * 50.0 * TIMES),
        0.001 * voice(120.0) + 0.0001 * NOISE,
        np.zeros(len(TIMES)),
        NOISE[:160],
    ],
    ids=["noise", "clap", "beep", "hum", "soft", "silence", "click"],
)
def test_no_voice(sound):
    assert is_voiceless(sound)


def test_nothing_is_said_where_the_words_have_no_voice():
    assert not is_voiceless(NOISE, words=(0.5, 1.0))
    assert not is_voiceless(NOISE, words=(0.5, 0.5))
    assert voiceless(np.zeros(0, np.float32), RATE, np.zeros((0, 2)), np.zeros((0, 2))).size == 0


def test_a_long_recording_is_as_its_parts():
    samples = np.concatenate((voice(120.0), NOISE) * 4).astype(np.float32)
    times = np.arange(0.0, 4.0, 0.5)[:, None] + np.array([0.0, 0.5])
    assert voiceless(samples, RATE, times, times[::2]).tolist() == [False, True] * 4
