"""Words that are probably in the wrong place, and what a second opinion makes of confidence."""

from collections import Counter
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from kiwi_text import SAID

import align
import align.speech.text.checking.astray as astray_module
from align.features import read_audio
from align.show.page.confidence import mismatches_of
from align.speech.text import align_text
from align.speech.text.checking.astray import (
    LEARNED,
    LEARNED_IPA,
    Learned,
    astray_words,
    evidence_of_moves,
    is_clear,
    moves_of,
    probable_runs,
    with_second_opinions,
)
from align.speech.text.checking.passages import seems_a_part
from align.speech.text.conversation import Conversation
from align.speech.text.parts import Recording
from align.speech.text.pronouncing.lookup import look_up_all
from align.speech.text.reading.utterances import Utterance
from align.speech.text.rows import Row, fit_of
from align.speech.text.tiers import SpeakerTiers, TextAlignment
from align.speech.text.words import WordAligner
from align.types import Mismatch

KIWI = Path(str(files("align.data"))) / "kiwi.flac"
WORDS = "a quick brown fox jumps over the lazy dog while a kiwi watches".split()


def rows_of(*starts: float) -> list[Row]:
    """Rows of words of two phones each, then the end."""
    rows = []
    for k, start in enumerate(starts):
        rows += [Row("k", start, 0.8, k), Row("iy", start + 0.1, 0.9, k)]
    return [*rows, Row("sil", starts[-1] + 0.5, 1.0, -1)]


@pytest.fixture(scope="module")
def model() -> align.SpeechAligner:
    found = align.load("speech-en")
    assert isinstance(found, align.SpeechAligner)
    return found


def word_aligner(model: align.SpeechAligner) -> WordAligner:
    entries = look_up_all(
        [*WORDS, "purple"], SAID, model.known_labels(), language="en", guess=False
    )
    recording = Recording.read(KIWI, None, model, str(KIWI))
    return WordAligner(model, recording, entries, judging=True)


def test_words_that_are_heard_clearly_stay(model: align.SpeechAligner) -> None:
    path = word_aligner(model).paths(WORDS).path
    moves = moves_of(path)
    assert moves is not None
    assert moves.shape == (len(WORDS),)
    assert (moves < np.log1p(1.0)).mean() > 0.8  # less than 20 ms


def test_a_word_that_was_not_said_does_not_move(model: align.SpeechAligner) -> None:
    words = [*WORDS[:4], "purple", *WORDS[4:]]
    path = word_aligner(model).paths(words).path
    assert path.skipped().tolist() == [4]
    moves = moves_of(path)
    assert moves is not None
    assert np.isnan(moves[4])
    assert not np.isnan(np.delete(moves, 4)).any()


def test_an_aligner_without_these_base_functions_has_no_opinion(
    model: align.SpeechAligner,
) -> None:
    path = word_aligner(model).paths(WORDS).path
    assert path.paths.weighed({"duration": 2.0}, path.path) is not None
    assert path.paths.weighed({"my_feature": 2.0}, path.path) is None


def test_opinions_leave_the_path_as_it_is(model: align.SpeechAligner) -> None:
    path = word_aligner(model).paths(WORDS).path
    before = path.path.score, path.path.onsets.tolist()
    moves_of(path)
    again = path.paths.best()
    assert (again.path.score, again.path.onsets.tolist()) == before


def test_words_that_move_are_less_sure_with_all_their_phones() -> None:
    stay, go = (
        with_second_opinions(rows_of(1.0, 2.0), np.array([0.0, moved]), LEARNED)
        for moved in (0.0, 4.0)
    )
    assert 0.0 < stay[0].confidence - go[0].confidence < stay[2].confidence - go[2].confidence
    assert go[2].confidence < stay[2].confidence - 0.3
    assert go[3].confidence < stay[3].confidence
    assert go[-1].confidence == 1.0  # the end of the recording


def test_three_words_in_a_row_are_listed() -> None:
    rows = rows_of(1.0, 2.0, 3.0, 4.0, 5.0)
    moves = np.array([0.0, 5.0, 5.0, 5.0, 0.0])
    (found,) = astray_words(rows, ["a", "b", "c", "d", "e"], moves, LEARNED)
    assert (found.kind, found.words) == ("misplaced", ("b", "c", "d"))
    assert (found.start, found.end) == (2.0, 5.0)
    assert 0.5 <= found.probability < 1.0
    assert str(found).startswith("from 2.00 to 5.00 s: 'b c d' may be in the wrong place (0.")
    assert found.label == "misplaced: b c d"
    assert not astray_words(rows, ["a", "b", "c", "d", "e"], np.minimum(moves, 0.5), LEARNED)


