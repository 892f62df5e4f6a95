"""What notes are called: as their score spells them, or by its key, in every file and table."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from notations import KERN, MEI, musicxml

from align.errors import ParameterError
from align.formats import write_music
from align.formats.scores import Score, read_score
from align.formats.scores.spelling import name_in_key, name_of_step
from align.results.music import MusicAlignment
from align.types import Note, named_pitch, pitch_name

SPELLED = [(60, "B#3"), (63, "D#4"), (66, "Gb4"), (70, "A#4"), (71, "Cb5"), (74, "C##5")]


def spelled() -> MusicAlignment:
    score = Score.of([Note(pitch, 0.5 * k, name) for k, (pitch, name) in enumerate(SPELLED)])
    return MusicAlignment.from_score(score, 0.1 + score.onsets, duration=5.0)


def midi(path: Path, keys: list[tuple[int, str]], pitches: list[int]) -> Path:
    """Write a quarter note for each pitch, and keys, each with the quarter that it begins at."""
    mido = pytest.importorskip("mido")
    file = mido.MidiFile(ticks_per_beat=96)
    signs = mido.MidiTrack()
    at = 0
    for quarter, key in keys:
        signs.append(mido.MetaMessage("key_signature", key=key, time=96 * quarter - at))
        at = 96 * quarter
    notes = mido.MidiTrack()
    for pitch in pitches:
        notes.append(mido.Message("note_on", note=pitch, time=0))
        notes.append(mido.Message("note_off", note=pitch, time=96))
    file.tracks.extend([signs, notes])
    file.save(path)
    return path


@given(st.integers(21, 108), st.integers(-7, 7), st.sampled_from(["major", "minor"]))
def test_a_name_in_a_key_is_one_of_the_pitch(pitch: int, sharps: int, mode: str) -> None:
    name = name_in_key(pitch, sharps, mode)
    assert named_pitch(name) == pitch
    assert Note(pitch, 0.0, name).name == name


@pytest.mark.parametrize(
    ("sharps", "mode", "scale"),
    [
        (0, "major", "C D E F G A B"),
        (-5, "major", "Db Eb F Gb Ab Bb C"),
        (6, "major", "F# G# A# B C# D# E#"),
        (-7, "major", "Cb Db Eb Fb Gb Ab Bb"),
        (0, "minor", "A B C D E F F# G G#"),
        (4, "minor", "C# D# E F# G# A A# B B#"),
        (-6, "minor", "Eb F Gb Ab Bb Cb C Db D"),
    ],
)
def test_scales_are_spelled_with_the_signs_of_their_key(
    sharps: int, mode: str, scale: str
) -> None:
    names = {name_in_key(pitch, sharps, mode).rstrip("0123456789") for pitch in range(60, 72)}
    assert set(scale.split()) <= names
    assert len(names) == 12


def test_without_a_key_the_name_is_the_usual_one(tmp_path: Path) -> None:
    score = read_score(midi(tmp_path / "a.mid", [], [61, 63, 70]))
    assert score.names == ("C#4", "Eb4", "Bb4")


def test_the_key_of_a_midi_file_counts_and_may_change(tmp_path: Path) -> None:
    path = midi(tmp_path / "a.mid", [(1, "Gb"), (3, "Em")], [66, 66, 71, 66, 75])
    assert read_score(path).names == ("Gb4", "Gb4", "Cb5", "F#4", "D#5")


def test_notation_is_spelled_as_it_is_written(tmp_path: Path) -> None:
    pytest.importorskip("partitura")
    (tmp_path / "a.krn").write_text(KERN, encoding="utf-8")
    assert read_score(tmp_path / "a.krn").names == ("C4", "Db4", "Gb4", "B#4")
    (tmp_path / "a.mei").write_text(MEI, encoding="utf-8")
    assert read_score(tmp_path / "a.mei").names == ("C4", "Gb4", "B#4")
    (tmp_path / "a.musicxml").write_text(musicxml([("C", 0, 4), ("E", -1, 4)]), encoding="utf-8")
    assert read_score(tmp_path / "a.musicxml").names == ("C4", "Eb4")


def test_transposing_instruments_are_called_as_they_sound(tmp_path: Path) -> None:
    pytest.importorskip("partitura")
    path = tmp_path / "clarinet.musicxml"
    steps = [("C", 0, 4), ("E", -1, 4), ("A", 1, 4)]
    path.write_text(musicxml(steps, move=(-1, -2)), encoding="utf-8")  # in B flat
    score = read_score(path)
    assert score.names == ("Bb3", "Db4", "G#4")
    assert score.pitches.tolist() == [58, 61, 68]


def test_ids_of_notation_are_kept_and_numbered_only_where_a_note_comes_twice(
    tmp_path: Path,
) -> None:
    pytest.importorskip("partitura")
    (tmp_path / "a.mei").write_text(MEI, encoding="utf-8")
    assert read_score(tmp_path / "a.mei").ids == ("first", "note-0000001234567890-long", "z")
    once = musicxml([("C", 0, 4)], ids=["mine"])
    (tmp_path / "a.musicxml").write_text(once, encoding="utf-8")
    assert read_score(tmp_path / "a.musicxml").ids == ("mine",)
    twice = musicxml([("C", 0, 4)], ids=["mine"], repeated=True)
    (tmp_path / "b.musicxml").write_text(twice, encoding="utf-8")
    assert read_score(tmp_path / "b.musicxml").ids == ("mine-1", "mine-2")
    assert read_score(tmp_path / "b.musicxml", repeats=False).ids == ("mine",)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".json"])
def test_names_come_back(tmp_path: Path, suffix: str) -> None:
    write_music(tmp_path / f"a{suffix}", spelled())
    found = MusicAlignment.from_labels(tmp_path / f"a{suffix}")
    assert found.names == tuple(name for _, name in SPELLED)
    assert found.events == spelled().events


@pytest.mark.parametrize("suffix", [".txt", ".sv.csv", ".svl"])
def test_labels_have_the_names_and_are_read_back_by_any_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    write_music(path, spelled())
    text = path.read_text(encoding="utf-8")
    assert "D#4 n1" in text
    plain = text
    for pitch, name in SPELLED:
        plain = plain.replace(f"{name} n", f"{pitch_name(pitch)} n")
    path.write_text(plain, encoding="utf-8")  # as an earlier version has written them
    found = MusicAlignment.from_labels(path, score=spelled())
    np.testing.assert_allclose(found.onsets, spelled().onsets, atol=1e-4)
    assert found.names == spelled().names


def test_a_match_file_is_spelled_alike(tmp_path: Path) -> None:
    pytest.importorskip("partitura")
    write_music(tmp_path / "a.match", spelled())
    assert "[C,x],5" in (tmp_path / "a.match").read_text(encoding="utf-8")
    assert read_score(tmp_path / "a.match").names == spelled().names


def test_a_name_of_another_pitch_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("onset,pitch,name\n0,60,Dbb4\n1,62,C4\n", encoding="utf-8")
    assert read_score(tmp_path / "a.csv").names == ("Dbb4", "D4")
    write_music(tmp_path / "a.json", spelled())
    content = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    content["notes"][0]["name"] = "piano"
    (tmp_path / "a.json").write_text(json.dumps(content), encoding="utf-8")
    assert MusicAlignment.from_labels(tmp_path / "a.json").names[:2] == ("C4", "D#4")
    with pytest.raises(ParameterError, match="must be a name of pitch 60"):
        Note(60, 0.0, "C#4")


def test_names_that_cannot_be() -> None:
    assert [named_pitch(name) for name in ("", "H4", "C", "C###4", "c4", "Cb-1")] == [
        *[None] * 5,
        -1,
    ]
    assert name_of_step("C", 3, 63) == ""
    with pytest.raises(ParameterError, match="names has 2 items, must have N=1"):
        Score(
            np.array([60]), np.zeros(1), np.ones(1), ("a",), np.zeros(1, bool), names=("C4", "D4")
        )
