"""The checks that all readers of labels share."""

import math

import numpy as np
import pytest

from align.errors import DataError
from align.formats.tiers.labels import OVERRUN, SLACK, make_labels


def test_contiguous_labels_pass_untouched():
    found = make_labels(["a", "b"], [(0.0, 0.1), (0.1, 0.3)], path="x.phn", lines=[1, 2])
    assert found.labels == ("a", "b")
    assert found.intervals.tolist() == [[0.0, 0.1], [0.1, 0.3]]
    assert (found.path, found.lines, found.duration) == ("x.phn", (1, 2), None)
    assert found.onsets.tolist() == [0.0, 0.1]
    assert found.end == 0.3
    assert len(found) == 2


def test_intervals_are_read_only():
    found = make_labels(["a"], [(0.0, 0.1)])
    with pytest.raises(ValueError, match="read-only"):
        found.intervals[0, 0] = 1


@pytest.mark.parametrize("slip", [SLACK * 0.99, -SLACK * 0.99])
def test_rounding_is_closed(slip):
    found = make_labels(["a", "b"], [(0.0, 0.1), (0.1 + slip, 0.3)])
    assert found.labels == ("a", "b")
    assert found.intervals[0, 1] == found.intervals[1, 0] == 0.1 + slip


def test_a_gap_is_silence():
    found = make_labels(
        ["a", "b"], [(0.0, 0.1), (0.15, 0.3)], lines=[4, 9], silence="<p:>", path="x"
    )
    assert found.labels == ("a", "<p:>", "b")
    assert found.intervals.tolist() == [[0.0, 0.1], [0.1, 0.15], [0.15, 0.3]]
    assert found.lines == (4, 9, 9)


def test_labels_without_text_are_silence():
    assert make_labels(["", " \t"], [(0, 1), (1, 2)]).labels == ("sil", "sil")
    assert make_labels([""], [(0, 1)], silence="").labels == ("",)


def test_lead_in_stays():
    assert make_labels(["a"], [(0.5, 1)]).intervals.tolist() == [[0.5, 1.0]]


def test_an_end_a_little_beyond_the_recording_is_clipped():
    found = make_labels(["a"], [(0.5, 1 + OVERRUN * 0.99)], duration=1.0)
    assert found.end == 1.0


def test_an_end_before_that_of_the_recording_stays():
    assert make_labels(["a"], [(0.5, 0.7)], duration=1.0).end == 0.7


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "has no labels; give at least one"),
        ([("a", math.nan, 1)], "the times of 'a' must be finite numbers"),
        ([("a", 0, math.inf)], "the times of 'a' must be finite numbers"),
        ([("a", -0.1, 1)], "'a' starts at -0.1 s, before the recording"),
        ([("a", 0.5, 0.5)], r"'a' has no length \(it starts and ends at 0.5 s\)"),
        ([("a", 0.5, 0.4)], "'a' ends at 0.4 s, before it starts at 0.5 s"),
        ([("a", 0.5, 0.6), ("b", 0.1, 0.2)], "'b' starts at 0.1 s, before 'a' at 0.5 s; put the"),
        ([("a", 0.5, 0.6), ("b", 0.55, 0.7)], "'b' starts at 0.55 s but overlaps 'a'"),
        ([("a", 0.5, 0.502), ("b", 0.5, 0.7)], "'b' starts at 0.5 s but overlaps 'a'"),
        ([("a", 0.5, 2.0)], r"'a' \(0.5 to 2 s\) lies beyond the end of the recording \(1 s\)"),
        ([("a", 0.5, 1), ("b", 1, 1.01)], r"'b' .* lies beyond the end of the recording"),
    ],
)
def test_impossible_times(rows, message):
    labels = [row[0] for row in rows]
    times = [(row[1], row[2]) for row in rows]
    with pytest.raises(DataError, match=message):
        make_labels(labels, times, duration=1.0)


def test_the_message_names_file_and_line():
    with pytest.raises(DataError, match=r"^x.phn, line 7: 'b' has no length") as caught:
        make_labels(["a", "b"], [(0, 1), (1, 1)], path="x.phn", lines=[3, 7])
    assert (caught.value.path, caught.value.line) == ("x.phn", 7)


def test_many_labels_stay_increasing_and_whole():
    rng = np.random.default_rng(0)
    cuts = np.cumsum(rng.uniform(0.01, 0.1, 200))
    slips = rng.uniform(-SLACK, SLACK, (199, 2)) / 2
    times = [(cuts[k], cuts[k + 1]) for k in range(199)]
    times = [(a + s, b + e) for (a, b), (s, e) in zip(times, slips, strict=True)]
    found = make_labels(["x"] * 199, times)
    assert len(found) == 199
    assert (found.intervals[1:, 0] == found.intervals[:-1, 1]).all()
    assert (np.diff(found.intervals, axis=1) > 0).all()
