"""The types every part of Align shares: events, base functions, potentials.

Conventions, used everywhere:

* A recording is cut into ``T`` frames of ``hop`` seconds; frame ``t`` covers the time
  ``[t * hop, (t + 1) * hop)``. An *onset* ``y`` in ``0 .. T-1`` is the time ``y * hop``, the
  boundary between frames ``y - 1`` and ``y``.
* ``K`` events begin at onsets ``y_0 < y_1 < ... < y_{K-1}``; event ``k`` occupies the frames
  ``y_k .. y_{k+1} - 1`` and lasts ``d_k = y_{k+1} - y_k`` frames, with the end sentinel
  ``y_K = T``. (The thesis counts from 1, with ``y_{K+1} = T + 1``.)
* A *base function* is ``phi_j(x, e, y) = sum_k psi_j(x, e, y_{k-1}, y_k, y_{k+1})``. What psi_j
  depends on decides how it is stored (a *term*) and how it is decoded.
* *Potentials* are the base functions weighted by ``w`` and folded together; a decoder returns
  the onsets that maximise them.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 9.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError

__all__ = [
    "BaseFunctions",
    "DurationTerm",
    "Event",
    "Example",
    "FloatArray",
    "GeneralPotential",
    "GeneralTerm",
    "IntArray",
    "Note",
    "OnsetTerm",
    "Path",
    "Potentials",
    "RatioTerm",
    "SegmentTerm",
    "Term",
]

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
IntArray: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Note:
    """A note of a score.

    Parameters
    ----------
    pitch : int
        MIDI number, 69 is A4.
    onset : float
        Time in the score, in seconds.
    """

    pitch: int
    onset: float

    def __str__(self) -> str:
        return str(self.pitch)


Event: TypeAlias = str | Note
"""What occurs: a symbol (a phone) or a `Note`."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A recording, the events in it and, for training, when each begins.

    Parameters
    ----------
    audio : path or np.ndarray [shape=(n,)]
        The recording: a file, or samples at `rate`.
    events : sequence of Event, length K
        What occurs, in order.
    onsets : np.ndarray [shape=(K,)], optional
        True start of each event, in seconds; NaN for a note of the score that was not played,
        which aligners of other things than music refuse.
    end : float, optional
        End of the last event in seconds; None where it is the end of the recording.
    group : str, optional
        Who speaks or plays. Parts that are cross-fitted never see the group they score.
    name : str, optional
        How messages call this example; by default the path of the audio.
    rate : int, optional
        Sampling rate of `audio` in Hz, needed where `audio` is an array.
    score : align.scores.Score, optional
        Of music: the score the events are the notes of, with their durations, names and file.
    truth : align.scores.NoteTruth, optional
        Of music: the rows `onsets` were made from; a note may have several.

    Raises
    ------
    ParameterError
        If there is not one onset, or one note of the score, for each event.
    """

    audio: str | os.PathLike[str] | npt.NDArray[Any]
    events: tuple[Event, ...]
    onsets: npt.NDArray[np.float64] | None = None
    end: float | None = None
    group: str | None = None
    name: str = ""
    rate: int | None = None
    score: Any = None
    truth: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.events, str):
            raise ParameterError(f"events={self.events!r}, must be a sequence; split the text.")
        object.__setattr__(self, "events", tuple(self.events))
        if self.onsets is not None:
            onsets = np.asarray(self.onsets, dtype=np.float64)
            object.__setattr__(self, "onsets", onsets)
            if onsets.shape != (len(self.events),):
                raise ParameterError(
                    f"onsets.shape={onsets.shape}, must be (K,)=({len(self.events)},): "
                    "one onset for each event."
                )
        if self.score is not None and len(self.score) != len(self.events):
            raise ParameterError(
                f"score has {len(self.score)} notes, must have as many as there are events "
                f"({len(self.events)})."
            )
        if not self.name and not isinstance(self.audio, np.ndarray):
            object.__setattr__(self, "name", os.fspath(self.audio))


class Path(NamedTuple):
    """What a decoder returns.

    Attributes
    ----------
    onsets : np.ndarray [shape=(K,), dtype=intp]
        Frame at which each event begins, increasing.
    score : float
        Value of the potentials at `onsets`.
    """

    onsets: IntArray
    score: float


GeneralPotential: TypeAlias = Callable[[int, int, int, int], float]
"""A numba-compiled ``psi(k, t_before, t_onset, t_after)``; ``t_before`` is -1 for event 0."""


@dataclass
class Potentials:
    """The score of a timing, as tables that a decoder can search.

    The score of onsets ``y`` is ``constant + sum_k onset[k, y_k - start[k]] +
    duration[duration_row[k], d_k] + ratio[k, 0] d_k**2 + ratio[k, 1] d_{k-1}**2 + ratio[k, 2]
    d_{k-1} d_k + sum_g weight_g psi_g(k, y_{k-1}, y_k, y_{k+1})``.

    Parameters
    ----------
    onset : np.ndarray [shape=(K, W), dtype=float32 or float64]
        Score of event k at each frame of its window. -inf forbids a frame.
    n_frames : int
        T, which is also the end sentinel.
    start : np.ndarray [shape=(K,)], optional
        First frame of each event's window; by default 0. Never decreasing.
    stop : np.ndarray [shape=(K,)], optional
        One past the last frame of each window, at most ``start + W``; by default
        ``min(T, start + W)``. Never decreasing.
    duration : np.ndarray [shape=(R, L + 1)], optional
        Score of each length 0..L in frames; by default nothing is scored and L is T.
    duration_row : np.ndarray [shape=(K,)], optional
        Row of `duration` for each event.
    min_length, max_length : np.ndarray [shape=(K,)], optional
        Shortest (at least 1) and longest length of each event in frames, both included; by
        default 1 and L.
    ratio : np.ndarray [shape=(K, 3)], optional
        Coefficients of ``d_k**2``, ``d_{k-1}**2`` and ``d_{k-1} d_k``. Row 0 is zero: event 0
        has no predecessor.
    general : sequence of (float, GeneralPotential)
        Weighted functions of three successive onsets, at a cubic price.
    constant : float
        Added to every score.

    Notes
    -----
    Lead-in: event 0 may begin anywhere in its window; frames before it belong to no event.
    """

    onset: FloatArray
    n_frames: int
    start: IntArray = None  # type: ignore[assignment]  # filled in __post_init__
    stop: IntArray = None  # type: ignore[assignment]
    duration: FloatArray | None = None
    duration_row: IntArray | None = None
    min_length: IntArray = None  # type: ignore[assignment]
    max_length: IntArray = None  # type: ignore[assignment]
    ratio: FloatArray | None = None
    general: tuple[tuple[float, GeneralPotential], ...] = ()
    constant: float = 0.0
    labels: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.onset.ndim != 2:
            raise ParameterError(f"onset.shape={self.onset.shape}, must be (K, W).")
        k, width = self.onset.shape
        if self.n_frames < 0:
            raise ParameterError(f"n_frames={self.n_frames}, must not be negative.")
        self.start = _int_vector(self.start, k, 0, "start")
        stop = np.minimum(self.n_frames, self.start + width)
        self.stop = stop if self.stop is None else _int_vector(self.stop, k, 0, "stop")
        if (self.start < 0).any() or (self.stop > stop).any():
            raise ParameterError("windows must lie within the recording and the onset table.")
        if (np.diff(self.start) < 0).any() or (np.diff(self.stop) < 0).any():
            raise ParameterError("windows must not go backwards from one event to the next.")
        longest = self.n_frames if self.duration is None else self.duration.shape[1] - 1
        if self.duration is not None:
            self.duration_row = _int_vector(self.duration_row, k, 0, "duration_row")
            rows = self.duration.shape[0]
            if k and not (0 <= self.duration_row.min() <= self.duration_row.max() < rows):
                raise ParameterError(f"duration_row must lie in 0..{rows - 1}.")
        self.min_length = _int_vector(self.min_length, k, 1, "min_length")
        self.max_length = np.minimum(
            _int_vector(self.max_length, k, longest, "max_length"), longest
        )
        if (self.min_length < 1).any():
            raise ParameterError("min_length must be at least 1 frame.")
        if self.ratio is not None:
            if self.ratio.shape != (k, 3):
                raise ParameterError(f"ratio.shape={self.ratio.shape}, must be (K, 3)=({k}, 3).")
            if k and self.ratio[0].any():
                raise ParameterError("ratio[0] must be zero: the first event has no predecessor.")

    @property
    def n_events(self) -> int:
        """K, the number of events."""
        return int(self.onset.shape[0])

    def label(self, k: int) -> str:
        """Name event `k` for a message, as ``event 3 ('ae')``; events count from 1."""
        return f"event {k + 1} ({self.labels[k]!r})" if self.labels else f"event {k + 1}"

    def score(self, onsets: npt.ArrayLike) -> float:
        """Score given onsets; -inf where they break a window or a length.

        Parameters
        ----------
        onsets : array_like [shape=(K,)]
            Frame of each onset.

        Returns
        -------
        float

        Examples
        --------
        >>> Potentials(np.array([[0.0, 1.0, 2.0], [0.0, 5.0, 3.0]]), n_frames=3).score([0, 1])
        5.0
        """
        y = np.asarray(onsets, dtype=np.intp)
        k = self.n_events
        if y.shape != (k,):
            raise ParameterError(f"onsets.shape={y.shape}, must be ({k},).")
        if k == 0:
            return self.constant
        lengths = np.diff(y, append=self.n_frames)
        if (
            (y < self.start).any()
            or (y >= self.stop).any()
            or (lengths < self.min_length).any()
            or (lengths > self.max_length).any()
        ):
            return -np.inf
        total = self.constant + float(self.onset[np.arange(k), y - self.start].sum())
        if self.duration is not None:
            total += float(self.duration[self.duration_row, lengths].sum())
        if self.ratio is not None:
            d = lengths.astype(np.float64)
            before = np.concatenate(([0.0], d[:-1]))
            total += float((self.ratio * np.stack([d * d, before * before, before * d], 1)).sum())
        ends = np.append(y, self.n_frames)
        for weight, function in self.general:
            for i in range(k):
                before_i = int(y[i - 1]) if i else -1
                total += weight * function(i, before_i, int(y[i]), int(ends[i + 1]))
        return total

    def add_onset_cost(self, cost: FloatArray) -> "Potentials":
        """Return a copy whose onset scores are raised by `cost`, for loss-augmented decoding.

        Parameters
        ----------
        cost : np.ndarray [shape=(K, T)]
            Cost of placing event k at frame t.
        """
        if cost.shape != (self.n_events, self.n_frames):
            raise ParameterError(
                f"cost.shape={cost.shape}, must be (K, T)=({self.n_events}, {self.n_frames})."
            )
        onset = self.onset.copy()
        width = onset.shape[1]
        for k, first in enumerate(self.start):
            n = min(width, self.n_frames - int(first))
            onset[k, :n] += cost[k, first : first + n]
        return replace(self, onset=onset)


def _int_vector(values: npt.ArrayLike | None, k: int, default: int, name: str) -> IntArray:
    if values is None:
        return np.full(k, default, dtype=np.intp)
    vector = np.asarray(values, dtype=np.intp)
    if vector.shape != (k,):
        raise ParameterError(f"{name}.shape={vector.shape}, must be (K,)=({k},).")
    return np.ascontiguousarray(vector)  # kernels are compiled for that


class Term(Protocol):
    """One base function of one recording and its events."""

    def value(self, onsets: IntArray, n_frames: int) -> float:
        """Sum of psi over the events, for onsets in frames."""
        ...

    def fold(self, potentials: Potentials, weight: float) -> None:
        """Add `weight` times this base function to `potentials`, in place."""
        ...


@dataclass(frozen=True)
class OnsetTerm:
    """psi depends on the onset of the event alone.

    Parameters
    ----------
    table : np.ndarray [shape=(S, T)]
        Score of each symbol at each frame.
    rows : np.ndarray [shape=(K,), dtype=intp]
        Row of each event; -1 for an event this base function says nothing about.
    """

    table: FloatArray
    rows: IntArray

    def value(self, onsets: IntArray, n_frames: int) -> float:
        """Sum of psi over the events, for onsets in frames."""
        on = self.rows >= 0
        return float(self.table[self.rows[on], onsets[on]].sum(dtype=np.float64))

    def fold(self, potentials: Potentials, weight: float) -> None:
        """Add `weight` times this base function to `potentials`, in place."""
        _fold_rows(potentials, self.table, self.rows, weight, shift=0)


@dataclass(frozen=True)
class SegmentTerm:
    """psi is a sum over the frames of the event.

    Parameters
    ----------
    prefix : np.ndarray [shape=(S, T + 1)]
        ``prefix[s, t]`` is the sum of the score of symbol s over frames ``0 .. t-1``.
    rows : np.ndarray [shape=(K,), dtype=intp]
        Row of each event; -1 for an event this base function says nothing about.

    Notes
    -----
    The sums fold into onset tables: event k starts where event k-1 ends, so its onset ``t`` gains
    ``prefix[row_{k-1}, t] - prefix[row_k, t]``.
    """

    prefix: FloatArray
    rows: IntArray

    @classmethod
    def from_frames(cls, scores: FloatArray, rows: IntArray) -> "SegmentTerm":
        """Build the term from frame scores [shape=(S, T)], accumulated in float64."""
        prefix = np.zeros((scores.shape[0], scores.shape[1] + 1))
        np.cumsum(scores, axis=1, dtype=np.float64, out=prefix[:, 1:])
        return cls(prefix, rows)

    def value(self, onsets: IntArray, n_frames: int) -> float:
        """Sum of psi over the events, for onsets in frames."""
        ends = np.append(onsets[1:], n_frames)
        on = self.rows >= 0
        rows = self.rows[on]
        return float((self.prefix[rows, ends[on]] - self.prefix[rows, onsets[on]]).sum())

    def fold(self, potentials: Potentials, weight: float) -> None:
        """Add `weight` times this base function to `potentials`, in place."""
        _fold_rows(potentials, self.prefix, self.rows, -weight, shift=0)
        _fold_rows(potentials, self.prefix, self.rows, weight, shift=1)
        if self.rows.size and self.rows[-1] >= 0:
            potentials.constant += weight * float(self.prefix[self.rows[-1], potentials.n_frames])


def _fold_rows(
    potentials: Potentials, table: FloatArray, rows: IntArray, weight: float, shift: int
) -> None:
    """Add ``weight * table[rows[k]]`` to the onset scores of event ``k + shift``."""
    onset, start = potentials.onset, potentials.start
    n_events, width = onset.shape
    whole = width == potentials.n_frames and not start.any()
    kept = rows[: n_events - shift]
    on = np.flatnonzero(kept >= 0)
    if whole:
        onset[on + shift] += weight * table[kept[on], :width]
        return
    for k in on:
        first = int(start[k + shift])
        n = min(width, potentials.n_frames - first)
        onset[k + shift, :n] += weight * table[kept[k], first : first + n]


@dataclass(frozen=True)
class DurationTerm:
    """psi depends on the length of the event alone.

    Parameters
    ----------
    table : np.ndarray [shape=(S, L + 1)]
        Score of each symbol at each length in frames, 0..L.
    rows : np.ndarray [shape=(K,), dtype=intp]
        Row of each event; -1 for an event this base function says nothing about.
    """

    table: FloatArray
    rows: IntArray

    def value(self, onsets: IntArray, n_frames: int) -> float:
        """Sum of psi over the events, for onsets in frames; lengths above L score as L."""
        lengths = np.minimum(np.diff(onsets, append=n_frames), self.table.shape[1] - 1)
        on = self.rows >= 0
        return float(self.table[self.rows[on], lengths[on]].sum(dtype=np.float64))

    def fold(self, potentials: Potentials, weight: float) -> None:
        """Add `weight` times this base function to `potentials`, in place.

        The rows of `potentials.duration` are the distinct combinations of rows of all duration
        terms, laid out by `BaseFunctions`.
        """
        assert potentials.duration is not None
        assert potentials.duration_row is not None
        rows, first = np.unique(potentials.duration_row, return_index=True)
        mine = self.rows[first]  # events that share a combined row share this term's row
        on = mine >= 0
        width = potentials.duration.shape[1]
        potentials.duration[rows[on]] += weight * self.table[mine[on], :width]


@dataclass(frozen=True)
class RatioTerm:
    """psi is the squared change of relative length, ``(d_k / m_k - d_{k-1} / m_{k-1})**2``.

    Parameters
    ----------
    scale : np.ndarray [shape=(K,)]
        m_k in frames, positive wherever the gate is open.
    gate : np.ndarray [shape=(K,), dtype=bool]
        Where psi counts; never at the first event.
    """

    scale: FloatArray
    gate: npt.NDArray[np.bool_]

    def coefficients(self) -> npt.NDArray[np.float64]:
        """Return the coefficients of d_k**2, d_{k-1}**2 and d_{k-1} d_k [shape=(K, 3)]."""
        k = self.scale.size
        out = np.zeros((k, 3))
        on = np.flatnonzero(self.gate)
        on = on[on > 0]
        here, before = 1.0 / self.scale[on], 1.0 / self.scale[on - 1]
        out[on, 0] = here**2
        out[on, 1] = before**2
        out[on, 2] = -2.0 * here * before
        return out

    def value(self, onsets: IntArray, n_frames: int) -> float:
        """Sum of psi over the events, for onsets in frames."""
        on = np.flatnonzero(self.gate)
        on = on[on > 0]
        lengths = np.diff(onsets, append=n_frames)
        change = lengths[on] / self.scale[on] - lengths[on - 1] / self.scale[on - 1]
        return float((change**2).sum())

    def fold(self, potentials: Potentials, weight: float) -> None:
        """Add `weight` times this base function to `potentials`, in place."""
        if weight == 0.0:
            return  # leaves the potentials first order, which is much cheaper to decode
        if potentials.ratio is None:
            potentials.ratio = np.zeros((self.scale.size, 3))
        potentials.ratio += weight * self.coefficients()


@dataclass(frozen=True)
class GeneralTerm:
    """psi is any function of three successive onsets.

    Parameters
    ----------
    function : GeneralPotential
        ``psi(k, t_before, t_onset, t_after)``, compiled by ``numba.njit``.
    """

    function: GeneralPotential

    def value(self, onsets: IntArray, n_frames: int) -> float:
        """Sum of psi over the events, for onsets in frames."""
        y = [-1, *(int(t) for t in onsets), n_frames]
        return float(sum(self.function(k, y[k], y[k + 1], y[k + 2]) for k in range(len(onsets))))

    def fold(self, potentials: Potentials, weight: float) -> None:
        """Add `weight` times this base function to `potentials`, in place."""
        if weight != 0.0:
            potentials.general = (*potentials.general, (weight, self.function))


@dataclass(frozen=True)
class BaseFunctions:
    """All base functions of one recording and its events: phi(x, e, .).

    Parameters
    ----------
    terms : sequence of Term, length J
        The base functions.
    names : sequence of str, length J
        Their names, for reports and model files.
    n_events : int
        K.
    n_frames : int
        T.
    max_length : np.ndarray [shape=(K,)], optional
        Longest length of each event in frames.
    min_length : np.ndarray [shape=(K,)], optional
        Shortest length of each event in frames; by default 1.
    windows : np.ndarray [shape=(K, 2)], optional
        First frame of each onset's window, and one past its last.
    labels : sequence of str, length K, optional
        What messages call the events.

    Raises
    ------
    ParameterError
        Where a term does not suit K events in T frames, or is not finite; names it.
    """

    terms: Sequence[Term]
    names: Sequence[str]
    n_events: int
    n_frames: int
    max_length: IntArray | None = None
    min_length: IntArray | None = None
    windows: IntArray | None = None
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.terms) != len(self.names):
            raise ParameterError(f"{len(self.terms)} terms but {len(self.names)} names.")
        for term, name in zip(self.terms, self.names, strict=True):
            _check_term(term, name, self.n_events, self.n_frames)

    @cached_property
    def _duration_layout(self) -> tuple[int, int, IntArray] | None:
        """Rows, columns and row of each event of the folded duration table.

        Duration terms fold into one row for each distinct combination of their rows.
        """
        durations = [term for term in self.terms if isinstance(term, DurationTerm)]
        if not durations:
            return None
        rows = np.stack([term.rows for term in durations], axis=1)
        distinct, row = np.unique(rows, axis=0, return_inverse=True)
        width = min(term.table.shape[1] for term in durations)
        return len(distinct), width, row.reshape(-1).astype(np.intp)

    def phi(self, onsets: IntArray) -> npt.NDArray[np.float64]:
        """Evaluate every base function at onsets in frames; [shape=(J,)]."""
        return np.array([term.value(onsets, self.n_frames) for term in self.terms], dtype=float)

    def potentials(self, weights: FloatArray) -> Potentials:
        """Fold the base functions, weighted by `weights` [shape=(J,)], into potentials."""
        if len(weights) != len(self.terms):
            raise ParameterError(f"{len(weights)} weights for {len(self.terms)} base functions.")
        start = stop = None
        width = self.n_frames
        if self.windows is not None:
            start, stop = self.windows[:, 0], self.windows[:, 1]
            width = int((stop - start).max()) if self.n_events else 0
        duration = duration_row = None
        if self._duration_layout is not None:
            n_rows, n_lengths, duration_row = self._duration_layout
            duration = np.zeros((n_rows, n_lengths))
        potentials = Potentials(
            np.zeros((self.n_events, width)),
            self.n_frames,
            start=start,  # type: ignore[arg-type]
            stop=stop,  # type: ignore[arg-type]
            duration=duration,
            duration_row=duration_row,
            min_length=self.min_length,  # type: ignore[arg-type]
            max_length=self.max_length,  # type: ignore[arg-type]
            labels=self.labels,
        )
        with np.errstate(over="ignore", invalid="ignore"):  # decoders name what is not finite
            for term, weight in zip(self.terms, weights, strict=True):
                term.fold(potentials, float(weight))
        return potentials


def _check_term(term: Term, name: str, n_events: int, n_frames: int) -> None:
    """Raise ParameterError where a term does not suit the recording, or is not finite."""
    if isinstance(term, RatioTerm):
        for what, shape in (("scale", term.scale.shape), ("gate", term.gate.shape)):
            if shape != (n_events,):
                raise ParameterError(
                    f"base function {name!r}: {what}.shape={shape}, must be (K,)=({n_events},)."
                )
        on = np.flatnonzero(term.gate)
        used = term.scale[np.concatenate((on, on[on > 0] - 1))]
        if not (np.isfinite(used) & (used > 0)).all():
            raise ParameterError(
                f"base function {name!r}: scale must be positive and finite at every event whose "
                "gate is open, and at the one before."
            )
        return
    if isinstance(term, SegmentTerm):
        what, table, width = "prefix", term.prefix, f"T + 1)=(S, {n_frames + 1})"
        fits = table.ndim == 2 and table.shape[1] == n_frames + 1
    elif isinstance(term, OnsetTerm):
        what, table, width = "table", term.table, f"T)=(S, {n_frames})"
        fits = table.ndim == 2 and table.shape[1] == n_frames
    elif isinstance(term, DurationTerm):
        what, table, width = "table", term.table, "L + 1), L > 0"
        fits = table.ndim == 2 and table.shape[1] > 1
    else:
        return
    if not fits:
        raise ParameterError(
            f"base function {name!r}: {what}.shape={table.shape}, must be (S, {width}."
        )
    if term.rows.shape != (n_events,) or term.rows.max(initial=-1) >= len(table):
        raise ParameterError(
            f"base function {name!r}: rows must hold, for each of the {n_events} events, -1 or a "
            f"row of {what}, which has {len(table)}."
        )
    if not np.isfinite(table).all():
        raise ParameterError(f"base function {name!r} is not finite.")
