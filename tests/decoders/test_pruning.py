"""Second-order decoding by bounds: as exact as the envelope of all states, ties included."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from align import decoders
from align.decoders import _pruning
from align.decoders._checkpoints import best_by_envelopes
from align.decoders._envelope import Problem
from align.decoders._pruning import is_concave, is_promising, prune, states_that_fit
from align.decoders._states import length_scores, pointer_offsets
from align.decoders._windows import check_values, tighten
from align.errors import ParameterError
from align.types import Potentials


def by_envelopes(potentials, windows=None):
    windows = tighten(potentials) if windows is None else windows
    own, cross = length_scores(potentials, windows)
    onset, offset = check_values(potentials), pointer_offsets(windows)
    problem = Problem(onset, potentials.start, windows, own, cross, offset)
    return best_by_envelopes(problem, None)


def by_bounds(potentials, share=1.0, most=2**20):
    return prune(potentials, check_values(potentials), tighten(potentials), most, share)


@st.composite
def concave_potentials(draw):
    """Small whole numbers: sums are exact and ties real."""
    n_events, n_frames = draw(st.integers(1, 4)), draw(st.integers(4, 10))
    small = st.sampled_from([-3.0, -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0])
    scores = st.one_of(small, st.just(-np.inf)) if draw(st.booleans()) else small
    longest = draw(st.integers(-(-n_frames // n_events), n_frames))
    rows = [(0, 0, 0), (-1, -1, 2), (-1, -4, 4), (-1, -1, 0), (-1, -1, -1), (-2, 0, 0)]
    ratio = np.array([(0, 0, 0), *(draw(st.sampled_from(rows)) for _ in range(n_events - 1))])
    return Potentials(
        draw(arrays(np.float64, (n_events, n_frames), elements=scores)),
        n_frames,
        duration=draw(arrays(np.float64, (2, longest + 1), elements=scores)),
        duration_row=draw(arrays(np.intp, n_events, elements=st.integers(0, 1))),
        ratio=ratio.astype(np.float64),
        constant=draw(small),
    )


@settings(max_examples=300)
@given(concave_potentials(), st.sampled_from([1e-3, 1.0, 2.0, 4.0]))
def test_equals_enumeration_ties_included(naive, potentials, share):
    """A share below one lets any number of states be decoded; a large one asks for beams."""
    onsets, score = naive.enumerate_best(potentials)
    found = by_bounds(potentials, share)
    if onsets is None:
        assert found.score == -np.inf
        assert not found.exact
        return
    assert found.exact or share >= 1.0
    if found.exact:
        assert found.score + potentials.constant == score
        assert found.onsets.tolist() == list(onsets)
        return
    # the path known is real, and the windows hold every best path
    assert potentials.score(found.onsets) == found.score + potentials.constant <= score
    rest, best = by_envelopes(potentials, found.windows)
    assert rest + potentials.constant == score
    assert best.tolist() == list(onsets)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("strength", [1e-6, 1e-3, 0.1, 1.0, 30.0])
def test_equals_the_envelope_of_all_states(naive, strength, windows, dtype):
    rng = np.random.default_rng(1)
    exact = 0
    for seed in range(4):
        potentials = naive.random_potentials(
            rng, 6, 48, longest=25, sign=-1.0, windows=windows, dtype=dtype
        )
        potentials = replace(potentials, ratio=potentials.ratio * strength)
        score, onsets = by_envelopes(potentials)
        found = by_bounds(potentials, share=(1e-3, 3.0, 10.0, 100.0)[seed])
        assert found.score <= score + 1e-9
        exact += found.exact
        if found.exact:
            assert found.score == pytest.approx(score, abs=1e-9)
            assert found.onsets.tolist() == onsets.tolist()
        rest, best = by_envelopes(potentials, found.windows)
        assert rest == pytest.approx(score, abs=1e-9)
        assert best.tolist() == onsets.tolist()
    assert exact > 0


def test_few_states_survive_where_scores_are_clear(naive):
    potentials = naive.random_potentials(np.random.default_rng(0), 8, 80, longest=30, sign=-1.0)
    potentials = replace(potentials, onset=5 * potentials.onset, ratio=potentials.ratio * 0.01)
    found = by_bounds(potentials, share=10.0)
    assert found.exact
    assert found.fraction < 0.02


def test_many_lines_meet_on_a_hull():
    """Wide rows of survivors, which take the hull rather than all pairs."""
    n_events, n_frames = 4, 60
    ratio = np.zeros((n_events, 3))
    ratio[1:] = [-1e-2, -1e-2, 2e-2]
    onset = np.sin(np.arange(n_events * n_frames).reshape(n_events, -1) ** 1.5) * 0.2
    for cross in (1.0, -1.0):
        potentials = Potentials(onset, n_frames, ratio=ratio * [1, 1, cross])
        score, onsets = by_envelopes(potentials)
        found = by_bounds(potentials, share=1e-3)
        assert found.exact
        assert found.score == pytest.approx(score, abs=1e-12)
        assert found.onsets.tolist() == onsets.tolist()


@pytest.mark.parametrize(
    ("row", "concave"),
    [
        ((-1.0, -1.0, 2.0), True),
        ((-1.0, -1.0, -2.0), True),
        ((-((1 / 3) ** 2), -((1 / 7) ** 2), 2 / 21), True),
        ((-1.0, -1.0, 2.001), False),
        ((1.0, 1.0, -2.0), False),
        ((-1.0, 0.0, 0.1), False),
        ((0.0, 0.0, 0.0), True),
        ((-1e-170, -1e-170, 2e-170), True),
        ((-1e-170, -1e-170, 2.5e-170), False),
        ((-1e200, -1e200, 2e200), True),
        ((-1e200, -1e200, 2.5e200), False),
    ],
)
def test_terms_that_do_not_exceed_their_tangents(row, concave):
    assert is_concave(np.array([(0.0, 0.0, 0.0), row])) is concave


def test_terms_that_reward_change_are_not_pruned(naive, monkeypatch):
    monkeypatch.setattr("align.decoders.second_order.prune", None)
    potentials = naive.random_potentials(np.random.default_rng(2), 4, 20, sign=1.0)
    path = decoders.decode_second_order(potentials)
    assert path.score == pytest.approx(naive.recursion(potentials), abs=1e-9)


def test_falls_back_where_too_many_survive(naive, monkeypatch):
    potentials = naive.random_potentials(np.random.default_rng(2), 5, 30, sign=-1.0)
    expected = decoders.decode_second_order(potentials)
    monkeypatch.setattr(_pruning, "_MOST", 1)
    assert states_that_fit(potentials, tighten(potentials), None) == 1
    path = decoders.decode_second_order(potentials)
    assert path.score == pytest.approx(expected.score, abs=1e-9)
    assert path.onsets.tolist() == expected.onsets.tolist()


def test_no_finite_score_after_pruning():
    onset = np.zeros((2, 6))
    onset[0, :4] = onset[1, 4:] = -np.inf
    ratio = np.array([[0.0, 0, 0], [-1, -1, 2]])
    with pytest.raises(ParameterError, match=r"event 2 has score -inf wherever"):
        decoders.decode_second_order(Potentials(onset, 6, ratio=ratio))


@pytest.mark.parametrize(("strength", "promising"), [(1e-6, True), (1.0, False)])
def test_the_first_events_tell_whether_to_try(naive, monkeypatch, strength, promising):
    potentials = naive.random_potentials(np.random.default_rng(4), 100, 420, longest=8, sign=-1.0)
    potentials = replace(potentials, ratio=potentials.ratio * strength)
    arguments = potentials, check_values(potentials), tighten(potentials)
    assert is_promising(*arguments) is promising
    score, onsets = by_envelopes(potentials)
    if not promising:
        monkeypatch.setattr("align.decoders.second_order.prune", None)
    path = decoders.decode_second_order(potentials)
    assert path.score == pytest.approx(score + potentials.constant)
    assert path.onsets.tolist() == onsets.tolist()
