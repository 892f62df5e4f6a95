"""The local tempo and the score of lengths, against loops that follow their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.music.performances.tempo import (
    duration_table,
    expected_lengths,
    local_tempo,
    tempo_spread,
)

steps = st.lists(st.floats(0.05, 3.0), min_size=2, max_size=30)


def naive_tempo(written: np.ndarray, played: np.ndarray, window: float) -> list[float]:
    found = []
    for k in range(len(written)):
        near = [
            j
            for j in range(len(written))
            if abs(j - k) <= 3 or (played[k] - window / 2 <= played[j] < played[k] + window / 2)
        ]
        first, last = near[0], near[-1]
        ratio = (played[last] - played[first]) / max(written[last] - written[first], 1e-3)
        found.append(min(max(ratio, 0.05), 50.0))
    return found


@given(steps, st.data())
def test_tempo_is_that_of_the_chords_around(lengths: list[float], data: st.DataObject) -> None:
    written = np.cumsum(lengths)
    size = len(lengths)
    faster = data.draw(st.lists(st.floats(0.1, 4.0), min_size=size, max_size=size))
    played = np.cumsum(np.array(lengths) * faster)
    window = data.draw(st.sampled_from([0.5, 3.0, 8.0]))
    expected = naive_tempo(written, played, window)
    np.testing.assert_allclose(local_tempo(written, played, window=window), expected)


def test_steady_playing_has_one_tempo_and_the_least_spread() -> None:
    written = np.cumsum(np.tile([0.25, 0.5, 0.25], 20))
    played = 1.7 * written + 3.0
    tempo = local_tempo(written, played)
    np.testing.assert_allclose(tempo, 1.7)
    np.testing.assert_allclose(expected_lengths(written, tempo)[:-1], np.diff(played))
    assert tempo_spread(written, played) == 0.05


def test_rubato_widens_the_spread() -> None:
    rng = np.random.default_rng(0)
    written = np.arange(200) * 0.5
    lengths = 0.5 * np.exp(0.1 * rng.standard_normal(199))
    spread = tempo_spread(written, np.concatenate(([0.0], np.cumsum(lengths))))
    assert 0.12 < spread < 0.18  # one and a half times the standard deviation


def test_few_chords_have_the_default_spread() -> None:
    assert tempo_spread(np.arange(5.0), np.arange(5.0), default=0.11) == 0.11


@given(st.lists(st.floats(0.5, 300.0), min_size=1, max_size=5), st.floats(0.05, 0.3))
def test_duration_table_is_the_log_of_students_density(
    lengths: list[float], spread: float
) -> None:
    table = duration_table(np.array(lengths), spread, 40, nu=3.0, jitter=1.5)
    for row, m in zip(table, lengths, strict=True):
        scale = spread**2 + (1.5 / m) ** 2
        for d in range(41):
            r = math.log(max(d, 0.5) / m)
            assert row[d] == pytest.approx(-2.0 * math.log(1 + r * r / (3.0 * scale)), abs=1e-9)


def test_a_fermata_costs_little_more_than_a_long_note() -> None:
    row = duration_table(np.array([50.0]), 0.1, 1000)[0]
    assert row[50] == 0.0
    assert row[150] - row[500] < 0.35 * (row[50] - row[150])


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(ParameterError, match=r"times.shape=\(2,\), must be \(G,\)=\(3,\)"):
        local_tempo(np.arange(3.0), np.arange(2.0))
