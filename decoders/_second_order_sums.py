"""Forward-backward sums where changes of length are scored: the posterior, in O(K W L**2).

The states are pairs of an onset and the length that follows it (`align.decoders._states`). With
every score divided by the temperature, ``own_k(d)`` the scores of the length of event k, and c the
coefficient of ``d' d`` in the ratio term of event k::

    F_0(t, d) = onset[0, t] + own_0(d)
    F_k(t, d) = onset[k, t] + own_k(d) + log sum_d' exp( F_{k-1}(t - d', d') + c d' d )

and ``B_k(t, d)``, the log of the sum over all that follows, likewise from the end. Exponentials of
lines have no envelope, so this is one order dearer than the best path; it is meant for windows of
a few dozen frames (`align.decoders.narrowed`).
"""

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._windows import Windows
from align.types import FloatArray, IntArray

__all__ = ["second_order_sums"]

_Float64 = npt.NDArray[np.float64]
_NEGLIGIBLE = -40.0  # exp of it is 4e-18: thousands of them are below the rounding of 1


@compiled()
def second_order_sums(
    onset: FloatArray,
    start: IntArray,
    windows: Windows,
    own: _Float64,
    cross: _Float64,
    inverse: float,
    offset: IntArray,
    forward: _Float64,
    probability: _Float64,
) -> float:
    """Fill the probability of each onset; return the log of the sum over all timings.

    `own` and `cross` are those of `length_scores`; the states of event k are ``forward[offset[k] :
    offset[k + 1]]``, and `inverse` is one over the temperature.
    """
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    n_events = shortest.size
    term = np.empty(np.max(longest - shortest) + 1)
    for k in range(n_events):
        width = longest[k] - shortest[k] + 1
        for i in range(last[k] - first[k] + 1):
            t = first[k] + i
            at = offset[k] + i * width
            score = onset[k, t - start[k]] * inverse
            n, least = 1, 0
            term[0] = 0.0
            if k > 0:  # of event k - 1: the states that end at t
                least = max(shortest[k - 1], t - last[k - 1])
                n = min(longest[k - 1], t - first[k - 1]) - least + 1
                before = longest[k - 1] - shortest[k - 1] + 1
                for j in range(n):
                    d = least + j
                    row = offset[k - 1] + (t - d - first[k - 1]) * before
                    term[j] = forward[row + d - shortest[k - 1]]
            for q in range(width):
                forward[at + q] = -np.inf
            for d in range(
                max(shortest[k], first[k + 1] - t), min(longest[k], last[k + 1] - t) + 1
            ):
                total = score + own[k, d - shortest[k]] * inverse
                if total > -np.inf:
                    total += _log_sum(term, n, float(least), cross[k] * d * inverse)
                forward[at + d - shortest[k]] = total
    k = n_events - 1
    ends = forward[offset[k] : offset[k + 1]]
    log_z = _log_sum(ends, ends.size, 0.0, 0.0)
    if log_z == -np.inf:
        return log_z
    # log sums of all that follows each state of event k, and of event k + 1; of the last, nothing
    after, later = np.zeros((2, np.max(offset[1:] - offset[:-1])))
    for k in range(n_events - 1, -1, -1):
        width = longest[k] - shortest[k] + 1
        if k < n_events - 1:
            follows = longest[k + 1] - shortest[k + 1] + 1
            for t in range(first[k + 1], last[k + 1] + 1):
                score = onset[k + 1, t - start[k + 1]] * inverse
                least = max(shortest[k + 1], first[k + 2] - t)
                n = min(longest[k + 1], last[k + 2] - t) - least + 1
                row = (t - first[k + 1]) * follows - shortest[k + 1]
                for j in range(n):
                    d = least + j
                    term[j] = score + own[k + 1, d - shortest[k + 1]] * inverse + later[row + d]
                low = max(shortest[k], t - last[k])
                for d in range(low, min(longest[k], t - first[k]) + 1):
                    total = _log_sum(term, n, float(least), cross[k + 1] * d * inverse)
                    after[(t - d - first[k]) * width + d - shortest[k]] = total
        for i in range(last[k] - first[k] + 1):
            share = 0.0
            for p in range(i * width, (i + 1) * width):
                upto = forward[offset[k] + p]
                if upto > -np.inf:
                    share += np.exp(upto + after[p] - log_z)
            probability[k, first[k] - start[k] + i] = share
        after, later = later, after
    return log_z


@compiled()
def _log_sum(term: _Float64, n: int, least: float, slope: float) -> float:
    """Log of the sum of ``exp(term[j] + slope (least + j))`` over the first n."""
    top = -np.inf
    for j in range(n):
        value = term[j] + slope * (least + j)
        top = value if value > top else top
    if top == -np.inf:
        return top
    total = 0.0
    for j in range(n):
        exponent = term[j] + slope * (least + j) - top
        if exponent > _NEGLIGIBLE:
            total += np.exp(exponent)
    return float(top + np.log(total))
