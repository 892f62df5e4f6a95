"""Labels with their times: what every reader returns, and the one check all of them share.

What a writer is given need not come from a reader: anything with the attributes of `TimedLabels`
can be written, such as an `align.Alignment`.

Times are in seconds from the start of the recording. Label k holds ``[start, end)``; the labels
follow each other without holes: each ends where the next starts. Readers bring what a file says
to that form, and refuse what cannot be brought there:

* A label without text, as Praat writes silence, is named after the `silence` parameter.
* A gap or an overlap between neighbours of at most `SLACK` (half a frame of 5 ms; rounding in
  other programs makes them) is closed: the earlier label ends where the later starts.
* A longer gap becomes a silence of its own. A longer overlap is an error.
* Labels that go backwards, have no length, begin before 0 or begin beyond the recording are
  errors. A last label that ends beyond the recording by at most `OVERRUN` ends with it; by more
  is an error.
* Time before the first label stays without one (lead-in).
"""

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import parse_number, read_lines
from align.types import SILENCE, Float64

SLACK = 0.0025
"""Gaps and overlaps of at most this many seconds are rounding, and are closed."""

OVERRUN = 0.05
"""A last label may end at most this many seconds beyond the recording."""


class TimedLabels(Protocol):
    """What the writers of labels ask for: labels without holes, and what is known besides."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What occurs, length K."""

    @property
    def intervals(self) -> Float64:
        """Start and end of each label in seconds [shape=(K, 2)]."""

    @property
    def duration(self) -> float | None:
        """Length of the recording in seconds; None where it is not known."""

    @property
    def confidence(self) -> Float64 | None:
        """How sure each onset is, in [0, 1] [shape=(K,)]."""

    @property
    def score(self) -> float | None:
        """Value of the potentials at these onsets."""

    @property
    def audio(self) -> str | None:
        """The recording."""

    @property
    def rate(self) -> int | None:
        """Its sampling rate in Hz."""

    @property
    def match(self) -> float | None:
        """How well labels and recording fit, in [0, 1]."""

    @property
    def event_match(self) -> Float64 | None:
        """How well each label fits the sound of its interval, in [0, 1] [shape=(K,)]."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know, one sentence each."""

    @property
    def onset_intervals(self) -> Float64 | None:
        """Seconds between which each onset lies in 95 of 100 cases [shape=(K, 2)]."""


