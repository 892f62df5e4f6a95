"""Recordings are heard with a pause where they begin or end in mid-speech."""

import numpy as np
import pytest

from align.features import Feature, Signal
from align.speech.outer_pauses import pause_like, with_outer_pauses
from align.terms import SegmentTerm

RATE = 16000


def recording(n_frames: int = 60) -> Signal:
    noise = np.random.default_rng(1).standard_normal(80 * n_frames).astype(np.float32)
    return Signal(0.1 * noise, rate=RATE, hop=0.005, name="one")


class SoundClassifier(Feature):
    """Silence has these log probabilities in the first and last three frames, and 0 elsewhere."""

    scores_noise, name = True, "net"

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end

    def terms(self, signal, events):
        scores = np.zeros((1, recording().n_frames))
        scores[0, :3], scores[0, -3:] = self.begin, self.end
        return {"net.phone": SegmentTerm.from_frames(scores, np.array([0]))}


@pytest.mark.parametrize(
    ("begin", "end", "before", "behind"),
    [(-2.0, -4.0, 24, 24), (-1.0, -2.0, 0, 24), (-2.0, -1.0, 24, 0)],
)
def test_a_pause_is_put_where_the_network_hears_none(begin, end, before, behind) -> None:
    own = recording()
    found = with_outer_pauses([SoundClassifier(begin, end)], own, {})
    assert found.own is own
    assert found.before == before
    assert found.signal.n_frames == before + own.n_frames + behind
    inner = found.signal.samples[80 * before : 80 * (before + own.n_frames)]
    np.testing.assert_array_equal(inner, own.samples)
    assert found.signal.name == "one"
    if before:
        assert 0.05 < found.signal.samples[: 80 * before].std() < 0.11


def test_a_recording_with_silences_at_its_ends_stays_as_it_is() -> None:
    own = recording()
    found = with_outer_pauses([SoundClassifier(-1.0, -1.0)], own, {})
    assert found.signal is found.own is own
    assert with_outer_pauses([], own, {}).signal is own


def test_stops_begin_in_silence() -> None:
    classes = {"k": "voiceless stop", "dcl": "closure", "m": "nasal"}
    found = with_outer_pauses([SoundClassifier(-9.0, -9.0)], recording(), classes)
    assert [found.closed(event) for event in ("k", "dcl", "m", "x")] == [True, True, False, False]


def test_it_is_made_once() -> None:
    own, one = recording(), SoundClassifier(-9.0, -9.0)
    first = with_outer_pauses([one], own, {})
    assert with_outer_pauses([one], own, {}).signal is first.signal


def test_another_network_in_the_place_of_one_that_is_gone_is_asked() -> None:
    own = recording()
    for silent in [True, False] * 10:
        one = SoundClassifier(*[-1.0 if silent else -9.0] * 2)
        assert with_outer_pauses([one], own, {}).before == (0 if silent else 24)
        del one


def test_a_pause_sounds_like_the_softest_parts() -> None:
    """Low noise before a high tone: the pause is low noise as soft as its softest parts."""
    rng = np.random.default_rng(0)
    t = np.arange(8000) / RATE
    low = np.convolve(rng.standard_normal(8000), np.ones(16) / 16, "same") * 0.02
    speech = np.concatenate((low, 0.3 * np.sin(2 * np.pi * 3000 * t))).astype(np.float32)
    pause = pause_like(speech, RATE, 8000)
    assert pause.dtype == np.float32
    level = np.sqrt(np.mean(pause**2) / np.mean(low**2))
    assert 0.5 < level < 1.1
    power = np.abs(np.fft.rfft(pause)) ** 2
    assert power[:500].sum() > 10 * power[1000:].sum()
    np.testing.assert_array_equal(pause, pause_like(speech, RATE, 8000))


def test_recordings_shorter_than_a_window_have_a_pause_too() -> None:
    assert pause_like(np.full(100, 0.1, dtype=np.float32), RATE, 160).shape == (160,)
