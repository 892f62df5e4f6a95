"""Documents of Word and workbooks of Excel."""

import sys
import zipfile
from pathlib import Path

import pytest

from align.corpus.text_tables import read_texts
from align.errors import DataError, ParameterError
from align.formats.documents import office
from align.speech.text import read_transcript

docx = pytest.importorskip("docx")
openpyxl = pytest.importorskip("openpyxl")


def test_paragraphs_and_tables_of_a_document(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Ann: Where are you from?")
    document.add_paragraph("Bob: Bonn.\nOn the Rhine.")
    rows = document.add_table(rows=0, cols=3)
    for row in (("00:07", "Ann:", "Oh!\nI see."), ("", "Bob", "Yes."), ("0:12", "", "(laughs)")):
        for cell, text in zip(rows.add_row().cells, row, strict=True):
            cell.text = text
    document.save(tmp_path / "talk.docx")
    assert office.read_document(tmp_path / "talk.docx").split("\n") == [
        "Ann: Where are you from?",
        "Bob: Bonn.",
        "On the Rhine.",
        "00:07 Ann: Oh! I see.",
        "Bob: Yes.",
        "0:12 (laughs)",
    ]
    found = [(u.speaker, u.text.split()[0]) for u in read_transcript(tmp_path / "talk.docx")]
    assert found == [("Ann", "Where"), ("Bob", "Bonn."), ("Ann", "Oh!"), ("Bob", "Yes.")]


def test_tracked_changes_and_controls_of_a_document(tmp_path: Path) -> None:
    """Text that was inserted, or stands in a control, was lost in silence."""
    from docx.oxml import parse_xml

    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    run = "<w:r><w:t>{}</w:t></w:r>"
    document = docx.Document()
    line = document.add_paragraph("A ")
    for within in (
        f'<w:ins {space} w:id="1" w:author="a">{run.format("quick ")}</w:ins>',
        f'<w:del {space} w:id="2" w:author="a"><w:r><w:delText>slow</w:delText></w:r></w:del>',
        f'<w:moveFrom {space} w:id="3" w:author="a">{run.format("old ")}</w:moveFrom>',
        f"<w:sdt {space}><w:sdtContent>{run.format('brown ')}</w:sdtContent></w:sdt>",
        f"<w:hyperlink {space}>{run.format('fox')}</w:hyperlink>",
        f"<w:r {space}><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>",
    ):
        line._p.append(parse_xml(within))
    whole = f"<w:sdt {space}><w:sdtContent><w:p>{run.format('jumps')}</w:p></w:sdtContent></w:sdt>"
    line._p.addnext(parse_xml(whole))
    table = document.add_table(rows=2, cols=3)
    for n, text in enumerate(("Zeit", "Sprecher", "Text", "0:04", "Ann", "Oh.")):
        table.cell(n // 3, n % 3).text = text
    document.save(tmp_path / "talk.docx")
    assert (
        office.read_document(tmp_path / "talk.docx") == "A quick brown fox\njumps\n0:04 Ann: Oh."
    )


def test_rows_of_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (("Nr", "File", "Text"), (1, "a.wav", "Hello,\nyou."), (2.0, 2.0, "No."), (None,)):
        book.active.append(row)
    book.save(tmp_path / "prompts.xlsx")
    assert read_texts(tmp_path / "prompts.xlsx") == [("a.wav", "Hello, you.", 2), ("2", "No.", 3)]
    book.active["C1"] = "said"
    book.save(tmp_path / "other.xlsx")
    with pytest.raises(DataError, match="call them `file` and `text`"):
        read_texts(tmp_path / "other.xlsx")


@pytest.mark.parametrize("read", [office.read_document, office.read_sheet])
def test_other_files_are_refused(tmp_path: Path, read, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text").write_text("hello")
    with pytest.raises(DataError, match="that can be read"):
        read(tmp_path / "text")
    with pytest.raises(DataError, match="does not exist"):
        read(tmp_path / "none")
    monkeypatch.setattr(office, "_MOST_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "bomb", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 2000)
    with pytest.raises(DataError, match="unpacks to more than"):
        read(tmp_path / "bomb")


@pytest.mark.parametrize(
    ("read", "module"), [(office.read_document, "docx"), (office.read_sheet, "openpyxl")]
)
def test_without_the_library(read, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ParameterError, match=r"margin-align\[documents\]"):
        read("x")


def test_rows_of_a_sheet_are_of_one_length_and_numbered_as_there(tmp_path: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in (["file", "text ", "note"], [" a1"], [], ["b2", "Say so."], [" "]):
        sheet.append(row)
    book.save(tmp_path / "x.xlsx")
    assert office.read_sheet(tmp_path / "x.xlsx") == [
        ["file", "text", "note"],
        ["a1", "", ""],
        ["", "", ""],
        ["b2", "Say so.", ""],
    ]
