"""MusicXML as programs write it: scores of several parts, leaps, cues, bars that are not full."""

import importlib.util
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from align.errors import DataError
from align.formats.scores import Score, read_score
from align.formats.scores.musicxml import plain_musicxml

Read = Callable[..., Score]


def note(step: str, quarters: float = 1, octave: int = 4, inside: str = "", tie: str = "") -> str:
    pitch = f"<pitch><step>{step}</step><octave>{octave}</octave></pitch>" if step else "<rest/>"
    ties = "".join(f'<tie type="{kind}"/>' for kind in tie.split())
    return f"<note>{inside}{pitch}<duration>{int(4 * quarters)}</duration>{ties}</note>"


def notes(steps: str, octave: int = 4) -> str:
    return "".join(note(step, octave=octave) for step in steps)


def first(beats: str = "4", kind: int = 4, divisions: int = 4, more: str = "") -> str:
    return (
        f"<attributes><divisions>{divisions}</divisions><time><beats>{beats}</beats>"
        f"<beat-type>{kind}</beat-type></time>{more}</attributes>"
    )


def sound(**said: str) -> str:
    return f"<direction>{bare(**said)}</direction>"


def bare(**said: str) -> str:
    return "<sound " + " ".join(f'{name}="{value}"' for name, value in said.items()) + "/>"


def words(text: str, sign: str = "") -> str:
    kinds = [f"<words>{text}</words>"] if text else []
    kinds += [f"<{sign}/>"] if sign else []
    return (
        f"<direction>{''.join(f'<direction-type>{k}</direction-type>' for k in kinds)}</direction>"
    )


def bar_line(direction: str) -> str:
    side = "left" if direction == "forward" else "right"
    return f'<barline location="{side}"><repeat direction="{direction}"/></barline>'


def document(*parts: dict[str, str]) -> str:
    """Return a score; each part has its bars by their numbers."""
    listed = "".join(
        f'<score-part id="P{k}"><part-name>x</part-name></score-part>' for k in range(len(parts))
    )
    bodies = "".join(
        f'<part id="P{k}">'
        + "".join(f'<measure number="{n}">{bar}</measure>' for n, bar in part.items())
        + "</part>"
        for k, part in enumerate(parts)
    )
    bodies = bodies.replace('number="X', 'implicit="yes" number="X')
    return (
        f'<score-partwise version="4.0"><part-list>{listed}</part-list>{bodies}</score-partwise>'
    )


@pytest.fixture
def read(tmp_path: Path) -> Read:
    if importlib.util.find_spec("partitura") is None:
        pytest.skip("partitura is not installed (extra scores)")

    def read(*parts: dict[str, str], **options: bool) -> Score:
        path = tmp_path / "a.musicxml"
        path.write_text(document(*parts), encoding="utf-8")
        return read_score(path, **options)

    return read


def played(score: Score) -> str:
    """Return the notes as ``name@onset``, in seconds."""
    return " ".join(f"{n}@{t:g}" for n, t in zip(score.names, score.onsets, strict=True))


def counted(score: Score) -> str:
    """Return the bar and beat of each note."""
    assert score.beats is not None
    bars, beats = score.beats.at(score.onsets)
    return " ".join(f"{bar}.{beat:g}" for bar, beat in zip(bars, beats, strict=True))


def test_a_tempo_that_one_part_has_holds_for_all(read: Read) -> None:
    high = {
        "1": first() + sound(tempo="60") + note("C", 4),
        "2": sound(tempo="240") + note("D", 4),
    }
    low = {"1": first() + note("E", 4), "2": note("F", 2) + note("G", 2)}
    for parts in ((high, low), (low, high)):
        assert played(read(*parts)) == "C4@0 E4@0 D4@4 F4@4 G4@4.5"


def test_bars_follow_tempi_that_change_within_them(read: Read) -> None:
    bar = note("C") + sound(tempo="60") + note("D") + note("E") + note("F")
    score = read({"1": first() + sound(tempo="120") + bar, "2": notes("CDEF")})
    assert counted(score) == "1.1 1.2 1.3 1.4 2.1 2.2 2.3 2.4"


def test_the_first_tempo_is_that_of_the_pick_up(read: Read) -> None:
    score = read({"0": first() + note("C"), "1": sound(tempo="60") + note("D", 4)})
    assert (played(score), counted(score)) == ("C4@0 D4@1", "0.4 1.1")


