"""From decoded frames to times: refinement, offset and confidence together."""

from dataclasses import replace

import numpy as np
import pytest

from align.decoders import decode
from align.decoders.posterior import onset_posterior
from align.errors import ParameterError
from align.potentials import Path, Potentials
from align.sequence.times.placement import Placement

HOP = 0.005


def bumps(centres, n_frames=200, pinned=False, ratio=None):
    """Scores that fall like a Gaussian of 2 frames on either side of each centre."""
    table = -0.5 * ((np.arange(n_frames) - np.array(centres)[:, None]) / 2.0) ** 2
    stop = np.full(len(centres), n_frames)
    stop[0] = 1 if pinned else n_frames
    return Potentials(table, n_frames, stop=stop, ratio=ratio)


def test_none_gives_frames():
    times, confidence, _ = Placement("none", HOP, offset=0.001).times(
        bumps([10, 50]), np.array([10, 50])
    )
    np.testing.assert_allclose(times, [0.049, 0.249])
    assert confidence is None


@pytest.mark.parametrize("method", ["posterior", "parabola"])
def test_times_between_frames(method):
    potentials = bumps([10.3, 50.6])
    times, confidence, _ = Placement(method, HOP).times(potentials, decode(potentials).onsets)
    np.testing.assert_allclose(times, [10.3 * HOP, 50.6 * HOP], atol=1e-4)
    assert (confidence is None) == (method == "parabola")


def test_scores_of_second_order_have_a_posterior_as_well():
    ratio = np.zeros((2, 3))
    first_order = bumps([10.3, 50.6], ratio=ratio.copy())
    ratio[1] = [-1e-9, -1e-9, 2e-9]
    second_order = bumps([10.3, 50.6], ratio=ratio)
    path = np.array([10, 51])
    expected, sure, _ = Placement("posterior", HOP).times(first_order, path)
    times, confidence, _ = Placement("posterior", HOP).times(second_order, path)
    np.testing.assert_allclose(times, expected, atol=1e-6)
    np.testing.assert_allclose(confidence, sure, atol=1e-6)
    truth = [np.array([0.103, 0.506])]
    fitted = [
        Placement("posterior", HOP).fitted([p], [Path(path, 0.0)], truth)
        for p in (first_order, second_order)
    ]
    assert fitted[0].temperature == fitted[1].temperature != 1.0


def test_no_posterior_of_general_functions_nor_of_more_pairs_than_memory_holds(monkeypatch):
    ratio = np.zeros((2, 3))
    ratio[1] = [-1e-9, -1e-9, 2e-9]
    path = np.array([10, 51])
    second_order = bumps([10.3, 50.6], ratio=ratio)
    general = replace(second_order, ratio=None, general=((1.0, lambda k, s, t, u: 0.0),))
    monkeypatch.setattr("align.sequence.times.placement._MOST_PAIRS", 100)
    for potentials in (general, second_order):
        times, confidence, _ = Placement("posterior", HOP).times(potentials, path)
        assert confidence is None
        np.testing.assert_allclose(times, [10.3 * HOP, 50.6 * HOP], atol=1e-4)
        fitted = Placement("posterior", HOP).fitted([potentials], [Path(path, 0.0)], [path * HOP])
        assert fitted.temperature == 1.0


@pytest.mark.parametrize("method", ["posterior", "parabola", "none"])
def test_the_offset_is_the_median_error_and_is_taken_off(method):
    centres = [[0.0, 50.0 + i, 120.0 - i, 170.0] for i in range(6)]
    potentials = [bumps(c, pinned=True) for c in centres]
    paths = [decode(p) for p in potentials]
    truth = [np.array(c) * HOP - 0.003 for c in centres]
    for times in truth:
        times[0] = 0.0
        times[3] -= 0.2  # a mistake, which says nothing of the offset
    start = Placement(method, HOP)
    fitted = start.fitted(potentials, paths, truth)
    assert start.offset == 0.0  # a copy was fitted
    assert fitted.offset == pytest.approx(0.003, abs=2e-4)
    times = fitted.times(potentials[0], paths[0].onsets).times
    assert times[0] == 0.0  # has nowhere to go
    np.testing.assert_allclose(times[1:3], truth[0][1:3], atol=3e-4)
    assert start.fitted(potentials, paths, truth, calibrate=False).offset == 0.0


