"""Edits: what is fixed stays, tiers stay consistent, and what is not possible is said."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from studio_documents import SECONDS, EvenDecoder, a_document

from align import Alignment, Note
from align.errors import AlignError, ParameterError
from align.results.music import MusicAlignment
from align.speech.text.tiers import SpeakerTiers, TextAlignment
from align.studio.document import Document
from align.studio.edits import edited
from align.types import Mismatch, PlayedPassage


def edit(document, do, **about):
    return edited(document, {"do": do, **about}, EvenDecoder())


def starts(document):
    return [segment.start for segment in document.segments]


def labels(document, tier="phones"):
    tiers = {one["name"]: one["intervals"] for one in document.tiers()}
    return [row["label"] for row in tiers[tier]]


TIERS = st.sampled_from(["words", "phones"])
IDS = st.integers(0, 24)
TIMES = st.floats(0.001, 1.999)
NAMES = st.sampled_from(["aa", "sil", "m", ""])
ACTIONS = st.one_of(
    st.fixed_dictionaries(
        {
            "do": st.just("move"),
            "tier": TIERS,
            "id": IDS,
            "edge": st.sampled_from(["start", "end"]),
            "to": TIMES,
        }
    ),
    st.fixed_dictionaries({"do": st.just("insert"), "at": TIMES, "label": NAMES}),
    st.fixed_dictionaries({"do": st.sampled_from(["delete", "merge"]), "tier": TIERS, "id": IDS}),
    st.fixed_dictionaries({"do": st.just("split"), "tier": TIERS, "id": IDS, "at": TIMES}),
    st.fixed_dictionaries({"do": st.just("relabel"), "tier": TIERS, "id": IDS, "label": NAMES}),
    st.fixed_dictionaries({"do": st.just("text"), "text": st.sampled_from(["key we", "we", "a"])}),
)


@given(st.lists(ACTIONS, max_size=12))
def test_whatever_is_done_tiers_are_consistent_and_what_is_fixed_stays(actions):
    document = a_document()
    for action in actions:
        try:
            new = edited(document, action, EvenDecoder())
        except AlignError:
            continue
        before = {s.id: s.start for s in document.segments if s.fixed}
        after = {s.id: s for s in new.segments}
        for number, start in before.items():
            moved = action["do"] == "move"
            if number in after and after[number].fixed and not moved:
                assert after[number].start == start
        times = starts(new)
        assert times == sorted(set(times))
        assert times[0] == 0
        numbers = [s.id for s in new.segments] + list(new.words)
        assert len(numbers) == len(set(numbers))
        assert max(numbers) < new.next_id
        tiers = {tier["name"]: tier["intervals"] for tier in new.tiers()}
        edges = {row["start"] for row in tiers["phones"]} | {SECONDS}
        for rows in tiers.values():
            assert [r["end"] for r in rows[:-1]] == [r["start"] for r in rows[1:]]
            assert {r["start"] for r in rows} | {r["end"] for r in rows} <= edges
        placed = [s.word for s in new.segments if s.word is not None]
        assert set(placed) == set(new.words)
        runs = [w for k, w in enumerate(placed) if k == 0 or w != placed[k - 1]]
        assert len(runs) == len(set(runs))  # no word is torn apart
        new.alignment("a.wav")
        change = json.loads(json.dumps(document.change_to(new)))
        assert document.changed(change) == new  # what the journal holds
        document = new


def test_before_a_first_word_that_was_set_to_begin_later_another_text_has_a_pause():
    document = edit(a_document(), "insert", at=0.125, label="aa")
    assert labels(document, "words") == ["sil", "key", "sil", "we"]
    document = edit(document, "text", text="key we")
    assert labels(document) == ["sil", "key0", "key1", "we0", "we1"]
    assert starts(document)[:2] == [0, 0.125]
    assert len({s.id for s in document.segments}) == 5
    assert max(s.id for s in document.segments) < document.next_id


def test_a_move_is_kept_exactly_and_the_rest_is_decoded_around_it():
    document = edit(a_document(), "move", tier="phones", id=2, edge="start", to=1.0)
    assert starts(document)[2] == 1.0
    assert starts(document) == pytest.approx([0, 0.5, 1.0, 1.25, 1.5, 1.75])
    assert [s.fixed for s in document.segments] == [False, False, True, False, False, False]
    document = edit(document, "move", tier="phones", id=1, edge="start", to=0.9)
    assert starts(document)[1:3] == [0.9, 1.0]


def test_the_end_of_a_word_is_the_start_of_what_follows_it():
    by_word = edit(a_document(), "move", tier="words", id=10, edge="end", to=0.8)
    by_phone = edit(a_document(), "move", tier="phones", id=3, edge="start", to=0.8)
    by_pause = edit(a_document(), "move", tier="words", id=3, edge="start", to=0.8)
    assert by_word == by_phone == by_pause


def test_a_boundary_does_not_pass_one_that_is_set():
    document = edit(a_document(), "move", tier="phones", id=2, edge="start", to=1.0)
    with pytest.raises(ParameterError, match=r"between 1.000 and 2.000 s, where you have set"):
        edit(document, "move", tier="phones", id=4, edge="start", to=0.9)


def test_a_phone_in_a_pause_belongs_to_the_word_behind_it():
    document = edit(a_document(), "insert", at=0.8, label="ah")
    assert labels(document) == ["sil", "k", "iy", "sil", "ah", "w", "iy"]
    assert labels(document, "words") == ["sil", "key", "sil", "we"]
    assert document.segments[4].start == 0.8
    assert document.segments[4].word == 11


def test_a_pause_at_the_edge_of_a_word_is_outside_and_one_within_is_inside():
    document = edit(a_document(), "insert", at=0.7, label="sil")
    assert labels(document, "words") == ["sil", "key", "sil", "sil", "we"]
    document = edit(a_document(), "insert", at=0.4, label="")
    assert labels(document, "words") == ["sil", "key", "sil", "we"]
    assert labels(document)[:4] == ["sil", "k", "sil", "iy"]


def test_deleting_a_word_leaves_one_pause():
    document = edit(a_document(), "delete", tier="words", id=10)
    assert labels(document) == ["sil", "w", "iy"]
    assert document.words == {11: "we"}
    assert document.text == "we"


def test_deleting_the_last_phone_of_a_word_deletes_the_word():
    document = edit(a_document(), "delete", tier="phones", id=1)
    document = edit(document, "delete", tier="phones", id=2)
    assert labels(document, "words") == ["sil", "we"]


def test_splitting_and_merging_are_each_others_inverse():
    split = edit(a_document(), "split", tier="phones", id=2, at=0.6)
    assert labels(split) == ["sil", "k", "iy", "iy", "sil", "w", "iy"]
    assert labels(edit(split, "merge", tier="phones", id=2)) == labels(a_document())
    words = edit(a_document(), "split", tier="words", id=10, at=0.55)
    assert labels(words, "words") == ["sil", "key", "key", "sil", "we"]
    assert starts(words) == starts(a_document())
    merged = edit(words, "merge", tier="words", id=10)
    assert labels(merged, "words") == ["sil", "key key", "sil", "we"]


def test_words_that_stay_in_another_text_begin_where_they_were_set_to():
    document = edit(a_document(), "move", tier="words", id=11, edge="start", to=1.3)
    new = edit(document, "text", text="a key we")
    rows = {row["label"]: row for row in new.tiers()[0]["intervals"]}
    assert rows["we"]["start"] == 1.3
    assert rows["we"]["fixed"]
    assert not rows["key"]["fixed"]


def test_words_that_stay_in_another_text_keep_what_was_changed_in_them():
    """A typo in one word was mended, and all others were as found again."""
    document = edit(a_document(), "relabel", tier="phones", id=1, label="g")
    document = edit(document, "move", tier="words", id=10, edge="end", to=0.7)
    document = edit(document, "merge", tier="words", id=10)
    kept = [(s.label, s.start) for s in document.segments if s.fixed]
    assert kept == [("sil", 0.7)]
    for text in ("key we a", "a key we"):
        new = edit(document, "text", text=text)
        assert "key we" in labels(new, "words")
        spoken = [label for label in labels(new) if label not in ("a0", "a1")]
        assert spoken[-5:] == labels(document)[-5:] == ["g", "iy", "sil", "w", "iy"]
        assert [(s.label, s.start) for s in new.segments if s.fixed] == kept
    document = edit(a_document(), "move", tier="words", id=10, edge="end", to=0.7)
    new = edit(document, "text", text="key they")
    assert [(s.label, s.start) for s in new.segments if s.fixed] == [("sil", 0.7)]
    assert labels(new) == ["sil", "k", "iy", "sil", "they0", "they1"]


def test_a_pause_that_was_split_stays_so_while_something_else_is_edited():
    document = edit(a_document(), "split", tier="phones", id=3, at=0.9)
    for about in (
        {"do": "relabel", "tier": "phones", "id": 1, "label": "g"},
        {"do": "delete", "tier": "phones", "id": 2},
        {"do": "text", "text": "key we a"},
    ):
        new = edited(document, about, EvenDecoder())
        assert (0.9, True) in [(s.start, s.fixed) for s in new.segments]


def test_a_word_that_is_relabelled_as_a_pause_is_one():
    document = edit(a_document(), "relabel", tier="words", id=10, label="")
    assert (labels(document, "words"), document.text) == (["sil", "we"], "we")


def test_relabelling_a_word_moves_nothing():
    document = edit(a_document(), "relabel", tier="words", id=10, label="quay")
    assert document.text == "quay we"
    assert document.segments == a_document().segments


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("jump", "action='jump', must be a mapping"),
        ({"do": "jump"}, "do='jump', must be one of move"),
        ({"do": "unplayed", "id": 1}, "only notes"),
        ({"do": "move", "tier": "tones", "id": 1}, "tier='tones', must be one of words, phones"),
        ({"do": "delete", "tier": "phones", "id": 77}, "id=77 is none of tier 'phones'"),
        ({"do": "delete", "tier": "words", "id": 1}, "id=1 is none of tier 'words'"),
        ({"do": "move", "tier": "phones", "id": 1, "edge": "top", "to": 0.3}, "edge='top'"),
        ({"do": "move", "tier": "phones", "id": 1, "edge": "start", "to": "x"}, "to='x', must be"),
        ({"do": "move", "tier": "phones", "id": 1, "edge": "start", "to": 9.0}, "to=9 s, must be"),
        ({"do": "move", "tier": "phones", "id": 0, "edge": "start", "to": 0.1}, "the ends of"),
        ({"do": "split", "tier": "phones", "id": 1, "at": 1.0}, "between 0.250 and 0.500 s"),
        ({"do": "merge", "tier": "phones", "id": 5}, "nothing follows"),
        ({"do": "insert", "tier": "words", "at": 0.1, "label": "a"}, "by editing the text"),
        ({"do": "text", "text": " "}, "must hold at least one word"),
    ],
)
def test_what_is_not_possible_is_said(action, message):
    with pytest.raises(ParameterError, match=message):
        edited(a_document(), action, EvenDecoder())


def test_what_an_alignment_warns_of_is_kept_through_edits_and_in_the_journal():
    extra = Mismatch("unwritten", 1.0, 1.5, (), 0.9)
    told = ("the recording sounds 3 semitones higher than the score.", f"{extra}.")
    notes = [Note(60, 0.0), Note(64, 0.0), Note(67, 1.0)]
    found = MusicAlignment(
        notes, [0.1, 0.1, 0.6], duration=2.0, mismatches=(extra,), warnings=told
    )
    document = Document.of(found)
    assert document.warnings == told[:1]  # a mismatch is listed with its place
    moved = edit(document, "move", tier="notes", id=1, edge="start", to=0.2)
    assert moved.warnings == told[:1]
    assert Document.from_json(json.loads(json.dumps(moved.to_json()))).warnings == told[:1]
    earlier = {k: v for k, v in moved.to_json().items() if k != "warnings"}
    assert Document.from_json(earlier).warnings == ()


def test_speakers_who_share_a_tier_are_told():
    def tiers(start):
        said = Alignment(["sil", "oh", "sil"], [0.0, start, start + 0.4], 2.0)
        return SpeakerTiers(said, said, np.array([0, 1, 2]))

    ann, bob = tiers(0.5), tiers(1.2)
    both = Document.of(TextAlignment({"Ann": ann, "Bob": bob}))
    assert both.warnings[0].startswith("Ann, Bob share one tier here")
    assert Document.of(TextAlignment({"Ann": ann})).warnings == ()


def test_notes_move_alone_and_can_be_marked_as_not_played():
    notes = [Note(60, 0.0), Note(64, 0.0), Note(62, 0.5)]
    document = Document.of(MusicAlignment(notes, [0.1, 0.1, 0.6], duration=2.0))
    moved = edit(document, "move", tier="notes", id=1, edge="start", to=0.2)
    assert starts(moved) == [0.1, 0.2, 0.6]
    assert moved.tiers()[0]["intervals"][1]["fixed"]
    unplayed = edit(moved, "unplayed", id=0)
    assert len(unplayed.alignment("a.wav")) == 2
    assert [r["played"] for r in unplayed.tiers()[0]["intervals"]] == [False, True, True]
    assert edit(unplayed, "unplayed", id=0) == moved


def test_notes_outside_the_passages_that_are_played_teach_nothing():
    notes = [Note(60, 0.0), Note(62, 0.5), Note(64, 1.0)]
    part = (PlayedPassage(0.1, 0.6, 0.5, 1.0),)
    sure = [0.0, 0.9, 0.9]
    found = MusicAlignment(notes, [0.0, 0.1, 0.6], 2.0, confidence=sure, passages=part)
    document = Document.of(found)
    onsets = document.example("a.wav", None, "a").onsets
    assert np.isnan(onsets).tolist() == [True, False, False]
    with pytest.raises(ParameterError, match="those of the score"):
        edit(document, "insert", at=0.1, label="60")
