"""Learning from recordings with texts that have no times."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from command_line import run

import align
from align.speech.text import Dictionary, adapt_to_texts, align_text
from align.speech.text.learning import untimed
from align.speech.text.pronouncing.articulation import LOOSE

WORDS = {
    "a": ["ə"], "quick": ["k w ɪ k"], "brown": ["b ɹ aʊ n"], "fox": ["f ɑ k s"],
    "jumps": ["dʒ ʌ m p s"], "over": ["oʊ v ɚ"], "the": ["ð ə"], "lazy": ["l eɪ z i"],
    "dog": ["d ɔ ɡ"], "while": ["w aɪ l"], "kiwi": ["k i w i"], "watches": ["w ɑ tʃ ɪ z"],
}  # fmt: skip
KIWI = str(files("align.data") / "kiwi.flac")
TEXT = "A quick brown fox jumps over the lazy dog, while a kiwi watches."
SAID = align.Example(KIWI, (), text=TEXT)


def test_networks_move_and_phones_may_be_left_out() -> None:
    before = align.load("speech-any")
    del before.features_[0].networks_[1:]
    words = Dictionary(WORDS)
    weights = before.features_[0].networks_[0].weights[0].copy()
    other = replace(SAID, text=None)
    after = adapt_to_texts(
        before, [SAID, other], language="xx", dictionary=words, steps=1, source="speech-any"
    )
    assert not np.array_equal(after.features_[0].networks_[0].weights[0], weights)
    assert np.array_equal(before.features_[0].networks_[0].weights[0], weights)
    assert np.array_equal(after.coef_, before.coef_)
    assert after.realisations_ == dict(LOOSE)
    assert before.realisations_ is None
    assert after.training_["adapted"]["recordings"] == 1
    assert after.training_["adapted"]["from"]["model"] == "speech-any"
    [(name, reason)] = after.problems_
    assert name == KIWI
    assert reason == "there is no text."
    found = align_text(after, KIWI, TEXT, dictionary=words, language="xx")
    assert len([word for word in found.words.labels if word != "sil"]) == len(TEXT.split())


def test_a_number_is_learned_as_it_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    learned: list[align.Example] = []

    def adapted(aligner: object, examples: list[align.Example], **options: object) -> object:
        learned.extend(examples)
        raise align.DataError("enough")

    monkeypatch.setattr(untimed, "adapt_features", adapted)
    fox = {**WORDS, "zero": ["m ɔɪ b"], "oh": WORDS["fox"], "nought": ["m ɔɪ"]}
    text = TEXT.replace("fox", "0")
    for one in (text, TEXT):
        with pytest.raises(align.DataError, match="enough"):
            adapt_to_texts(
                align.load("speech-any"),
                [replace(SAID, text=one)],
                language="en",
                dictionary=Dictionary(fox),
            )
    as_sounds, as_words = learned
    assert as_sounds.events == as_words.events


def test_what_cannot_be_learned_from_is_refused() -> None:
    model = align.load("speech-any")
    words = Dictionary(WORDS)
    with pytest.raises(align.DataError, match=r"no recording can be learned from$"):
        adapt_to_texts(model, [], language="xx", dictionary=words)
    with pytest.raises(align.DataError, match=r"no recording .*kiwi\.flac: there is no text"):
        adapt_to_texts(model, [align.Example(KIWI, ())], language="xx", dictionary=words)
    with pytest.raises(align.ParameterError, match="steps=0, must be at least 1"):
        adapt_to_texts(model, [SAID], language="xx", dictionary=words, steps=0)
    with pytest.raises(align.DataError, match="may not be of this recording"):
        adapt_to_texts(model, [replace(SAID, text="kiwi")], language="xx", dictionary=words)
    with pytest.raises(align.ParameterError, match="in the IPA"):
        adapt_to_texts(align.load("speech-en"), [SAID], language="en")


def test_the_command_takes_transcripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name in ("a", "b"):
        (corpus / f"{name}.flac").write_bytes((files("align.data") / "kiwi.flac").read_bytes())
    (corpus / "a.txt").write_text(TEXT)
    rows = "".join(f"{word}\t{way}\n" for word, [way] in WORDS.items())
    (tmp_path / "w.dict").write_text(rows, encoding="utf-8")
    told = "adapt speech-any corpus --from-text --language xx --dictionary w.dict --steps 1"
    monkeypatch.chdir(tmp_path)
    done = run(*told.split(), "-o", "mine.align")
    assert done.exit_code == 1  # of b nobody knows what is said
    assert "Adapted to 1 recording" in done.stderr
    assert "b.flac" in done.stderr
    assert align.load("mine.align").realisations_ == dict(LOOSE)
