"""Max-marginals and margins: against enumeration of all timings."""

from dataclasses import replace

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align import decoders
from align.decoders import onset_max_marginals
from align.errors import ParameterError
from align.potentials import Potentials


@settings(max_examples=400)
@given(data=st.data(), tolerance=st.integers(0, 3))
def test_equals_enumeration(naive, data, tolerance):
    """With ratio scores of either sign and without, -inf, windows, and limits of length."""
    n_events = data.draw(st.integers(1, 4))
    ratio = naive.ratios(n_events) if data.draw(st.booleans()) else None
    potentials = data.draw(naive.small_potentials(n_events, ratio=ratio))
    table = naive.max_marginals(potentials)
    if table.max() == -np.inf:
        with pytest.raises(ParameterError, match=r"event \d|no timing|frames"):
            onset_max_marginals(potentials)
        return
    found = onset_max_marginals(potentials)
    assert np.array_equal(found.score, table)
    path = decoders.decode(potentials)
    assert (found.score.max(axis=1) == path.score).all()
    margin = found.margin(path.onsets, tolerance)
    for k, t in enumerate(path.onsets):
        elsewhere = [
            score
            for i, score in enumerate(table[k])
            if abs(potentials.start[k] + i - t) > tolerance and score > -np.inf
        ]
        assert margin[k] == (path.score - max(elsewhere) if elsewhere else np.inf)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_longer_problems_agree_with_decoding_under_a_constraint(naive, order):
    """Blocks and sweeps that small problems never reach; some onsets held, the rest decoded."""
    rng = np.random.default_rng(order)
    n_events, n_frames = (5, 40) if numba.config.DISABLE_JIT else (7, 1700)
    if order == 2:  # of either sign, and more events than are kept
        n_events, n_frames = 11, 80
    for longest in (n_frames // n_events + 9, n_frames):
        potentials = naive.random_potentials(rng, n_events, n_frames, longest=longest, order=order)
        found = onset_max_marginals(potentials)
        best = decoders.decode(potentials).score
        np.testing.assert_allclose(found.score.max(axis=1), best, rtol=1e-12)
        for k in range(n_events):
            for t in rng.integers(0, n_frames, 3):
                held = potentials.onset.copy()
                held[k] = -np.inf
                held[k, t] = potentials.onset[k, t]
                try:
                    expected = decoders.decode(replace(potentials, onset=held)).score
                except ParameterError:
                    assert found.score[k, t] == -np.inf
                    continue
                assert found.score[k, t] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("windows", [False, True])
def test_float32_is_not_rounded_further(naive, windows):
    potentials = naive.random_potentials(
        np.random.default_rng(3), 5, 30, order=1, windows=windows, dtype=np.float32
    )
    found = onset_max_marginals(potentials)
    double = onset_max_marginals(replace(potentials, onset=potentials.onset.astype(np.float64)))
    assert np.array_equal(found.score, double.score)
    assert found.score.shape == potentials.onset.shape


def test_one_event_in_one_frame_and_none():
    found = onset_max_marginals(Potentials(np.array([[2.0]]), 1, constant=1.0))
    assert found.score.tolist() == [[3.0]]
    assert found.margin([0], 0).tolist() == [np.inf]
    nothing = onset_max_marginals(Potentials(np.zeros((0, 4)), 4))
    assert nothing.score.shape == (0, 4)
    assert nothing.margin([], 1).shape == (0,)


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_ratio_scores_in_windows_agree_with_decoding_under_a_constraint(naive, sign, windows):
    rng = np.random.default_rng(6)
    for n_events in (2, 5, 10):
        potentials = naive.random_potentials(
            rng, n_events, 60, longest=30, sign=sign, windows=windows, dtype=np.float32
        )
        found = onset_max_marginals(potentials)
        for k in range(n_events):
            for i in rng.integers(0, potentials.stop[k] - potentials.start[k], 3):
                held = np.full(potentials.onset[k].shape, -np.inf)
                held[i] = potentials.onset[k, i]
                onset = potentials.onset.copy()
                onset[k] = held
                try:
                    expected = decoders.decode(replace(potentials, onset=onset)).score
                except ParameterError:
                    expected = -np.inf
                assert found.score[k, i] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_margin_of_a_place_that_is_not_the_best():
    found = onset_max_marginals(Potentials(np.array([[0.0, 5.0, 4.0, -np.inf]]), 4))
    assert found.margin([0], 0).tolist() == [-5.0]
    assert found.margin([1.5], 0.5).tolist() == [5.0]  # both ends belong to it
    assert found.margin([3], 0).tolist() == [-np.inf]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ratio": np.array([[0.0, 0, 0], [np.nan, 0, 0]])}, r"ratio\[1, 0\]=nan"),
        ({"general": ((1.0, max),)}, "cannot score general functions"),
        ({"constant": np.inf}, "constant=inf"),
        ({"max_length": np.array([4, 3]), "stop": np.array([1, 2])}, "cannot last to the end"),
        ({"duration": np.full((1, 7), -np.inf)}, r"event 1 has score -inf at every length"),
    ],
)
def test_what_it_refuses(options, message):
    with pytest.raises(ParameterError, match=message):
        onset_max_marginals(Potentials(np.zeros((2, 6)), 6, **options))


def test_margin_refuses():
    found = onset_max_marginals(Potentials(np.zeros((2, 6)), 6))
    with pytest.raises(ParameterError, match=r"onsets.shape=\(1,\), must be \(K,\)=\(2,\)"):
        found.margin([1], 1)
    with pytest.raises(ParameterError, match="tolerance=-1, must not be negative"):
        found.margin([1, 2], -1)
