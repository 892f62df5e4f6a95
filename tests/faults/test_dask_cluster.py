"""Runs on a Dask cluster of separate processes: the same files, whatever happens to workers."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from corpus_tools import tree, write_recordings
from fault_workers import DeadlyWork, EvenAligner, SlowWork
from mixing_problems import Placed, separable
from synthetic_speech import write_corpus, write_recording

import align
from align.batch.pool import connected
from align.cli import cli
from align.errors import ParameterError

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
dask = pytest.importorskip("dask", reason="Dask is not installed")

pytestmark = [
    pytest.mark.filterwarnings("default"),  # Dask's own, of threads that pytest does not know
    pytest.mark.skipif(os.name == "nt", reason="processes are killed as on POSIX"),
]

NAMES = tuple(f"{who}/u{i}" for who in ("ann", "bob") for i in range(4))


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let a busy machine take its time; tests of impatience set their own."""
    monkeypatch.setattr("align.batch.pool._REACH", 120.0)
    monkeypatch.setattr("align.batch.pool._START", 120.0)


@pytest.fixture(scope="module")
def shared_cluster():
    """A scheduler and two workers in processes of their own, which find the modules of tests."""
    tests = str(Path(__file__).resolve().parents[1])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (tests, before)))
    patient = {
        # A worker that was killed is given up for good where the next is not there by then.
        "distributed.deploy.lost-worker-timeout": "1 hour",
        # Who asks for a worker that is dead already tries again until then.
        "distributed.comm.timeouts.connect": "1 minute",
        "distributed.comm.timeouts.tcp": "5 minutes",
        # Workers are copies of a process that has imported Dask, and need not do so themselves.
        "distributed.worker.multiprocessing-method": "forkserver",
    }
    try:
        with (
            dask.config.set(patient),
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs="CRITICAL",
            ) as running,
        ):
            yield running
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


@pytest.fixture
def cluster(shared_cluster):
    """The cluster, once the workers that an earlier test has killed are replaced."""
    with distributed.Client(shared_cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=120)
    return shared_cluster


@pytest.fixture
def recordings(tmp_path):
    (tmp_path / "marks").mkdir()
    return write_recordings(tmp_path / "in", {"ann": 4, "bob": 4})


def on(cluster, recordings, out, work="speech", **options):
    options.setdefault("model", EvenAligner())
    return align.align_corpus(
        recordings, out, work, scheduler=cluster.scheduler_address, **options
    )


@pytest.mark.parametrize("send_files", [False, True])
def test_the_outputs_are_those_of_a_serial_run(cluster, recordings, tmp_path, send_files):
    (recordings / "ann/u0.wav").write_bytes(b"no sound")
    formats = ["TextGrid", "json"]
    serial = align.align_corpus(
        recordings, tmp_path / "serial", model=EvenAligner(), formats=formats
    )
    done = on(cluster, recordings, tmp_path / "out", formats=formats, send_files=send_files)
    assert done.aligned == serial.aligned == NAMES[1:]
    assert done.failed == serial.failed
    assert tree(tmp_path / "out") == tree(tmp_path / "serial")
    assert on(cluster, recordings, tmp_path / "out", formats=formats).unchanged == NAMES[1:]


def test_the_command_line_with_a_model_file(cluster, recordings, tmp_path):
    for name in ("here", "there"):
        where = ["--jobs", "1"]
        if name == "there":
            where = ["--scheduler", cluster.scheduler_address, "--send-files"]
        arguments = ["corpus", "speech", recordings, tmp_path / name, *where]
        result = CliRunner().invoke(cli, [str(a) for a in arguments])
        assert result.exit_code == 0, result.stderr
        assert "8  aligned" in result.stdout
    assert tree(tmp_path / "here") == tree(tmp_path / "there")


def test_a_worker_killed_half_way(cluster, recordings, tmp_path):
    places = tmp_path / "places"
    places.mkdir()
    killed = []

    def kill(stage, done, total):
        if done == 2 and not killed:
            killed.extend(int(path.name) for path in list(places.iterdir())[:1])
            os.kill(killed[0], signal.SIGKILL)

    work = SlowWork(0.2, places=str(places))
    done = on(cluster, recordings, tmp_path / "out", work, progress=kill)
    assert killed
    assert (done.aligned, done.failed) == (NAMES, ())
    align.align_corpus(recordings, tmp_path / "serial", model=EvenAligner())
    assert tree(tmp_path / "out") == tree(tmp_path / "serial")


def test_a_recording_that_kills_every_worker_is_named(cluster, recordings, tmp_path):
    write_recording(recordings / "cid/always", ["sil", "aa", "sil"], seed=1)
    with distributed.Client(cluster, set_as_default=False) as client:
        before = client.run_on_scheduler(_allow_failures, 1)
        work = DeadlyWork(tmp_path / "marks")
        done = on(cluster, recordings, tmp_path / "out", work)
        client.run_on_scheduler(_allow_failures, before)
    assert done.aligned == NAMES
    assert [os.path.basename(name) for name, _ in done.failed] == ["always.wav"]
    assert "the workers that aligned it died, one after the other" in done.failed[0][1]


