"""The endurance run: some trials of each part, a log that goes on, the counts of the page."""

import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import script

from align.files import atomic
from align.studio.journal import Journal

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="processes are forked, killed and measured"
)

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "recipes" / "endurance"
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def run():
    before = sys.path.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))
        module = script(FOLDER / "run.py")
    sys.path[:] = before
    return module


@pytest.fixture(scope="module")
def bench(run, tmp_path_factory):
    return run.faults.Bench(tmp_path_factory.mktemp("bench"))


@pytest.mark.parametrize("command", ["corpus", "studio"])
def test_a_killed_command_is_run_again(run, bench, command):
    number = run.faults.COMMANDS.index(command)
    entry = run.trial("kills", 0, number, bench)
    assert (entry["kind"], entry["wrong"]) == (command, [])


def test_a_command_that_leaves_something_else_is_noticed(run, bench, monkeypatch):
    digests, seconds = bench.whole("corpus")
    monkeypatch.setitem(bench._whole, "corpus", (digests | {"ann/u0.json": "0"}, seconds))
    entry = run.trial("kills", 0, 0, bench)
    assert "differs: ann/u0.json" in entry["wrong"]


@pytest.mark.parametrize(("kind", "wrong"), [("clock set back", 0), ("full disk", 1)])
def test_only_what_was_killed_may_leave_a_temporary_file_to_the_next_run(
    run, bench, monkeypatch, kind, wrong
):
    def leave(bench, out, rng, seconds):
        dead = subprocess.Popen(["true"])
        dead.wait()
        (out / "ann").mkdir()
        (out / "ann" / f".align-{atomic._host()}-{dead.pid}-{'0' * 16}.tmp").touch()
        return 0

    monkeypatch.setitem(run.faults._DISTURB, kind, leave)
    entry = run.faults.disturb(bench, run.faults.FAULTS.index(kind), random.Random(0))
    assert len(entry["wrong"]) == wrong


@pytest.mark.parametrize("kind", ["full disk", "clock set back"])
def test_a_bad_environment(run, bench, kind):
    entry = run.trial("disks", 0, run.faults.FAULTS.index(kind), bench)
    assert (entry["kind"], entry["wrong"]) == (kind, [])


def test_memory_is_measured(run, bench, monkeypatch):
    monkeypatch.setattr(run.faults, "WARM_UP", 1)
    entry = run.faults.remember(bench, 0, random.Random(0), runs=4)
    assert entry["runs"] == 4
    assert "kib_a_run" in entry
    assert run.faults.slope_of([7, 9, 11]) == 2


def test_damaged_inputs_are_fed_and_findings_are_kept(run, monkeypatch):
    inputs = run.inputs
    assert inputs.feed_batch(2, random.Random(1), size=20)["wrong"] == []

    def faulty(name, data):
        raise KeyError(name)

    monkeypatch.setattr(inputs.parsers, "feed", faulty)
    found = inputs.feed_batch(2, random.Random(1), size=2)
    assert len(found["wrong"]) == 2
    assert "KeyError at test_endurance_recipe.py" in found["wrong"][0]
    assert found["wrong"] == inputs.feed_batch(2, random.Random(1), size=2)["wrong"]


def test_a_parser_that_does_not_end_is_a_finding(run, monkeypatch):
    def endless(name, data):
        while True:
            pass

    run.inputs.feed_batch(0, random.Random(1), size=20)  # whole files are read before the first
    monkeypatch.setattr(run.inputs.parsers, "feed", endless)
    monkeypatch.setattr(run.inputs, "LIMIT", 0.05)
    assert "TooLong" in run.inputs.feed_batch(0, random.Random(1), size=1)["wrong"][0]
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0


def test_a_log_goes_on(run, tmp_path, monkeypatch, capsys):
    asked = []

    def one(part, seed, number, bench):
        asked.append(number)
        wrong = ["bad"] if number == 3 else []
        about = {"seed": seed, "number": number, "kind": "ctm", "inputs": 10}
        return {"do": part, **about, "slowest_s": 0.1, "wrong": wrong, "cpu_s": 0.5}

    monkeypatch.setattr(run, "trial", one)
    log = tmp_path / "log.jsonl"
    assert run.go_on(log, "inputs", 0, 2, 60) == 0
    with log.open("ab") as stream:
        stream.write(b'{"do": "inp')  # cut off by a kill
    assert run.go_on(log, "inputs", 0, 5, 60) == 1
    assert asked == [0, 1, 2, 3, 4]
    assert "inputs 3:\n  bad" in capsys.readouterr().err
    (row,) = run.counts(Journal(log).entries)
    assert (row["trials"], row["done"], row["wrong"], row["cpu_s"]) == (5, 50, 1, 2.5)
    assert all(json.loads(line) for line in log.read_text().splitlines())


def test_the_counts_of_the_page_are_those_of_the_recipe(run):
    with (FOLDER / "counts.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert run.as_csv(rows) == (FOLDER / "counts.csv").read_text(encoding="utf-8")
    assert run.table(rows) in PAGE


def test_every_test_that_the_page_names_is_there():
    named = re.findall(r"`(tests/[\w/.-]+?)(?:::(\w+))?`", PAGE)
    assert len(named) > 15
    for path, name in named:
        assert (ROOT / path).exists(), path
        if name:
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), (path, name)