def test_only_mistakes_leave_the_offset_at_zero():
    potentials = bumps([50.0, 100.0])
    fitted = Placement("none", HOP).fitted(
        [potentials], [decode(potentials)], [np.array([0.0, 0.8])]
    )
    assert fitted.offset == 0.0


def test_the_surer_the_scores_the_lower_the_temperature():
    rng = np.random.default_rng(0)
    found = []
    for spread in (0.5, 6.0):  # of the truth around the best frame, in frames
        potentials = [bumps([60.0, 140.0]) for _ in range(40)]
        truth = [HOP * (np.array([60.0, 140.0]) + rng.normal(0, spread, 2)) for _ in potentials]
        paths = [decode(p) for p in potentials]
        found.append(Placement("posterior", HOP).fitted(potentials, paths, truth))
    assert found[0].temperature < 0.5 < 4.0 < found[1].temperature
    sure, unsure = (p.times(potentials[0], paths[0].onsets)[1] for p in found)
    assert (sure > 0.99).all()
    assert (unsure < 0.7).all()


@pytest.mark.parametrize("temperature", [2.0, 8.0])
def test_the_temperature_of_samples_is_found(temperature):
    rng = np.random.default_rng(7)
    cases, paths, truth = [], [], []
    for _ in range(80):
        steps = rng.normal(size=(2, 60)) * 6.0
        smooth = np.apply_along_axis(np.convolve, 1, steps, np.ones(9), mode="same")
        potentials = Potentials(smooth, n_frames=60)
        posterior = onset_posterior(potentials, temperature=temperature).probability
        first = rng.choice(60, p=posterior[0])
        rest = onset_posterior(
            Potentials(smooth[1:, first + 1 :], n_frames=60, start=[first + 1]),
            temperature=temperature,
        ).probability[0]
        second = first + 1 + rng.choice(rest.size, p=rest / rest.sum())
        cases.append(potentials)
        paths.append(decode(potentials))
        truth.append(HOP * np.array([first, second]))
    found = Placement("posterior", HOP, window=2 * HOP).fitted(cases, paths, truth).temperature
    assert temperature / 2.01 <= found <= temperature * 2.01  # the grid has steps of 1.41


def test_few_certain_onsets_do_not_make_everything_certain():
    certain = Potentials(4 * bumps([8.0, 30.0], n_frames=40).onset, n_frames=40)
    one_frame = Potentials(np.zeros((1, 1)), n_frames=1)
    for potentials, lowest in ((certain, 0.5), (one_frame, 0.99)):
        path = decode(potentials)
        fitted = Placement("posterior", HOP).fitted([potentials], [path], [HOP * path.onsets])
        assert lowest < fitted.temperature <= 1.0  # any lower one fits as well


def test_a_narrow_window_stays_at_the_peak_and_a_wide_one_goes_where_the_mass_is():
    table = np.full((1, 200), -20.0)
    table[0, 98:101] = [-1.0, 0.0, -1.0]  # a peak
    table[0, 105:112] = -0.9  # more mass, less steep
    potentials = Potentials(table, 200)
    path = decode(potentials).onsets
    narrow, wide = (
        Placement("posterior", HOP, window=window).times(potentials, path)[0][0]
        for window in (0.005, 0.02)
    )
    assert narrow == pytest.approx(99 * HOP, abs=HOP)
    assert wide > 102 * HOP


def test_unknown_method():
    with pytest.raises(ParameterError, match="refine='best', must be one of"):
        Placement("best", HOP)
