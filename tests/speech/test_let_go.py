"""Recordings that were aligned are let go of at once, and not when Python looks for circles.

Spectra and outputs of networks are some megabytes for a minute, in a few objects of which Python
thinks little: a folder of recordings would be kept for hours.
"""

import gc
import weakref
from functools import partial
from importlib.resources import files

import numpy as np
import pytest
import soundfile

import align
from align.features import Signal
from align.features.sound.signal import LongerSignal

KEPT = 4  # the last recordings, of which somebody may ask for more


@pytest.fixture
def no_search():
    """Python without its search for circles of objects that keep each other."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_search")
def test_no_more_recordings_are_kept_than_may_be_asked_for_again() -> None:
    model = align.load("speech-en")
    samples, rate = soundfile.read(str(files("align.data") / "kiwi.flac"), dtype="float32")
    begins_in_speech = samples[rate : 2 * rate]  # so that it is heard with pauses as well

    def kept() -> int:
        return sum(type(one) is Signal for one in gc.get_objects())

    before = kept()
    for seed in range(KEPT + 4):
        noise = 1e-4 * np.random.default_rng(seed).normal(size=rate).astype(np.float32)
        model.align(begins_in_speech + noise, ["sil", "k", "iy"], rate=rate)
    assert kept() <= before + KEPT


@pytest.mark.usefixtures("no_search")
def test_a_recording_and_the_one_with_pauses_go_together() -> None:
    own = Signal(np.zeros(16000, dtype=np.float32) + 0.1, 16000)
    pause = np.zeros(1600, dtype=np.float32)
    longer = own.cached("longer", partial(LongerSignal, own, pause, pause))
    assert longer.own is own
    gone = weakref.ref(longer)
    del own, longer
    assert gone() is None