@pytest.mark.parametrize(
    ("fine", "back"),
    [
        (sound(fine="yes"), sound(dacapo="yes")),
        (bare(fine="yes"), bare(dacapo="yes")),
        (sound(fine="1"), sound(dacapo="1")),
        (words("Fine"), words("D.C. al Fine")),
        (words("FINE"), words("Da Capo")),
    ],
)
@pytest.mark.parametrize("early", [False, True])
def test_a_leap_that_one_part_has_holds_for_all(
    read: Read, fine: str, back: str, early: bool
) -> None:
    leaping = {
        "1": first() + note("C", 4) + fine,
        "2": back + note("D", 4) if early else note("D", 4) + back,
    }
    other = {"1": first() + note("E", 4), "2": note("F", 2) + note("G", 2)}
    for parts in ((leaping, other), (other, leaping)):
        assert played(read(*parts)) == "C4@0 E4@0 D4@2 F4@2 G4@3 C4@4 E4@4"
    assert len(set(read(leaping, other).ids)) == 7


def test_words_stand_where_their_offset_shows_them(read: Read) -> None:
    shown = "</direction-type><offset>16</offset></direction>"
    fine, back = (
        words(w).replace("</direction-type></direction>", shown) for w in ("Fine", "D.C.")
    )
    again = "<backup><duration>16</duration></backup>"
    bars = {"1": note("C", 4) + again + fine + note("E", 4), "2": note("D", 4) + again + back}
    bars["2"] += note("F", 4)
    bars["1"] = first() + bars["1"]
    assert played(read(bars)) == "C4@0 E4@0 D4@2 F4@2 C4@4 E4@4"


@pytest.mark.parametrize(
    ("sign", "back"),
    [
        (sound(segno="segno"), sound(dalsegno="segno")),
        (sound(segno="1"), sound(dalsegno="1")),
        (words("", "segno"), words("D.S.")),
        (words("", "segno"), sound(dalsegno="1")),
    ],
)
def test_dal_segno(read: Read, sign: str, back: str) -> None:
    score = read({"1": first() + note("C", 4), "2": sign + note("D", 4), "3": note("E", 4) + back})
    assert played(score) == "C4@0 D4@2 E4@4 D4@6 E4@8"
    assert counted(score) == "1.1 2.1 3.1 2.1 3.1"


@pytest.mark.parametrize(
    ("leap", "goal"),
    [
        (sound(tocoda="coda"), sound(coda="coda")),
        (words("To Coda", "coda"), words("Coda", "coda")),
    ],
)
def test_coda(read: Read, leap: str, goal: str) -> None:
    back = sound(dacapo="yes") if "sound" in leap else words("D.C. al Coda")
    score = read(
        {
            "1": first() + note("C", 4) + leap,
            "2": note("D", 4) + back,
            "3": goal + note("E", 4),
        }
    )
    assert played(score) == "C4@0 D4@2 C4@4 E4@6"


@pytest.mark.parametrize(("others", "order"), [("", 1), ("E", 1), ("", -1)])
def test_two_voices_that_hold_one_pitch(read: Read, others: str, order: int) -> None:
    chord = note("E", 2).replace("<note>", "<note><chord/>") if others else ""
    back = "<backup><duration>{}</duration></backup>".format
    voices = [
        note("C", 2, tie="stop") + chord + note("D", 2), note("C", 4, tie="stop start")
    ][::order]  # fmt: skip
    bars = {
        "1": first() + note("C", 4, tie="start") + back(16) + note("C", 4, tie="start"),
        "2": voices[0] + back(16) + voices[1],
        "3": note("C", 1, tie="stop") + note("F", 3) + back(16) + note("C", 4),
    }  # fmt: skip
    more = f" {others}4@2" if others else ""
    assert played(read(bars)) == f"C4@0 C4@0{more} D4@3 C4@4 F4@4.5"


def test_grace_notes_at_the_end_of_a_bar_belong_to_it(read: Read) -> None:
    grace = "<note><grace/><pitch><step>{}</step><octave>4</octave></pitch></note>".format
    bars = {"1": first() + note("C", 4) + grace("D") + bar_line("backward"), "2": grace("F")}
    bars["2"] += note("E", 4)
    assert played(read(bars)) == "C4@0 C4@2 D4@2 D4@4 E4@4 F4@4"
    assert played(read(bars, repeats=False)) == "C4@0 D4@2 E4@2 F4@2"


