"""A score as it is written, and as it is played along a way."""

import numpy as np
import pytest

from align.formats.scores import folded
from align.formats.scores.beats import Bar
from align.formats.scores.folded import Folded, FoldedNote
from align.formats.scores.note_rows import NoteRow


def of(*notes: tuple[float, float, int]) -> Folded:
    """Return a score of two bars of four quarters, of which those of the second are slower."""
    rows = [FoldedNote(on, off, NoteRow(0.0, pitch, 0.0, str(pitch))) for on, off, pitch in notes]
    bars = [Bar(0.0, 4.0, 4.0, 1), Bar(4.0, 8.0, 4.0, 2)]
    return Folded(rows, bars, lambda quarters: np.interp(quarters, [0, 4, 8], [0.0, 2.0, 6.0]))


def test_a_stretch_that_comes_again_has_its_tempo_again() -> None:
    rows, beats = of((0, 4, 60), (4, 8, 62)).along([(0.0, 8.0), (0.0, 8.0)])
    assert [(r.onset, r.pitch, r.duration, r.id) for r in rows] == [
        (0.0, 60, 2.0, "60-1"),
        (2.0, 62, 4.0, "62-1"),
        (6.0, 60, 2.0, "60-2"),
        (8.0, 62, 4.0, "62-2"),
    ]
    assert beats is not None
    assert beats.times.tolist() == [0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 6.5, 7, 7.5, 8, 9, 10, 11, 12]
    assert beats.bars.tolist() == [1] * 4 + [2] * 4 + [1] * 4 + [2] * 4 + [3]


def test_repeats_within_bars() -> None:
    rows, beats = of((0, 2, 60), (2, 4, 62), (6, 8, 64)).along(
        [(0.0, 2.0), (0.0, 2.0), (2.0, 8.0)]
    )
    assert [(r.onset, r.pitch) for r in rows] == [(0.0, 60), (1.0, 60), (2.0, 62), (5.0, 64)]
    assert beats is not None
    bars, places = beats.at([row.onset for row in rows])
    assert (bars.tolist(), places.tolist()) == ([1, 1, 1, 2], [1, 1, 3, 3])


def test_what_is_held_is_struck_only_where_nothing_holds_it() -> None:
    score = of((0, 6, 60), (4, 5, 62))
    onward, _ = score.along([(0.0, 4.0), (4.0, 8.0)])
    assert [(r.onset, r.pitch) for r in onward] == [(0.0, 60), (2.0, 62)]
    back, _ = score.along([(0.0, 4.0), (4.0, 8.0), (4.0, 8.0)])
    assert [(r.onset, r.pitch, r.duration) for r in back if r.id == "60-2"] == [(6.0, 60, 2.0)]
    again, _ = of((0, 6, 60), (7, 9, 60)).along([(0.0, 4.0), (4.0, 8.0), (4.0, 8.0)])
    assert [r.onset for r in again] == [0.0, 5.0, 9.0]  # held by the second note


def test_no_score_is_played_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folded, "_MOST_NOTES", 10)
    with pytest.raises(ValueError, match="more than 10 notes"):
        of((0, 1, 60)).along([(0.0, 8.0)] * 11)
    assert of((0, 1, 60)).along([]) == ([], None)
