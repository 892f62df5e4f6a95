"""Where there is sound in a recording of which much is silence."""

import numpy as np
import pytest

from align.features import Signal
from align.features.phones.monophones import streams
from align.features.sound.disguises import PLAIN, disguised_energies
from align.features.sound.sounding import level_of, sounding

RATE = 16000


def _word(seconds: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(0.0, 0.1, round(seconds * RATE)).astype(np.float32)


def _silence(seconds: float, level: float = 0.001) -> np.ndarray:
    return (level / 0.1) * _word(seconds, seed=1)


@pytest.mark.parametrize("level", [0.001, 0.0])
@pytest.mark.parametrize(("seconds", "before"), [(0.5, 0.0), (0.5, 4.0), (2.5, 2.0)])
def test_speech_sounds_the_same_however_long_the_silence_around_it_is(level, seconds, before):
    word = np.concatenate((_silence(0.3), _word(seconds), _silence(0.3)))
    behind = 2.0 if before == 2.0 else 8.0 - before
    long = np.concatenate((_silence(before, level), word, _silence(behind, level)))
    first, n = round(before / 0.01), 60 + round(seconds / 0.01)
    alone, within = Signal(word, RATE, 0.01), Signal(long, RATE, 0.01)
    for heard in (
        lambda signal: disguised_energies(signal, PLAIN, (0.025,), 26),
        lambda signal: streams(signal)[0],
    ):
        inner = slice(30, n - 30)  # the speech itself
        x, y = heard(alone)[inner], heard(within)[first : first + n][inner]
        assert np.abs((x - x.mean(axis=0)) - (y - y.mean(axis=0))).max() < 0.1
        assert np.abs(x.mean(axis=0) - y.mean(axis=0)).max() < 0.15 * np.abs(x).max()


def test_of_recordings_with_usual_silence_all_counts():
    usual = np.concatenate((_silence(0.3), _word(0.5), _silence(0.3)))
    assert sounding(usual, RATE) is None
    assert sounding(_silence(10.0), RATE) is None
    assert sounding(np.zeros(RATE, dtype=np.float32), RATE) is None
    assert sounding(np.zeros(3, dtype=np.float32), RATE) is None


def test_long_recordings_are_summed_in_pieces():
    long = np.concatenate((_silence(70.0), _word(0.5), _silence(70.0)))
    sound = np.flatnonzero(sounding(long, RATE))
    assert sound[[0, -1]].tolist() == [6969, 7080]
    assert level_of(long, sounding(long, RATE)) > 0.05 > 0.01 > level_of(long)


def test_a_bang_hides_no_speech():
    """Where speech fills a recording, all counts, however loud something else was."""
    long = np.concatenate((_word(10.0), 30.0 * _word(0.1), _word(10.0)))
    assert sounding(long, RATE) is None
