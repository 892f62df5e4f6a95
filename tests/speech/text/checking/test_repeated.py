"""Words and passages that were said twice, as they are asked of a second scorer."""

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from align.sequence.stretches import Stretch
from align.speech.text.checking.repeated import (
    ReadAgain,
    passages_read_again,
    said_again,
    without_first_copy,
)
from align.speech.text.parts import Part
from align.speech.text.reading.utterances import Utterance
from align.speech.text.rows import Piece, Row
from align.speech.text.text_part import TextPart
from align.speech.text.words import WordAligner
from align.speech.word_scores import Again
from align.types import Mismatch


def test_words_may_be_as_far_away_as_a_copy_with_its_pauses() -> None:
    """Half a minute may have been read again; more than that is something else."""
    asked: list[np.ndarray] = []
    scorer: Any = SimpleNamespace(
        can_score_words=True, said_again=lambda _, times: asked.append(times)
    )
    text: Any = SimpleNamespace(part=SimpleNamespace(second_scorer=scorer, seconds=60.0), ways=[])
    times = np.array([[30.0, 30.5], [31.0, 31.5]])
    for seconds, away in ((0.0, 0.0), (20.0, 25.0), (50.0, 0.0)):
        path: Any = SimpleNamespace(other_seconds=np.array([0.5 * seconds, 0.5 * seconds]))
        said_again(text, times, path)
        np.testing.assert_array_equal(asked[-1], times + np.array([-away, away]))


def test_words_that_were_said_once_in_front_of_two_copies_stay() -> None:
    """An scorer may take a pause between the copies for them."""
    said = [Row("a", float(k), 1.0, k, 0.9) for k in range(21)]
    rows = [*said, Row("spn", 21.0, 0.0, 21, 0.0)]
    rows += [Row("b", 1.0 + k, 1.0, k, 0.9) for k in range(22, 41)] + [Row("sil", 42.0, 1.0, -1)]
    unspoken = Mismatch("unspoken", 21.0, 21.5, ("once",), 0.9)
    unused: Any = None
    piece = Piece(rows, [unspoken], unused, unused)
    found = without_first_copy([piece], 0, Again(1, 21, 0.9), marked=False)
    assert found is not None
    assert [(row.label, row.start, row.word) for row in found[0].rows[1:5]] == [
        ("a", 1.0, 1),
        ("sil", 2.0, -1),
        ("b", 23.0, 2),
        ("b", 24.0, 3),
    ]
    assert found[0].mismatches == [Mismatch("untranscribed", 2.0, 23.0, (), 0.9)]


def piece(words: range, at: float, *mismatches: Mismatch) -> Piece:
    """Return a piece whose words take a second each, from some time on."""
    rows = [Row("a", at + k, 1.0, 7 + word) for k, word in enumerate(words)]
    unused: Any = None
    return Piece([*rows, Row("sil", at + len(rows), 1.0, -1)], list(mismatches), unused, unused)


def test_words_about_much_else_are_asked_for_in_both_copies() -> None:
    """Those before it may be behind it, and those behind it before."""
    asked_with: list[Any] = []

    def said_again(ways: Any, times: Any) -> Again:
        asked_with.append((ways, times))
        return Again(1, 4, 0.9)

    scorer = SimpleNamespace(can_score_words=True, said_again=said_again)
    model: Any = SimpleNamespace(second_scorer=lambda samples, rate: scorer)
    wording: Any = SimpleNamespace(ways=list)
    recording: Any = SimpleNamespace(
        rate=100, name="x", duration=80.0, between=lambda a, b: np.zeros(round(100 * (b - a)))
    )
    words = [f"w{k}" for k in range(40)]
    else_said = Mismatch("untranscribed", 22.0, 30.0, (), 0.9)
    found = [
        (Stretch(0, 21, 0.0, 20.5), piece(range(20), 0.0)),
        (Stretch(20, 31, 20.5, 44.0), piece(range(20, 30), 32.0, else_said)),
        (Stretch(30, 41, 44.0, 80.0), piece(range(30, 40), 45.0)),
    ]
    part = Part(model, recording, Utterance(" ".join(words)), (0.0, 80.0))
    text = TextPart(wording, part, words, 7)
    (one,) = passages_read_again(text, found)
    ways, times = asked_with[0]
    assert ways == words[12:28]  # ten seconds either side
    # in seconds of what is cut out, which begins with the first of them
    np.testing.assert_allclose(times[0], [0.0, 11.0])
    np.testing.assert_allclose(times[-1], [39.0 - 12.0 - 10.0, 40.0 - 12.0])
    assert (one.first, one.stop) == (0, 2)
    assert one.text.words == words[:30]
    assert one.text.part.span == (0.0, 44.0)
    assert one.again == Again(13, 16, 0.9)
    scorer.can_score_words = False
    assert not list(passages_read_again(text, found))
    assert not list(passages_read_again(text, found[1:2]))


def test_copies_within_copies_are_not_sought_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A passage may be read three times; each search asks for many stretches."""
    cut: list[Any] = []

    def align(text: TextPart, progress: Any) -> list[Any]:
        cut.append([*text.words])
        return [(None, piece(range(2), 0.0))]

    def always(text: TextPart, found: Any) -> Any:
        yield ReadAgain(0, 1, text, Again(0, 1, 0.9))

    monkeypatch.setattr("align.speech.text.words.passages_read_again", always)
    monkeypatch.setattr("align.speech.text.words.without_first_copy", lambda *_, **__: None)
    own: Any = SimpleNamespace(
        judging=True, repair=False, _cut=align, _with_loud_pauses=lambda pieces, part: pieces
    )
    own._stretches = partial(WordAligner._stretches, own)
    own._written_twice = partial(WordAligner._written_twice, own)
    unused: Any = None
    own._stretches(TextPart(unused, unused, ["a", "b"]), None)
    assert cut == [["a", "b"], ["a", "a", "b"], ["a", "a", "a", "b"]]
