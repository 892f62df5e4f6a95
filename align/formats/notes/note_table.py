"""Aligned notes as a table, ``.csv`` or ``.tsv``, times in seconds.

::

    score_onset_s,performed_onset_s,pitch,name,confidence,id,duration_s
    0.500000,0.519000,67,G4,0.9812,n0,0.250000

Durations are those of the score, in its seconds: how long notes sound is not measured. The columns
may come in any order; those for the score onset, the pitch and the performed onset must be there,
under the names that `align.formats.scores.score_table` knows. So such a table is also a score,
and, once a person has corrected its performed onsets, a truth to train on. A row that is deleted
is a note that was not played.

The name is the pitch as the score spells it, or by its key; it is read back where it is one of the
pitch. A score of several parts has a column ``part``. Where the model knows how probably a note
was not played, a column ``unplayed`` says so; it is not read back, nor is the confidence. Where
the score says its bars, the columns ``bar`` and ``beat`` follow: `align.formats.scores.beats`.
They are for people, and are not read back.

Of a part of a score, a column ``passage`` has the number of the passage in which each note is
played, from 1. Where it is empty, the recording does not hold the note, and its time means
nothing: such a row is passed over when the table is read back, or as a truth.

Where the ends of notes were looked for, ``performed_offset_s`` is where each was found to end,
empty where that is not known, and ``offset_confidence`` how probably it is right. As a truth to
train on, the ends of the table count as well: correct them, or leave the column out.
"""

import os

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import read_text, table_of_rows
from align.formats.documents.writing import writer
from align.formats.notes.aligned import NoteTimes, TimedNotes, notes_of_score
from align.formats.scores import Score
from align.formats.scores.note_rows import check_pitches
from align.formats.scores.score_table import read_truth_rows

_COLUMNS = (
    "score_onset_s",
    "performed_onset_s",
    "pitch",
    "name",
    "confidence",
    "id",
    "duration_s",
)


def format_note_table(alignment: TimedNotes, *, separator: str = ",") -> str:
    """Return an alignment as a table, one note on each line, in the order of the score.

    Seconds to the microsecond; durations are score seconds. Where there are no confidences, that
    column is missing; so are bars and beats where the score does not say them.
    """
    confidence = alignment.confidence
    columns = [name for name in _COLUMNS if name != "confidence" or confidence is not None]
    unplayed = alignment.unplayed
    columns += ["unplayed"] if unplayed is not None else []
    columns += ["passage"] if alignment.passages else []
    passage_of = alignment.passage_of.tolist()
    columns += ["part"] if any(note.part for note in alignment.notes) else []
    ends, sure = alignment.measured_offsets, alignment.offset_confidence
    columns += ["performed_offset_s"] if ends is not None else []
    columns += ["offset_confidence"] if sure is not None else []
    beats = alignment.beats
    if beats is not None:
        columns += ["bar", "beat"]
        bars, places = beats.at(alignment.score_onsets)
    rows = [columns]
    for k, note in enumerate(alignment.notes):
        row = {
            "score_onset_s": f"{note.onset:.6f}",
            "performed_onset_s": f"{alignment.onsets[k]:.6f}",
            "pitch": str(note.pitch),
            "name": note.name,
            "confidence": "" if confidence is None else f"{confidence[k]:.4f}",
            "id": alignment.note_ids[k],
            "duration_s": f"{alignment.durations[k]:.6f}",
            "passage": "" if passage_of[k] < 0 else str(passage_of[k] + 1),
            "part": note.part,
        }
        if unplayed is not None:
            row["unplayed"] = f"{unplayed[k]:.4f}"
        if ends is not None:
            row["performed_offset_s"] = f"{ends[k]:.6f}" if np.isfinite(ends[k]) else ""
        if sure is not None:
            row["offset_confidence"] = f"{sure[k]:.4f}"
        if beats is not None:
            row.update(bar=str(bars[k]), beat=f"{places[k]:.3f}".rstrip("0").rstrip("."))
        rows.append([row[name] for name in columns])
    return table_of_rows(rows, separator)


write_note_table = writer(format_note_table)


def read_note_table(path: StrPath, *, duration: float | None = None) -> NoteTimes:
    """Read aligned notes, as written or as corrected by a person, in any order.

    `duration`, of the recording in seconds, is by default where the last note ends. There are no
    confidences, which spoke of the times before they were corrected. Raises DataError, naming the
    line, where a column is missing, a value is not what it should be, two notes have one id, or a
    note is played outside the recording.
    """
    name = os.fspath(path)
    rows = read_truth_rows(path)
    if not rows:
        raise DataError("has no notes; give one on each line.", path=name)
    check_pitches([row for row, _, _ in rows], name)
    lines: dict[str, int | None] = {}
    for row, time, _ in rows:
        if row.id and row.id in lines:
            raise DataError(
                f"the note {row.id!r} stands in line {lines[row.id]} as well; give each note its "
                "own id.",
                path=name,
                line=row.line,
            )
        lines[row.id] = row.line
        if time < 0 or (duration is not None and time > duration):
            until = "" if duration is None else f", which lasts {duration:g} s"
            raise DataError(
                f"the note is played at {time:g} s, outside the recording{until}.",
                path=name,
                line=row.line,
            )
    rows.sort(key=lambda item: (item[0].onset, item[0].pitch))
    score = Score.of([row for row, _, _ in rows])
    times = np.array([time for _, time, _ in rows], dtype=np.float64)
    return notes_of_score(score, times, path=name, duration=duration)


def is_note_table(path: StrPath) -> bool:
    """Whether a table holds notes rather than labels, by its first line."""
    try:
        head = read_text(path).split("\n", 1)[0].lower()
    except DataError:
        return False
    return "pitch" in head and "performed" in head
