r"""Audacity label tracks, ``.txt``: start, end and label, separated by tabs, times in seconds.

::

    0.000000\t0.140625\tsil
    0.140625\t0.182750\tiy

Lines that begin with a backslash (frequency ranges) are ignored. A track of points (start equal
to end) gives onsets: each label ends where the next starts.

References
----------
https://manual.audacityteam.org/man/importing_and_exporting_labels.html
"""

import os

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.text import parse_number, read_lines
from align.formats.labels import Labels, TimedLabels, make_labels, ticks
from align.formats.tables import onsets_to_intervals

__all__ = ["format_audacity", "read_audacity", "write_audacity"]

_PER_SECOND = 1_000_000


def read_audacity(
    path: str | os.PathLike[str],
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read an Audacity label track.

    Parameters
    ----------
    path, silence, encoding
        As for `align.formats.read_labels`.
    duration : float, optional
        Length of the recording in seconds; needed where the labels are points.

    Returns
    -------
    Labels

    Raises
    ------
    DataError
        If a line has fewer than two columns or the times cannot be right.
    """
    name = os.fspath(path)
    labels, times, lines = [], [], []
    for number, line in read_lines(path, encoding):
        if line.startswith("\\"):
            continue
        fields = line.split("\t", 2)
        if len(fields) < 2:
            raise DataError(
                f"{line.strip()[:40]!r} is not an Audacity label; tabs must separate start, end "
                "and label.",
                path=name,
                line=number,
            )
        times.append(
            (
                parse_number(fields[0], "start", name, number),
                parse_number(fields[1], "end", name, number),
            )
        )
        labels.append(fields[2] if len(fields) > 2 else "")
        lines.append(number)
    if times and all(start == end for start, end in times):
        times = onsets_to_intervals([start for start, _ in times], duration, name)
    return make_labels(labels, times, path=name, lines=lines, duration=duration, silence=silence)


def format_audacity(alignment: TimedLabels) -> str:
    """Return an alignment as the text of an Audacity label track, seconds to the microsecond."""
    for label in alignment.labels:
        if "\t" in label or "\n" in label or "\r" in label:
            raise DataError(
                f"the label {label!r} cannot be written to an Audacity track, which knows no tabs "
                "or line ends in a label; rename it, or write a TextGrid, CSV or JSON file."
            )
    rows = ticks(alignment, _PER_SECOND, "an Audacity track")
    return "".join(
        f"{start / _PER_SECOND:.6f}\t{end / _PER_SECOND:.6f}\t{label}\n"
        for label, (start, end) in zip(alignment.labels, rows, strict=True)
    )


def write_audacity(
    path: str | os.PathLike[str], alignment: TimedLabels, *, overwrite: bool = False
) -> None:
    """Write an alignment as an Audacity label track; see `format_audacity`."""
    atomic_write(path, format_audacity(alignment), overwrite=overwrite)
