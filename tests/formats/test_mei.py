"""MEI as programs write it: tempi, transposing staves, octaves that sound, ties of notes."""

from pathlib import Path

import pytest

from align.formats.scores import read_score

pytest.importorskip("partitura")


def read(folder: Path, staves: list[str], *bars: list[str], more: str = "") -> str:
    """Return the notes of a score of one or two staves as ``name@onset``."""
    defined = "".join(
        f'<staffDef n="{n}" lines="5" ppq="4" {attributes}><clef shape="G" line="2"/></staffDef>'
        for n, attributes in enumerate(staves, 1)
    )
    measures = "".join(
        f'<measure n="{k}">'
        + "".join(
            f'<staff n="{n}"><layer n="1">{music}</layer></staff>'
            for n, music in enumerate(bar[: len(staves)], 1)
        )
        + "".join(bar[len(staves) :])
        + "</measure>"
        for k, bar in enumerate(bars, 1)
    )
    path = folder / "a.mei"
    path.write_text(
        '<?xml version="1.0"?><mei xmlns="http://www.music-encoding.org/ns/mei"><music><body>'
        f'<mdiv><score><scoreDef meter.count="4" meter.unit="4" {more}><staffGrp symbol="brace">'
        f"{defined}</staffGrp></scoreDef><section>{measures}</section></score></mdiv></body>"
        "</music></mei>",
        encoding="utf-8",
    )
    score = read_score(path)
    return " ".join(f"{n}@{t:g}" for n, t in zip(score.names, score.onsets, strict=True))


def note(step: str, duration: int = 1, more: str = "", octave: int = 4) -> str:
    note.count += 1
    return (
        f'<note xml:id="n{note.count}" pname="{step}" oct="{octave}" dur="{duration}" '
        f'dur.ppq="{16 // duration}" {more}/>'
    )


note.count = 0


def test_tempi_hold_for_all_staves(tmp_path: Path) -> None:
    slow = '<tempo tstamp="1" midi.bpm="60"/>'
    fast = '<tempo tstamp="3" mm="120" mm.unit="2">x</tempo>'
    bars = [note("c"), note("e"), slow], [note("d"), note("f", 2) + note("g", 2), fast]
    assert read(tmp_path, ["", ""], *bars) == "C4@0 E4@0 D4@4 F4@4 G4@6"
    assert read(tmp_path, [""], [note("c")], [note("d")], more='midi.bpm="30"') == "C4@0 D4@8"


def test_transposing_staves_sound(tmp_path: Path) -> None:
    staves = ['trans.diat="-1" trans.semi="-2"', 'trans.semi="-12" trans.diat="-7"', ""]
    assert read(tmp_path, staves, [note("c"), note("e"), note("g")]) == "E3@0 Bb3@0 G4@0"


def test_octaves_that_sound(tmp_path: Path) -> None:
    bar = note("c", 2, 'oct.ges="5"') + note("d", 2)
    assert read(tmp_path, [""], [bar]) == "C5@0 D4@1"


def test_leaps(tmp_path: Path) -> None:
    mark = '<repeatMark tstamp="1" staff="1" func="{}">{}</repeatMark>'.format
    bars = [note("c")], [note("d"), mark("segno", "")], [note("e"), mark("dalSegno", "D.S.")]
    assert read(tmp_path, [""], *bars) == "C4@0 D4@2 E4@4 D4@6 E4@8"
    lost = [note("c")], [note("d")], [note("e"), mark("dalSegno", "")]
    assert read(tmp_path, [""], *lost) == "C4@0 D4@2 E4@4"
    to_coda, back = mark("coda", "To Coda"), '<dir tstamp="4">D.C. al Coda</dir>'
    bars = [note("c"), to_coda], [note("d"), back], [note("e"), mark("coda", "")]
    assert read(tmp_path, [""], *bars) == "C4@0 D4@2 C4@4 E4@6"
    bars = [note("c"), mark("fine", "Fine")], [note("d"), mark("daCapo", "D.C. al Fine")]
    assert read(tmp_path, [""], *bars) == "C4@0 D4@2 C4@4"


def test_ties_of_notes_and_chords(tmp_path: Path) -> None:
    first = note("c", 2) + note("d", 2, 'tie="i"')
    second = note("d", 1, 'tie="m"')
    third = note("d", 2, 'tie="t"') + note("d", 2)
    assert read(tmp_path, [""], [first], [second], [third]) == "C4@0 D4@1 D4@5"
    chord = '<chord xml:id="c{}" dur="1" dur.ppq="16" tie="{}">{}</chord>'
    notes = note("c") + note("e")
    again = note("c") + note("e")
    bars = [chord.format(1, "i", notes)], [chord.format(2, "t", again)], [note("c")]
    assert read(tmp_path, [""], *bars) == "C4@0 E4@0 C4@4"
