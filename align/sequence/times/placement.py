"""From decoded frames to times in seconds: refinement, temperature and offset, kept together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from align.errors import ParameterError
from align.potentials import Path, Potentials
from align.sequence.times.refine import PosteriorOnsets, posterior_onsets, refine_onsets
from align.sequence.times.spread import central_intervals, fit_tail, nearer_share
from align.sequence.times.sureness import Sureness
from align.types import Float64, IntArray

_REACH = 0.1  # seconds either side of the best path that the posterior considers
WINDOW = 0.015  # seconds; wide enough to hold the mass of one boundary
_TOLERANCE = 0.02  # seconds; the confidence is that of an onset within it
_ENOUGH = 200  # recordings that the temperature is fitted to, at most
_LOWEST, _HIGHEST = -20, 12  # half octaves from 1 that temperatures are tried at
_FEW = 16  # recordings, about, that all of these are tried on
_MOST_PAIRS = 2**26  # of an onset and a length, 8 bytes each, where there are ratio scores
_GROSS = 0.05  # seconds; larger errors are mistakes, and say nothing of the offset

_PRIOR = 50.0  # onsets; what an offset weighs that is known already

_METHODS = ("posterior", "parabola", "none")


class Placed(NamedTuple):
    """Times in seconds [shape=(K,)] and, from a posterior, how sure they are.

    `confidence` [shape=(K,)] is the probability that an onset is within 20 ms of its time,
    `intervals` [shape=(K, 2)] is where it lies in 95 of 100 cases; None where it is not known.
    """

    times: Float64
    confidence: Float64 | None = None
    intervals: Float64 | None = None


@dataclass(frozen=True)
class Placement:
    """How decoded onsets become times.

    Parameters
    ----------
    method : {"posterior", "parabola", "none"}
        See `align.sequence.times.refine`. Potentials with general functions, and those of many
        hours with ratio scores, have no posterior here and get the parabola.
    hop : float
        Length of a frame in seconds.
    temperature : float
        Of the posterior.
    offset : float
        Subtracted from every onset, in seconds.
    window : float
        Standard deviation of the posterior's smoothing window, in seconds. The wider, the more
        onsets are near and the fewer very near.
    tail : float, optional
        Share of the posterior outside of an interval, on either side; see
        `align.sequence.times.spread`. Without it, there are no intervals.
    sureness : Sureness, optional
        How often onsets are within 20 ms. Without it, the posterior is taken at its word.
    """

    method: str
    hop: float
    temperature: float = 1.0
    offset: float = 0.0
    window: float = WINDOW
    tail: float | None = None
    sureness: Sureness | None = None

    def __post_init__(self) -> None:
        if self.method not in _METHODS:
            raise ParameterError(f"refine={self.method!r}, must be one of {list(_METHODS)}.")

    def times(
        self,
        potentials: Potentials,
        onsets: IntArray,
        fits: Float64 | None = None,
        slopes: Float64 | None = None,
    ) -> Placed:
        """Return the times of onsets, given the best path in frames.

        An onset whose window is one frame stays there. `fits` [shape=(K,)] is how well each event
        fits, if known; see `align.sequence.fit`. `slopes` [shape=(K,)] are log odds per second
        that lean a posterior; see `align.sequence.times.leaning`.
        """
        free = potentials.stop - potentials.start > 1
        shift = np.where(free, self.offset, 0.0)
        if self.method == "posterior" and self._has_posterior(potentials):
            leaning = None if slopes is None else slopes * self.hop
            frames, confidence, posterior = self._posterior_onsets(potentials, onsets, leaning)
            intervals = None
            if self.tail is not None:
                own = central_intervals(posterior.probability, posterior.start, self.tail)
                intervals = own * self.hop - shift[:, None]
            if self.sureness is not None:
                confidence = np.where(free, self.sureness.of(confidence, fits), confidence)
            return Placed(frames * self.hop - shift, confidence, intervals)
        if self.method == "none":
            return Placed(onsets.astype(np.float64) * self.hop - shift)
        return Placed(refine_onsets(potentials, onsets) * self.hop - shift)

    def posterior(
        self, potentials: Potentials, onsets: IntArray
    ) -> tuple[Float64, Float64] | None:
        """Return how probable each onset is at times around it, and these times.

        Both [shape=(K, W)]; None where `times` has no posterior.
        """
        if self.method != "posterior" or not self._has_posterior(potentials):
            return None
        found = self._posterior_onsets(potentials, onsets).posterior
        columns = found.start[:, None] + np.arange(found.probability.shape[1], dtype=np.float64)
        return found.probability, columns * self.hop - self.offset

    def _posterior_onsets(
        self, potentials: Potentials, onsets: IntArray, slopes: Float64 | None = None
    ) -> PosteriorOnsets:
        return posterior_onsets(
            potentials,
            onsets,
            temperature=self.temperature,
            window=self.window / self.hop,
            tolerance=_TOLERANCE / self.hop,
            reach=self._reach,
            slopes=slopes,
        )

    def fitted(
        self,
        potentials: Sequence[Potentials],
        paths: Sequence[Path],
        truth: Sequence[Float64],
        *,
        calibrate: bool = True,
    ) -> Self:
        """Return a copy with the temperature and offset that suit recordings with known onsets.

        `potentials` are from parts that did not see the recordings, `paths` the best paths,
        `truth` the true onsets in seconds of each. The offset is the median signed error; without
        `calibrate` it stays.
        """
        fitted = self
        if self.method == "posterior" and all(map(self._has_posterior, potentials)):
            some = slice(None, None, max(1, len(potentials) // _ENOUGH))
            cases = list(zip(potentials, paths, truth, strict=True))[some]
            temperature = self._fit_temperature(cases)
            fitted = replace(fitted, temperature=temperature)
        if not calibrate:
            return fitted
        errors = []
        for p, path, times in zip(potentials, paths, truth, strict=True):
            found = fitted.times(p, path.onsets).times
            errors.append((found - times)[p.stop - p.start > 1])
        every = np.concatenate(errors)
        near = every[np.abs(every) <= _GROSS]
        return replace(fitted, offset=float(np.median(near)) if near.size else 0.0)

    def _fit_temperature(self, cases: Sequence[tuple[Potentials, Path, Float64]]) -> float:
        """Return the temperature at which the confidence best predicts what is near.

        Of a grid of half octaves it is the one with the least Brier score: the sum of square
        differences between the confidence and 1 where the onset was within the tolerance, 0
        elsewhere. Of several as good, the nearest to 1: few recordings do not prove that all is
        certain. Of many recordings a few say where on the grid, and all of them only which there.
        """
        few = max(1, len(cases) // _FEW)

        @cache
        def score(half_octaves: int, every: int = 1) -> float:
            tried = replace(self, temperature=2.0 ** (half_octaves / 2))
            total = 0.0
            for p, path, times in cases[::every]:
                frames, confidence, _ = tried._posterior_onsets(p, path.onsets)
                hit = np.abs(frames - times / self.hop) <= _TOLERANCE / self.hop
                total += float(np.square(confidence - hit).sum())
            return total

        rough = {g: score(g, few) for g in range(_LOWEST, _HIGHEST + 1)}
        least = min(rough.values())
        best = min((g for g in rough if rough[g] <= least + 1e-9), key=abs)
        for step, last in ((-1, _LOWEST), (1, _HIGHEST)):
            while best != last and score(best + step) < score(best) - 1e-9:
                best += step
        return float(2.0 ** (best / 2))

    def judged(
        self,
        potentials: Sequence[Potentials],
        paths: Sequence[Path],
        truth: Sequence[Float64],
        fits: Sequence[Float64 | None] | None = None,
    ) -> Self:
        """Return a copy that knows how sure onsets are, by recordings as in `fitted`.

        `fits` is how well the events of each fit it, if that is known.
        """
        if self.method != "posterior" or not all(map(self._has_posterior, potentials)):
            return self
        shares, sure, right = [], [], []
        for p, path, times in zip(potentials, paths, truth, strict=True):
            found, confidence, posterior = self._posterior_onsets(p, path.onsets)
            free = p.stop - p.start > 1
            frames = (times + self.offset) / self.hop
            shares.append(nearer_share(posterior.probability, posterior.start, frames)[free])
            sure.append(confidence[free])
            near = np.abs(found - frames)[free] * self.hop <= _TOLERANCE
            right.append(near.astype(np.float64))
        return replace(self, tail=fit_tail(shares), sureness=Sureness.fitted(sure, right, fits))

    @property
    def _reach(self) -> int:
        return max(1, round(_REACH / self.hop))

    def _has_posterior(self, potentials: Potentials) -> bool:
        """Whether `posterior_onsets` can and should sum over the timings around a path."""
        if potentials.general:
            return False
        if potentials.ratio is None or not potentials.ratio.any():
            return True
        n_pairs = potentials.n_events * (2 * self._reach + 1) * (4 * self._reach + 1)
        return n_pairs <= _MOST_PAIRS


def sureness_of(placed: Placed, times: Float64, chosen: IntArray) -> dict[str, Any]:
    """Return what a result says of how sure its onsets are: those of `chosen` among all.

    `times` are the onsets in the end, which may have moved since they were placed; an interval
    moves along, and holds its onset.
    """
    known: dict[str, Any] = {}
    if placed.confidence is not None:
        known["confidence"] = placed.confidence[chosen]
    if placed.intervals is not None:
        moved = placed.intervals + (times - placed.times)[:, None]
        low, high = np.minimum(moved[:, 0], times), np.maximum(moved[:, 1], times)
        known["onset_intervals"] = np.maximum(np.stack((low, high), axis=1), 0.0)[chosen]
    return known


def moved_offset(offset: float, errors: Sequence[Float64]) -> float:
    """Return an offset between a known one and what a few recordings say, in seconds.

    `errors` are the seconds by which onsets come late after the known offset; gross ones say
    nothing. The more onsets are seen, the nearer to their median error.

    Examples
    --------
    >>> moved_offset(0.010, [np.full(50, 0.004)])
    0.012
    """
    every = np.concatenate(errors)
    near = every[np.abs(every) <= _GROSS]
    if near.size == 0:
        return offset
    return offset + near.size / (near.size + _PRIOR) * float(np.median(near))
