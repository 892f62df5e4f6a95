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
name      ``name``: how the pitch is written, as Gb4 (optional; ignored if of another pitch)
part      ``part``: which instrument or hand has it (optional)
performed ``performed_onset_s``, ``performed_onset``, ``performed`` (truth only)
ended     ``performed_offset_s``, ``performed_offset`` (truth only, optional, may be empty)
passage   ``passage``: empty where the note was not played (truth only, optional)
========= ==========================================================

A pitch is a MIDI number (69 is A4) or a name, as Eb4. A table without names is read as
``onset,pitch`` or ``onset,pitch,duration``. Rows may come in any order: a list by voices is a
score as well.
"""

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import Place, read_text
from align.formats.documents.tables import begins_with_number, columns_named, table_rows
from align.formats.scores.note_rows import NoteRow
from align.types import named_pitch

_NAMES = {
    "onset": ("onset", "onset_s", "score_onset_s", "score_onset", "start"),
    "pitch": ("pitch", "midi", "midi_pitch", "note"),
    "duration": ("duration", "duration_s", "score_duration_s"),
    "end": ("end", "offset", "offset_s", "end_s"),
    "id": ("id", "score_id", "note_id"),
    "grace": ("grace",),
    "name": ("name", "pitch_name"),
    "part": ("part",),
    "passage": ("passage",),
    "performed": ("performed_onset_s", "performed_onset", "performed"),
    "ended": ("performed_offset_s", "performed_offset"),
}


def read_table_notes(path: StrPath) -> list[NoteRow]:
    """Return the notes of a table, empty where there are none; DataError names the line."""
    return [row for row, _, _ in _read(path, truth=False)]


def read_truth_rows(path: StrPath) -> list[tuple[NoteRow, float, float]]:
    """Return the notes of a table with the times in seconds at which each was played and ended.

    The end is NaN where the table does not say it. Raises DataError, naming the line, where the
    column onset, pitch or performed is missing, or a value is not what it should be.
    """
    return _read(path, truth=True)


def _read(path: StrPath, truth: bool) -> list[tuple[NoteRow, float, float]]:
    rows = table_rows(read_text(path), path)
    if not rows:
        raise DataError("is empty; give one note on each line.", path=path)
    columns, first = _columns(Place(path, rows[0][0]), rows[0][1], truth)
    needed = max(columns.values()) + 1
    notes = []
    for line, cells in rows[first:]:
        at = Place(path, line)
        if len(cells) < needed:
            raise at.wrong(f"has {len(cells)} columns here but needs {needed}.")
        row = {key: cells[i].strip() for key, i in columns.items()}
        if not truth or row.get("passage", "1"):  # else it was not played
            notes.append(_note(row, at))
    return notes


def _note(cells: dict[str, str], at: Place) -> tuple[NoteRow, float, float]:
    onset = at.number(cells["onset"], "onset")
    if onset < 0:
        raise at.wrong(
            f"the onset is {onset:g} s; a score begins at 0, so add the length of the upbeat to "
            "every onset."
        )
    named = named_pitch(cells["pitch"])
    pitch = at.number(cells["pitch"], "pitch") if named is None else named
    if pitch != round(pitch):
        raise at.wrong(f"the pitch is {cells['pitch']}, must be a whole MIDI number (69 is A4).")
    duration: float | None = None
    if cells.get("duration"):
        duration = at.number(cells["duration"], "duration")
    elif cells.get("end"):
        duration = at.number(cells["end"], "end") - onset
    if duration is not None and duration < 0:
        raise at.wrong(f"the note ends {-duration:g} s before it begins.")
    grace = cells.get("grace", "").lower()
    if grace not in ("", "0", "1", "true", "false"):
        raise at.wrong(f"grace is {grace!r}, must be 0 or 1.")
    performed = 0.0
    if "performed" in cells:
        performed = at.number(cells["performed"], "performed onset")
    ended = float("nan")
    if cells.get("ended"):
        ended = at.number(cells["ended"], "performed offset")
        if ended < performed:
            raise at.wrong(
                f"the note ends at {ended:g} s, before it is played at {performed:g} s."
            )
    name = cells.get("name", "") if named is None else cells["pitch"]
    row = NoteRow(
        onset,
        int(pitch),
        duration,
        cells.get("id", ""),
        grace in ("1", "true"),
        at.line,
        name if named_pitch(name) == int(pitch) else "",
        cells.get("part", ""),
    )
    return row, performed, ended


def _columns(at: Place, cells: list[str], truth: bool) -> tuple[dict[str, int], int]:
    """Return where each column is, and the first row of data."""
    columns = columns_named(cells, _NAMES)
    if not truth:
        columns.pop("performed", None)
        columns.pop("ended", None)
    wanted = ["onset", "pitch", *(["performed"] if truth else [])]
    if all(column in columns for column in wanted):
        return columns, 1
    if not truth and not columns and len(cells) in (2, 3) and begins_with_number(cells):
        order = ("onset", "pitch", "duration")[: len(cells)]
        return {column: i for i, column in enumerate(order)}, 0
    missing = next(column for column in wanted if column not in columns)
    example = "score_onset_s,pitch,performed_onset_s" if truth else "onset,pitch"
    raise at.wrong(
        f"has no column {missing!r} (columns: {', '.join(cells)}); name them as in {example}."
    )
