"""What an alignment of music knows: notes, chords, the time map, tempo."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from music_examples import random_alignment

from align.errors import ParameterError
from align.formats.scores import Score
from align.results.alignment import Alignment
from align.results.chords import increasing
from align.results.music import MusicAlignment
from align.results.timing import Timing
from align.types import Note, PlayedPassage, pitch_name

NOTES = [Note(60, 0.0), Note(64, 0.0), Note(62, 0.5), Note(65, 1.0)]


def test_notes_and_onsets_are_enough() -> None:
    found = MusicAlignment(NOTES, [1.02, 0.98, 1.6, 2.2])
    assert found.chord_of.tolist() == [0, 0, 1, 2]
    np.testing.assert_allclose(found.chord_onsets, [1.0, 1.6, 2.2])
    np.testing.assert_allclose(found.chord_score_onsets, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(found.durations, 0.5)
    assert found.note_ids == ("n0", "n1", "n2", "n3")
    assert found.end == found.duration == pytest.approx(2.8)
    assert found.labels == ("60", "64", "62", "65")
    assert found.match is None
    assert found.warnings == ()
    assert isinstance(found, Timing)
    assert not isinstance(found, Alignment)


def test_notes_may_run_backwards_and_chords_overlap() -> None:
    found = MusicAlignment(NOTES, [1.5, 1.0, 0.9, 2.0], duration=3.0)
    assert found.onsets.tolist() == [1.5, 1.0, 0.9, 2.0]
    assert (np.diff(found.chord_onsets) > 0).all()
    found = MusicAlignment(NOTES, [3.0, 2.0, 1.0, 0.5], duration=4.0)  # all backwards
    assert (np.diff(found.chord_onsets) > 0).all()


def test_no_notes() -> None:
    empty = MusicAlignment([], [], duration=2.0)
    assert len(empty) == 0
    assert empty.intervals.shape == (0, 2)
    assert [part.size for part in empty.tempo()] == [0, 0, 0]
    assert "0 notes" in repr(empty)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"onsets": [1.0, 1.0]}, r"onsets.shape=\(2,\)"),
        ({"onsets": [1.0, 1.0, np.nan, 2.0]}, "onsets must be finite"),
        ({"onsets": [-0.1, 1.0, 1.0, 2.0]}, r"note 1 \(60\) begins at -0.1 s"),
        ({"duration": 1.5}, "must lie in"),
        ({"durations": [1.0, 1.0, -1.0, 1.0]}, "durations must be finite and not negative"),
        ({"note_ids": ("a", "b", "c", "a")}, "4 different names"),
        ({"note_ids": ("a",)}, "4 different names"),
        ({"match": 1.5}, "match=1.5"),
        ({"confidence": [2.0, 0, 0, 0]}, "confidence must lie"),
        ({"chord_of": [0, 0, 2, 3]}, "chord_of must hold"),
        ({"chord_of": [1, 1, 2, 3]}, "chord_of must hold"),
        ({"chord_of": [0, 0, 1]}, "chord_of must hold"),
        ({"chord_onsets": [1.0, 1.0, 2.0]}, "chord_onsets must be finite and increase"),
        ({"chord_onsets": [1.0, 2.0]}, "chord_onsets.shape"),
        ({"chord_score_onsets": [0.0, 0.0, 1.0]}, "chord_score_onsets must be"),
        ({"events": ["a", *NOTES[1:]]}, "event 1 is 'a', must be a Note"),
        ({"events": NOTES[::-1]}, "must not come before"),
        ({"events": [Note(60, np.nan), *NOTES[1:]]}, "score onsets must be finite"),
        ({"end": 99.0}, "end=99.0"),
    ],
)
def test_wrong_fields(change: dict[str, object], message: str) -> None:
    good = {"events": NOTES, "onsets": [1.0, 1.0, 1.5, 2.0], "duration": 4.0}
    MusicAlignment(**good)
    with pytest.raises(ParameterError, match=message):
        MusicAlignment(**{**good, **change})


def test_the_time_map_passes_through_the_chords_and_goes_on() -> None:
    found = MusicAlignment(NOTES, [1.0, 1.0, 1.6, 2.2], duration=5.0)
    np.testing.assert_allclose(found.to_performed([0.0, 0.25, 1.0, 2.0]), [1.0, 1.3, 2.2, 3.4])
    np.testing.assert_allclose(found.to_performed(-0.5), 0.4)
    np.testing.assert_allclose(found.offsets, [1.6, 1.6, 2.2, 2.8])
    one = MusicAlignment(NOTES[:1], [2.0])
    np.testing.assert_allclose(one.to_performed([0.0, 1.0]), [2.0, 3.0])


@given(st.integers(0, 100), st.lists(st.floats(-5, 30), min_size=1, max_size=20))
def test_the_inverse_map_undoes_it(seed: int, times: list[float]) -> None:
    found = random_alignment(seed)
    np.testing.assert_allclose(found.to_score(found.to_performed(times)), times, atol=1e-6)
    ordered = found.to_performed(np.sort(times))
    assert (np.diff(ordered) >= -1e-9).all()


def test_tempo_of_a_steady_performance_is_constant() -> None:
    notes = [Note(60, 0.5 * k) for k in range(10)]
    found = MusicAlignment(notes, 1.0 + 0.4 * np.arange(10))
    for window in (0.0, 0.1, 1.0, 100.0):
        times, score_times, relative = found.tempo(window)
        np.testing.assert_allclose(times, found.chord_onsets)
        np.testing.assert_allclose(score_times, found.chord_score_onsets)
        np.testing.assert_allclose(relative, 1.25)
    assert np.isnan(MusicAlignment(notes[:1], [1.0]).tempo()[2]).all()
    with pytest.raises(ParameterError, match="window=-1"):
        found.tempo(-1)


def test_tempo_is_the_slope_of_a_straight_line() -> None:
    found = random_alignment(3, 30)
    times, score, relative = found.tempo(1.5)
    for k in range(times.size):
        near = np.abs(times - times[k]) <= 1.5
        near[max(k - 1, 0) : k + 2] = True  # its neighbours, however far
        assert relative[k] == pytest.approx(np.polyfit(times[near], score[near], 1)[0])
    assert (relative > 0).all()


def test_from_a_score() -> None:
    score = Score.of([Note(64, 0.5), Note(60, 0.0)], path="a.mid")
    found = MusicAlignment.from_score(score, [1.0, 2.0], score=3.5)
    assert found.events == score.notes
    assert (found.score_file, found.score) == ("a.mid", 3.5)
    np.testing.assert_array_equal(found.durations, score.durations)


def test_corrected_times_drop_what_spoke_of_the_old_ones() -> None:
    found = random_alignment(1)
    moved = found.corrected(found.onsets + 0.1)
    assert moved.confidence is None
    assert moved.match is None
    assert moved.note_ids == found.note_ids
    np.testing.assert_allclose(moved.onsets, found.onsets + 0.1)


def test_equality_and_immutability() -> None:
    one, same = random_alignment(2), random_alignment(2)
    assert one == same
    assert one != random_alignment(3)
    assert one != same.corrected(same.onsets)
    assert one != Alignment(["a"], [0.0], duration=1.0)
    with pytest.raises(ValueError, match="read-only"):
        one.chord_onsets[0] = 5.0


def test_for_notebooks() -> None:
    many = MusicAlignment(
        [Note(60, float(k)) for k in range(250)],
        np.arange(250.0),
        match=0.1,
        warnings=("the score <may> be another",),
        note_ids=tuple(f"<{k}>" for k in range(250)),
    )
    page = many._repr_html_()
    assert "&lt;may&gt;" in page
    assert "<0>" not in page
    assert "C4" in page
    assert "50 more notes" in page


def test_there_are_no_methods_of_labels() -> None:
    """Notes overlap, which formats of labels cannot say."""
    for name in ("to_textgrid", "to_ctm", "to_phn", "to_lab"):
        assert hasattr(Alignment, name)
        assert not hasattr(MusicAlignment, name)


@pytest.mark.parametrize(
    ("pitch", "name"), [(21, "A0"), (60, "C4"), (61, "C#4"), (63, "Eb4"), (108, "C8"), (0, "C-1")]
)
def test_names_of_pitches(pitch: int, name: str) -> None:
    assert pitch_name(pitch) == name


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=30))
def test_increasing_times_are_the_nearest(times: list[float]) -> None:
    array = np.array(times)
    fitted = increasing(array)
    assert (np.diff(fitted) > 0).all()
    apart = np.diff(array) >= 1e-3
    if apart.all():
        np.testing.assert_allclose(fitted, array, atol=1e-12)
    assert abs(fitted.mean() - array.mean()) < 1e-9  # least squares keeps the mean


def test_a_part_of_a_score_is_what_has_confidence() -> None:
    # chords 4 to 7, then 2 to 6 once more, then 8 and 9: of 4 to 6 the second playing counts
    spans = [(0.0, 3.0, 4.0, 7.0), (4.0, 8.0, 2.0, 6.0), (20.0, 21.0, 8.0, 9.0)]
    played = dict(zip([2, 3, 4, 5, 6, 8, 9], [4.0, 5.0, 6.0, 7.0, 8.0, 20.0, 21.0], strict=True))
    notes = [Note(60 + k, float(k)) for k in range(11)]
    found = MusicAlignment(
        notes,
        [played.get(k, 14.0 if k == 7 else 0.0 if k < 2 else 21.0) for k in range(11)],
        confidence=[0.1 * k if k in played else 0.0 for k in range(11)],
        passages=tuple(PlayedPassage(*span) for span in spans),
    )
    held = found.held()
    assert held.note_ids == ("n2", "n3", "n4", "n5", "n6", "n8", "n9")
    assert held.chord_of.tolist() == [*range(7)]
    np.testing.assert_allclose(held.confidence, [0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9])
    assert found.passage_of.tolist() == [-1, -1, 1, 1, 1, 1, 1, -1, 2, 2, -1]
    np.testing.assert_allclose(found.tempo(99.0)[2], 1.0, atol=0.002)  # no jump is in it
    assert MusicAlignment(notes, found.onsets).held().onsets.size == 11
