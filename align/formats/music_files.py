"""Reading and writing aligned notes by the suffix of the file.

======================  ======================================  ============
suffix                  what                                    read back
======================  ======================================  ============
``.csv .tsv``           notes, `note_table`                     yes
``.json``               everything, `music_json`                yes
``.mid .midi``          the score re-timed, `aligned_midi`      yes, with the score
``.txt``                Audacity labels, `note_labels`          yes, with the score
``.sv.csv .svl``        Sonic Visualiser, `note_labels`         yes, with the score
``.jams``               notes and beats, `jams_file`            yes, with the score
``note_alignment.tsv``  table of nASAP, `note_alignment`        yes, with the score
``.parangonada.zip``    tables of Parangonada, `parangonada`    yes, with the score
``.match``              match file, `match_file`                as a score only
``.tempo.csv``          tempo curve, `beat_table`               no
``.beats.csv``          bars and beats, `beat_table`            no
======================  ======================================  ============
"""

import os
from dataclasses import replace

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.formats.notes.aligned import NotesOfScore, NoteTimes, TimedNotes, notes_of_score
from align.formats.scores import Score, read_score
from align.formats.table import is_music, music_format

_NEAR = 0.02  # seconds of the score


def write_music(path: StrPath, alignment: TimedNotes, *, overwrite: bool = False) -> None:
    """Write aligned notes in the format the suffix says, whole or not at all.

    Parameters
    ----------
    path : path
        The output; see the module's docstring.
    alignment : MusicAlignment
        What to write.
    overwrite : bool
        Replace a file that exists.

    Raises
    ------
    DataError
        If the file exists or cannot be written.
    ParameterError
        If the suffix is unknown.
    """
    music_format(path).write(path, alignment, overwrite=overwrite)


def read_music(
    path: StrPath,
    *,
    score: NotesOfScore | Score | StrPath | None = None,
    duration: float | None = None,
) -> NoteTimes:
    """Read aligned notes, as written or as corrected by a person.

    Parameters
    ----------
    path : path
        The file; see the module's docstring.
    score : MusicAlignment, NoteTimes, Score or path, optional
        What the notes are of: needed for formats that know no score, and to know the bars of a
        table. A path may be of a score, or of a table or JSON file of aligned notes.
    duration : float, optional
        Length of the recording in seconds.

    Returns
    -------
    NoteTimes
        What the file says; `align.MusicAlignment.from_labels` makes an alignment of it.

    Raises
    ------
    DataError
        If the file cannot be used, or a score is needed.
    ParameterError
        If the suffix is unknown.
    """
    found = music_format(path)
    if found.read is None:
        raise DataError(
            "is not read for when each note is played; read the .csv or .json file instead.",
            path=path,
        )
    if score is None and found.needs_score:
        raise DataError(
            "knows no score; name the score, or the .csv file written with it.", path=path
        )
    if isinstance(score, Score | str | os.PathLike):
        score = notes_of(score)
    notes: NoteTimes
    if found.needs_score:
        notes = found.read(path, score, duration=duration)
        return notes
    notes = found.read(path, duration=duration)
    if score is None or notes.beats is not None:
        return notes
    return _with_bars(notes, score)


def _with_bars(notes: NoteTimes, score: NotesOfScore) -> NoteTimes:
    """Return notes that know their onsets in the score with its file and its bars and beats."""
    onsets = np.array([note.onset for note in score.notes])
    for note in notes.events:
        if not (np.abs(onsets[score.pitches == note.pitch] - note.onset) <= _NEAR).any():
            raise DataError(
                f"the score has no {note.name} at {note.onset:.3f} s; is it another score, or "
                "were other repeats played?",
                path=notes.path,
            )
    return replace(notes, beats=score.beats, score_file=score.score_file)


def notes_of(score: Score | StrPath) -> NoteTimes:
    """Return the notes of a score, or of a file of a score or of aligned notes."""
    if isinstance(score, Score):
        return notes_of_score(score)
    if is_music(score):
        found = music_format(score)
        if found.read is not None and not found.needs_score:
            return read_music(score)
    return notes_of_score(read_score(score))
