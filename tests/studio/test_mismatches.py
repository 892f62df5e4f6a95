"""Which words and notes a mismatch is about, and when it is done with."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from align import MusicAlignment
from align.studio.document import Document
from align.studio.mismatches import is_done, later, named_mismatches
from align.studio.segment import Segment
from align.types import Mismatch, Note

ROWS = tuple(Segment(k, "k", 0.5 * k, word=10 + k) for k in range(6))
WORDS = dict(zip(range(10, 16), ["the", "kiwi", "and", "the", "kiwi", "ran"], strict=True))


def named(kind, start, end, *words):
    found = SimpleNamespace(mismatches=(Mismatch(kind, start, end, words, 0.7),))
    return named_mismatches(found, ROWS, WORDS)[0]


def test_words_that_come_twice_are_those_nearest_in_time():
    assert named("unspoken", 1.4, 1.5, "the", "kiwi")["of"] == [13, 14]
    assert named("unspoken", 0.1, 0.2, "the", "kiwi")["of"] == [10, 11]


def test_a_run_with_a_word_left_out_has_those_that_begin_in_it():
    assert named("misplaced", 0.5, 2.0, "kiwi", "the", "kiwi")["of"] == [11, 12, 13]


def test_a_passage_that_was_left_out_has_no_words_of_the_same_name_elsewhere():
    assert named("unspoken", 0.2, 0.2, "kiwi", "ran")["of"] == []
    assert named("unspoken", 2.6, 2.9, "and")["of"] == []


def test_a_word_that_was_not_said_may_stand_before_the_pause_that_is_named():
    rows = [replace(s, start=s.start + 4.0 * (s.word > 12)) for s in ROWS]
    told = SimpleNamespace(mismatches=(Mismatch("unspoken", 4.0, 5.5, ("and",), 0.7),))
    assert named_mismatches(told, rows, WORDS)[0]["of"] == [12]


def test_all_words_that_are_named_must_be_set():
    told = named("misplaced", 1.0, 3.0, "and", "the", "kiwi")
    rows = [replace(s, fixed=s.word != 13) for s in ROWS]
    assert not is_done(told, rows)
    assert is_done(told, [replace(s, fixed=True) for s in ROWS])


def test_what_is_not_in_the_text_is_done_by_what_begins_there():
    told = named("untranscribed", 1.0, 1.4)
    assert not is_done(told, ROWS)
    assert is_done(told, [replace(s, fixed=s.id == 2) for s in ROWS])
    assert not is_done({**told, "start": 1.1}, ROWS)


def test_a_passage_that_was_left_out_is_done_by_what_begins_around_it():
    told = named("unspoken", 1.2, 1.2, "ran", "off")
    assert told["of"] == []
    assert not is_done(told, [replace(s, fixed=s.id == 2) for s in ROWS])
    assert not is_done(told, [replace(s, fixed=s.id == 3) for s in ROWS])
    assert is_done(told, [replace(s, fixed=s.id in (2, 3)) for s in ROWS])
    assert is_done({**told, "start": 9.0, "end": 9.0}, [replace(s, fixed=True) for s in ROWS])
    assert not is_done(told, ())


def test_notes_that_are_marked_as_not_played_are_done():
    unplayed = Mismatch("unplayed", 0.1, 0.6, ("E4",), 0.9, notes=("n2",))
    found = MusicAlignment(
        [Note(60, 0.0), Note(64, 0.0)],
        [0.1, 0.1],
        duration=2.0,
        note_ids=("n1", "n2"),
        mismatches=(unplayed,),
    )
    document = Document.of(found)
    (told,) = document.mismatches
    assert told["of"] == [1]
    assert not is_done(told, document.segments)
    note = {**document.segments[1].note, "played": False}
    assert is_done(told, [document.segments[0], replace(document.segments[1], note=note)])


@pytest.mark.parametrize(("start", "end"), [(0.0, 0.0), (1.0, 1.5)])
def test_what_is_later_says_so(start, end):
    told = str(Mismatch("unspoken", start, end, ("the", "kiwi"), 0.98))
    found = later({"start": start, "end": end, "text": told}, 2.0)
    assert found["text"] == str(Mismatch("unspoken", start + 2, end + 2, ("the", "kiwi"), 0.98))
