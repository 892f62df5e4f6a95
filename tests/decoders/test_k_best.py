"""The k best timings: against enumeration of all timings."""

import itertools
import math
from dataclasses import replace

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from align import decoders
from align.decoders import decode_k_best, k_best, margin_to_second
from align.decoders.second_order import _k_best
from align.errors import ParameterError
from align.potentials import Potentials

RATIO = np.array([[0.0, 0.0, 0.0], [-1.0, -1.0, 2.0]])


@st.composite
def with_ratio(draw, naive, dtype=np.float64):
    """Small potentials and ratio scores of any sign."""
    n_events = draw(st.integers(1, 4))
    if draw(st.booleans()):  # differences of lengths, rewarded or not, and rows of zeros
        weight = draw(arrays(np.float64, (n_events, 1), elements=naive.SMALL))
        ratio = weight * np.array([1.0, 1.0, -2.0])
    else:
        ratio = draw(arrays(np.float64, (n_events, 3), elements=naive.SMALL))
    ratio[0] = 0.0
    return draw(naive.small_potentials(n_events, ratio=ratio, dtype=dtype))


def listed(paths):
    return [(path.onsets.tolist(), path.score) for path in paths]


@settings(max_examples=400)
@given(data=st.data(), k=st.sampled_from([1, 2, 3, 7, 1000]))
def test_equals_enumeration_ties_included(naive, data, k):
    equals_enumeration(naive, data.draw(naive.small_potentials()), k)


def equals_enumeration(naive, potentials, k):
    expected = naive.enumerate_all(potentials)
    if not expected:
        with pytest.raises(ParameterError, match=r"event \d|no timing|frames"):
            decode_k_best(potentials, k)
        return
    assert listed(decode_k_best(potentials, k)) == expected[:k]
    margin = expected[0][1] - expected[1][1] if len(expected) > 1 else math.inf
    assert margin_to_second(potentials) == margin


def test_real_scores_are_those_of_the_timings(naive):
    rng = np.random.default_rng(1)
    potentials = naive.random_potentials(rng, 4, 14, longest=8, order=1)
    expected = naive.enumerate_all(potentials)[:200]
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
        (2, {"general": ((1.0, max),)}, "cannot score general functions"),
        (2, {"general": ((1.0, max),), "ratio": RATIO}, "cannot score general functions"),
        (
            2,
            {"ratio": np.diag([0.0, np.nan, 0.0])[:2]},
            r"ratio\[1, 1\]=nan of event 2, must be finite",
        ),
        (2, {"ratio": RATIO, "constant": np.inf}, "constant=inf"),
        (2, {"ratio": RATIO, "start": np.array([0, 3]), "stop": np.array([3, 3])}, "is empty"),
        (2, {"ratio": RATIO, "duration": np.full((1, 7), -np.inf)}, "score -inf at every length"),
        (2, {"constant": np.inf}, "constant=inf"),
        (2, {"max_length": np.array([4, 3]), "stop": np.array([1, 2])}, "cannot last to the end"),
        (2, {"duration": np.full((1, 7), -np.inf)}, r"event 1 has score -inf at every length"),
    ],
)
def test_what_it_refuses(k, options, message):
    with pytest.raises(ParameterError, match=message):
        decode_k_best(Potentials(np.zeros((2, 6)), 6, **options), k)


@settings(max_examples=600)
@given(
    data=st.data(),
    dtype=st.sampled_from([np.float64, np.float32]),
    k=st.sampled_from([1, 2, 3, 7, 1000]),
)
def test_ratio_scores_equal_enumeration_ties_included(naive, data, dtype, k):
    equals_enumeration(naive, data.draw(with_ratio(naive, dtype)), k)


@settings(max_examples=200)
@given(data=st.data())
def test_margins_are_those_of_the_two_best(naive, data):
    """Whether the states are kept or too many."""
    potentials = data.draw(with_ratio(naive))
    if not naive.enumerate_all(potentials):
        with pytest.raises(ParameterError, match=r"event \d|no timing|frames"):
            margin_to_second(potentials)
        return
    paths = decode_k_best(potentials, 2)
    margin = paths[0].score - paths[1].score if len(paths) > 1 else math.inf
    assert margin_to_second(potentials) == margin
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_k_best, "_MOST_STATES", 0)
        assert margin_to_second(potentials) == margin


