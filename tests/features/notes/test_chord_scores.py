"""Scores of chords against loops over notes, frames and harmonics."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.features.notes.chord_scores import (
    SMEAR_REACH,
    level_scores,
    note_scores,
    rise_scores,
    smeared,
)
from align.features.notes.note_levels import note_levels
from align.features.sound.pitch import LOWEST_BAND
from align.features.sound.signal import Signal

RATE = 8000


@pytest.fixture(scope="module")
def signal() -> Signal:
    """Half a second of silence, then middle C and its decay."""
    time = np.arange(RATE // 2) / RATE
    tone = sum(np.sin(2 * np.pi * 261.63 * h * time) / h for h in (1, 2, 3)) * np.exp(-4 * time)
    return Signal(np.concatenate([np.zeros(RATE // 2), 0.3 * tone]).astype(np.float32), RATE, 0.01)


@given(st.integers(1, 4), st.integers(1, 8), st.integers(0, 99))
def test_note_scores_follow_their_definition(n_notes: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.random((n_notes, width + 2 * SMEAR_REACH)) ** 4
    group = np.cumsum(rng.integers(0, 2, n_notes))
    group -= group[0]
    table = note_scores(p, group, smear=1.5, floor=0.03)
    for g in range(group[-1] + 1):
        members = np.flatnonzero(group == g)
        for t in range(width):
            total = 0.0
            for k in members:
                q = sum(
                    math.exp(-abs(s) / 1.5) * p[k, SMEAR_REACH + t + s]
                    for s in range(-SMEAR_REACH, SMEAR_REACH + 1)
                )
                total += math.log(1 + min(q, 1.5) / 0.03)
            assert table[g, t] == pytest.approx(total / math.sqrt(len(members)))


def test_a_note_that_was_not_played_says_nothing() -> None:
    p = np.zeros((2, 5 + 2 * SMEAR_REACH))
    p[0, SMEAR_REACH + 3] = 0.9
    both, alone = note_scores(p, np.array([0, 0])), note_scores(p[:1], np.array([0]))
    np.testing.assert_allclose(both * math.sqrt(2), alone)


def test_no_smear_leaves_probabilities_as_they_are() -> None:
    p = np.linspace(0, 1, 3 + 2 * SMEAR_REACH)[None]
    np.testing.assert_array_equal(smeared(p, 0.0), p[:, SMEAR_REACH:-SMEAR_REACH])


def test_rises_follow_their_definition(signal: Signal) -> None:
    rng = np.random.default_rng(0)
    pitches, group = np.array([60, 64, 67]), np.array([0, 0, 1])
    start, width = np.array([45, -3]), 9
    collisions = rng.integers(0, 3, (3, 8)).astype(np.float32)
    table = rise_scores(signal, pitches, group, start, width, collisions)
    short = note_levels(signal)[1]

    def level(t: int, band: int) -> float:
        return float(short[t, band]) if 0 <= t < len(short) else 0.0

    strength = [0.75**h for h in range(6)]
    for g, members in ((0, [0, 1]), (1, [2])):
        for i in range(width):
            t = int(start[g]) + i
            total = 0.0
            for k in members:
                for h, above in enumerate((0, 12, 19, 24, 28, 31)):
                    band = int(pitches[k]) - LOWEST_BAND + 1 + above
                    rise = max(level(t + 2, band) - level(t - 2, band), 0.0)
                    total += rise * strength[h] / sum(strength) / (1 + collisions[k, h])
            assert table[g, i] == pytest.approx(total / math.sqrt(len(members)), abs=1e-4)


def test_the_rise_is_at_the_onset_and_the_level_after_it(signal: Signal) -> None:
    pitches, group, start = np.array([60]), np.array([0]), np.array([20])
    rise = rise_scores(signal, pitches, group, start, 60, np.zeros((1, 8), dtype=np.float32))
    assert abs(20 + int(rise[0].argmax()) - 50) <= 2
    level = level_scores(signal, pitches, group, start, 60)[0]
    assert level[:15].max() < 0.1
    assert level[30:35].min() > 0.5
    beyond = level_scores(signal, pitches, group, np.array([95]), 20)[0]
    np.testing.assert_array_equal(beyond[5:], 0.0)


def test_groups_must_be_numbered_without_gaps() -> None:
    with pytest.raises(ParameterError, match="group must hold the chord of each note"):
        note_scores(np.zeros((2, 20)), np.array([0, 2]))
    with pytest.raises(ParameterError, match="must be wider than 12"):
        note_scores(np.zeros((2, 12)), np.array([0, 0]))