def test_a_leap_to_nowhere_is_none(read: Read) -> None:
    for back in (sound(dalsegno="1"), words("D.S."), words("To Coda")):
        assert played(read({"1": first() + note("C", 4) + back})) == "C4@0"
    assert played(read({"1": first() + note("C", 4) + words("Discreetly")})) == "C4@0"


def test_cues_are_silent(read: Read) -> None:
    cue = note("A", inside="<cue/>") + note("B", inside="<cue/><chord/>")
    assert played(read({"1": first() + cue + notes("DEF")})) == "D4@0.5 E4@1 F4@1.5"


def test_octaves_of_transposing_instruments(read: Read) -> None:
    moved = "<transpose>{}<octave-change>-1</octave-change></transpose>"
    bass = first(more=moved.format("<chromatic>0</chromatic>")) + note("C", 4, 3)
    clarinet = first(more=moved.format("<diatonic>-1</diatonic><chromatic>-2</chromatic>")) + note(
        "C", 4
    )
    guitar = first(more=moved.format("")) + note("E", 4)
    assert played(read({"1": bass}, {"1": clarinet}, {"1": guitar})) == "C2@0 Bb2@0 E3@0"


@pytest.mark.parametrize(
    "short", ["", note("G"), note("G", 2) + "<backup><duration>4</duration></backup>"]
)
def test_bars_that_one_part_does_not_fill(read: Read, short: str) -> None:
    full = {"1": first() + note("C", 4), "2": note("D", 4), "3": note("E", 4)}
    other = {"1": first() + note("A", 4), "2": short, "3": note("B", 4)}
    for parts in ((full, other), (other, full)):
        found = dict(pair.split("@") for pair in played(read(*parts)).split())
        assert (found["C4"], found["D4"], found["E4"]) == ("0", "2", "4")
        assert (found["A4"], found["B4"]) == ("0", "4")


def test_ties_over_the_end_of_a_bar_that_is_too_short(read: Read) -> None:
    chord = note("G", 1.75, tie="start") + note("B", 1.75, inside="<chord/>", tie="start")
    short = {"1": first() + note("A", 2) + chord, "2": note("G", 4, tie="stop") + note("A")}
    score = read({"1": first() + note("C", 4), "2": note("D", 5)}, short)
    assert played(score) == "C4@0 A4@0 G4@1 B4@1 D4@2 A4@4"
    assert dict(zip(score.names, score.durations.tolist(), strict=True))["G4"] == 3.0


def test_a_gap_that_is_no_whole_division(read: Read) -> None:
    long = {"1": first() + note("C", 4.25), "2": note("A", 4)}
    short = {"1": first(divisions=1) + note("D"), "2": note("B")}  # notes of 4 divisions
    assert played(read(long, short)) == "C4@0 D4@0 A4@2.125 B4@2.125"


def test_a_repeat_at_the_end_of_a_bar_that_is_too_short(read: Read) -> None:
    full = {"1": first() + notes("CDEF") + bar_line("backward"), "2": note("E", 4)}
    short = {"1": first() + note("A") + bar_line("backward"), "2": note("B", 4)}
    score = read(short, full)
    assert not score.notices
    assert played(score).endswith("C4@2 A4@2 D4@2.5 E4@3 F4@3.5 E4@4 B4@4")


@pytest.mark.parametrize("rests", [note("", 8), note("", 4) + note("", 4)])
def test_rests_that_are_longer_than_their_bar(read: Read, rests: str) -> None:
    full = {"1": first() + note("C", 4), "2": note("D", 4), "3": note("", 4), "4": note("E", 4)}
    other = {"1": first() + rests, "2": note("A", 4), "3": rests, "4": note("B", 4)}
    upbeat = {"0": first() + note("C"), "1": note("D", 4)}, {"0": first() + rests, "1": note("A")}
    for parts in ((full, other), (other, full)):
        assert played(read(*parts)) == "C4@0 D4@2 A4@2 E4@6 B4@6"
        assert counted(read(*parts)) == "1.1 2.1 2.1 4.1 4.1"
    assert played(read(*upbeat)) == "C4@0 D4@0.5 A4@0.5"
    assert played(read({"1": first() + note("G", 4)}, {"1": first()})) == "G4@0"
    again = {"1": first() + note("C", 4), "X1": note("D"), "2": note("E", 4)}
    other = {"1": first() + rests, "X1": rests, "2": rests}
    assert played(read(again, other)) == "C4@0 D4@2 E4@2.5"


