"""Scores, and the true times of their notes, as tables: ``.csv`` or ``.tsv``.

The first line names the columns, in any order and case; other columns are ignored. Commas,
semicolons or tabs separate them, whichever the first line has.

========= ==========================================================
column    names
========= ==========================================================
onset     ``onset``, ``onset_s``, ``score_onset_s``, ``score_onset``, ``start``
pitch     ``pitch``, ``midi``, ``midi_pitch``, ``note``
duration  ``duration``, ``duration_s``, ``score_duration_s`` (optional)
end       ``end``, ``offset``, ``offset_s``, ``end_s`` (optional, instead of the duration)
id        ``id``, ``score_id``, ``note_id`` (optional)
grace     ``grace``: 0 or 1 (optional)
performed ``performed_onset_s``, ``performed_onset``, ``performed`` (truth only)
========= ==========================================================

A table without names is read as ``onset,pitch`` or ``onset,pitch,duration``. Rows may come in
any order: a list by voices is a score as well.
"""

import csv
import io
import os

from align.errors import DataError
from align.files.text import parse_number, read_text
from align.formats.note_rows import NoteRow

__all__ = ["read_table_notes", "read_truth_rows"]

_NAMES = {
    "onset": ("onset", "onset_s", "score_onset_s", "score_onset", "start"),
    "pitch": ("pitch", "midi", "midi_pitch", "note"),
    "duration": ("duration", "duration_s", "score_duration_s"),
    "end": ("end", "offset", "offset_s", "end_s"),
    "id": ("id", "score_id", "note_id"),
    "grace": ("grace",),
    "performed": ("performed_onset_s", "performed_onset", "performed"),
}


def read_table_notes(path: str | os.PathLike[str]) -> list[NoteRow]:
    """Return the notes of a table, empty where there are none; DataError names the line."""
    return [row for row, _ in _read(path, truth=False)]


def read_truth_rows(path: str | os.PathLike[str]) -> list[tuple[NoteRow, float]]:
    """Read the notes of a table with the time in seconds at which each was played.

    Parameters
    ----------
    path : path
        The file; the columns onset, pitch and performed must be there.

    Returns
    -------
    list of (NoteRow, float)

    Raises
    ------
    DataError
        Where a column is missing or a value is not what it should be; names the line.
    """
    return _read(path, truth=True)


def _read(path: str | os.PathLike[str], truth: bool) -> list[tuple[NoteRow, float]]:
    name = os.fspath(path)
    rows = _rows(read_text(path), name)
    if not rows:
        raise DataError("is empty; give one note on each line.", path=name)
    columns, first = _columns(rows[0], name, truth)
    needed = max(columns.values()) + 1
    notes = []
    for line, cells in rows[first:]:
        if len(cells) < needed:
            raise DataError(
                f"has {len(cells)} columns here but needs {needed}.", path=name, line=line
            )
        notes.append(_note({key: cells[i].strip() for key, i in columns.items()}, name, line))
    return notes


def _note(cells: dict[str, str], path: str, line: int) -> tuple[NoteRow, float]:
    onset = parse_number(cells["onset"], "onset", path, line)
    if onset < 0:
        raise DataError(
            f"the onset is {onset:g} s; a score begins at 0, so add the length of the upbeat to "
            "every onset.",
            path=path,
            line=line,
        )
    pitch = parse_number(cells["pitch"], "pitch", path, line)
    if pitch != round(pitch):
        raise DataError(
            f"the pitch is {cells['pitch']}, must be a whole MIDI number (69 is A4).",
            path=path,
            line=line,
        )
    duration: float | None = None
    if cells.get("duration"):
        duration = parse_number(cells["duration"], "duration", path, line)
    elif cells.get("end"):
        duration = parse_number(cells["end"], "end", path, line) - onset
    if duration is not None and duration < 0:
        raise DataError(f"the note ends {-duration:g} s before it begins.", path=path, line=line)
    grace = cells.get("grace", "").lower()
    if grace not in ("", "0", "1", "true", "false"):
        raise DataError(f"grace is {grace!r}, must be 0 or 1.", path=path, line=line)
    performed = 0.0
    if "performed" in cells:
        performed = parse_number(cells["performed"], "performed onset", path, line)
    row = NoteRow(onset, int(pitch), duration, cells.get("id", ""), grace in ("1", "true"), line)
    return row, performed


def _rows(text: str, path: str) -> list[tuple[int, list[str]]]:
    """Split into rows that are not empty, each with the line it ends on."""
    head = next((line for line in text.split("\n") if line.strip()), "")
    separator = max("\t;,", key=head.count)
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise DataError(f"is not a table: {error}.", path=path, line=reader.line_num) from None


def _columns(row: tuple[int, list[str]], path: str, truth: bool) -> tuple[dict[str, int], int]:
    """Return where each column is, and the first row of data."""
    line, cells = row
    names = [cell.strip().lower() for cell in cells]
    columns = {}
    for column, choices in _NAMES.items():
        found = [names.index(choice) for choice in choices if choice in names]
        if found and (truth or column != "performed"):
            columns[column] = found[0]
    wanted = ["onset", "pitch", *(["performed"] if truth else [])]
    if all(column in columns for column in wanted):
        return columns, 1
    if not truth and not columns and len(cells) in (2, 3) and names[0][:1] in "0123456789.-+":
        order = ("onset", "pitch", "duration")[: len(cells)]
        return {column: i for i, column in enumerate(order)}, 0
    missing = next(column for column in wanted if column not in columns)
    example = "score_onset_s,pitch,performed_onset_s" if truth else "onset,pitch"
    raise DataError(
        f"has no column {missing!r} (columns: {', '.join(cells)}); name them as in {example}.",
        path=path,
        line=line,
    )
