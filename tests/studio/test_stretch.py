"""In a long recording an edit reaches some seconds, up to a pause, and no further."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from studio_documents import TrueDecoder, a_long_document

from align.errors import AlignError
from align.studio.edits import edited
from align.studio.stretch import changed_places, is_pause, stretch_about
from align.types import Mismatch

LONG = a_long_document()
NUMBERS = st.sampled_from([s.id for s in LONG.segments])


def starts(document):
    return {s.id: (s.label, s.start) for s in document.segments}


@given(st.integers(0, len(LONG.segments)), st.integers(0, 3))
def test_a_stretch_is_about_what_changed_and_ends_in_pauses(low, more):
    high = min(low + more, len(LONG.segments))
    first, stop, begin, end = stretch_about(LONG, low, high)
    rows = LONG.segments
    assert first <= low <= high <= stop
    assert begin == rows[first].start
    assert end == (rows[stop].start if stop < len(rows) else LONG.seconds)
    if first:
        assert first < low
        assert is_pause(rows[first].label)
        assert rows[low - 1].start - begin >= 4.0
    if stop < len(rows):
        assert stop > high
        assert is_pause(rows[stop - 1].label)
        assert end - rows[high].start >= 4.0
    assert end - begin <= 2 * (4.0 + 7.0) + 3.0  # a pause comes every seven seconds


def test_a_word_with_a_pause_within_it_is_not_cut_in_two():
    # every other phone is a pause within a word, so that there are no others to end in
    rows = tuple(
        replace(s, label="sil") if s.word is not None and k % 2 == 0 else s
        for k, s in enumerate(LONG.segments)
        if s.word is not None or k == 0
    )
    document = replace(LONG, segments=rows)
    for low in range(1, len(rows)):
        first, stop, *_ = stretch_about(document, low, low)
        for k in (first, stop):
            assert k in (0, len(rows)) or rows[k].word != rows[k - 1].word


def test_a_short_recording_is_one_stretch():
    from studio_documents import a_document

    assert stretch_about(a_document(), 3, 4) == (0, 6, 0.0, 2.0)


@given(NUMBERS, st.floats(-0.5, 0.5), st.sampled_from(["move", "split", "relabel", "delete"]))
def test_what_is_far_from_an_edit_stays_to_the_bit(number, by, do):
    at = LONG.segments[LONG.place(number)].start + by
    action = {"do": do, "tier": "phones", "id": number, "edge": "start", "to": at, "at": at}
    decoder = TrueDecoder()
    try:
        new = edited(LONG, {**action, "label": "x"}, decoder)
    except AlignError:
        return
    head, tail = changed_places(new.segments, LONG.segments)
    changed = LONG.segments[head : len(LONG.segments) - tail]
    assert all(abs(s.start - at) < 14.0 for s in changed)
    assert all(end - begin < 26.0 for begin, end in decoder.asked)
    times = [s.start for s in new.segments]
    assert times == sorted(set(times))
    assert new.end == LONG.end
    assert new.match == LONG.match


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("w17 ", "x y "),
        ("w17 ", ""),
        ("w17 ", "w17 x "),
        ("w0 ", "x "),
        (" w39", " w39 x"),
        ("w3 w4 w5 w6", "w3 x w6"),
        ("w30 w31", "w30 w30 w31"),
    ],
)
def test_another_text_is_aligned_again_about_what_is_another(old, new):
    decoder = TrueDecoder()
    found = edited(LONG, {"do": "text", "text": LONG.text.replace(old, new)}, decoder)
    assert found.text == LONG.text.replace(old, new).strip()
    assert all(end - begin < 30.0 for begin, end in decoder.asked)
    kept = [s for s in found.segments if s.id in starts(LONG)]
    assert len(kept) > 50
    assert all((s.label, s.start) == starts(LONG)[s.id] for s in kept)
    at = {s.label: s.start for s in LONG.segments if s.word is not None}
    same = {s.label: s.start for s in found.segments if s.label in at}
    assert len(same) >= len(at) - 8
    off = np.array([same[label] - at[label] for label in same])
    assert np.abs(off).max() < 0.7 if "w30" in old else np.abs(off).max() < 1e-9
    times = [s.start for s in found.segments]
    assert times == sorted(set(times))
    assert {s.word for s in found.segments} - {None} == set(found.words)


def test_a_mismatch_in_a_part_says_when_it_is_in_the_recording():
    class Doubting(TrueDecoder):
        def text(self, text, span=None):
            found = super().text(text, span)
            one = Mismatch("misplaced", 1.0, 2.0, ("x", "y", "z"), 0.8)
            told = {"label": one.label, "start": 1.0, "end": 2.0, "text": str(one)}
            return replace(found, mismatches=(told,))

    decoder = Doubting()
    found = edited(LONG, {"do": "text", "text": LONG.text.replace("w17 ", "x ")}, decoder)
    begin = decoder.asked[0][0]
    assert begin > 0.0
    (told,) = found.mismatches
    assert (told["start"], told["end"]) == (begin + 1.0, begin + 2.0)
    assert told["text"].startswith(f"from {begin + 1.0:.2f} to {begin + 2.0:.2f} s: 'x y z'")


def test_a_mismatch_in_a_part_names_the_words_of_the_recording():
    class Doubting(TrueDecoder):
        def text(self, text, span=None):
            found = super().text(text, span)
            one, after = [s for s in found.segments if s.word is not None][:2]
            about = {"label": "", "text": "", "of": [one.word]}
            span = {"start": one.start + 0.01, "end": after.start + 0.01}  # the next begins in it
            return replace(found, mismatches=({**about, **span},))

    decoder = Doubting()
    found = edited(LONG, {"do": "text", "text": LONG.text.replace("w17 ", "x ")}, decoder)
    (told,) = found.mismatches
    (word,) = told["of"]
    inside = [s for s in found.segments if s.word is not None and s.start >= decoder.asked[0][0]]
    assert word == inside[0].word
    assert word in LONG.words


def test_the_same_text_again_aligns_all_of_it_anew():
    decoder = TrueDecoder()
    found = edited(LONG, {"do": "text", "text": LONG.text}, decoder)
    assert decoder.asked == [(0.0, LONG.seconds)]
    assert not set(starts(found)) & set(starts(LONG))


def test_words_that_were_set_stay_set_where_the_text_beside_them_changes():
    row = LONG.segments[30]
    move = {"do": "move", "tier": "phones", "id": row.id, "edge": "start", "to": row.start + 0.1}
    moved = edited(LONG, move, TrueDecoder())
    text = moved.text.replace(moved.words[row.word], f"x {moved.words[row.word]}")
    found = edited(moved, {"do": "text", "text": text}, TrueDecoder())
    assert [(s.label, s.start) for s in found.segments if s.fixed] == [
        (row.label, pytest.approx(row.start + 0.1))
    ]
