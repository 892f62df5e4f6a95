"""Lists of phones, and files that are none."""

from pathlib import Path

import pytest

from align.errors import DataError
from align.formats.events import read_events


@pytest.mark.parametrize(
    "content",
    [
        "sil k iy w iy sil",
        "k 9 6 2: a1 55 35 n 51",  # SAMPA, and tones
        '" k " i # <p:> <nib>',
    ],
)
def test_what_is_between_spaces_is_a_phone(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.phones").write_text(content)
    assert read_events(tmp_path / "a.phones") == content.split()


@pytest.mark.parametrize(
    ("content", "first"),
    [
        ('<?xml version="1.0"?>\n<Trans scribe="x">', "'<[?]xml'"),
        ('File type = "ooTextFile"\nObject class = "Collection"', "'File'"),
        ("@UTF8\n@Begin\n*CHI:\tkiwi", "'@UTF8'"),
        ('#!MLF!#\n"*/a.lab"\n0 100000 k', "'#!MLF!#'"),
        ("LHD: Partitur 1.3\nKAN: 0 ki:vi", "'LHD:'"),
        ("signal a\ntype 0\n#\n 0.16 121 k", "'signal'"),
        (
            "separator ;\n#\n0.16 26 sil\n0.20 26 k\n0.25 26 iy\n0.30 26 w\n",
            "'separator'",
        ),
        ("kiwi 1 Ann 0.166 3.205 <o> kiwi", "'kiwi'"),
    ],
)
def test_files_with_more_than_phones_are_named(tmp_path: Path, content: str, first: str) -> None:
    (tmp_path / "a.phones").write_text(content)
    with pytest.raises(DataError, match=rf"is no list of phones \(it begins with {first}\)"):
        read_events(tmp_path / "a.phones")
