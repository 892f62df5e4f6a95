"""Sounds with a voice in them and without, made so that it is known."""

import numpy as np
import pytest

from align.features.sound.voicing import voiceless

RATE = 16000
TIMES = np.arange(RATE // 2) / RATE
NOISE = np.random.default_rng(0).normal(0.0, 0.3, len(TIMES))


def voice(frequency, last=None):
    """Return pulses, each of which a resonance answers; they may end at another frequency."""
    frequencies = np.linspace(frequency, last or frequency, len(TIMES))
    pulses = np.diff(np.floor(np.cumsum(frequencies) / RATE), prepend=0.0)
    ring = np.exp(-400.0 * TIMES[:200]) * np.sin(2 * np.pi * 700.0 * TIMES[:200])
    return np.convolve(pulses, ring)[: len(TIMES)]


def partials(*frequencies, fade=0.0):
    """Return tones at the same time."""
    return sum(np.sin(2 * np.pi * f * TIMES) for f in frequencies) * np.exp(-fade * TIMES)


def is_voiceless(sound, words=(0.0, 0.5), word=None, **options):
    """Say so of a sound behind a word of half a second."""
    samples = np.concatenate((voice(120.0) if word is None else word, sound)).astype(np.float32)
    spans = np.array([[0.5, len(samples) / RATE]])
    return bool(voiceless(samples, RATE, spans, np.array([words]), **options)[0])


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


DIAL = partials(350.0, 440.0)
CHORD = partials(*(f * m for f in (196.0, 247.0, 294.0) for m in (1, 2, 3)), fade=3.0)
HORN = partials(*(400.0 * m for m in (1, 3, 5)), *(500.0 * m for m in (1, 3, 5)))
KEYS = partials(770.0, 1209.0)


@pytest.mark.parametrize("sound", [DIAL, CHORD, HORN, KEYS], ids=["dial", "chord", "horn", "keys"])
def test_telephones_and_instruments_are_no_voice(sound):
    word = voice(120.0, 90.0)
    assert is_voiceless(sound, word=word)
    assert not is_voiceless(sound, word=word, tones=False)
    assert not is_voiceless(voice(150.0, 110.0), word=word)


def test_a_voice_without_melody_is_one_where_the_words_have_none():
    assert is_voiceless(voice(120.0), word=voice(120.0, 90.0))  # as an organ pipe
    assert not is_voiceless(voice(150.0), word=voice(120.0))


def test_tones_are_known_where_the_words_have_no_voice():
    word = np.where(TIMES < 0.18, voice(120.0, 90.0), NOISE)
    assert is_voiceless(DIAL, word=word)
    assert not is_voiceless(NOISE, word=word)
    assert not is_voiceless(DIAL, words=(0.0, 0.0))