def test_a_word_that_was_left_out_does_not_part_a_run() -> None:
    rows = [row for row in rows_of(1.0, 2.0, 3.0, 4.0) if row.word != 1]
    (found,) = astray_words(rows, ["a", "b", "c", "d"], np.full(4, 5.0), LEARNED)
    assert found.words == ("a", "c", "d")


def test_a_long_run_shows_its_ends() -> None:
    words = tuple("abcdefghijklmnop")
    assert "'a b c ... n o p' (16 words) may be" in str(
        Mismatch("misplaced", 0.0, 9.0, words, 0.7)
    )


@pytest.mark.parametrize("learned", [LEARNED, LEARNED_IPA])
def test_the_more_words_move_the_worse(learned: Learned) -> None:
    seen = evidence_of_moves(np.full(3, 0.8), np.array([0.0, 1.0, 3.0]))
    assert (np.diff(learned.right(seen)) < 0).all()
    assert (np.diff(learned.astray(seen)) > 0).all()


def test_misplaced_words_do_not_make_a_part() -> None:
    words = ("a", "b", "c")
    assert seems_a_part(0.95, [Mismatch("unspoken", 0.0, 1.0, words, 0.8)])
    assert not seems_a_part(0.95, [Mismatch("misplaced", 0.0, 1.0, words, 0.8)])


def test_misplaced_words_are_warned_of() -> None:
    alignment = align.Alignment(["sil"], [0.0], duration=5.0, match=0.9)
    words = Mismatch("misplaced", 2.0, 5.0, ("b", "c", "d"), 0.6)
    said = Mismatch("unspoken", 1.0, 1.1, ("a",), 0.6)
    fit = fit_of(alignment, Utterance("a b c d"), [said, words])
    assert fit.warnings == ("from 2.00 to 5.00 s: 'b c d' may be in the wrong place (0.60).",)


def test_a_tier_shows_misplaced_words_beside_other_mismatches() -> None:
    words = align.Alignment(["b", "c", "d"], [0.0, 2.0, 3.0], duration=6.0)
    tiers = SpeakerTiers(words, words, np.arange(3))
    listed = [
        Mismatch("misplaced", 0.0, 6.0, ("b", "c", "d"), 0.6),
        Mismatch("untranscribed", 1.0, 2.0, (), 0.8),
    ]
    found = TextAlignment({"": tiers}, (), listed)
    check = next(tier for tier in found._document("").tiers if tier.name == "check")
    assert check.labels == ("untranscribed", "misplaced: b c d")
    assert check.times == ((1.0, 2.0), (2.0, 6.0))
    (read,) = mismatches_of("x.TextGrid", replace(check, labels=check.labels[1:], times=((2, 6),)))
    assert (read.kind, read.words) == ("misplaced", ("b", "c", "d"))


def test_a_tier_shows_the_rest_of_speech_behind_a_word_that_was_not_said() -> None:
    words = align.Alignment(["b", "c"], [0.0, 2.0], duration=6.0)
    listed = [
        Mismatch("unspoken", 1.0, 1.1, ("b",), 0.8),
        Mismatch("untranscribed", 1.0, 2.0, (), 0.7),
    ]
    found = TextAlignment({"": SpeakerTiers(words, words, np.arange(2))}, (), listed)
    check = next(tier for tier in found._document("").tiers if tier.name == "check")
    assert check.labels == ("unspoken: b", "untranscribed")
    assert check.times == ((1.0, 1.1), (1.1, 2.0))


