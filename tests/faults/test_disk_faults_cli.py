"""Faults of disks and files as the command line tells them, on small file systems of their own."""

import contextlib
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from corpus_tools import tree
from fault_workers import EvenAligner, mounted

from align.cli import cli

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX file systems")

NAMES = ("ann/u0", "ann/u1", "bob/u0", "bob/u1")
FULL = "cannot be written: No space left on device."
READ_ONLY = "cannot be written: Read-only file system."


class Meddled(EvenAligner):
    """While it aligns, files vanish and change as the names of the recordings say."""

    def align(self, audio, events, *, rate=None):
        path = Path(audio)
        if path.stem.startswith("vanish"):
            path.unlink()
        found = super().align(audio, events)
        if path.stem.startswith("change"):
            with path.with_suffix(".phones").open("a") as stream:
                stream.write("sil\n")
        return found


@pytest.fixture
def model(monkeypatch, tmp_path):
    """A model file that loads as the quick aligner."""
    path = tmp_path / "even.align"
    path.write_text("even")
    monkeypatch.setattr("align.models.loading.load", lambda *_: Meddled())
    return path


def corpus(recordings, out, model, *options):
    arguments = ["corpus", "speech", recordings, out, "--model", model, "--jobs", 1, *options]
    result = CliRunner().invoke(cli, [str(a) for a in arguments])
    assert "Traceback" not in result.output
    return result


def said(result):
    """The sentences on the screen that name what failed."""
    return [line for line in result.stderr.splitlines() if line.startswith("Error: ")]


def outputs(out):
    return set(tree(out, table=False))


def text_grids(*names):
    return {f"{name}.TextGrid" for name in names}


def test_a_full_disk(recordings, model, tmp_path):
    (recordings / "bob/u0.phones").write_text("sil " + "aa iy " * 4000)  # 1 MB of TextGrid
    with mounted(tmp_path / "disk", "size=256k") as disk:
        out = disk / "out"
        result = corpus(recordings, out, model)
        assert result.exit_code == 1
        assert said(result) == [
            f"Error: {recordings / 'bob/u0.wav'}: {out / 'bob/u0.TextGrid'}: {FULL}"
        ]
        assert "3  aligned" in result.stdout
        assert outputs(out) == text_grids("ann/u0", "ann/u1", "bob/u1")
        (recordings / "bob/u0.phones").write_text("sil aa iy sil")
        result = corpus(recordings, out, model)
        assert result.exit_code == 0, result.stderr
        assert outputs(out) == text_grids(*NAMES)


def test_a_disk_that_is_full_before_the_run_begins(recordings, model, tmp_path):
    with mounted(tmp_path / "disk", "size=64k") as disk:
        with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as stream:
            while True:
                stream.write(bytes(4096))
        result = corpus(recordings, disk / "out", model)
        assert result.exit_code == 1
        assert said(result)
        assert all(line.endswith("No space left on device.") for line in said(result))
        (disk / "filler").unlink()
        assert corpus(recordings, disk / "out", model).exit_code == 0


def test_a_folder_of_outputs_on_a_disk_that_may_only_be_read(recordings, model, tmp_path):
    with mounted(tmp_path / "disk", "size=256k", "ro") as disk:
        result = corpus(recordings, disk / "out", model)
        assert result.exit_code == 1
        assert said(result) == [
            f"Error: {disk / 'out'}: cannot be written to: Read-only file system."
        ]


def test_one_folder_of_the_outputs_that_may_only_be_read(recordings, model, tmp_path):
    out = tmp_path / "out"
    with mounted(out / "ann", "size=256k", "ro"):
        result = corpus(recordings, out, model)
        assert result.exit_code == 1
        assert said(result) == [
            f"Error: {recordings / f'ann/u{n}.wav'}: {out / f'ann/u{n}.TextGrid'}: {READ_ONLY}"
            for n in range(2)
        ]
        assert "2  aligned" in result.stdout
        assert outputs(out) == text_grids("bob/u0", "bob/u1")
    assert corpus(recordings, out, model).exit_code == 0
    assert outputs(out) == text_grids(*NAMES)


def test_outputs_that_others_have_open(recordings, model, tmp_path):
    """Who reads keeps what they began to read; who writes, writes into a file that is no more."""
    with mounted(tmp_path / "disk", "size=256k") as disk:
        out = disk / "out"
        assert corpus(recordings, out, model).exit_code == 0
        whole = tree(out)
        read, written = out / "ann/u0.TextGrid", out / "ann/u1.TextGrid"
        before = read.read_bytes()
        with read.open("rb") as reader, written.open("r+b", buffering=0) as writer:
            start = reader.read(10)
            assert corpus(recordings, out, model, "--overwrite").exit_code == 0
            writer.write(b"scribbled")
            assert start + reader.read() == before
        assert tree(out) == whole


def test_files_that_disappear_or_change(recordings, model, tmp_path):
    for name in ("vanish", "change"):
        for suffix in (".wav", ".phones"):
            (recordings / f"ann/u0{suffix}").with_stem(name).write_bytes(
                (recordings / f"ann/u0{suffix}").read_bytes()
            )
    with mounted(tmp_path / "disk", "size=256k") as disk:
        out = disk / "out"
        result = corpus(recordings, out, model)
        assert result.exit_code == 1
        changed = recordings / "ann/change"
        assert said(result) == [
            f"Error: {changed}.wav: {changed}.phones: changed while it was read; run again once "
            "it is complete.",
            f"Error: {recordings / 'ann/vanish.wav'}: disappeared during the run.",
        ]
        assert "4  aligned" in result.stdout
        assert outputs(out) == text_grids(*NAMES)


def test_training_says_that_its_model_cannot_be_kept(tmp_path):
    """Before hours are spent on it."""
    with mounted(tmp_path / "disk", "size=256k", "ro") as disk:
        arguments = ["train", "speech", recordings_to_learn(tmp_path), "-o", disk / "m.align"]
        result = CliRunner().invoke(cli, [str(a) for a in arguments])
        assert result.exit_code != 0
        assert len(said(result)) == 1
        assert "Read-only file system" in said(result)[0]
        assert "Traceback" not in result.output


def recordings_to_learn(folder):
    from synthetic_speech import write_corpus

    return write_corpus(folder / "corpus", {"ann": 2, "bob": 2})
