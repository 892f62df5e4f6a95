"""Chords that share a key: they are not put on one stroke of it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from align.music.functions.chord_functions import WindowTerm
from align.music.placing.decoding import find_chords
from align.terms import BaseFunctions

HOP, N_FRAMES = 0.01, 400


class Strokes:
    """A loud stroke at frame 150, which all chords like, and a soft one at 200 for the second."""

    passes = 1

    def signal(self, performance: Any) -> Any:
        return performance.signal

    def onset_terms(
        self, performance: Any, windows: np.ndarray, before: list[Any]
    ) -> tuple[np.ndarray, list[Any]]:
        table = np.zeros((2, N_FRAMES))
        table[:, 150:152] = 5.0
        table[:, 152:155] = 2.0
        table[1, 200] = 4.0
        return table, before

    def base_functions(
        self, performance: Any, windows: np.ndarray, table: np.ndarray, *tempo: object
    ) -> BaseFunctions:
        width = int((windows[:, 1] - windows[:, 0]).max())
        rows = windows[:, :1] + np.arange(width)
        own = np.take_along_axis(table, np.minimum(rows, N_FRAMES - 1), axis=1)
        term = WindowTerm(own, windows[:, 0])
        return BaseFunctions([term], ["notes"], 2, N_FRAMES, windows=windows)


@pytest.mark.parametrize(
    ("keys", "coarse", "found"),
    [
        ([60, 60], [1.5, 2.0], [150, 200]),
        ([60, 61], [1.5, 2.0], [150, 151]),
        ([60, 60], [1.5, 1.52], [150, 151]),  # the coarse alignment has them as near
    ],
)
def test_a_key_is_not_struck_twice_at_once(
    keys: list[int], coarse: list[float], found: list[int]
) -> None:
    performance: Any = SimpleNamespace(
        progress=None,
        notes=SimpleNamespace(pitches=np.array(keys)),
        chords=SimpleNamespace(group=np.arange(2), onsets=np.array([0.0, 0.5])),
        coarse=np.array(coarse),
        signal=SimpleNamespace(hop=HOP, n_frames=N_FRAMES),
    )
    functions: Any = Strokes()
    answer = find_chords(performance, functions, lambda x: np.ones(1))
    assert answer.frames.tolist() == found
