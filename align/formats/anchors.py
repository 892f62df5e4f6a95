"""Known times from a file: when some of the words or phones of a recording begin.

A table (``.csv``, ``.tsv``) has the columns ``time`` and ``label``, and may have ``index``: the
place of the event among all events, counted from 1. A TextGrid has a tier of intervals; those with
a label count, and what is known is where they begin.
"""

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from align.errors import DataError
from align.files.names import StrPath, suffix_of
from align.files.text import Place, read_text, shortened
from align.formats.documents.tables import columns_named, table_rows
from align.formats.table import LABEL_FORMATS
from align.formats.tiers.textgrid import read_grid
from align.formats.tiers.tier import PHONES, WORDS, Tier, choose_tier

_OTHERS = set(LABEL_FORMATS) - {".textgrid", ".csv", ".tsv", ".txt"}
_NAMES = {
    "time": ("time", "start", "onset", "begin", "xmin", "start_s", "onset_s", "tmin"),
    "label": ("label", "word", "phone", "text", "symbol"),
    "index": ("index", "number"),
    "type": ("type", "tier"),
}


class AnchorRow(NamedTuple):
    """One known time.

    Attributes
    ----------
    time : float
        When it begins, in seconds.
    label : str
        What begins; may be empty where there is an index.
    number : int or None
        Place among all events, counted from 1.
    line : int or None
        Line of the file, counted from 1.
    """

    time: float
    label: str
    number: int | None = None
    line: int | None = None


class AnchorTable(NamedTuple):
    """Known times as a file has them, in order of time.

    Attributes
    ----------
    rows : tuple of AnchorRow
        At least one.
    path : str or None
        The file, for messages.
    """

    rows: tuple[AnchorRow, ...]
    path: str | None = None


def read_anchors(
    path: StrPath, *, words: bool = False, encoding: str | None = None
) -> AnchorTable:
    """Read known times.

    Parameters
    ----------
    path : path
        A ``.csv`` or ``.tsv`` table, or a ``.TextGrid``.
    words : bool
        Of a TextGrid, read the tier of the words instead of that of the phones; where there is
        but one tier of intervals, it is read in either case.
    encoding : str, optional
        By default UTF-8 or UTF-16, whichever the file is.

    Returns
    -------
    AnchorTable

    Raises
    ------
    DataError
        If the file cannot be read, a column or tier is missing, or there is no known time.
    """
    name = os.fspath(path)
    suffix = suffix_of(name)
    if suffix in _OTHERS:
        raise DataError(
            "is neither a TextGrid nor a table with the columns time,label or time,label,index; "
            "align convert makes a TextGrid of it.",
            path=name,
        )
    if suffix == ".textgrid":
        tier = _tier(read_grid(path, encoding), words, name)
        lines = tier.lines or (None,) * len(tier.labels)
        rows = [
            AnchorRow(start, label.strip(), None, line)
            for label, (start, _), line in zip(tier.labels, tier.times, lines, strict=True)
            if label.strip()
        ]
    else:
        rows = _from_table(read_text(path, encoding), name, words)
    if not rows:
        raise DataError("has no known times; give at least one.", path=name)
    return AnchorTable(tuple(sorted(rows, key=lambda row: row.time)), name)


def _tier(tiers: Sequence[Tier], words: bool, name: str) -> Tier:
    """Return the tier of words, else the one that `choose_tier` takes for phones."""
    intervals = [tier for tier in tiers if tier.kind == "interval"]
    if not words or len(intervals) == 1:
        return choose_tier(tiers, None, name)
    found = [tier for tier in intervals if tier.is_words()]
    if len(found) == 1:
        return found[0]
    have = ", ".join(repr(tier.name) for tier in intervals) or "none"
    raise DataError(
        f"has {'several tiers' if found else 'no tier'} of {WORDS} (interval tiers: {have}); "
        f"keep one called {WORDS!r}, or {PHONES!r} where phones are aligned.",
        path=name,
    )


def _from_table(text: str, name: str, words: bool) -> list[AnchorRow]:
    rows = table_rows(text, name)
    if not rows:
        return []
    columns = columns_named(rows[0][1], _NAMES)
    if "time" not in columns or not columns.keys() & {"label", "index"}:
        have = shortened(", ".join(rows[0][1]))
        raise Place(name, 1).wrong(
            f"needs the columns time,label or time,label,index (columns: {have});"
            " name them in the first line."
        )
    if (place := columns.get("type")) is not None:
        rows = [rows[0], *_of_type(rows[1:], place, words)]
    return [_row(Place(name, line), cells, columns) for line, cells in rows[1:]]


def _of_type(
    rows: list[tuple[int, list[str]]], place: int, words: bool
) -> list[tuple[int, list[str]]]:
    """Return the rows of words, or of phones, of a table that has both, as MFA writes; or all."""
    kinds = [cells[place].strip().lower() if place < len(cells) else "" for _, cells in rows]
    if not set(kinds) <= {WORDS, PHONES}:
        return rows
    wanted = WORDS if words else PHONES
    return [row for row, kind in zip(rows, kinds, strict=True) if kind == wanted]


def _row(at: Place, cells: list[str], columns: dict[str, int]) -> AnchorRow:
    def cell(column: str) -> str:
        place = columns.get(column, len(cells))
        return cells[place].strip() if place < len(cells) else ""

    index = cell("index")
    if index and not re.fullmatch(r"[1-9][0-9]{0,8}", index):
        raise at.wrong(f"the index is {index[:20]!r}, must be a whole number from 1.")
    if not index and not cell("label"):
        raise at.wrong("has neither label nor index here; say what begins at this time.")
    time = at.number(cell("time"), "time")
    return AnchorRow(time, cell("label"), int(index) if index else None, at.line)
