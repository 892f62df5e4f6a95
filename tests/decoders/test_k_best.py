"""The k best timings: against enumeration of all timings."""

import itertools
import math

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from align import decoders
from align.decoders import decode_k_best, margin_to_second
from align.errors import ParameterError
from align.types import Potentials

SMALL = st.sampled_from([-3.0, -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0])


@st.composite
def small_potentials(draw):
    n_events, n_frames = draw(st.integers(1, 4)), draw(st.integers(1, 9))
    scores = st.one_of(SMALL, st.just(-np.inf)) if draw(st.booleans()) else SMALL
    start = stop = duration = row = minimum = maximum = None
    width = n_frames
    if draw(st.booleans()):
        start = np.sort(draw(arrays(np.intp, n_events, elements=st.integers(0, n_frames - 1))))
        stop = np.sort(draw(arrays(np.intp, n_events, elements=st.integers(1, n_frames))))
        width = max(1, int((stop - start).max()))
    if draw(st.booleans()):
        longest = draw(st.integers(1, n_frames))
        duration = draw(arrays(np.float64, (2, longest + 1), elements=scores))
        row = draw(arrays(np.intp, n_events, elements=st.integers(0, 1)))
    if draw(st.booleans()):
        minimum = draw(arrays(np.intp, n_events, elements=st.integers(1, 3)))
    if draw(st.booleans()):
        maximum = draw(arrays(np.intp, n_events, elements=st.integers(1, n_frames)))
    return Potentials(
        draw(arrays(np.float64, (n_events, width), elements=scores)),
        n_frames,
        start=start,
        stop=stop,
        duration=duration,
        duration_row=row,
        min_length=minimum,
        max_length=maximum,
        constant=draw(SMALL),
    )


def enumerated(potentials):
    """All timings of finite score in the order of the rule."""
    timings = itertools.combinations(range(potentials.n_frames), potentials.n_events)
    scored = [(-potentials.score(y), y[::-1]) for y in timings]
    return [(list(y[::-1]), -score) for score, y in sorted(scored) if score < np.inf]


@settings(max_examples=400)
@given(small_potentials(), st.sampled_from([1, 2, 3, 7, 1000]))
def test_equals_enumeration_ties_included(potentials, k):
    expected = enumerated(potentials)
    if not expected:
        with pytest.raises(ParameterError, match=r"event \d|no timing|frames"):
            decode_k_best(potentials, k)
        return
    found = [(path.onsets.tolist(), path.score) for path in decode_k_best(potentials, k)]
    assert found == expected[:k]
    margin = expected[0][1] - expected[1][1] if len(expected) > 1 else math.inf
    assert margin_to_second(potentials) == margin


def test_real_scores_are_those_of_the_timings(naive):
    rng = np.random.default_rng(1)
    potentials = naive.random_potentials(rng, 4, 14, longest=8, order=1)
    expected = enumerated(potentials)[:200]
    found = decode_k_best(potentials, 200)
    np.testing.assert_allclose([p.score for p in found], [s for _, s in expected], rtol=1e-12)
    assert [p.onsets.tolist() for p in found] == [y for y, _ in expected]


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("windows", [False, True])
def test_longer_problems(naive, order, windows):
    """Distinct, in order, worth what they say, the first that of the decoder."""
    n_events, n_frames = (5, 60) if numba.config.DISABLE_JIT else (12, 1500)
    rng = np.random.default_rng(order)
    longest = n_frames if windows else n_frames // n_events + 40
    potentials = naive.random_potentials(
        rng, n_events, n_frames, longest=longest, order=order, windows=windows
    )
    paths = decode_k_best(potentials, 50)
    assert paths[0].onsets.tolist() == decoders.decode(potentials).onsets.tolist()
    assert paths[0].score == pytest.approx(decoders.decode(potentials).score, rel=1e-12)
    assert len({tuple(path.onsets.tolist()) for path in paths}) == len(paths) == 50
    scores = [path.score for path in paths]
    assert scores == sorted(scores, reverse=True)
    np.testing.assert_allclose([potentials.score(p.onsets) for p in paths], scores, rtol=1e-10)


def test_all_scores_equal():
    paths = decode_k_best(Potentials(np.zeros((3, 6)), 6), 1000)
    timings = itertools.combinations(range(6), 3)
    assert [tuple(p.onsets) for p in paths] == sorted(timings, key=lambda y: y[::-1])


def test_large_scores_lose_nothing():
    onset = np.array([[1.0, 4.0, 2.0]]) * 2.0**300
    assert [p.onsets.tolist() for p in decode_k_best(Potentials(onset, 3), 3)] == [[1], [2], [0]]


def test_one_timing_and_none():
    single = Potentials(np.array([[2.0]]), 1, constant=1.0)
    assert [(p.onsets.tolist(), p.score) for p in decode_k_best(single, 5)] == [([0], 3.0)]
    nothing = decode_k_best(Potentials(np.zeros((0, 4)), 4, constant=1.5), 3)
    assert [(p.onsets.shape, p.score) for p in nothing] == [((0,), 1.5)]
    assert margin_to_second(single) == math.inf


@pytest.mark.parametrize(
    ("k", "options", "message"),
    [
        (0, {}, "k=0, must be at least 1"),
        (2, {"ratio": np.diag([0.0, 1, 1])[:2]}, "cannot score ratio"),
        (2, {"general": ((1.0, max),)}, "cannot score general functions"),
        (2, {"constant": np.inf}, "constant=inf"),
        (2, {"max_length": np.array([4, 3]), "stop": np.array([1, 2])}, "cannot last to the end"),
        (2, {"duration": np.full((1, 7), -np.inf)}, r"event 1 has score -inf at every length"),
    ],
)
def test_what_it_refuses(k, options, message):
    with pytest.raises(ParameterError, match=message):
        decode_k_best(Potentials(np.zeros((2, 6)), 6, **options), k)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_margin_with_ratio_scores_equals_enumeration(naive, sign):
    rng = np.random.default_rng(4)
    for n_events in (1, 2, 4):
        potentials = naive.random_potentials(rng, n_events, 9, sign=sign)
        paths = itertools.combinations(range(9), n_events)
        best, second = sorted((potentials.score(y) for y in paths), reverse=True)[:2]
        assert margin_to_second(potentials) == pytest.approx(best - second)


def test_margin_with_ratio_scores_where_there_is_one_timing_and_where_two_tie():
    ratio = np.array([[0.0, 0.0, 0.0], [-1.0, -1.0, 2.0]])
    assert margin_to_second(Potentials(np.zeros((2, 2)), 2, ratio=ratio)) == np.inf
    onset = np.array([[0.0, -np.inf, -np.inf], [0.0, 0.0, 0.0]])
    tied = Potentials(onset, 3, ratio=ratio)  # lengths 1 and 2, or 2 and 1
    assert margin_to_second(tied) == 0.0