def test_rests_behind_the_notes_of_a_bar_do_not_make_it_longer(read: Read) -> None:
    rest = note("", 2)
    low = note("E", 3, 3).replace("</note>", "<voice>2</voice></note>")
    back = "<backup><duration>{}</duration></backup>".format
    bars = {"1": first("3") + notes("CD") + rest + back(16) + low, "2": note("F", 3)}
    other = {"1": first("3") + notes("ABC") + note(""), "2": note("A", 3) + back(0)}
    whole = "C4@0 A4@0 D4@0.5 B4@0.5 C4@1 F4@1.5 A4@1.5"
    assert played(read(bars, other)).replace("E3@0 ", "") == whole
    cut = {"1": first("3") + note("C", 3) + note("", 2) + back(4) + note("D"), "2": note("F", 3)}
    assert played(read(cut)) == "C4@0 D4@2 F4@2.5"  # notes do


def test_a_segno_that_is_shown_behind_a_pick_up(read: Read) -> None:
    sign = words("", "segno").replace("</direction>", "<offset>{}</offset></direction>")
    back = words("D.S.")
    upbeat = first() + note("C") + sign.format(12)
    full = {"0": upbeat, "1": note("D", 4), "2": note("E", 4) + back}
    rests = {"0": first() + note("", 4) + sign.format(0), "1": note("A", 4), "2": note("B", 4)}
    score = read(full, rests)
    assert played(score).startswith("C4@0 D4@0.5 A4@0.5 E4@2.5 B4@2.5 D4@4.5 A4@4.5")
    assert not score.notices


def test_what_is_not_heard_may_be_anything(read: Read) -> None:
    odd = "<type>quarter</type><dot/><dot/><dot/><dot/><dot/><lyric><text>la</text></lyric>"
    bar = note("C").replace("</note>", f"{odd}</note>") + note("E", inside="<chord/>") + note("D")
    empty = "<direction><direction-type/></direction><harmony/>"
    assert played(read({"1": first() + empty + bar})) == "C4@0 E4@0 D4@0.5"


def test_bars_that_are_not_meant_to_stand_together(read: Read) -> None:
    text = document({"1": note("C", 4)}, {"1": note("D", 3)}).replace(
        '<measure number="1">', '<measure number="1" non-controlling="yes">'
    )
    assert b"forward" not in plain_musicxml(text.encode())


def test_ties_into_endings_and_repeats(read: Read) -> None:
    ending = '<barline location="{}"><ending number="{}" type="{}"/>{}</barline>'
    again = '<repeat direction="backward"/>'
    score = read(
        {
            "1": first() + note("C", 3) + note("F", tie="start"),
            "2": ending.format("left", 1, "start", "")
            + note("F", 4, tie="stop")
            + ending.format("right", 1, "stop", again),
            "3": ending.format("left", 2, "start", "")
            + note("G", 4)
            + ending.format("right", 2, "stop", ""),
        }
    )
    assert played(score) == "C4@0 F4@1.5 C4@4 F4@5.5 G4@6"  # F is not struck again
    back = {
        "1": first() + note("C", 4, tie="start"),
        "2": bar_line("forward") + note("C", 2, tie="stop") + note("D", 2) + bar_line("backward"),
    }
    assert played(read(back)) == "C4@0 D4@3 C4@4 D4@5"  # C is, after D


def test_ties_that_do_not_say_where_they_end(read: Read) -> None:
    chord = note("E", 2, tie="start") + note("G", 2, inside="<chord/>", tie="start")
    bars = {
        "1": first() + note("C", 2) + chord,
        "2": note("E", inside="<grace/>").replace("<duration>4</duration>", "")
        + note("E", 2, tie="start")
        + note("G", 2, inside="<chord/>")
        + note("E", 2),
        "3": note("E", 2) + note("G", 2),
    }
    found = "C4@0 E4@1 G4@1 E4@2 E4@4 G4@5"  # the grace note is struck
    assert played(read(bars)) == found


