"""NIST time-marked conversation files, ``.ctm``: recording, channel, start, length, label, score.

::

    kiwi 1 0.000000 0.140625 sil 0.98
    kiwi 1 0.140625 0.042125 k 0.71

Times are in seconds. Lines that begin with ``;;`` are comments.
"""

import os
import re

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.text import parse_number, read_lines
from align.formats.labels import Labels, TimedLabels, check_words, make_labels, ticks

__all__ = ["format_ctm", "read_ctm", "write_ctm"]

_PER_SECOND = 1_000_000


def read_ctm(
    path: str | os.PathLike[str],
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read the labels of a CTM file of one recording.

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
        If a line has fewer than five columns, several recordings or channels share the file, or
        the times cannot be right.
    """
    name = os.fspath(path)
    labels, times, lines = [], [], []
    recording: list[str] = []
    for number, line in read_lines(path, encoding):
        if line.startswith(";;"):
            continue
        fields = line.split()
        if len(fields) < 5:
            raise DataError(
                f"{line.strip()!r} is not `recording channel start length label`.",
                path=name,
                line=number,
            )
        if recording and fields[:2] != recording:
            raise DataError(
                f"holds recording {' '.join(recording)!r} and {' '.join(fields[:2])!r}; give each "
                "its own file.",
                path=name,
                line=number,
            )
        recording = fields[:2]
        start = parse_number(fields[2], "start", name, number)
        length = parse_number(fields[3], "length", name, number)
        times.append((start, start + length))
        labels.append(fields[4])
        lines.append(number)
    return make_labels(labels, times, path=name, lines=lines, duration=duration, silence=silence)


def format_ctm(alignment: TimedLabels, *, recording: str | None = None) -> str:
    """Return an alignment as the text of a CTM file, seconds to the microsecond.

    `recording`, the first column, is by default the name of the audio without folder and suffix.
    The last column is there only with confidences.
    """
    check_words(alignment.labels, "a CTM file")
    stem = os.path.splitext(os.path.basename(alignment.audio or ""))[0] or "audio"
    key = re.sub(r"\s+", "_", recording or stem)
    rows = ticks(alignment, _PER_SECOND, "a CTM file")
    out = []
    for k, (label, (start, end)) in enumerate(zip(alignment.labels, rows, strict=True)):
        times = f"{start / _PER_SECOND:.6f} {(end - start) / _PER_SECOND:.6f}"
        score = "" if alignment.confidence is None else f" {alignment.confidence[k]:.4f}"
        out.append(f"{key} 1 {times} {label}{score}\n")
    return "".join(out)


def write_ctm(
    path: str | os.PathLike[str],
    alignment: TimedLabels,
    *,
    recording: str | None = None,
    overwrite: bool = False,
) -> None:
    """Write an alignment as a CTM file; see `format_ctm`."""
    atomic_write(path, format_ctm(alignment, recording=recording), overwrite=overwrite)
