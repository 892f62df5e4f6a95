"""From decoded frames to times in seconds: refinement, temperature and offset, kept together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.potentials import Path, Potentials
from align.sequence.refine import fit_temperature, posterior_onsets, refine_onsets
from align.types import IntArray

__all__ = ["WINDOW", "Placement", "moved_offset"]

_REACH = 0.1  # seconds either side of the best path that the posterior considers
WINDOW = 0.015  # seconds; wide enough to hold the mass of one boundary
_TOLERANCE = 0.02  # seconds; the confidence is that of an onset within it
_ENOUGH = 200  # recordings that the temperature is fitted to, at most
_MOST_PAIRS = 2**26  # of an onset and a length, 8 bytes each, where there are ratio scores
_GROSS = 0.05  # seconds; larger errors are mistakes, and say nothing of the offset

_PRIOR = 50.0  # onsets; what an offset weighs that is known already

_METHODS = ("posterior", "parabola", "none")


@dataclass(frozen=True)
class Placement:
    """How decoded onsets become times.

    Parameters
    ----------
    method : {"posterior", "parabola", "none"}
        See `align.sequence.refine`. Potentials with general functions, and those of many hours
        with ratio scores, have no posterior here and get the parabola.
    hop : float
        Length of a frame in seconds.
    temperature : float
        Of the posterior.
    offset : float
        Subtracted from every onset, in seconds.
    window : float
        Standard deviation of the posterior's smoothing window, in seconds. The wider, the more
        onsets are near and the fewer very near.
    """

    method: str
    hop: float
    temperature: float = 1.0
    offset: float = 0.0
    window: float = WINDOW

    def __post_init__(self) -> None:
        if self.method not in _METHODS:
            raise ParameterError(f"refine={self.method!r}, must be one of {list(_METHODS)}.")

    def times(
        self, potentials: Potentials, onsets: IntArray
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]:
        """Return times in seconds and, from the posterior, the confidence of each [shape=(K,)].

        `onsets` are the best path, in frames; one whose window is one frame stays there. The
        confidence is the probability that the onset is within 20 ms of that time, or None.
        """
        confidence = None
        if self.method == "posterior" and self._has_posterior(potentials):
            frames, confidence = posterior_onsets(
                potentials,
                onsets,
                temperature=self.temperature,
                window=self.window / self.hop,
                tolerance=_TOLERANCE / self.hop,
                reach=self._reach,
            )
        elif self.method == "none":
            frames = onsets.astype(np.float64)
        else:
            frames = refine_onsets(potentials, onsets)
        free = potentials.stop - potentials.start > 1
        return frames * self.hop - np.where(free, self.offset, 0.0), confidence

    def fitted(
        self,
        potentials: Sequence[Potentials],
        paths: Sequence[Path],
        truth: Sequence[npt.NDArray[np.float64]],
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
            temperature = fit_temperature(
                potentials[some],
                [path.onsets for path in paths[some]],
                [times / self.hop for times in truth[some]],
                window=self.window / self.hop,
                tolerance=_TOLERANCE / self.hop,
                reach=self._reach,
            )
            fitted = replace(fitted, temperature=temperature)
        if not calibrate:
            return fitted
        errors = []
        for p, path, times in zip(potentials, paths, truth, strict=True):
            found, _ = fitted.times(p, path.onsets)
            errors.append((found - times)[p.stop - p.start > 1])
        every = np.concatenate(errors)
        near = every[np.abs(every) <= _GROSS]
        return replace(fitted, offset=float(np.median(near)) if near.size else 0.0)

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


def moved_offset(offset: float, errors: Sequence[npt.NDArray[np.float64]]) -> float:
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
