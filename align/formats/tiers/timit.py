"""TIMIT phone and word files, ``.phn`` and ``.wrd``: start sample, end sample, label.

::

    0 2250 h#
    2250 2924 iy

Samples count at the rate of the recording: 16000 Hz in TIMIT.
"""

from align.errors import ParameterError
from align.files.names import StrPath
from align.formats.documents.writing import writer
from align.formats.tiers.labels import LabelLines, Labels, TimedLabels, check_words, ticks
from align.types import SILENCES

_TIMIT_RATE = 16000


def read_phn(
    path: StrPath,
    *,
    rate: float | None = None,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
    overlaps: bool = False,
) -> Labels:
    """Read a TIMIT ``.phn`` file, or with `overlaps` a ``.wrd`` file.

    Other parameters are those of `align.formats.read_labels`. With `overlaps`, a word that
    reaches into the next ends where that starts: TIMIT has such words. Raises DataError, naming
    the line, where one is not ``start end label``.
    """
    rate = _checked_rate(rate)
    rows = LabelLines(path, encoding)
    for line in rows:
        fields = line.split(maxsplit=2)
        if len(fields) < 3:
            raise rows.wrong(
                f"{line.strip()!r} is not `start end label`; every line needs all three."
            )
        start, end = (
            rows.whole(text, what, 16, "samples") / rate
            for text, what in zip(fields, ("start", "end"), strict=False)
        )
        rows.add(start, end, fields[2])
    return rows.checked(duration, silence, overlaps=overlaps)


def _checked_rate(rate: float | None) -> float:
    rate = _TIMIT_RATE if rate is None else rate
    if not 0 < rate < float("inf"):
        raise ParameterError(f"rate={rate}, must be a positive number of samples per second.")
    return float(rate)


def format_phn(alignment: TimedLabels, *, rate: float | None = None) -> str:
    """Return an alignment as the text of a ``.phn`` file, times rounded to whole samples.

    Time before its first and after its last event is left out. `rate` is in Hz, by default the
    recording's, else 16000.
    """
    return "".join(
        f"{start} {end} {label}\n" for label, start, end in _rows(alignment, rate, "phn")
    )


def format_wrd(alignment: TimedLabels, *, rate: float | None = None) -> str:
    """Return words as the text of a ``.wrd`` file, as TIMIT's: where nothing is said has no line.

    Parameters are those of `format_phn`.
    """
    rows = [row for row in _rows(alignment, rate, "wrd") if row[0] not in SILENCES]
    return "".join(f"{start} {end} {word}\n" for word, start, end in rows)


def _rows(alignment: TimedLabels, rate: float | None, suffix: str) -> list[tuple[str, int, int]]:
    """Return each label with the samples it begins and ends at."""
    what = f"a .{suffix} file"
    check_words(alignment.labels, what)
    return ticks(alignment, _checked_rate(rate or alignment.rate), what)


write_phn = writer(format_phn)
write_wrd = writer(format_wrd)
