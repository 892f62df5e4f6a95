"""(n)ASAP: piano performances with scores, beats and, in (n)ASAP, the alignment of every note.

``metadata.csv`` names the files of each performance by paths from the top. The recordings come
from MAESTRO: ASAP's own ``initialize_dataset.py`` cuts them and puts them where the column
``audio_performance`` says. A row whose performance is a whole recording of MAESTRO (no ``start``)
can also be read from there.

The truth is one of two:

* ``notes``: the match file of (n)ASAP, ``<performance>.match``, which holds score and performed
  notes (see `align.corpus.readers.match`). The tables ``note_alignment.tsv`` beside it say the
  same of the MusicXML file and are not needed.
* ``beats``: the annotated beats of ASAP. Lines of ``time<TAB>time<TAB>label``, where the label
  begins with ``b`` for a beat, ``db`` for a downbeat, for the performance and for the MIDI score;
  the n-th beat of one is the n-th of the other. Notes of the score on a beat have its time, the
  others none.

References
----------
Foscarin, McLeod, Rigaux, Jacquemard and Sakai, "ASAP: a dataset of aligned scores and
performances for piano transcription", ISMIR 2020.
Peter et al., "Automatic note-level score-to-performance alignments in the ASAP dataset",
TISMIR 6 (1), 2023.
"""

import os
from typing import TYPE_CHECKING

import numpy as np

from align.corpus.readers.match import read_match
from align.corpus.reading import Corpus, Gathering
from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.files.text import Place, read_lines, read_text, rows_of_table
from align.types import Float64, IntArray

if TYPE_CHECKING:
    from align.formats.scores import NoteTruth, Score

_ON_BEAT = 0.02  # seconds of the score by which a note may miss its beat
_NONE = ("", "none", "nan")


def read_asap(
    folder: StrPath, *, maestro: StrPath | None = None, truth: str = "notes", robust: bool = True
) -> Corpus:
    """Read ASAP or (n)ASAP.

    Parameters
    ----------
    folder : path
        The corpus, with its ``metadata.csv``.
    maestro : path, optional
        MAESTRO's folder, for performances whose audio was not copied.
    truth : {"notes", "beats"}
        Times of all notes, from match files, or of those on beats, from annotations.
    robust : bool
        Of "notes": leave out rows whose ``robust_note_alignment`` is not set.

    Returns
    -------
    Corpus
        The group is the piece, its ``folder``. Performances without audio are problems: more
        than half of ASAP's have none.

    Raises
    ------
    DataError
        If there is no ``metadata.csv``, or nothing in it can be used.
    """
    if truth not in ("notes", "beats"):
        raise ParameterError(f"truth={truth!r}, must be 'notes' or 'beats'.")
    root = os.fspath(folder)
    table = os.path.join(root, "metadata.csv")
    found = Gathering(root, "music")
    for at, row in _rows(table):
        if truth == "notes" and robust and not _validated(row.get("robust_note_alignment")):
            continue
        with found.attempt(table):
            audio = _audio(root, row, maestro, at)
            if truth == "notes":
                source = _match_file(root, row, at)
                read = read_match(source)
                score, times = read.score, read.truth
            else:
                source, score, times = _beats(root, row, at)
            found.add_music(audio, score, times, row.get("folder") or None, source=source)
    return found.corpus("metadata.csv names no performance that could be read.")


def _rows(path: str) -> list[tuple[Place, dict[str, str]]]:
    rows = rows_of_table(read_text(path), path)
    _, names = next(rows, (1, []))
    if "midi_performance" not in names:
        raise Place(path, 1).wrong("has no column 'midi_performance'; is it ASAP's?")
    empty = dict.fromkeys(names, "")  # what a short row leaves out
    return [
        (Place(path, number), empty | dict(zip(names, map(str.strip, cells), strict=False)))
        for number, cells in rows
        if cells
    ]


def _validated(value: str | None) -> bool:
    """Whether a row's notes are reliable; tables without the column say nothing against it."""
    if value is None:
        return True
    try:
        return float(value) > 0
    except ValueError:
        return value.lower() in ("true", "yes")


