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
    with pytest.raises(DataError, match=r"line 2: .* \(byte 0xB0 is no letter there\)"):
        read_text(path)
    path.write_bytes("é".encode() + b"\xc3")
    with pytest.raises(DataError, match="is not UTF-8"):
        read_text(path)
    path.write_bytes(b"abc")
    with pytest.raises(DataError, match=r"is not utf-16 text"):
        read_text(path, "utf-16")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_a_corpus_may_mix_what_is_said_with_unicode(tmp_path: Path, encoding: str) -> None:
    # As cp1252 UTF-8 would be other words, without an error, and UTF-16 would not be text.
    path = tmp_path / "a.txt"
    path.write_bytes((GERMAN + "Ü").encode(encoding))
    assert read_text(path, "cp1252") == GERMAN + "Ü"


def test_signs_of_two_bytes_are_read_as_said(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("模".encode("gbk"))  # one sign, and one letter of UTF-8 as well
    assert read_text(path, "gbk") == "模"
    assert read_text(path) == "ģ"
