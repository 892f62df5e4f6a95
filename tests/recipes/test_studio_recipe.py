"""The recipe of the studio's latencies works through recordings as a person would."""

import shutil
from pathlib import Path

import pytest
from kiwi_text import KIWI, TEXT
from scripts import RECIPES, script


def test_every_step_of_a_sitting_is_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    latency = script(RECIPES / "studio" / "latency.py")
    shutil.copy(KIWI, tmp_path / "kiwi.flac")
    (tmp_path / "kiwi.txt").write_text(TEXT, encoding="utf-8")
    words = ["latency.py", str(tmp_path), "--recordings", "1", "--edits", "1"]
    monkeypatch.setattr("sys.argv", words)
    latency.main()
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("speech-en: 4 edits, memory ")
    assert [row.split("  ")[1].strip() for row in rows] == [
        "open, queue", "first", "draw", "edit", "confirm", "learn",
    ]  # fmt: skip
