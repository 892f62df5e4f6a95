"""Which instruments a score names, in every format, and in files that are none."""

import zipfile
from pathlib import Path

import mido
import pytest

from align.formats.scores.instruments import Instrument, score_instruments

PARTS = """<?xml version="1.0"?><score-partwise><part-list>
<score-part id="P1"><part-name>{name}</part-name>
<score-instrument id="I1"><instrument-name>{name}</instrument-name></score-instrument>
{more}</score-part></part-list><part id="P1"/></score-partwise>"""


def midi(path: Path, *tracks: tuple[str, int | None], channel: int = 0) -> Path:
    """Write a file with a note in each track: its name, and its program if any."""
    file = mido.MidiFile(tracks=[mido.MidiTrack([mido.MetaMessage("track_name", name="Violin")])])
    for name, program in tracks:
        track = mido.MidiTrack([mido.MetaMessage("track_name", name=name)])
        if program is not None:
            track.append(mido.Message("program_change", program=program, channel=channel))
        track.append(mido.Message("note_on", note=60, velocity=64, channel=channel))
        track.append(mido.Message("note_off", note=60, time=480, channel=channel))
        file.tracks.append(track)
    file.save(path)
    return path


@pytest.mark.parametrize(
    ("program", "sound"),
    [(40, "sustained"), (19, "sustained"), (52, "sustained"), (24, "struck"), (6, "struck")],
)
def test_programs_of_midi(tmp_path: Path, program: int, sound: str) -> None:
    found = score_instruments(midi(tmp_path / "a.mid", ("Piano", program), ("Piano", program)))
    assert [instrument.sound for instrument in found] == [sound]
    assert f"(program {program + 1})" in found[0].name


@pytest.mark.parametrize("program", [0, None])
@pytest.mark.parametrize(
    ("name", "sound"),
    [
        ("Violoncello II", "sustained"),
        ("Oboe", "sustained"),
        ("Klavier", "struck"),
        ("Violino e Cembalo", ""),
        ("Soprano", ""),
        ("Right hand", ""),
        ("An accordingly rising window", ""),
        ("Concerto for violin and orchestra, first movement", ""),
    ],
)
def test_program_0_leaves_it_to_the_name(
    tmp_path: Path, name: str, sound: str, program: int | None
) -> None:
    assert score_instruments(midi(tmp_path / "a.mid", (name, program))) == [
        Instrument(name, sound)  # type: ignore[arg-type]
    ]


def test_tracks_without_notes_do_not_count(tmp_path: Path) -> None:
    assert score_instruments(midi(tmp_path / "a.mid")) == []


def test_a_channel_may_get_its_program_in_another_track(tmp_path: Path) -> None:
    path = midi(tmp_path / "a.mid", ("", None))
    file = mido.MidiFile(path)
    file.tracks[0].append(mido.Message("program_change", program=73))
    file.save(path)
    assert [instrument.sound for instrument in score_instruments(path)] == ["sustained"]


def test_musicxml_compressed_or_not(tmp_path: Path) -> None:
    text = PARTS.format(name="Flöte", more="")
    plain, packed, wide = (tmp_path / name for name in ("a.musicxml", "a.mxl", "b.xml"))
    plain.write_text(text, encoding="utf-8")
    wide.write_text(text, encoding="utf-16")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("META-INF/container.xml", "<container/>")
        archive.writestr("score.xml", text)
    for path in (plain, packed, wide):
        assert score_instruments(path) == [Instrument("Flöte", "sustained")]


def test_a_program_of_musicxml_goes_before_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    more = '<midi-instrument id="I1"><midi-program>{}</midi-program></midi-instrument>'
    path.write_text(PARTS.format(name="Piano", more=more.format(41)), encoding="utf-8")
    assert score_instruments(path) == [Instrument("strings (program 41)", "sustained")]
    path.write_text(PARTS.format(name="Piano", more=more.format(1)), encoding="utf-8")
    assert score_instruments(path) == [Instrument("Piano", "struck")]


@pytest.mark.parametrize("program", ["0", "129", "999"])
def test_programs_that_there_are_not_tell_nothing(tmp_path: Path, program: str) -> None:
    xml, mei = tmp_path / "a.xml", tmp_path / "a.mei"
    more = f'<midi-instrument id="I1"><midi-program>{program}</midi-program></midi-instrument>'
    xml.write_text(PARTS.format(name="Piano", more=more), encoding="utf-8")
    mei.write_text(f'<scoreDef><instrDef midi.instrnum="{program}"/></scoreDef>', encoding="utf-8")
    assert score_instruments(xml) == [Instrument("Piano", "struck")]
    assert score_instruments(mei) == []


def test_mei_and_kern(tmp_path: Path) -> None:
    mei, kern = tmp_path / "a.mei", tmp_path / "a.krn"
    mei.write_text(
        '<mei><scoreDef><staffGrp><staffDef n="1" label="Clarinet in Bb"/>'
        "<staffDef n='2'><label>Piano</label></staffDef></staffGrp></scoreDef></mei>",
        encoding="utf-8",
    )
    assert [i.sound for i in score_instruments(mei)] == ["sustained", "struck"]
    kern.write_text('**kern\t**kern\n*Icello\t*I"Violin I\n', encoding="utf-8")
    assert score_instruments(kern) == [
        Instrument("cello", "sustained"),
        Instrument("Violin I", "sustained"),
    ]


@pytest.mark.parametrize("suffix", [".mid", ".xml", ".mxl", ".mei", ".krn", ".csv", ".match", ""])
def test_what_is_no_score_names_nothing(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    assert score_instruments(path) == []  # not there
    path.write_bytes(bytes(range(256)))
    assert score_instruments(path) == []
    assert score_instruments(tmp_path) == []
