"""What was found of each speaker, and what is told where words are unsure."""

import pytest

from align.speech.text.conversation import conversations_of
from align.speech.text.reading.utterances import Utterance
from align.speech.text.rows import Fit, Row
from align.speech.text.untimely import Said


def said(sure: float, n_words: int, *warnings: str) -> Said:
    rows = [Row("k", float(k), sure, k) for k in range(n_words)]
    rows = [half for row in rows for half in (row, row._replace(confidence=1.0))]
    (conversation,) = conversations_of([(Utterance("k " * n_words), ["k"] * n_words)])
    found = Said()
    found.add(conversation, [*rows, Row("sil", 9.0, 1.0, -1)], 0, [Fit(0.9, 9.0, warnings)])
    return found


def test_unsure_words_are_counted_by_how_they_begin() -> None:
    told = said(0.5, 8).unsure
    assert told is not None
    assert told.startswith("of 8 words probably only 4 begin within 20 ms")


@pytest.mark.parametrize(
    "found", [said(0.6, 8), said(0.5, 3), said(0.5, 8, "another text"), Said()]
)
def test_nothing_is_told(found: Said) -> None:
    """Of words that are sure, of very few, beside another warning, and of none."""
    assert found.unsure is None
