"""Onsets between frames: against the score itself, and against samples of a known distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.decoders import decode
from align.potentials import Potentials
from align.sequence.times.refine import posterior_onsets, refine_onsets


@st.composite
def decoded(draw):
    """Random potentials with every first- and second-order score, and a path of theirs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(1, 5))
    n_frames = draw(st.integers(k + 1, 14))
    ratio = duration = row = None
    if draw(st.booleans()):
        ratio = rng.normal(size=(k, 3)) * 0.2
        ratio[0] = 0.0
    if draw(st.booleans()):
        duration, row = rng.normal(size=(2, n_frames + 1)), rng.integers(0, 2, k)
    y = np.sort(rng.choice(n_frames, k, replace=False))
    lengths = np.diff(y, append=n_frames)
    start = np.maximum.accumulate(np.maximum(y - rng.integers(0, 3, k), 0))
    start = np.minimum(start, y)
    stop = np.minimum(np.maximum.accumulate(y + 1 + rng.integers(0, 3, k)), n_frames)
    potentials = Potentials(
        rng.normal(size=(k, int((stop - start).max()))),
        n_frames,
        start=start,
        stop=stop,
        duration=duration,
        duration_row=row,
        min_length=np.maximum(lengths - rng.integers(0, 3, k), 1),
        max_length=lengths + rng.integers(0, 3, k),
        ratio=ratio,
    )
    return potentials, y


def vertex(left, here, right):
    """Where the parabola through three scores is highest, at most half a frame away."""
    bend = left - 2 * here + right
    if not np.isfinite(bend) or bend >= -1e-9:
        return 0.0
    return float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5))


@given(decoded())
def test_the_parabola_goes_through_the_scores_of_moved_onsets(case):
    potentials, y = case
    expected = y.astype(float)
    for k in range(len(y)):
        scores = []
        for step in (-1, 0, 1):
            moved = y.copy()
            moved[k] += step
            scores.append(potentials.score(moved))
        expected[k] += vertex(*scores)
    np.testing.assert_allclose(refine_onsets(potentials, y), expected, atol=1e-6)


def test_no_onsets():
    assert refine_onsets(Potentials(np.zeros((0, 4)), n_frames=4), np.zeros(0, int)).shape == (0,)


def bumps(centres, n_frames=40, width=2.0):
    """Log probabilities that fall like a Gaussian on either side of each centre."""
    return -0.5 * ((np.arange(n_frames) - np.array(centres)[:, None]) / width) ** 2


@pytest.mark.parametrize("centres", [(8.0, 30.0), (8.3, 29.6), (8.49, 30.51)])
def test_both_find_the_middle_of_a_bump(centres):
    potentials = Potentials(bumps(centres), n_frames=40)
    path = decode(potentials).onsets
    np.testing.assert_allclose(refine_onsets(potentials, path), centres, atol=1e-6)
    found, confidence, _ = posterior_onsets(
        potentials, path, temperature=1.0, window=3.0, tolerance=4.0, reach=15
    )
    np.testing.assert_allclose(found, centres, atol=0.02)
    np.testing.assert_allclose(confidence, 0.9756, atol=0.01)  # 2.25 deviations on either side


def test_the_posterior_prefers_mass_to_the_single_best_frame():
    table = np.full((1, 30), -20.0)
    table[0, 5] = 0.0  # the best frame, alone
    table[0, 18:23] = -0.7  # five that are half as probable
    potentials = Potentials(table, n_frames=30)
    path = decode(potentials).onsets
    assert path[0] == 5
    found, confidence, _ = posterior_onsets(
        potentials, path, temperature=1.0, window=2.0, tolerance=2.0, reach=29
    )
    assert found[0] == pytest.approx(20.0, abs=0.05)
    assert confidence[0] == pytest.approx(5 * np.exp(-0.7) / (1 + 5 * np.exp(-0.7)), abs=1e-6)
    near, _, _ = posterior_onsets(
        potentials, path, temperature=1.0, window=2.0, tolerance=2.0, reach=4
    )
    assert near[0] == pytest.approx(5.0, abs=0.01)  # the five are out of reach


@given(decoded(), st.sampled_from([0.01, 1.0, 50.0]))
def test_the_posterior_is_in_order_in_windows_and_a_probability(case, temperature):
    potentials, y = case
    potentials.ratio = None
    found, confidence, _ = posterior_onsets(
        potentials, y, temperature=temperature, window=3.0, tolerance=4.0, reach=20
    )
    assert (np.diff(found) >= 0).all()
    first = np.maximum.accumulate(potentials.start)
    assert (found >= first - 0.5).all()
    assert (found <= potentials.n_frames - 0.5).all()
    assert ((confidence >= 0) & (confidence <= 1)).all()


def test_one_frame_and_one_choice():
    potentials = Potentials(np.zeros((1, 1)), n_frames=1)
    found, confidence, _ = posterior_onsets(
        potentials, np.array([0]), temperature=1.0, window=3.0, tolerance=4.0, reach=20
    )
    assert found.tolist() == [0.0]
    assert confidence == pytest.approx([1.0])
