"""RTTM, ``.rttm``: who speaks when, of speaker diarisation.

::

    SPEAKER talk 1 0.500 1.250 <NA> <NA> Ann <NA> <NA>

The columns are the type, recording, channel, start and length in seconds, and among others the
name of the speaker. Written are the turns of each speaker: stretches of labels that are not
silences, where a pause of less than 0.3 s does not end a turn, as in the evaluations of NIST.
Words and phones are not kept. Read back, each speaker is a tier whose labels are the name.

Lines of other types than SPEAKER, and comments that begin with ``;;``, are passed over.

References
----------
NIST (2009), "The 2009 (RT-09) Rich Transcription Meeting Recognition Evaluation Plan", appendix A.
"""

import os
from dataclasses import replace
from pathlib import PurePath

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.names import StrPath, name_of
from align.formats.tiers.labels import LabelLines, Labels, TimedLabels
from align.formats.tiers.tier import Tier, Tiers, checked_tiers
from align.types import SILENCES

_PAUSE = 0.3  # seconds: a shorter silence is within a turn
_NO_NAME = "speaker"
_MISSING = "<NA>"


def _turns(path: StrPath, encoding: str | None) -> Tier:
    """Return the turns of a file in the order of time, each called as its speaker."""
    rows = LabelLines(path, encoding)
    recordings: dict[str, None] = {}
    for line in rows:
        fields = line.split()
        if fields[0] != "SPEAKER":
            continue
        if len(fields) < 8:
            raise rows.wrong(
                f"{line.strip()!r} is not `SPEAKER recording channel start length <NA> <NA> name`."
            )
        recordings[fields[1]] = None
        if len(recordings) > 1:
            raise rows.wrong(
                f"holds several recordings ({', '.join(recordings)}); split it into one file for "
                "each."
            )
        start = rows.number(fields[3], "start")
        rows.add(start, start + rows.number(fields[4], "length"), fields[7])
    if not rows.labels:
        raise DataError("has no line of the type SPEAKER.", path=rows.path)
    starts, ends = zip(*rows.times, strict=True)
    turns = Tier.of_rows("turns", zip(rows.labels, starts, ends, strict=True), lines=rows.lines)
    return turns.only(sorted(range(len(starts)), key=starts.__getitem__))


def read_rttm(
    path: StrPath,
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read the turns of all speakers as labels; DataError where two speak at once."""
    return _turns(path, encoding).as_labels(path, duration, silence)


def read_rttm_tiers(
    path: StrPath,
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Tiers:
    """Read the turns, a tier for each speaker; time when one is silent has no text."""
    turns = _turns(path, encoding)
    tiers = []
    for speaker in dict.fromkeys(turns.labels):
        own = turns.only([k for k, name in enumerate(turns.labels) if name == speaker])
        tiers.append(replace(own, name=speaker, end=own.times[-1][1]))
    return checked_tiers(tiers, path, duration=duration, silence="")


def format_rttm(speakers: dict[str, TimedLabels], recording: str) -> str:
    r"""Return the turns of the speakers as the text of an RTTM file, in the order of time.

    Examples
    --------
    >>> from align.formats.tiers.labels import make_labels
    >>> labels = make_labels(["sil", "a", "b"], [(0.0, 0.5), (0.5, 1.0), (1.0, 1.75)])
    >>> format_rttm({"Ann": labels}, "talk")
    'SPEAKER talk 1 0.500000 1.250000 <NA> <NA> Ann <NA> <NA>\n'
    """
    turns = [
        (start, end, "_".join(name.split()) or _NO_NAME)
        for name, labels in speakers.items()
        for start, end in _spoken(labels)
    ]
    recording = "_".join(recording.split()) or _MISSING
    return "".join(
        f"SPEAKER {recording} 1 {start:.6f} {end - start:.6f} {_MISSING} {_MISSING} {name} "
        f"{_MISSING} {_MISSING}\n"
        for start, end, name in sorted(turns)
    )


def _spoken(labels: TimedLabels) -> list[list[float]]:
    """Return start and end of the stretches without a pause of `_PAUSE`, in seconds."""
    found: list[list[float]] = []
    for label, (start, end) in zip(labels.labels, labels.intervals.tolist(), strict=True):
        if label.strip() in SILENCES:
            continue
        if found and start - found[-1][1] < _PAUSE:
            found[-1][1] = end
        else:
            found.append([start, end])
    return found


def write_rttm(path: StrPath, alignment: TimedLabels, *, overwrite: bool = False) -> None:
    """Write when one speaker, who has no name, speaks; see `format_rttm`."""
    recording = PurePath(name_of(alignment.audio or os.fspath(path))).stem
    atomic_write(path, format_rttm({_NO_NAME: alignment}, recording), overwrite=overwrite)


def write_rttm_tiers(path: StrPath, tiers: Tiers, *, overwrite: bool = False) -> None:
    """Write when each speaker speaks, by the words or, where there are none, the phones."""
    recording = PurePath(name_of(tiers.audio or os.fspath(path))).stem
    speakers: dict[str, TimedLabels] = {
        name: tiers.labels_of(words or phones) for name, phones, words in tiers.speakers()
    }
    atomic_write(path, format_rttm(speakers, recording), overwrite=overwrite)
