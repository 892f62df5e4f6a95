"""Key and passages of a recording: in JSON and back, and the sentences about them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from align import MusicAlignment, Note
from align.errors import DataError
from align.formats.beats import beats_of_bars
from align.formats.playing import PlayedPassage, Playing
from align.music.parts import described_passages, missing_notes

BEATS = beats_of_bars([(2.0 * bar, 2.0 * bar + 2.0, 4, bar + 1) for bar in range(8)])
PLAYING = Playing(
    -2, 442.5, (PlayedPassage(0.5, 4.25, 0.0, 3.5), PlayedPassage(5.0, 9.0, 6.0, 9.5))
)


def written(tmp_path: Path, playing: Playing | None) -> tuple[MusicAlignment, Path]:
    notes = [Note(60 + k, float(k)) for k in range(10)]
    found = MusicAlignment(notes, np.arange(10.0), beats=BEATS, playing=playing)
    found.to_json(tmp_path / "a.json")
    return found, tmp_path / "a.json"


@pytest.mark.parametrize("playing", [PLAYING, Playing(), None])
def test_json_holds_it(tmp_path: Path, playing: Playing | None) -> None:
    _, path = written(tmp_path, playing)
    assert MusicAlignment.from_labels(path).playing == playing


def test_json_names_the_bars(tmp_path: Path) -> None:
    found, path = written(tmp_path, PLAYING)
    first, second = json.loads(path.read_text())["playing"]["passages"]
    assert (first["first_bar"], first["last_bar"]) == (1, 2)
    assert (second["first_bar"], second["last_bar"]) == (4, 5)
    replace(found, beats=None).to_json(tmp_path / "b.json")
    without = json.loads((tmp_path / "b.json").read_text())["playing"]["passages"]
    assert "first_bar" not in without[0]


@pytest.mark.parametrize(
    "wrong",
    [
        3,
        {},
        {"semitones": "a", "a4": 440, "passages": []},
        {"semitones": 0, "a4": 440, "passages": [{"start": 1}]},
        {"semitones": 0, "a4": True, "passages": []},
        {"semitones": 0, "a4": 440, "passages": 7},
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, wrong: object) -> None:
    _, path = written(tmp_path, PLAYING)
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"playing": wrong}))
    with pytest.raises(DataError, match=r'a\.json: "playing" must hold numbers'):
        MusicAlignment.from_labels(path)


def test_sentences_name_bars() -> None:
    assert described_passages(PLAYING.passages, BEATS) == (
        "played are, in this order: from 0.5 to 4.2 s the score from 0.0 to 3.5 s (bars 1 to 2); "
        "from 5.0 to 9.0 s the score from 6.0 to 9.5 s (bars 4 to 5)."
    )
    onsets = np.arange(16.0)
    assert missing_notes(np.array([2, 3, 5, 6]), onsets, BEATS) == (
        "the recording holds a part of the score: its first 2 (bar 1) and 1 in between and its "
        "last 9 (bars 4 to 8) notes, of 16, seem not to have been played; "
        "their times mean nothing."
    )
