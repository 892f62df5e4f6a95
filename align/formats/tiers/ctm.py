"""NIST time-marked conversation files, ``.ctm``: recording, channel, start, length, label, score.

::

    kiwi 1 0.000000 0.140625 sil 0.98
    kiwi 1 0.140625 0.042125 k 0.71

Times are in seconds. Lines that begin with ``;;`` are comments. Starts and lengths are mostly
rounded one by one, so a label with two decimals may end a hundredth of a second beside where the
next one begins; it ends there.
"""

import os
import re

from align.files.names import StrPath, name_of
from align.formats.documents.writing import writer
from align.formats.tiers.labels import LabelLines, Labels, TimedLabels, check_words, ticks

_PER_SECOND = 1_000_000
_HUNDREDTHS = re.compile(r"\d*(\.\d?\d)?")


def read_ctm(
    path: StrPath,
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
    coarse = True
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
        coarse &= all(_HUNDREDTHS.fullmatch(time) is not None for time in fields[2:4])
    if coarse:
        rows.times = _closed(rows.times)
    return rows.checked(duration, silence)


def _closed(times: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return times of labels without gaps and overlaps of a hundredth of a second.

    Examples
    --------
    >>> _closed([(0.17, 0.27), (0.26, 0.5), (0.53, 0.6)])
    [(0.17, 0.26), (0.26, 0.5), (0.53, 0.6)]
    """
    found = times[-1:]
    for (start, end), (following, _) in zip(times[-2::-1], times[:0:-1], strict=True):
        near = start < following and abs(end - following) < 0.011
        found.append((start, following if near else end))
    return found[::-1]


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
