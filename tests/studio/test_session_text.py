"""A session of recordings with texts: the phones of words are found as they are said."""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile
from kiwi_text import KIWI, TEXT

from align import DataError, ParameterError, Session
from align.speech.text import split_words


@pytest.fixture
def session(tmp_path):
    (tmp_path / "in").mkdir()
    shutil.copy(KIWI, tmp_path / "in" / "kiwi.flac")
    (tmp_path / "in" / "kiwi.txt").write_text(TEXT, encoding="utf-8")
    with Session("speech-en", tmp_path / "in", tmp_path / "out") as session:
        yield session


def phones(view):
    return {row["id"]: (row["label"], row["start"]) for row in view["tiers"][1]["intervals"]}


def test_an_edit_moves_what_is_near_it_and_nothing_else(session):
    view = session.view("kiwi")
    before, row = phones(view), view["tiers"][1]["intervals"][20]
    to = row["start"] + 0.01
    move = {"do": "move", "tier": "phones", "id": row["id"], "edge": "start", "to": to}
    after = phones(session.edit("kiwi", move, revision=view["revision"]))
    moved = [number for number, found in after.items() if found != before[number]]
    assert after[row["id"]] == (row["label"], to)
    places = list(before)
    assert all(abs(places.index(number) - 20) <= 2 for number in moved)
    view = session.view("kiwi")
    other = {"do": "relabel", "tier": "phones", "id": places[5], "label": "ah"}
    changed = phones(session.edit("kiwi", other, revision=view["revision"]))
    assert [n for n in places[9:] if changed[n] != after[n]] == []


def test_what_is_confirmed_as_it_was_shown_has_no_mistakes(session):
    view = session.view("kiwi")
    session.confirm("kiwi", revision=view["revision"])
    judged = session.learn()["judged"]
    assert judged["of"] == len(phones(view)) - 1
    assert (judged["now"], judged["fixed_model"]) == (0, 0)


def test_what_was_moved_is_a_mistake_of_the_model(session):
    view = session.view("kiwi")
    for k in (8, 16):
        row = view["tiers"][1]["intervals"][k]
        to = row["start"] - 0.025
        move = {"do": "move", "tier": "phones", "id": row["id"], "edge": "start", "to": to}
        view = session.edit("kiwi", move, revision=view["revision"])
    session.confirm("kiwi", revision=view["revision"])
    assert 2 <= session.learn()["judged"]["fixed_model"] <= 4


