"""Files of aligned notes: what is written, what comes back, and what is refused."""

import dataclasses
import io
import json
import re
import sys
from functools import partial
from pathlib import Path

import mido
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from music_examples import random_alignment, write_score

from align.errors import DataError, ParameterError
from align.formats.files import read_labels
from align.formats.music_files import write_music
from align.formats.notes.aligned_midi import TempoMap, fit_tempo_map, format_midi
from align.formats.notes.note_table import format_note_table
from align.formats.scores import Score, read_note_truth, read_score
from align.formats.scores.beats import beats_of_bars
from align.formats.scores.score_midi import read_midi_notes, read_midi_score
from align.formats.table import MUSIC_FORMATS, is_music
from align.results.music import MusicAlignment
from align.types import Mismatch, Note, PlayedPassage

NOTE = '{"pitch": 60, "score_onset": 0, "score_duration": 1, "onset": 0, "chord": 0}'
WRONG = f'{{"notes": [{NOTE}], %s: %s}}'
PASSAGE = '[{"start": 0, "end": 1, "score_start": 0, "score_end": 1, "bars": "x"}]'
LABELS = [".txt", ".sv.csv", ".svl"]


def same_times(found: MusicAlignment, wanted: MusicAlignment, atol: float = 1e-6) -> None:
    assert found.events == wanted.events
    assert found.note_ids == wanted.note_ids
    np.testing.assert_allclose(found.onsets, wanted.onsets, atol=atol)


# Tables -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_table_comes_back(tmp_path: Path, suffix: str) -> None:
    wanted = random_alignment(1)
    path = tmp_path / f"a{suffix}"
    write_music(path, wanted)
    head = path.read_text().split("\n")[0].replace("\t", ",")
    assert head == "score_onset_s,performed_onset_s,pitch,name,confidence,id,duration_s"
    found = MusicAlignment.from_labels(path, duration=wanted.duration)
    same_times(found, wanted)
    np.testing.assert_allclose(found.durations, wanted.durations, atol=1e-6)
    assert found.duration == wanted.duration
    assert found.confidence is None  # a person may have corrected the times


def test_a_table_says_how_probably_notes_were_not_played() -> None:
    wanted = random_alignment(1)
    unplayed = np.linspace(0, 1, len(wanted))
    head, first, *_ = format_note_table(
        dataclasses.replace(wanted, unplayed=unplayed)
    ).splitlines()
    assert head.endswith(",duration_s,unplayed")
    assert first.endswith(",0.0000")


def test_a_corrected_table_is_a_score_and_a_truth(tmp_path: Path) -> None:
    wanted = random_alignment(2)
    path = tmp_path / "a.csv"
    wanted.to_csv(path)
    lines = path.read_text().splitlines()
    fields = lines[3].split(",")
    fields[1] = "1.234"
    lines[3] = ",".join(fields)
    del lines[5]  # a note that was not played
    path.write_text("\n".join(lines[:1] + lines[:0:-1]))  # in any order
    found = MusicAlignment.from_csv(path)
    assert len(found) == len(wanted) - 1
    assert found.onsets[list(found.note_ids).index("n2")] == 1.234
    score = read_score(path)
    assert len(score) == len(found)
    np.testing.assert_allclose(read_note_truth(path, score).onsets(len(score)), found.onsets)


@pytest.mark.parametrize(
    ("row", "line", "message"),
    [
        ("0,nan,60,x", 3, "the performed onset is 'nan'"),
        ("0,,60,x", 3, "the performed onset is ''"),
        ("0,1,60,a", 3, "the note 'a' stands in line 2 as well"),
        ("0,-1,60,x", 3, "played at -1 s, outside the recording"),
        ("0,99,60,x", 3, "outside the recording, which lasts 10 s"),
        ("0,1,200,x", 3, "has pitch 200, outside"),
        ("-1,1,60,x", 3, "the onset is -1 s"),
    ],
)
def test_wrong_tables(tmp_path: Path, row: str, line: int, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"score_onset_s,performed_onset_s,pitch,id\n0,1,62,a\n{row}\n")
    with pytest.raises(DataError, match=message) as caught:
        MusicAlignment.from_labels(path, duration=10.0)
    assert caught.value.line == line


