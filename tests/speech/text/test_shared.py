"""Consonants that two words share, and where the words part."""

import pytest

from align.speech.text.rows import Row
from align.speech.text.shared import is_shared, with_shared_borders


@pytest.mark.parametrize("pair", ["m m", "s z", "t d", "l l", "x ç", "k ɡ"])
def test_consonants_of_one_kind_are_shared(pair: str) -> None:
    assert is_shared(*pair.split())


@pytest.mark.parametrize("pair", ["m n", "s ʃ͡t", "a a", "j j", "t͡s s", "ts ts", "t s", "ɾ ɾ"])
def test_others_are_not(pair: str) -> None:
    assert not is_shared(*pair.split())


def test_words_part_in_the_middle_of_what_they_share() -> None:
    labels, words = (
        ["sil", "a", "m", "m", "m", "s", "sil", "s", "s", "sil"],
        [*(-1, 0, 0, 1, 1, 1, -1, 2, 3, -1)],
    )
    rows = [Row(la, 0.1 * k, 0.5, w) for k, (la, w) in enumerate(zip(labels, words, strict=True))]
    rows[3] = rows[3]._replace(start=0.22, around=(0.21, 0.23))
    found = with_shared_borders(rows)
    assert found[3].start == pytest.approx(0.3)  # within a word, and across a pause, nothing moves
    assert found[3].around == (rows[2].start, rows[4].start)
    assert found[8].start == pytest.approx(0.8)
    assert [k for k in range(10) if found[k] != rows[k]] == [3]


def test_the_last_row_stays() -> None:
    rows = [Row("m", 0.1, 1.0, 0), Row("m", 0.15, 1.0, 1)]
    assert with_shared_borders(rows) == rows
