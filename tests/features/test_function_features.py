"""Features made of plain functions by the decorators."""

import copy
import math
import pickle
import sys
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from align.errors import ParameterError
from align.features import (
    Signal,
    duration_feature,
    general_feature,
    onset_feature,
    ratio_feature,
    segment_feature,
)
from align.features.base import Feature

EVENTS = ["a", "b", "a"]


@onset_feature
def of_this_module(signal, event):
    return signal.log_energy


ONSETS = np.array([0, 3, 7])


@pytest.fixture
def signal():
    samples = np.linspace(-1, 1, 1600, dtype=np.float32)
    return Signal(samples, 16000, hop=0.01)


def test_onset_feature(signal):
    called = []

    @onset_feature
    def place(signal, event):
        """Later is better, twice for b."""
        called.append(event)
        return np.arange(signal.n_frames) * (2 if event == "b" else 1)

    assert isinstance(place, Feature)
    assert place.__doc__ == "Later is better, twice for b."
    term = place.terms(signal, EVENTS)["place"]
    assert called == ["a", "b"]  # once for each distinct event
    assert term.value(ONSETS, 10) == 0 + 2 * 3 + 7
    np.testing.assert_array_equal(place(signal, "b"), np.arange(10) * 2)


def test_a_feature_of_a_module_is_pickled_by_its_name(monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(of_this_module=of_this_module))
    assert pickle.loads(pickle.dumps(of_this_module)) is of_this_module
    assert copy.deepcopy(of_this_module) is of_this_module

    @onset_feature
    def local(signal, event):
        return signal.log_energy

    assert copy.deepcopy(local).function is local.function


def test_segment_feature(signal):
    @segment_feature
    def suits(signal, event):
        return np.full(signal.n_frames, 1.0 if event == "a" else 10.0)

    assert suits.terms(signal, EVENTS)["suits"].value(ONSETS, 10) == 3 + 40 + 3


def test_duration_feature_is_given_seconds(signal):
    @duration_feature
    def length(event, seconds):
        return seconds * (100 if event == "a" else 1000)

    term = length.terms(signal, EVENTS)["length"]
    assert term.table.shape == (2, 11)
    assert term.value(ONSETS, 10) == pytest.approx(3 + 40 + 3)


def test_ratio_feature_and_its_gate(signal):
    @ratio_feature
    def rate(event, after):
        return 0.02 if event == "a" else 0.04

    term = rate.terms(signal, EVENTS)["rate"]
    np.testing.assert_array_equal(term.gate, [False, True, True])
    assert term.value(ONSETS, 10) == pytest.approx((1 - 1.5) ** 2 + (1.5 - 1) ** 2)

    @ratio_feature
    def last_has_none(event, after):
        return 0.02 if after is not None else 0.0

    np.testing.assert_array_equal(
        last_has_none.terms(signal, EVENTS)["last_has_none"].gate, [False, True, False]
    )


def test_general_feature(signal):
    @general_feature
    @numba.njit
    def jump(k, before, onset, after):
        return float((after - onset) * (onset - before))

    term = jump.terms(signal, EVENTS)["jump"]
    assert term.value(ONSETS, 10) == 3 * 1 + 4 * 3 + 3 * 4


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros(9), r"feature 'odd' returned shape \(9,\) for event 'a', must be \(10,\)"),
        (np.full(10, math.nan), "feature 'odd' is not finite for event 'a'"),
        (np.ma.masked_equal(np.arange(10), 3), "feature 'odd' is not finite for event 'a'"),
        (["x"] * 10, "feature 'odd' returned <U1 for event 'a', must be numbers"),
        (np.full(10, 1j), "feature 'odd' returned complex128 for event 'a', must be numbers"),
    ],
)
def test_wrong_return(signal, values, message):
    @onset_feature
    def odd(signal, event):
        return values

    with pytest.raises(ParameterError, match=message):
        odd.terms(signal, EVENTS)