def test_in_a_long_recording_only_what_is_near_is_aligned_again(tmp_path):
    samples, rate = soundfile.read(KIWI, dtype="float32")
    (tmp_path / "in").mkdir()
    soundfile.write(tmp_path / "in" / "long.wav", np.tile(samples, 8), rate)
    text = " ".join([TEXT] * 8)
    (tmp_path / "in" / "long.txt").write_text(text, encoding="utf-8")
    with Session("speech-en", tmp_path / "in", tmp_path / "out") as session:
        view = session.view("long")
        before, rows = phones(view), view["tiers"][1]["intervals"]
        row = rows[len(rows) // 2]
        to = row["start"] + 0.01
        move = {"do": "move", "tier": "phones", "id": row["id"], "edge": "start", "to": to}
        view = session.edit("long", move, revision=view["revision"])
        moved = [number for number, found in phones(view).items() if found != before[number]]
        assert row["id"] in moved
        assert len(moved) <= 4
        lines = (tmp_path / "out" / "studio" / "journal.jsonl").read_bytes().splitlines()
        assert len(lines[-1]) > 20_000  # the whole, once
        kept, told = phones(view), view["text"].split()
        middle = len(told) // 2
        told.insert(middle, "green")
        other = {"do": "text", "text": " ".join(told)}
        view = session.edit("long", other, revision=view["revision"])
        assert view["text"].split() == told
        new = [number for number in phones(view) if number not in kept]
        assert len(new) < 60  # of some 500
        assert all(found == kept[n] for n, found in phones(view).items() if n in kept)
        lines = (tmp_path / "out" / "studio" / "journal.jsonl").read_bytes().splitlines()
        assert len(lines[-1]) < 8_000
        last = view
    with Session("speech-en", tmp_path / "in", tmp_path / "out") as session:
        view = session.view("long")
        assert (view["tiers"], view["text"]) == (last["tiers"], last["text"])


def test_a_text_that_was_changed_after_a_correction_is_told(session, tmp_path):
    """It stays as it was corrected; that the new text had no effect was not said."""
    view = session.view("kiwi")
    view = session.confirm("kiwi", revision=view["revision"])
    text = tmp_path / "in" / "kiwi.txt"

    def opened():
        session.close()
        return Session("speech-en", tmp_path / "in", tmp_path / "out")

    with opened() as later:
        assert later.outdated == []
    text.write_text("Well " + TEXT, encoding="utf-8")
    with opened() as later:
        assert later.outdated == ["kiwi"]
        assert later.view("kiwi")["tiers"] == view["tiers"]
        later.confirm("kiwi", revision=view["revision"])  # as it is
    with opened() as later:
        assert later.outdated == []
    text.unlink()
    (tmp_path / "in" / "kiwi.lab").write_text(TEXT, encoding="utf-8")
    with opened() as later:
        assert later.outdated == ["kiwi"]


def test_what_another_person_corrected_keeps_its_words(session, tmp_path):
    """A session took the phones of a file, and lost the words above them."""
    view = session.view("kiwi")
    row = view["tiers"][1]["intervals"][8]
    move = {"do": "move", "tier": "phones", "id": row["id"], "edge": "start"}
    view = session.edit("kiwi", {**move, "to": row["start"] - 0.02}, revision=view["revision"])
    theirs = session.confirm("kiwi", revision=view["revision"])
    file = tmp_path / "out" / "kiwi.TextGrid"
    with Session("speech-en", tmp_path / "in", tmp_path / "mine") as mine:
        mine.correct("kiwi", file)
        taken = mine.view("kiwi")
        assert (taken["state"], taken["text"]) == ("confirmed", theirs["text"])
        for own, other in zip(taken["tiers"], theirs["tiers"], strict=True):
            for a, b in zip(own["intervals"], other["intervals"], strict=True):
                assert a["label"] == b["label"]
                assert a["start"] == pytest.approx(b["start"], abs=1e-6)
        assert (tmp_path / "mine" / "kiwi.TextGrid").read_bytes() == file.read_bytes()
        grid = file.read_text().replace('"fox"', '""').replace('"brown"', '"brown fox"', 1)
        odd = tmp_path / "odd.TextGrid"
        odd.write_text(grid)
        mine.correct("kiwi", odd)  # a word that was written over its neighbour
        assert "brown fox" in mine.view("kiwi")["text"]


def test_another_recording_of_the_same_size_is_told_and_one_that_is_gone(session, tmp_path):
    """Trials of an experiment are often of one length."""
    wav = tmp_path / "in" / "kiwi.wav"
    sound, rate = soundfile.read(KIWI)
    soundfile.write(wav, sound, rate)
    (tmp_path / "in" / "kiwi.flac").unlink()

    def opened():
        session.close()
        return Session("speech-en", tmp_path / "in", tmp_path / "out")

    with opened() as first:
        first.confirm("kiwi", revision=first.view("kiwi")["revision"])
    with opened() as later:
        assert (later.outdated, later.missing) == ([], [])
    soundfile.write(wav, sound[::-1], rate)
    with opened() as later:
        assert later.outdated == ["kiwi"]
    for suffix in (".wav", ".txt"):
        (tmp_path / "in" / f"kiwi{suffix}").rename(tmp_path / "in" / f"bird{suffix}")
    with opened() as later:
        assert (later.outdated, later.missing) == ([], ["kiwi"])
        assert later.names == ["bird"]
    for suffix in (".wav", ".txt"):
        (tmp_path / "in" / f"bird{suffix}").rename(tmp_path / "in" / f"kiwi{suffix}")
    journal = tmp_path / "out" / "studio" / "journal.jsonl"
    entry = json.loads(journal.read_text().splitlines()[-1])
    known = " ".join(entry["files"].split()[:2])
    journal.write_text(journal.read_text().replace(entry["files"], known))
    with opened() as later:  # sessions before had no fingerprint of the sound
        assert (later.outdated, later.missing) == ([], [])


def test_a_mismatch_goes_when_a_person_has_looked_at_it(tmp_path):
    (tmp_path / "in").mkdir()
    shutil.copy(KIWI, tmp_path / "in" / "kiwi.flac")
    text = TEXT.replace("brown fox", "brown purple fox")
    (tmp_path / "in" / "kiwi.txt").write_text(text, encoding="utf-8")
    with Session("speech-en", tmp_path / "in", tmp_path / "out") as session:
        view = session.view("kiwi")
        (told,) = view["mismatches"]
        assert told["label"] == "unspoken: purple"
        (row,) = [row for row in view["tiers"][0]["intervals"] if row["label"] == "purple"]
        assert told["of"] == [row["id"]]
        move = {"do": "move", "tier": "words", "id": row["id"], "edge": "start"}
        to = row["start"] - 0.005
        moved = session.edit("kiwi", {**move, "to": to}, revision=view["revision"])
        assert moved["mismatches"] == []
        view = session.undo("kiwi", revision=moved["revision"])
        assert view["mismatches"] == [told]
        view = session.confirm("kiwi", revision=view["revision"])
        assert view["mismatches"] == []
        view = session.undo("kiwi", revision=view["revision"])
        assert view["mismatches"] == [told]
        delete = {"do": "delete", "tier": "words", "id": row["id"]}
        assert session.edit("kiwi", delete, revision=view["revision"])["mismatches"] == []


def test_a_recording_without_text_is_given_one(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("empty", "missing"):
        shutil.copy(KIWI, tmp_path / "in" / f"{name}.flac")
    (tmp_path / "in" / "empty.txt").write_text("...", encoding="utf-8")
    with Session("speech-en", tmp_path / "in", tmp_path / "out", text=True) as session:
        assert session.without_text == ["missing"]
        for name in ("empty", "missing"):
            view = session.view(name)
            listed = {one["name"]: one["no_text"] for one in session.queue()}
            assert (view["text"], listed[name]) == ("", True)
            assert view["warnings"] == [
                "There is no text of this recording yet; type what is said (T), then `Align text`."
            ]
            with pytest.raises(ParameterError, match="there is no text of this recording yet"):
                session.confirm(name, revision=view["revision"])
            action = {"do": "text", "text": TEXT}
            view = session.edit(name, action, revision=view["revision"])
            assert (view["text"].split(), view["warnings"]) == (list(split_words(TEXT)), [])
            session.confirm(name, revision=view["revision"])
        judged = session.learn()["judged"]
        assert (judged["now"], judged["fixed_model"]) == (0, 0)


def test_a_model_of_anything_else_is_refused(tmp_path):
    model = SimpleNamespace(kind="sequence", check_fitted=lambda: None)
    with pytest.raises(ParameterError, match="model is one of sequence, must be of speech or"):
        Session(model, tmp_path, tmp_path / "out")
    model.kind = "speech"
    with pytest.raises(ParameterError, match="kind, tone: no such option, must be of channel, "):
        Session(model, tmp_path, tmp_path / "out", kind="speech", tone=1)


def test_recordings_alone_can_be_typed_where_that_is_asked_for(tmp_path):
    (tmp_path / "in").mkdir()
    shutil.copy(KIWI, tmp_path / "in" / "kiwi.flac")
    with pytest.raises(DataError, match=r"has no file .* With text \(--text\) it can be typed"):
        Session("speech-en", tmp_path / "in", tmp_path / "out")
