"""Bars and beats of a score, as musicians count them.

The beat is the one that the time signature notates: a quarter in 3/4, an eighth in 6/8. Bars have
the numbers of the score, so that a bar that is repeated comes twice under one number; a MIDI file
has none, and its bars are counted from 1. A first bar that is shorter than its time signature says
is a pick-up, bar 0, and its beats are the last ones of a bar: 3 where it is one beat in 3/4.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import Float64, IntArray

_MOST = 1_000_000  # beats; a file that has more counts something else
_SAME = 1e-6  # of a beat: rounding


@dataclass(frozen=True, eq=False)
class Beats:
    """Where each beat of a score stands, in the order of playing.

    Parameters
    ----------
    times : np.ndarray [shape=(B,)]
        Score seconds, strictly increasing; B > 1. The last is where the last bar ends.
    bars : np.ndarray [shape=(B,), dtype=intp]
        Number of the bar of each beat.
    numbers : np.ndarray [shape=(B,)]
        Place in its bar, 1 for the first; the last is 1, the beat that would come next.
    units : np.ndarray [shape=(B,), dtype=intp], optional
        What part of a whole note each beat is: 4 for a quarter, which it is by default, 8 in 6/8.

    Raises
    ------
    ParameterError
        If shapes disagree or times do not increase.

    Examples
    --------
    >>> beats = beats_of_bars([(0.0, 1.5, 3, 1), (1.5, 3.0, 3, 2)])
    >>> beats.bars, beats.numbers
    (array([1, 1, 1, 2, 2, 2, 3]), array([1., 2., 3., 1., 2., 3., 1.]))
    >>> beats.at([0.25, 1.5])
    (array([1, 2]), array([1.5, 1. ]))
    """

    times: Float64
    bars: IntArray
    numbers: Float64
    units: IntArray = None  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        n = self.times.size
        if self.units is None:
            object.__setattr__(self, "units", np.full(n, 4))
        columns = (self.times, self.bars, self.numbers, self.units)
        if n < 2 or any(each.shape != (n,) for each in columns):
            raise ParameterError(
                "times, bars, numbers and units of beats must be of one length, over 1."
            )
        if not (np.diff(self.times) > 0).all() or not np.isfinite(self.times).all():
            raise ParameterError("times of beats must be finite and increase.")
        if (self.units < 1).any():
            raise ParameterError("units of beats must be 1 or more: 4 for a quarter.")

    def at(self, score_seconds: npt.ArrayLike) -> tuple[IntArray, Float64]:
        """Bar and beat, with its fraction, at times of the score.

        Parameters
        ----------
        score_seconds : array_like [shape=(N,)]
            Score seconds; before the first beat and after the last, counting goes on in the first
            and the last bar.

        Returns
        -------
        bars : np.ndarray [shape=(N,), dtype=intp]
            Number of the bar.
        beats : np.ndarray [shape=(N,)]
            Beat in the bar, 1.5 half way from the first beat to the second.
        """
        t = np.asarray(score_seconds, dtype=np.float64)
        lengths = np.append(np.diff(self.times), self.times[-1] - self.times[-2])
        # times of notes are rounded, and a note on a beat must not fall before it
        k = np.searchsorted(self.times, t + 1e-3 * lengths.min(), side="right") - 1
        k = np.clip(k, 0, self.times.size - 1)
        share = (t - self.times[k]) / lengths[k]
        share = np.where(np.abs(share) < 2e-3, 0.0, share)
        return self.bars[k], self.numbers[k] + share

    def per_minute(self, score_seconds: npt.ArrayLike) -> Float64:
        """Beats in a minute of the score at times of the score, in seconds [shape=(N,)]."""
        k = np.searchsorted(self.times, np.asarray(score_seconds) + 1e-6, side="right") - 1
        return 60 / np.diff(self.times)[np.clip(k, 0, self.times.size - 2)]


class Bar(NamedTuple):
    """A bar from `start` to `end` that lasts `n_beats`, of which `first` is the first.

    A beat is a whole note divided by `unit`.
    """

    start: float
    end: float
    n_beats: float
    number: int
    first: float = 1.0
    unit: int = 4


def beats_of_bars(
    bars: Sequence[Bar | tuple[float, float, float, int]],
    to_seconds: Callable[[Float64], Float64] | None = None,
) -> Beats | None:
    """Return the beats of bars that follow each other.

    Parameters
    ----------
    bars : sequence of Bar, or of (start, end, n_beats, number)
        Of each bar: start and end, how many beats it lasts, and its number. A bar may last a
        fraction of a beat more or less.
    to_seconds : callable, optional
        From the times of bars to score seconds, both [shape=(B,)] and increasing; by default
        they are seconds. Where the tempo changes within a bar, its beats follow it.

    Returns
    -------
    Beats or None
        None where there is no beat, or there are too many to be a score's.
    """
    times: list[float] = []
    places: list[int] = []
    numbers: list[float] = []
    units: list[int] = []
    last = (0.0, 0)
    given = [Bar(*bar) for bar in bars]
    for start, end, n_beats, number, first, unit in given:
        if not (end > start and 0 < n_beats and len(times) + n_beats < _MOST):
            continue
        if number == 0:  # a pick-up; `number` 1 follows with its whole length
            first = max(first, 1.0 + _length_after(given) - n_beats)
        count = max(1, int(np.ceil(n_beats - _SAME)))
        for k in range(count):
            times.append(start + (end - start) * k / n_beats)
            places.append(number)
            numbers.append(first + k)
            units.append(unit)
        last = (end, number + 1)
    at = np.array([*times, last[0]])
    if to_seconds is not None:
        at = to_seconds(at)
    if at.size < 2 or not (np.diff(at) > 0).all():
        return None
    numbered = np.array([*places, last[1]], dtype=np.intp)
    return Beats(at, numbered, np.array([*numbers, 1.0]), np.array([*units, units[-1]]))


def _length_after(bars: Sequence[Bar]) -> float:
    """Return how many beats the bar after the pick-up lasts; 0 where there is none."""
    return next((bar.n_beats for bar in bars if bar.number == 1), 0.0)
