"""Labels that seem to be of another recording."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from align.sequence.learning.far_labels import LabelsWarning, warn_of_labels
from align.sequence.learning.problem import Truth


def _warn(late: list[int]) -> list[str]:
    """Warn of recordings whose labels come so many frames of 10 ms late; return what is told."""
    found = np.array([0, 30, 60])
    problem: Any = SimpleNamespace(decode=lambda w, x: found)
    xs: list[Any] = [None] * len(late)
    ys = [Truth.whole(found + frames) for frames in late]
    names = [f"{k}.wav" for k in range(len(late))]
    with pytest.warns(LabelsWarning) as told:
        warn_of_labels(problem, np.ones(1), names, xs, ys, 0.01)
    return [str(one.message) for one in told]


def test_labels_far_off_are_told_the_farthest_first() -> None:
    told = _warn([0, 20, 1, 50, 0, 0, 0])
    assert [text.split(" or more")[0] for text in told] == [
        "3.wav: half of its labels lie 0.50 s",
        "1.wav: half of its labels lie 0.20 s",
    ]


def test_many_are_told_together() -> None:
    *three, rest = _warn([20, 21, 22, 23, 24, *[0] * 9])
    assert (len(three), rest) == (3, "and 2 more recordings like these: 1.wav, 0.wav.")
