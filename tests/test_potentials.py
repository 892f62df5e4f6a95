"""The score of given onsets."""

import math

import numpy as np

from align.potentials import Potentials


def test_float32_tables_are_summed_in_float64() -> None:
    rng = np.random.default_rng(0)
    k, t = 4000, 8001
    onset = rng.normal(size=(k, t - k)).astype(np.float32) * 1000
    duration = rng.normal(size=(1, 10)).astype(np.float32) * 1000
    y = np.arange(k) * 2 + 1
    start = np.arange(k) + 1
    potentials = Potentials(
        onset, t, start=start, duration=duration, max_length=np.full(k, 9), constant=0.5
    )
    lengths = np.diff(y, append=t)
    exact = math.fsum(
        [
            0.5,
            *onset[np.arange(k), y - start].astype(float),
            *duration[0, lengths].astype(float),
        ]
    )
    assert abs(potentials.score(y) - exact) < 1e-8
