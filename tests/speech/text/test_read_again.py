"""Passages of long recordings that were read twice, as they are asked of a second scorer."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from align.sequence.stretches import Stretch
from align.speech.text.parts import Part
from align.speech.text.pieces import Piece, TextPart
from align.speech.text.read_again import passages_read_again
from align.speech.text.reading.transcript import Utterance
from align.speech.text.rows import Row
from align.speech.word_scores import Again
from align.types import Mismatch


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
