"""Senones of English: scores against plain sums, and what they are chosen by."""

import numpy as np
import pytest
import soundfile
from kiwi_text import KIWI
from scipy.stats import norm

from align.features.phones import monophones
from align.features.phones.monophones import english_phone, phone_names, streams
from align.features.phones.triphones import _table, pause_states, senone_scores, states_of
from align.features.sound.signal import Signal


def test_scores_are_those_of_the_best_gaussians() -> None:
    samples, rate = soundfile.read(KIWI, dtype="float32")
    signal = Signal(samples, rate)
    table, gaussians = _table(), monophones._table().gaussians
    senones = np.array([4001, 17, 2500])
    found = senone_scores(signal, senones)
    t = 60
    for column, senone in enumerate(senones):
        total = 0.0
        for s, stream in enumerate(streams(signal)):
            own = slice(table.phone[senone], None, len(phone_names()))
            half, linear = np.split(gaussians.slopes[s][:, own].astype(float), 2)
            deviation = np.sqrt(-0.5 / half)
            density = norm.logpdf(stream[t][:, None], linear * deviation**2, deviation)
            density = density.sum(axis=0) + 0.5 * len(half) * np.log(2 * np.pi)
            total += (density + table.weights[senone, s]).max()
        assert found[t, column] == pytest.approx(0.4 * total, rel=1e-3)


def test_senones_are_of_their_phones() -> None:
    table, names = _table(), phone_names()
    assert len(table.weights) == len(table.phone)
    for phones in (["S", "T", "AA", "P"], ["AH"], ["ZH", "IY"]):
        columns = [names.index(name) for name in phones]
        states = states_of(tuple(columns), names.index("N"), names.index("SIL"))
        assert table.phone[states.senones].tolist() == np.repeat(columns, 3).tolist()
        np.testing.assert_allclose(np.exp(states.stay / 0.4) + np.exp(states.leave / 0.4), 1.0)
    assert set(table.phone[pause_states().senones]) == {names.index("SIL")}
    assert np.exp(table.weights).sum(axis=2) == pytest.approx(1.0, abs=0.2)


def test_neighbours_and_the_place_in_a_word_make_a_difference() -> None:
    t, s, aa, pause = (phone_names().index(name) for name in ("T", "S", "AA", "SIL"))
    first, between = states_of((t,), pause, aa), states_of((t,), s, aa)
    inside = states_of((s, t, aa), pause, pause)
    assert not np.array_equal(first.senones, between.senones)
    assert not np.array_equal(first.senones[:1], inside.senones[3:4])
    back = inside.reversed()
    np.testing.assert_array_equal(back.senones[::-1], inside.senones)
    np.testing.assert_array_equal(back.leave[::-1], inside.leave)


def test_names_of_phones() -> None:
    assert english_phone("zh") == len(phone_names()) - 1
    assert english_phone("sil") is None
    assert english_phone("ix") is None