def _allow_failures(number, dask_scheduler):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def test_what_the_cluster_blames_is_tried_again_alone(cluster, recordings, tmp_path):
    """It blames whatever was handed to a worker that died, begun or not."""
    write_recording(recordings / "ann/once", ["sil", "aa", "sil"], seed=1)
    with distributed.Client(cluster, set_as_default=False) as client:
        before = client.run_on_scheduler(_allow_failures, 0)
        done = on(cluster, recordings, tmp_path / "out", DeadlyWork(tmp_path / "marks", slow=0.1))
        client.run_on_scheduler(_allow_failures, before)
    assert set(done.aligned) == {*NAMES, "ann/once"}
    assert done.failed == ()


def test_training_on_the_cluster_gives_the_same_model(cluster, tmp_path):
    from align.features import PhoneConfidence
    from align.learners import KernelPA

    corpus = align.read_corpus(write_corpus(tmp_path / "corpus", {"ann": 2, "bob": 2}))

    def coef():
        classifier = KernelPA(kernel="gaussian", sigma=6.0, budget=50, random_state=0)
        features = [PhoneConfidence(classifier)]
        model = align.SequenceAligner(features, n_folds=2, n_jobs=-1)
        return model.fit(corpus).coef_.tolist()

    here = coef()  # first, so that the workers find the kernels compiled
    with connected(cluster.scheduler_address):
        assert coef() == here


def test_mixing_on_the_cluster_gives_the_same_weights(cluster, tmp_path):
    """Shards go to processes of their own, and come back as they would from this one."""
    from align.learners import (
        MixedClassifier,
        ParameterMixing,
        PassiveAggressiveClassifier,
        StructuredLearner,
    )

    xs, ys, _ = separable(0, 40, margin=0.0)
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()

    def fitted(places):
        base = StructuredLearner("pa1", epochs=4, random_state=1)
        mixed = ParameterMixing(base, 4, mix="updates").fit(Placed(places), xs, ys)
        flat = MixedClassifier(PassiveAggressiveClassifier(epochs=3), 4, random_state=1)
        return mixed, flat.fit(np.array(xs), ys)

    expected = fitted(here)  # first, so that the workers find the kernels compiled
    with connected(cluster.scheduler_address) as client:
        found = fitted(there)
        workers = {str(pid) for pid in client.run(os.getpid).values()}
    assert {p.name for p in here.iterdir()} == {str(os.getpid())}
    assert {p.name for p in there.iterdir()} <= workers
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.coef_, other.coef_)
        assert one.n_updates_ == other.n_updates_
        assert one.mixed_updates_ == other.mixed_updates_


# Clusters that are not there --------------------------------------------------------------------


def test_a_scheduler_that_does_not_answer(recordings, tmp_path, monkeypatch):
    monkeypatch.setattr("align.batch.pool._REACH", 1.0)
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # no one listens
        address = f"tcp://127.0.0.1:{held.getsockname()[1]}"
        arguments = ["corpus", "speech", recordings, tmp_path / "out", "--scheduler", address]
        result = CliRunner().invoke(cli, [str(a) for a in arguments])
    assert result.exit_code == 2
    (sentence,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert f"scheduler={address!r} cannot be reached within 1 s" in sentence
    assert sentence.endswith("check the address, and that the scheduler runs.")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("address", ["nonsense", "nonsense://1:2", "tcp://"])
def test_an_address_that_is_none(address, monkeypatch):
    monkeypatch.setattr("align.batch.pool._REACH", 1.0)
    with (
        pytest.raises(ParameterError, match=r"scheduler='.*' cannot be reached"),
        connected(address),
    ):
        pass


def test_a_cluster_without_workers(monkeypatch):
    monkeypatch.setattr("align.batch.pool._START", 0.5)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address="127.0.0.1:0", silence_logs="CRITICAL"
        ) as empty,
        pytest.raises(ParameterError, match="has no workers, and none came within"),
        connected(empty.scheduler_address),
    ):
        pass


def test_a_scheduler_that_is_lost_is_said_for_each_recording(recordings, tmp_path):
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        silence_logs="CRITICAL",
    ) as running:
        address = running.scheduler_address
        lost = threading.Event()

        def lose(stage, done, total):
            if done == 2 and not lost.is_set():
                lost.set()
                running.close(timeout=120)

        done = align.align_corpus(
            recordings,
            tmp_path / "out",
            SlowWork(0.1),
            model=EvenAligner(),
            scheduler=address,
            progress=lose,
        )
    assert 2 <= len(done.aligned) < 8
    assert len(done.aligned) + len(done.failed) == 8
    why = f"the Dask scheduler {address} was lost before it was done."
    assert {reason for _, reason in done.failed} == {why}


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(
            ParameterError, match=r"needs Dask; install it with: pip install .margin-al"
        ),
        connected("tcp://127.0.0.1:8786"),
    ):
        pass


def test_dask_is_not_imported_without_need():
    program = "import align.batch.run, align.batch.pool, sys; print('dask' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "False"
