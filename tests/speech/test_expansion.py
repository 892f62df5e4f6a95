"""What it costs that a recording begins or ends in mid-speech."""

from types import SimpleNamespace

import numpy as np
import pytest

from align.features import Signal
from align.speech.expansion import abrupt_costs
from align.terms import SegmentTerm

SIGNAL = Signal(np.zeros(1600, dtype=np.float32), rate=16000, hop=0.005)  # 20 frames


def network(begin: float, end: float) -> SimpleNamespace:
    """Silence has these log probabilities in the first and last three frames, and 0 elsewhere."""
    scores = np.zeros((1, SIGNAL.n_frames))
    scores[0, :3], scores[0, -3:] = begin, end
    term = SegmentTerm.from_frames(scores, np.array([0]))
    return SimpleNamespace(scores_noise=True, name="net", terms=lambda *_: {"net.phone": term})


def test_the_less_probable_silence_is_the_less_it_costs() -> None:
    costs = abrupt_costs([network(-2.0, -4.0)], SIGNAL, 7.0, 0.5)  # type: ignore[list-item]
    assert costs == (pytest.approx(6.0), pytest.approx(5.0))


def test_where_silence_is_probable_there_is_one() -> None:
    costs = abrupt_costs([network(-1.0, -2.0)], SIGNAL, 7.0, 0.5)  # type: ignore[list-item]
    assert costs == (np.inf, pytest.approx(6.0))


def test_it_costs_something_at_least() -> None:
    assert abrupt_costs([network(-9.0, -2.0)], SIGNAL, 7.0, 1.0)[0] == 0.0  # type: ignore[list-item]


def test_without_a_network_it_costs_the_same_everywhere() -> None:
    assert abrupt_costs([], SIGNAL, 7.0, 1.0) == (7.0, 7.0)


def test_what_may_not_be_is_never_asked_for() -> None:
    asked = SimpleNamespace(scores_noise=True, name="net")  # has no terms
    assert abrupt_costs([asked], SIGNAL, np.inf, 1.0) == (np.inf, np.inf)  # type: ignore[list-item]
