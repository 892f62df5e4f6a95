"""Folders that may not be read are told by name, since a corpus would lack a speaker."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from align.cli import cli
from align.files.folders import walk

DATA = Path(__file__).parents[2] / "align" / "data"

Lock = Callable[[str, int], None]


@pytest.fixture
def lock(monkeypatch) -> Lock:
    """Let folders of a name fail as the system would; root may read everything."""
    whole = os.scandir

    def close(name: str, number: int = errno.EACCES) -> None:
        def scandir(path: Any = ".") -> Any:
            if os.path.basename(os.fspath(path)) == name:
                raise OSError(number, os.strerror(number), path)
            return whole(path)

        monkeypatch.setattr(os, "scandir", scandir)

    return close


@pytest.mark.parametrize(
    "command",
    [
        ["validate", "speech", "in"],
        ["corpus", "speech", "in", "out"],
        ["train", "speech", "in", "-o", "m.align"],
        ["report", "in", "-o", "x.html"],
        ["evaluate", "in", "in"],
        ["studio", "in", "out", "--no-browser"],
        ["validate", "music", "in"],
    ],
    ids=" ".join,
)
def test_a_folder_that_cannot_be_read_is_no_empty_one(
    tmp_path: Path, monkeypatch, lock: Lock, command: list[str]
) -> None:
    for speaker in ("ann", "bob"):
        (tmp_path / "in" / speaker).mkdir(parents=True)
        for suffix in ("flac", "TextGrid"):
            shutil.copy(DATA / f"kiwi.{suffix}", tmp_path / "in" / speaker)
    monkeypatch.chdir(tmp_path)
    lock("bob", errno.EACCES)
    found = CliRunner().invoke(cli, command)
    assert found.exit_code != 0
    where = os.path.join("in", "bob")
    assert f"{where}: cannot be read: Permission denied; ask for the right" in found.output


def test_folders_of_the_system_are_nobodys(tmp_path: Path, lock: Lock) -> None:
    for name in ("ann", ".hidden", "lost+found"):
        (tmp_path / name).mkdir()
    lock("lost+found", errno.EACCES)
    found = [(os.path.relpath(top, tmp_path), inner) for top, inner, _ in walk(str(tmp_path))]
    assert found == [(".", ["ann", "lost+found"]), ("ann", [])]
    lock(".hidden", errno.EACCES)
    assert len(list(walk(str(tmp_path)))) == 3


def test_a_folder_that_is_gone_is_no_error(tmp_path: Path, lock: Lock) -> None:
    (tmp_path / "ann").mkdir()
    lock("ann", errno.ENOENT)
    assert len(list(walk(str(tmp_path)))) == 1