def test_bars_have_the_numbers_of_the_score(read: Read) -> None:
    split = {
        "0": first("3") + note("C"),
        "1": notes("CDE"),
        "2": notes("FG") + bar_line("backward"),
        "X1": note("A"),
        "3": notes("CDE"),
    }
    once = "0.3 1.1 1.2 1.3 2.1 2.2"
    assert counted(read(split)) == f"{once} {once} 2.3 3.1 3.2 3.3"
    assert counted(read({"17": first() + note("C", 4), "18": note("D", 4)})) == "17.1 18.1"
    assert counted(read({"8a": first() + note("C", 4), "8b": note("D", 4)})) == "8.1 8.1"
    assert counted(read({"2": first() + note("C", 4), "1": note("D", 4)})) == "1.1 2.1"
    assert counted(read({"1": first() + note("C"), "2": note("D", 4)})) == "0.4 1.1"


def test_metronome_marks_and_sums_of_beats(read: Read) -> None:
    mark = (
        "<direction><direction-type><metronome><beat-unit>quarter</beat-unit><beat-unit-dot/>"
        "<per-minute>c. 40</per-minute></metronome></direction-type></direction>"
    )
    score = read({"1": first("3+2", 8) + mark + note("C", 1.5) + note("D")})
    assert (played(score), counted(score)) == ("C4@0 D4@1.5", "1.1 1.4")


