"""Known times from tables and TextGrids."""

from pathlib import Path

import pytest

from align.errors import DataError
from align.formats.anchors import AnchorRow, read_anchors
from align.formats.tiers.textgrid import format_textgrid


def test_a_table_is_read_in_order_of_time(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("label;index;time;remark\nfox;4;1.5;x\nquick;;0.25;\n;1;0.1;\n")
    table = read_anchors(path)
    assert table.path == str(path)
    assert table.rows == (
        AnchorRow(0.1, "", 1, 4),
        AnchorRow(0.25, "quick", None, 3),
        AnchorRow(1.5, "fox", 4, 2),
    )


def test_a_tier_gives_the_beginnings_of_its_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    words = (["", "fox", ""], [(0.0, 0.3), (0.3, 0.7), (0.7, 1.0)])
    phones = (["f", "aa"], [(0.3, 0.4), (0.4, 0.7)])
    path.write_text(format_textgrid({"words": words, "phones": phones}, 1.0))
    of_words, of_phones = read_anchors(path, words=True), read_anchors(path)
    assert [(row.time, row.label) for row in of_words.rows] == [(0.3, "fox")]
    assert [(row.time, row.label) for row in of_phones.rows] == [(0.3, "f"), (0.4, "aa")]
    assert of_words.rows[0].line is not None
    path.write_text(format_textgrid({"mine": words}, 1.0))
    assert [row.label for row in read_anchors(path, words=True).rows] == ["fox"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no known times"),
        ("time,label\n", "has no known times"),
        ("when,label\n1,a\n", "line 1: needs the columns time,label"),
        ("time,remark\n1,a\n", "line 1: needs the columns time,label"),
        ("time,label\n1,a\nsoon,b\n", "line 3: the time is 'soon', which is not a number"),
        ("time,label\n1,\n", "line 2: has neither label nor index here"),
        ("time,label,index\n1,a,0\n", "line 2: the index is '0', must be a whole number from 1"),
        ("time,label,index\n1,a,1.5\n", "line 2: the index is '1.5'"),
    ],
)
def test_wrong_tables_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=r"a\.csv.*" + message):
        read_anchors(path)


def test_tiers_that_could_be_meant_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    tier = (["a"], [(0.0, 1.0)])
    path.write_text(format_textgrid({"one": tier, "two": tier}, 1.0))
    with pytest.raises(DataError, match=r"no tier of words .*'one', 'two'"):
        read_anchors(path, words=True)
    path.write_text(format_textgrid({"Ann - words": tier, "Bob - words": tier}, 1.0))
    with pytest.raises(DataError, match="several tiers of words"):
        read_anchors(path, words=True)


def test_a_table_of_words_and_phones_gives_those_that_are_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Begin,End,Label,Type,Speaker\n0.1,0.4,kiwi,words,A\n0.1,0.2,K,phones,A\n")
    assert [row.label for row in read_anchors(path).rows] == ["K"]
    assert [row.label for row in read_anchors(path, words=True).rows] == ["kiwi"]
    path.write_text("time,label,type\n0.1,kiwi,sure\n0.4,fox,words\n")
    assert [row.label for row in read_anchors(path).rows] == ["kiwi", "fox"]


def test_words_of_webmaus_are_words(tmp_path: Path) -> None:
    both = [(0.0, 0.5), (0.5, 1.0)]
    grid = {"ORT-MAU": (["", "kiwi"], both), "MAU": (["<p:>", "k"], both)}
    path = tmp_path / "a.TextGrid"
    path.write_text(format_textgrid(grid, 1.0))
    assert [row.label for row in read_anchors(path, words=True).rows] == ["kiwi"]


def test_other_files_of_labels_are_no_tables(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"events": []}')
    with pytest.raises(DataError, match=r"is neither a TextGrid nor a table .* align convert mak"):
        read_anchors(tmp_path / "a.json")