def test_a_table_has_the_bars_of_a_score_that_is_named(tmp_path: Path) -> None:
    bare = Score.of([Note(60, 0.0), Note(62, 0.5)], "a.mid")
    score = dataclasses.replace(bare, beats=beats_of_bars([(0.0, 1.0, 2, 1)]))
    MusicAlignment.from_score(bare, [1.0, 2.0]).to_csv(tmp_path / "a.csv")
    found = MusicAlignment.from_csv(tmp_path / "a.csv", score=score)
    assert (found.beats, found.score_file) == (score.beats, "a.mid")
    other = Score.of([Note(60, 0.0), Note(63, 0.5)])
    with pytest.raises(DataError, match=r"the score has no D4 at 0\.500 s; is it another"):
        MusicAlignment.from_csv(tmp_path / "a.csv", score=other)


def test_a_table_without_notes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("score_onset_s,performed_onset_s,pitch\n")
    with pytest.raises(DataError, match="has no notes"):
        MusicAlignment.from_labels(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("score_onset_s,pitch\n0,60\n")
    with pytest.raises(DataError, match="has no column 'performed'"):
        MusicAlignment.from_labels(tmp_path / "b.csv")


# JSON -------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 1000), bare=st.booleans())
def test_json_comes_back_exactly(tmp_path_factory, seed: int, bare: bool) -> None:
    wanted = random_alignment(seed)
    if bare:
        wanted = MusicAlignment(wanted.events, wanted.onsets)
    else:
        passages = (PlayedPassage(0.5, 4.0, 0.0, 3.0, (1, 2)), PlayedPassage(4.5, 6.0, 5.0, 7.0))
        mismatches = (
            Mismatch("unplayed", 1.0, 1.5, ("C4",), 0.9, notes=("n1",), bars=(1, 1)),
            Mismatch("unwritten", 4.0, 4.5, (), 0.8),
        )
        wanted = dataclasses.replace(
            wanted,
            passages=passages,
            transposition=-1,
            tuning=439.2,
            unplayed=np.linspace(0, 1, len(wanted)),
            mismatches=mismatches,
        )
    path = tmp_path_factory.mktemp("json") / "a.json"
    wanted.to_json(path)
    assert MusicAlignment.from_labels(path) == wanted


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "has no list"),
        ('{"kind": "music", "notes": []}', "has no list"),
        ('{"notes": [{"pitch": "C4"}]}', '"pitch" of note 1'),
        ('{"notes": [1]}', '"pitch" of note 1 is None'),
        (WRONG % ('"passages"', "7"), '"passages" must be a list'),
        (WRONG % ('"passages"', "[{}]"), '"start" of a passage is None'),
        (WRONG % ('"passages"', PASSAGE), "\"bars\" is 'x', must be two whole numbers"),
    ],
)
def test_wrong_json(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        MusicAlignment.from_labels(path)


def test_json_whose_times_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    random_alignment(0).to_json(path)
    content = json.loads(path.read_text())
    content["notes"][0]["onset"] = -3.0
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match="begins at -3 s"):
        MusicAlignment.from_labels(path)
    content["notes"][0]["onset"] = 1.0
    content["chords"] = [7]
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match='"onset" of a chord'):
        MusicAlignment.from_labels(path)


# Labels -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", LABELS)
@pytest.mark.parametrize("of", ["alignment", "csv", "score"])
def test_labels_come_back(tmp_path: Path, suffix: str, of: str) -> None:
    score = write_score(tmp_path / "s.mid", [(0.0, 60), (0.0, 64), (0.5, 62), (1.0, 61)])
    wanted = MusicAlignment.from_score(read_score(score), [1.1, 1.0, 0.9, 2.0], duration=3.0)
    path = tmp_path / f"a{suffix}"
    write_music(path, wanted)
    wanted.to_csv(tmp_path / "a.csv")
    source = {"alignment": wanted, "csv": tmp_path / "a.csv", "score": score}[of]
    # a layer counts in samples
    same_times(MusicAlignment.from_labels(path, score=source), wanted, atol=2e-5)
    with pytest.raises(DataError, match="knows no score"):
        MusicAlignment.from_labels(path)


