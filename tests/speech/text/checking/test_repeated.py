"""Words that were said twice, as they are asked of a second ear."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from align.speech.text.checking.repeated import said_again


def test_words_may_be_as_far_away_as_a_copy_with_its_pauses() -> None:
    """Half a minute may have been read again; more than that is something else."""
    asked: list[np.ndarray] = []
    ear: Any = SimpleNamespace(hears_words=True, said_again=lambda _, times: asked.append(times))
    times = np.array([[30.0, 30.5], [31.0, 31.5]])
    for seconds, away in ((0.0, 0.0), (20.0, 25.0), (50.0, 0.0)):
        intervals = np.array([[0.0, 0.5 * seconds], [0.5 * seconds, seconds], [seconds, 60.0]])
        alignment = SimpleNamespace(intervals=intervals)
        path: Any = SimpleNamespace(
            found=SimpleNamespace(alignment=alignment, nodes=np.arange(3)),
            built=SimpleNamespace(noise=lambda: np.array([True, True, False])),
        )
        said_again(ear, [], times, path, 60.0)
        np.testing.assert_array_equal(asked[-1], times + np.array([-away, away]))
