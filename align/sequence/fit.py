"""How well the events of an alignment fit the recording, where a task knows."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align.types import IntArray

__all__ = ["Fit", "fields_of", "joined"]

_LEAST = 1e-6  # matches are clipped to this, and to one less this


class Fit(NamedTuple):
    """The match of a recording, that of each decoded event [shape=(K,)], and warnings."""

    match: float
    events: npt.NDArray[np.float64]
    warnings: tuple[str, ...]


def fields_of(
    fit: Fit | None, place: IntArray, asked: npt.NDArray[np.bool_] | None = None
) -> dict[str, Any]:
    """Return what a result says of a fit.

    Part k, the decoded events from ``place[k]`` up to ``place[k + 1]`` [shape=(M + 1,)], is one
    event of the result; with `asked` [shape=(K,)] only where its first decoded event is.
    """
    if fit is None:
        return {}
    parts = [
        joined(fit.events[a : max(a + 1, b)])
        for a, b in zip(place[:-1].tolist(), place[1:].tolist(), strict=True)
        if asked is None or asked[a]
    ]
    return {"match": fit.match, "event_match": np.array(parts), "warnings": fit.warnings}


def joined(matches: npt.ArrayLike) -> float:
    """Return the match of a phone or word, given those of its parts [shape=(n,)], n > 0.

    Parts are not independent, and count for the square root of their number.

    Examples
    --------
    >>> round(joined([0.9]), 2), round(joined([0.9] * 4), 2), round(joined([0.2, 0.8]), 2)
    (0.9, 0.99, 0.5)
    """
    p = np.clip(np.asarray(matches, dtype=np.float64), _LEAST, 1 - _LEAST)
    odds = float(np.log(p / (1 - p)).sum()) / np.sqrt(p.size)
    return float(1.0 / (1.0 + np.exp(-odds)))
