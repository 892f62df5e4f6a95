"""Reading and writing aligned notes by the suffix of the file.

================  ======================================  ============
suffix            what                                    read back
================  ======================================  ============
``.csv .tsv``     notes, `align.formats.note_table`       yes
``.json``         everything, `music_json`                yes
``.mid .midi``    the score re-timed, `midi_out`          yes, with the score
``.txt``          Audacity labels, `note_labels`          yes, with the score
``.sv.csv .svl``  Sonic Visualiser, `note_labels`         yes, with the score
``.match``        match file, `match_file`                as a score only
``.tempo.csv``    tempo curve, `tempo_table`              no
================  ======================================  ============
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from align.errors import DataError, ParameterError
from align.formats.match_file import write_match
from align.formats.midi_out import write_midi
from align.formats.music_json import is_music_json, read_music_json, write_music_json
from align.formats.note_labels import read_note_labels, write_layer, write_points, write_sv_csv
from align.formats.note_table import read_note_table, write_note_table
from align.formats.tempo_table import write_tempo

if TYPE_CHECKING:
    from align.formats.scores import Score
    from align.results.music import MusicAlignment

__all__ = ["MUSIC_FORMATS", "is_music", "music_format", "read_music", "write_music"]

MUSIC_FORMATS = {
    ".tempo.csv": "tempo",
    ".sv.csv": "sv.csv",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".mid": "midi",
    ".midi": "midi",
    ".txt": "audacity",
    ".svl": "svl",
    ".match": "match",
}
"""Format of each suffix, in lower case; the first that a name ends in counts."""

_WRITERS: dict[str, Callable[..., None]] = {
    "tempo": write_tempo,
    "sv.csv": write_sv_csv,
    "csv": write_note_table,
    "tsv": write_note_table,
    "json": write_music_json,
    "midi": write_midi,
    "audacity": write_points,
    "svl": write_layer,
    "match": write_match,
}


def music_format(path: str | os.PathLike[str]) -> str:
    """Return the format that the suffix of a file says.

    Raises
    ------
    ParameterError
        If it is none.

    Examples
    --------
    >>> music_format("minuet.tempo.csv"), music_format("minuet.CSV")
    ('tempo', 'csv')
    """
    name = os.path.basename(os.fspath(path)).lower()
    for suffix, kind in MUSIC_FORMATS.items():
        if name.endswith(suffix):
            return kind
    raise ParameterError(
        f"{os.fspath(path)}: the suffix {os.path.splitext(name)[1]!r} is no format of aligned "
        f"notes; use one of {', '.join(MUSIC_FORMATS)}."
    )


def write_music(
    path: str | os.PathLike[str], alignment: "MusicAlignment", *, overwrite: bool = False
) -> None:
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
    kind = music_format(path)
    options = {"separator": "\t"} if kind == "tsv" else {}
    _WRITERS[kind](path, alignment, overwrite=overwrite, **options)


def is_music(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds notes rather than phones, by its suffix or what it says itself."""
    from align.files.text import read_text

    name = os.path.basename(os.fspath(path)).lower()
    if name.endswith((".mid", ".midi", ".svl", ".sv.csv", ".match")):
        return True
    if name.endswith(".json"):
        return is_music_json(path)
    if not name.endswith((".csv", ".tsv")):
        return False
    try:
        head = read_text(path).split("\n", 1)[0].lower()
    except DataError:
        return False
    return "pitch" in head and "performed" in head


def read_music(
    path: str | os.PathLike[str],
    *,
    score: "MusicAlignment | Score | str | os.PathLike[str] | None" = None,
    duration: float | None = None,
) -> "MusicAlignment":
    """Read aligned notes, as written or as corrected by a person.

    Parameters
    ----------
    path : path
        The file; see the module's docstring.
    score : MusicAlignment, Score or path, optional
        What the notes are of: needed for formats that know no score. A path may be of a score, or
        of a table or JSON file of aligned notes.
    duration : float, optional
        Length of the recording in seconds.

    Returns
    -------
    MusicAlignment

    Raises
    ------
    DataError
        If the file cannot be used, or a score is needed.
    ParameterError
        If the suffix is unknown.
    """
    kind = music_format(path)
    if kind in ("csv", "tsv"):
        return read_note_table(path, duration=duration)
    if kind == "json":
        return read_music_json(path, duration=duration)
    if kind in ("tempo", "match"):
        raise DataError(
            "does not say when each note is played; read the .csv or .json file instead.",
            path=path,
        )
    if score is None:
        raise DataError(
            "knows no score; name the score, or the .csv file written with it.", path=path
        )
    notes = _as_notes(score)
    if kind == "midi":
        return _read_midi(path, notes, duration)
    return read_note_labels(path, notes, format=kind, duration=duration)


def _as_notes(score: "MusicAlignment | Score | str | os.PathLike[str]") -> "MusicAlignment":
    from align.formats.scores import Score, read_score
    from align.results.music import MusicAlignment

    if isinstance(score, MusicAlignment):
        return score
    if not isinstance(score, Score):
        if is_music(score) and music_format(score) in ("csv", "tsv", "json"):
            return read_music(score)
        score = read_score(score)
    return MusicAlignment.from_score(score, score.onsets)


def _read_midi(
    path: str | os.PathLike[str], notes: "MusicAlignment", duration: float | None
) -> "MusicAlignment":
    """Read when notes are played from an aligned MIDI file: by pitch, in order of time."""
    from align.formats.score_midi import read_midi_notes
    from align.results.music import pitch_name

    rows = read_midi_notes(path)
    times = np.empty(len(notes))
    of_score = notes.pitches
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
    found = notes.corrected(times)
    if duration is None:
        return found
    from dataclasses import replace

    return replace(found, duration=duration, end=min(found.end, duration))
