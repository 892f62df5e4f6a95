"""Files in other encodings are refused with the byte, the line, and what they probably are."""

from pathlib import Path

import pytest

from align.errors import DataError
from align.files.text import read_text

GERMAN = "schön und süß\nauch Öl\n"
POLISH = "łódź, źródło, więcej\n"


@pytest.mark.parametrize(
    ("text", "encoding", "line", "words"),
    [
        (GERMAN, "latin-1", 1, ("0xF6", "'ö'", "Windows-1252")),
        ("a\n" + GERMAN, "mac_roman", 2, ("0x9A", "'ö'", "Mac Roman")),
        (POLISH, "cp1250", 1, ("0xB3", "'ł'", "Windows-1250")),
        ("it\u2019s caf\u00e9\n", "cp1252", 1, ("0x92", "Windows-1252")),
    ],
)
def test_likely_encodings(
    tmp_path: Path, text: str, encoding: str, line: int, words: tuple[str, ...]
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    with pytest.raises(DataError) as caught:
        read_text(path)
    assert caught.value.line == line
    for word in ("is not UTF-8 or UTF-16 text; save it again as UTF-8", *words):
        assert word in str(caught.value)
    assert read_text(path, encoding) == text


def test_no_encoding_is_named_where_none_is_likely(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"abc\n" + bytes(range(0xB0, 0xC0)) * 4)
    with pytest.raises(DataError, match=r"line 2: .* \(byte 0xB0 is none of its\)"):
        read_text(path)
    path.write_bytes("é".encode() + b"\xc3")
    with pytest.raises(DataError, match="is not UTF-8"):
        read_text(path)
    path.write_bytes(b"abc")
    with pytest.raises(DataError, match=r"is not utf-16 text"):
        read_text(path, "utf-16")
