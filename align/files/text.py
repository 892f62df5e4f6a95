"""Text files as label files come: UTF-8 or UTF-16, with or without a byte order mark.

No other encoding is guessed. A Latin-1 or Mac Roman file read by guess gives wrong labels without
an error, so a file that is neither UTF-8 nor UTF-16 is an error that names the line; whoever knows
the encoding passes it.
"""

import codecs
import csv
import io
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from typing import Any, NamedTuple

from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.files.regular import open_regular, why_missing

_MAX_BYTES = 1 << 26
_MORE = 1 << 16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: the mark begins with the same two bytes
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NO_TEXT = {  # by how files begin, whatever they are called
    "a PDF document": re.compile(rb"%PDF-"),
    "a packed document, as of Word, LibreOffice or Excel": re.compile(rb"PK\x03\x04"),
    "a document of an old Word or Excel": re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1"),
    "sound or film": re.compile(
        rb"RIFF....(?:WAVE|AVI )|fLaC|OggS\0|ID3[\x02-\x04]|FORM....AIF|NIST_1A\n|\0...ftyp",
        re.DOTALL,
    ),
}


def read_bytes(path: StrPath) -> bytes:
    """Read a file of at most 64 MiB; DataError if it is missing, unreadable or too large."""
    try:
        if os.path.isdir(path):
            raise DataError("is a folder, not a file.", path=path)
        with open_regular(path) as stream:
            data = _at_most(stream, _MAX_BYTES + 1)
    except FileNotFoundError:
        reason = why_missing(path, "does not exist; check the name.")
        raise DataError(reason, path=path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}.", path=path) from error
    if len(data) > _MAX_BYTES:
        raise DataError("is larger than 64 MiB, which no labels and no score are.", path=path)
    return data


def _at_most(stream: BufferedReader, most: int) -> bytes:
    """Return what a file holds, at most so many bytes; a buffer of its size is asked for."""
    data = bytearray()
    want = os.fstat(stream.fileno()).st_size + 1
    while more := stream.read(min(want, most - len(data))):
        data += more
        want = _MORE  # the file has grown, or says no size, as those of /proc
    return bytes(data)


def read_text(path: StrPath, encoding: str | None = None) -> str:
    r"""Read a text file of at most 64 MiB, with line ends as ``\n``.

    By default it is UTF-8 or UTF-16, whichever the file is. `encoding` names that of other files:
    where each byte is a sign in it (as in cp1252), a file that is UTF-8 or UTF-16 is read as such
    all the same. Raises DataError if it is missing, unreadable, too large, or in another encoding.
    """
    return decoded(read_bytes(path), path, encoding)


def decoded(data: bytes, path: StrPath, encoding: str | None = None) -> str:
    """Return what `read_text` returns, of a file that has been read."""
    for what, beginning in _NO_TEXT.items():
        if beginning.match(data):
            raise DataError(f"is {what}, not text; give it as text in UTF-8.", path=path)
    try:
        text = data.decode(_encoding(data, encoding))
    except LookupError:
        raise ParameterError(f"encoding={encoding!r} is not known to Python.") from None
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        wanted = encoding or "UTF-8 or UTF-16"
        raise DataError(
            f"is not {wanted} text; save it again as UTF-8, or give its encoding "
            f"(--encoding where a command has it)"
            f"{_hint(data, at)}.",
            path=path,
            line=data.count(b"\n", 0, at) + 1,
        ) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError("is not a text file.", path=path, line=line)
    return text.removeprefix("\ufeff")


_LIKELY = {"cp1252": "Windows-1252", "mac_roman": "Mac Roman", "cp1250": "Windows-1250"}
_USUAL = frozenset("äöüÄÖÜßéèêëàâçñíóúáôîûïãõæøåœąćęłńśźżčďěňřšťůýž\u2019\u201c\u201d\u2013\u2026")
"""Letters and signs that texts in these encodings are full of."""


