"""Base functions of one recording: terms, by what they depend on, and all of them together.

A *base function* is ``phi_j(x, e, y) = sum_k psi_j(x, e, y_{k-1}, y_k, y_{k+1})``. What psi_j
depends on decides how it is stored (a *term*) and how it is decoded. Weighted and folded together,
the terms become `align.potentials.Potentials`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 9.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError, check_shape
from align.potentials import GeneralPotential, Potentials
from align.types import BoolArray, Float64, FloatArray, IntArray

__all__ = [
    "BaseFunctions",
    "DurationTerm",
    "GeneralTerm",
    "OnsetTerm",
    "RatioTerm",
    "SegmentTerm",
    "Term",
]


_AT_ONCE = 1024  # rows of a table; a copy of all would be as large as the table


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

    Examples
    --------
    >>> term = OnsetTerm([[0.0, 2.0, 5.0]], rows=[0, 0])  # two events of one symbol, three frames
    >>> term.value(np.array([0, 2]), n_frames=3)
    5.0
    """

    table: FloatArray
    rows: IntArray

    def __post_init__(self) -> None:
        _as_arrays(self, "table", "rows")

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
    best : np.ndarray [shape=(T + 1,)], optional
        As `prefix`, for the best sequence of any symbols: what a match compares with. It has no
        part in decoding.

    Notes
    -----
    The sums fold into onset tables: event k starts where event k-1 ends, so its onset ``t`` gains
    ``prefix[row_{k-1}, t] - prefix[row_k, t]``.

    Examples
    --------
    >>> scores = [[1.0, 1.0, 0.0], [0.0, 0.0, 4.0]]  # of two symbols
    >>> term = SegmentTerm.from_frames(scores, rows=[0, 1])
    >>> term.value(np.array([0, 2]), n_frames=3)  # 1 + 1, and 4
    6.0
    """

    prefix: FloatArray
    rows: IntArray
    best: FloatArray | None = None

    def __post_init__(self) -> None:
        _as_arrays(self, "prefix", "rows")

    @classmethod
    def from_frames(
        cls, scores: FloatArray, rows: IntArray, best: FloatArray | None = None
    ) -> "SegmentTerm":
        """Return the term from frame scores [shape=(S, T)], accumulated in float64.

        `best` are the scores of the frames along the best sequence of any symbols [shape=(T,)].
        """
        scores = _unmasked(scores, "scores")
        if scores.ndim != 2:
            raise ParameterError(f"scores.shape={scores.shape}, must be (S, T).")
        prefix = np.zeros((scores.shape[0], scores.shape[1] + 1))
        np.cumsum(scores, axis=1, dtype=np.float64, out=prefix[:, 1:])
        return cls(prefix, rows, None if best is None else np.append(0.0, np.cumsum(best)))

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


def _as_arrays(term: Any, *names: str) -> None:
    """Make arrays of what may be lists; of a list without rows one of whole numbers."""
    for name in names:
        array = _unmasked(getattr(term, name), name)
        if name == "rows" and not array.size:
            array = array.astype(np.intp)
        object.__setattr__(term, name, array)


def _unmasked(values: Any, name: str) -> npt.NDArray[Any]:
    """Return an array; ParameterError for masked entries, whose values numpy would go on with."""
    if np.ma.is_masked(values):
        raise ParameterError(f"{name} has masked entries; fill them.")
    return np.asarray(values)


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

    Examples
    --------
    >>> term = DurationTerm([[0.0, -1.0, 3.0]], rows=[0, -1])  # of the first event
    >>> term.value(np.array([0, 2]), n_frames=3)
    3.0
    """

    table: FloatArray
    rows: IntArray

    def __post_init__(self) -> None:
        _as_arrays(self, "table", "rows")

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
        width = potentials.duration.shape[1]
        on = np.flatnonzero(mine >= 0)
        for start in range(0, on.size, _AT_ONCE):
            some = on[start : start + _AT_ONCE]
            potentials.duration[rows[some]] += weight * self.table[mine[some], :width]


