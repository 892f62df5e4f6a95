"""Readers of published corpora of music, on tiny folders in their formats."""

import json
import os
import re
import tracemalloc
from pathlib import Path

import mido
import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from align.corpus.readers import (
    read_asap,
    read_maestro,
    read_maps,
    read_match,
    read_smd,
    read_vienna4x22,
)
from align.errors import AlignError, DataError, ParameterError

RATE = 8000

CLOCK = "info(midiClockUnits,480).\ninfo(midiClockRate,500000).\n"  # 960 ticks a second
VERSION_1 = f"""info(matchFileVersion,1.0.0).
info(piece,'Two bars').
{CLOCK}scoreprop(timeSignature,2/4,0:1,0,-0.5000).
snote(n2,[C,#],4,1:1,0,1/4,0.0000,1.0000,[v1])-note(n1,61,960,1200,64,0,0).
snote(n1,[B,n],3,0:2,1/8,1/8,-0.5000,0.0000,[v1])-note(n0,59,480,700,64,0,0).
snote(n3,[E,b],4,1:1,0,1/4,0.0000,1.0000,[v2,staff2])-deletion.
snote(n4,[G,n],5,1:2,0,0,1.0000,1.0000,[v1,grace])-note(n3,79,1440,1450,64,0,0).
snote(n5,[R,-],-,1:2,0,1/4,1.0000,2.0000,[fermata])-deletion.
insertion-note(n7,67,2000,2100,40,0,0).
ornament(n2,[trill])-note(n8,62,1200,1210,40,0,0).
sustain(0,127).
"""
VERSION_5 = f"""info(matchFileVersion,5.0).
{CLOCK}snote(n1-1,[F,x],3,1:1,0,1/8,0.0,0.5,[])-note(1,[F,x],3,480,720,1440,70).
snote(n2-1,[B,bb],3,1:1,1/8,1/8,0.5,1.0,[])-note(2,[B,bb],3,960,1100,1440,71).
"""
VERSION_01 = f"""info(matchFileVersion,1.0).
{CLOCK}snote(n1,[c,n],6,1:1,0/1,1/8,0.00000,0.50000,[s])-note(1,[c,n],6,960.00,1100.00,38).
snote(n2,[d,n],6,1:1,1/8,1/8,0.50000,1.00000,[s])-trailing_score_note.
"""


def silence(path: Path, seconds: float = 3.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.zeros(round(seconds * RATE)), RATE, subtype="PCM_16")
    return path


