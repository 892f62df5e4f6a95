"""MAESTRO: performances on a Disklavier, each a recording and the MIDI file made with it.

``maestro-v3.0.0.csv`` has the columns ``canonical_composer``, ``canonical_title``, ``split``,
``year``, ``midi_filename``, ``audio_filename`` and ``duration``, with paths relative to it. Its
``.json`` says the same, in version 1 as a list of records, later as columns of records by number.
What the score is, see `align.corpus.readers._performed`.

References
----------
Hawthorne et al., "Enabling factorized piano music modeling and generation with the MAESTRO
dataset", ICLR 2019.
"""

import json
import os
from collections.abc import Collection

from align.corpus.listing import folders
from align.corpus.readers._performed import performed_midi
from align.corpus.reading import Corpus, Gathering
from align.errors import DataError, ParameterError
from align.files.names import StrPath, suffix_of
from align.files.text import Place, read_text, rows_of_table

_FILES = ("audio_filename", "midi_filename")
_SPLITS = ("train", "validation", "test")


def read_maestro(folder: StrPath, *, split: str | Collection[str] | None = None) -> Corpus:
    """Read MAESTRO.

    Parameters
    ----------
    folder : path
        The corpus, or its table (``.csv`` or ``.json``); of several tables in the folder the last
        by name is read.
    split : {"train", "validation", "test"} or several of them, optional
        By default all.

    Returns
    -------
    Corpus
        The group is composer and title, so that two performances of a piece are never trained on
        and scored. Rows whose files are not there, as in a partial download, are problems.

    Raises
    ------
    DataError
        If there is no table, or nothing in it can be used.
    """
    wanted = _SPLITS if split is None else (split,) if isinstance(split, str) else tuple(split)
    for name in wanted or (split,):
        if name not in _SPLITS:
            raise ParameterError(f"split={name!r}, must be one of {', '.join(_SPLITS)}.")
    table = _table(os.fspath(folder))
    top = os.path.dirname(table)
    found = Gathering(os.fspath(folder), "music")
    for at, row in _rows(table):
        if row.get("split", wanted[0]) not in wanted:
            continue
        with found.attempt(table):
            audio, midi = (os.path.join(top, _cell(row, key, at)) for key in _FILES)
            for path in (audio, midi):
                if not os.path.isfile(path):
                    raise DataError("is in the table but not in the folder.", path=path)
            group = ", ".join(
                row[key] for key in ("canonical_composer", "canonical_title") if row.get(key)
            )
            score, truth = performed_midi(midi)
            found.add_music(audio, score, truth, group or None, source=midi)
    splits = " or ".join(map(repr, wanted))
    return found.corpus(f"no row of {os.path.basename(table)} is of the split {splits}.")


def _table(path: str) -> str:
    """Return the table of a folder."""
    if not os.path.isdir(path):
        if os.path.isfile(path) and suffix_of(path) in (".csv", ".json"):
            return path
        raise DataError("is neither the folder of MAESTRO nor its .csv or .json.", path=path)
    _, names = next(folders(path))
    tables = [
        name
        for name in names
        if name.lower().startswith("maestro") and suffix_of(name) in (".csv", ".json")
    ]
    if not tables:
        raise DataError("holds no table maestro-*.csv or .json.", path=path)
    newest = os.path.splitext(tables[-1])[0]
    return os.path.join(path, next(name for name in tables if name.startswith(newest)))


def _rows(path: str) -> list[tuple[Place, dict[str, str]]]:
    """Return the records of a table, with their lines where it has lines."""
    text = read_text(path)
    if suffix_of(path) == ".csv":
        rows = rows_of_table(text, path)
        _, names = next(rows, (1, []))
        found = (
            (Place(path, n), dict(zip(names, cells, strict=False))) for n, cells in rows if cells
        )
        return list(found)
    try:
        records = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError("is not JSON.", path=path) from None
    if isinstance(records, dict):  # columns, each a mapping of numbers to values
        columns = {k: v for k, v in records.items() if isinstance(v, dict)}
        keys = list(next(iter(columns.values()), {}))
        records = [{name: column.get(k) for name, column in columns.items()} for k in keys]
    if not isinstance(records, list) or not all(isinstance(row, dict) for row in records):
        raise DataError("is not a list of records.", path=path)
    return [(Place(path), {k: str(v) for k, v in row.items() if v is not None}) for row in records]


def _cell(row: dict[str, str], key: str, at: Place) -> str:
    value = row.get(key, "")
    if not value:
        raise at.wrong(f"a row has no {key}.")
    return value
