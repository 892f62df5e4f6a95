"""What all results have in common, and what is asked of it."""

from dataclasses import fields, replace

import numpy as np
import pytest

from align.errors import ParameterError
from align.evaluation.file_result import FileResult
from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.results.timing import Timing
from align.types import Example, Note

NOTES = (Note(60, 0.0), Note(64, 0.0), Note(67, 0.5))
LABELS = Alignment(["sil", "k", "iy"], [0.0, 0.1, 0.16], 0.5, 0.3, [0.9, 0.8, 0.7], 2.0, "a", 8000)
MUSIC = MusicAlignment(NOTES, [1.0, 1.1, 1.6], 3.0, 2.5, [0.9, 0.8, 0.7], 2.0, "a", 8000)


@pytest.mark.parametrize("found", [LABELS, MUSIC])
def test_fields_by_position(found: Timing) -> None:
    assert isinstance(found, Timing)
    assert found.confidence.tolist() == [0.9, 0.8, 0.7]
    assert (found.score, found.audio, found.rate) == (2.0, "a", 8000)
    assert (found.match, found.warnings) == (None, ())
    names = [each.name for each in fields(found) if not each.kw_only]
    order = ["events", "onsets", "duration", "end", "confidence", "score", "audio", "rate"]
    assert names[:8] == order


def test_what_readers_of_results_ask() -> None:
    assert (LABELS.kind, LABELS.unit, LABELS.ends_measured) == ("speech", "label", True)
    assert LABELS.names == LABELS.labels == ("sil", "k", "iy")
    assert LABELS.pitches is None
    assert LABELS.chord_of is None
    np.testing.assert_array_equal(LABELS.markers, LABELS.onsets)
    assert (MUSIC.kind, MUSIC.unit, MUSIC.ends_measured) == ("music", "note", False)
    assert MUSIC.names == ("C4", "E4", "G4")
    assert MUSIC.labels == ("60", "64", "67")
    assert MUSIC.pitches.tolist() == [60, 64, 67]
    assert MUSIC.chord_of.tolist() == [0, 0, 1]
    np.testing.assert_array_equal(MUSIC.markers, MUSIC.chord_onsets)


@pytest.mark.parametrize("found", [LABELS, MUSIC])
def test_a_match_and_warnings_of_any_result(found: Timing) -> None:
    other = replace(found, match=0.25, warnings=["do <not> rely on it."])
    assert other.match == 0.25
    assert other.warnings == ("do <not> rely on it.",)
    assert other != found
    assert replace(other, match=None, warnings=()) == found
    page = other._repr_html_()
    assert "match 0.25" in page
    assert "&lt;not&gt;" in page
    assert "match" not in found._repr_html_()
    for match in (-0.1, 1.1, float("nan")):
        with pytest.raises(ParameterError, match=r"match=.*, must lie in \[0, 1\]"):
            replace(found, match=match)


@pytest.mark.parametrize("found", [LABELS, MUSIC])
def test_results_are_equal_where_all_they_hold_is(found: Timing) -> None:
    assert found == replace(found)
    changes = {
        "onsets": found.onsets + 0.01,
        "duration": 4.0,
        "end": 0.4,
        "audio": None,
        "rate": 1,
    }
    changes |= {"confidence": None, "score": 1.0}
    for name, value in changes.items():
        if name != "end" or found is LABELS:
            assert found != replace(found, **{name: value})
    assert replace(found, confidence=None) == replace(found, confidence=None)
    assert found != "labels"


def test_kinds_are_never_equal() -> None:
    labels = Alignment(NOTES, MUSIC.onsets, 3.0, 2.5)
    music = MusicAlignment(NOTES, MUSIC.onsets, 3.0, 2.5)
    assert labels != music
    assert music != labels


class MyAlignment(Alignment):
    """A result of a user's own."""


def test_a_class_of_a_users_own_compares_as_what_it_is_built_on() -> None:
    own = MyAlignment(LABELS.events, LABELS.onsets, 0.5, 0.3)
    same = Alignment(LABELS.events, LABELS.onsets, 0.5, 0.3)
    assert own == same
    assert same == own


def test_a_row_of_a_report_from_any_result() -> None:
    example = Example("a.wav", LABELS.events, np.array([0.0, 0.11, 0.15]), group="x/ann", name="a")
    row = FileResult.of(example, LABELS, 0.1)
    assert row.labels == ("sil", "k", "iy")
    np.testing.assert_array_equal(row.predicted, LABELS.onsets)
    assert (row.seconds, row.elapsed, row.chord, row.collection) == (0.5, 0.1, None, "x")
    unknown = replace(example, onsets=np.array([0.0, np.nan, 0.15]))
    with pytest.raises(ParameterError, match="true onsets must be finite"):
        FileResult.of(unknown, LABELS)
    with pytest.raises(ParameterError, match="the alignment is of other notes"):
        FileResult.of(example, MUSIC)
    played = Example("a.wav", NOTES, np.array([1.0, np.nan, 1.5]))
    assert FileResult.of(played, MUSIC).labels == ("C4", "G4")
