"""The contract of features, and the terms that decorated functions become."""

import copy

import numba
import numpy as np
import pytest

from align.errors import ParameterError
from align.features import (
    Signal,
    TimedSignal,
    duration_feature,
    general_feature,
    onset_feature,
    ratio_feature,
    segment_feature,
)
from align.features.base import Feature, rows_of
from align.terms import BaseFunctions, DurationTerm, GeneralTerm, OnsetTerm, RatioTerm, SegmentTerm
from align.types import Note

EVENTS = ["a", "b", "a"]


@onset_feature
def place(signal, event):
    """Frame number, times two for b."""
    return np.arange(signal.n_frames) * (2.0 if event == "b" else 1.0)


@segment_feature
def loudness(signal, event):
    return signal.log_energy if event == "a" else -signal.log_energy


@duration_feature
def shortness(event, seconds):
    return -np.log(seconds)


@ratio_feature
def rate(event, after):
    return {"a": 0.02, "b": 0.04}[event]


@general_feature
@numba.njit
def jump(k, before, onset, after):
    return float((after - onset) * (onset - before))


KINDS = {
    place: OnsetTerm,
    loudness: SegmentTerm,
    shortness: DurationTerm,
    rate: RatioTerm,
    jump: GeneralTerm,
}


@pytest.fixture
def signal():
    samples = np.random.default_rng(0).normal(size=1600).astype(np.float32)
    return Signal(samples, 16000, hop=0.01)


@pytest.mark.parametrize("feature", KINDS, ids=lambda f: f.name)
def test_each_decorator_makes_a_feature_of_its_kind(feature, signal):
    assert isinstance(feature, Feature)
    assert not feature.cross_fit
    assert feature.name == feature.function.__name__
    terms = feature.terms(signal, EVENTS)
    assert list(terms) == [feature.name]
    assert isinstance(terms[feature.name], KINDS[feature])
    assert feature.fit([]) is feature
    assert feature.get_state() == ({}, {})
    assert feature.set_state({}, {}) is feature
    again = copy.deepcopy(feature)
    y = np.array([0, 3, 7])
    assert again.terms(signal, EVENTS)[feature.name].value(y, 10) == terms[feature.name].value(
        y, 10
    )


@pytest.mark.parametrize("feature", KINDS, ids=lambda f: f.name)
def test_each_suits_the_recording(feature, signal):
    for events in (EVENTS, ["a"], ["b"] * 10):
        terms = feature.terms(signal, events)
        x = BaseFunctions(list(terms.values()), list(terms), len(events), signal.n_frames)
        y = np.arange(len(events))
        score = x.potentials(np.array([2.0])).score(y)
        assert score == pytest.approx(2.0 * x.phi(y)[0], rel=1e-5)


def test_segments_sum_their_frames(signal):
    energy = signal.log_energy.astype(float)
    found = loudness.terms(signal, EVENTS)["loudness"].value(np.array([0, 3, 7]), 10)
    assert found == pytest.approx(energy[:3].sum() - energy[3:7].sum() + energy[7:].sum())


def test_durations_start_at_one_frame(signal):
    """No event lasts 0 s, so a function need not be defined there: log is a natural choice."""
    term = shortness.terms(signal, EVENTS)["shortness"]
    assert term.table.shape == (2, 11)
    assert term.value(np.array([0, 3, 7]), 10) == pytest.approx(-np.log([0.03, 0.04, 0.03]).sum())


def test_features_do_nothing_until_told_how(signal):
    with pytest.raises(NotImplementedError):
        Feature().terms(signal, EVENTS)
    with pytest.raises(NotImplementedError):
        Feature().pool([])


@pytest.mark.parametrize(
    ("decorator", "function", "message"),
    [
        (segment_feature, lambda s, e: np.zeros(3), r"returned shape \(3,\) for event 'a', must"),
        (segment_feature, lambda s, e: 0.0, r"returned shape \(\) for event 'a', must be \(10,\)"),
        (
            onset_feature,
            lambda s, e: None,
            r"returned nothing for event 'a', must return",
        ),
        (duration_feature, lambda e, d: np.zeros(len(d) + 1), r"shape \(11,\) .* must be \(10,\)"),
        (duration_feature, lambda e, d: d * np.inf, "is not finite for event 'a'"),
        (ratio_feature, lambda e, n: np.nan, "is not finite for event 'a'"),
        (ratio_feature, lambda e, n: [1.0, 2.0], r"shape \(2,\) for event 'a', must be \(\)"),
    ],
)
def test_what_a_function_returns_is_checked(signal, decorator, function, message):
    feature = decorator(function)
    with pytest.raises(ParameterError, match=message):
        feature.terms(signal, EVENTS)


def test_rows_of_symbols_and_notes():
    notes = [Note(60, 0.0), Note(62, 0.5), Note(60, 0.0)]
    symbols, rows = rows_of(notes)
    assert symbols == notes[:2]
    np.testing.assert_array_equal(rows, [0, 1, 0])
    symbols, rows = rows_of([])
    assert symbols == []
    assert rows.dtype == np.intp
    assert rows.shape == (0,)


def test_lengths_of_a_timed_signal(signal):
    onsets = np.array([1, 4, 6])
    item = TimedSignal(signal, EVENTS, onsets, onsets * 0.01, end=9)
    np.testing.assert_array_equal(item.lengths, [3, 2, 3])
