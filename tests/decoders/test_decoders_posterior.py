"""Posterior of onsets: against enumeration of all timings."""

import itertools
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.decoders.posterior import narrowed, onset_posterior
from align.errors import ParameterError
from align.potentials import Potentials


@st.composite
def small_potentials(draw: st.DrawFn) -> Potentials:
    n_frames = draw(st.integers(2, 9))
    k = draw(st.integers(1, min(4, n_frames)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    onset = rng.normal(scale=draw(st.sampled_from([0.1, 2.0, 300.0])), size=(k, n_frames))
    onset[rng.random(onset.shape) < 0.1] = -np.inf
    longest = draw(st.integers(1, n_frames))
    duration = rng.normal(size=(2, longest + 1)) if draw(st.booleans()) else None
    rows = rng.integers(0, 2, k) if duration is not None else None
    ratio = None
    if draw(st.booleans()):
        ratio = rng.normal(scale=draw(st.sampled_from([0.01, 1.0])), size=(k, 3))
        ratio[0] = 0.0
    shortest = rng.integers(0, 2, k) if draw(st.booleans()) else None
    return Potentials(
        onset, n_frames, duration=duration, duration_row=rows, min_length=shortest, ratio=ratio
    )


@given(small_potentials(), st.sampled_from([0.5, 1.0, 7.0]))
def test_equals_enumeration(naive: ModuleType, potentials: Potentials, temperature: float) -> None:
    try:
        found = onset_posterior(potentials, temperature=temperature)
    except ParameterError:
        assert not naive.enumerate_all(potentials)
        return
    table, log_z = naive.posterior(potentials, temperature)
    np.testing.assert_allclose(found.probability, table, atol=1e-9)
    assert found.log_partition == pytest.approx(log_z, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(found.probability.sum(axis=1), 1.0, rtol=1e-9)


@pytest.mark.parametrize("temperature", [1e-3, 1e-9, 1e-15, 1e-290])
@pytest.mark.parametrize("kappa", [0.0, -0.1, 0.1])
def test_low_temperature_is_the_argmax(kappa: float, temperature: float) -> None:
    """However the logarithm of their sum is rounded, probabilities add up: some were infinite."""
    rng = np.random.default_rng(3)
    ratio = kappa * np.array([[0.0] * 3, [1.0, 1.0, -2.0], [1.0, 1.0, -2.0]])
    potentials = Potentials(100.0 * rng.normal(size=(3, 12)), n_frames=12, ratio=ratio)
    found = onset_posterior(potentials, temperature=temperature).probability
    best = max(itertools.combinations(range(12), 3), key=potentials.score)
    assert found.argmax(axis=1).tolist() == list(best)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_narrowing_keeps_the_scores_of_what_is_left() -> None:
    rng = np.random.default_rng(4)
    duration = rng.normal(size=(1, 41))
    potentials = Potentials(rng.normal(size=(3, 40)), n_frames=40, duration=duration)
    small = narrowed(potentials, [5, 6, 30], reach=3)
    for path in ([2, 6, 30], [5, 9, 33], [8, 9, 27]):
        assert small.score(path) == pytest.approx(potentials.score(path))
    assert small.score([1, 6, 30]) == -np.inf


def in_windows(rng: np.random.Generator, n_events: int, *, weight: float) -> Potentials:
    """Overlapping windows of nine frames, lengths, and ratio terms of a random scale."""
    scale = rng.uniform(3, 6, n_events)
    ratio = np.zeros((n_events, 3))
    ratio[1:, 0], ratio[1:, 1] = weight / scale[1:] ** 2, weight / scale[:-1] ** 2
    ratio[1:, 2] = -2 * weight / (scale[1:] * scale[:-1])
    start = 5 * np.arange(n_events)
    return Potentials(
        rng.normal(size=(n_events, 9)),
        5 * n_events + 4,
        start=start,
        duration=rng.normal(size=(2, 20)),
        duration_row=np.arange(n_events) % 2,
        ratio=ratio,
    )


@pytest.mark.parametrize("weight", [-2.0, 2.0])
def test_ratio_scores_over_many_events(weight: float) -> None:
    """The sum over all timings, by a recursion over the states in plain Python."""
    p = in_windows(np.random.default_rng(1), 12, weight=weight)
    found = onset_posterior(p, temperature=0.7)
    np.testing.assert_allclose(found.probability.sum(axis=1), 1.0, rtol=1e-9)
    states = {(None, t): p.onset[0, t] / 0.7 for t in range(9)}
    for k in range(1, 13):
        new: dict[tuple[int, int], list[float]] = {}
        for (before, t), score in states.items():
            ends = range(t + 1, min(t + 20, 5 * k + 9)) if k < 12 else [p.n_frames]
            for after in (e for e in ends if e >= min(5 * k, p.n_frames) and e - t < 20):
                total = score + p.duration[(k - 1) % 2, after - t] / 0.7
                if before is not None:
                    d, shorter = after - t, t - before
                    a, b, c = p.ratio[k - 1] / 0.7
                    total += a * d * d + b * shorter * shorter + c * d * shorter
                if k < 12:
                    total += p.onset[k, after - 5 * k] / 0.7
                new.setdefault((t, after), []).append(total)
        states = {state: np.logaddexp.reduce(totals) for state, totals in new.items()}
    assert found.log_partition == pytest.approx(np.logaddexp.reduce(list(states.values())))


def test_ratio_scores_that_are_tiny_change_nothing() -> None:
    p = in_windows(np.random.default_rng(2), 6, weight=-1e-9)
    plain = onset_posterior(replace(p, ratio=None)).probability
    np.testing.assert_allclose(onset_posterior(p).probability, plain, atol=1e-7)


def test_ratio_scores_refuse_more_pairs_than_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    p = in_windows(np.random.default_rng(2), 6, weight=-1.0)
    monkeypatch.setattr("align.decoders.posterior._MOST_STATES", 10)
    with pytest.raises(ParameterError, match=r"pairs of onsets .* 10 at most; narrow the windows"):
        onset_posterior(p)


def test_refuses_what_it_cannot_sum() -> None:
    with pytest.raises(ParameterError, match="temperature=0"):
        onset_posterior(Potentials(np.zeros((2, 4)), n_frames=4), temperature=0.0)
    for ratio in (None, np.array([[0.0] * 3, [1.0] * 3])):
        large = Potentials(np.full((2, 4), 100.0), n_frames=4, ratio=ratio)
        with pytest.raises(ParameterError, match="temperature=1e-310, must be"):
            onset_posterior(large, temperature=1e-310)
        with pytest.raises(ParameterError, match=r"is too small for these|has a finite score"):
            onset_posterior(large, temperature=1e-307)
    with pytest.raises(ParameterError, match="at least one event"):
        onset_posterior(Potentials(np.zeros((0, 4)), n_frames=4))


def test_refuses_general_functions() -> None:
    general = ((1.0, lambda k, before, onset, after: 0.0),)
    with pytest.raises(ParameterError, match="cannot score general functions"):
        onset_posterior(Potentials(np.zeros((2, 4)), n_frames=4, general=general))


def test_narrowing_checks_its_arguments() -> None:
    potentials = Potentials(np.zeros((2, 4)), n_frames=4)
    with pytest.raises(ParameterError, match=r"onsets.shape=\(1,\), must be \(2,\)"):
        narrowed(potentials, [0], reach=1)
    with pytest.raises(ParameterError, match="reach=-1, must not be negative"):
        narrowed(potentials, [0, 1], reach=-1)


@pytest.mark.parametrize("lengths", ["none", "none, bounded", "smooth", "random"])
@pytest.mark.parametrize("scale", [0.01, 3.0, 1e3])
@pytest.mark.parametrize("windows", [False, True])
def test_blocks_that_are_left_alone_do_not_matter(
    naive: ModuleType, lengths: str, scale: float, windows: bool
) -> None:
    rng = np.random.default_rng(1)
    k, n = 5, 90
    start = np.array([0, 4, 20, 40, 61]) if windows else None
    stop = np.array([10, 50, 50, 70, 85]) if windows else None
    width = 90 if stop is None else 46
    duration = row = None
    if lengths in ("smooth", "random"):
        duration = -((np.arange(61) - np.array([[9.0], [25.0]])) ** 2) / 20
        duration = duration if lengths == "smooth" else rng.normal(size=duration.shape)
        row = rng.integers(0, 2, k)
    potentials = Potentials(
        scale * rng.normal(size=(k, width)),
        n,
        start=start,
        stop=stop,
        duration=duration,
        duration_row=row,
        min_length=np.array([1, 3, 1, 2, 5]),
        max_length=np.array([60, 30, 60, 20, 60]) if lengths == "none, bounded" else None,
    )
    found = onset_posterior(potentials, temperature=0.7)
    table, log_z = naive.first_order_posterior(potentials, 0.7)
    np.testing.assert_allclose(found.probability, table, rtol=1e-7, atol=1e-12)
    assert found.log_partition == pytest.approx(log_z, rel=1e-12)


def test_a_length_of_0_that_all_depends_on(naive: ModuleType) -> None:
    duration = np.zeros((2, 7))
    duration[0, 0] = 100.0  # all other lengths are negligible beside it
    potentials = Potentials(
        np.random.default_rng(1).normal(size=(2, 6)),
        n_frames=6,
        duration=duration,
        duration_row=np.array([0, 1]),
        min_length=np.array([0, 1]),
    )
    found = onset_posterior(potentials)
    table, log_z = naive.posterior(potentials, 1.0)
    np.testing.assert_allclose(found.probability, table, atol=1e-12)
    assert found.log_partition == pytest.approx(log_z)
