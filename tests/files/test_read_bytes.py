"""Whole files in memory."""

import tracemalloc
from pathlib import Path

import pytest

from align.errors import DataError
from align.files import text
from align.files.text import read_bytes


def test_a_small_file_asks_for_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"kiwi")
    tracemalloc.start()
    try:
        assert read_bytes(path) == b"kiwi"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_file_without_a_size_is_read_to_its_end() -> None:
    path = Path("/proc/self/limits")
    if not path.exists():
        pytest.skip("no file here has no size")
    assert read_bytes(path) == path.read_bytes() != b""


def test_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_MAX_BYTES", 3)
    path = tmp_path / "a.txt"
    path.write_bytes(b"kiwi")
    with pytest.raises(DataError, match="is larger than"):
        read_bytes(path)
