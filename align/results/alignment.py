"""When each event happens: the result of aligning one recording.

Event k holds ``[onsets[k], onsets[k + 1])`` seconds and the last one ``[onsets[-1], end)``. Time
before the first onset (lead-in) and from `end` to `duration` belongs to no event.
"""

import os
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from align.errors import ParameterError, check_shape
from align.files.names import StrPath
from align.results.timing import Timing, probabilities
from align.results.writing import LabelWriting
from align.types import Event, Float64


@dataclass(frozen=True, eq=False, repr=False)
class Alignment(Timing, LabelWriting):
    """Labels of a recording that follow each other, and when each begins.

    Parameters
    ----------
    events : sequence of Event, length K
        What occurs, in order.
    onsets : array_like [shape=(K,)]
        Start of each event in seconds. Increasing; notes may begin together.
    duration, end, confidence, score, audio, rate, match, warnings
        See `align.results.timing.Timing`.
    event_match : array_like [shape=(K,)], optional
        How well each event fits the sound of its interval, in [0, 1].
    onset_intervals : array_like [shape=(K, 2)], optional
        Seconds between which each onset lies in 95 of 100 cases; they hold `onsets`.

    Raises
    ------
    ParameterError
        If shapes disagree, or a time is not finite, out of order or outside the recording.

    Examples
    --------
    >>> alignment = Alignment(["sil", "k", "iy"], [0.0, 0.1, 0.16], duration=0.5, end=0.3)
    >>> alignment.intervals
    array([[0.  , 0.1 ],
           [0.1 , 0.16],
           [0.16, 0.3 ]])
    >>> alignment
    <Alignment of 3 events in 0.500 s: sil k iy>
    """

    kind: ClassVar[str] = "speech"
    unit: ClassVar[str] = "label"
    holds: ClassVar[str] = "phones"
    ends_measured: ClassVar[bool] = True

    event_match: Float64 | None = field(default=None, kw_only=True)
    onset_intervals: Float64 | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(event_match=probabilities(self.event_match, len(self), "event_match"))
        if self.onset_intervals is not None:
            around = np.array(self.onset_intervals, dtype=np.float64)
            check_shape("onset_intervals", around.shape, "(K, 2)", (len(self), 2))
            if not ((around[:, 0] <= self.onsets) & (self.onsets <= around[:, 1])).all():
                raise ParameterError("onset_intervals must hold the onsets.")
            around.setflags(write=False)
            self._set(onset_intervals=around)

    @staticmethod
    def _check_times(
        events: tuple[Event, ...], onsets: Float64, end: float, duration: float
    ) -> None:
        """Raise ParameterError where onsets, in seconds, cannot be those of the events."""
        if onsets.size and (onsets[0] < 0 or onsets[-1] >= end):
            raise ParameterError(
                f"onsets go from {onsets[0]} to {onsets[-1]} s, must lie in [0, end)=[0, {end})."
            )
        steps = np.diff(onsets)
        for k in np.flatnonzero(steps <= 0):
            if steps[k] < 0 or isinstance(events[k + 1], str):
                raise ParameterError(
                    f"event {k + 2} ({str(events[k + 1])!r}) begins at {onsets[k + 1]} s, must "
                    f"begin after event {k + 1} ({str(events[k])!r}) at {onsets[k]} s."
                )

    @classmethod
    def from_labels(
        cls,
        labels: Any,
        *,
        duration: float | None = None,
        audio: StrPath | None = None,
        rate: int | None = None,
        **options: Any,
    ) -> Self:
        """Take labels with their times as an alignment.

        Parameters
        ----------
        labels : path or Labels
            A file that `align.formats.read_labels` reads, or what it returned.
        duration : float, optional
            Length of the recording in seconds; by default that of the labels, else their end.
        audio : path, optional
            The recording.
        rate : int, optional
            Its sampling rate in Hz.
        **options
            Passed to `read_labels`.

        Returns
        -------
        Alignment

        Raises
        ------
        DataError
            If the file cannot be used.
        """
        from align.formats import Labels, read_labels

        if not isinstance(labels, Labels):
            labels = read_labels(labels, duration=duration, rate=rate, **options)
        if duration is None:
            duration = labels.end if labels.duration is None else labels.duration
        return cls(
            labels.labels,
            labels.onsets,
            duration=duration,
            end=min(labels.end, duration),
            audio=None if audio is None else os.fspath(audio),
            rate=rate,
        )

    @property
    def intervals(self) -> Float64:
        """Start and end of each event in seconds [shape=(K, 2)]."""
        intervals = (
            np.stack((self.onsets, np.append(self.onsets[1:], self.end)), 1)
            if len(self)
            else np.empty((0, 2))
        )
        intervals.setflags(write=False)
        return intervals

    def __repr__(self) -> str:
        shown = " ".join(self.labels[:12]) + (" ..." if len(self) > 12 else "")
        return f"<Alignment of {len(self)} events in {self.duration:.3f} s: {shown}>"

    def _html_rows(self, n: int) -> tuple[list[str], list[list[str]]]:
        rows = [
            [str(k + 1), self.labels[k], f"{start:.3f}", f"{end:.3f}"]
            for k, (start, end) in enumerate(self.intervals[:n].tolist())
        ]
        return ["", "label", "start (s)", "end (s)"], rows
