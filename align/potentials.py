"""Potentials: the score of a timing as tables, and the path that a decoder returns.

*Potentials* are base functions (`align.terms`) weighted by ``w`` and folded together; a decoder
returns the onsets that maximise them. Frames and onsets are those of `align.types`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError, check_shape
from align.types import FloatArray, IntArray

_MOST_FRAMES = 2.0**53  # above it floats are no longer exact


class Path(NamedTuple):
    """What a decoder returns.

    Attributes
    ----------
    onsets : np.ndarray [shape=(K,), dtype=intp]
        Frame at which each event begins; increasing, or level where a length may be 0.
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
        Shortest and longest length of each event in frames, both included; by default 1 and L.
        An event of length 0 begins where the next one does; the last one has a frame at least,
        since it begins before T.
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

    Examples
    --------
    >>> from align.decoders import decode
    >>> onset = [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]]
    >>> decode(Potentials(onset, n_frames=4, min_length=[3, 1]))  # the first lasts three frames
    Path(onsets=array([0, 3]), score=2.0)
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

    if TYPE_CHECKING:  # more is taken than is held; without it a list is an error to type checkers

        def __init__(
            self,
            onset: npt.ArrayLike,
            n_frames: int,
            start: npt.ArrayLike | None = None,
            stop: npt.ArrayLike | None = None,
            duration: npt.ArrayLike | None = None,
            duration_row: npt.ArrayLike | None = None,
            min_length: npt.ArrayLike | None = None,
            max_length: npt.ArrayLike | None = None,
            ratio: npt.ArrayLike | None = None,
            general: tuple[tuple[float, GeneralPotential], ...] = (),
            constant: float = 0.0,
            labels: tuple[str, ...] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        self.onset = _scores(self.onset, "onset")
        if self.onset.ndim != 2:
            raise ParameterError(f"onset.shape={self.onset.shape}, must be (K, W).")
        k, width = self.onset.shape
        if not isinstance(self.n_frames, int | np.integer):
            raise ParameterError(f"n_frames={self.n_frames!r}, must be a whole number of frames.")
        if self.n_frames < 0:
            raise ParameterError(f"n_frames={self.n_frames}, must not be negative.")
        if len(self.labels) and len(self.labels) != k:
            raise ParameterError(f"labels has {len(self.labels)}, must have K={k}, or none.")
        self.start = _int_vector(self.start, k, 0, "start")
        stop = np.minimum(self.n_frames, self.start + width)
        self.stop = stop if self.stop is None else _int_vector(self.stop, k, 0, "stop")
        if (self.start < 0).any() or (self.stop > stop).any():
            raise ParameterError("windows must lie within the recording and the onset table.")
        if (np.diff(self.start) < 0).any() or (np.diff(self.stop) < 0).any():
            raise ParameterError("windows must not go backwards from one event to the next.")
        longest = self.n_frames
        if self.duration is not None:
            self.duration = _scores(self.duration, "duration")
            if self.duration.ndim != 2:
                raise ParameterError(f"duration.shape={self.duration.shape}, must be (R, L + 1).")
            longest = self.duration.shape[1] - 1
            self.duration_row = _int_vector(self.duration_row, k, 0, "duration_row")
            rows = self.duration.shape[0]
            if k and not (0 <= self.duration_row.min() <= self.duration_row.max() < rows):
                raise ParameterError(f"duration_row must lie in 0..{rows - 1}.")
        self.min_length = _int_vector(self.min_length, k, 1, "min_length")
        self.max_length = np.minimum(
            _int_vector(self.max_length, k, longest, "max_length"), longest
        )
        if (self.min_length < 0).any():
            raise ParameterError("min_length must not be negative.")
        if self.ratio is not None:
            self.ratio = _scores(self.ratio, "ratio")
            check_shape("ratio", self.ratio.shape, "(K, 3)", (k, 3))
            if k and self.ratio[0].any():
                raise ParameterError("ratio[0] must be zero: the first event has no predecessor.")

    @property
    def n_events(self) -> int:
        """K, the number of events."""
        return int(self.onset.shape[0])

    def label(self, k: int) -> str:
        """Return event `k` for a message, as ``event 3 ('ae')``; events count from 1."""
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
        k = self.n_events
        y = _int_vector(onsets, k, 0, "onsets")
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
        # Sums in float64: of float32 tables they would lose a frame's worth over many events.
        total = self.constant + float(
            self.onset[np.arange(k), y - self.start].sum(dtype=np.float64)
        )
        if self.duration is not None:
            total += float(self.duration[self.duration_row, lengths].sum(dtype=np.float64))
        if self.ratio is not None:
            d = lengths.astype(np.float64)
            before = np.concatenate(([0.0], d[:-1]))
            terms = self.ratio * np.stack([d * d, before * before, before * d], 1)
            total += float(terms.sum(dtype=np.float64))
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
        cost = _scores(cost, "cost")
        check_shape("cost", cost.shape, "(K, T)", (self.n_events, self.n_frames))
        onset = self.onset.copy()
        width = onset.shape[1]
        for k, first in enumerate(self.start):
            n = min(width, self.n_frames - int(first))
            onset[k, :n] += cost[k, first : first + n]
        return replace(self, onset=onset)


def _int_vector(values: npt.ArrayLike | None, k: int, default: int, name: str) -> IntArray:
    if values is None:
        return np.full(k, default, dtype=np.intp)
    vector = np.asarray(values)
    check_shape(name, vector.shape, "(K,)", (k,))
    if vector.dtype.kind not in "iu" and k:
        numbers = vector
        if vector.dtype.kind in "bO":  # as tables of nullable integers give them
            try:
                numbers = vector.astype(np.float64)
            except (TypeError, ValueError):  # objects that are no numbers
                pass
        whole = numbers.dtype.kind == "f" and (numbers == np.rint(numbers)).all()
        if not whole or (np.abs(numbers) > _MOST_FRAMES).any():
            raise ParameterError(f"{name}={vector.tolist()[:5]}, must hold whole frames.")
        vector = numbers
    return np.ascontiguousarray(vector, dtype=np.intp)  # kernels are compiled for that


def _scores(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return a table of floats as it is, one of other numbers or a list as float64."""
    if np.ma.is_masked(values):
        raise ParameterError(f"{name} has masked entries; fill them, such as with -inf.")
    table = np.asarray(values)
    if table.dtype.kind == "f":
        return table
    if table.dtype.kind in "biuO":
        try:
            return table.astype(np.float64)
        except (TypeError, ValueError):  # objects that are no numbers
            pass
    raise ParameterError(f"{name} is an array of {table.dtype}, must hold real numbers.")
