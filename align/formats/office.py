"""Text of Word's documents and rows of Excel's sheets, which transcripts and prompts come as.

python-docx and openpyxl read them (``pip install 'margin-align[documents]'``). Of a document the
paragraphs and the tables count, in their order: a row of a table, such as time, speaker and words,
becomes a line, ``00:04 Ann: words``. Headers, footers, comments and deleted text do not. Of a
workbook the first sheet counts, with the values that its formulas had when it was saved.
"""

import io
import os
import zipfile
from collections.abc import Iterator
from typing import Any

from align.errors import DataError, ParameterError
from align.files.text import read_bytes

__all__ = ["read_document", "read_sheet"]

_MOST_BYTES = 200_000_000  # of all parts together, unpacked
_MOST_ROWS = 1_000_000


def read_document(path: str | os.PathLike[str]) -> str:
    """Return the text of a ``.docx``, a line for each paragraph and each row of a table.

    Raises DataError where the file cannot be read, ParameterError without python-docx.
    """
    name = os.fspath(path)
    try:
        import docx
    except ImportError:
        raise _missing("python-docx", "Word's documents") from None
    try:
        lines = list(_lines(docx.Document(_content(name))))
    except (DataError, MemoryError):
        raise
    except Exception as error:  # zipfile, lxml and python-docx raise whatever they meet
        raise _unreadable(name, "document of Word", error) from None
    return "\n".join(lines)


def read_sheet(path: str | os.PathLike[str]) -> list[list[str]]:
    """Return the cells of the first sheet of a ``.xlsx`` as text; rows without any are left out.

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
                row = ["" if cell is None else _shown(cell).strip() for cell in cells]
                if any(row):
                    rows.append(row)
        finally:
            book.close()
    except (DataError, MemoryError):
        raise
    except Exception as error:  # zipfile, the parser of XML and openpyxl raise whatever they meet
        raise _unreadable(name, "workbook of Excel", error) from None
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def _missing(package: str, what: str) -> ParameterError:
    return ParameterError(
        f"{what} need {package}, which is not installed: pip install 'margin-align[documents]'; "
        "or save the file as plain text."
    )


def _content(name: str) -> io.BytesIO:
    """Return a file; refuse what would fill the memory: a small one may unpack to anything."""
    content = io.BytesIO(read_bytes(name))
    with zipfile.ZipFile(content) as parts:
        if sum(part.file_size for part in parts.infolist()) > _MOST_BYTES:
            raise DataError(f"unpacks to more than {_MOST_BYTES // 10**6} MB.", path=name)
    return content


def _lines(document: Any) -> Iterator[str]:
    for block in document.iter_inner_content():
        if hasattr(block, "text"):
            yield from block.text.split("\n")
            continue
        for row in block.rows:
            cells = [" ".join(cell.text.split()) for cell in row.cells]
            cells = [cell for cell in cells if cell]
            head, text = " ".join(cells[:-1]), "".join(cells[-1:])
            spoken_by = any(character.isalpha() for character in head)
            yield f"{head.rstrip(':')}: {text}" if spoken_by else f"{head} {text}".strip()


def _shown(cell: Any) -> str:
    """Return a value as it is written: 7, where Excel keeps 7.0."""
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def _unreadable(name: str, what: str, error: Exception) -> DataError:
    detail = f"{type(error).__name__}: {error}"[:80]
    return DataError(f"is no {what} that can be read ({detail}); save it again.", path=name)