def test_labels_of_notes_are_no_phones(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0.5\t0.5\tEb4 n0\n1.5\t1.5\tG4 n1\n", encoding="utf-8")
    with pytest.raises(DataError, match="'G4 n1' is a note of a score, as are all of its labels"):
        read_labels(path, duration=2.0)


@pytest.mark.parametrize("suffix", LABELS)
def test_labels_moved_and_deleted_by_a_person(tmp_path: Path, suffix: str) -> None:
    wanted = random_alignment(5)
    path = tmp_path / f"a{suffix}"
    write_music(path, wanted)
    lines = path.read_text().splitlines()
    named = [k for k, line in enumerate(lines) if re.search(r" n3\b", line)]
    del lines[named[0]]
    path.write_text("\n".join(lines))
    found = MusicAlignment.from_labels(path, score=wanted)
    assert len(found) == len(wanted) - 1
    assert "n3" not in found.note_ids
    kept = [k for k in range(len(wanted)) if k != 3]
    np.testing.assert_allclose(found.onsets, wanted.onsets[kept], atol=1e-4)
    assert (np.diff(found.chord_onsets) > 0).all()


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("C4 n99", "names no note of the score"),
        ("C4", "names no note of the score"),
        ("D4 n0", "says D4, but note 'n0' of the score is C4"),
        ("C4 n0", "the note 'n0' has two labels"),
    ],
)
@pytest.mark.parametrize("suffix", LABELS)
def test_labels_that_name_nothing(tmp_path: Path, suffix: str, label: str, message: str) -> None:
    notes = MusicAlignment([Note(60, 0.0), Note(64, 1.0)], [1.0, 2.0], duration=3.0)
    path = tmp_path / f"a{suffix}"
    write_music(path, notes)
    path.write_text(path.read_text().replace("E4 n1", label))
    with pytest.raises(DataError, match=message):
        MusicAlignment.from_labels(path, score=notes)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "1.0 2.0 C4 n0\n", "tabs must separate"),
        ("a.txt", "x\tx\tC4 n0\n", "the start is 'x'"),
        ("a.txt", "-1\t-1\tC4 n0\n", "stands at -1 s, outside"),
        ("a.txt", "", "has no labels"),
        ("a.sv.csv", "TIME,LABEL\n1.0\n", "needs a time and a label"),
        ("a.sv.csv", "TIME,LABEL\none,C4 n0\n", "the time is 'one'"),
        ("a.svl", "<sv>", "is not a whole layer"),
        ("a.svl", "<sv/>", "is not a layer of Sonic"),
        ("a.svl", '<!DOCTYPE sv [<!ENTITY a "b">]><sv/>', "declares entities"),
        ("a.svl", '<?xml version="1.0" encoding="UTF-88"?><sv/>', "unknown encoding: UTF-88"),
        ("a.svl", '<?xml version="1.0" encoding="utf-7"?><sv/>', "is not XML that can be read"),
        ("a.svl", '<sv><model sampleRate="x"/></sv>', "the sampling rate is 'x'"),
        ("a.svl", '<sv><model sampleRate="0"/></sv>', "sampling rate is 0"),
        (
            "a.svl",
            '<sv><model sampleRate="9"/><point frame="?" label="C4 n0"/></sv>',
            "the frame is '?'",
        ),
    ],
)
def test_wrong_label_files(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    notes = MusicAlignment([Note(60, 0.0)], [1.0])
    with pytest.raises(DataError, match=message.replace("?", r"\?")):
        MusicAlignment.from_labels(tmp_path / name, score=notes)


def test_ids_that_need_care(tmp_path: Path) -> None:
    notes = MusicAlignment(
        [Note(60, 0.0), Note(62, 1.0)], [1.0, 2.0], note_ids=("a b", '<&">,'), duration=3.0
    )
    for suffix in [*LABELS, ".csv", ".json"]:
        write_music(tmp_path / f"a{suffix}", notes)
        same_times(
            MusicAlignment.from_labels(tmp_path / f"a{suffix}", score=notes), notes, atol=2e-5
        )
    broken = MusicAlignment(notes.events, notes.onsets, note_ids=("a\tb", "c"))
    with pytest.raises(DataError, match="cannot stand in a label"):
        broken.to_audacity(tmp_path / "b.txt")


# MIDI -------------------------------------------------------------------------------------------


def tempo_events(path: Path) -> int:
    file = mido.MidiFile(path)
    return sum(message.type == "set_tempo" for track in file.tracks for message in track)


@given(
    st.lists(st.tuples(st.integers(1, 2000), st.floats(0.001, 3.0)), min_size=1, max_size=60),
    st.sampled_from([0.0, 0.005, 0.02]),
)
def test_the_tempo_map_keeps_to_the_tolerance(
    steps: list[tuple[int, float]], tolerance: float
) -> None:
    ticks = np.cumsum([tick for tick, _ in steps])
    seconds = np.cumsum([time for _, time in steps])
    tempo = fit_tempo_map(ticks, seconds, 480, tolerance=tolerance)
    assert len(tempo.ticks) <= len(steps)
    assert tempo.ticks[0] == 0
    assert set(tempo.ticks[1:]) <= set(ticks.tolist())
    assert all(1 <= value < 1 << 24 for value in tempo.tempos)
    slopes = np.diff(seconds, prepend=0) / np.diff(ticks, prepend=0) * 480
    if slopes.max() < 16:  # what a tempo event can say
        got = [tempo.seconds(int(tick)) for tick in ticks]
        rounding = 1e-6 * ticks[-1] / 480 + 1e-9
        assert np.abs(got - seconds).max() <= tolerance + rounding
    for tick in (0, int(ticks[0]), int(ticks[-1]) + 100):
        assert tempo.tick(tempo.seconds(tick)) == tick


def test_a_steady_performance_needs_one_tempo() -> None:
    beats = 480 * np.arange(1, 9)
    assert fit_tempo_map(beats, 0.6 * np.arange(1, 9), 480).tempos == [600_000]
    with pytest.raises(ParameterError, match="tolerance=-1"):
        fit_tempo_map(beats, 0.6 * np.arange(1, 9), 480, tolerance=-1)


def test_too_slow_a_tempo_catches_up() -> None:
    seconds = np.array([1.0, 9.0, 11.0, 13.0])  # a grace note of two ticks that lasts 8 s
    tempo = fit_tempo_map(np.array([480, 482, 962, 1442]), seconds, 480)
    assert max(tempo.tempos) == (1 << 24) - 1
    assert tempo.seconds(962) == pytest.approx(11.0, abs=0.01)


@given(st.integers(0, 1000), st.booleans())
def test_midi_without_a_file_of_the_score(tmp_path_factory, seed: int, asynchrony: bool) -> None:
    wanted = random_alignment(seed)
    path = tmp_path_factory.mktemp("midi") / "a.mid"
    path.write_bytes(format_midi(wanted, asynchrony=asynchrony))
    rows = read_midi_notes(path)
    assert sorted(row.pitch for row in rows) == sorted(wanted.pitches.tolist())
    assert tempo_events(path) <= wanted.chord_onsets.size + 1
    if asynchrony:
        same_times(MusicAlignment.from_labels(path, score=wanted), wanted, atol=1e-3)
    else:
        played = np.sort([row.onset for row in rows])
        chords = np.sort(wanted.chord_onsets[wanted.chord_of])
        np.testing.assert_allclose(played, chords, atol=0.0061)


def rich_score(path: Path, *, ppq: int = 96, lead: int = 96) -> Path:
    """Two tracks with names, pedal, a program, drums, a tempo of their own and three-four time."""
    head = mido.MidiTrack(
        [
            mido.MetaMessage("time_signature", numerator=3, denominator=4),
            mido.MetaMessage("set_tempo", tempo=600_000),
            mido.MetaMessage("set_tempo", tempo=400_000, time=ppq),
        ]
    )
    right = mido.MidiTrack(
        [
            mido.MetaMessage("track_name", name="right"),
            mido.Message("program_change", program=6, channel=1),
            mido.Message("note_on", note=72, velocity=99, channel=1, time=lead),
            mido.Message("control_change", control=64, value=127, channel=1),
            mido.Message("note_off", note=72, channel=1, time=ppq),
            mido.Message("note_on", note=72, velocity=80, channel=1),
            mido.Message("note_off", note=72, channel=1, time=ppq),
        ]
    )
    left = mido.MidiTrack(
        [
            mido.Message("note_on", note=48, velocity=30, time=lead),
            mido.Message("note_on", note=40, velocity=99, channel=9),
            mido.Message("note_off", note=48, time=2 * ppq),
        ]
    )
    file = mido.MidiFile(type=1, ticks_per_beat=ppq)
    file.tracks += [head, right, left]
    file.save(path)
    return path


@pytest.mark.parametrize("lead", [0, 96])
@pytest.mark.parametrize("asynchrony", [False, True])
def test_midi_keeps_what_its_score_has(tmp_path: Path, lead: int, asynchrony: bool) -> None:
    score = read_score(rich_score(tmp_path / "s.mid", lead=lead))
    onsets = [1.03, 0.99, 1.7]  # 48 and 72 together, then 72 again
    wanted = MusicAlignment.from_score(score, onsets, duration=4.0)
    path = tmp_path / "a.mid"
    wanted.to_midi(path, asynchrony=asynchrony)
    before, after = mido.MidiFile(tmp_path / "s.mid"), mido.MidiFile(path)
    assert [track.name for track in after.tracks] == [track.name for track in before.tracks]
    kinds = {message.type for track in after.tracks for message in track}
    assert {"program_change", "control_change", "time_signature"} <= kinds
    channels = {m.channel for t in after.tracks for m in t if m.type == "note_on"}
    assert channels == {0, 1, 9}  # with the drums, on their beat
    assert {m.velocity for t in after.tracks for m in t if m.type == "note_on"} == {30, 80, 99}
    played = {(round(row.onset, 3), row.pitch) for row in read_midi_notes(path)}
    if asynchrony:
        assert played == {(1.03, 48), (0.99, 72), (1.7, 72)}
    else:
        np.testing.assert_allclose(sorted(t for t, _ in played), [1.01, 1.01, 1.7], atol=0.0061)
        ticks = [note.tick for note in read_midi_score(path).notes]
        beats = np.array(ticks) / after.ticks_per_beat
        shift = 3.0 if lead == 0 else 1.0  # a bar in front, or the rest that was there
        np.testing.assert_allclose(beats, [shift, shift, shift + 1])


def test_midi_keeps_notes_that_no_piano_has(tmp_path: Path) -> None:
    write_score(tmp_path / "s.mid", [(0.0, 12), (0.5, 60), (1.0, 120), (1.5, 62)])
    score = read_score(tmp_path / "s.mid")
    assert score.ids == ("n1", "n3")
    wanted = MusicAlignment.from_score(score, [1.0, 3.0], duration=4.0)
    wanted.to_midi(tmp_path / "a.mid")
    rows = read_midi_notes(tmp_path / "a.mid")
    assert [row.pitch for row in rows] == [12, 60, 120, 62]
    assert rows[2].onset == pytest.approx(2.0, abs=0.005)
    same_times(MusicAlignment.from_labels(tmp_path / "a.mid", score=wanted), wanted, atol=2e-3)


def test_midi_whose_score_has_moved_is_made_of_the_notes(tmp_path: Path) -> None:
    score = read_score(rich_score(tmp_path / "s.mid"))
    wanted = MusicAlignment.from_score(score, [1.0, 1.0, 1.7], duration=4.0)
    (tmp_path / "s.mid").unlink()
    wanted.to_midi(tmp_path / "a.mid")
    tracks = mido.MidiFile(tmp_path / "a.mid").tracks
    assert [track.name for track in tracks] == ["right", "track 3"]
    write_score(tmp_path / "s.mid", [(0.0, 50)])  # another score of the same name
    wanted.to_midi(tmp_path / "b.mid")
    assert (tmp_path / "a.mid").read_bytes() == (tmp_path / "b.mid").read_bytes()


def test_midi_made_of_the_notes_has_their_bars_and_parts(tmp_path: Path) -> None:
    # a pick-up, and a bar of three beats that a repeat sign cuts in the middle of a beat
    bars = [(0, 0.5, 1, 0), (0.5, 2.0, 3, 1), (2.0, 2.75, 1.5, 2), (2.75, 3.5, 1.5, 2, 2.5)]
    notes = [Note(60, 0.0, part="Flöte"), Note(48, 0.5, part="Bass"), Note(62, 3.5, part="Bass")]
    wanted = MusicAlignment(notes, [0.0, 1.0, 7.0], beats=beats_of_bars(bars))
    tracks = mido.MidiFile(file=io.BytesIO(format_midi(wanted)), charset="utf-8").tracks
    assert [track.name for track in tracks] == ["Flöte", "Bass"]
    at, found = 0, []
    for message in tracks[0]:
        at += message.time
        if message.type == "time_signature":
            found.append((at / 1920, message.numerator, message.denominator))
    assert found == [(0, 1, 4), (1, 3, 4)]
    assert sum(message.time for message in tracks[1][:-2]) == 7 * 1920


def test_midi_of_some_notes_leaves_the_others_out(tmp_path: Path) -> None:
    score = read_score(rich_score(tmp_path / "s.mid"))
    some = MusicAlignment.from_score(score.take(np.array([0, 2])), [1.0, 1.7], duration=4.0)
    some.to_midi(tmp_path / "a.mid")
    assert [row.pitch for row in read_midi_notes(tmp_path / "a.mid")] == [48, 72]


def test_music_that_begins_at_once_or_late(tmp_path: Path) -> None:
    for first in (0.0, 0.003, 40.0, 400.0):
        notes = [Note(60, 0.5 * k) for k in range(6)]
        wanted = MusicAlignment(notes, first + 0.5 * np.arange(6), duration=first + 5)
        wanted.to_midi(tmp_path / "a.mid", overwrite=True)
        same_times(MusicAlignment.from_labels(tmp_path / "a.mid", score=wanted), wanted, atol=2e-3)


@pytest.mark.parametrize("suffix", [".mid", ".txt", ".sv.csv", ".svl"])
def test_what_is_read_back_ends_where_the_last_note_does(tmp_path: Path, suffix: str) -> None:
    notes = [Note(60, 0.0), Note(64, 0.5), Note(67, 1.0)]
    wanted = MusicAlignment(notes, [1.0, 1.5, 2.0], duration=9.0, durations=[0.5, 0.5, 3.0])
    assert wanted.end == pytest.approx(5.0)
    path = tmp_path / f"a{suffix}"
    write_music(path, wanted)
    score = dataclasses.replace(Score.of(notes), durations=np.array([0.5, 0.5, 3.0]))
    found = MusicAlignment.from_labels(path, score=score, duration=9.0)  # as with --audio
    assert found.end == pytest.approx(wanted.end, abs=2e-3)
    assert found.duration == 9.0
    found = MusicAlignment.from_labels(path, score=score)
    assert found.end == pytest.approx(wanted.end, abs=2e-3)
    assert found.duration == found.end  # as far as is known
    found = MusicAlignment.from_labels(path, score=score, duration=3.0)
    assert found.end == found.duration == 3.0


def test_midi_read_back_with_other_notes(tmp_path: Path) -> None:
    wanted = random_alignment(4)
    wanted.to_midi(tmp_path / "a.mid")
    with pytest.raises(DataError, match=r"notes of pitch .*, the score 0"):
        MusicAlignment.from_labels(
            tmp_path / "a.mid", score=MusicAlignment([Note(20 + 80, 0.0)], [1.0])
        )


def test_tempo_maps_tell_time() -> None:
    tempo = TempoMap([0, 480, 960], [500_000, 250_000, 1_000_000], 480)
    assert [tempo.seconds(t) for t in (0, 240, 480, 960, 1440)] == [0, 0.25, 0.5, 0.75, 1.75]
    assert [tempo.tick(s) for s in (-1.0, 0.25, 0.625, 1.75)] == [0, 240, 720, 1440]


# The tempo curve, match files, the lot ----------------------------------------------------------


def test_the_tempo_curve(tmp_path: Path) -> None:
    wanted = random_alignment(1)
    wanted.to_tempo(tmp_path / "a.tempo.csv")
    table = np.genfromtxt(tmp_path / "a.tempo.csv", delimiter=",", names=True)
    times, score, relative = wanted.tempo()
    np.testing.assert_allclose(table["performed_s"], times, atol=1e-6)
    np.testing.assert_allclose(table["score_s"], score, atol=1e-6)
    np.testing.assert_allclose(table["relative_tempo"], relative, atol=1e-5)
    one = MusicAlignment([Note(60, 0.0)], [1.0])
    one.to_tempo(tmp_path / "b.tempo.csv")
    assert (tmp_path / "b.tempo.csv").read_text().endswith("1.000000,0.000000,\n")


def test_a_match_file_through_partitura(tmp_path: Path) -> None:
    partitura = pytest.importorskip("partitura")
    score = read_score(rich_score(tmp_path / "s.mid"))
    wanted = MusicAlignment.from_score(score, [1.03, 0.99, 1.7], duration=4.0)
    for name, item in (("a", wanted), ("b", random_alignment(3))):
        item.to_match(tmp_path / f"{name}.match")
        performance, pairs, part = partitura.load_match(
            tmp_path / f"{name}.match", create_score=True
        )
        played = performance.note_array()
        assert len(pairs) == len(played) == len(part.note_array()) == len(item)
        np.testing.assert_allclose(np.sort(played["onset_sec"]), np.sort(item.onsets), atol=2e-4)
    assert len(read_score(tmp_path / "a.match")) == 3


def test_a_match_file_where_the_system_has_another_encoding(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("partitura")
    as_in_windows = partial(open, encoding="cp1252", newline="\r\n")
    for module in ("importmatch", "matchfile_base"):
        monkeypatch.setattr(f"partitura.io.{module}.open", as_in_windows, raising=False)
    wanted = dataclasses.replace(random_alignment(1), score_file="Így, Þrír ß.mid")
    wanted.to_match(tmp_path / "a.match")
    written = (tmp_path / "a.match").read_bytes()
    assert b"\r" not in written
    assert "scoreFileName,Így, Þrír ß.mid" in written.decode().replace("(", ",")
    assert len(read_score(tmp_path / "a.match")) == len(wanted)


def test_a_match_file_without_partitura(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "partitura", None)
    with pytest.raises(DataError, match=r"match files are written through partitura.*\[scores\]"):
        random_alignment().to_match(tmp_path / "a.match")


@pytest.mark.parametrize("suffix", [s for s in MUSIC_FORMATS if s not in (".match", ".midi")])
def test_what_exists_is_kept(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    beats = beats_of_bars([(0.0, 100.0, 400, 1)])
    one, other = (dataclasses.replace(random_alignment(k), beats=beats) for k in (1, 2))
    write_music(path, one)
    before = path.read_bytes()
    with pytest.raises(DataError, match="exists; choose another name"):
        write_music(path, other)
    assert path.read_bytes() == before
    write_music(path, other, overwrite=True)
    assert path.read_bytes() != before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_unknown_and_unreadable_formats(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"'\.docx' is no format of aligned notes"):
        write_music(tmp_path / "a.docx", random_alignment())
    with pytest.raises(DataError, match="is not read for when each note is played"):
        MusicAlignment.from_labels(tmp_path / "a.tempo.csv")
    for suffix in (".mid", ".match"):
        with pytest.raises(DataError, match="there are no notes"):
            write_music(tmp_path / f"a{suffix}", MusicAlignment([], [], duration=1.0))


def test_what_holds_music(tmp_path: Path) -> None:
    random_alignment().to_csv(tmp_path / "a.csv")
    random_alignment().to_json(tmp_path / "a.json")
    (tmp_path / "b.csv").write_text("start,end,label\n0,1,a\n")
    (tmp_path / "b.json").write_text('{"events": []}')
    (tmp_path / "c.json").write_text("{")
    names = {"a.csv", "a.json", "x.mid", "x.svl", "x.sv.csv"}
    every = [*names, "b.csv", "b.json", "c.json", "x.txt", "x.TextGrid", "absent.csv"]
    assert {name for name in every if is_music(tmp_path / name)} == names


# Ends of notes ----------------------------------------------------------------------------------


def with_ends() -> MusicAlignment:
    notes = [Note(60, 0.0), Note(64, 0.5), Note(62, 1.0)]
    return MusicAlignment(
        notes,
        [1.0, 1.6, 2.1],
        duration=4.0,
        measured_offsets=[1.3, np.nan, 3.5],
        offset_confidence=[0.9, 0.2, 0.7],
    )


def test_ends_are_written_where_they_are_known(tmp_path: Path) -> None:
    found = with_ends()
    table = format_note_table(found).splitlines()
    assert table[0].endswith(",performed_offset_s,offset_confidence")
    assert [line.rsplit(",", 2)[1:] for line in table[1:]] == [
        ["1.300000", "0.9000"],
        ["", "0.2000"],
        ["3.500000", "0.7000"],
    ]
    write_music(tmp_path / "a.json", found)
    again = MusicAlignment.from_labels(tmp_path / "a.json")
    np.testing.assert_array_equal(again.measured_offsets, found.measured_offsets)
    np.testing.assert_array_equal(again.offset_confidence, found.offset_confidence)
    write_music(tmp_path / "a.mid", found)
    ends = [note.onset + note.duration for note in read_midi_notes(tmp_path / "a.mid")]
    assert ends == pytest.approx([1.3, found.offsets[1], 3.5], abs=0.002)


def test_a_truth_may_say_when_notes_ended(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text(format_note_table(with_ends()), encoding="utf-8")
    score = Score.of(with_ends().notes)
    truth = read_note_truth(tmp_path / "truth.csv", score)
    np.testing.assert_array_equal(truth.offsets(3), [1.3, np.nan, 3.5])
    (tmp_path / "plain.csv").write_text("onset,pitch,performed\n0,60,1\n", encoding="utf-8")
    assert read_note_truth(tmp_path / "plain.csv", score).offsets(3) is None
    (tmp_path / "early.csv").write_text(
        "onset,pitch,performed,performed_offset\n0,60,1,0.5\n", encoding="utf-8"
    )
    with pytest.raises(DataError, match=r"ends at 0\.5 s, before it is played at 1 s"):
        read_note_truth(tmp_path / "early.csv", score)


def test_ends_that_cannot_be_are_refused() -> None:
    with pytest.raises(ParameterError, match="must not lie before the onsets"):
        dataclasses.replace(with_ends(), measured_offsets=[0.9, np.nan, 3.5])
    with pytest.raises(ParameterError, match=r"offset_confidence must lie in \[0, 1\]"):
        dataclasses.replace(with_ends(), offset_confidence=[0.9, 1.2, 0.7])
