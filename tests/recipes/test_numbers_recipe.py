"""The recipe of numbers that may be read in several ways."""

import random
from types import SimpleNamespace

import pytest
from scripts import RECIPES, script

from align.speech.text.reading.normalise import read_words

run = script(RECIPES / "numbers" / "run.py")


@pytest.mark.parametrize("language", list(run.FRAMES))
def test_each_sentence_has_one_number_with_several_readings(language):
    drawn = [run.drawn(random.Random(seed), language) for seed in range(20)]
    assert drawn == [run.drawn(random.Random(seed), language) for seed in range(20)]
    assert all(len(reading.several) == 1 for _, reading in drawn)
    assert len({text for text, _ in drawn}) > 10


def test_what_was_read_as_it_was_said_is_counted(tmp_path, monkeypatch):
    """An aligner that knows the usual reading alone is right in half of the sentences."""
    monkeypatch.setattr(run, "say", lambda text, voice, path: None)
    monkeypatch.setattr(run.align, "load", lambda name: name)

    def align_text(model, path, text, language):
        words = ("sil", *read_words(text, language=language).words, "sil")
        return SimpleNamespace(words=SimpleNamespace(labels=words), verbalised=())

    monkeypatch.setattr(run, "align_text", align_text)
    assert run.run("en", 5, 0, tmp_path) == {"usual": (5, 5), "another": (0, 0)}