class Known(NamedTuple):
    """What an aligner knows of labels besides their times, as in `TimedLabels`; no reader does."""

    confidence: Float64 | None = None
    score: float | None = None
    match: float | None = None
    event_match: Float64 | None = None
    warnings: tuple[str, ...] = ()
    onset_intervals: Float64 | None = None

    @classmethod
    def of(cls, labels: TimedLabels) -> Self:
        """Return what is known of labels."""
        return cls(*(getattr(labels, name) for name in cls._fields))


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of one recording, in order, without holes.

    Parameters
    ----------
    labels : tuple of str, length K
        What occurs.
    intervals : np.ndarray [shape=(K, 2), dtype=float64]
        Start and end of each label in seconds; each label ends where the next starts.
    path : str, optional
        Where they were read.
    lines : tuple of int, length K
        Line of the file (counted from 1) that each label comes from.
    duration : float, optional
        Length of the recording in seconds, where the file or the caller says it.
    confidence : np.ndarray [shape=(K,)], optional
        How sure each onset is. Readers leave it out: a person may have moved the times since.
    score : float, optional
        Value of the potentials at these onsets; left out likewise.
    audio : str, optional
        The recording, where the caller names it.
    rate : int, optional
        Its sampling rate in Hz.
    match, event_match, warnings, onset_intervals : optional
        See `align.Alignment`; left out by readers likewise.
    """

    labels: tuple[str, ...]
    intervals: Float64
    path: str | None = None
    lines: tuple[int, ...] = ()
    duration: float | None = None
    confidence: Float64 | None = None
    score: float | None = None
    audio: str | None = None
    rate: int | None = None
    match: float | None = None
    event_match: Float64 | None = None
    warnings: tuple[str, ...] = ()
    onset_intervals: Float64 | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def onsets(self) -> Float64:
        """Start of each label in seconds [shape=(K,)]."""
        return self.intervals[:, 0]

    @property
    def end(self) -> float:
        """End of the last label in seconds."""
        return float(self.intervals[-1, 1])


def make_labels(
    labels: Sequence[str],
    intervals: Sequence[tuple[float, float]],
    *,
    path: StrPath | None = None,
    lines: Sequence[int] = (),
    duration: float | None = None,
    silence: str = "sil",
    overlaps: bool = False,
) -> Labels:
    """Check labels as a file gave them, close what rounding left open, and name the silences.

    `intervals` are start and end in seconds, `lines` the line of each label, `duration` the length
    of the recording in seconds, and `silence` names labels without text and gaps, which are labels
    too. With `overlaps`, a label that reaches into the next ends where that starts, however long
    the overlap. Raises DataError as the module's docstring says, naming the line of `path`.

    Examples
    --------
    >>> found = make_labels(["k", "", "iy"], [(0.1, 0.2), (0.2, 0.25), (0.3, 0.4)])
    >>> found.labels
    ('k', 'sil', 'sil', 'iy')
    >>> found.onsets.tolist()
    [0.1, 0.2, 0.25, 0.3]
    """
    if not labels:
        raise DataError("has no labels; give at least one.", path=path)
    names: list[str] = []
    starts: list[float] = []
    ends: list[float] = []
    known: list[int] = []
    numbers = lines or range(len(labels))
    for label, (start, end), line in zip(labels, intervals, numbers, strict=True):
        name = label.strip() or silence
        before = (names[-1], starts[-1], ends[-1]) if names else None
        why = _problem(name, start, end, before, duration, overlaps)
        if why is not None:
            raise DataError(why, path, line if lines else None)
        if ends and start - ends[-1] > SLACK:
            names.append(silence)
            starts.append(ends[-1])
            ends.append(start)
            known.append(line)
        elif ends:
            ends[-1] = start
        names.append(name)
        starts.append(start)
        ends.append(end)
        known.append(line)
    if duration is not None:
        ends[-1] = min(ends[-1], duration)
    array = np.array([starts, ends], dtype=np.float64).T.copy()
    array.setflags(write=False)
    file = None if path is None else os.fspath(path)
    return Labels(tuple(names), array, file, tuple(known) if lines else (), duration)


def _problem(
    name: str,
    start: float,
    end: float,
    before: tuple[str, float, float] | None,
    duration: float | None,
    overlaps: bool,
) -> str | None:
    """Return what is wrong with a label, which follows one `before`, or None."""
    if not (math.isfinite(start) and math.isfinite(end)):
        return f"the times of {name!r} must be finite numbers."
    if start < 0:
        return f"{name!r} starts at {start:g} s, before the recording; times count from 0."
    if end == start:
        return (
            f"{name!r} has no length (it starts and ends at {start:g} s); remove it or move its "
            "end."
        )
    if end < start:
        return f"{name!r} ends at {end:g} s, before it starts at {start:g} s; correct its times."
    if before is not None:
        other, begun, ended = before
        if start < begun:
            return (
                f"{name!r} starts at {start:g} s, before {other!r} at {begun:g} s; put the labels "
                "in order of time."
            )
        if start == begun or (ended - start > SLACK and not overlaps):
            return (
                f"{name!r} starts at {start:g} s but overlaps {other!r}, which ends at "
                f"{ended:g} s; correct one of them."
            )
    if duration is not None and (start >= duration or end - duration > OVERRUN):
        return (
            f"{name!r} ({start:g} to {end:g} s) lies beyond the end of the recording "
            f"({duration:g} s); check that labels and audio belong together, and the unit or "
            "sampling rate of the times."
        )
    return None


def ticks(
    alignment: TimedLabels, per_second: float, what: str, *, blanks: bool = True
) -> list[tuple[str, int, int]]:
    """Return each label with start and end in whole ticks; one that rounds to none is an error.

    With `blanks` false, silences and labels without text that round to none are left out.
    """
    rounded = np.rint(alignment.intervals * per_second).astype(np.int64).tolist()
    rows = [(label, *span) for label, span in zip(alignment.labels, rounded, strict=True)]
    for label, start, end in rows:
        if end <= start and (blanks or label.strip() not in ("", SILENCE)):
            raise DataError(
                f"{label!r} is too short for {what}, whose times step by {1 / per_second:g} s; "
                "write a TextGrid or JSON file."
            )
    return [row for row in rows if row[2] > row[1]]


def check_words(labels: Sequence[str], what: str) -> None:
    """Refuse labels that a format of columns separated by spaces cannot hold."""
    for label in labels:
        if not label or re.search(r"\s", label):
            raise DataError(
                f"the label {label!r} cannot be written to {what}, whose columns are separated "
                "by spaces; rename it, or write a TextGrid, CSV or JSON file."
            )


def check_no_sentence(labels: Sequence[str], path: StrPath | None) -> None:
    """Refuse labels of phones that are sentences, as in a tier of utterances."""
    for label in labels:
        if len(label.split()) > 2:  # two words may be a name, such as `glottal stop`
            raise DataError(
                f"{label!r} is no phone but a sentence; name the tier of phones (--tier), or "
                "ask for what is said (--text, where the command has it).",
                path=path,
            )


class LabelLines:
    """The lines of a file that are not blank, and the labels that its reader finds in them.

    `wrong` and `number` name the line at hand; those that begin with `comment` are passed over.
    """

    def __init__(self, path: StrPath, encoding: str | None, comment: str | None = None) -> None:
        self.path = os.fspath(path)
        self.labels: list[str] = []
        self.times: list[tuple[float, float]] = []
        self._encoding, self._comment = encoding, comment
        self._line = 0
        self.lines: list[int] = []

    def __iter__(self) -> Iterator[str]:
        for number, line in read_lines(self.path, self._encoding):
            self._line = number
            if self._comment is None or not line.startswith(self._comment):
                yield line

    def wrong(self, message: str) -> DataError:
        """Return the error to raise at this line."""
        return DataError(message, path=self.path, line=self._line)

    def number(self, text: str, what: str) -> float:
        """Return the number that a text is."""
        return parse_number(text, what, self.path, self._line)

    def whole(self, text: str, what: str, digits: int, unit: str) -> int:
        """Return the whole number, of fewer than so many digits, that a text is."""
        bare = text.removeprefix("-")
        if bare.isascii() and bare.isdigit() and len(bare) < digits:
            return int(text)
        raise self.wrong(f"the {what} is {text!r}, must be a whole number of {unit}.")

    def add(self, start: float, end: float, label: str) -> None:
        """Keep a label of this line; times in seconds."""
        self.times.append((start, end))
        self.labels.append(label)
        self.lines.append(self._line)

    def checked(self, duration: float | None, silence: str, *, overlaps: bool = False) -> Labels:
        """Return the labels, as `make_labels` checks them."""
        return make_labels(
            self.labels,
            self.times,
            path=self.path,
            lines=self.lines,
            duration=duration,
            silence=silence,
            overlaps=overlaps,
        )
