"""``align evaluate`` without a model: words, music, labels that do not fit, and the summary."""

import json
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from command_line import assert_refused, run

import align
from align.errors import DataError
from align.evaluation.matching import evaluate_labels
from align.formats import read_labels
from align.formats.tiers.textgrid import format_textgrid

MINUET = Path(str(files("align.data"))) / "minuet"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "theirs").mkdir()
    return tmp_path


# Words ------------------------------------------------------------------------------------------


@pytest.fixture
def words(here: Path) -> Path:
    """Words of a TextGrid, and those of TIMIT, one of which overlaps the next."""
    said = (["", "She", "Had", "your"], [(0, 0.1), (0.1, 0.32), (0.32, 0.5), (0.5, 0.9)])
    phones = (["sil", "sh"], [(0, 0.1), (0.1, 0.9)])
    text = format_textgrid({"Words": said, "phones": phones}, 0.9)
    (here / "mine" / "sa1.TextGrid").write_text(text)
    timit = "1600 4880 she\n4800 8000 had\n7840 14400 your\n"
    (here / "theirs" / "SA1.WRD").write_text(timit)
    (here / "theirs" / "SA1.PHN").write_text("0 1600 h#\n1600 14400 sh\n")
    return here


def test_words_are_those_of_wrd_files_without_case(words: Path) -> None:
    result = run("evaluate", "mine", "theirs", "--tier", "words", "--json", "n.json")
    assert result.exit_code == 0, result.stderr
    numbers = json.loads(Path("n.json").read_text())
    assert (numbers["matched"], numbers["missing"], numbers["boundaries"]) == (3, 0, 3)
    assert numbers["per_label"]["had"]["bias_ms"] == pytest.approx(20.0)
    assert numbers["per_class"] == {}
    assert "3 of 3 words" in result.stdout  # the silence is of the system only
    assert numbers["extra"] == 0  # and no word that the reference lacks
    assert "; 0 of the system" in result.stdout
    found = evaluate_labels("mine", "theirs")
    assert (found.matched, found.what) == (2, "labels")  # the phones, as ever


def test_words_of_timit_that_overlap_end_where_the_next_begins(words: Path) -> None:
    found = read_labels("theirs/SA1.WRD")
    np.testing.assert_allclose(found.intervals, [(0.1, 0.3), (0.3, 0.49), (0.49, 0.9)])
    shutil.copy("theirs/SA1.WRD", "overlapping.phn")
    with pytest.raises(DataError, match="overlaps"):
        read_labels("overlapping.phn")


# Labels that do not fit -------------------------------------------------------------------------


def labels(path: Path, names: list[str]) -> None:
    rows = "".join(f"{1600 * k} {1600 * (k + 1)} {name}\n" for k, name in enumerate(names))
    path.write_text(rows)


def test_a_match_of_few_labels_is_an_error_that_names_them(here: Path) -> None:
    labels(here / "mine" / "a.phn", [f"X{k % 3}" for k in range(15)] + ["s"])
    labels(here / "theirs" / "a.phn", ["aa"] * 15 + ["s"])
    result = run("evaluate", "mine", "theirs")
    words = ("1 of 16 labels (6.2 %)", "'aa'", "'X0'", "--phone-map")
    assert_refused(result, 1, *words)
    assert result.stdout == ""
    (here / "map.csv").write_text("X0,aa\nX1,aa\nX2,aa\n")
    assert run("evaluate", "mine", "theirs", "--phone-map", "map.csv").exit_code == 0


def test_labels_of_a_corpus_are_mapped_to_what_a_model_knows(here: Path) -> None:
    for suffix in (".flac", ".TextGrid"):
        shutil.copy(MINUET.parent / f"kiwi{suffix}", "theirs")
    asked = run("evaluate", "speech-any", "theirs")
    assert asked.exit_code == 1
    assert "are those of TIMIT" in asked.stderr
    found = run("evaluate", "speech-any", "theirs", "--phone-map", "timit_ipa")
    assert found.exit_code == 0, found.stderr
    assert "45 boundaries in 1 file, " in found.stdout


def test_a_system_of_few_labels_that_are_all_right_is_scored(here: Path) -> None:
    labels(here / "mine" / "a.phn", ["s", "aa"])
    labels(here / "theirs" / "a.phn", ["s", "aa", *["iy"] * 20])
    assert run("evaluate", "mine", "theirs").exit_code == 0


