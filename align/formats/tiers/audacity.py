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

from align.errors import DataError
from align.files.names import StrPath
from align.formats.documents.writing import writer
from align.formats.tiers.label_table import onsets_to_ends
from align.formats.tiers.labels import LabelLines, Labels, TimedLabels, ticks
from align.types import named_pitch

_PER_SECOND = 1_000_000


def read_audacity(
    path: StrPath,
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read an Audacity label track.

    Parameters are those of `align.formats.read_labels`; where the labels are points, `duration`
    is needed. Raises DataError, naming the line, where one has fewer than two columns.
    """
    rows = LabelLines(path, encoding, comment="\\")
    for line in rows:
        fields = line.split("\t", 2)
        if len(fields) < 2:
            raise rows.wrong(
                f"{line.strip()[:40]!r} is not an Audacity label; tabs must separate start, end "
                "and label."
            )
        start, end = rows.number(fields[0], "start"), rows.number(fields[1], "end")
        rows.add(start, end, fields[2] if len(fields) > 2 else "")
    if rows.times and all(start == end for start, end in rows.times):
        if all(map(_is_note, rows.labels)):
            raise rows.wrong(
                f"{rows.labels[-1]!r} is a note of a score, as are all of its labels; name the "
                "score that they are of."
            )
        starts = [start for start, _ in rows.times]
        rows.times = list(zip(starts, onsets_to_ends(starts, duration, rows.path), strict=True))
    return rows.checked(duration, silence)


def _is_note(label: str) -> bool:
    """Whether a label is one that `align.formats.notes.note_labels` writes, such as "Eb4 n0"."""
    pitch, _, note = label.strip().partition(" ")
    return bool(note) and named_pitch(pitch) is not None


def format_audacity(alignment: TimedLabels) -> str:
    """Return an alignment as the text of an Audacity label track, seconds to the microsecond."""
    for label in alignment.labels:
        if "\t" in label or "\n" in label or "\r" in label:
            raise DataError(
                f"the label {label!r} cannot be written to an Audacity track, which knows no tabs "
                "or line ends in a label; rename it, or write a TextGrid, CSV or JSON file."
            )
    return "".join(
        f"{start / _PER_SECOND:.6f}\t{end / _PER_SECOND:.6f}\t{label}\n"
        for label, start, end in ticks(alignment, _PER_SECOND, "an Audacity track")
    )


write_audacity = writer(format_audacity)
