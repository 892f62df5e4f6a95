"""Between which times an onset lies with 95 %: quantiles of its posterior.

The posterior says how probable each frame is, and a frame is shared evenly by the times that are
nearest to it. An interval leaves out a tail on either side, as much of the posterior as is outside
in 5 % of cases. Were the posterior right, each tail would be 2.5 %; it is not, since its
temperature is chosen for what is within 20 ms. So the tail is measured on recordings that the
scores come from parts that did not see: each true onset leaves a share of the posterior on its
nearer side, and the tail is the share that 95 % of them exceed. That is split conformal
prediction, which covers as often as it says where new recordings are like those.

References
----------
Angelopoulos and Bates, "Conformal prediction: a gentle introduction", 2023, section 2.
"""

from collections.abc import Sequence

import numpy as np

from align.types import Float64, IntArray

COVERAGE = 0.95
"""How often an onset lies within its interval."""


def central_intervals(probability: Float64, start: IntArray, tail: float) -> Float64:
    """Return the frames between which all but the tails of each posterior lie [shape=(K, 2)].

    Row k of `probability` [shape=(K, W)] sums to 1, and is that of onset k from frame ``start[k]``
    on; `tail`, below 0.5, is the share that is left out on either side. The frames are fractions;
    an onset that is at one frame for certain has an interval without length.

    Examples
    --------
    >>> even = np.full((1, 10), 0.1)
    >>> central_intervals(even, np.array([20]), 0.1)
    array([[20.5, 28.5]])
    """
    below, edges = _cumulative(probability)
    found = np.empty((len(probability), 2))
    for k in range(len(probability)):
        found[k] = start[k] + np.interp([tail, 1.0 - tail], below[k], edges)
    certain = probability.max(axis=1, initial=0.0) >= 1.0
    found[certain] = (start[certain] + probability[certain].argmax(axis=1))[:, None]
    return found


def nearer_share(probability: Float64, start: IntArray, frames: Float64) -> Float64:
    """Return how much of each posterior lies on the nearer side of a time, 0 to 0.5 [shape=(K,)].

    `frames` [shape=(K,)] are the times in frames; the rest is as in `central_intervals`, whose
    interval holds a time where the share is at least the tail.
    """
    below, edges = _cumulative(probability)
    share = np.array(
        [np.interp(frames[k] - start[k], edges, below[k]) for k in range(len(probability))]
    )
    nearer: Float64 = np.minimum(share, 1.0 - share)
    return nearer


def fit_tail(shares: Sequence[Float64]) -> float:
    """Return the tail with which `COVERAGE` of onsets lie within their intervals.

    `shares` are what `nearer_share` gives for the true onsets of each recording. Of too few onsets
    it is 0, which leaves out nothing.

    Examples
    --------
    >>> fit_tail([np.linspace(0.0, 0.5, 99)]).__round__(3), fit_tail([np.full(9, 0.3)])
    (0.02, 0.0)
    """
    every = np.sort(np.concatenate([*shares, np.empty(0)]))
    place = int((1.0 - COVERAGE) * (every.size + 1) + 1e-9)
    return float(every[place - 1]) if place else 0.0


def _cumulative(probability: Float64) -> tuple[Float64, Float64]:
    """Return the share below each edge of a frame [shape=(K, W + 1)], and the edges."""
    n_rows, width = probability.shape
    below = np.zeros((n_rows, width + 1))
    np.cumsum(probability, axis=1, out=below[:, 1:])
    below /= np.maximum(below[:, -1:], 1e-300)
    return below, np.arange(width + 1) - 0.5