def _hint(data: bytes, at: int) -> str:
    """Return a message with the byte that is at fault and, if recognised, the encoding."""
    found: list[tuple[int, str, str]] = []
    strange = bytes(byte for byte in data[at : at + 4096] if byte >= 0x80)
    for encoding, name in _LIKELY.items():
        high = strange.decode(encoding, errors="replace")
        found.append((sum(char in _USUAL for char in high), name, encoding))
    score, name, encoding = max(found, key=lambda item: item[0])
    byte = f"byte 0x{data[at]:02X}" if at < len(data) else "the last byte"
    if not score or 2 * score < len(strange):
        return f" ({byte} is no letter there)"
    char = data[at : at + 1].decode(encoding, errors="replace")
    return f" ({byte} would be {char!r} in {name}, which it may be)"


def _encoding(data: bytes, said: str | None) -> str:
    """Return the encoding of a file; `said` is that of files which do not show theirs."""
    if said is not None and not _one_byte_a_sign(said):
        return said
    return _shown_encoding(data) or said or "utf-8"


def _one_byte_a_sign(encoding: str) -> bool:
    """Return whether bytes stand for themselves, so that UTF-8 would be read without an error."""
    # The bytes that are no sign (five of cp1252) count as one each when they are replaced.
    return len(bytes(range(0x80, 0x100)).decode(encoding, errors="replace")) == 0x80


def _shown_encoding(data: bytes) -> str | None:
    """Return the encoding that a file has by its mark, its zeros or its UTF-8; None: not seen."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    head = data[:512]
    if len(head) >= 4 and len(data) % 2 == 0:  # UTF-16 without a mark: half of ASCII is zeros
        zeros_even, zeros_odd = head[::2].count(0), head[1::2].count(0)
        if zeros_odd > len(head) // 4 and not zeros_even:
            return "utf-16-le"
        if zeros_even > len(head) // 4 and not zeros_odd:
            return "utf-16-be"
    try:
        # Letters of cp1252 and its like are single bytes above 0x7F, which UTF-8 never has.
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if data.isascii() else "utf-8"


_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)


class Place(NamedTuple):
    """Where in a file something stands, to be named where it is wrong.

    `line` is counted from 1; None where there are no lines.
    """

    path: StrPath | None
    line: int | None = None

    def wrong(self, message: str) -> DataError:
        """Return the error to raise here."""
        return DataError(message, self.path, self.line)

    def number(self, text: str, what: str) -> float:
        """Return what `parse_number` does."""
        return parse_number(text, what, self.path, self.line)


def parse_number(
    text: str, what: str, path: StrPath | None = None, line: int | None = None
) -> float:
    """Return the number `text` is, or raise a `DataError` that names `what` it should be."""
    stripped = text.strip()
    if _NUMBER.fullmatch(stripped):
        value = float(stripped)
        if math.isfinite(value):
            return value
        why = f"{shortened(stripped)}, beyond any number of seconds; it must be finite"
    elif re.fullmatch(r"[+-]?(nan|inf|infinity)", stripped, re.IGNORECASE):
        why = f"{stripped!r}; every time must be a finite number"
    else:
        why = f"{shortened(stripped)}, which is not a number"
    raise DataError(f"the {what} is {why}.", path, line)


def read_lines(path: StrPath, encoding: str | None = None) -> list[tuple[int, str]]:
    """Return the lines that are not blank, each with its number counted from 1."""
    lines = read_text(path, encoding).split("\n")
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def rows_of_table(
    text: str, path: StrPath | None, separator: str = ",", **dialect: Any
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row of a table, with the line it ends on.

    `dialect` is what else `csv.reader` takes. Raises DataError where the text is no table.
    """
    reader = csv.reader(io.StringIO(text), delimiter=separator, **dialect)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise Place(path, reader.line_num).wrong(f"is not a table: {error}.") from None


def table_of_rows(rows: Iterable[Sequence[Any]], separator: str = ",") -> str:
    """Return rows of cells as the text of a table; cells are quoted where they must be."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


def shortened(text: str) -> str:
    """Return a text for a message, which stays one sentence however long the text is."""
    return repr(text if len(text) <= 60 else text[:59] + "\u2026")
