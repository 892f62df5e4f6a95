"""When notes are played, from an aligned MIDI file that `align.formats.midi_out` wrote."""

import os

from align.formats.note_rows import on_piano
from align.formats.notes import NotesOfScore, NoteTimes, notes_by_pitch
from align.formats.score_midi import read_midi_notes

__all__ = ["read_aligned_midi"]


def read_aligned_midi(
    path: str | os.PathLike[str], notes: NotesOfScore, *, duration: float | None = None
) -> NoteTimes:
    """Read when notes are played, those of a pitch in order of time; see `notes_by_pitch`.

    Notes that no piano has are passed over, as in the score.

    Raises DataError where the file cannot be read, or has other notes than were written.
    """
    rows = [(row.pitch, row.onset) for row in read_midi_notes(path) if on_piano(row.pitch)]
    return notes_by_pitch(rows, notes, path, duration)