def test_clear_speech_is_not_asked_about(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(astray_module, "moves_of", lambda path: asked.append(path.n_words))
    text = " ".join(WORDS)
    align_text(model, KIWI, text, dictionary=SAID)
    assert not asked
    monkeypatch.setattr(astray_module, "_CLEAR", 1.0)
    align_text(model, KIWI, text, dictionary=SAID)
    assert asked == [len(WORDS)]


def test_a_few_unsure_words_make_speech_unclear() -> None:
    assert is_clear(np.zeros(0))
    assert is_clear(np.array([0.9, 0.6]))
    assert not is_clear(np.array([0.9, 0.5]))
    assert is_clear(np.repeat([0.9, 0.6, 0.9], [20, 1, 20]))


def test_runs_end_with_the_text() -> None:
    assert probable_runs(np.array([0.9, 0.9, 0.9])) == [(0, 3)]
    assert probable_runs(np.array([0.9, 0.9])) == []
    assert probable_runs(np.zeros(0)) == []


def test_what_is_misplaced_ends_with_the_recording(
    model: align.SpeechAligner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(astray_module, "_PROBABLE", 0.0)  # all words are
    monkeypatch.setattr(astray_module, "_CLEAR", 1.0)
    samples = read_audio(KIWI, 16000)[0][:4401]
    end = samples.size / 16000
    said = [Utterance("a", 0.0, end / 2), Utterance("quick brown fox", end / 2, end)]
    found = align_text(model, samples, said, rate=16000, dictionary=SAID, trust=True)
    (one,) = found.mismatches
    assert one.end <= end
    found.write(tmp_path / "kiwi.TextGrid")


def test_words_that_are_drowned_in_noise_are_told(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They lie a second and more too early; before, they were as sure as half of all others."""
    samples = read_audio(KIWI, 16000)[0]
    noise = np.random.default_rng(2).standard_normal(samples.size)
    drowned = samples + 6.0 * noise * np.sqrt(np.mean(np.square(samples)))
    text = " ".join(WORDS)

    def found(sound: np.ndarray) -> TextAlignment:
        return align_text(model, sound.astype(np.float32), text, rate=16000, dictionary=SAID)

    quiet, loud = found(samples), found(drowned)
    assert not quiet.warnings
    (warning,) = loud.warnings
    assert "lazy dog while a kiwi watches' may be in the wrong place" in warning
    monkeypatch.setattr(astray_module, "moves_of", lambda *_: None)
    unasked = found(drowned).words
    np.testing.assert_array_equal(loud.words.onsets, unasked.onsets)
    assert loud.words.confidence is not None
    assert unasked.confidence is not None
    assert loud.words.confidence.mean() < unasked.confidence.mean() - 0.2


def test_words_that_are_hardly_heard_are_told_where_nothing_else_is(
    model: align.SpeechAligner,
) -> None:
    samples = read_audio(KIWI, 16000)[0]
    noise = np.random.default_rng(4).standard_normal(samples.size)
    noisy = samples + 3.0 * noise * np.sqrt(np.mean(np.square(samples)))
    (warning,) = align_text(model, noisy, " ".join(WORDS), rate=16000, dictionary=SAID).warnings
    assert warning.startswith("of 13 words probably only ")
    assert "begin within 20 ms of where they were said" in warning


def test_of_a_word_one_thing_is_said(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("mismatch", "unspoken"):  # half of the words were perhaps not said
        monkeypatch.setattr(f"align.speech.text.checking.{module}.PROBABLE", 1e-3)
    samples = read_audio(KIWI, 16000)[0]
    noise = np.random.default_rng(2).standard_normal(samples.size)
    drowned = samples + 6.0 * noise * np.sqrt(np.mean(np.square(samples)))
    text = " ".join(WORDS)
    found = align_text(model, drowned.astype(np.float32), text, rate=16000, dictionary=SAID)
    assert {m.kind for m in found.mismatches} >= {"misplaced", "unspoken"}
    named = Counter(word for m in found.mismatches for word in m.words)
    assert named <= Counter(WORDS)


def test_misplaced_words_of_two_speakers_are_two_mismatches() -> None:
    rows = rows_of(1.0, 2.0, 3.0, 4.0, 5.0)
    said = [Utterance("a b", speaker="Ann"), Utterance("c d e", speaker="Bob")]
    both = Conversation(list(zip(said, [["a", "b"], ["c", "d", "e"]], strict=True)))
    run = Mismatch("misplaced", 2.0, 5.0, ("b", "c", "d"), 0.7)
    assert both.by_turn(run, rows, 0) == [
        Mismatch("misplaced", 2.0, 3.0, ("b",), 0.7, "Ann"),
        Mismatch("misplaced", 3.0, 5.0, ("c", "d"), 0.7, "Bob"),
    ]
    elsewhere = replace(run, words=("x", "y", "z"))
    assert both.by_turn(elsewhere, rows, 0) == [replace(elsewhere, speaker="Ann")]
