"""MEI as programs and editors write it: tempi, staves, ties, tremolos, rests, readings."""

import sys
from pathlib import Path

import pytest

from align.errors import DataError
from align.formats.scores import Score, read_score


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


def test_octave_lines_of_files_that_say_no_octave_that_sounds(tmp_path: Path) -> None:
    line = '<octave staff="1" dis="8" dis.place="above" tstamp="3" tstamp2="1m+1"/>'
    bars = [note("c", 2) + note("d", 2), note("c"), line], [note("e", 2) + note("f", 2)]
    assert read(tmp_path, ["", ""], *bars) == "C4@0 C4@0 D5@1 E5@2 F4@3"
    said = [note("e", 2, 'oct.ges="5"') + note("f", 2)]
    assert read(tmp_path, ["", ""], bars[0], said) == "C4@0 C4@0 D4@1 E5@2 F4@3"
    first = note("c", 2)
    below = f'<octave dis="15" dis.place="below" startid="#n{note.count}" endid="#n{note.count}"/>'
    assert read(tmp_path, [""], [first + note("d", 2), below]) == "C2@0 D4@1"
    lost = '<octave dis="8" staff="1" tstamp="1" tstamp2="3m+1"/>'
    assert read(tmp_path, [""], [note("c"), lost]) == "C4@0"


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


def plain(step: str, duration: str = "4", more: str = "") -> str:
    """Return a note as editors write it: without an id or ticks."""
    return f'<note pname="{step}" oct="4" dur="{duration}" {more}/>'


def score_of(folder: Path, content: str, defined: str | None = None) -> Score:
    """Return a score of what stands in its section; by default of one staff in 4/4."""
    one = '<scoreDef meter.count="4" meter.unit="4"><staffDef n="1"/></scoreDef>'
    path = folder / "b.mei"
    path.write_text(
        '<mei xmlns="http://www.music-encoding.org/ns/mei"><meiHead/><music><body><mdiv><score>'
        f"{one if defined is None else defined}<section>{content}</section></score></mdiv></body>"
        "</music></mei>",
        encoding="utf-8",
    )
    return read_score(path)


def bar(layer: str, more: str = "") -> str:
    return f'<measure {more}><staff n="1"><layer>{layer}</layer></staff></measure>'


def notes_of(folder: Path, content: str, defined: str | None = None) -> str:
    """Return the notes of a score as ``name@onset``, in quarters."""
    score = score_of(folder, content, defined)
    return " ".join(f"{n}@{2 * t:.4g}" for n, t in zip(score.names, score.onsets, strict=True))


def test_staves_go_by_their_number_and_may_be_missing(tmp_path: Path) -> None:
    defined = (
        '<scoreDef><staffGrp label="Piano"><staffDef n="1" label="Flute" trans.semi="12"/>'
        '<staffDef n="2"/></staffGrp></scoreDef>'
    )
    low = f'<staff n="2"><layer n="1">{plain("c", "1")}</layer></staff>'
    high = f'<staff n="1"><layer n="1">{plain("e", "1")}</layer></staff>'
    bars = f"<measure>{low}{high}</measure><measure>{high}</measure><measure>{low}</measure>"
    score = score_of(tmp_path, bars, defined)
    assert score.names == ("C4", "E5", "E5", "C4")
    assert score.parts == ("Piano", "Flute", "Flute", "Piano")
    assert score.beats is None  # no metre, and none is invented


def test_signs_between_two_repeats(tmp_path: Path) -> None:
    bars = bar(plain("c", "1"), 'right="rptboth"') + bar(plain("d", "1"), 'right="rptend"')
    assert notes_of(tmp_path, bars + bar(plain("e", "1"))) == "C4@0 C4@4 D4@8 D4@12 E4@16"
    ending = '<ending n="{}">{}</ending>'.format
    first, second = bar(plain("d", "1"), 'right="rptend"'), bar(plain("e", "1"))
    bars = bar(plain("c", "1")) + ending(1, first) + ending(2, second)
    assert notes_of(tmp_path, bars) == "C4@0 D4@4 C4@8 E4@12"


def test_rests_that_go_beyond_their_bar_leave_it_as_long_as_it_is(tmp_path: Path) -> None:
    long, bar = '<rest dur="breve"/>', note("c", 2) + note("d", 2)
    bars = [bar, long], [bar, note("e", 4) + long], [note("f", 2), long], [note("g"), note("a")]
    assert read(tmp_path, ["", ""], *bars) == ("C4@0 D4@1 C4@2 E4@2 D4@3 F4@4 G4@6 A4@6")


