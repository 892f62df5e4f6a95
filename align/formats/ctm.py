"""NIST time-marked conversation files, ``.ctm``: recording, channel, start, length, label, score.

::

    kiwi 1 0.000000 0.140625 sil 0.98
    kiwi 1 0.140625 0.042125 k 0.71

Times are in seconds. Lines that begin with ``;;`` are comments.
"""

import os
import re

from align.files.names import name_of
from align.formats.frame import LabelLines, writer
from align.formats.labels import Labels, TimedLabels, check_words, ticks

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

    Parameters are those of `align.formats.read_labels`. Raises DataError, naming the line, where
    one has fewer than five columns, or several recordings or channels share the file.
    """
    rows = LabelLines(path, encoding, comment=";;")
    recording: list[str] = []
    for line in rows:
        fields = line.split()
        if len(fields) < 5:
            raise rows.wrong(f"{line.strip()!r} is not `recording channel start length label`.")
        if recording and fields[:2] != recording:
            raise rows.wrong(
                f"holds recording {' '.join(recording)!r} and {' '.join(fields[:2])!r}; give each "
                "its own file."
            )
        recording = fields[:2]
        start = rows.number(fields[2], "start")
        rows.add(start, start + rows.number(fields[3], "length"), fields[4])
    return rows.checked(duration, silence)


def format_ctm(alignment: TimedLabels, *, recording: str | None = None) -> str:
    """Return an alignment as the text of a CTM file, seconds to the microsecond.

    `recording`, the first column, is by default the name of the audio without folder and suffix.
    The last column is there only with confidences.
    """
    check_words(alignment.labels, "a CTM file")
    stem = os.path.splitext(name_of(alignment.audio or ""))[0] or "audio"
    key = re.sub(r"\s+", "_", recording or stem)
    rows = ticks(alignment, _PER_SECOND, "a CTM file")
    out = []
    for k, (label, start, end) in enumerate(rows):
        times = f"{start / _PER_SECOND:.6f} {(end - start) / _PER_SECOND:.6f}"
        score = "" if alignment.confidence is None else f" {alignment.confidence[k]:.4f}"
        out.append(f"{key} 1 {times} {label}{score}\n")
    return "".join(out)


write_ctm = writer(format_ctm)
