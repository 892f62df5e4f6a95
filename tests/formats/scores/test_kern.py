"""Kern as it is found: ties of chords, spines that divide, repeats, endings, bars."""

import sys
from pathlib import Path

import pytest

from align.errors import DataError
from align.formats.scores import Score, read_score


def read(folder: Path, *lines: str, repeats: bool = True) -> tuple[str, str]:
    """Return notes, as their letters, and bars and beats of a score in 4/4."""
    path = folder / "a.krn"
    path.write_text("\n".join(["**kern", "*M4/4", *lines, "*-", ""]), encoding="utf-8")
    score = read_score(path, repeats=repeats)
    assert score.beats is not None
    bars, beats = score.beats.at(score.onsets)
    counted = " ".join(f"{bar}.{beat:g}" for bar, beat in zip(bars, beats, strict=True))
    return "".join(name[0] for name in score.names), counted


def test_repeats(tmp_path: Path) -> None:
    bars = "=1", "1c", "=2:|!|:", "1d", "=3", "1e", "=4:|!", "1f", "=="
    assert read(tmp_path, *bars) == ("CCDEDEF", "1.1 1.1 2.1 3.1 2.1 3.1 4.1")
    assert read(tmp_path, *bars, repeats=False) == ("CDEF", "1.1 2.1 3.1 4.1")
    assert read(tmp_path, "=1", "1c", "=2!|:", "1d", "=:|!")[0] == "CDD"
    assert read(tmp_path, "=1", "1c", "=2", "1d", "==:|!")[0] == "CDCD"


def test_endings(tmp_path: Path) -> None:
    bars = "*>A", "=1", "1c", "*>A1", "=2", "1d", "=3:|!", "*>A2", "1e", "*>B", "=4", "1f", "=="
    assert read(tmp_path, "*>[A,A1,A,A2,B]", *bars)[0] == "CDCEF"
    assert read(tmp_path, *bars, repeats=False)[0] == "CEF"
    late = "*>A", "=1", "1c", "=2", "*>A1", "1d", "=3:|!", "*>A2", "1e", "==", "*>B"
    assert read(tmp_path, *late)[0] == "CDCE"


def test_bars_without_a_number(tmp_path: Path) -> None:
    split = "4g", "=1", "1c", "=2", "2d", "2d", "=", "2e", "=:|!", "2f", "=4", "1g", "=="
    assert read(tmp_path, *split, repeats=False) == ("GCDDEFG", "0.4 1.1 2.1 2.3 3.1 3.3 4.1")
    assert read(tmp_path, "=", "1c", "=", "1d", "==") == ("CD", "1.1 2.1")
    assert read(tmp_path, "=5", "1c", "=", "1d", "==") == ("CD", "5.1 6.1")


def score_of(folder: Path, *lines: str, encoding: str = "utf-8") -> Score:
    path = folder / "b.krn"
    path.write_bytes("\r\n".join(lines).encode(encoding))
    return read_score(path)


def notes_of(folder: Path, *lines: str) -> str:
    """Return the notes of a score as ``name@onset``, in quarters."""
    score = score_of(folder, *lines)
    return " ".join(f"{n}@{2 * t:.4g}" for n, t in zip(score.names, score.onsets, strict=True))


def test_ties_of_chords(tmp_path: Path) -> None:
    bars = "=1", "[1c [1e-", "=2", "2c_ 2e-]", "2c] 2f#", "=3", "1c"
    assert notes_of(tmp_path, "**kern", *bars, "*-") == "C4@0 Eb4@0 F#4@6 C4@8"
    other = "**kern", "[1c", "=", "2d", "2c]", "*-"  # not held until then
    assert notes_of(tmp_path, *other) == "C4@0 D4@4 C4@6"


def test_two_voices_that_hold_one_pitch(tmp_path: Path) -> None:
    bars = "*^", "[4c\t[4c", "4c_\t2c]", "4c]\t.", "4d\t4e", "*v\t*v", "*-"
    assert notes_of(tmp_path, "**kern", *bars) == "C4@0 C4@0 D4@3 E4@3"


def test_a_spine_that_has_nothing_more_rests(tmp_path: Path) -> None:
    lines = (
        "4c\t4g",
        "4d\t.",
        "4e\t.",
        "*M4/4\t*",
        "4f\t.",
        "=\t=",
        "1c\t4g",
        "=\t=",
        "1d\t1a",
        "*-\t*-",
    )
    want = "C4@0 G4@0 D4@1 E4@2 F4@3 C4@4 G4@4 D4@8 A4@8"
    assert notes_of(tmp_path, "**kern\t**kern", *lines) == want


def test_bars_and_metres_stand_at_the_notes_behind_a_spine_that_ends_early(tmp_path: Path) -> None:
    lines = (
        "*M2/4\t*M2/4",
        "2c\t4g",
        "=2\t=2",
        "*M3/4\t*M3/4",
        "2.d\t4a",
        "=3\t=3",
        "4e\t4b",
        "*-\t*-",
    )
    beats = score_of(tmp_path, "**kern\t**kern", *lines).beats
    assert beats is not None
    assert beats.at([0.5, 1.0, 2.0, 2.5])[0].tolist() == [1, 2, 2, 3]
    assert beats.at([0.5, 1.0, 2.0, 2.5])[1].tolist() == [2.0, 1.0, 3.0, 1.0]


