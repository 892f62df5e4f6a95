"""The lengths at which bounds are kept, and the bins in which lengths are tried.

Bounds of what follows a length (`align.decoders.second_order._bounds`) are kept for a few lengths
of each event, its *knots*; between two knots a line bounds all lengths. The lengths of the next
event are tried in *bins*. Both are dense around the length that the middles of the windows
suggest, and grow with the distance from it, because a path seldom goes there and a change of
length by so much costs more anyway.
"""

from typing import NamedTuple

import numpy as np

from align._numba import compiled
from align.decoders._windows import Windows
from align.types import Float64, IntArray

# A change of length by `far` frames costs as much as the scores of one onset differ: where that is
# few, knots must be dense. Distances in frames grow with the distance from the middle.
_SPACING = 0.2  # of far, between knots at the middle
_WIDEST_PART, _WIDEST = 0.25, (4.0, 16.0)  # of the middle, within these: the most between them
_KNOT_GROWTH, _KNOT_GROWTHS = 0.03, (0.25, 0.5)  # times far, within these, for each frame away
# of far, within these: frames either side of the middle whose lengths are bins of their own
_SINGLE, _SINGLES = 0.25, (6.0, 11.0)
# where changes are cheap, paths go far from the middle, so bins must be narrow there: so much
# divided by far, within these, for each frame beyond
_BIN_GROWTH, _BIN_GROWTHS = 5.0, (0.3, 0.6)


class Lengths(NamedTuple):
    """Knots and bins of each event.

    Attributes
    ----------
    knot : np.ndarray [shape=(K, M), dtype=intp]
        Lengths of the knots, rising, from the shortest length to the longest.
    edge : np.ndarray [shape=(K, M), dtype=intp]
        Bin i of event k holds the lengths ``edge[k, i] .. edge[k, i + 1] - 1``.
    n_knots, n_bins : np.ndarray [shape=(K,), dtype=intp]
        How many each event has.
    """

    knot: IntArray
    edge: IntArray
    n_knots: IntArray
    n_bins: IntArray


def most_places(longest: int) -> int:
    """Return how many knots, or edges of bins, an event has at most."""
    growth = min(_KNOT_GROWTHS[0], _BIN_GROWTHS[0])
    each_side = _SINGLES[1] + 1.0 / growth + np.log(longest + 2.0) / np.log1p(growth)
    return 2 * int(each_side) + 8


@compiled()
def choose_lengths(
    windows: Windows, alpha: Float64, beta: Float64, unit: float, lengths: Lengths
) -> None:
    """Fill the knots and the bins of all events.

    A change of length from d' to d costs ``(alpha[k] d - beta[k] d')**2``. `unit` is the spread
    of the scores of one onset, beside which costs are small or large.
    """
    first, last = windows.first, windows.last
    n_events = alpha.size
    for k in range(n_events):
        # lengths in proportion to those of the neighbours cost nothing: the best guess shares out
        # what all three last together
        total, parts = (first[k + 1] + last[k + 1] - first[k] - last[k]) / 2.0, 1.0
        if k > 0 and alpha[k] > 0.0 and beta[k] > 0.0:
            total += (first[k] + last[k] - first[k - 1] - last[k - 1]) / 2.0
            parts += alpha[k] / beta[k]
        if k < n_events - 1 and alpha[k + 1] > 0.0 and beta[k + 1] > 0.0:
            total += (first[k + 2] + last[k + 2] - first[k + 1] - last[k + 1]) / 2.0
            parts += beta[k + 1] / alpha[k + 1]
        low, high = windows.shortest[k], windows.longest[k]
        middle = min(max(int(np.rint(total / parts)), low), high)
        steep = alpha[k]  # root of what one frame more costs, at this event or at the next
        if k < n_events - 1:
            steep = max(steep, beta[k + 1])
        far = np.sqrt(unit) / steep if steep > 0.0 else np.inf
        widest = min(max(_WIDEST_PART * middle, _WIDEST[0]), _WIDEST[1])
        spacing = min(max(_SPACING * far, 1.0), widest)
        growth = min(max(_KNOT_GROWTH * far, _KNOT_GROWTHS[0]), _KNOT_GROWTHS[1])
        lengths.n_knots[k] = _place(low, middle, high, spacing, growth, 0, lengths.knot[k])
        # a bin ends where the next begins, so one more place than there are bins
        growth = min(max(_BIN_GROWTH / far, _BIN_GROWTHS[0]), _BIN_GROWTHS[1])
        near = int(min(max(_SINGLE * far, _SINGLES[0]), _SINGLES[1]))
        n = _place(low, middle, high + 1, 1.0, growth, near, lengths.edge[k])
        lengths.n_bins[k] = n - 1


@compiled()
def _place(
    low: int, middle: int, high: int, step: float, growth: float, near: int, places: IntArray
) -> int:
    """Fill places from `low` to `high` with `middle` among them; return how many there are.

    Neighbours are `step` frames apart, and beyond `near` frames from the middle more by
    `growth` for each frame.
    """
    n, at = 0, 0.0
    while middle - int(at) > low:  # downwards, the nearest to the middle first
        places[n] = middle - int(at)
        n += 1
        at += max(step, growth * (at - near))
    places[n] = low
    n += 1
    for i in range(n // 2):
        places[i], places[n - 1 - i] = places[n - 1 - i], places[i]
    at = max(step, -growth * near)
    if middle < high:
        while middle + int(at) < high:
            places[n] = middle + int(at)
            n += 1
            at += max(step, growth * (at - near))
        places[n] = high
        n += 1
    return n
