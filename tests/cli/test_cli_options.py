"""Options that messages name, ``--quiet``, and times on the clock."""

import re
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from command_line import assert_refused, run

import align
from align.cli.console import Console
from align.formats.files import read_tiers
from align.formats.tiers.textgrid import write_textgrid_tiers

KIWI = Path(str(files("align.data"))) / "kiwi.flac"
GRID = KIWI.with_suffix(".TextGrid")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["kiwi.phones", "kiwi.TextGird", "no/kiwi", "my kiwi.phn"])
def test_a_mistyped_file_of_phones_is_said_not_to_exist(name: str) -> None:
    assert_refused(
        run("speech", KIWI, "--phones", name), 1, str(Path(name)), "there is no such file"
    )


@pytest.mark.parametrize("phones", ["sil k iy", "a.", "k_h @ .", "t. d."])
def test_phones_that_hold_a_stop_are_no_file(phones: str) -> None:
    from align.cli.inputs import read_phones

    assert read_phones(phones) == phones.split()


def test_a_tier_that_a_message_asks_for_can_be_named(here: Path) -> None:
    (here / "kiwi.flac").write_bytes(KIWI.read_bytes())
    own = read_tiers(GRID)
    again = replace(own, tiers=tuple(replace(own.phones(), name=n) for n in ("broad", "narrow")))
    write_textgrid_tiers(here / "kiwi.TextGrid", again)
    refused = run("validate", "speech", here)
    assert refused.exit_code == 1
    assert "name the one to read (--tier)" in refused.output
    assert run("validate", "speech", here, "--tier", "narrow").exit_code == 0
    for option in ("--tier", "--reference-tier"):  # a corpus has one kind of labels
        assert run("evaluate", "speech-en", here, option, "broad").exit_code == 0
    both = run("evaluate", "speech-en", here, "--tier", "narrow", "--reference-tier", "broad")
    assert_refused(both, 2, "--tier is for folders")


def test_a_phone_map_names_the_phones_of_the_model(here: Path) -> None:
    given = align.Alignment.from_labels(GRID).labels
    (here / "map.csv").write_text("from,to\n" + "".join(f"X{p},{p}\n" for p in sorted({*given})))
    mine = " ".join(f"X{phone}" for phone in given)
    assert_refused(run("speech", KIWI, "--phones", mine), 1, "phone map (--phone-map)")
    result = run("speech", KIWI, "--phones", mine, "--phone-map", "map.csv", "-o", "a.csv")
    assert result.exit_code == 0, result.stderr
    assert run("speech", KIWI, "--phones", GRID, "-o", "b.csv").exit_code == 0
    assert Path("a.csv").read_text().replace("X", "") == Path("b.csv").read_text()
    assert align.Alignment.from_labels("a.csv").labels == tuple(mine.split())
    assert_refused(run("speech", KIWI, "--text", "kiwi", "--phone-map", "map.csv"), 2, "--phones")


def test_an_encoding_that_is_named_is_used(here: Path) -> None:
    (here / "a.lab").write_bytes("0 1000000 é\n".encode("cp1252"))
    refused = run("convert", "a.lab", "a.csv")
    assert_refused(refused, 1, "give its encoding", "--encoding")
    result = run("convert", "a.lab", "a.csv", "--encoding", "cp1252")
    assert result.exit_code == 0, result.stderr
    assert align.Alignment.from_labels("a.csv").labels == ("é",)
    (here / "b.lab").write_bytes("0 1200000 é\n".encode("cp1252"))
    (here / "one").mkdir()
    (here / "two").mkdir()
    (here / "a.lab").rename(here / "one" / "x.lab")
    (here / "b.lab").rename(here / "two" / "x.lab")
    assert run("evaluate", "one", "two", "--encoding", "cp1252").exit_code == 0
    (here / "said.txt").write_bytes("café, the kiwi".encode("cp1252"))
    assert_refused(run("speech", KIWI, "--text", "said.txt"), 1, "--encoding")


QUIET = [
    ("speech", KIWI, "--phones", GRID),
    ("convert", GRID, "a.csv"),
    ("sonify", KIWI, GRID, "-o", "a.wav"),
    ("report", GRID, "-o", "a.html"),
    ("plot", KIWI, GRID, "-o", "a.png"),
    ("validate", "speech", KIWI.parent),
    ("demo", "out"),
]


@pytest.mark.parametrize("command", QUIET, ids=lambda command: command[0])
def test_quiet_says_nothing_where_all_is_well(command: tuple[str, ...]) -> None:
    if command[0] in ("plot", "demo"):
        pytest.importorskip("matplotlib")
    result = run(*command, "-q")
    assert result.exit_code == 0, result.stderr
    assert (result.stdout, result.stderr) == ("", "")


def test_quiet_says_that_texts_are_shifted(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "in").mkdir()
    (here / "in" / "kiwi.flac").write_bytes(KIWI.read_bytes())
    (here / "in" / "kiwi.TextGrid").write_bytes(GRID.read_bytes())
    monkeypatch.setattr("align.batch.run.shifted", lambda *given: "The texts seem shifted.")
    result = run("corpus", "speech", "in", "out", "--jobs", "1", "-q")
    assert result.exit_code == 0, result.stderr
    assert (result.stdout, result.stderr) == ("", "Warning: The texts seem shifted.\n")


def test_times_are_those_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute on the wall in which the process does nothing counts, too."""
    clock, load, waited = time.perf_counter, align.load, 0.0

    def slow_load(model: str):
        nonlocal waited
        waited += 60.0
        return load(model)

    monkeypatch.setattr(time, "perf_counter", lambda: clock() + waited)
    monkeypatch.setattr(align, "load", slow_load)
    begun = clock()
    result = run("-v", "speech", KIWI, "--phones", GRID)
    spent = clock() - begun
    found = re.search(r"Model speech-en: ([0-9.]+) s", result.stderr)
    assert found is not None
    assert 60.0 <= float(found[1]) <= 60.0 + spent + 0.005
    console = Console()
    monkeypatch.setattr(time, "perf_counter", lambda: console.begun + 7.0)
    assert console.elapsed() == 7.0


def test_universal_features_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def fit(self, *args, **options):
        asked.update(self.get_params())
        raise align.DataError("enough.")

    monkeypatch.setattr(align.SpeechAligner, "fit", fit)
    options = ("--features", "universal", "--phone-map", "timit_ipa")
    assert_refused(run("train", "speech", KIWI.parent, "-o", "m.align", *options), 1, "enough")
    assert (asked["features"], asked["phone_map"]) == ("universal", "timit_ipa")
    assert run("train", "music", KIWI.parent, "-o", "m", "--features", "universal").exit_code == 2
