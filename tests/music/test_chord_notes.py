"""Notes within chords, and how sure they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.music.confidence import network_evidence, shape_evidence
from align.music.notes import note_spread, note_times
from align.sequence.evidence import EvidenceModel

HOP = 0.01


def naive_median(near: np.ndarray, chord: float, spread: float) -> float:
    """Median of a density that is constant in each frame."""
    reach = len(near) // 2
    mass = [
        (p + 0.01) * np.exp(-abs(x - chord) * HOP / spread)
        for x, p in zip(range(-reach, reach + 1), near, strict=True)
    ]
    left = sum(mass) / 2
    for x, part in zip(range(-reach, reach + 1), mass, strict=True):
        if left <= part:
            return x - 0.5 + left / part
        left -= part
    raise AssertionError


@given(st.integers(0, 999), st.floats(-0.5, 0.5), st.floats(0.003, 0.07))
def test_times_are_medians_of_the_posterior(seed: int, chord: float, spread: float) -> None:
    near = np.random.default_rng(seed).random((3, 21)) ** 6
    found = note_times(near, np.full(3, chord), spread, HOP)
    expected = [naive_median(row, chord, spread) for row in near]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def heard(late: np.ndarray) -> np.ndarray:
    """Probabilities that peak so many frames after the chord."""
    x = np.arange(-30, 31)
    return 0.9 * np.exp(-0.5 * (x - late[:, None]) ** 2)


def test_the_spread_tells_a_machine_from_a_quartet() -> None:
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(30), 4)
    machine = note_spread(heard(rng.normal(0, 0.1, 120)), np.zeros(120), group, HOP)
    quartet = note_spread(heard(rng.normal(0, 2.0, 120)), np.zeros(120), group, HOP)
    assert machine < 0.012
    assert quartet > 0.05


def test_single_notes_say_nothing_of_the_spread() -> None:
    spread = note_spread(heard(np.zeros(40)), np.zeros(40), np.arange(40), HOP)
    assert spread == pytest.approx(8 * (0.005 - 0.0015))


def test_a_note_that_is_not_heard_stays_with_its_chord() -> None:
    near = np.zeros((1, 61))
    assert note_times(near, np.array([0.3]), 0.02, HOP)[0] == pytest.approx(0.3, abs=0.05)


def test_confidence_is_calibrated() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(4000, 2))
    p = 1 / (1 + np.exp(-(1.0 + 2.0 * x[:, 0])))
    model = EvidenceModel.fit([x[:1500], x[1500:]], [(h := rng.random(4000) < p)[:1500], h[1500:]])
    np.testing.assert_allclose(model.weights, [2.0, 0.0, 1.0], atol=0.2)
    found = model(x)
    for low in (0.1, 0.5, 0.8):
        part = (found > low) & (found < low + 0.15)
        assert found[part].mean() == pytest.approx(h[part].mean(), abs=0.05)


def test_confidence_survives_what_separates_perfectly() -> None:
    x = np.linspace(-1, 1, 50)[:, None]
    model = EvidenceModel.fit([x], [np.ones(50, dtype=bool)])
    assert np.isfinite(model.weights).all()
    assert model(x).min() > 0.9
    with pytest.raises(ParameterError, match="evidence of 1 recordings, hits of 0"):
        EvidenceModel.fit([x], [])


def test_evidence_is_what_lies_within_the_tolerance() -> None:
    near = np.zeros((3, 61))
    near[0, 32], near[1, 50], near[2, 30] = 0.8, 0.8, 0.6
    found = network_evidence(near, np.array([2.0, 0.0, 0.0]), HOP, np.array([0, 0, 1]))
    np.testing.assert_allclose(found[:, 0], [np.log(4), np.log(1e-3 / (1 - 1e-3)), np.log(1.5)])
    np.testing.assert_allclose(found[:, 1], [0.3, 0.7, 0.4])  # (0 + .6)/2, (.8 + .6)/2, .8/2
    np.testing.assert_allclose(found[:, 2], [1.0, 0.0, 1.0])
    shape = shape_evidence(np.array([[0.0, 0.0, 3.0]]), np.array([2]), np.array([0, 0]))
    np.testing.assert_allclose(shape, np.sqrt(2.0))