def _file(root: str, row: dict[str, str], column: str, at: Place) -> str:
    name = row.get(column, "")
    if name.lower() in _NONE:
        raise at.wrong(f"names no {column}.")
    path = os.path.join(root, name)
    if not os.path.isfile(path):
        raise at.wrong(f"the {column} {name} is not there.")
    return path


def _audio(root: str, row: dict[str, str], maestro: StrPath | None, at: Place) -> str:
    """Return the recording of a performance."""
    performance = row["midi_performance"]
    own = row.get("audio_performance", "")
    if own.lower() not in _NONE and os.path.isfile(os.path.join(root, own)):
        return os.path.join(root, own)
    there = row.get("maestro_audio_performance", "")
    if there.lower() in _NONE:
        raise at.wrong(f"{performance} was never recorded as sound.")
    if maestro is None:
        raise at.wrong(
            f"the recording of {performance} is not there; run ASAP's initialize_dataset.py, or "
            "say where MAESTRO is."
        )
    if row.get("start", "").lower() not in _NONE:
        raise at.wrong(
            f"{performance} is a part of a recording of MAESTRO; ASAP's initialize_dataset.py "
            "cuts it out."
        )
    path = os.path.join(os.fspath(maestro), there.removeprefix("{maestro}").lstrip("/\\"))
    if not os.path.isfile(path):
        raise DataError("is named by metadata.csv but is not there.", path=path)
    return path


def _match_file(root: str, row: dict[str, str], at: Place) -> str:
    """Return the match file of a performance: that of its name, else that of the table."""
    beside = os.path.join(root, os.path.splitext(row["midi_performance"])[0] + ".match")
    if os.path.isfile(beside):
        return beside
    for column in ("match_file", "match"):
        if row.get(column, "").lower() not in _NONE:
            return _file(root, row, column, at)
    raise at.wrong(
        f"{row['midi_performance']} has no match file; (n)ASAP has them, ASAP has beats only."
    )


def _beats(root: str, row: dict[str, str], at: Place) -> "tuple[str, Score, NoteTruth]":
    """Give the notes on beats the times of the beats."""
    from align.formats.scores import NoteTruth, read_score  # opens mido

    score_path = _file(root, row, "midi_score", at)
    played_path = _file(root, row, "performance_annotations", at)
    written_path = _file(root, row, "midi_score_annotations", at)
    played, written = _beat_times(played_path), _beat_times(written_path)
    if played.size != written.size:
        raise DataError(
            f"has {played.size} beats, the score {written.size}; they cannot be paired.",
            path=played_path,
        )
    score = read_score(score_path)
    nearest = _nearest(score.onsets, written)
    on = np.abs(score.onsets - written[nearest]) <= _ON_BEAT
    index = np.flatnonzero(on).astype(np.intp)
    return played_path, score, NoteTruth(index, played[nearest[index]])


def _nearest(times: Float64, beats: Float64) -> IntArray:
    """Return which beat is the nearest to each time [shape=(n,)], the first of equally near ones.

    `beats` [shape=(m,), m > 0] are in order.
    """
    after = np.searchsorted(beats, times).clip(max=beats.size - 1)
    before = np.searchsorted(beats, beats[np.maximum(after - 1, 0)])  # the first of its time
    return np.where(np.abs(times - beats[before]) <= np.abs(times - beats[after]), before, after)


def _beat_times(path: str) -> Float64:
    """Return the times of beats and downbeats in seconds [shape=(n,)]."""
    times = []
    for number, text in read_lines(path):
        at, fields = Place(path, number), text.split("\t")
        if len(fields) < 3:
            raise at.wrong(f"{text.strip()!r} is not `time, time, label` with tabs.")
        time = at.number(fields[0], "time")
        if any(part.strip() in ("b", "db", "bR") for part in fields[2].split(",")):
            times.append(time)
    if not times:
        raise DataError("has no beats.", path=path)
    if (np.diff(times) < 0).any():
        raise DataError("has beats that go backwards.", path=path)
    return np.array(times, dtype=np.float64)
