"""Leanings of labellers: the most probable slope of each pair, what it moves, and its state."""

import json

import numpy as np
import pytest

from align.errors import ModelError
from align.potentials import Potentials
from align.sequence.times.leaning import DEVIATION, Leaning
from align.sequence.times.placement import Placement

HOP = 0.005
KINDS = ["vowel", "silence"]
TIMES = np.arange(-20, 21) * HOP


def gaussian(width):
    """Return a posterior around 0 s, and one of an onset before it [shape=(2, 41)]."""
    row = np.exp(-0.5 * (TIMES / width) ** 2)
    return np.tile(row / row.sum(), (2, 1))


def learned(at, times=1, width=0.04):
    leaning = Leaning()
    for _ in range(times):
        leaning = leaning.after(gaussian(width), np.tile(TIMES - at, (2, 1)), KINDS)
    return leaning


def test_the_slope_is_the_most_probable_one():
    p, near = gaussian(0.04)[1], np.abs(TIMES - 0.052) <= 0.02
    tried = np.arange(-100, 100, 0.1)
    raised = p * np.exp(tried[:, None] * TIMES)
    share = raised[:, near].sum(axis=1) / raised.sum(axis=1)
    fit = 3 * np.log(share + 0.01) - 0.5 * (tried / DEVIATION) ** 2
    curve = learned(0.052).curves["vowel", "silence"]
    slope = Leaning({("vowel", "silence"): 3 * curve}).slopes(KINDS)[1]
    assert slope == pytest.approx(tried[fit.argmax()], abs=0.5)


def test_the_first_onset_teaches_and_more_are_believed_more():
    slopes = [learned(0.06, n).slopes(KINDS)[1] for n in (1, 4, 16)]
    assert 5 < slopes[0] < slopes[1] < slopes[2] < 40
    assert learned(-0.06, 4).slopes(KINDS)[1] == pytest.approx(-slopes[1])
    np.testing.assert_array_equal(learned(0.06).slopes(["vowel", "stop", "vowel"]), 0.0)
    assert learned(0.06).slopes([]).shape == (0,)


def test_what_lies_elsewhere_or_where_it_was_found_moves_nothing():
    assert abs(learned(100.0, 4).slopes(KINDS)[1]) < 1e-6
    assert abs(learned(0.0, 4).slopes(KINDS)[1]) < 1e-6
    sure = learned(0.06, 4, width=0.002).slopes(KINDS)[1]
    assert np.isfinite(sure)


def test_older_onsets_count_less():
    leaning = learned(0.06, 60)
    before = leaning.slopes(KINDS)[1]
    for _ in range(60):
        leaning = leaning.after(gaussian(0.04), np.tile(TIMES + 0.06, (2, 1)), KINDS)
    assert leaning.slopes(KINDS)[1] < -0.3 * before


def test_an_onset_moves_far_where_the_model_is_unsure():
    frames = np.arange(200)
    widths = np.array([2.0, 2.0, 8.0])  # frames
    table = -0.5 * ((frames - np.array([[20], [80], [140]])) / widths[:, None]) ** 2
    potentials = Potentials(table, n_frames=200)
    at = np.array([20, 80, 140])
    placement = Placement("posterior", HOP)
    still = placement.times(potentials, at, slopes=np.zeros(3))
    found = placement.times(potentials, at, slopes=np.array([0.0, 20.0, 20.0]))
    np.testing.assert_array_equal(still.times, placement.times(potentials, at).times)
    moved = (found.times - still.times) / HOP
    # the mean of a Gaussian moves by the slope times its variance
    np.testing.assert_allclose(moved, 20.0 * HOP * widths**2 * [0, 1, 1], atol=0.02)
    assert found.confidence[2] == pytest.approx(still.confidence[2], abs=0.02)


def test_the_posterior_that_it_learns_from_is_in_seconds():
    table = -0.5 * ((np.arange(100) - np.array([[20], [60]])) / 2.0) ** 2
    potentials = Potentials(table, n_frames=100)
    placement = Placement("posterior", HOP, offset=0.01)
    probability, times = placement.posterior(potentials, np.array([20, 60]))
    np.testing.assert_allclose((probability * times).sum(axis=1), [0.09, 0.29], atol=1e-6)
    assert Placement("none", HOP).posterior(potentials, np.array([20, 60])) is None


def test_leanings_come_back_from_a_model_file():
    state = json.loads(json.dumps(learned(0.06).get_state()))
    again = Leaning.from_state(state)
    np.testing.assert_array_equal(again.slopes(KINDS), learned(0.06).slopes(KINDS))
    for wrong in ([1.0] * 20, [float("nan")] * 21):
        with pytest.raises(ModelError, match="a leaning is not 21 finite numbers"):
            Leaning.from_state([["a", "b", wrong]])
