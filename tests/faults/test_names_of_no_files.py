"""Pipes, sockets and devices where a file should be: refused at once; nothing waits for them."""

import os
import shutil
import signal
import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from corpus_tools import tree
from fault_workers import run
from synthetic_speech import write_corpus

import align
from align.cli import cli
from align.errors import AlignError, DataError, ModelError
from align.files.regular import open_regular

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "fuzz" / "targets")]
try:
    import parsers
finally:
    del sys.path[0]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes have no names in folders there")

WHY = "cannot be read: it is a pipe, a socket or a device, not a file."
NAMES = ("ann/u0", "ann/u1", "bob/u0", "bob/u1")


class Blocked(BaseException):
    """Whatever was called waits for what will never come."""


@pytest.fixture(autouse=True)
def nothing_waits():
    """Raise where a test takes a minute; what blocks on a pipe would do so for ever."""

    def stop(*_):
        raise Blocked

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)  # the address of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as held:
            held.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)


def endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


KINDS = [
    pipe,
    pytest.param(
        unix_socket,
        marks=pytest.mark.skipif(sys.platform != "linux", reason="addresses through /proc"),
    ),
    endless_device,
]


READ = [
    (target, suffix)
    for target, (_, own) in parsers.TARGETS.items()
    if target != "ipa"  # words, not a file
    for suffix in parsers.SUFFIXES.get(target, (own,))
]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(("target", "suffix"), READ)
def test_no_reader_opens_them(target, suffix, make, tmp_path):
    path = tmp_path / f"in{suffix}"
    make(path)
    with pytest.raises(AlignError, match=r"pipe, a socket or a device|not a regular file"):
        parsers.TARGETS[target][0](str(path))


@pytest.mark.parametrize("make", KINDS)
def test_a_corpus_that_holds_them_is_done_but_for_them(make, recordings, tmp_path):
    make(recordings / "ann/a.wav")
    (recordings / "ann/a.phones").write_text("sil aa")
    shutil.copy(recordings / "ann/u0.wav", recordings / "bob/b.wav")
    make(recordings / "bob/b.phones")
    out = tmp_path / "out"
    arguments = ["corpus", "speech", recordings, out, "--jobs", "1"]
    result = CliRunner().invoke(cli, [str(a) for a in arguments])
    assert result.exit_code == 1
    assert f"Error: {recordings / 'ann/a.wav'}: {WHY}" in result.stderr
    assert f"Error: {recordings / 'bob/b.wav'}: {recordings / 'bob/b.phones'}: {WHY}" in (
        result.stderr
    )
    assert "4  aligned" in result.stdout
    assert set(tree(out, table=False)) == {f"{name}.TextGrid" for name in NAMES}


@pytest.mark.parametrize("make", KINDS)
def test_a_manifest_that_names_them(make, recordings, tmp_path):
    make(tmp_path / "odd.wav")
    make(tmp_path / "odd.phones")
    rows = [f"in/{name}.wav,in/{name}.phones" for name in NAMES]
    rows += ["odd.wav,in/ann/u0.phones", "in/ann/../ann/u0.wav,odd.phones"]
    manifest = tmp_path / "list.csv"
    manifest.write_text("\n".join(["audio,labels", *rows[:5]]))
    done = run(manifest, tmp_path / "out")
    assert len(done.aligned) == 4
    assert done.failed == ((str(tmp_path / "odd.wav"), WHY),)
    manifest.write_text("\n".join(["audio,labels", *rows[1:4], rows[5]]))
    done = run(manifest, tmp_path / "other")
    assert len(done.aligned) == 3
    ((audio, reason),) = done.failed
    assert (os.path.basename(audio), reason) == ("u0.wav", f"{tmp_path / 'odd.phones'}: {WHY}")
    os.unlink(manifest)
    make(manifest)
    with pytest.raises(DataError, match="it is a pipe, a socket or a device, not a file"):
        run(manifest, tmp_path / "none")


@pytest.mark.parametrize("make", KINDS)
def test_a_corpus_to_learn_from_that_holds_them(make, tmp_path):
    corpus = write_corpus(tmp_path / "corpus", {"ann": 2, "bob": 2})
    make(corpus / "ann/a.wav")
    shutil.copy(corpus / "ann/u0.phn", corpus / "ann/a.phn")
    shutil.copy(corpus / "ann/u0.wav", corpus / "bob/b.wav")
    make(corpus / "bob/b.phn")
    read = align.read_corpus(corpus)
    assert len(read) == 4
    assert read.problems == [
        (str(corpus / "ann/a.wav"), "it is not a regular file; audio is read from files only."),
        (str(corpus / "bob/b.phn"), WHY),
    ]
    result = CliRunner().invoke(cli, ["validate", "speech", str(corpus)])
    assert result.exit_code == 1
    assert WHY in result.output


@pytest.mark.parametrize("make", KINDS)
def test_models_and_dictionaries_that_are_none(make, recordings, tmp_path):
    make(tmp_path / "m.align")
    with pytest.raises(ModelError, match="cannot be read: it is a pipe, a socket or a device"):
        run(recordings, tmp_path / "out", model=tmp_path / "m.align")
    with pytest.raises(ModelError, match=r"cannot be read .it is a pipe, a socket or a device"):
        align.load(tmp_path / "m.align")
    make(tmp_path / "d.dict")
    with pytest.raises(DataError, match="cannot be read: it is a pipe, a socket or a device"):
        run(recordings, tmp_path / "out", dictionary=str(tmp_path / "d.dict"), text=True)


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("make", [pipe, endless_device])
def test_outputs_that_are_none_stay_what_they_are(make, overwrite, recordings, tmp_path):
    out = tmp_path / "out"
    (out / "ann").mkdir(parents=True)
    make(out / "ann/u0.TextGrid")
    pipe(out / "quality.csv")
    done = run(recordings, out, overwrite=overwrite)
    assert done.aligned == NAMES[1:]
    assert len(done.failed) == 2
    assert all("it is a pipe, a socket or a device" in reason for _, reason in done.failed)
    for name in ("ann/u0.TextGrid", "quality.csv"):
        assert not (out / name).is_file()


@pytest.mark.parametrize("name", ["journal", "lock"])
@pytest.mark.parametrize("make", [pipe, endless_device])
def test_notes_of_a_run_that_are_none(make, name, recordings, tmp_path):
    out = tmp_path / "out"
    (out / ".align").mkdir(parents=True)
    make(out / ".align" / name)
    with pytest.raises(DataError, match=r"cannot be (read|written to): "):
        run(recordings, out)


def test_a_lock_that_is_a_link_is_not_followed(recordings, tmp_path):
    """The lock is emptied at the end; what a link leads to must not be."""
    precious = tmp_path / "precious"
    precious.write_text("whole")
    (tmp_path / "out/.align").mkdir(parents=True)
    (tmp_path / "out/.align/lock").symlink_to(precious)
    with pytest.raises(DataError, match="out: cannot be written to: "):
        run(recordings, tmp_path / "out")
    assert precious.read_text() == "whole"


def test_what_was_exchanged_after_the_first_look_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.phn"
    path.write_text("0 1 a")
    real = os.stat(path)
    path.unlink()
    pipe(path)
    monkeypatch.setattr("align.files.regular.os.stat", lambda _: real)
    with pytest.raises(OSError, match="it is a pipe, a socket or a device"):
        open_regular(path)