@dataclass(frozen=True)
class RatioTerm:
    """psi is the squared change of relative length, ``(d_k / m_k - d_{k-1} / m_{k-1})**2``.

    Parameters
    ----------
    scale : np.ndarray [shape=(K,)]
        m_k in frames, positive wherever the gate is open.
    gate : np.ndarray [shape=(K,), dtype=bool]
        Where psi counts; never at the first event.

    Examples
    --------
    >>> term = RatioTerm([1.0, 2.0], gate=[False, True])
    >>> term.value(np.array([0, 2]), n_frames=6)  # lengths of 2 and 4 frames: (4 / 2 - 2 / 1) ** 2
    0.0
    """

    scale: FloatArray
    gate: BoolArray

    def __post_init__(self) -> None:
        _as_arrays(self, "scale", "gate")

    def coefficients(self) -> Float64:
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

    Examples
    --------
    >>> import numba
    >>> @numba.njit
    ... def late(k, t_before, t_onset, t_after):
    ...     return float(t_onset)
    >>> GeneralTerm(late).value(np.array([1, 4]), n_frames=6)
    5.0
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
        Shortest length of each event in frames, which may be 0; by default 1.
    windows : np.ndarray [shape=(K, 2)], optional
        First frame of each onset's window, and one past its last.
    labels : sequence of str, length K, optional
        What messages call the events.

    Raises
    ------
    ParameterError
        Where a term does not suit K events in T frames, or is not finite; names it.

    Examples
    --------
    >>> from align.decoders import decode
    >>> rise = OnsetTerm([[0.0, 3.0, 0.0, 2.0, 0.0]], rows=[0, 0])
    >>> length = DurationTerm([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], rows=[0, 0])
    >>> functions = BaseFunctions([rise, length], ["rise", "length"], n_events=2, n_frames=5)
    >>> found = decode(functions.potentials([1.0, 0.5]))
    >>> found.onsets.tolist(), functions.phi(found.onsets).tolist()
    ([1, 3], [5.0, 2.0])
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
        if self.windows is not None:
            windows = np.asarray(self.windows)
            check_shape("windows", windows.shape, "(K, 2)", (self.n_events, 2))
            object.__setattr__(self, "windows", windows)

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

    def phi(self, onsets: IntArray) -> Float64:
        """Evaluate every base function at onsets in frames; [shape=(J,)]."""
        onsets = np.asarray(onsets)
        check_shape("onsets", onsets.shape, "(K,)", (self.n_events,))
        if onsets.dtype.kind not in "iu" and onsets.size:
            if onsets.dtype.kind != "f" or not (onsets == np.rint(onsets)).all():
                raise ParameterError(f"onsets={onsets.tolist()[:5]}, must hold whole frames.")
        if onsets.size and not 0 <= onsets.min() <= onsets.max() < self.n_frames:
            raise ParameterError(
                f"onsets lie in {onsets.min()}..{onsets.max()}, must lie in the recording, "
                f"0..{self.n_frames - 1}."
            )
        frames = onsets.astype(np.intp, copy=False)
        if (back := np.flatnonzero(frames[1:] < frames[:-1])).size:
            k = int(back[0])
            raise ParameterError(
                f"onsets[{k}]={frames[k]} and onsets[{k + 1}]={frames[k + 1]} go backwards, must "
                "be in order."
            )
        return np.array([term.value(frames, self.n_frames) for term in self.terms], dtype=float)

    def potentials(self, weights: FloatArray) -> Potentials:
        """Fold the base functions, weighted by `weights` [shape=(J,)], into potentials."""
        if np.shape(weights) != (len(self.terms),):
            raise ParameterError(
                f"weights.shape={np.shape(weights)}, must be (J,)=({len(self.terms)},): one for "
                "each base function."
            )
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
            start=start,
            stop=stop,
            duration=duration,
            duration_row=duration_row,
            min_length=self.min_length,
            max_length=self.max_length,
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
            check_shape(f"base function {name!r}: {what}", shape, "(K,)", (n_events,))
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
    elif isinstance(term, GeneralTerm) or hasattr(term, "fold"):
        return
    else:
        raise ParameterError(
            f"base function {name!r} is of type {type(term).__name__}, must be a term of "
            "align.terms, such as OnsetTerm."
        )
    if not fits:
        raise ParameterError(
            f"base function {name!r}: {what}.shape={table.shape}, must be (S, {width}."
        )
    rows, inside = term.rows, term.rows.dtype.kind in "iu"
    if inside and rows.size:
        inside = -1 <= rows.min() <= rows.max() < len(table)
    if rows.shape != (n_events,) or not inside:
        raise ParameterError(
            f"base function {name!r}: rows must hold, for each of the {n_events} events, -1 or a "
            f"row of {what}, which has {len(table)}."
        )
    if table.dtype.kind not in "biuf":
        raise ParameterError(
            f"base function {name!r}: {what} is an array of {table.dtype}, must hold real numbers."
        )
    if not np.isfinite(table).all():
        raise ParameterError(f"base function {name!r} is not finite.")
