"""Files are written whole or not at all."""

import os
import stat

import pytest

from align.errors import DataError
from align.files import atomic
from align.files.atomic import atomic_write

posix = pytest.mark.skipif(os.name == "nt", reason="links, rights and devices are others there")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_writes_text_and_bytes(tmp_path):
    atomic_write(tmp_path / "a", "ŋ\n")
    atomic_write(str(tmp_path / "b"), b"\x00\xff")
    assert (tmp_path / "a").read_bytes() == b"\xc5\x8b\n"
    assert (tmp_path / "b").read_bytes() == b"\x00\xff"
    assert names(tmp_path) == ["a", "b"]


def test_keeps_a_file_that_exists(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(DataError, match="a: exists; choose another name or allow overwriting"):
        atomic_write(path, "new")
    assert path.read_text() == "old"
    atomic_write(path, "new", overwrite=True)
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a"]


def test_a_name_taken_meanwhile_is_kept(tmp_path, monkeypatch):
    path = tmp_path / "a"

    def race(*args):
        path.write_text("theirs")
        return os.fsync

    monkeypatch.setattr(atomic.os, "fsync", race)
    with pytest.raises(DataError, match="exists"):
        atomic_write(path, "mine")
    assert path.read_text() == "theirs"
    assert names(tmp_path) == ["a"]


def test_file_systems_without_links(tmp_path, monkeypatch):
    def refuse(*args):
        raise OSError("not supported")

    monkeypatch.setattr(atomic.os, "link", refuse)
    atomic_write(tmp_path / "a", "x")
    assert (tmp_path / "a").read_text() == "x"
    assert names(tmp_path) == ["a"]


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("old")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(DataError, match="cannot be written: No space left on device"):
        atomic_write(path, "new", overwrite=True)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_on_windows_a_file_that_is_read_only_is_not_waited_for(tmp_path, monkeypatch):
    path = str(tmp_path / "a")
    atomic_write(path, "old")
    with monkeypatch.context() as windows:
        windows.setattr(atomic.os, "name", "nt")
        windows.setattr(atomic.os, "access", lambda *_: False)
        with pytest.raises(DataError, match="cannot be written: it is read-only"):
            atomic_write(path, "new", overwrite=True)
    assert (tmp_path / "a").read_text() == "old"
    assert names(tmp_path) == ["a"]


def in_use():
    """What Windows raises where another program holds a file open."""
    error = PermissionError(13, "The process cannot access the file")
    error.winerror = 32
    return error


@pytest.mark.parametrize("times", [1, 3])
def test_a_file_that_is_open_for_a_moment_is_replaced(tmp_path, monkeypatch, times):
    path = tmp_path / "a"
    path.write_text("old")
    raised = [in_use() for _ in range(times)]
    replace = os.replace

    def held(*args):
        if raised:
            raise raised.pop()
        return replace(*args)

    monkeypatch.setattr(atomic.os, "replace", held)
    monkeypatch.setattr(atomic.time, "sleep", lambda seconds: None)
    atomic_write(path, "new", overwrite=True)
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a"]


def test_a_file_that_stays_open_is_told(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("old")
    waited = []

    def held(*args):
        raise in_use()

    monkeypatch.setattr(atomic.os, "replace", held)
    monkeypatch.setattr(atomic.time, "sleep", waited.append)
    with pytest.raises(DataError, match="another program holds it open; close it there"):
        atomic_write(path, "new", overwrite=True)
    assert 0 < sum(waited) < 2
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_a_folder_without_permission_is_not_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("old")

    def refused(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(atomic.os, "replace", refused)
    monkeypatch.setattr(atomic.time, "sleep", lambda seconds: pytest.fail("waited"))
    with pytest.raises(DataError, match="cannot be written: Permission denied"):
        atomic_write(path, "new", overwrite=True)


def test_folders(tmp_path):
    with pytest.raises(DataError, match="its folder does not exist; create it"):
        atomic_write(tmp_path / "no" / "a", "x")
    with pytest.raises(DataError, match="is a folder; name a file"):
        atomic_write(tmp_path, "x", overwrite=True)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(DataError, match="cannot be written: Permission denied"):
        atomic_write(tmp_path / "a", "x")


@posix
def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    atomic_write(tmp_path / "link", "new", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@posix
def test_permissions_are_kept(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o640)
    atomic_write(path, "new", overwrite=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@posix
def test_a_device_is_not_replaced():
    for overwrite in (False, True):
        atomic_write(os.devnull, "x", overwrite=overwrite)
    assert not os.path.isfile(os.devnull)
