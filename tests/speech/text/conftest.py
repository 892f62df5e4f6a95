"""The model that comes with Align."""

import pytest

import align


@pytest.fixture(scope="module")
def model() -> align.SpeechAligner:
    loaded = align.load("speech-en")
    assert isinstance(loaded, align.SpeechAligner)
    return loaded
