"""Habits of labellers: learned per pair of classes, held back while few, and kept in files."""

import json

import numpy as np
import pytest

from align.errors import ModelError
from align.sequence.habits import Habits

KINDS = ["silence", "vowel", "stop", "vowel"]
TRUTH = np.array([0.0, 0.3, 0.6, 0.9])
LATE = np.array([0.0, 0.020, -0.010, 0.200])  # the last one is a mistake


def learned(times):
    habits = Habits()
    for _ in range(times):
        found = habits.moved(TRUTH + LATE, KINDS)
        habits = habits.after(found, TRUTH, KINDS)
    return habits


def test_moves_grow_towards_the_median_error_and_mistakes_teach_nothing():
    for n in (1, 4, 20):
        moved = learned(n).moved(TRUTH + LATE, KINDS)
        left = 4.0 / (n + 4.0)
        np.testing.assert_allclose((moved - TRUTH)[1:3], left * LATE[1:3], atol=1e-12)
        assert moved[3] == pytest.approx(1.1)
        assert moved[0] == 0


def test_other_pairs_do_not_move():
    habits = learned(8)
    assert (habits.moved(TRUTH, ["stop", "stop", None, "silence"]) == TRUTH).all()


def test_only_the_last_errors_count():
    habits = learned(200)
    assert len(habits.errors["silence", "vowel"]) == 24


def test_habits_come_back_from_a_model_file():
    habits = learned(3)
    assert Habits.from_state(json.loads(json.dumps(habits.get_state()))).errors == habits.errors
    with pytest.raises(ModelError, match="not finite, or too large"):
        Habits.from_state([["a", "b", [float("nan")]]])
