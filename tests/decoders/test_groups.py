"""Groups of simultaneous events: against enumeration of the timings of groups."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from align import decoders
from align.decoders import decode_groups, group_potentials, simultaneous
from align.errors import ParameterError
from align.potentials import Potentials

SMALL = st.sampled_from([-3.0, -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0])


def score_of(p, groups, y):
    """Sum over all members; `y` is one frame for each group."""
    ends = [*y[1:], p.n_frames]
    total = p.constant
    for k, g in enumerate(groups):
        d = ends[g] - y[g]
        if not (p.start[k] <= y[g] < p.stop[k] and p.min_length[k] <= d <= p.max_length[k]):
            return -np.inf
        total += p.onset[k, y[g] - p.start[k]]
        if p.duration is not None:
            total += p.duration[p.duration_row[k], d]
        if p.ratio is not None and g > 0:
            before = y[g] - y[g - 1]
            total += p.ratio[k] @ [d * d, before * before, before * d]
    return total


@st.composite
def grouped(draw):
    groups = np.cumsum([0, *draw(st.lists(st.integers(0, 1), max_size=5))])
    n_events, n_frames = len(groups), draw(st.integers(1, 7))
    scores = st.one_of(SMALL, st.just(-np.inf)) if draw(st.booleans()) else SMALL
    start = stop = duration = row = minimum = maximum = ratio = None
    width = n_frames
    if draw(st.booleans()):
        start = np.sort(draw(arrays(np.intp, n_events, elements=st.integers(0, n_frames // 2))))
        stop = np.sort(draw(arrays(np.intp, n_events, elements=st.integers(1, n_frames))))
        width = max(1, int((stop - start).max()))
    if draw(st.booleans()):
        longest = draw(st.integers(1, n_frames))
        duration = draw(arrays(np.float64, (2, longest + 1), elements=scores))
        row = draw(arrays(np.intp, n_events, elements=st.integers(0, 1)))
    if draw(st.booleans()):
        minimum = draw(arrays(np.intp, n_events, elements=st.integers(1, 2)))
    if draw(st.booleans()):
        maximum = draw(arrays(np.intp, n_events, elements=st.integers(1, n_frames)))
    if draw(st.booleans()):
        ratio = draw(arrays(np.float64, (n_events, 3), elements=st.sampled_from([-1.0, 0.0, 2.0])))
        ratio[0] = 0.0
    potentials = Potentials(
        draw(arrays(np.float64, (n_events, width), elements=scores)),
        n_frames,
        start=start,
        stop=stop,
        duration=duration,
        duration_row=row,
        min_length=minimum,
        max_length=maximum,
        ratio=ratio,
        constant=draw(SMALL),
    )
    return potentials, groups


@settings(max_examples=400)
@given(grouped())
def test_equals_enumeration_ties_included(problem):
    potentials, groups = problem
    best = None
    for y in itertools.combinations(range(potentials.n_frames), int(groups[-1]) + 1):
        key = (-score_of(potentials, groups, y), y[::-1])
        if key[0] < np.inf and (best is None or key < best):
            best = key
    if best is None:
        with pytest.raises(ParameterError, match=r"events? \d|no timing|frames"):
            decode_groups(potentials, groups)
        return
    found = decode_groups(potentials, groups)
    assert found.score == -best[0]
    assert found.onsets.tolist() == np.array(best[1][::-1])[groups].tolist()
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
