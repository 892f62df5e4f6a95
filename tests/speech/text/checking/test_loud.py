"""Pauses in which something sounds, on made sound whose levels are known."""

import numpy as np
import pytest

from align.speech.text.checking.loud import with_loud_pauses
from align.speech.text.rows import Row
from align.types import Mismatch

RATE = 8000


def noise(seconds, decibels, seed=0):
    rng = np.random.default_rng(seed)
    return (10 ** (decibels / 20) * rng.normal(size=round(RATE * seconds))).astype(np.float32)


def word():
    """Return a second of a word: mostly loud, with a closure."""
    return np.concatenate((noise(0.4, -20), noise(0.2, -50), noise(0.4, -20)))


def listed(pause, mismatches=()):
    """Return what is listed of two words with something between them."""
    samples = np.concatenate((word(), *pause, word()))
    end = 1.0 + sum(len(part) for part in pause) / RATE
    rows = [Row("ah", 0.0, 1.0, 0), Row("sil", 1.0, 1.0, -1), Row("ah", end, 1.0, 1)]
    rows.append(Row("sil", end + 1.0, 1.0, -1))
    rows = [row._replace(start=row.start + 5.0) for row in rows]
    return with_loud_pauses(mismatches, rows, samples, RATE, 5.0)


def test_music_in_a_pause_is_listed_where_it_sounds():
    (one,) = listed([noise(1.0, -50), noise(3.0, -24), noise(1.0, -50)])
    assert (one.kind, one.words, one.probability) == ("untranscribed", (), 0.9)
    assert one.start == pytest.approx(7.0, abs=0.06)
    assert one.end == pytest.approx(10.0, abs=0.06)


@pytest.mark.parametrize(
    "pause", [[noise(5.0, -50)], [noise(5.0, -35)], [noise(1.5, -20), noise(2.0, -50)]]
)
def test_quiet_and_short_sounds_are_not(pause):
    assert listed(pause) == []


def test_what_was_listed_within_is_one_with_it():
    before = Mismatch("unspoken", 5.1, 5.2, ("kiwi",), 0.6)
    inside = [Mismatch("untranscribed", a, a + 0.5, (), 0.95) for a in (7.5, 8.2)]
    first, one = listed([noise(1.0, -50), noise(3.0, -24), noise(1.0, -50)], [*inside, before])
    assert first is before
    assert one.probability == 0.95
    assert one.end - one.start == pytest.approx(3.0, abs=0.12)


def test_noise_behind_all_of_the_recording_is_no_sound_in_a_pause():
    samples = np.concatenate((word(), noise(4.0, -50), word())) + noise(6.0, -26, seed=1)
    rows = [Row("ah", 0.0, 1.0, 0), Row("sil", 1.0, 1.0, -1), Row("ah", 5.0, 1.0, 1)]
    assert with_loud_pauses([], [*rows, Row("sil", 6.0, 1.0, -1)], samples, RATE, 0.0) == []


def test_what_has_no_voice_is_not_listed_where_words_have_one():
    pulses = np.zeros(RATE, dtype=np.float32)
    pulses[:: RATE // 100] = 1.0
    samples = np.concatenate((pulses, noise(1.0, -50), noise(3.0, -24), noise(1.0, -50), pulses))
    rows = [Row("ah", 0.0, 1.0, 0), Row("sil", 1.0, 1.0, -1), Row("ah", 6.0, 1.0, 1)]
    rows.append(Row("sil", 7.0, 1.0, -1))
    assert with_loud_pauses([], rows, samples, RATE, 0.0) == []
