"""Times of beats from a file: what the metrics of beats compare.

``.beats.csv``
    A table with a column of times, ``performed_s`` as `align.formats.beat_table` writes it, or
    ``time``, ``start`` or ``onset``.
``.beats.txt``, ``.beats``
    A line for each beat that begins with its time in seconds, as label tracks and the annotations
    of beat trackers have it; what follows, and lines that begin with ``#``, are left out.
"""

import os

import numpy as np
import numpy.typing as npt

from align.errors import DataError
from align.files.text import parse_number, read_text
from align.formats.headings import columns_named
from align.formats.tables import begins_with_number, table_rows

__all__ = ["BEAT_SUFFIXES", "read_beat_times"]

BEAT_SUFFIXES = (".beats.csv", ".beats.txt", ".beats")
_NAMES = {"time": ("performed_s", "time", "start", "onset", "seconds")}


def read_beat_times(path: str | os.PathLike[str]) -> npt.NDArray[np.float64]:
    """Read when beats are.

    Parameters
    ----------
    path : path
        See the module's docstring.

    Returns
    -------
    np.ndarray [shape=(B,), dtype=float64]
        Seconds of the recording, increasing.

    Raises
    ------
    DataError
        If the file cannot be used; the message names the line.
    """
    name, text = os.fspath(path), read_text(path)
    found = _of_table(text, name) if name.lower().endswith(".csv") else _of_lines(text)
    times = [parse_number(cell, "time", name, number) for number, cell in found]
    for k in range(1, len(times)):
        if not times[k] > times[k - 1]:
            raise DataError(
                f"the beat at {times[k]} s does not follow the one before, at {times[k - 1]} s; "
                "sort the lines and leave out what comes twice.",
                path=name,
                line=found[k][0],
            )
    return np.array(times, dtype=np.float64)


def _of_table(text: str, path: str) -> list[tuple[int, str]]:
    """Return the line and the cell of each time of a table."""
    rows = table_rows(text, path)
    columns = columns_named(rows[0][1], _NAMES) if rows else {}
    if rows and not columns and not begins_with_number(rows[0][1]):
        raise DataError("has no column of times; call one performed_s.", path=path, line=1)
    place = columns.get("time", 0)
    kept = rows[1:] if columns else rows
    return [(number, cells[place] if place < len(cells) else "") for number, cells in kept]


def _of_lines(text: str) -> list[tuple[int, str]]:
    """Return the line and the first word of each line."""
    rows = [(k, line.replace(",", " ").split()) for k, line in enumerate(text.splitlines(), 1)]
    return [(k, words[0]) for k, words in rows if words and not words[0].startswith("#")]
