"""Errors of boundaries, summarised: of all together, and of the recordings of a set.

`align.evaluation.report` says what an error is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.types import Float64

TOLERANCES_MS = (10, 20, 25, 30, 40, 50, 100)
"""The tolerances of every report, in milliseconds."""

ROUNDING = 1e-9
"""Seconds by which an error may exceed a tolerance, so that rounding does not decide."""


@dataclass(frozen=True)
class Score:
    """Errors of some boundaries, in milliseconds; NaN where there are none.

    Parameters
    ----------
    boundaries : int
        How many.
    within_ms : dict of str to float
        Percentage of errors within each tolerance; keys ``"10"``, ``"20"`` ... as in JSON.
    mean_abs_ms, median_abs_ms : float
        Mean and median of the size of the error.
    bias_ms : float
        Mean error; positive where predictions are late.
    """

    boundaries: int
    within_ms: dict[str, float]
    mean_abs_ms: float
    median_abs_ms: float
    bias_ms: float

    @classmethod
    def from_errors(cls, errors: npt.ArrayLike) -> Self:
        """Summarise errors [shape=(n,)] in seconds.

        Examples
        --------
        >>> score = Score.from_errors([0.010, -0.030])
        >>> score.within_ms["10"], round(score.mean_abs_ms, 6), round(score.bias_ms, 6)
        (50.0, 20.0, -10.0)
        """
        error = np.asarray(errors, dtype=np.float64)
        if error.size == 0:
            nothing = {str(ms): math.nan for ms in TOLERANCES_MS}
            return cls(0, nothing, math.nan, math.nan, math.nan)
        size = np.abs(error)
        within = {
            str(ms): 100.0 * float((size <= ms / 1000 + ROUNDING).mean()) for ms in TOLERANCES_MS
        }
        return cls(
            error.size,
            within,
            1000.0 * float(size.mean()),
            1000.0 * float(np.median(size)),
            1000.0 * float(error.mean()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold: NaN is None."""
        return {
            "boundaries": self.boundaries,
            "within_ms": {ms: or_none(share) for ms, share in self.within_ms.items()},
            "mean_abs_ms": or_none(self.mean_abs_ms),
            "median_abs_ms": or_none(self.median_abs_ms),
            "bias_ms": or_none(self.bias_ms),
        }


@dataclass(frozen=True)
class SetScore:
    """Errors of the recordings of one set, each recording counting the same.

    Parameters
    ----------
    files : int
        How many recordings.
    mean_of_means_ms, median_of_medians_ms : float
        Of the mean and median errors of the recordings; NaN where there are none.
    worst_mean_ms : float
        The largest mean error.
    all_events : Score
        All events together.
    """

    files: int
    mean_of_means_ms: float
    median_of_medians_ms: float
    worst_mean_ms: float
    all_events: Score

    @classmethod
    def from_errors(cls, errors: Sequence[Float64]) -> Self:
        """Summarise errors in seconds, an array for each recording.

        Examples
        --------
        >>> found = SetScore.from_errors([np.array([0.01]), np.array([0.02, 0.06])])
        >>> round(found.mean_of_means_ms, 6), round(found.median_of_medians_ms, 6)
        (25.0, 25.0)
        """
        sizes = [1000.0 * np.abs(error) for error in errors if error.size]
        means = [float(size.mean()) for size in sizes] or [math.nan]
        medians = [float(np.median(size)) for size in sizes] or [math.nan]
        together = np.concatenate(errors) if errors else np.empty(0)
        return cls(
            len(sizes),
            float(np.mean(means)),
            float(np.median(medians)),
            max(means),
            Score.from_errors(together),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold: NaN is None."""
        return {
            "files": self.files,
            "mean_of_means_ms": or_none(self.mean_of_means_ms),
            "median_of_medians_ms": or_none(self.median_of_medians_ms),
            "worst_mean_ms": or_none(self.worst_mean_ms),
            **self.all_events.to_dict(),
        }


def or_none(value: float) -> float | None:
    """Return a number as JSON can hold it: None where it is not finite."""
    return value if math.isfinite(value) else None
