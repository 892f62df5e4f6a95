"""How well the events of an alignment fit the recording, where a task or a base function knows."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align.sequence.evidence import log_odds, logistic
from align.terms import SegmentTerm
from align.types import BoolArray, Float64, IntArray

_LEAST = 1e-6  # matches are clipped to this, and to one less this
_WORST = -8.0  # log ratio, below which an event does not fit at all


class Fit(NamedTuple):
    """The match of a recording, that of each decoded event [shape=(K,)], and warnings."""

    match: float
    events: Float64
    warnings: tuple[str, ...]


def fits_of(terms: Mapping[str, Any], onsets: IntArray, n_frames: int) -> Float64 | None:
    """Return by how much each event scores less than the best that any would there [shape=(K,)].

    Per frame, 0 or less, by the first base function that knows the best (`SegmentTerm.best`); None
    where there is none. `onsets` are in frames.
    """
    for term in terms.values():
        if isinstance(term, SegmentTerm) and term.best is not None:
            ends = np.append(onsets[1:], n_frames)
            own = term.prefix[term.rows, ends] - term.prefix[term.rows, onsets]
            best = term.best[ends] - term.best[onsets]
            ratios = (own - best) / np.maximum(ends - onsets, 1)
            return np.clip(np.where(term.rows < 0, 0.0, ratios), _WORST, 0.0)
    return None


def fields_of(fit: Fit | None, place: IntArray, asked: BoolArray | None = None) -> dict[str, Any]:
    """Return what a result says of a fit.

    Part k, the decoded events from ``place[k]`` up to ``place[k + 1]`` [shape=(M + 1,)], is one
    event of the result; with `asked` [shape=(K,)] only where its first decoded event is.
    """
    if fit is None:
        return {}
    first = place[:-1]
    parts = joined(fit.events[: max(place[-1], first[-1] + 1)], first)
    own = parts if asked is None else parts[asked[first]]
    return {"match": fit.match, "event_match": own, "warnings": fit.warnings}


def joined(matches: npt.ArrayLike, first: npt.ArrayLike = (0,)) -> Float64:
    """Return the match of phones or words, given those of their parts, in order.

    The parts of the k-th begin with number ``first[k]``; it has one at the least. They are not
    independent, and count for the square root of their number.

    Examples
    --------
    >>> joined([0.9, 0.9, 0.9, 0.9, 0.2, 0.8], first=[0, 1, 4]).round(2)
    array([0.9 , 0.98, 0.5 ])
    """
    odds = log_odds(np.asarray(matches, dtype=np.float64), _LEAST)
    size = np.maximum(np.diff(np.append(first, len(odds))), 1)
    return logistic(np.add.reduceat(odds, np.asarray(first, dtype=np.intp)) / np.sqrt(size))
