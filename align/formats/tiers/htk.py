"""HTK label files, ``.lab``: start, end and label, in units of 100 ns.

::

    0 1406250 sil
    1406250 1827500 iy -12.5

Columns after the label (scores, labels of other levels) are ignored.

References
----------
The HTK Book, section 6.2.1.
"""

from align.files.names import StrPath
from align.formats.documents.tables import begins_with_number
from align.formats.documents.writing import writer
from align.formats.tiers.labels import LabelLines, Labels, TimedLabels, check_words, ticks

_PER_SECOND = 10_000_000
_UNIT = "100 ns; times in seconds belong in a .csv file"


def read_lab(
    path: StrPath,
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read an HTK label file.

    Parameters are those of `align.formats.read_labels`. Raises DataError, naming the line, where
    one is not ``start end label ...``.
    """
    rows = LabelLines(path, encoding)
    for line in rows:
        fields = line.split()
        if fields[0] == "#!MLF!#":
            raise rows.wrong(
                "is a master label file; split it into one .lab file for each recording."
            )
        if len(fields) < 3 or not (begins_with_number(fields) or begins_with_number(fields[1:])):
            raise rows.wrong(
                f"{line.strip()!r} is not `start end label`; a label file of words alone has no "
                "times to read."
            )
        start, end = (
            rows.whole(text, what, 18, _UNIT) / _PER_SECOND
            for text, what in zip(fields, ("start", "end"), strict=False)
        )
        rows.add(start, end, _unquoted(fields[2]))
    return rows.checked(duration, silence)


def _unquoted(label: str) -> str:
    if len(label) > 2 and label[0] == label[-1] == '"':
        return label[1:-1]
    return label


def format_lab(alignment: TimedLabels) -> str:
    """Return an alignment as the text of an HTK label file; times are rounded to 100 ns."""
    check_words(alignment.labels, "a .lab file")
    rows = ticks(alignment, _PER_SECOND, "a .lab file")
    return "".join(f"{start} {end} {label}\n" for label, start, end in rows)


write_lab = writer(format_lab)
