"""The recipes of docs/scaling.md run, and count what they say they count."""

import time

import numpy as np
import pytest
from scripts import RECIPES, script

import align

FOLDER = RECIPES / "scaling"


@pytest.mark.filterwarnings("default")  # Dask's own, of threads that pytest does not know
def test_every_simulated_recording_goes_through_the_scheduler():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    simulate = script(FOLDER / "simulate.py")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = simulate.run(client, recordings=95, batch=10, every=50, ahead=2)
    assert (found["tasks"], found["decoded"], found["workers"]) == (10, 2, 2)
    assert 0 < found["busy_s"]
    assert found["overhead_ms_per_task"] <= 1000 * found["clock_s"] / 10


def test_time_in_inner_methods_is_not_counted_twice():
    class Work:
        def outer(self):
            self.inner()
            spin(0.02)

        def inner(self):
            spin(0.03)

    def spin(seconds):
        begin = time.process_time()
        while time.process_time() - begin < seconds:
            pass

    work, clock = Work(), script(FOLDER / "measure.py").Clock()
    clock.count(work, "outer", "outer")
    clock.count(work, "inner", "inner")
    with clock.counting("rest"):
        work.outer()
    assert clock.spent["inner"] == pytest.approx(0.03, abs=0.01)
    assert clock.spent["outer"] == pytest.approx(0.02, abs=0.01)
    assert clock.spent["rest"] == pytest.approx(0.0, abs=0.01)


def test_the_parts_that_are_measured_are_there():
    measure = script(FOLDER / "measure.py")
    parts = measure.speech_parts(align.SpeechAligner) + measure.music_parts(align.MusicAligner)
    assert len(parts) == 5
    for owner, function, _ in parts:
        assert callable(getattr(owner, function))


def test_mixing_is_compared_on_the_flat_sets(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(3, 6))
    y = rng.integers(3, size=300)
    X = np.round(1000 * (centres[y] + 0.2 * rng.normal(size=(300, 6)))).astype(np.int16)
    np.savez(tmp_path / "usps.npz", X_train=X, y_train=y, X_test=X, y_test=y)
    np.savez(tmp_path / "letter.npz", X=X, y=y)
    monkeypatch.setattr("sys.path", __import__("sys").path.copy())
    rows = script(FOLDER / "mixing.py").flat(tmp_path, jobs=2)
    assert {row["set"] for row in rows} == {"usps", "letter"}
    assert all(row["error"] <= 20.0 for row in rows)
    threads = {row["how"]: row["error"] for row in rows if row["set"] == "usps"}
    alone, together = "4 shards, uniform, 5 epochs", "4 shards, uniform, 5 epochs, threading x 2"
    assert threads[alone] == threads[together]
