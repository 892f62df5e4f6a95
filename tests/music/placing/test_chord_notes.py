"""Notes within chords, and how sure they are."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.music.placing.confidence import network_evidence, shape_evidence
from align.music.placing.notes import note_spread, note_times
from align.sequence.evidence import EvidenceModel

HOP = 0.01


def naive_weights(near: np.ndarray, chord: float, spread: float) -> np.ndarray:
    """Weight of each frame of one note, as the text of the module says it."""
    out = []
    for x, p in zip(range(-(len(near) // 2), len(near) // 2 + 1), near, strict=True):
        away = abs(x - chord) * HOP
        close, far = np.exp(-away / spread) / spread, np.exp(-away / 0.25) / 0.25
        out.append(p / max(1 - p, 0.02) * (0.95 * close + 0.05 * far) + 0.03 * close)
    return np.array(out)


def naive_median(weight: np.ndarray, best: int) -> float:
    """Median of a density that is constant in each frame, within seven frames of the best."""
    near = range(max(best - 7, 0), min(best + 8, len(weight)))
    left = sum(weight[x] for x in near) / 2
    for x in near:
        if left <= weight[x]:
            return x - len(weight) // 2 - 0.5 + left / weight[x]
        left -= weight[x]
    raise AssertionError


@given(st.integers(0, 999), st.floats(-0.5, 0.5), st.floats(0.003, 0.1))
def test_times_are_medians_about_the_best_frame(seed: int, chord: float, spread: float) -> None:
    near = np.random.default_rng(seed).random((3, 21)) ** 6
    found = note_times(near, np.full(3, chord), spread, HOP)
    weights = [naive_weights(row, chord, spread) for row in near]
    expected = [naive_median(row, int(row.argmax())) for row in weights]
    np.testing.assert_allclose(found, expected, atol=1e-6)


@given(st.integers(0, 999))
def test_notes_of_one_key_keep_their_order(seed: int) -> None:
    """Against all ways to place three notes of a key, beside one note of another."""
    rng = np.random.default_rng(seed)
    near, keys = rng.random((4, 7)) ** 4, np.array([60, 60, 61, 60])
    frames = np.cumsum(rng.integers(1, 6, 4))
    found = note_times(near, np.zeros(4), 0.05, HOP, frames=frames, keys=keys)
    weights = np.array([naive_weights(row, 0.0, 0.05) for row in near])
    own = np.flatnonzero(keys == 60)
    wait = np.minimum(np.diff(frames[own]), 6)
    places = [
        place
        for place in itertools.product(range(7), repeat=3)
        if (np.diff(frames[own] + place) >= wait).all()
    ]
    best = max(places, key=lambda place: np.log(weights[own, place]).sum())
    expected = [naive_median(weights[k], x) for k, x in zip(own, best, strict=True)]
    np.testing.assert_allclose(found[own], expected, atol=1e-6)
    assert found[2] == pytest.approx(naive_median(weights[2], int(weights[2].argmax())))


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


def test_the_spread_of_a_quartet_that_the_network_is_hardly_sure_of() -> None:
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(30), 4)
    near = heard(rng.normal(0, 2.0, 120)) * rng.uniform(0.1, 0.5, 120)[:, None]
    assert note_spread(near, np.zeros(120), group, HOP) > 0.05


def test_single_notes_say_nothing_of_the_spread() -> None:
    assert note_spread(heard(np.zeros(40)), np.zeros(40), np.arange(40), HOP) == 0.012


def test_a_note_that_is_not_heard_stays_with_its_chord() -> None:
    near = np.zeros((1, 61))
    assert note_times(near, np.array([0.3]), 0.02, HOP)[0] == pytest.approx(0.3, abs=0.05)


def test_a_rolled_note_is_found_far_from_its_chord() -> None:
    near = heard(np.array([0.0, -27.0]))
    found = note_times(
        near, np.zeros(2), 0.1, HOP, frames=np.array([50, 50]), keys=np.array([60, 40])
    )
    np.testing.assert_allclose(found, [0.0, -27.0], atol=0.1)


def test_a_stroke_belongs_to_one_note_of_its_key() -> None:
    """The first of two notes of a key is not found: it does not take the stroke of the second."""
    near = heard(np.array([20.0, 0.0]))
    found = note_times(
        near, np.zeros(2), 0.1, HOP, frames=np.array([50, 70]), keys=np.array([60, 60])
    )
    assert found[1] == pytest.approx(0.0, abs=0.1)
    assert abs(found[0]) < 5


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
