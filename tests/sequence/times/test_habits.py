"""Habits of labellers: learned per pair of classes, held back while few, and kept in files."""

import json

import numpy as np
import pytest

from align.errors import ModelError
from align.sequence.times.habits import Habits

KINDS = ["silence", "vowel", "stop", "vowel"]
TRUTH = np.array([0.0, 0.3, 0.6, 0.9])
LATE = np.array([0.0, 0.020, -0.010, 0.200])  # the last one is a mistake


def learned(times):
    habits = Habits()
    for _ in range(times):
        found = habits.moved(TRUTH + LATE, KINDS)
        habits = habits.after(found, TRUTH, KINDS)
    return habits


def test_moves_grow_towards_the_mean_error_and_mistakes_teach_nothing():
    left = []
    for n in (1, 4, 20):
        moved = learned(n).moved(TRUTH + LATE, KINDS)
        left.append(np.abs(moved - TRUTH)[1:3])
        assert moved[0] == 0
    assert (left[0] < np.abs(LATE[1:3])).all()
    assert (left[2] < 0.6 * left[1]).all()
    assert (left[1] < left[0]).all()
    assert ("stop", "vowel") not in learned(4).errors


def test_one_pair_is_the_least_squares_of_its_parts():
    habits = Habits({("silence", "vowel"): [0.02] * 6})
    # four parts that share one sum: each is the sum of errors times what it gives way
    gives = sum(1.0 / held for held in (8.0, 16.0, 16.0, 8.0))
    expected = 6 * 0.02 * gives / (1.0 + 6 * gives)
    moved = habits.moved(np.zeros(2), ["silence", "vowel"])
    np.testing.assert_allclose(moved, [0.0, -expected])


def test_a_pair_that_was_never_seen_learns_from_those_that_are_like_it():
    habits = Habits({("vowel", "silence"): [0.02] * 10, ("stop", "vowel"): [-0.02] * 10})
    moves = habits.moved(np.zeros(5), ["nasal", "silence", "fricative", "liquid", "vowel"])
    assert moves[1] < -0.001 < 0.001 < moves[4]
    assert moves[3] == pytest.approx(0.0, abs=1e-12)


def test_a_habit_seen_by_a_third_of_the_onsets_is_learned():
    habits = Habits({("vowel", "silence"): [0.0, 0.0, 0.03] * 12})
    assert habits.moved(np.zeros(2), ["vowel", "silence"])[1] < -0.007


def test_only_the_last_errors_count():
    habits = learned(200)
    assert len(habits.errors["silence", "vowel"]) == 48


def test_habits_come_back_from_a_model_file():
    habits = learned(3)
    assert Habits.from_state(json.loads(json.dumps(habits.get_state()))).errors == habits.errors
    with pytest.raises(ModelError, match="not finite, or too large"):
        Habits.from_state([["a", "b", [float("nan")]]])