def test_rests_and_bars_that_are_played_again(tmp_path: Path) -> None:
    whole = plain("c", "1")
    assert notes_of(tmp_path, bar('<multiRest num="3"/>') + bar(whole)) == "C4@12"
    assert notes_of(tmp_path, bar("<mSpace/>") + bar("<mRest/>") + bar(whole)) == "C4@8"
    two = plain("c", "2") + plain("d", "2")
    assert notes_of(tmp_path, bar(two) + bar("<mRpt/>")) == "C4@0 D4@2 C4@4 D4@6"
    beats = plain("c", "8") + plain("d", "8") + "<beatRpt/><halfmRpt/>"
    want = "C4@0 D4@0.5 C4@1 D4@1.5 C4@2 D4@2.5 C4@3 D4@3.5 E4@4"
    assert notes_of(tmp_path, bar(beats) + bar(plain("e"))) == want


def test_notes_without_an_id_get_one_that_no_other_has(tmp_path: Path) -> None:
    bars = bar(plain("c", "2", 'xml:id="n2"') + plain("d", "2")) + bar("<mRpt/>")
    assert score_of(tmp_path, bars).ids == ("n2", "note2", "note3", "note4")
    assert score_of(tmp_path, bar(plain("c") + plain("d"))).ids == ("n1", "n2")


def test_tremolos_graces_and_tuplets(tmp_path: Path) -> None:
    tremolos = f"<bTrem>{plain('c', '2')}</bTrem><fTrem>{plain('d', '2')}{plain('e', '2')}</fTrem>"
    assert notes_of(tmp_path, bar(tremolos) + bar(plain("f"))) == "C4@0 D4@2 E4@3 F4@4"
    group = f"<graceGrp>{plain('d', '16')}{plain('e', '16')}</graceGrp>"
    score = score_of(
        tmp_path, bar(plain("c") + group + plain("f") + plain("g", "8", 'grace="acc"'))
    )
    assert score.names == ("C4", "D4", "E4", "F4", "G4")
    assert score.onsets.tolist() == [0, 0.5, 0.5, 0.5, 1]
    assert score.grace.tolist() == [False, True, True, False, True]
    inner = f'<tuplet num="3" numbase="2">{plain("d", "8") * 3}</tuplet>'
    nested = f'<tuplet num="3" numbase="2">{plain("c")}{inner}{plain("e")}</tuplet>'
    want = "C4@0 D4@0.6667 D4@0.8889 D4@1.111 E4@1.333 F4@2"
    assert notes_of(tmp_path, bar(nested + plain("f"))) == want
    named = "".join(plain(step, "4", f'xml:id="{step}"') for step in "cdef")
    span = '<tupletSpan startid="#c" endid="#e" num="3" numbase="2"/>'
    bars = bar(named).replace("</measure>", f"{span}</measure>")
    assert notes_of(tmp_path, bars) == "C4@0 D4@0.6667 E4@1.333 F4@2"


def test_alterations_that_only_the_key_and_the_bar_say(tmp_path: Path) -> None:
    defined = '<scoreDef key.sig="1s" meter.count="4" meter.unit="4"/>'
    bars = bar(plain("f") + plain("f", "4", 'accid="n"') + plain("f") + plain("c", "4"))
    bars += bar(plain("f") + plain("b", "4", 'accid="f"') + plain("b"))
    assert notes_of(tmp_path, bars, defined) == "F#4@0 F4@1 F4@2 C4@3 F#4@4 Bb4@5 Bb4@6"
    said = bars + bar(plain("f", "4", 'accid.ges="s"'))
    assert notes_of(tmp_path, said, defined).split()[0] == "F4@0"  # says what sounds elsewhere


def test_ties_hold_alterations_over_a_bar_line(tmp_path: Path) -> None:
    first = plain("c", "1", 'accid="s" tie="i" xml:id="one"')
    second = plain("c", "2", 'tie="t" xml:id="other"') + plain("c", "2")
    assert notes_of(tmp_path, bar(first) + bar(second)) == "C#4@0 C4@6"
    tie = '<tie startid="#one" endid="#other"/></measure>'
    bars = (bar(first) + bar(second)).replace("</measure>", tie, 1)
    bars = bars.replace('tie="i"', "").replace('tie="t"', "")
    assert notes_of(tmp_path, bars) == "C#4@0 C4@6"


