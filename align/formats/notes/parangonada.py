"""The tables of Parangonada, a page on which alignments of scores are seen and corrected.

They are five, here in one archive, ``.parangonada.zip``, to be unpacked and opened there:

===============  =============================================================================
``part.csv``     notes of the score, in beats, quarters and divisions
``ppart.csv``    notes that were played: onset, duration, pitch, velocity, track, channel, id
``align.csv``    pairs of them: idx, matchtype (0 pair, 1 not played, 2 not written), partid,
                 ppartid
``zalign.csv``   another alignment, to compare with; here the same
``feature.csv``  velocity, timing and articulation of each note; here 0
===============  =============================================================================

Written, every note of the passages that are played counts as played. Read back, with the notes of
a score, are ``align.csv``, which may have been replaced by a corrected one, and ``ppart.csv``.
They are written and read here: partitura's own writer cuts ids after 20 letters and has seconds
in 32 bits. The places of the notes in the score come from partitura (extra ``scores``).

References
----------
Peter et al., "Automatic Note-Level Score-to-Performance Alignments in the ASAP Dataset", TISMIR
6(1), 2023. https://sildater.github.io/parangonada
"""

import csv
import io
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.files.text import Place, read_bytes, table_of_rows
from align.formats.notes.aligned import NotesOfScore, NoteTimes, TimedNotes
from align.formats.notes.match_file import ids_of, score_part
from align.formats.notes.note_alignment import played_by_id
from align.formats.scores.score_partitura import import_partitura

_PART = (
    "onset_beat", "duration_beat", "onset_quarter", "duration_quarter", "onset_div",
    "duration_div", "pitch", "voice", "id",
)  # fmt: skip
_PLAYED = ("onset_sec", "duration_sec", "pitch", "velocity", "track", "channel", "id")
_PAIRS = ("idx", "matchtype", "partid", "ppartid")
_FEATURES = ("velocity", "timing", "articulation", "id")
_DATE = (1980, 1, 1, 0, 0, 0)  # the same bytes for the same alignment
_MAX_BYTES = 1 << 26


def write_parangonada(path: StrPath, alignment: TimedNotes, *, overwrite: bool = False) -> None:
    """Write the five tables of an alignment as an archive.

    Raises DataError where partitura is not installed, there are no notes, or the file exists and
    is not to be replaced, or cannot be written.
    """
    if len(alignment) == 0:
        raise DataError("there are no notes to write.", path=path)
    partitura = import_partitura(path, "these tables are written", "write .csv or .json")
    ids = ids_of(alignment)
    written = score_part(partitura.score, alignment, ids).note_array()
    lengths = np.maximum(alignment.offsets - alignment.onsets, 0.0)
    held = alignment.is_held
    played = [
        (f"{alignment.onsets[k]:.6f}", f"{lengths[k]:.6f}", note.pitch, 64, 0, 1, name)
        for k, (note, name) in enumerate(zip(alignment.notes, ids, strict=True))
        if held[k]
    ]
    pairs = [
        (k, 0, name, name) if held[k] else (k, 1, name, "undefined") for k, name in enumerate(ids)
    ]
    tables = {
        "part.csv": _table(_PART, ([row[name] for name in _PART] for row in written)),
        "ppart.csv": _table(_PLAYED, played),
        "align.csv": _table(_PAIRS, pairs),
        "zalign.csv": _table(_PAIRS, pairs),
        "feature.csv": _table(_FEATURES, ((0, 0, 0, name) for name in ids)),
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in tables.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), text, zipfile.ZIP_DEFLATED)
    atomic_write(path, stream.getvalue(), overwrite=overwrite)


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    return table_of_rows([columns, *rows])


def read_parangonada(
    path: StrPath, notes: NotesOfScore, *, duration: float | None = None
) -> NoteTimes:
    """Return the notes of a score that are paired with a note that was played.

    Raises DataError where the archive is damaged, a table of it is missing or wrong, or its notes
    are not those of the score.
    """
    played = {
        row["id"]: Place(path).number(row["onset_sec"], "onset")
        for row in _rows(path, "ppart.csv", ("id", "onset_sec"))
    }
    found: dict[str, float] = {}
    for row in _rows(path, "align.csv", _PAIRS[1:]):
        if row["matchtype"].strip() != "0":
            continue
        if row["ppartid"] not in played:
            raise DataError(f"ppart.csv has no note {row['ppartid']!r} of align.csv.", path=path)
        if row["partid"] in found:
            raise DataError(f"the note {row['partid']!r} is paired twice.", path=path)
        found[row["partid"]] = played[row["ppartid"]]
    return played_by_id(found, notes, path, duration)


def _rows(path: StrPath, table: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a table of the archive, which must have these columns."""
    data = io.BytesIO(read_bytes(path))
    try:
        with zipfile.ZipFile(data) as archive:
            info = archive.getinfo(table)
            if info.file_size > _MAX_BYTES:
                raise DataError(f"its {table} is larger than 64 MiB.", path=path)
            text = archive.read(info).decode("utf-8-sig")
    except DataError:
        raise
    except KeyError:
        raise DataError(f"has no {table}.", path=path) from None
    except Exception as error:  # zlib, zipfile and codecs raise whatever they meet
        raise DataError(
            "is not a whole archive of the tables of Parangonada; pack it again.", path=path
        ) from error
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), restval=""))
    except csv.Error as error:
        raise DataError(f"its {table} is not a table: {error}.", path=path) from None
    for column in columns:
        if not rows or column not in rows[0]:
            raise DataError(f"its {table} has no column {column!r}, or no rows.", path=path)
    return rows
