"""Scores in notation, read through partitura: MusicXML, MEI, Kern and match files.

Repeats are unfolded: what stands between repeat signs comes twice, with first and second endings.
Ties are joined into one note, grace notes keep the place they are written at, and the parts of
transposing instruments are moved to the pitch that sounds, except by whole octaves
(``octave-change``), which partitura does not read. Tempo marks are followed; without any, a
quarter note lasts half a second. A score's tempo is no promise in any case, and aligning does not
rely on it.

partitura is optional (``pip install margin-align[scores]``). Its import asks the network where
pyfluidsynth is installed, and fails without one; that and every other failure is reported as one
`DataError`.
"""

import os
import warnings
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import DataError
from align.formats.note_rows import NoteRow

__all__ = ["NOTATION_SUFFIXES", "read_notation_notes"]

NOTATION_SUFFIXES = (".musicxml", ".xml", ".mxl", ".mei", ".krn", ".match")
"""What `read_notation_notes` reads."""

_QUARTER = 0.5  # seconds, where a score has no tempo


def read_notation_notes(path: str | os.PathLike[str]) -> list[NoteRow]:
    """Read the notes of a score in notation.

    Parameters
    ----------
    path : path
        The file, with one of `NOTATION_SUFFIXES`.

    Returns
    -------
    list of NoteRow
        Sounding notes of all parts, in the order of their onsets; the first bar or its upbeat
        begins at 0.

    Raises
    ------
    DataError
        Where partitura is missing, or the file is missing or cannot be read.
    """
    if not os.path.isfile(path):
        what = (
            "is a folder, not a score."
            if os.path.isdir(path)
            else "does not exist; check the name."
        )
        raise DataError(what, path=path)
    if os.path.getsize(path) == 0:
        raise DataError("the file is empty (0 bytes).", path=path)
    partitura = _partitura(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if PurePath(path).suffix.lower() == ".match":
                score = partitura.load_match(os.fspath(path), create_score=True)[-1]
            else:
                score = partitura.load_score(os.fspath(path))
            parts = [partitura.score.unfold_part_maximal(part) for part in score.parts]
            rows = [row for part in parts for row in _notes(part, partitura.score)]
        except Exception as error:  # its parsers raise whatever they meet
            reason = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else ""
            raise DataError(
                f"cannot be read as a score ({reason or type(error).__name__}); export it again, "
                "or as MIDI.",
                path=path,
            ) from error
    first = min((row.onset for row in rows), default=0.0)
    if first < 0:  # an upbeat
        rows = [row._replace(onset=row.onset - first) for row in rows]
    return sorted(rows, key=lambda row: (row.onset, row.pitch))


def _partitura(path: str | os.PathLike[str]) -> Any:
    """Import partitura, whose own warnings are not the user's affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import partitura
        except ModuleNotFoundError as error:
            raise DataError(
                f"this kind of score is read through partitura, and {error.name} is not "
                "installed; run `pip install margin-align[scores]`, or export the score as MIDI.",
                path=path,
            ) from error
        except Exception as error:  # pyfluidsynth makes it fetch a sound font
            raise DataError(
                f"this kind of score is read through partitura, whose import fails ({error}); "
                "where pyfluidsynth is installed it needs the network once. Or export the score "
                "as MIDI.",
                path=path,
            ) from error
    return partitura


def _notes(part: Any, score: Any) -> list[NoteRow]:
    """Return the sounding notes of one unfolded part."""
    if not part.notes_tied:
        return []
    array = part.note_array(include_grace_notes=True)
    onset = array["onset_quarter"].astype(np.float64)
    end = onset + array["duration_quarter"]
    to_seconds = _tempo_map(part, score)
    begins, ends = to_seconds(onset), to_seconds(end)
    moves = sorted((m.start.t, m.chromatic or 0) for m in part.iter_all(score.Transposition))
    at = [t for t, _ in moves]
    rows = []
    for k, note in enumerate(array):
        before = int(np.searchsorted(at, note["onset_div"], side="right"))
        move = moves[before - 1][1] if before else 0
        rows.append(
            NoteRow(
                float(begins[k]),
                int(note["pitch"]) + int(move),
                float(ends[k] - begins[k]),
                str(note["id"]),
                bool(note["is_grace"]),
            )
        )
    return rows


def _tempo_map(part: Any, score: Any) -> Any:
    """Return a function from quarters to seconds that follows the tempo marks of a part."""
    marks = sorted(
        (float(part.quarter_map(m.start.t)), m.microseconds_per_quarter * 1e-6)
        for m in part.iter_all(score.Tempo)
    )
    at = np.array([0.0, *(q for q, _ in marks)])
    rate = np.array([marks[0][1] if marks and marks[0][0] <= 0 else _QUARTER])
    rate = np.concatenate([rate, [seconds for _, seconds in marks]])
    at[1:] = np.maximum(at[1:], 0.0)
    seconds = np.concatenate([[0.0], np.cumsum(np.diff(at) * rate[:-1])])

    def to_seconds(quarters: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        k = np.maximum(np.searchsorted(at, quarters, side="right") - 1, 0)
        result: npt.NDArray[np.float64] = seconds[k] + (quarters - at[k]) * rate[k]
        return result

    return to_seconds