@settings(max_examples=200)
@given(data=st.data())
def test_squares_of_lengths_are_duration_scores(naive, data):
    """Ratio terms without products, and none, give what the search of first order gives."""
    potentials = data.draw(naive.small_potentials())
    n_events, n_frames = potentials.n_events, potentials.n_frames
    none = replace(potentials, ratio=np.zeros((n_events, 3)))
    ratio = data.draw(arrays(np.float64, (n_events, 3), elements=naive.SMALL))
    ratio[0] = ratio[:, 2] = 0.0
    square = ratio[:, 0].copy()
    square[:-1] += ratio[1:, 1]
    if potentials.duration is None:
        duration = np.zeros((n_events, n_frames + 1))
    else:
        duration = potentials.duration[potentials.duration_row]
    duration = duration + square[:, None] * np.arange(duration.shape[1]) ** 2
    folded = replace(potentials, duration=duration, duration_row=np.arange(n_events))
    for second, first in ((none, potentials), (replace(potentials, ratio=ratio), folded)):
        try:
            expected = listed(decode_k_best(first, 40))
        except ParameterError:
            with pytest.raises(ParameterError, match=r"event \d|no timing|frames"):
                decode_k_best(second, 40)
        else:
            assert listed(decode_k_best(second, 40)) == expected


