"""Phones of recordings that are cut out of others."""

from importlib.resources import files

import numpy as np
import pytest
import soundfile

import align

KIWI = files("align.data") / "kiwi.flac"


@pytest.fixture(scope="module")
def truth() -> align.Alignment:
    return align.Alignment.from_labels(str(files("align.data") / "kiwi.TextGrid"))


@pytest.mark.parametrize("first", [3, 15, 19, 24, 34])
def test_phones_may_begin_with_the_recording(truth: align.Alignment, first: int) -> None:
    """They began 10 to 42 ms late, behind a pause that is not there."""
    samples, rate = soundfile.read(str(KIWI))
    part = samples[round(rate * truth.onsets[first]) :]
    found = align.load("speech-en").align(part, truth.labels[first:], rate=rate)
    assert found.onsets[0] == 0.0
    assert found.duration == len(part) / rate
    assert (np.diff(found.onsets) > 0).all()


def test_silences_that_are_given_stay_however_short(truth: align.Alignment) -> None:
    samples, rate = soundfile.read(str(KIWI))
    begin, end = (round(rate * t) for t in (truth.onsets[1] - 0.01, truth.onsets[-1] + 0.01))
    found = align.load("speech-en").align(samples[begin:end], truth.labels, rate=rate)
    assert found.labels == truth.labels
    assert found.onsets[0] == 0.0
    assert found.onsets[1] == pytest.approx(0.01, abs=0.015)
    assert found.onsets[-1] == pytest.approx((end - begin) / rate, abs=0.05)
    assert found.end <= found.duration
