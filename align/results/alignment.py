"""When each event happens: the result of aligning one recording.

Event k holds ``[onsets[k], onsets[k + 1])`` seconds and the last one ``[onsets[-1], end)``. Time
before the first onset (lead-in) and from `end` to `duration` belongs to no event.
"""

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import Event

__all__ = ["Alignment"]

_SHOWN = 200


@dataclass(frozen=True, eq=False, repr=False)
class Alignment:
    """Events of a recording and when each begins.

    Parameters
    ----------
    events : sequence of Event, length K
        What occurs, in order: phones or notes.
    onsets : array_like [shape=(K,)]
        Start of each event in seconds. Increasing; notes may begin together.
    duration : float
        Length of the recording in seconds.
    end : float, optional
        End of the last event in seconds; by default `duration`.
    confidence : array_like [shape=(K,)], optional
        How sure each onset is, in [0, 1].
    score : float, optional
        Value of the potentials at these onsets.
    audio : path, optional
        The recording.
    rate : int, optional
        Its sampling rate in Hz.

    Raises
    ------
    ParameterError
        If shapes disagree, or a time is not finite, out of order or outside the recording.

    Notes
    -----
    Immutable: the arrays are read-only copies. Two alignments are equal where all they hold is.

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

    events: Sequence[Event]
    onsets: npt.NDArray[np.float64]
    duration: float
    end: float = None  # type: ignore[assignment]  # filled in __post_init__
    confidence: npt.NDArray[np.float64] | None = None
    score: float | None = None
    audio: str | None = None
    rate: int | None = None

    def __post_init__(self) -> None:
        events = tuple(self.events)
        duration = float(self.duration)
        end = duration if self.end is None else float(self.end)
        onsets = _vector(self.onsets, len(events), "onsets")
        if not (np.isfinite(duration) and duration >= 0):
            raise ParameterError(f"duration={duration}, must be finite and not negative.")
        if not 0 <= end <= duration:
            raise ParameterError(f"end={end}, must lie in [0, duration]=[0, {duration}].")
        if not np.isfinite(onsets).all():
            raise ParameterError("onsets must be finite.")
        self._check_times(events, onsets, end, duration)
        confidence = self.confidence
        if confidence is not None:
            confidence = _vector(confidence, len(events), "confidence")
            if not ((confidence >= 0) & (confidence <= 1)).all():
                raise ParameterError("confidence must lie in [0, 1].")
        score = None if self.score is None else float(self.score)
        if score is not None and not np.isfinite(score):
            raise ParameterError(f"score={score}, must be finite.")
        settled: dict[str, Any] = {
            "events": events,
            "onsets": onsets,
            "duration": duration,
            "end": end,
            "confidence": confidence,
            "score": score,
            "audio": None if self.audio is None else os.fspath(self.audio),
            "rate": None if self.rate is None else int(self.rate),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def _check_times(
        events: tuple[Event, ...], onsets: npt.NDArray[np.float64], end: float, duration: float
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
        audio: str | os.PathLike[str] | None = None,
        rate: int | None = None,
        **options: Any,
    ) -> Self:
        """Take labels with their times as an alignment.

        Parameters
        ----------
        labels : path or Labels
            A file that `align.formats.read_labels` reads, or what it returned.
        duration : float, optional
            Length of the recording in seconds; by default what the labels tell, else their end.
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
    def labels(self) -> tuple[str, ...]:
        """Name of each event, length K."""
        return tuple(str(event) for event in self.events)

    @property
    def intervals(self) -> npt.NDArray[np.float64]:
        """Start and end of each event in seconds [shape=(K, 2)]."""
        intervals = (
            np.stack((self.onsets, np.append(self.onsets[1:], self.end)), 1)
            if len(self)
            else np.empty((0, 2))
        )
        intervals.setflags(write=False)
        return intervals

    def __len__(self) -> int:
        return len(self.events)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alignment):
            return NotImplemented
        mine = (self.events, self.duration, self.end, self.score, self.audio, self.rate)
        theirs = (other.events, other.duration, other.end, other.score, other.audio, other.rate)
        if mine != theirs or not np.array_equal(self.onsets, other.onsets):
            return False
        if self.confidence is None or other.confidence is None:
            return self.confidence is other.confidence
        return np.array_equal(self.confidence, other.confidence)

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def __repr__(self) -> str:
        shown = " ".join(self.labels[:12]) + (" ..." if len(self) > 12 else "")
        return f"<Alignment of {len(self)} events in {self.duration:.3f} s: {shown}>"

    def _repr_html_(self) -> str:
        """Return a table for notebooks: label, start, end, and confidence where there is one."""
        heads = ["", "label", "start (s)", "end (s)"]
        heads += ["confidence"] * (self.confidence is not None)
        out = ["<table><tr>", *(f"<th>{head}</th>" for head in heads), "</tr>"]
        intervals = self.intervals[:_SHOWN].tolist()
        for k, (start, end) in enumerate(intervals):
            cells = [str(k + 1), html.escape(self.labels[k]), f"{start:.3f}", f"{end:.3f}"]
            if self.confidence is not None:
                cells.append(f"{self.confidence[k]:.2f}")
            out += ["<tr>", *(f"<td>{cell}</td>" for cell in cells), "</tr>"]
        out.append("</table>")
        if len(self) > _SHOWN:
            out.append(f"<p>... and {len(self) - _SHOWN} more events</p>")
        return "".join(out)

    def to_textgrid(
        self, path: str | os.PathLike[str], *, tier: str = "phones", overwrite: bool = False
    ) -> None:
        """Write a Praat TextGrid; see `align.formats.write_textgrid`."""
        from align.formats import write_textgrid

        write_textgrid(path, self, tier=tier, overwrite=overwrite)

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a table; see `align.formats.write_csv`."""
        from align.formats import write_csv

        write_csv(path, self, overwrite=overwrite)

    def to_json(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write JSON, with everything the alignment knows; see `align.formats.write_json`."""
        from align.formats import write_json

        write_json(path, self, overwrite=overwrite)

    def to_audacity(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write an Audacity label track; see `align.formats.write_audacity`."""
        from align.formats import write_audacity

        write_audacity(path, self, overwrite=overwrite)

    def to_ctm(
        self,
        path: str | os.PathLike[str],
        *,
        recording: str | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write a CTM file; see `align.formats.write_ctm`."""
        from align.formats import write_ctm

        write_ctm(path, self, recording=recording, overwrite=overwrite)

    def to_phn(
        self,
        path: str | os.PathLike[str],
        *,
        rate: float | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write a TIMIT phone file; see `align.formats.write_phn`."""
        from align.formats import write_phn

        write_phn(path, self, rate=rate, overwrite=overwrite)

    def to_lab(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write an HTK label file; see `align.formats.write_lab`."""
        from align.formats import write_lab

        write_lab(path, self, overwrite=overwrite)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        reference: Any = None,
        sound: str = "ogg",
        overwrite: bool = False,
    ) -> Any:
        """Write a page on which the alignment is heard, seen and corrected.

        Parameters
        ----------
        path : path
            The page, ``.html``.
        reference : Alignment, optional
            True onsets, shown beside.
        sound : {"ogg", "flac", "wav"}
            How the recording is kept.
        overwrite : bool
            Replace a file that exists.

        Returns
        -------
        align.show.page.PageSummary

        Raises
        ------
        DataError
            If the recording is not known or cannot be read; see `align.show.page.write_page`.
        """
        from align.show.page import write_page

        return write_page(self, path, references=[reference], sound=sound, overwrite=overwrite)

    def plot(self, ax: Any = None, *, reference: Any = None) -> Any:
        """Draw the alignment over the recording's waveform and spectrogram.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.
        reference : Alignment, optional
            A second alignment to draw for comparison.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from align.show.plot import plot_alignment

        return plot_alignment(self, ax=ax, reference=reference)


def _vector(values: npt.ArrayLike, k: int, name: str) -> npt.NDArray[np.float64]:
    vector = np.array(values, dtype=np.float64)
    if vector.shape != (k,):
        raise ParameterError(f"{name}.shape={vector.shape}, must be (K,)=({k},).")
    vector.setflags(write=False)
    return vector
