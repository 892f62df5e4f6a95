"""Two systems compared at the same boundaries, with a paired bootstrap over files.

Conventions
-----------
* Each system is scored at the boundaries of the reference that *both* have found (for label files:
  matched, see `align.evaluation.matching`), so that neither gains by leaving out what is hard. A
  first event that truly starts at 0 is not scored.
* Intervals come from the bootstrap: files are drawn with replacement, both systems together, and
  the measure is computed of all boundaries of the files drawn. Boundaries of one file are not
  independent; files are taken to be. With few files (below some twenty) the intervals are too
  narrow, as those of any bootstrap.

References
----------
Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 13 and 16.
Bisani and Ney, "Bootstrap estimates for confidence intervals in ASR performance evaluation",
ICASSP 2004.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from align.errors import DataError, ParameterError
from align.evaluation.file_result import FileResult
from align.evaluation.report import Report
from align.evaluation.report_text import in_columns
from align.evaluation.scores import ROUNDING, TOLERANCES_MS
from align.types import Float64, IntArray

__all__ = ["Comparison", "Interval", "compare"]


@dataclass(frozen=True)
class Interval:
    """A difference between two systems, and where it may lie.

    Parameters
    ----------
    first, second : float
        The measure of either system.
    difference : float
        First less second.
    low, high : float
        Of the confidence interval of the difference; NaN where there is one file only.
    """

    first: float
    second: float
    difference: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Comparison:
    """Two systems at the same boundaries.

    Parameters
    ----------
    files, boundaries : int
        How many both have.
    mean_abs_ms : Interval
        Mean size of the error, in milliseconds.
    within_ms : dict of str to Interval
        Percentage of boundaries within each tolerance, ``"10"`` to ``"100"`` ms.
    confidence_level : float
        Of the intervals.
    """

    files: int
    boundaries: int
    mean_abs_ms: Interval
    within_ms: dict[str, Interval]
    confidence_level: float = 0.95

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""

        def plain(interval: Interval) -> dict[str, Any]:
            return {
                name: None if isinstance(value, float) and not np.isfinite(value) else value
                for name, value in vars(interval).items()
            } | {"significant": interval.significant}

        return {
            "files": self.files,
            "boundaries": self.boundaries,
            "confidence_level": self.confidence_level,
            "mean_abs_ms": plain(self.mean_abs_ms),
            "within_ms": {ms: plain(interval) for ms, interval in self.within_ms.items()},
        }

    def __str__(self) -> str:
        level = f"{100 * self.confidence_level:g} %"
        rows = [("", "first", "second", "difference", f"{level} interval", "")]
        measures = [("mean ms", self.mean_abs_ms)]
        measures += [(f"% within {ms} ms", value) for ms, value in self.within_ms.items()]
        for name, value in measures:
            rows.append(
                (
                    name,
                    f"{value.first:.1f}",
                    f"{value.second:.1f}",
                    f"{value.difference:+.2f}",
                    f"{value.low:+.2f} to {value.high:+.2f}"
                    if np.isfinite(value.low)
                    else "one file",
                    "*" if value.significant else "",
                )
            )
        lines = [line.rstrip() for line in in_columns(rows)]
        note = "(* the interval leaves out 0; paired bootstrap over files)"
        head = f"{self.boundaries} boundaries that both have, in {self.files} files"
        return "\n".join([head, *lines, note])


def compare(
    first: Report | Sequence[FileResult],
    second: Report | Sequence[FileResult],
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: int = 0,
) -> Comparison:
    """Compare two systems at the boundaries of the same references.

    Parameters
    ----------
    first, second : Report or sequence of FileResult
        Of the same recordings by name, as ``model.evaluate(corpus)`` returns; boundaries are the
        same where their true times are.
    confidence_level : float
        Of the intervals.
    n_resamples : int
        Draws of the bootstrap.
    random_state : int
        Its seed.

    Returns
    -------
    Comparison
        Differences are first less second: a negative difference of the mean, a positive one of
        the percentages, speak for the first.

    Raises
    ------
    DataError
        If the two have no boundary in common.

    Examples
    --------
    >>> true = np.arange(1.0, 6.0)
    >>> one = [FileResult(str(i), ["a"] * 5, true, true + 0.005) for i in range(4)]
    >>> two = [FileResult(str(i), ["a"] * 5, true, true + 0.025) for i in range(4)]
    >>> found = compare(one, two)
    >>> round(found.mean_abs_ms.difference, 6), found.within_ms["20"].difference
    (-20.0, 100.0)
    """
    if not 0 < confidence_level < 1:
        raise ParameterError(f"confidence_level={confidence_level}, must be between 0 and 1.")
    first, second = (s.results if isinstance(s, Report) else s for s in (first, second))
    others = {result.name: result for result in second}
    rows = []
    for result in first:
        other = others.get(result.name)
        if other is None:
            continue
        _, i, j = np.intersect1d(result.true, other.true, return_indices=True)
        scored = np.abs(result.true[i]) > ROUNDING  # a first event at 0 needs no finding
        i, j = i[scored], j[scored]
        if not i.size:
            continue
        sizes = np.abs(
            np.stack((result.predicted[i] - result.true[i], other.predicted[j] - other.true[j]))
        )
        within = [(sizes <= ms / 1000 + ROUNDING).sum(axis=1) for ms in TOLERANCES_MS]
        rows.append([i.size, *(1000 * sizes.sum(axis=1)), *np.concatenate(within)])
    if not rows:
        raise DataError("the two systems have no boundary of the reference in common.")
    table = np.array(rows, dtype=np.float64)  # files x (n, sum 1, sum 2, within 1, within 2 ...)
    whole = table.sum(axis=0)
    low, high = _bootstrap(table, confidence_level, n_resamples, random_state)

    def interval(k: int, scale: float) -> Interval:
        one, two = scale * whole[1 + 2 * k] / whole[0], scale * whole[2 + 2 * k] / whole[0]
        return Interval(
            float(one), float(two), float(one - two), float(scale * low[k]), float(scale * high[k])
        )

    return Comparison(
        len(table),
        int(whole[0]),
        interval(0, 1.0),
        {str(ms): interval(k, 100.0) for k, ms in enumerate(TOLERANCES_MS, start=1)},
        confidence_level,
    )


def _bootstrap(
    table: Float64, level: float, n_resamples: int, seed: int
) -> tuple[Float64, Float64]:
    """Return the ends of the intervals of all differences per boundary [shape=(measures,)]."""
    measures = (table.shape[1] - 1) // 2
    if len(table) < 2:
        nothing = np.full(measures, np.nan)
        return nothing, nothing
    from scipy.stats import bootstrap  # a second to import

    difference = table[:, 1::2] - table[:, 2::2]
    count = table[:, 0]

    def statistic(files: IntArray, axis: int = -1) -> Float64:
        total = np.moveaxis(difference[files], -1, 0).sum(axis=axis)
        share: Float64 = total / count[files].sum(axis=axis)
        return share

    found = bootstrap(
        (np.arange(len(table)),),
        statistic,
        n_resamples=n_resamples,
        batch=max(1, 10**6 // len(table)),
        vectorized=True,
        confidence_level=level,
        method="percentile",
        random_state=np.random.default_rng(seed),
    )
    limits = found.confidence_interval
    return np.asarray(limits.low), np.asarray(limits.high)
