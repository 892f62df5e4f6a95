"""The journal and its fold: killed at any byte, all that was acknowledged is there."""

import errno
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studio_documents import a_document

from align.errors import DataError
from align.studio.document import Document
from align.studio.history import History, after
from align.studio.journal import Journal

DOS = st.lists(st.sampled_from(["edit", "edit", "confirm", "undo", "redo"]), max_size=12)


def folded(entries):
    history = History()
    for entry in entries:
        history = after(history, entry)
    return history


def acted(dos):
    """Return the entries of those actions that are possible, one after the other."""
    entries, history = [], History()
    for n, do in enumerate(dos):
        entry = {"do": do, "name": "a"}
        if do in ("edit", "confirm"):
            entry["state"] = a_document(next_id=100 + n).to_json()
            if history.now is None:
                entry["base"] = a_document().to_json()
        try:
            history = after(history, entry)
        except DataError:
            continue
        entries.append(entry)
    return entries


@given(DOS, st.integers(0, 10**6))
def test_a_journal_cut_at_any_byte_holds_what_was_acknowledged(tmp_path_factory, dos, at):
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    entries = acted(dos)
    journal, sizes = Journal(path), [0]
    for entry in entries:
        journal.add(entry)
        sizes.append(path.stat().st_size)
    if not entries:
        return
    cut = at % (sizes[-1] + 1)
    path.write_bytes(path.read_bytes()[:cut])
    whole = sum(size <= cut for size in sizes) - 1
    again = Journal(path)
    assert again.entries == json.loads(json.dumps(entries[:whole]))
    assert folded(again.entries) == folded(entries[:whole])
    again.add({"do": "undo", "name": "b"})  # what was cut off does not spoil what follows
    assert Journal(path).entries[whole:] == [{"do": "undo", "name": "b"}]


@given(DOS)
def test_undoing_all_and_doing_it_again_changes_nothing(dos):
    history = folded(acted(dos))
    now, n = history.now, len(history.past)
    for do in ["undo"] * n + ["redo"] * n:
        history = after(history, {"do": do})
    assert history.now == now


def test_nothing_can_be_undone_before_the_first_step_nor_done_again_after_the_last():
    one = folded(acted(["edit"]))
    with pytest.raises(DataError, match="nothing to do again"):
        after(one, {"do": "redo"})
    back = after(one, {"do": "undo"})
    assert back.now.document == a_document()
    with pytest.raises(DataError, match="nothing to undo"):
        after(back, {"do": "undo"})


def test_an_edit_after_an_undo_ends_what_could_be_done_again():
    history = folded(acted(["edit", "edit", "undo", "edit"]))
    assert history.future == ()
    assert history.entries == 4


def test_a_confirmation_is_a_step_that_can_be_undone():
    history = folded(acted(["edit", "confirm"]))
    assert history.confirmed
    assert not after(history, {"do": "undo"}).confirmed


def test_a_damaged_line_in_the_middle_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"do":"undo"}\n{"do"\n{"do":"undo"}\n')
    with pytest.raises(DataError, match="line 2: is damaged"):
        Journal(path)


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.add({"do": "undo"})

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(DataError, match="No space left"):
            journal.add({"do": "redo"})
    journal.add({"do": "edit"})
    assert [e["do"] for e in Journal(journal.path).entries] == ["undo", "edit"]


def test_the_last_entry_can_be_taken_back(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    for do in ("edit", "undo"):
        journal.add({"do": do})
    journal.take_back()
    assert Journal(journal.path).entries == [{"do": "edit"}]
    journal.add({"do": "redo"})
    assert [e["do"] for e in Journal(journal.path).entries] == ["edit", "redo"]


def test_a_document_comes_back_from_json():
    document = a_document()
    assert Document.from_json(json.loads(json.dumps(document.to_json()))) == document
