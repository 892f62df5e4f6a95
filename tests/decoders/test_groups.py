"""Groups of simultaneous events: against enumeration of the timings of groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align import decoders
from align.decoders import decode_groups, group_potentials, simultaneous
from align.errors import ParameterError
from align.potentials import Potentials


@settings(max_examples=400)
@given(data=st.data())
def test_equals_enumeration_ties_included(naive, data):
    groups = np.cumsum([0, *data.draw(st.lists(st.integers(0, 1), max_size=5))])
    options = {"n_events": len(groups), "most_frames": 7, "shortest": 2, "latest": 0.5}
    ratio = naive.ratios(len(groups)) if data.draw(st.booleans()) else None
    potentials = data.draw(naive.small_potentials(ratio=ratio, **options))
    onsets, score = naive.best_of_groups(potentials, groups)
    if onsets is None:
        with pytest.raises(ParameterError, match=r"events? \d|no timing|frames"):
            decode_groups(potentials, groups)
        return
    found = decode_groups(potentials, groups)
    assert found.score == score
    assert found.onsets.tolist() == onsets
    assert found.onsets.dtype == np.intp


@pytest.mark.parametrize("order", [0, 1, 2])
def test_events_alone_are_as_they_were(naive, order):
    potentials = naive.random_potentials(np.random.default_rng(order), 5, 30, order=order)
    assert group_potentials(potentials, [0, 1, 2, 7, 9]) is potentials
    path = decode_groups(potentials, np.arange(5))
    assert path.onsets.tolist() == decoders.decode(potentials).onsets.tolist()


def test_a_chord_is_found_where_its_notes_agree():
    rng = np.random.default_rng(1)
    onset = rng.normal(size=(4, 20))
    onset[1:3, 7] += 4.0
    alone = decoders.decode(Potentials(onset, 20)).onsets
    together = decode_groups(Potentials(onset, 20), simultaneous([0.0, 1.0, 1.01, 2.0], 0.02))
    assert alone[1] < alone[2]
    assert together.onsets[1] == together.onsets[2] == 7


def test_other_answers_serve_groups_as_well():
    """The posterior and the max-marginals of the groups, taken for each member."""
    onset = np.random.default_rng(2).normal(size=(3, 6))
    groups = np.array([0, 1, 1])
    potentials = group_potentials(Potentials(onset, 6), groups)
    path = decode_groups(Potentials(onset, 6), groups)
    best = decoders.onset_max_marginals(potentials).score[groups]
    assert best[np.arange(3), path.onsets].tolist() == [path.score] * 3
    sure = decoders.onset_posterior(potentials, temperature=1e-3).probability[groups]
    assert sure.argmax(axis=1).tolist() == path.onsets.tolist()


def test_equal_combinations_of_lengths_share_a_row():
    duration = np.arange(15.0).reshape(3, 5)
    potentials = Potentials(
        np.zeros((6, 9), dtype=np.float32),
        9,
        duration=duration,
        duration_row=np.array([0, 2, 1, 2, 0, 1]),
        labels=tuple("abcdef"),
    )
    found = group_potentials(potentials, [0, 0, 1, 2, 2, 3])
    assert found.duration_row.tolist() == [0, 1, 0, 1]
    assert found.duration.tolist() == [(duration[0] + duration[2]).tolist(), duration[1].tolist()]
    assert found.labels == ("a+b", "c", "d+e", "f")
    assert found.onset.dtype == np.float32


def test_no_events_and_one_frame():
    assert decode_groups(Potentials(np.zeros((0, 4)), 4, constant=1.5), []).score == 1.5
    found = decode_groups(Potentials(np.array([[1.0], [2.0]]), 1), [3, 3])
    assert (found.onsets.tolist(), found.score) == ([0, 0], 3.0)


def test_simultaneous_measures_from_the_first_of_a_group():
    assert simultaneous([0.0, 0.04, 0.08, 0.12], 0.05).tolist() == [0, 0, 1, 1]
    assert simultaneous([]).tolist() == []
    for times in ([1.0, 0.5], [0.0, np.nan], [[0.0]]):
        with pytest.raises(ParameterError, match="finite times that never decrease"):
            simultaneous(times)
    with pytest.raises(ParameterError, match="tolerance=-1"):
        simultaneous([0.0], -1)


@pytest.mark.parametrize(
    ("groups", "options", "message"),
    [
        ([0, 1], {}, r"groups.shape=\(2,\), must be \(K,\)=\(3,\)"),
        ([0.0, 1.0, 1.0], {}, "groups.dtype=float64, must be integers"),
        ([0, 2, 1], {}, r"groups\[2\]=1 after 2, must never decrease"),
        ([0, 0, 1], {"general": ((1.0, max),)}, "cannot add general functions"),
        (
            [0, 1, 1],
            {"start": np.array([0, 0, 3]), "stop": np.array([3, 3, 6])},
            r"events 2 to 3 \('b\+c'\) cannot begin together: no frame is in the windows of all",
        ),
        (
            [0, 1, 1],
            {"min_length": np.array([1, 1, 5]), "max_length": np.array([6, 4, 6])},
            r"event 2 \('b\+c'\) has min_length=5 above max_length=4",
        ),
    ],
)
def test_what_cannot_be_grouped(groups, options, message):
    potentials = Potentials(np.zeros((3, 6)), 6, labels=tuple("abc"), **options)
    with pytest.raises(ParameterError, match=message):
        decode_groups(potentials, groups)