def test_other_spines_behind_those_that_end(tmp_path: Path) -> None:
    first = "**kern", "*M3/4", "*>[A,B]", "*>A", "4c", "4d", "*>B", "2e", "*-", "!! more"
    second = (
        "**kern\t**dynam\t**kern",
        "*M2/4\t*\t*M2/4",
        "2f\tp\t2a",
        "=:|!\t=\t=:|!",
        "*-\t*-\t*-",
    )
    assert notes_of(tmp_path, *first, *second) == "C4@0 D4@1 E4@2 F4@4 A4@4 F4@6 A4@6"
    beats = score_of(tmp_path, *first, *second).beats
    assert beats is not None
    assert [float(each[0]) for each in beats.at([2.0, 2.5])] == [2.0, 1.0]


def test_a_tie_from_one_half_of_a_spine_to_the_other(tmp_path: Path) -> None:
    bars = "*^", "2c\t[2e", "*v\t*v", "2d 2e]", "*-"
    assert notes_of(tmp_path, "**kern", *bars) == "C4@0 E4@0 D4@2"


def test_spines_divide_change_places_begin_and_end(tmp_path: Path) -> None:
    lines = (
        "!!!COM: somebody", "**kern\t**dynam\t**kern", "*\t*\t*^", "4C\tp\t4c\t2e", ".\t.\t.\t.",
        "!\t!comment\t!\t!", "4D\t.\t4d\t.", "*\t*\t*v\t*v", "*x\t*\t*x", "4f\tf\t2E", "4g\t.\t.",
        "*-\t*\t*+", "*\t*\t**kern", "f\t1B\t1b", "*-\t*-\t*-", "!!!EED: x",
    )  # fmt: skip
    want = "C3@0 C4@0 E4@0 D3@1 D4@1 E3@2 F4@2 G4@3 B3@4 B4@4"
    assert notes_of(tmp_path, *lines) == want


def test_lengths(tmp_path: Path) -> None:
    lengths = "**kern", "3%2c", "3%2d", "3%2e", "0f", "8..g", "32a", "6bb", "12cc", "1cc", "*-"
    want = "C4@0 D4@2.667 E4@5.333 F4@8 G4@16 A4@16.88 B5@17 C5@17.67 C5@18"
    assert notes_of(tmp_path, *lengths) == want
    graces = "**kern\t**kern", "4c\t4e", "qd\t.", "8qqd#\t8qf", "4d\t4g", "*-\t*-"
    assert notes_of(tmp_path, *graces) == "C4@0 E4@0 D4@1 D4@1 D#4@1 F4@1 G4@1"


def test_a_grace_note_beside_a_note_of_another_spine(tmp_path: Path) -> None:
    lines = "**kern\t**kern", "4c\t4e", "4d\tqf", ".\t4g", "4e\t4a", "*-\t*-"
    assert notes_of(tmp_path, *lines) == "C4@0 E4@0 D4@1 F4@1 G4@1 E4@2 A4@2"


def test_grace_notes_at_the_end_of_a_bar_belong_to_it(tmp_path: Path) -> None:
    bars = "=1", "1c", "8qd", "=:|!", "8qf", "1e", "=="
    assert read(tmp_path, *bars) == ("CCDDEF", "1.1 1.1 1.1 2.1 2.1 2.1")
    assert read(tmp_path, *bars, repeats=False)[0] == "CDEF"


def test_names_tempi_and_percussion(tmp_path: Path) -> None:
    lines = (
        '**kern\t**kern\t**kern', '*I"Violoncello\t*I"Drum\t*I"Violin', "*clefF4\t*clefX\t*clefG2",
        "*MM60\t*MM60\t*MM60", "4C\t4b\t4g", "*MM120\t*MM120\t*MM120", "4D\t4b\t4a", "4E\t4b\t4r",
        "*-\t*-\t*-",
    )  # fmt: skip
    score = score_of(tmp_path, *lines)
    assert score.onsets.tolist() == [0, 0, 1, 1, 1.5]
    assert score.parts == ("Violoncello", "Violin", "Violoncello", "Violin", "Violoncello")


def test_the_order_of_sections_without_repeat_signs(tmp_path: Path) -> None:
    again = "*>[A,A,B]", "*>norep[A,B]", "*>A", "=1", "1c", "*>B", "=2", "1d", "=="
    assert read(tmp_path, *again)[0] == "CCD"
    assert read(tmp_path, *again, repeats=False)[0] == "CD"
    da_capo = "*>[A,B,A]", "*>A", "=1", "1c", "=2", "1d", "*>B", "=3", "1e", "=="
    assert read(tmp_path, *da_capo)[0] == "CDECD"
    endings = "*>[A,A1,A,A2]", "*>A", "=1", "1c", "*>A1", "=2", "1d", "*>A2", "=3", "1e", "=="
    assert read(tmp_path, *endings)[0] == "CDCE"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    score = score_of(tmp_path, "!!!COM: Dvo\u00e9", "**kern", "4c", "*-", encoding=encoding)
    assert score.pitches.tolist() == [60]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("**kern\t**kern", "4c"), "line 2: the columns are 1, the open spines 2"),
        (("**kern", "4c", "d"), "line 3: 'd' has no length"),
        (("**dynam", "f", "*-"), r"no \*\*kern spine"),
        (("4c", "4d"), "line 1: is not Humdrum"),
        (("**kern", "4c", "9999999d"), "no length of a note"),
        (("**kern", "4%0c"), "line 2: '4%0' is no length of a note"),
        (("**kern", "4c", "*-", "4d"), "line 4: is not Humdrum.* as all have ended"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        score_of(tmp_path, *lines)


def test_it_is_read_without_partitura(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "partitura", None)
    assert notes_of(tmp_path, "**kern", "4c", "*-") == "C4@0"
