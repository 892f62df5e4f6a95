"""JAMS files of aligned music: what they hold, what jams makes of them, and damaged ones."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align.errors import DataError
from align.formats.scores.beats import beats_of_bars
from align.results.music import MusicAlignment
from align.types import Note

NOTES = [Note(60, 0.0), Note(64, 0.0), Note(62, 0.5), Note(60, 1.0)]
FOUND = MusicAlignment(
    NOTES,
    [0.1, 0.12, 0.7, 1.3],
    2.0,
    durations=np.array([0.5, 0.5, 0.5, 0.5]),
    confidence=[0.9, 0.2, 0.8, 0.7],
    audio="/somewhere/air.wav",
    beats=beats_of_bars([(0.0, 1.0, 2, 1), (1.0, 1.5, 1, 2)]),
)


def test_notes_and_beats(tmp_path: Path) -> None:
    FOUND.to_jams(tmp_path / "a.jams")
    content = json.loads((tmp_path / "a.jams").read_text(encoding="utf-8"))
    assert content["file_metadata"]["title"] == "air"
    assert content["file_metadata"]["duration"] == 2.0
    notes, beats = content["annotations"]
    assert (notes["namespace"], beats["namespace"]) == ("note_midi", "beat")
    assert [row["value"] for row in notes["data"]] == FOUND.pitches.tolist()
    assert [row["time"] for row in notes["data"]] == pytest.approx(FOUND.onsets.tolist())
    assert [row["confidence"] for row in notes["data"]] == FOUND.confidence.tolist()
    assert min(row["duration"] for row in notes["data"]) > 0
    assert [row["value"] for row in beats["data"]] == [1, 2, 1]
    assert beats["sandbox"]["bars"] == [1, 1, 2]
    replace(FOUND, beats=None).to_jams(tmp_path / "b.jams")
    assert len(json.loads((tmp_path / "b.jams").read_text(encoding="utf-8"))["annotations"]) == 1


@pytest.mark.filterwarnings("ignore")  # its own of its libraries
def test_jams_itself_finds_it_valid(tmp_path: Path) -> None:
    jams = pytest.importorskip("jams", reason="jams is not installed")
    FOUND.to_jams(tmp_path / "a.jams")
    read = jams.load(str(tmp_path / "a.jams"))
    assert read.validate(strict=True)
    (notes,) = read.search(namespace="note_midi")
    assert [one.value for one in notes.data] == FOUND.pitches.tolist()


@settings(max_examples=25)
@given(
    pitches=st.lists(st.integers(40, 43), min_size=1, max_size=8),
    seed=st.integers(0, 2**32 - 1),
)
def test_notes_are_read_back(tmp_path_factory, pitches: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    notes = [Note(pitch, 0.5 * k) for k, pitch in enumerate(pitches)]
    onsets = np.cumsum(rng.uniform(0.05, 1.0, len(notes)))
    found = MusicAlignment(notes, onsets, float(onsets[-1]) + 1.0)
    path = tmp_path_factory.mktemp("jams") / "a.jams"
    found.to_jams(path)
    back = MusicAlignment.from_labels(path, score=found)
    np.testing.assert_allclose(back.onsets, onsets, atol=1e-8)
    assert back.note_ids == found.note_ids


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "it has no annotations"),
        ({"annotations": 3}, "it has no annotations"),
        ({"annotations": [{"namespace": "beat", "data": []}]}, "namespace note_midi"),
        ({"annotations": [{"namespace": "note_midi", "data": [{"time": 1}]}]}, "note 1 has no"),
        ({"annotations": [{"namespace": "note_midi", "data": [[]]}]}, "note 1 has no"),
        (
            {"annotations": [{"namespace": "note_midi", "data": [{"time": 1, "value": 60}]}]},
            "has 1 notes of pitch C4, the score 2",
        ),
    ],
)
def test_files_that_are_none_get_one_sentence(tmp_path: Path, content, message: str) -> None:
    path = tmp_path / "a.jams"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match=message) as failed:
        MusicAlignment.from_labels(path, score=FOUND)
    assert str(failed.value).startswith(str(path))
