"""Full disks, folders that cannot be written, files that are open, gone or changing."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from corpus_tools import tree
from fault_workers import EvenAligner, FaultyWork, mounted, run
from synthetic_speech import write_recording

from align.batch.journal import Journal, Record
from align.errors import DataError
from align.files.atomic import atomic_write

resource = pytest.importorskip("resource", reason="POSIX file systems")

NAMES = ("ann/u0", "ann/u1", "bob/u0", "bob/u1")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 256 KiB."""
    with mounted(tmp_path / "disk", "size=256k") as folder:
        yield folder


def test_a_full_disk_is_said_and_once_there_is_room_the_rest_is_done(recordings, small_disk):
    out = small_disk / "out"
    out.mkdir()
    (recordings / "bob/u1.phones").write_text("sil " + "aa iy " * 4000)  # 1 MB of TextGrid
    done = run(recordings, out)
    assert done.aligned == NAMES[:3]
    why = "cannot be written: No space left on device."
    assert done.failed == ((str(recordings / "bob/u1.wav"), f"{out / 'bob/u1.TextGrid'}: {why}"),)
    assert not list(out.rglob("*.tmp"))
    filler = small_disk / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))
    (recordings / "bob/u1.phones").write_text("sil aa iy sil")
    done = run(recordings, out, model=EvenAligner("other"))
    assert done.aligned == ()
    assert all(reason.endswith(why) for _, reason in done.failed)
    assert len(done.failed) == 5  # the four, and the table
    filler.unlink()
    done = run(recordings, out, model=EvenAligner("other"))
    assert sorted(done.aligned + done.unchanged) == list(NAMES)
    assert done.failed == ()


@contextlib.contextmanager
def limited(size):
    """No file may be larger than this; a second way to fill a disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_file_that_may_not_grow(recordings, tmp_path):
    (recordings / "bob/u1.phones").write_text("sil " + "aa iy " * 4000)
    with limited(100_000):
        done = run(recordings, tmp_path / "out")
    assert done.aligned == NAMES[:3]
    assert "u1.TextGrid: cannot be written: File too large." in done.failed[0][1]
    assert run(recordings, tmp_path / "out").aligned == NAMES[3:]


def test_a_journal_that_may_not_grow_is_as_it_was(tmp_path):
    journal = Journal(tmp_path / "journal")
    first = Record("first", "key", (), {"first.csv": "0"})
    journal.add(first)
    whole = (tmp_path / "journal").read_bytes()
    with (
        limited(len(whole) + 20),
        pytest.raises(DataError, match=r"journal: cannot be written: (File too|No space)"),
    ):
        journal.add(Record("second", "key", (), {"second.csv": "1"}))
    assert (tmp_path / "journal").read_bytes() == whole
    assert journal.get("second") is None
    journal.add(Record("third", "key", (), {}))
    assert Journal(tmp_path / "journal").get("third") is not None
    assert Journal(tmp_path / "journal").get("first") == first


def test_a_folder_that_cannot_be_made_stops_its_recordings_only(recordings, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "ann").write_text("a file where a folder should be")
    done = run(recordings, out)
    assert done.aligned == ("bob/u0", "bob/u1")
    assert [os.path.basename(name) for name, _ in done.failed] == ["u0.wav", "u1.wav"]
    for _, reason in done.failed:
        assert reason.endswith(": Not a directory.")


def test_a_folder_of_outputs_that_is_a_file(recordings, tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(DataError, match=r"cannot be written to: (Not a directory|File exist)"):
        run(recordings, tmp_path / "out")


def test_a_folder_that_may_not_be_written(recordings, tmp_path):
    out = tmp_path / "out"
    run(recordings, out, formats=["csv"])
    protected = out / "bob"
    immutable = os.geteuid() == 0
    if immutable:  # root heeds no permissions
        tool = shutil.which("chattr")
        if tool is None or subprocess.run([tool, "+i", protected], capture_output=True).returncode:
            pytest.skip("root may write anywhere, and files cannot be made immutable here")
    else:
        protected.chmod(0o500)
    try:
        done = run(recordings, out)
        assert done.aligned == ("ann/u0", "ann/u1")
        for _, reason in done.failed:
            assert ": cannot be written: " in reason
    finally:
        if immutable:
            subprocess.run(["chattr", "-i", protected], check=True)
        else:
            protected.chmod(0o700)
    assert run(recordings, out).aligned == ("bob/u0", "bob/u1")


def test_an_output_that_someone_reads_stays_whole_for_them(recordings, tmp_path):
    out = tmp_path / "out"
    run(recordings, out)
    path = out / "ann/u0.TextGrid"
    before = path.read_bytes()
    with path.open("rb") as stream:
        start = stream.read(10)
        (recordings / "ann/u0.phones").write_text("sil aa sil")
        assert run(recordings, out).aligned == ("ann/u0",)
        assert start + stream.read() == before
    assert path.read_bytes() != before


def test_recordings_that_go_or_change_are_named_and_the_rest_is_done(recordings, tmp_path):
    for name in ("vanish", "change"):
        write_recording(recordings / "cid" / name, ["sil", "aa", "sil"], seed=1)
    gone = recordings / "ann/u0.wav"

    class Planned(FaultyWork):
        def find(self, root):
            found = super().find(root)
            gone.unlink()  # after the run was planned
            return found

    done = run(recordings, tmp_path / "out", kind=Planned())
    assert done.aligned == NAMES[1:]
    why = dict(done.failed)
    assert why[str(gone)] == "disappeared during the run."
    assert why[str(recordings / "cid/vanish.wav")] == "disappeared during the run."
    changed = str(recordings / "cid/change.phn")
    assert why[str(recordings / "cid/change.wav")] == (
        f"{changed}: changed while it was read; run again once it is complete."
    )
    assert set(tree(tmp_path / "out", table=False)) == {f"{n}.TextGrid" for n in NAMES[1:]}


def test_an_output_that_changes_during_the_run_is_kept(recordings, tmp_path):
    out = tmp_path / "out"
    run(recordings, out)
    mine = out / "bob/u1.TextGrid"

    class Meddling(EvenAligner):
        def align(self, audio, events, *, rate=None):
            mine.write_text("corrected meanwhile")
            return super().align(audio, events)

    done = run(recordings, out, model=Meddling("other"))
    assert done.aligned == NAMES[:3]
    assert done.failed[0][1] == f"{mine}: was changed during the run, and is kept."
    assert mine.read_text() == "corrected meanwhile"


def test_a_model_that_changes_during_the_run(recordings, tmp_path, monkeypatch):
    model = tmp_path / "even.align"
    model.write_text("one")
    monkeypatch.setattr(
        "align.models.loading.load", lambda path: EvenAligner(Path(path).read_text())
    )

    class Meddling(FaultyWork):
        def find(self, root):
            found = super().find(root)
            from align.batch import worker

            worker._loaded.clear()  # as in a process that has not loaded it yet
            model.write_text("another")
            return found

    done = run(recordings, tmp_path / "out", kind=Meddling(), model=model)
    assert done.aligned == ()
    assert {reason for _, reason in done.failed} == {
        f"{model}: the model changed during the run; start it again."
    }


def test_a_full_disk_while_writing_a_file_leaves_the_old_one(small_disk):
    path = small_disk / "a"
    atomic_write(path, "old")
    with pytest.raises(DataError, match="cannot be written: No space left on device"):
        atomic_write(path, bytes(1 << 20), overwrite=True)
    assert path.read_text() == "old"
    assert [p.name for p in small_disk.iterdir()] == ["a"]
