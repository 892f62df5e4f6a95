r"""Praat's ``\sw`` is ə, and no backslash of a label becomes a letter when it is written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.formats.tiers.praat_letters import from_praat, to_praat
from align.formats.tiers.textgrid import parse_textgrid, read_textgrid

GRID = '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "phones" 0 1 2 0 .5 "{}" .5 1 "{}"'


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (r"\sw", "ə"),
        (r"\ct\:f", "ɔː"),
        (r"t\^h", "tʰ"),
        (r"t\lis", "t͡s"),
        (r"n\|v", "n̩"),
        (r"b\0v", "b̥"),
        (r"\ef\~^", "ɛ̃"),
        (r"\tf\dh\sh\zh\ng", "θðʃʒŋ"),
        (r"a\\sw", r"a\ə"),
        (r"\s\sw", r"\sə"),
        ("\\", "\\"),
        (r"\s", r"\s"),
    ],
)
def test_letters_are_those_of_praat(typed: str, meant: str) -> None:
    assert from_praat(typed) == meant


@given(st.text(st.sampled_from("\\\\\\abcsw:fh^~\"'"), max_size=12))
def test_whatever_is_written_is_read_back(text: str) -> None:
    assert from_praat(to_praat(text)) == text


def test_a_grid_that_was_typed_in_praat(tmp_path: Path) -> None:
    (tmp_path / "a.TextGrid").write_text(GRID.format(r"\ae", '\\o""'))
    assert read_textgrid(tmp_path / "a.TextGrid").labels == ("æ", "ö")
    assert parse_textgrid(GRID.format(r"\sw", "k"))[0].labels == ("ə", "k")


def test_the_table_is_that_of_praat_itself() -> None:
    parselmouth = pytest.importorskip("parselmouth")
    for pair in ("sw", "tf", 'a"', "^h", "|v", "bs", "er", "rt"):
        quoted = pair.replace('"', '""')
        said = parselmouth.praat.run(
            f'text$ = backslashTrigraphsToUnicode$ ("\\{quoted}")\nwriteInfo: text$',
            capture_output=True,
        )
        assert said == ([], from_praat(f"\\{pair}"))
