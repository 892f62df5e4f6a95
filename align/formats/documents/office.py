"""Text of Word's documents and rows of Excel's sheets, which transcripts and prompts come as.

python-docx and openpyxl read them (``pip install "margin-align[documents]"``). Of a document the
paragraphs and the tables count, in their order: a row of a table, such as time, speaker and words,
becomes a line, ``00:04 Ann: words``. Tracked changes count as if they were accepted: what was
inserted is there, what was deleted is not. Headers, footers, comments, text boxes and hidden text
do not count, nor does the first row of a table that only names its columns. Of a workbook the
first sheet counts, with the values that its formulas had when it was saved.
"""

import io
import os
import zipfile
from collections.abc import Iterator
from typing import Any

from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.files.text import read_bytes

_MOST_BYTES = 200_000_000  # of all parts together, unpacked
_MOST_ROWS = 1_000_000
_NOT_TEXT = frozenset(
    "del moveFrom pPr rPr sdtPr sdtEndPr sectPr tblPr tblGrid trPr tcPr drawing pict "
    "Fallback".split()
)
"""Elements of a document that hold nothing that is read in its text."""

_COLUMNS = frozenset(
    "#|no|nr|no.|nr.|line|time|timecode|time code|start|end|begin|speaker|name|text|transcript|"
    "words|zeile|zeit|zeitmarke|anfang|ende|beginn|sprecher|sprecherin|person|transkript|äußerung|"
    "ligne|temps|début|fin|locuteur|texte|transcription|línea|tiempo|inicio|hablante|texto".split(
        "|"
    )
)
"""What the first row of a table calls its columns."""


def read_document(path: StrPath) -> str:
    """Return the text of a ``.docx``, a line for each paragraph and each row of a table.

    Raises DataError where the file cannot be read, ParameterError without python-docx.
    """
    name = os.fspath(path)
    try:
        import docx
    except ImportError:
        raise _missing("python-docx", "Word's documents") from None
    try:
        lines = list(_lines(docx.Document(_content(name)).element.body))
    except (DataError, MemoryError):
        raise
    except Exception as error:  # zipfile, lxml and python-docx raise whatever they meet
        raise _unreadable(name, "document of Word", error) from None
    return "\n".join(lines)


def read_sheet(path: StrPath) -> list[list[str]]:
    """Return the cells of the first sheet of a ``.xlsx`` as text, to the last row that has any.

    All rows are as long as the longest.
    Raises DataError where the file cannot be read, ParameterError without openpyxl.
    """
    name = os.fspath(path)
    try:
        import openpyxl
    except ImportError:
        raise _missing("openpyxl", "Excel's workbooks") from None
    rows: list[list[str]] = []
    try:
        book = openpyxl.load_workbook(_content(name), read_only=True, data_only=True)
        try:
            for cells in book.worksheets[0].iter_rows(values_only=True, max_row=_MOST_ROWS):
                rows.append(["" if cell is None else _shown(cell).strip() for cell in cells])
        finally:
            book.close()
    except (DataError, MemoryError):
        raise
    except Exception as error:  # zipfile, the parser of XML and openpyxl raise whatever they meet
        raise _unreadable(name, "workbook of Excel", error) from None
    while rows and not any(rows[-1]):
        rows.pop()
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def _missing(package: str, what: str) -> ParameterError:
    return ParameterError(
        f'{what} need {package}, which is not installed: pip install "margin-align[documents]"; '
        "or save the file as plain text."
    )


def _content(name: str) -> io.BytesIO:
    """Return a file; refuse what would fill the memory: a small one may unpack to anything."""
    content = io.BytesIO(read_bytes(name))
    with zipfile.ZipFile(content) as parts:
        if sum(part.file_size for part in parts.infolist()) > _MOST_BYTES:
            raise DataError(f"unpacks to more than {_MOST_BYTES // 10**6} MB.", path=name)
    return content


def _lines(blocks: Any) -> Iterator[str]:
    """Return the lines of paragraphs and tables, those within tracked changes and controls too."""
    for block in _elements(blocks):
        kind = _kind(block)
        if kind == "p":
            yield from "".join(_pieces(block)).split("\n")
        elif kind == "tbl":
            yield from _rows(block)
        else:
            yield from _lines(block)


def _elements(parent: Any) -> list[Any]:
    return [child for child in parent if _kind(child) not in _NOT_TEXT]


def _kind(element: Any) -> str:
    """Return the name of an element without its namespace; empty for a remark."""
    return str(element.tag).rpartition("}")[2] if isinstance(element.tag, str) else ""


def _pieces(parent: Any) -> Iterator[str]:
    for child in _elements(parent):
        kind = _kind(child)
        if kind == "t":
            yield child.text or ""
        elif kind in ("tab", "ptab"):
            yield "\t"
        elif kind in ("br", "cr"):
            yield "\n"
        elif kind == "noBreakHyphen":
            yield "-"
        elif not (kind == "r" and _has(child, "rPr", "vanish")):
            yield from _pieces(child)


def _has(element: Any, properties: str, name: str) -> bool:
    """Whether the properties of an element switch something on."""
    for found in (own for child in element if _kind(child) == properties for own in child):
        if _kind(found) == name:
            values = [value for key, value in found.attrib.items() if key.endswith("}val")]
            return values not in (["0"], ["false"])
    return False


def _rows(table: Any) -> Iterator[str]:
    rows = [row for row in _of_kind(table, "tr") if not _has(row, "trPr", "del")]
    for number, row in enumerate(rows):
        cells = [" ".join(" ".join(_lines(cell)).split()) for cell in _of_kind(row, "tc")]
        cells = [cell for cell in cells if cell]
        names_columns = all(cell.casefold().rstrip(":") in _COLUMNS for cell in cells)
        if number == 0 and len(cells) > 1 and names_columns:
            continue
        head, text = " ".join(cells[:-1]), "".join(cells[-1:])
        spoken_by = any(character.isalpha() for character in head)
        yield f"{head.rstrip(':')}: {text}" if spoken_by else f"{head} {text}".strip()


def _of_kind(parent: Any, kind: str) -> Iterator[Any]:
    """Return the rows of a table or the cells of a row, those within controls too."""
    for child in _elements(parent):
        if _kind(child) == kind:
            yield child
        elif _kind(child) in ("sdt", "sdtContent", "ins", "moveTo", "customXml"):
            yield from _of_kind(child, kind)


def _shown(cell: Any) -> str:
    """Return a value as it is written: 7, where Excel keeps 7.0."""
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def _unreadable(name: str, what: str, error: Exception) -> DataError:
    detail = f"{type(error).__name__}: {error}"[:80]
    return DataError(f"is no {what} that can be read ({detail}); save it again.", path=name)
