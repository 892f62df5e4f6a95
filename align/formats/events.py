"""The events of a recording from a file, where times do not matter.

A file of labels gives its labels; any other text (``.phones``, ``.txt``, a ``.lab`` without times)
its words, which are phones.
"""

import re

from align.errors import DataError
from align.files.names import StrPath, suffix_of
from align.files.text import read_text, shortened
from align.formats.files import read_labels
from align.formats.table import LABEL_FORMATS

_OTHER = re.compile(r"\s*(<[?!]|File type =|@(UTF8|Begin)\b|#!MLF!#|LHD:|signal \S+\s+type )")
"""How files begin that hold more than phones: XML, Praat's, CHAT, HTK's, BAS', of xwaves."""


def read_events(path: StrPath, encoding: str | None = None) -> list[str]:
    """Return the events of a recording: of a label file, or words of a text that are phones.

    Raises DataError if the file cannot be read, or there are no events in it.
    """
    suffix = suffix_of(path)
    if suffix in LABEL_FORMATS and suffix not in (".txt", ".lab"):
        return list(read_labels(path, encoding=encoding).labels)
    text = read_text(path, encoding)
    rows = [line.split() for line in text.splitlines() if line.strip()]
    if suffix in (".txt", ".lab") and rows and all(_is_timed(row) for row in rows):
        return list(read_labels(path, encoding=encoding).labels)
    events = text.split()
    if not events:
        raise DataError("there are no phones; give at least one.", path=path)
    if _OTHER.match(text) or 4 * sum(map(_is_time, events)) > len(events):
        raise DataError(
            f"is no list of phones (it begins with {shortened(rows[0][0])}); give the phones with "
            "spaces between, or a file of labels in a format that is read, such as a TextGrid.",
            path=path,
        )
    return events


def _is_time(event: str) -> bool:
    """Whether an event is a number, and none of the short ones that are phones in SAMPA."""
    return len(event) > 2 and event.replace(".", "", 1).isdecimal()


def _is_timed(row: list[str]) -> bool:
    """Whether a line is ``start end label``."""
    try:
        return len(row) >= 3 and float(row[0]) <= float(row[1])
    except ValueError:
        return False
