"""Recordings whose truth is a MIDI file made in the same moment, and nobody's score.

The score such a file gives are its own notes, at their *ticks* with all tempo changes taken out,
120 quarter notes a minute. A sequence with a tempo curve becomes the mechanical score it was made
of; a file recorded from a piano, which has one tempo throughout, stays the performance it is. In
that case a network can learn from it how notes sound, but durations and tempo are true to nothing
that a user's score would say: train weights on scores.
"""

from typing import TYPE_CHECKING

import numpy as np

from align.errors import DataError
from align.formats.scores.note_rows import NoteRow, check_pitches
from align.types import Float64

if TYPE_CHECKING:
    from align.formats.scores import NoteTruth, Score
    from align.formats.scores.score_midi import MidiNote

_QUARTER = 0.5  # seconds


def performed_midi(path: str) -> "tuple[Score, NoteTruth]":
    """Read a MIDI file as score and truth at once; DataError if it cannot be used."""
    notes, per_quarter = midi_notes(path)
    return score_in_ticks(notes, per_quarter, np.array([note.onset for note in notes]), path)


def score_in_ticks(
    notes: "list[MidiNote]",
    per_quarter: int,
    performed: Float64,
    path: str,
    ended: Float64 | None = None,
) -> "tuple[Score, NoteTruth]":
    """Return the score of notes without their tempo, with the times each was played and ended."""
    from align.formats.scores import NoteTruth, Score  # opens mido

    scale = _QUARTER / per_quarter
    first = min(note.tick for note in notes)
    rows = [
        NoteRow((note.tick - first) * scale, note.pitch, max(note.duration, 0.0), f"n{k}")
        for k, note in enumerate(notes)
    ]
    check_pitches(rows, path)
    order = sorted(range(len(rows)), key=lambda k: (rows[k].onset, rows[k].pitch))
    return (
        Score.of([rows[k] for k in order], path=path),
        NoteTruth(
            np.arange(len(rows), dtype=np.intp),
            performed[order],
            None if ended is None else ended[order],
        ),
    )


def midi_notes(path: str) -> "tuple[list[MidiNote], int]":
    """Read the notes of a MIDI file, and the ticks of a quarter note; DataError without any."""
    from align.formats.scores.score_midi import read_midi_score  # opens mido

    read = read_midi_score(path)
    if not read.notes:
        raise DataError("has no notes (the drums of channel 10 do not count).", path=path)
    return read.notes, int(read.file.ticks_per_beat)