def midi(
    path: Path,
    notes: list[tuple[int, int]],
    tempos: tuple[tuple[int, int], ...] = ((0, 500_000),),
) -> Path:
    """Write notes (tick, pitch) of 100 ticks, 480 of which are a quarter, with tempo changes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    events = [(tick, 0, mido.MetaMessage("set_tempo", tempo=tempo)) for tick, tempo in tempos]
    for tick, pitch in notes:
        events.append((tick, 2, mido.Message("note_on", note=pitch, velocity=64)))
        events.append((tick + 100, 1, mido.Message("note_off", note=pitch)))
    track = mido.MidiTrack()
    at = 0
    for tick, _, message in sorted(events, key=lambda event: event[:2]):
        track.append(message.copy(time=tick - at))
        at = tick
    file = mido.MidiFile(type=1, ticks_per_beat=480)
    file.tracks.append(track)
    file.save(path)
    return path


def match(path: Path, text: str = VERSION_1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# Match files ------------------------------------------------------------------------------------


def test_a_match_file_holds_score_and_performance(tmp_path):
    read = read_match(match(tmp_path / "a.match"))
    assert read.info["piece"] == "Two bars"
    assert read.score.ids == ("n1", "n2", "n3", "n4")  # by onset and pitch; no rest
    assert read.score.pitches.tolist() == [59, 61, 63, 79]
    np.testing.assert_allclose(read.score.onsets, [0.0, 0.25, 0.25, 0.75])  # the upbeat is at 0
    np.testing.assert_allclose(read.score.durations, [0.25, 0.5, 0.5, 0.0])
    assert read.score.grace.tolist() == [False, False, False, True]
    np.testing.assert_allclose(read.truth.onsets(4), [0.5, 1.0, np.nan, 1.5])


@pytest.mark.parametrize(
    ("text", "pitches", "performed"),
    [(VERSION_5, [55, 57], [0.5, 1.0]), (VERSION_01, [84, 86], [1.0, np.nan])],
)
def test_older_versions_spell_the_performed_notes(tmp_path, text, pitches, performed):
    read = read_match(match(tmp_path / "a.match", text))
    assert read.score.pitches.tolist() == pitches
    np.testing.assert_allclose(read.truth.onsets(2), performed)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("info(midiClockUnits,480).\n", ""), "no line info\\(midiClockUnits"),
        (("midiClockUnits,480", "midiClockUnits,0"), "midiClockUnits is 0, must be positive"),
        (("[C,#]", "[H,#]"), "line 6: \\[H,#\\] is no spelling"),
        (("[C,#],4", "[C,#],4.5"), "line 6: 4.5 is no octave"),
        (("[C,#],4", "[C,#],9"), "line 6: .*pitch 121"),
        (("note(n1,61,960", "note(n1,61,soon"), "line 6: the onset in ticks is 'soon'"),
        (("0.0000,1.0000,[v1]", "0.0000,[v1]"), "line 6: is not a note of a score"),
    ],
)
def test_what_is_wrong_in_a_match_file_is_said(tmp_path, change, reason):
    with pytest.raises(DataError, match=reason):
        read_match(match(tmp_path / "a.match", VERSION_1.replace(*change)))


def test_a_stub_of_a_match_file_is_said(tmp_path):
    with pytest.raises(DataError, match="has no notes of a score"):
        read_match(match(tmp_path / "a.match", CLOCK))
    unplayed = CLOCK + "snote(n1,[C,n],4,1:1,0,1/4,0.0,1.0,[])-deletion.\n"
    with pytest.raises(DataError, match="no note of the score that was played"):
        read_match(match(tmp_path / "a.match", unplayed))


@given(st.text(max_size=60), st.integers(0, 12))
def test_no_line_of_a_match_file_breaks_the_reader(tmp_path_factory, junk, line):
    lines = VERSION_1.split("\n")
    lines[line] = lines[line][: len(lines[line]) // 2] + junk + lines[line][-5:]
    path = tmp_path_factory.mktemp("fuzz") / "a.match"
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        read_match(path)
    except AlignError:
        pass


# Vienna 4x22 ------------------------------------------------------------------------------------


@pytest.fixture
def vienna(tmp_path):
    for player in ("p01", "p02"):
        match(tmp_path / "match" / f"Chopin_op38_{player}.match")
        silence(tmp_path / "audio" / f"Chopin_op38_{player}.wav")
    return tmp_path


def test_vienna_groups_by_piece(vienna):
    corpus = read_vienna4x22(vienna)
    assert len(corpus) == 2
    assert corpus.kind == "music"
    assert corpus.groups == ["Chopin_op38"]
    np.testing.assert_allclose(corpus[0].onsets, [0.5, 1.0, np.nan, 1.5])
    assert [note.pitch for note in corpus[0].events] == [59, 61, 63, 79]
    assert corpus[0].score.ids == ("n1", "n2", "n3", "n4")


def test_vienna_takes_offsets(vienna):
    corpus = read_vienna4x22(vienna / "match", vienna / "audio", offset={"Chopin_op38_p02": 0.25})
    assert [float(example.onsets[0]) for example in corpus] == [0.5, 0.75]


def test_vienna_lists_what_does_not_fit(vienna):
    silence(vienna / "audio" / "Chopin_op38_p01.wav", 1.0)
    lost = match(vienna / "match" / "Chopin_op38_p03.match")
    alone = silence(vienna / "audio" / "Chopin_op38_p04.wav")
    corpus = read_vienna4x22(vienna)
    assert len(corpus) == 1
    (first, too_short), (second, no_audio) = corpus.problems
    assert "beyond the recording, which lasts 1.000 s" in too_short
    assert (Path(first).stem, second) == ("Chopin_op38_p01", str(lost))
    assert "no recording of its name" in no_audio
    assert corpus.unpaired == [str(alone)]


# ASAP -------------------------------------------------------------------------------------------

HEAD = (
    "composer,title,folder,xml_score,midi_score,midi_performance,performance_annotations,"
    "midi_score_annotations,maestro_midi_performance,maestro_audio_performance,start,end,"
    "audio_performance,robust_note_alignment"
)
FOLDER = "Bach/Fugue/bwv_846"


def asap_row(
    player: str, audio: str = "", maestro: str = "", start: str = "", robust: str = "1.0"
):
    stem = f"{FOLDER}/{player}"
    return ",".join(
        [
            *("Bach", "Fugue_bwv_846", FOLDER, f"{FOLDER}/xml_score.musicxml"),
            *(f"{FOLDER}/midi_score.mid", f"{stem}.mid", f"{stem}_annotations.txt"),
            *(f"{FOLDER}/midi_score_annotations.txt", "", maestro, start, "", audio, robust),
        ]
    )


@pytest.fixture
def asap(tmp_path):
    """Five performances: with audio; cut from MAESTRO; whole in MAESTRO; silent; not vouched."""
    root, maestro = tmp_path / "asap", tmp_path / "maestro"
    rows = [
        HEAD,
        asap_row("A01", audio=f"{FOLDER}/A01.wav"),
        asap_row("B02", maestro="{maestro}/2006/b.wav", start="12.5"),
        asap_row("C03", maestro="{maestro}/2006/c.wav"),
        asap_row("D04"),
        asap_row("E05", audio=f"{FOLDER}/A01.wav", robust="0.0"),
    ]
    root.mkdir()
    (root / "metadata.csv").write_text("\n".join(rows) + "\n")
    silence(root / FOLDER / "A01.wav")
    silence(maestro / "2006" / "c.wav")
    for player in ("A01", "B02", "C03", "D04", "E05"):
        match(root / FOLDER / f"{player}.match")
        (root / FOLDER / f"{player}_annotations.txt").write_text(
            "0.50\t0.50\tdb,4/4,0\n1.25\t1.25\tb\n1.9\t1.9\t3/4\n2.00\t2.00\tbR\n"
        )
    (root / FOLDER / "midi_score_annotations.txt").write_text(
        "0.0\t0.0\tdb,4/4,0\n0.5\t0.5\tb\n1.0\t1.0\tbR\n"
    )
    midi(root / FOLDER / "midi_score.mid", [(0, 60), (240, 62), (480, 64), (480, 67), (961, 60)])
    return root


def test_asap_reads_match_files(asap):
    corpus = read_asap(asap)
    assert corpus.groups == [FOLDER]
    np.testing.assert_allclose(corpus[0].onsets, [0.5, 1.0, np.nan, 1.5])
    reasons = " ".join(reason for _, reason in corpus.problems)
    assert len(corpus.problems) == 3
    assert "line 3: the recording of" in reasons
    assert "say where MAESTRO is" in reasons
    assert "D04.mid was never recorded as sound" in reasons


def test_asap_finds_whole_recordings_in_maestro(asap):
    corpus = read_asap(asap, maestro=asap.parent / "maestro")
    assert sorted(Path(example.name).name for example in corpus) == ["A01.wav", "c.wav"]
    assert any("initialize_dataset.py cuts it out" in why for _, why in corpus.problems)


def test_asap_takes_notes_nobody_vouches_for_when_asked(asap):
    assert len(read_asap(asap, robust=False)) == 2


def test_asap_gives_notes_on_beats_their_times(asap):
    corpus = read_asap(asap, truth="beats")
    np.testing.assert_allclose(corpus[0].onsets, [0.5, np.nan, 1.25, 1.25, 2.0])
    assert len(corpus) == 2  # vouching is for notes


def test_asap_pairs_notes_and_beats_in_little_memory(asap, monkeypatch):
    monkeypatch.setattr("align.files.text._MAX_BYTES", 1 << 20)  # it is asked for, though not used
    rng = np.random.default_rng(0)
    beats = np.sort(np.append(rng.uniform(0, 150, 2995).round(2), [0.0, 5.0, 5.0, 150.0, 150.0]))
    notes = np.unique(rng.integers(0, 480 * 160 * 2, 1000))
    midi(asap / FOLDER / "midi_score.mid", [(int(tick), 60) for tick in notes])
    for name, times in (("midi_score", beats), ("A01", np.arange(beats.size) / 1000)):
        lines = "".join(f"{time}\t{time}\tb\n" for time in times)
        (asap / FOLDER / f"{name}_annotations.txt").write_text(lines)
    tracemalloc.start()
    (example,) = read_asap(asap, truth="beats")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e7  # a matrix of both has 2.4e7 bytes
    distances = np.abs(example.score.onsets[:, None] - beats)
    on = distances.min(axis=1) <= 0.02
    nearest = distances.argmin(axis=1)
    np.testing.assert_array_equal(example.onsets, np.where(on, nearest / 1000, np.nan))


def test_asap_lists_beats_that_cannot_be_paired(asap):
    (asap / FOLDER / "A01_annotations.txt").write_text("0.50\t0.50\tdb\n1.25\t1.25\tb\n")
    corpus = read_asap(asap, truth="beats")
    assert any("has 2 beats, the score 3" in why for _, why in corpus.problems)


def test_asap_without_match_files_says_so(asap):
    (asap / FOLDER / "A01.match").unlink()
    with pytest.raises(DataError, match=r"A01\.mid has no match file"):
        read_asap(asap)


def test_asap_needs_its_table(asap):
    (asap / "metadata.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="no column 'midi_performance'"):
        read_asap(asap)
    with pytest.raises(ParameterError, match="truth='bars'"):
        read_asap(asap, truth="bars")


# MAESTRO, SMD, MAPS -----------------------------------------------------------------------------

COLUMNS = "canonical_composer,canonical_title,split,year,midi_filename,audio_filename,duration"
NOTES = [(960, 60), (1440, 64), (1445, 67)]  # at 1, 1.5 and 1.505 s


@pytest.fixture
def maestro(tmp_path):
    rows = [COLUMNS]
    for name, split in (("a", "train"), ("b", "test"), ("lost", "train")):
        rows.append(f'Chopin,"Ballade, {name}",{split},2018,2018/{name}.midi,2018/{name}.wav,3')
        if name != "lost":
            midi(tmp_path / "2018" / f"{name}.midi", NOTES)
            silence(tmp_path / "2018" / f"{name}.wav")
    (tmp_path / "maestro-v3.0.0.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_maestro_is_its_own_score(maestro):
    corpus = read_maestro(maestro)
    assert corpus.groups == ["Chopin, Ballade, a", "Chopin, Ballade, b"]
    np.testing.assert_allclose(corpus[0].onsets, [1.0, 1.5, 1.505], atol=1e-3)
    np.testing.assert_allclose(corpus[0].score.onsets, [0.0, 0.5, 0.505], atol=1e-3)
    ((path, why),) = corpus.problems
    assert (Path(path).name, why) == ("lost.wav", "is in the table but not in the folder.")


def test_maestro_looks_for_its_table_at_the_top_only(maestro, monkeypatch):
    seen = []
    monkeypatch.setattr(os, "scandir", lambda path, own=os.scandir: seen.append(path) or own(path))
    assert len(read_maestro(maestro)) == 2
    assert seen == [str(maestro)]


@pytest.mark.parametrize("columns", [True, False])
def test_maestro_reads_json_of_every_version(maestro, columns):
    rows = [
        {"split": "train", "midi_filename": "2018/a.midi", "audio_filename": "2018/a.wav"},
        {"split": "test", "midi_filename": "2018/b.midi", "audio_filename": "2018/b.wav"},
    ]
    table = {k: {str(i): row[k] for i, row in enumerate(rows)} for k in rows[0]}
    path = maestro / "maestro-v4.json"
    path.write_text(json.dumps(table if columns else rows))
    assert len(read_maestro(maestro)) == 2
    (example,) = read_maestro(path, split="test")
    assert Path(example.name).name == "b.wav"


def test_maestro_refuses_unknown_splits_and_broken_tables(maestro):
    with pytest.raises(ParameterError, match="split='dev'"):
        read_maestro(maestro, split="dev")
    with pytest.raises(ParameterError, match=r"split=\(\), must be one of"):
        read_maestro(maestro, split=())
    (maestro / "maestro-v8.csv").write_text("split,midi_filename,audio_filename\n")
    with pytest.raises(DataError, match="of the split 'train' or 'validation' or 'test'"):
        read_maestro(maestro)
    broken = maestro / "maestro-v9.json"
    for text in ("{", "3", '[["a"]]'):
        broken.write_text(text)
        with pytest.raises(DataError, match=r"JSON|list of records"):
            read_maestro(maestro)


def test_smd_pairs_by_name(tmp_path):
    midi(tmp_path / "midi" / "Bach_BWV849-01_001_20090916-SMD.mid", NOTES)
    silence(tmp_path / "audio" / "Bach_BWV849-01_001_20090916-SMD.wav")
    lost = midi(tmp_path / "midi" / "Bach_BWV849-02_001_20090916-SMD.mid", NOTES)
    corpus = read_smd(tmp_path)
    assert corpus.groups == ["Bach_BWV849-01"]
    assert corpus.problems == [(str(lost), "has no recording of its name.")]
    assert [note.pitch for note in corpus[0].events] == [60, 64, 67]


@pytest.fixture
def maps(tmp_path):
    """A sequence whose second quarter is played at half the tempo."""
    name = "MUS/MAPS_MUS-bk_xmas1_ENSTDkAm"
    slow = ((0, 500_000), (960, 1_000_000))
    midi(tmp_path / f"{name}.mid", [(480, 60), (960, 60), (1440, 64)], slow)
    silence(tmp_path / f"{name}.wav")
    rows = ["OnsetTime\tOffsetTime\tMidiPitch"]
    rows += ["2.0001\t2.2\t64", "0.5001\t0.6\t60", "1.0001\t1.2\t60"]
    (tmp_path / f"{name}.txt").write_text("\n".join(rows) + "\n")
    silence(tmp_path / "ISOL" / "MAPS_ISOL_NO_M_M60_ENSTDkAm.wav")
    return tmp_path


def test_maps_takes_the_tempo_out_of_the_score(maps):
    (example,) = read_maps(maps)
    np.testing.assert_allclose(example.score.onsets, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(example.onsets, [0.5001, 1.0001, 2.0001])
    assert example.group == "MAPS_MUS-bk_xmas1"
    (delayed,) = read_maps(maps, delay=0.019)
    np.testing.assert_allclose(delayed.onsets - example.onsets, 0.019)
    np.testing.assert_allclose(example.truth.offsets(3), [0.6, 1.2, 2.2])
    np.testing.assert_allclose(delayed.truth.offsets(3), [0.619, 1.219, 2.219])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("2.0001\t2.2\t64\n", ""), "the note of pitch 64 at 2.000 s of the MIDI file is not"),
        (("1.0001\t1.2\t60", "1.0001\t1.2\t60\n2.4\t2.5\t60"), "pitch 60 at 2.400 s is not in"),
        (("1.0001", "1.3"), "pitch 60 at 1.000 s of the MIDI file is not in the list"),
        (("\t64", "\t64.5"), "line 2: 64.5 is no MIDI number"),
        (("2.2\t", ""), "line 2: .* is not `onset offset pitch`"),
    ],
)
def test_maps_says_where_list_and_midi_differ(maps, change, reason):
    path = maps / "MUS" / "MAPS_MUS-bk_xmas1_ENSTDkAm.txt"
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(DataError, match=reason):
        read_maps(maps)


@pytest.mark.parametrize("sets", ["MUS", ()])
def test_maps_refuses_what_is_no_list_of_sets(maps, sets):
    with pytest.raises(ParameterError, match=re.escape(f"sets={sets!r}, must be a tuple")):
        read_maps(maps, sets=sets)


def test_maps_lists_recordings_without_truth(maps):
    audio = silence(maps / "MUS" / "MAPS_MUS-alb_se3_ENSTDkCl.wav")
    assert read_maps(maps).unpaired == [str(audio)]
