"""align speech --anchors and --slack."""

import csv
import inspect
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from align.cli import cli
from align.formats.tiers.textgrid import format_textgrid, parse_textgrid

TEXT = "The kiwi watches."
PHONES = "sil dh ah k iy w iy w aa ch ih z sil"
DICTIONARY = "the dh ah\nkiwi k iy w iy\nwatches w aa ch ah z\n"


def run(*args: object) -> Result:
    options = {}
    if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click 8.1
        options["mix_stderr"] = False
    return CliRunner(**options).invoke(cli, [str(arg) for arg in args])


def refused(result: Result, status: int) -> str:
    assert result.exit_code == status, result.output + result.stderr
    (sentence,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    return sentence


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(str(files("align.data") / "kiwi.flac"), "kiwi.flac")
    Path("my.dict").write_text(DICTIONARY)
    return tmp_path


def begun(path: str, tier: str) -> dict[str, float]:
    """Begin of each label of a tier; of labels that come twice, the last."""
    (found,) = [t for t in parse_textgrid(Path(path).read_text()) if t.name == tier]
    return {label: start for label, (start, _) in zip(found.labels, found.times, strict=True)}


TEXT_ARGS = ("speech", "kiwi.flac", "--text", TEXT, "--dictionary", "my.dict", "--no-guess")
PHONE_ARGS = ("speech", "kiwi.flac", "--phones", PHONES)


def test_words_of_a_table_are_kept(here: Path) -> None:
    Path("known.csv").write_text("time,label\n3.7213,Kiwi\n4.1057,watches\n")
    result = run(*TEXT_ARGS, "--anchors", "known.csv", "-o", "k.TextGrid")
    assert result.exit_code == 0, result.stderr
    words = begun("k.TextGrid", "words")
    assert (words["kiwi"], words["watches"]) == (3.7213, 4.1057)


def test_phones_of_a_table_and_of_a_tier_are_kept(here: Path) -> None:
    Path("known.csv").write_text("time,label,index\n3.8231,iy,5\n4.2107,ch,\n")
    result = run(*PHONE_ARGS, "--anchors", "known.csv", "-o", "k.csv")
    assert result.exit_code == 0, result.stderr
    rows = list(csv.DictReader(Path("k.csv").read_text().splitlines()))
    assert (float(rows[4]["start"]), float(rows[9]["start"])) == (3.8231, 4.2107)

    labels = ["", "ch", "", "z", ""]
    times = [(0, 4.2107), (4.2107, 4.3), (4.3, 4.4503), (4.4503, 4.5), (4.5, 4.9)]
    Path("known.TextGrid").write_text(format_textgrid({"phones": (labels, times)}, 4.9))
    result = run(*PHONE_ARGS, "--anchors", "known.TextGrid", "-o", "k.TextGrid")
    assert result.exit_code == 0, result.stderr
    phones = begun("k.TextGrid", "phones")
    assert (phones["ch"], phones["z"]) == (4.2107, 4.4503)


def test_phones_keep_their_names_through_a_map(here: Path) -> None:
    Path("known.csv").write_text("time,label\n4.2107,tsh\n")
    Path("map.csv").write_text("from,to\ntsh,ch\n")
    args = ("speech", "kiwi.flac", "--phones", PHONES.replace("ch", "tsh"), "--phone-map")
    result = run(*args, "map.csv", "--anchors", "known.csv", "-o", "k.TextGrid")
    assert result.exit_code == 0, result.stderr
    assert begun("k.TextGrid", "phones")["tsh"] == 4.2107


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("time,label\n1.0,kiwi\n0.5,watches\n", "line 2: 'kiwi' at 1.000 s comes after an event"),
        ("time,label,index\n1.0,kiwi,1\n", "line 2: 'kiwi' at 1.000 s has index 1"),
        ("time,label\n99,kiwi\n", "line 2: word 2 ('kiwi') cannot begin at 99.000 s"),
        ("time,label\n0.001,kiwi\n", "line 2: word 2 ('kiwi') cannot begin at 0.001 s: there is"),
        ("time\n1\n", "line 1: needs the columns time,label"),
    ],
)
def test_impossible_anchors_are_one_sentence(here: Path, table: str, words: str) -> None:
    Path("known.csv").write_text(table)
    said = refused(run(*TEXT_ARGS, "--anchors", "known.csv"), 1)
    assert said.startswith(f"Error: known.csv, {words}")
    assert said.endswith(".")
    assert not Path("kiwi.TextGrid").exists()


def test_labels_that_come_twice_need_an_index(here: Path) -> None:
    Path("known.csv").write_text("time,label\n3.8,iy\n")
    said = refused(run(*PHONE_ARGS, "--anchors", "known.csv"), 1)
    assert "known.csv, line 2: 'iy' at 3.800 s may be number 5 or number 7" in said
    assert "`index`" in said
    assert "does not exist" in refused(run(*PHONE_ARGS, "--anchors", "absent.csv"), 1)


def test_slack(here: Path) -> None:
    times = [(0.0, 3.9), (3.9, 4.5), (4.5, 4.9)]
    grid = format_textgrid({"said": (["", "kiwi watches", ""], times)}, 4.9)
    Path("k.TextGrid").write_text(grid)
    args = ("speech", "kiwi.flac", "--text", "k.TextGrid", "--dictionary", "my.dict")
    assert run(*args, "-o", "tight.TextGrid").exit_code == 0
    result = run(*args, "--slack", "0.5", "-o", "loose.TextGrid")
    assert result.exit_code == 0, result.stderr
    assert begun("tight.TextGrid", "words")["kiwi"] >= 3.9
    assert begun("loose.TextGrid", "words")["kiwi"] == pytest.approx(3.7, abs=0.05)
    assert "--slack is for the utterances" in refused(run(*PHONE_ARGS, "--slack", "1"), 2)


def test_slack_of_a_corpus_is_part_of_what_results_depend_on(here: Path) -> None:
    Path("corpus").mkdir()
    shutil.copy("kiwi.flac", "corpus/kiwi.flac")
    times = [(0.0, 3.9), (3.9, 4.5), (4.5, 4.9)]
    grid = format_textgrid({"said": (["", "kiwi watches", ""], times)}, 4.9)
    Path("corpus/kiwi.TextGrid").write_text(grid)
    args = (
        "corpus",
        "speech",
        "corpus",
        "out",
        "--text",
        "--dictionary",
        "my.dict",
        "--jobs",
        "1",
    )
    assert run(*args).exit_code == 0
    assert begun("out/kiwi.TextGrid", "words")["kiwi"] >= 3.9
    result = run(*args, "--slack", "0.5")
    assert result.exit_code == 0, result.stderr
    assert begun("out/kiwi.TextGrid", "words")["kiwi"] == pytest.approx(3.7, abs=0.05)
