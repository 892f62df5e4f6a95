"""Cutting long recordings at pauses, and putting the stretches together again."""

import numpy as np
import pytest

from align.errors import DataError
from align.features import Signal
from align.results.alignment import Alignment
from align.sequence.stretches import Cut, Stretch, aligned_stretches, cuts_at, joined_stretches


def test_each_cut_is_in_the_longest_pause_that_suits():
    begins = np.arange(10.0, 200.0, 10.0)
    lengths = np.full(19, 0.3)
    lengths[[2, 6, 10]] = 0.8
    cuts = cuts_at(begins, begins + lengths, range(1, 20), 205.0, 0.005)
    assert {3, 7, 11} <= {cut.event for cut in cuts}
    edges = np.array([0.0, *(cut.time for cut in cuts), 205.0])
    assert np.diff(edges).min() >= 15.0
    assert np.diff(edges).max() <= 45.0
    assert all(abs(cut.time / 0.005 - round(cut.time / 0.005)) < 1e-6 for cut in cuts)


def test_short_pauses_are_not_cut():
    begins = np.arange(10.0, 200.0, 10.0)
    assert cuts_at(begins, begins + 0.1, range(19), 205.0, 0.005) == []


def place(stretch):
    """Return what is said in a stretch: all of it but 0.1 s at either end."""
    return 0.1, stretch.end - stretch.begin - 0.1


def test_a_cut_through_speech_is_taken_away():
    seen = []

    def align(stretch):
        seen.append(stretch)
        begin, end = place(stretch)
        return (0.01, end) if stretch.begin == 20.0 else (begin, end)

    cuts = [Cut(3, 10.0), Cut(6, 20.0), Cut(9, 30.0)]
    found = aligned_stretches(cuts, 12, 40.0, align, lambda found: found)
    assert [stretch for stretch, _ in found] == [
        Stretch(0, 4, 0.0, 10.0),
        Stretch(3, 10, 10.0, 30.0),
        Stretch(9, 12, 30.0, 40.0),
    ]
    assert len(seen) == 5  # four, and the two either side of the wrong cut as one


def test_what_does_not_fit_is_aligned_with_its_neighbours():
    def align(stretch):
        if stretch.end - stretch.begin < 15.0 and stretch.first == 3:
            raise DataError("7 events do not fit.")
        return place(stretch)

    cuts = [Cut(3, 10.0), Cut(6, 20.0), Cut(9, 30.0)]
    found = aligned_stretches(cuts, 12, 40.0, align, lambda found: found)
    assert [stretch for stretch, _ in found] == [
        Stretch(0, 10, 0.0, 30.0),
        Stretch(9, 12, 30.0, 40.0),
    ]


def test_an_error_of_everything_together_is_raised():
    def align(stretch):
        raise DataError("12 events do not fit.")

    with pytest.raises(DataError, match="12 events do not fit"):
        aligned_stretches([Cut(3, 10.0)], 12, 40.0, align, lambda found: found)


def test_shared_pauses_are_joined():
    signal = Signal(np.zeros(32000, dtype=np.float32), 16000)
    one = Alignment(["a", "sil"], [0.0, 0.7], 1.0, match=0.5, score=1.0, warnings=("low.",))
    two = Alignment(["sil", "b"], [0.0, 0.2], 1.0, match=1.0, score=2.0)
    parts = [(Stretch(0, 2, 0.0, 1.0), one), (Stretch(1, 3, 1.0, 2.0), two)]
    whole = joined_stretches(parts, ("a", "sil", "b"), signal, None)
    assert whole.onsets.tolist() == pytest.approx([0.0, 0.7, 1.2])
    assert (whole.duration, whole.end, whole.match, whole.score) == (2.0, 2.0, 0.75, 3.0)
    assert whole.warnings == ("from 0.0 to 1.0 s: low.",)
    assert whole.confidence is None
