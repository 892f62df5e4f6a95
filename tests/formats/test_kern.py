"""Kern as it is found: repeats in bar lines, endings by labels, bars without a number."""

from pathlib import Path

import pytest

from align.formats.scores import read_score

pytest.importorskip("partitura")


def read(folder: Path, *lines: str, repeats: bool = True) -> tuple[str, str]:
    """Return notes, as their letters, and bars and beats of a score in 4/4."""
    path = folder / "a.krn"
    path.write_text("\n".join(["**kern", "*M4/4", *lines, "*-", ""]), encoding="utf-8")
    score = read_score(path, repeats=repeats)
    assert score.beats is not None
    bars, beats = score.beats.at(score.onsets)
    counted = " ".join(f"{bar}.{beat:g}" for bar, beat in zip(bars, beats, strict=True))
    return "".join(name[0] for name in score.names), counted


def test_repeats(tmp_path: Path) -> None:
    bars = "=1", "1c", "=2:|!|:", "1d", "=3", "1e", "=4:|!", "1f", "=="
    assert read(tmp_path, *bars) == ("CCDEDEF", "1.1 1.1 2.1 3.1 2.1 3.1 4.1")
    assert read(tmp_path, *bars, repeats=False) == ("CDEF", "1.1 2.1 3.1 4.1")
    assert read(tmp_path, "=1", "1c", "=2!|:", "1d", "=:|!")[0] == "CDD"
    assert read(tmp_path, "=1", "1c", "=2", "1d", "==:|!")[0] == "CDCD"


def test_endings(tmp_path: Path) -> None:
    bars = "*>A", "=1", "1c", "*>A1", "=2", "1d", "=3:|!", "*>A2", "1e", "*>B", "=4", "1f", "=="
    assert read(tmp_path, "*>[A,A1,A,A2,B]", *bars)[0] == "CDCEF"
    assert read(tmp_path, *bars, repeats=False)[0] == "CEF"
    late = "*>A", "=1", "1c", "=2", "*>A1", "1d", "=3:|!", "*>A2", "1e", "==", "*>B"
    assert read(tmp_path, *late)[0] == "CDCE"


def test_bars_without_a_number(tmp_path: Path) -> None:
    split = "4g", "=1", "1c", "=2", "2d", "2d", "=", "2e", "=:|!", "2f", "=4", "1g", "=="
    assert read(tmp_path, *split, repeats=False) == ("GCDDEFG", "0.4 1.1 2.1 2.3 3.1 3.3 4.1")
    assert read(tmp_path, "=", "1c", "=", "1d", "==") == ("CD", "1.1 2.1")
    assert read(tmp_path, "=5", "1c", "=", "1d", "==") == ("CD", "5.1 6.1")