# Classes and the summary ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phones", "pair"),
    [
        (["s", "iy"], "fricative -> vowel"),
        (["S", "IY1"], "fricative -> vowel"),
        (["ʃ", "iː"], "voiceless fricative -> vowel"),
    ],
)
def test_classes_are_known_by_table_or_by_articulation(
    here: Path, phones: list[str], pair: str
) -> None:
    for folder, shift in (("mine", 160), ("theirs", 0)):
        rows = [f"{1600 * k + shift} {1600 * (k + 1) + shift} {phones[k % 2]}" for k in range(24)]
        (here / folder / "a.phn").write_text("\n".join(rows) + "\n", encoding="utf-8")
    result = run("evaluate", "mine", "theirs", "--by", "class")
    (line,) = [line for line in result.stdout.splitlines() if line.startswith(pair)]
    assert line.split()[-11:-9] == ["12", "100.0"]
    assert len(result.stdout.splitlines()) < 12
    brief = run("evaluate", "mine", "theirs").stdout
    assert f"class of boundary: {pair} (12 boundaries, 52 % of the error)" in brief
    assert brief.count("<=10 ms") == 1  # one table


def test_there_is_no_table_of_classes_that_are_unknown_or_rare(here: Path) -> None:
    for names, why in ((["kiwi", "green"] * 10, "unknown"), (["s", "iy"] * 3, "10 boundaries")):
        for folder in ("mine", "theirs"):
            labels(here / folder / "a.phn", names)
        shown = run("evaluate", "mine", "theirs", "--by", "class").stdout
        assert "There is no table of classes" in shown
        assert why in shown
        assert "(other)" not in shown + run("evaluate", "mine", "theirs").stdout


# Music ------------------------------------------------------------------------------------------


@pytest.fixture(params=["a/one.csv", "a/one/result.json", "A/One.csv"])
def pieces(here: Path, request: pytest.FixtureRequest) -> Path:
    """A piece, and the result for it: the truth, a hundredth of a second late."""
    shutil.copytree(MINUET, here / "theirs" / "a" / "one")
    target = here / "mine" / request.param
    target.parent.mkdir(parents=True)
    found = align.MusicAlignment.from_labels(MINUET / "truth.csv")
    late = align.MusicAlignment(found.notes, found.onsets + 0.01, duration=99.0)
    (late.to_json if target.suffix == ".json" else late.to_csv)(target)
    return target


def test_results_for_music_pair_with_the_truth_of_their_piece(pieces: Path) -> None:
    result = run("evaluate", "mine", "theirs", "--json", "n.json")
    assert result.exit_code == 0, result.stderr
    numbers = json.loads(Path("n.json").read_text())
    assert numbers["kind"] == "music"
    assert numbers["missing"] == 0
    assert numbers["boundaries"] == numbers["matched"] > 90
    assert numbers["bias_ms"] == pytest.approx(10.0, abs=0.01)
    assert {"G4", "B3"} <= set(numbers["per_label"])
    (piece,) = numbers["per_file"]
    assert piece["file"] == "a/one"
    one = run("evaluate", pieces, "theirs/a/one/truth.csv", "--json", "-")
    assert json.loads(one.stdout)["boundaries"] == numbers["boundaries"]
    itself = run("evaluate", pieces, pieces, "--json", "-")
    assert json.loads(itself.stdout)["mean_abs_ms"] == 0.0
    both = run("evaluate", "mine", "theirs", "--against", "mine")
    assert "(first) against" in both.stdout


def test_pieces_without_result_and_wrong_options_are_named(pieces: Path, here: Path) -> None:
    shutil.copytree(MINUET, here / "theirs" / "b")
    result = run("evaluate", "mine", "theirs")
    assert result.exit_code == 1
    assert "has no counterpart in mine" in result.stderr
    assert_refused(run("evaluate", "mine", "theirs", "--tier", "words"), 2, "not for notes")
    (here / "a.mid").touch()
    result = run("evaluate", "a.mid", MINUET / "truth.csv")
    assert "a.mid: knows no score; name the score, or the .csv" in result.stderr
    shutil.rmtree(here / "theirs" / "a")
    assert_refused(run("evaluate", "mine", "theirs"), 1, "no piece whose name")