@pytest.mark.parametrize(("n_events", "n_frames"), [(2, 60), (3, 36), (5, 18)])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_ratio_scores_over_several_tiles(naive, n_events, n_frames, sign):
    """More frames than the kernel takes in one go: whole numbers, then real ones."""
    rng = np.random.default_rng(n_events)
    whole = Potentials(
        rng.integers(-3, 4, (n_events, n_frames)).astype(float),
        n_frames,
        ratio=np.array([1.0, 1.0, -2.0]) * sign * np.arange(n_events)[:, None],
    )
    assert listed(decode_k_best(whole, 2000)) == naive.enumerate_all(whole)[:2000]
    real = naive.random_potentials(rng, n_events, n_frames, longest=n_frames - 7, sign=sign)
    expected, found = naive.enumerate_all(real)[:500], decode_k_best(real, 500)
    assert [path.onsets.tolist() for path in found] == [y for y, _ in expected]
    scores = [score for _, score in expected]
    np.testing.assert_allclose([path.score for path in found], scores, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("scale", [1e100, 2.0**333, 1e-12, 2.0**-40])
def test_the_scale_of_ratio_scores_does_not_matter(naive, sign, scale):
    potentials = naive.random_potentials(np.random.default_rng(7), 4, 24, longest=16, sign=sign)
    scaled = replace(
        potentials,
        onset=potentials.onset * scale,
        duration=potentials.duration * scale,
        ratio=potentials.ratio * scale,
        constant=potentials.constant * scale,
    )
    expected, found = decode_k_best(potentials, 100), decode_k_best(scaled, 100)
    assert [p.onsets.tolist() for p in found] == [p.onsets.tolist() for p in expected]
    for path, other in zip(found, expected, strict=True):
        assert path.score == pytest.approx(other.score * scale, rel=1e-9, abs=1e-12 * scale)


def test_all_scores_equal_with_ratio_scores():
    """The duration scores undo the squares, so that every timing scores nothing."""
    ratio = np.zeros((3, 3))
    ratio[1, :2] = 2.0, 1.0
    duration = np.array([-1.0, -2.0, 0.0])[:, None] * np.arange(8.0) ** 2
    potentials = Potentials(
        np.zeros((3, 7)), 7, duration=duration, duration_row=np.arange(3), ratio=ratio
    )
    timings = sorted(itertools.combinations(range(7), 3), key=lambda y: y[::-1])
    for k in (1, 4, 1000):
        paths = decode_k_best(potentials, k)
        assert [tuple(path.onsets) for path in paths] == timings[:k]
        assert {path.score for path in paths} == {0.0}
    assert margin_to_second(potentials) == 0.0


def test_one_timing_with_ratio_scores():
    potentials = Potentials(np.zeros((2, 2)), 2, ratio=RATIO, constant=1.5)
    assert listed(decode_k_best(potentials, 9)) == [([0, 1], 1.5)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_ratio_scores_of_real_size(sign, dtype):
    """Distinct, in order, worth what they say, the first that of the decoder, k only a cut."""
    n_events, n_frames, width, longest = (
        (6, 60, 31, 20) if numba.config.DISABLE_JIT else (60, 600, 101, 60)
    )
    rng = np.random.default_rng(3)
    start = np.maximum(0, np.linspace(0, n_frames, n_events, False).astype(int) - width // 2)
    scale = rng.uniform(5, 15, n_events)
    ratio = np.zeros((n_events, 3))
    ratio[1:, 0], ratio[1:, 1] = scale[1:] ** -2, scale[:-1] ** -2
    ratio[1:, 2] = -2 / (scale[1:] * scale[:-1])
    potentials = Potentials(
        (3 * rng.normal(size=(n_events, width))).astype(dtype),
        n_frames,
        start=start,
        duration=rng.normal(size=(3, longest + 1)),
        duration_row=rng.integers(0, 3, n_events),
        ratio=sign * ratio,
        constant=0.25,
    )
    paths = decode_k_best(potentials, 300)
    best = decoders.decode_second_order(potentials)
    assert paths[0].onsets.tolist() == best.onsets.tolist()
    assert paths[0].score == pytest.approx(best.score, rel=1e-12)
    assert len({tuple(path.onsets.tolist()) for path in paths}) == len(paths) == 300
    scores = [path.score for path in paths]
    assert scores == sorted(scores, reverse=True)
    exact = replace(potentials, onset=potentials.onset.astype(np.float64))
    np.testing.assert_allclose([exact.score(p.onsets) for p in paths], scores, rtol=1e-10)
    for k in (1, 10, 100):
        assert listed(decode_k_best(potentials, k)) == listed(paths[:k])
    assert margin_to_second(potentials) == scores[0] - scores[1]
    by_onsets = k_best._margin_by_onsets(potentials)
    assert by_onsets == pytest.approx(scores[0] - scores[1], abs=1e-9)


def test_too_many_states_are_refused_before_they_are_kept():
    n_events = 1200
    ratio = np.tile(RATIO[1], (n_events, 1))
    ratio[0] = 0.0
    onset, start = np.zeros((n_events, 500), dtype=np.float32), 300 * np.arange(n_events)
    potentials = Potentials(onset, 300 * n_events + 100, start=start, ratio=ratio)
    with pytest.raises(
        ParameterError,
        match=r"^decode_k_best would keep \d+ scores of pairs of onsets for the ratio "
        r"scores, 134217728 at most; lower max_length, or narrow the windows around the path of "
        r"decode first, see `narrowed`\.$",
    ):
        decode_k_best(potentials, 2)


@pytest.mark.parametrize("remedy", ["lengths", "windows"])
def test_what_the_refusal_says_to_do_helps(naive, remedy, monkeypatch):
    potentials = naive.random_potentials(np.random.default_rng(2), 5, 60, sign=-1.0)
    monkeypatch.setattr(_k_best, "_MOST_STATES", 9000)
    with pytest.raises(ParameterError, match=r"\d+ scores .* 9000 at most"):
        decode_k_best(potentials, 2)
    if remedy == "lengths":
        smaller = replace(potentials, max_length=np.full(5, 14))
    else:
        smaller = decoders.narrowed(potentials, decoders.decode(potentials).onsets, 4)
    paths = decode_k_best(smaller, 5)
    assert len(paths) == 5
    assert paths[0].onsets.tolist() == decoders.decode(smaller).onsets.tolist()


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