def test_tempi_stand_where_they_are_counted_beside_notes_without_ids(tmp_path: Path) -> None:
    tempo = '<tempo tstamp="1" midi.bpm="{}"/></measure>'.format
    slow = bar(plain("c", "1")).replace("</measure>", tempo(120))
    fast = bar(plain("d")).replace("</measure>", tempo(240))
    assert notes_of(tmp_path, slow + fast + bar(plain("e"))) == "C4@0 D4@4 E4@4.5"


def test_readings_of_an_edition(tmp_path: Path) -> None:
    supplied = '<supplied><note pname="c" oct="4" dur="4"><accid accid="s"/></note></supplied>'
    app = f"<app><rdg>{plain('d')}</rdg><lem>{plain('e')}</lem></app>"
    choice = f"<choice><sic>{plain('a')}</sic><corr>{plain('f')}</corr></choice>"
    cue = plain("b", "4", 'cue="true"')
    assert notes_of(tmp_path, bar(supplied + app + choice + cue)) == "C#4@0 E4@1 F4@2"


def test_ties_of_elements(tmp_path: Path) -> None:
    notes = [plain("c", "1", f'xml:id="t{k}"') for k in range(4)]
    ties = [f'<tie startid="#t{k}" endid="#t{k + 1}"/>' for k in (0, 1)]
    bars = "".join(bar(note) for note in notes)
    assert notes_of(tmp_path, bars.replace("</measure>", f"{''.join(ties)}</measure>", 1)) == (
        "C4@0 C4@12"
    )


def test_two_layers_that_hold_one_pitch(tmp_path: Path) -> None:
    both = [f'<layer n="{n}">{plain("c", "1", """tie="{tie}" """)}</layer>' for n in (1, 2)]
    bars = [
        f'<measure n="{k}"><staff n="1">{"".join(both).format(tie=tie)}</staff></measure>'
        for k, tie in enumerate("imt")
    ]
    assert notes_of(tmp_path, "".join(bars) + bar(plain("d"))) == "C4@0 C4@0 D4@12"


def test_grace_notes_at_the_end_of_a_bar_belong_to_it(tmp_path: Path) -> None:
    grace = plain("d", "8", 'grace="acc"')
    bars = bar(plain("c", "1") + grace, 'right="rptend"') + bar(grace + plain("e", "1"))
    assert notes_of(tmp_path, bars) == "C4@0 C4@4 D4@4 D4@8 D4@8 E4@8"


def test_percussion_and_lengths_in_ticks(tmp_path: Path) -> None:
    defined = (
        '<scoreDef><staffGrp><staffDef n="1" ppq="8"/><staffDef n="2" clef.shape="perc"/>'
        '<staffDef n="3" ppq="2"/></staffGrp></scoreDef>'
    )
    drum = f'<staff n="2"><layer>{plain("c", "1")}</layer></staff>'
    ticks = '<note pname="d" oct="4" dur.ppq="4"/>'
    bars = bar(ticks + plain("e")).replace("</measure>", f"{drum}</measure>")
    assert notes_of(tmp_path, bars, defined) == "D4@0 E4@0.5"


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a note has no length in bar 7; correct it"):
        score_of(tmp_path, bar('<note pname="c" oct="4"/>', 'n="7"'))
    with pytest.raises(DataError, match="a note has no pitch in bar 7"):
        score_of(tmp_path, bar('<note oct="4" dur="4"/>', 'n="7"'))
    with pytest.raises(DataError, match="has the length 'x'"):
        score_of(tmp_path, bar(plain("c", "x")))
    path = tmp_path / "c.mei"
    path.write_text("<mei><music><body><mdiv><parts/></mdiv></body></music></mei>")
    with pytest.raises(DataError, match="holds parts, where MEI has its music in <score>"):
        read_score(path)
    path.write_text("<mei><music>")
    with pytest.raises(DataError, match="is not a whole MEI file"):
        read_score(path)


def test_elements_that_lie_too_deep_in_each_other(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"b\.mei: has elements that lie a thousand deep"):
        notes_of(tmp_path, bar("<beam>" * 3000 + plain("c") + "</beam>" * 3000))


def test_it_is_read_without_partitura(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "partitura", None)
    assert notes_of(tmp_path, bar(plain("c"))) == "C4@0"
