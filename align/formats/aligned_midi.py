"""When notes are played, from an aligned MIDI file that `align.formats.midi_out` wrote."""

import os

import numpy as np

from align.errors import DataError
from align.formats.notes import NotesOfScore, NoteTimes, notes_played
from align.formats.score_midi import read_midi_notes
from align.types import pitch_name

__all__ = ["read_aligned_midi"]


def read_aligned_midi(
    path: str | os.PathLike[str], notes: NotesOfScore, *, duration: float | None = None
) -> NoteTimes:
    """Read when notes are played, those of a pitch in order of time; see `notes_played`.

    Raises DataError where the file cannot be read, or has other notes than were written.
    """
    rows = read_midi_notes(path)
    of_score = notes.pitches
    times = np.empty(of_score.size)
    in_file = np.array([row.pitch for row in rows], dtype=np.intp)
    for pitch in np.union1d(of_score, in_file).tolist():
        own = np.flatnonzero(of_score == pitch)
        played = sorted(rows[i].onset for i in np.flatnonzero(in_file == pitch))
        if own.size != len(played):
            raise DataError(
                f"has {len(played)} notes of pitch {pitch_name(pitch)}, the score {own.size}; an "
                "aligned MIDI file must keep the notes of its score.",
                path=path,
            )
        times[own[np.argsort(notes.onsets[own], kind="stable")]] = played
    return notes_played(notes, np.arange(times.size), times, path, duration)
