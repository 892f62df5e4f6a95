"""Speech that is slower than a model's."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from align.features import DurationFeature
from align.features.duration import LengthStatistics
from align.speech.text.rows import Row
from align.speech.text.slowness import slower, times_as_long


def model(distribution: str = "lognormal") -> Any:
    """Return a model that knows of phones of 0.1 and 0.2 s, and another for rooms."""
    lengths, one = DurationFeature(distribution, shrinkage=0.0), np.ones(2)
    mean = np.array([0.1, 0.2])
    log = distribution == "lognormal"
    lengths.statistics_ = LengthStatistics(("a", "b"), one, np.log(mean) if log else mean, one)
    other = SimpleNamespace(features_=[lengths], elsewhere_={})
    return SimpleNamespace(features_=[lengths, "another"], elsewhere_={"room": other})


def rows(times: float, n: int = 18) -> list[Row]:
    """Return phones in turn, so many times as long as the model's, a long last one and a pause."""
    seconds = np.tile([0.1, 0.2], n // 2) * times
    starts = [0.0, *np.cumsum([0.7, *seconds])]
    own = [Row("ab"[k % 2], start, 1.0, k) for k, start in enumerate(starts[1:])]
    return [Row("", 0.0, 1.0, -1), *own, Row("", 99.0, 1.0, -1)]


@pytest.mark.parametrize("distribution", ["lognormal", "normal", "gamma"])
def test_lengths_of_a_slower_model_are_those_of_the_recording(distribution: str) -> None:
    first = model(distribution)
    assert times_as_long(first, rows(1.8)) == pytest.approx(1.8)
    again = slower(first, 1.8)
    assert times_as_long(again, rows(1.8)) == pytest.approx(1.0)
    assert times_as_long(again.elsewhere_["room"], rows(1.8)) == pytest.approx(1.0)
    assert times_as_long(first, rows(1.0)) == pytest.approx(1.0)  # which stays as it was


def test_a_few_phones_say_nothing() -> None:
    assert times_as_long(model(), rows(3.0, n=14)) == 1.0
    assert times_as_long(SimpleNamespace(features_=[]), rows(3.0)) == 1.0
