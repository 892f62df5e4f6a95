"""Where the program of espeak-ng is looked for."""

import os
import stat
from pathlib import Path

import pytest

from align.speech.text.pronouncing.espeak import _program


def program_at(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text("", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_where_the_installer_for_windows_puts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "espeak-ng.exe" if os.name == "nt" else "espeak-ng"
    installed = program_at(tmp_path / "Program Files" / "eSpeak NG" / name)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setenv("ProgramFiles", str(installed.parents[1]))
    assert Path(_program() or "") == installed
    on_path = program_at(tmp_path / "on path" / installed.name)
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert Path(_program() or "") == on_path
