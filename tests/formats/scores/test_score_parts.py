"""Which part of a score each note is of: read from scores, kept in tables, JSON and frames."""

from pathlib import Path

import mido
import numpy as np
import pytest

from align.errors import ParameterError
from align.formats.music_files import write_music
from align.formats.scores import Score, distinct, read_score
from align.results.music import MusicAlignment
from align.types import Note


def midi(path: Path, tracks: list[tuple[str, int, int]], kind: int = 1) -> Score:
    """Read a file of tracks with a name, a channel and a pitch, a note each."""
    file = mido.MidiFile(type=kind)
    for name, channel, pitch in tracks:
        on = mido.Message("note_on", note=pitch, channel=channel, velocity=64)
        off = mido.Message("note_off", note=pitch, channel=channel, time=480)
        named = [mido.MetaMessage("track_name", name=name)] if name else []
        file.tracks.append(mido.MidiTrack([*named, on, off]))
    if kind == 0:
        file.tracks = [mido.merge_tracks(file.tracks)]
    file.save(path)
    return read_score(path)


@pytest.mark.parametrize(
    ("tracks", "kind", "parts"),
    [
        ([("Flute", 0, 60), ("Violin", 1, 62)], 1, ("Flute", "Violin")),
        ([("FlÃ¶te", 0, 60), ("Hörner", 1, 62)], 1, ("Flöte", "Hörner")),  # UTF-8 and Latin-1
        ([("Violin", 0, 60), ("Violin", 0, 62)], 1, ("Violin 1", "Violin 2")),
        ([("", 0, 60), (" left hand ", 0, 62)], 1, ("track 1", "left hand")),
        ([("Flute", 0, 60), ("Drums", 9, 62)], 1, ()),
        ([("Flute", 0, 60), ("Violin", 3, 62)], 0, ("channel 1", "channel 4")),
        ([("Flute", 0, 60)], 0, ()),
    ],
)
def test_parts_of_midi(
    tmp_path: Path, tracks: list[tuple[str, int, int]], kind: int, parts: tuple[str, ...]
) -> None:
    score = midi(tmp_path / "a.mid", tracks, kind)
    assert score.parts == parts
    assert tuple(note.part for note in score.notes) == (parts or ("",))


def test_parts_of_notation(tmp_path: Path) -> None:
    pytest.importorskip("partitura")
    bar = (
        '<part id="{}"><measure number="1"><attributes><divisions>1</divisions></attributes><note>'
        "<pitch><step>{}</step><octave>4</octave></pitch><duration>4</duration></note></measure>"
        "</part>"
    )
    names = "".join(
        f'<score-part id="P{k}"><part-name>{name}</part-name></score-part>'
        for k, name in enumerate(("Violin", "Violin", ""))
    )
    bodies = "".join(bar.format(f"P{k}", step) for k, step in enumerate("CDE"))
    path = tmp_path / "a.musicxml"
    path.write_text(
        f"<score-partwise><part-list>{names}</part-list>{bodies}</score-partwise>",
        encoding="utf-8",
    )
    assert read_score(path).parts == ("Violin 1", "Violin 2", "P2")


def test_parts_are_kept(tmp_path: Path) -> None:
    score = midi(tmp_path / "a.mid", [("Flute", 0, 60), ("Violin", 1, 62), ("Viola", 2, 60)])
    merged, row = distinct(score)
    assert merged.parts == ("Flute", "Violin")
    assert row.tolist() == [0, 0, 1]
    found = MusicAlignment.from_score(score, np.array([1.0, 1.1, 1.2]), duration=3.0)
    for name in ("a.csv", "a.json"):
        write_music(tmp_path / name, found)
        again = MusicAlignment.from_labels(tmp_path / name)
        assert [note.part for note in again.notes] == ["Flute", "Viola", "Violin"]
    assert (tmp_path / "a.csv").read_text().splitlines()[0].endswith(",duration_s,part")
    assert read_score(tmp_path / "a.csv").parts == ("Flute", "Viola", "Violin")
    pandas = pytest.importorskip("pandas")
    frame = found.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["part"].tolist() == ["Flute", "Viola", "Violin"]


def test_one_part_is_not_told(tmp_path: Path) -> None:
    found = MusicAlignment([Note(60, 0.0), Note(62, 1.0)], [0.5, 1.5], duration=3.0)
    write_music(tmp_path / "a.csv", found)
    write_music(tmp_path / "a.json", found)
    assert "part" not in (tmp_path / "a.csv").read_text() + (tmp_path / "a.json").read_text()


def test_parts_are_of_each_note() -> None:
    assert Note(60, 0.0, part="Flute") == Note(60, 0.0)
    score = Score.of([Note(60, 0.0, part="Flute"), Note(62, 0.0)])
    assert score.parts == ("Flute", "")
    with pytest.raises(ParameterError, match="parts has 1 items, must have N=2 or none"):
        Score(
            score.pitches, score.onsets, score.durations, score.ids, score.grace, parts=("Flute",)
        )
