"""Processes that are killed at work: the run goes on, and names what killed them."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from queue import Queue

import pytest
from corpus_tools import tree, write_recordings
from fault_workers import DeadlyWork, EvenAligner, SlowWork
from synthetic_speech import write_recording

import align
from align._workers import end_with
from align.batch.pool import LocalPool, SerialPool, pool_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed as on POSIX")


@pytest.fixture
def recordings(tmp_path):
    folder = write_recordings(tmp_path / "in", {"ann": 6})
    (tmp_path / "marks").mkdir()
    return folder


def test_the_recording_at_fault_is_tried_again_and_named_and_the_rest_is_done(
    recordings, tmp_path
):
    for name in ("always", "once"):
        write_recording(recordings / "bob" / name, ["sil", "aa", "sil"], seed=1)
    work = DeadlyWork(tmp_path / "marks", slow=0.05)
    done = align.align_corpus(recordings, tmp_path / "out", work, model=EvenAligner(), jobs=2)
    assert done.aligned == (*(f"ann/u{i}" for i in range(6)), "bob/once")
    assert done.failed == (
        (
            str(recordings / "bob/always.wav"),
            "the process that aligned it died twice (killed, or out of memory).",
        ),
    )
    tries = {path.name: path.stat().st_size for path in (tmp_path / "marks").iterdir()}
    assert tries["once"] == 2
    assert tries["always"] in {2, 3}  # 3 where both were with workers when one of them died
    serial = align.align_corpus(
        recordings, tmp_path / "serial", model=EvenAligner(), formats=["TextGrid"]
    )
    assert len(serial.aligned) == 8
    (tmp_path / "serial/bob/always.TextGrid").unlink()
    assert tree(tmp_path / "out", table=False) == tree(tmp_path / "serial", table=False)


@pytest.mark.parametrize(("jobs", "n", "width"), [(8, 3, 3), (2, 3, 2), (8, 1, 1)])
def test_there_are_no_more_processes_than_recordings(jobs, n, width):
    with pool_of(None, None, n, jobs=jobs) as pool:
        assert (type(pool), pool.width()) == (LocalPool, width)  # one dies alone, too
    with pool_of(None, None, n, jobs=1) as pool:
        assert isinstance(pool, SerialPool)


class Scripted(LocalPool):
    """A pool of this process whose workers die as a script says."""

    def __init__(self, deaths, jobs):
        super().__init__(jobs, None, None)
        self.deaths = dict(deaths)
        self.renewed = 0
        self.tried = Counter()

    def submit(self, job):
        from concurrent.futures import Future
        from concurrent.futures.process import BrokenProcessPool

        from align.batch.worker import Outcome

        self.tried[job.task.name] += 1
        future = Future()
        if self.deaths.get(job.task.name, 0) > 0:
            self.deaths[job.task.name] -= 1
            future.set_exception(BrokenProcessPool("died"))
        else:
            future.set_result(Outcome(job.task.name))
        return future

    def renew(self):
        self.renewed += 1


@pytest.mark.parametrize(
    ("deaths", "failed", "tried"),
    [
        ({}, set(), {}),
        ({"a": 1}, set(), {"a": 2}),
        ({"a": 2}, {"a"}, {"a": 2}),
        ({"a": 2, "b": 1}, set(), {"a": 3, "b": 2}),  # the first may have been either's
        ({"a": 3, "b": 2, "d": 2}, {"a", "d"}, {"a": 3, "b": 3, "d": 2}),
    ],
)
def test_every_recording_has_one_outcome(deaths, failed, tried):
    from align.batch.pool import results
    from align.batch.tasks import Task
    from align.batch.worker import Job

    jobs = [Job(Task(name, f"{name}.wav", f"{name}.phones"), (".csv",)) for name in "abcdef"]
    pool = Scripted(deaths, jobs=2)
    found = list(results(pool, jobs))
    assert sorted(job.task.name for job, _ in found) == list("abcdef")
    assert {job.task.name for job, outcome in found if outcome.error} == failed
    assert pool.tried == Counter("abcdef") | Counter(tried)
    assert (pool.renewed > 0) == bool(deaths)


_KILLED = """
import sys
sys.path[:0] = [sys.argv[1]]
import align
from fault_workers import EvenAligner, SlowWork
work = SlowWork(0.5, places=sys.argv[4])
if __name__ == "__main__":
    align.align_corpus(sys.argv[2], sys.argv[3], work, model=EvenAligner(), jobs=2)
"""

_TRAINING = """
import sys
sys.path[:0] = [sys.argv[1]]
from joblib import Parallel, delayed
from fault_workers import slow_result
if __name__ == "__main__":
    Parallel(n_jobs=2)(delayed(slow_result)(0.5, sys.argv[4]) for _ in range(4))
"""


@pytest.mark.faults
@pytest.mark.parametrize("run", [_KILLED, _TRAINING])
def test_workers_end_with_a_run_that_is_killed(recordings, tmp_path, run):
    """They write nothing, so they do no harm; but they must not stay."""
    program = tmp_path / "run.py"
    program.write_text(run)
    places = tmp_path / "places"
    places.mkdir()
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    arguments = [sys.executable, program, tests, recordings, tmp_path / "out", places]
    process = subprocess.Popen([str(a) for a in arguments], start_new_session=True)
    while len(list(places.iterdir())) < 2 and process.poll() is None:
        time.sleep(0.02)
    workers = [int(path.name) for path in places.iterdir()]
    process.send_signal(signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 30
    while any(_runs(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = [pid for pid in workers if _runs(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []
    again = align.align_corpus(recordings, tmp_path / "out", SlowWork(0.0), model=EvenAligner())
    assert len(again.aligned) + len(again.unchanged) == 6


def test_a_process_ends_when_it_has_another_parent(monkeypatch):
    codes = Queue()
    monkeypatch.setattr("align._workers.os._exit", codes.put)
    end_with(os.getppid() + 1)
    assert codes.get(timeout=10) == 1


def _runs(pid):
    """Whether a process runs; one that no one has waited for does not."""
    try:
        with open(f"/proc/{pid}/stat") as stream:
            return stream.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
