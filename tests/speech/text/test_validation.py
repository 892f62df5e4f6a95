"""Checking transcripts before they are aligned."""

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from align.speech.text import Pronunciation
from align.speech.text.pronouncing import vocabulary
from align.speech.text.pronouncing.dictionary import Dictionary
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.validation import validate_transcripts


def test_a_text_of_another_language_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(str(files("align.data") / "kiwi.flac"), tmp_path)
    (tmp_path / "kiwi.txt").write_text("Der Lappen liegt da.", encoding="utf-8")
    monkeypatch.setattr(vocabulary, "_LARGE", 1)
    monkeypatch.setattr(
        "align.speech.text.pronouncing.lookup.look_up",
        lambda word, *_, **__: Entry(word, (Pronunciation(("d", "aa")),), "espeak"),
    )
    known = vocabulary.Vocabulary(Dictionary({"kiwi": ["k iy"]}, name="a.dict"))
    (told,) = validate_transcripts(tmp_path, known).warnings
    assert told.message.endswith(
        "4 of 4 words are not in a.dict: name the language (--language) if it is not 'en'."
    )
