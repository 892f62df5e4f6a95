"""TIMIT phone and word files, ``.phn`` and ``.wrd``: start sample, end sample, label.

::

    0 2250 h#
    2250 2924 iy

Samples count at the rate of the recording: 16000 Hz in TIMIT.
"""

import os

from align.errors import DataError, ParameterError
from align.files.atomic import atomic_write
from align.files.text import read_lines
from align.formats.labels import Labels, TimedLabels, check_words, make_labels, ticks

__all__ = ["format_phn", "read_phn", "write_phn"]

_TIMIT_RATE = 16000


def read_phn(
    path: str | os.PathLike[str],
    *,
    rate: float | None = None,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
    overlaps: bool = False,
) -> Labels:
    """Read a TIMIT ``.phn`` file, or with `overlaps` a ``.wrd`` file.

    Parameters
    ----------
    path, rate, duration, silence, encoding
        As for `align.formats.read_labels`.
    overlaps : bool
        Let a word that reaches into the next end where that starts: TIMIT has such words.

    Returns
    -------
    Labels

    Raises
    ------
    DataError
        If a line is not ``start end label`` or the times cannot be right.
    """
    name = os.fspath(path)
    rate = _checked_rate(rate)
    labels, times, lines = [], [], []
    for number, line in read_lines(path, encoding):
        fields = line.split(maxsplit=2)
        if len(fields) < 3:
            raise DataError(
                f"{line.strip()!r} is not `start end label`; every line needs all three.",
                path=name,
                line=number,
            )
        times.append(
            (
                _sample(fields[0], "start", name, number) / rate,
                _sample(fields[1], "end", name, number) / rate,
            )
        )
        labels.append(fields[2])
        lines.append(number)
    return make_labels(
        labels,
        times,
        path=name,
        lines=lines,
        duration=duration,
        silence=silence,
        overlaps=overlaps,
    )


def _checked_rate(rate: float | None) -> float:
    rate = _TIMIT_RATE if rate is None else rate
    if not 0 < rate < float("inf"):
        raise ParameterError(f"rate={rate}, must be a positive number of samples per second.")
    return float(rate)


def _sample(text: str, what: str, path: str, line: int) -> int:
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 16:
        return int(text)
    raise DataError(
        f"the {what} is {text!r}, must be a whole number of samples.", path=path, line=line
    )


def format_phn(alignment: TimedLabels, *, rate: float | None = None) -> str:
    """Return an alignment as the text of a ``.phn`` file, times rounded to whole samples.

    Time before its first and after its last event is left out. `rate` is in Hz, by default the
    recording's, else 16000.
    """
    check_words(alignment.labels, "a .phn file")
    rate = _checked_rate(rate or alignment.rate)
    rows = ticks(alignment, rate, "a .phn file")
    return "".join(
        f"{start} {end} {label}\n"
        for label, (start, end) in zip(alignment.labels, rows, strict=True)
    )


def write_phn(
    path: str | os.PathLike[str],
    alignment: TimedLabels,
    *,
    rate: float | None = None,
    overwrite: bool = False,
) -> None:
    """Write an alignment as a TIMIT ``.phn`` file; see `format_phn`."""
    atomic_write(path, format_phn(alignment, rate=rate), overwrite=overwrite)
