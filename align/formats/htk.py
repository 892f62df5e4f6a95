"""HTK label files, ``.lab``: start, end and label, in units of 100 ns.

::

    0 1406250 sil
    1406250 1827500 iy -12.5

Columns after the label (scores, labels of other levels) are ignored.

References
----------
The HTK Book, section 6.2.1.
"""

import os

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.text import read_lines
from align.formats.labels import Labels, TimedLabels, check_words, make_labels, ticks

__all__ = ["format_lab", "read_lab", "write_lab"]

_PER_SECOND = 10_000_000


def read_lab(
    path: str | os.PathLike[str],
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read an HTK label file.

    Parameters
    ----------
    path, duration, silence, encoding
        As for `align.formats.read_labels`.

    Returns
    -------
    Labels

    Raises
    ------
    DataError
        If a line is not ``start end label ...`` or the times cannot be right.
    """
    name = os.fspath(path)
    labels, times, lines = [], [], []
    for number, line in read_lines(path, encoding):
        fields = line.split()
        if fields[0] == "#!MLF!#":
            raise DataError(
                "is a master label file; split it into one .lab file for each recording.",
                path=name,
                line=number,
            )
        if len(fields) < 3:
            raise DataError(
                f"{line.strip()!r} is not `start end label`; a label file of words alone has no "
                "times to read.",
                path=name,
                line=number,
            )
        start = _units(fields[0], "start", name, number)
        end = _units(fields[1], "end", name, number)
        times.append((start / _PER_SECOND, end / _PER_SECOND))
        labels.append(_unquoted(fields[2]))
        lines.append(number)
    return make_labels(labels, times, path=name, lines=lines, duration=duration, silence=silence)


def _units(text: str, what: str, path: str, line: int) -> int:
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 18:
        return int(text)
    raise DataError(
        f"the {what} is {text!r}, must be a whole number of 100 ns; times in seconds belong in a "
        ".csv file.",
        path=path,
        line=line,
    )


def _unquoted(label: str) -> str:
    if len(label) > 2 and label[0] == label[-1] == '"':
        return label[1:-1]
    return label


def format_lab(alignment: TimedLabels) -> str:
    """Return an alignment as the text of an HTK label file; times are rounded to 100 ns."""
    check_words(alignment.labels, "a .lab file")
    rows = ticks(alignment, _PER_SECOND, "a .lab file")
    return "".join(
        f"{start} {end} {label}\n"
        for label, (start, end) in zip(alignment.labels, rows, strict=True)
    )


def write_lab(
    path: str | os.PathLike[str], alignment: TimedLabels, *, overwrite: bool = False
) -> None:
    """Write an alignment as an HTK label file; see `format_lab`."""
    atomic_write(path, format_lab(alignment), overwrite=overwrite)