def test_compressed_scores(read: Read, tmp_path: Path) -> None:
    container = '<container><rootfiles><rootfile full-path="{}"/></rootfiles></container>'
    high = {"1": first() + sound(tempo="60") + note("C", 4), "2": note("D", 4)}
    low = {"1": first() + note("E", 4), "2": note("F", 4)}
    path = tmp_path / "a.mxl"
    for named in ("in/b.xml", "in/c.xml"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("META-INF/container.xml", container.format(named))
            archive.writestr("in/b.xml", document(high, low))
        if named == "in/b.xml":
            assert played(read_score(path)) == "C4@0 E4@0 D4@4 F4@4"
    with pytest.raises(DataError, match=r"a\.mxl: cannot be read as a score"):
        read_score(path)


def test_a_compressed_score_without_a_container(read: Read, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.mxl", "w") as archive:
        archive.writestr("score.xml", document({"1": first() + note("C", 4)}))
    assert played(read_score(tmp_path / "a.mxl")) == "C4@0"


def test_bars_that_hold_parts(read: Read, tmp_path: Path) -> None:
    bars = [
        [first() + note("C", 4), first() + note("E", 4)],
        [note("D", 4), note("F", 4)],
    ]
    text = document({"1": ""}, {"1": ""})
    text = text[: text.index('<part id="P0"')].replace("partwise", "timewise")
    for n, bar in enumerate(bars, 1):
        held = "".join(f'<part id="P{k}">{music}</part>' for k, music in enumerate(bar))
        text += f'<measure number="{n}">{held}</measure>'
    (tmp_path / "a.musicxml").write_text(text + "</score-timewise>", encoding="utf-8")
    score = read_score(tmp_path / "a.musicxml")
    assert played(score) == "C4@0 E4@0 D4@2 F4@2"
    assert counted(score) == "1.1 1.1 2.1 2.1"


def test_bars_that_are_a_sign_to_repeat_the_last(read: Read) -> None:
    def sign(kind: str, size: str = "") -> str:
        style = f'<measure-repeat type="{kind}">{size}</measure-repeat>'
        return f"<attributes><measure-style>{style}</measure-style></attributes>"

    rest = note("", 4)
    one = {"1": first() + note("C", 4), "2": sign("start", "1") + rest, "3": rest}
    assert played(read({**one, "4": sign("stop") + rest})) == "C4@0 C4@2 C4@4"
    two = {"1": first() + note("C", 4), "2": note("D", 4), "3": sign("start", "2") + rest}
    score = read({**two, "4": rest, "5": sign("stop") + note("E", 4)})
    assert played(score) == "C4@0 D4@2 C4@4 D4@6 E4@8"


def test_percussion_is_silent(read: Read) -> None:
    def clef(sign: str) -> str:
        return f"<clef><sign>{sign}</sign></clef>"

    drum = first(more=clef("percussion")) + notes("EEEE")
    back = f"<attributes>{clef('F')}</attributes>" + note("G", 4)
    score = read({"1": first() + notes("CDEF"), "2": note("C", 4)}, {"1": drum, "2": back})
    assert played(score) == "C4@0 D4@0.5 E4@1 F4@1.5 C4@2 G4@2"


def test_drums_without_a_clef_are_silent(read: Read) -> None:
    stroke = "<note>{}<unpitched/><duration>8</duration></note>"
    drums = first() + stroke.format("") + stroke.format("<chord/>")
    assert played(read({"1": first() + note("C", 4)}, {"1": drums})) == "C4@0"
    again = "<measure-style><measure-repeat type='start'>1</measure-repeat></measure-style>"
    bars = {"1": drums, "2": f"<attributes>{again}</attributes>{2 * stroke.format('')}"}
    tune = {"1": first() + note("C", 4), "2": note("D", 4), "3": note("E", 4)}
    assert played(read(tune, bars | {"3": note("", 4)})) == "C4@0 D4@2 E4@4"


def test_what_is_no_xml_comes_back() -> None:
    assert plain_musicxml(b"<score-partwise>") == b"<score-partwise>"


def test_what_is_played_more_than_twice(read: Read) -> None:
    back = '<barline location="right"><repeat direction="backward" times="3"/></barline>'
    bars = {"1": first() + note("C", 4), "2": note("D", 4) + back, "3": note("E", 4)}
    score = read(bars)
    assert played(score) == "C4@0 D4@2 C4@4 D4@6 C4@8 D4@10 E4@12"
    assert played(read(bars, repeats=False)) == "C4@0 D4@2 E4@4"
    free = {"1": "<attributes><divisions>4</divisions></attributes>" + note("C", 4) + back}
    assert played(read(free)) == "C4@0 C4@2 C4@4"  # without a metre too


def test_signs_at_bar_lines(read: Read) -> None:
    left, right = ('<barline location="{}"><{}/></barline>'.format(*x) for x in
                   (("left", "segno"), ("right", "coda")))  # fmt: skip
    bars = {
        "1": first() + note("C", 4), "2": left + note("D", 4),
        "3": note("E", 4) + sound(tocoda="coda"),
        "4": note("F", 4) + sound(dalsegno="segno") + right, "5": note("G", 4),
    }  # fmt: skip
    assert played(read(bars)) == "C4@0 D4@2 E4@4 F4@6 D4@8 E4@10 G4@12"


def test_fractions_of_divisions_and_of_semitones(read: Read) -> None:
    half = note("C").replace("<duration>4<", "<duration>0.5<")
    bars = {
        "1": first(divisions=1) + half + half + note("D").replace("<duration>4<", "<duration>3.0<")
    }
    assert played(read(bars)) == "C4@0 C4@0.25 D4@0.5"
    sharp = "<step>C</step><alter>1.0</alter>"
    quarter = (
        note("D")
        .replace("</pitch>", "<alter>-0.5</alter></pitch>")
        .replace("</note>", "<accidental>quarter-flat</accidental></note>")
    )
    odd = note("E").replace("</note>", "<accidental>slash-flat</accidental></note>")
    double = note("F").replace("</note>", "<accidental>flat-flat</accidental></note>")
    bars = {"1": first() + note("C").replace("<step>C</step>", sharp) + quarter + odd + double}
    assert played(read(bars)) == "C#4@0 D4@0.5 E4@1 Fbb4@1.5"


def test_a_part_without_a_bar(read: Read) -> None:
    bars = {"1": first() + note("C", 4)}
    assert played(read(bars, {})) == played(read({}, bars)) == "C4@0"


def test_the_score_in_a_compressed_file_beside_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("partitura")
    path = tmp_path / "a.mxl"
    files = '<rootfile full-path="a.pdf"/><rootfile full-path="in/a.musicxml"/>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/container.xml", f"<container>{files}</container>")
        archive.writestr("a.pdf", "%PDF")
        archive.writestr("in/a.musicxml", document({"1": first() + note("C", 4)}))
    assert played(read_score(path)) == "C4@0"
