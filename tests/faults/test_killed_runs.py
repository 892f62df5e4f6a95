"""Runs over a corpus that are killed at random moments leave whole files, and go on."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from corpus_tools import start, tiny_model, tree, write_recordings

import align
from align.files import atomic
from align.files.atomic import atomic_write, remove_stale

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed as on POSIX")

SPEAKERS = {"ann": 20, "bob": 20, "cid": 20}


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def recordings(tmp_path_factory) -> Path:
    return write_recordings(tmp_path_factory.mktemp("recordings") / "in", SPEAKERS)


@pytest.fixture(scope="module")
def reference(model, recordings) -> dict[str, str]:
    """Outputs of a run that nothing interrupted."""
    out = recordings.parent / "reference"
    run = align.align_corpus(recordings, out, model=model, formats=["TextGrid", "json"])
    assert len(run.aligned) == 60
    return tree(out)


def arguments(recordings, out, model, jobs):
    formats = ("--format", "TextGrid", "--format", "json")
    return ("corpus", "speech", recordings, out, "--model", model, "--jobs", jobs, *formats)


def kill_at_random(process, out: Path, rng: random.Random, jobs: int) -> bool:
    """Kill a process group, in the midst of its work or at any time; whether it still ran."""
    if rng.random() < 0.75:
        journal = out / ".align" / "journal"
        begin = journal.stat().st_size if journal.exists() else 0
        records = 1000 * rng.randrange(12)  # they are some 1000 bytes each
        while process.poll() is None:
            size = journal.stat().st_size if journal.exists() else 0
            if size < begin or size > begin + records:  # tidied, or so much further
                break
            time.sleep(0.002)
        moment = rng.uniform(0.0, 0.05)
    else:
        moment = rng.uniform(0.0, 3.0 * jobs)
    try:
        process.wait(moment)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return True
    finally:
        process.communicate()


def killed_runs(recordings, model, reference, out: Path, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    killed, progress = 0, []
    while killed < kills:
        jobs = 1 + killed % 2
        again = ("--overwrite",) if rng.random() < 0.2 else ()
        process = start(*arguments(recordings, out, model, jobs), *again)
        killed += kill_at_random(process, out, rng, jobs)
        found = tree(out, table=False) if out.exists() else {}
        whole = {name: digest for name, digest in found.items() if not name.endswith(".tmp")}
        assert whole.items() <= reference.items()  # none is partial, at any time
        progress.append(len(whole))
        if len(whole) == 120:  # all is done: there must be something left to be interrupted
            for name in rng.sample(sorted(whole), 60):
                (out / name).unlink()
    assert max(progress) > 0
    process = start(*arguments(recordings, out, model, 1))
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert tree(out) == reference  # byte for byte, and no temporary file is left
    again = align.align_corpus(recordings, out, model=model, formats=["TextGrid", "json"])
    assert again.aligned == ()


def test_two_kills_at_random_moments(recordings, model, reference, tmp_path):
    killed_runs(recordings, model, reference, tmp_path / "out", kills=2, seed=1)


@pytest.mark.faults
def test_fifty_kills_at_random_moments(recordings, model, reference, tmp_path):
    killed_runs(recordings, model, reference, tmp_path / "out", kills=50, seed=2)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_asked_to_stop_says_how_to_go_on(
    recordings, model, reference, tmp_path, number, status
):
    out = tmp_path / "out"
    jobs = 2 if number == signal.SIGTERM else 1
    process = start(*arguments(recordings, out, model, jobs), held=True)  # else it may be quicker
    while not list(out.rglob("*.json")) and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == status
    assert "the same command goes on from here" in errors
    assert "Traceback" not in errors
    found = tree(out)
    assert 0 < len(found) < 120
    assert found.items() <= reference.items()


def test_two_runs_at_once_do_not_corrupt_each_other(recordings, model, reference, tmp_path):
    out = tmp_path / "out"
    both = [start(*arguments(recordings, out, model, 1)) for _ in range(2)]
    errors = [process.communicate()[1] for process in both]
    statuses = [process.returncode for process in both]
    assert 0 in statuses
    if 1 in statuses:  # else one began when the other had ended
        refused = errors[statuses.index(1)]
        assert f"Error: {out}: is in use by another run (process " in refused
        assert "wait until that has ended, or choose another folder." in refused
        assert "Traceback" not in refused
    assert tree(out) == reference


# Temporary files --------------------------------------------------------------------------------


def leave_behind(folder: Path, process: int, host: str | None = None) -> Path:
    name = f".align-{host or atomic._host()}-{process}-{'0' * 16}.tmp"
    path = folder / name
    path.write_text("half a fi")
    return path


def test_what_dead_runs_left_is_removed_and_what_live_runs_write_is_not(tmp_path):
    dead = subprocess.Popen(["true"])
    dead.wait()
    stale = leave_behind(tmp_path, dead.pid)
    own = leave_behind(tmp_path, os.getpid())  # the number has come again: we do not write it
    live = leave_behind(tmp_path, os.getppid())
    elsewhere = leave_behind(tmp_path, 1, host="0123abcd")
    old = leave_behind(tmp_path, 2, host="0123abcd")
    os.utime(old, (0, 0))
    other = tmp_path / ".align-notes.tmp"
    other.write_text("no business of ours")
    assert set(remove_stale([tmp_path, tmp_path / "nowhere"])) == set(map(str, (stale, own, old)))
    assert set(tmp_path.iterdir()) == {live, elsewhere, other}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc, as Linux has it")
def test_a_process_whose_parent_never_asks_has_ended_all_the_same(tmp_path):
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # it stays a zombie
    try:
        stale = leave_behind(tmp_path, ended.pid)
        assert remove_stale([tmp_path]) == [str(stale)]
    finally:
        ended.wait()


def test_what_this_process_writes_is_not_removed(tmp_path, monkeypatch):
    def meddle(handle):
        assert remove_stale([tmp_path]) == []

    monkeypatch.setattr(atomic.os, "fsync", meddle)
    atomic_write(tmp_path / "a", "whole")
    assert (tmp_path / "a").read_text() == "whole"


def test_the_rerun_removes_what_a_killed_run_left(recordings, model, reference, tmp_path):
    dead = subprocess.Popen(["true"])
    dead.wait()
    (tmp_path / "out/bob").mkdir(parents=True)
    stale = leave_behind(tmp_path / "out/bob", dead.pid)
    live = leave_behind(tmp_path / "out/bob", os.getppid())
    align.align_corpus(recordings, tmp_path / "out", model=model)
    assert not stale.exists()
    assert live.exists()
