"""A session of music: notes are moved or marked as not played, and each is judged at 50 ms."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import align
from align import ParameterError, Session

GOLDEN = Path(__file__).parents[1] / "golden_models"


@pytest.fixture
def session(tmp_path):
    for name in ("first", "second"):
        folder = tmp_path / "pieces" / name
        folder.mkdir(parents=True)
        shutil.copy(GOLDEN / "music.flac", folder / "audio.flac")
        shutil.copy(GOLDEN / "score.csv", folder)
    model = GOLDEN / "0.1.0" / "music.align"
    with Session(model, tmp_path / "pieces", tmp_path / "out") as session:
        yield session


def moved(session, view, by):
    """Move a note for each of these seconds, and return the new view."""
    for row, seconds in zip(view["tiers"][0]["intervals"][2:], by, strict=False):
        action = {"do": "move", "tier": "notes", "id": row["id"], "to": row["start"] + seconds}
        view = session.edit(view["name"], action, revision=view["revision"])
    return view


def test_notes_that_were_moved_by_more_than_50_ms_are_mistakes(session):
    view = moved(session, session.view("first"), [0.055, 0.060, 0.045])
    unplayed = view["tiers"][0]["intervals"][-1]["id"]
    view = session.edit("first", {"do": "unplayed", "id": unplayed}, revision=view["revision"])
    session.confirm("first", revision=view["revision"])
    update = session.learn()
    n_notes = len(view["tiers"][0]["intervals"])
    assert (update["judged"]["now"], update["judged"]["of"]) == (2, n_notes - 1)
    progress = session.progress()
    assert progress["errors_per_100"]["fixed_model"] == round(200 / (n_notes - 1), 2)
    assert (progress["confirmed"], progress["waiting"]) == (1, 1)


def test_the_model_whose_networks_learn_most_is_shown_first(session):
    session.confirm("first", revision=session.view("first")["revision"])
    assert session.learn()["shown"] == "networks"
    (features,) = session.model.features_
    halfway = session._learning._experts["half"].features_[0]
    assert not np.array_equal(
        features.network.network_.weights[0], halfway.network.network_.weights[0]
    )


def test_onsets_of_what_waits_move_towards_those_confirmed(session):
    before = np.array([r["start"] for r in session.view("second")["tiers"][0]["intervals"]])
    view = session.view("first")
    view = moved(session, view, np.full(len(before) - 2, 0.030))
    session.confirm("first", revision=view["revision"])
    session.learn()
    after = np.array([r["start"] for r in session.view("second")["tiers"][0]["intervals"]])
    assert 0.0 < np.median(after - before) < 0.030


def test_notes_stay_those_of_the_score_and_are_listed_for_training(session):
    view = session.view("first")
    for action in ({"do": "insert", "at": 1.0}, {"do": "text", "text": "x"}):
        with pytest.raises(ParameterError, match="the notes are those of the score"):
            session.edit("first", action, revision=view["revision"])
    session.confirm("first", revision=view["revision"])
    table = session._out / "first.csv"
    session.correct("second", table)
    both = align.read_corpus(session._out / "confirmed.csv", kind="music")
    assert [len(example.events) for example in both] == [len(view["tiers"][0]["intervals"])] * 2
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace(",60,C4,", ",61,C#4,"), encoding="utf-8")
    with pytest.raises(ParameterError, match="notes of C#4, and the score 0; is it of another"):
        session.correct("second", table)


def test_a_piece_that_is_called_like_the_list_of_what_is_confirmed_is_told(session, tmp_path):
    """The list was written over its notes."""
    session.close()
    (tmp_path / "pieces" / "first").rename(tmp_path / "pieces" / "confirmed")
    with Session(session.model, tmp_path / "pieces", tmp_path / "other") as later:
        assert later.names == ["second"]
        (failed,) = [row for row in later.queue() if row["state"] == "failed"]
        assert "would be written over confirmed.csv" in failed["why"]
