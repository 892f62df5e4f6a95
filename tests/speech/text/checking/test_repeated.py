"""Words that were said twice, as they are asked of a second scorer."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from align.speech.text.checking.repeated import said_again, without_first_copy
from align.speech.text.pieces import Piece
from align.speech.text.rows import Row
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
