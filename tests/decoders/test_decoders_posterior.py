"""Posterior of onsets: against enumeration of all timings."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.decoders.posterior import narrowed, onset_posterior
from align.errors import ParameterError
from align.types import Potentials


def enumerated(potentials: Potentials, temperature: float) -> tuple[np.ndarray, float]:
    """Probability of each onset by the sum over every increasing choice of frames."""
    k, width = potentials.onset.shape
    table = np.zeros((k, width))
    scores, paths = [], []
    for path in itertools.combinations(range(potentials.n_frames), k):
        score = potentials.score(path)
        if score > -np.inf:
            scores.append(score / temperature)
            paths.append(path)
    scores = np.array(scores)
    log_z = np.logaddexp.reduce(scores)
    for score, path in zip(scores, paths, strict=True):
        for i, t in enumerate(path):
            table[i, t - potentials.start[i]] += np.exp(score - log_z)
    return table, log_z


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
    return Potentials(onset, n_frames, duration=duration, duration_row=rows)


@given(small_potentials(), st.sampled_from([0.5, 1.0, 7.0]))
def test_equals_enumeration(potentials: Potentials, temperature: float) -> None:
    try:
        found = onset_posterior(potentials, temperature=temperature)
    except ParameterError:
        k, n = potentials.n_events, potentials.n_frames
        assert all(
            potentials.score(path) == -np.inf for path in itertools.combinations(range(n), k)
        )
        return
    table, log_z = enumerated(potentials, temperature)
    np.testing.assert_allclose(found.probability, table, atol=1e-9)
    assert found.log_partition == pytest.approx(log_z, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(found.probability.sum(axis=1), 1.0, rtol=1e-9)


def test_low_temperature_is_the_argmax() -> None:
    rng = np.random.default_rng(3)
    potentials = Potentials(rng.normal(size=(3, 12)), n_frames=12)
    found = onset_posterior(potentials, temperature=1e-3).probability
    best = max(itertools.combinations(range(12), 3), key=potentials.score)
    assert found.argmax(axis=1).tolist() == list(best)


def test_narrowing_keeps_the_scores_of_what_is_left() -> None:
    rng = np.random.default_rng(4)
    duration = rng.normal(size=(1, 41))
    potentials = Potentials(rng.normal(size=(3, 40)), n_frames=40, duration=duration)
    small = narrowed(potentials, [5, 6, 30], reach=3)
    for path in ([2, 6, 30], [5, 9, 33], [8, 9, 27]):
        assert small.score(path) == pytest.approx(potentials.score(path))
    assert small.score([1, 6, 30]) == -np.inf


def test_refuses_what_it_cannot_sum() -> None:
    ratio = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, -2.0]])
    with pytest.raises(ParameterError, match="cannot score ratio"):
        onset_posterior(Potentials(np.zeros((2, 4)), n_frames=4, ratio=ratio))
    with pytest.raises(ParameterError, match="temperature=0"):
        onset_posterior(Potentials(np.zeros((2, 4)), n_frames=4), temperature=0.0)
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
