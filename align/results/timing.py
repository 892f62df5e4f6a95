"""When each event happens: what all results have in common.

A `Timing` says which events there are, when each begins and how sure that is. Plots, pages, tables
and reports read it and need not know which result they are given: `Alignment` has labels that
follow each other, `MusicAlignment` notes that overlap.
"""

import html
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError, check_shape
from align.files.names import StrPath
from align.types import BoolArray, Event, Float64, IntArray

_SHOWN = 200  # rows of a table in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Timing(ABC):
    """Events of a recording and when each begins.

    Parameters
    ----------
    events : sequence of Event, length K
        What occurs, in order: phones or notes.
    onsets : array_like [shape=(K,)]
        Start of each event in seconds.
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
    match : float, optional
        How well the events and the recording fit, in [0, 1].
    warnings : sequence of str
        What the user should know, one sentence each.

    Raises
    ------
    ParameterError
        If shapes disagree, or a time is not finite, out of order or outside the recording.

    Notes
    -----
    Immutable: the arrays are read-only copies. Two results are equal where all they hold is.
    """

    kind: ClassVar[str]
    """``speech`` where events are labels, ``music`` where they are notes."""
    unit: ClassVar[str]
    """What a message calls one event."""
    holds: ClassVar[str]
    """What a message calls the events."""
    ends_measured: ClassVar[bool]
    """Whether the ends of events were found in the recording; those of notes are of the score."""

    events: Sequence[Event]
    onsets: Float64
    duration: float
    end: float = None  # type: ignore[assignment]  # filled in __post_init__
    confidence: Float64 | None = None
    score: float | None = None
    audio: str | None = None
    rate: int | None = None
    match: float | None = field(default=None, kw_only=True)
    warnings: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        events = tuple(self.events)
        duration = float(self.duration)
        end = duration if self.end is None else float(self.end)
        onsets = vector(self.onsets, len(events), "onsets")
        if not (np.isfinite(duration) and duration >= 0):
            raise ParameterError(f"duration={duration}, must be finite and not negative.")
        if not 0 <= end <= duration:
            raise ParameterError(f"end={end}, must lie in [0, duration]=[0, {duration}].")
        if not np.isfinite(onsets).all():
            raise ParameterError("onsets must be finite.")
        self._check_times(events, onsets, end, duration)
        confidence = probabilities(self.confidence, len(events), "confidence")
        score = None if self.score is None else float(self.score)
        if score is not None and not np.isfinite(score):
            raise ParameterError(f"score={score}, must be finite.")
        match = None if self.match is None else float(self.match)
        if match is not None and not 0 <= match <= 1:
            raise ParameterError(f"match={match}, must lie in [0, 1].")
        self._set(
            events=events,
            onsets=onsets,
            duration=duration,
            end=end,
            confidence=confidence,
            score=score,
            audio=None if self.audio is None else os.fspath(self.audio),
            rate=None if self.rate is None else int(self.rate),
            match=match,
            warnings=tuple(map(str, self.warnings)),
        )

    def _set(self, **values: Any) -> None:
        """Set fields while the instance is made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @staticmethod
    @abstractmethod
    def _check_times(
        events: tuple[Event, ...], onsets: Float64, end: float, duration: float
    ) -> None:
        """Raise ParameterError where onsets, in seconds, cannot be those of the events."""

    # What every result says --------------------------------------------------------------------

    @property
    def is_held(self) -> BoolArray:
        """Whether the recording holds each event [shape=(K,)]: here all."""
        return np.ones(len(self.events), dtype=np.bool_)

    def held(self) -> Self:
        """Return the events that the recording holds: here all."""
        return self

    @property
    def labels(self) -> tuple[str, ...]:
        """Label of each event, length K: of a note, the number of its pitch."""
        return tuple(str(event) for event in self.events)

    @property
    def names(self) -> tuple[str, ...]:
        """What a person calls each event, length K."""
        return self.labels

    @property
    @abstractmethod
    def intervals(self) -> Float64:
        """Start and end of each event in seconds [shape=(K, 2)]."""

    @property
    def markers(self) -> Float64:
        """Times in seconds at which something begins [shape=(G,)]: once for each chord."""
        return self.onsets

    @property
    def pitches(self) -> IntArray | None:
        """MIDI number of each event [shape=(K,)]; None where events have no pitch."""
        return None

    @property
    def chord_of(self) -> IntArray | None:
        """Chord of each event [shape=(K,)]; None where events are not grouped."""
        return None

    def __len__(self) -> int:
        return len(self.events)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(
            _same(getattr(self, each.name), getattr(other, each.name)) for each in fields(self)
        )

    # Files and pictures ------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        """Return a table for notebooks, with what the user should know above it."""
        out = [f"<p><b>{html.escape(text)}</b></p>" for text in self.warnings]
        if self.match is not None:
            out.append(f"<p>match {self.match:.2f}</p>")
        heads, rows = self._html_rows(min(len(self), _SHOWN))
        if self.confidence is not None:
            heads = [*heads, "confidence"]
            sure = self.confidence[: len(rows)].tolist()
            rows = [[*row, f"{value:.2f}"] for row, value in zip(rows, sure, strict=True)]
        out += ["<table><tr>", *(f"<th>{head}</th>" for head in heads), "</tr>"]
        for row in rows:
            out += ["<tr>", *(f"<td>{html.escape(cell)}</td>" for cell in row), "</tr>"]
        out.append("</table>")
        if len(self) > _SHOWN:
            what = "notes" if self.unit == "note" else "events"
            out.append(f"<p>... and {len(self) - _SHOWN} more {what}</p>")
        return "".join(out)

    @abstractmethod
    def _html_rows(self, n: int) -> tuple[list[str], list[list[str]]]:
        """Heads of the columns of a table, and the cells of the first `n` events."""

    def report(
        self, path: StrPath, *, reference: Any = None, sound: str = "ogg", overwrite: bool = False
    ) -> Any:
        """Write a page on which the alignment is heard, seen and corrected.

        Parameters
        ----------
        path : path
            The page, ``.html``.
        reference : Timing, optional
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

    def to_frame(self) -> Any:
        """Return a table of pandas, a row for each event.

        Returns
        -------
        pandas.DataFrame
            Columns ``start`` in seconds, ``end`` where it is measured, and ``label``, the name of
            the event; of notes also ``pitch`` (MIDI number), ``score_onset`` in seconds, ``id``
            and, where the score says its bars, ``bar`` and ``beat``; ``confidence`` where it is
            known, and ``onset_low`` and ``onset_high``, the 95 % interval. ``attrs`` holds
            ``audio`` and ``duration``.

        Raises
        ------
        ParameterError
            If pandas is not installed.
        """
        from align.results.frame import frame_of

        return frame_of(self)

    def plot(self, ax: Any = None, *, reference: Any = None) -> Any:
        """Draw the alignment over its recording.

        Labels stand below the waveform and the spectrogram; notes are a piano roll over the
        energies of the pitches, with the tempo curve below.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw, without waveform or tempo curve; by default a new figure.
        reference : Timing, optional
            The truth, drawn beside it.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from align.show.plot import plot_alignment

        return plot_alignment(self, ax=ax, reference=reference)


def vector(values: npt.ArrayLike, k: int, name: str) -> Float64:
    """Return a read-only copy of K numbers, or raise a ParameterError that names them."""
    copy = np.array(values, dtype=np.float64)
    check_shape(name, copy.shape, "(K,)", (k,))
    copy.setflags(write=False)
    return copy


def probabilities(values: npt.ArrayLike | None, k: int, name: str) -> Float64 | None:
    """Return a read-only copy of K probabilities, as `vector` does; None where there are none."""
    if values is None:
        return None
    checked = vector(values, k, name)
    if not ((checked >= 0) & (checked <= 1)).all():
        raise ParameterError(f"{name} must lie in [0, 1].")
    return checked


def _same(mine: Any, other: Any) -> bool:
    arrays = isinstance(mine, np.ndarray) and isinstance(other, np.ndarray)
    if isinstance(mine, np.ndarray) or isinstance(other, np.ndarray):
        return arrays and np.array_equal(mine, other)
    return bool(mine == other)
