"""Forward-backward sums where changes of length are scored: the posterior, in O(K W L**2).

With every score divided by the temperature, ``own_k(d)`` the scores of the length of event k, and
c the coefficient of ``d' d`` in the ratio term of event k::

    F_0(t, d) = onset[0, t] + own_0(d)
    F_k(t, d) = onset[k, t] + own_k(d) + log sum_d' exp( F_{k-1}(t - d', d') + c d' d )

and ``B_k(t, d)``, the log of the sum over all that follows, likewise from the end. Exponentials of
lines have no envelope, so this costs one order more than the best path; it is meant for windows of
a few dozen frames (`align.decoders.narrowed`). Tables are those of
`align.decoders.second_order._states`.
"""

import numpy as np

from align._numba import compiled
from align.decoders.second_order._states import Problem
from align.types import Float64

_NEGLIGIBLE = -40.0  # exp of it is 4e-18: thousands of them are below the rounding of 1


def second_order_sums(problem: Problem, inverse: float, probability: Float64) -> float:
    """Fill the probability of each onset; return the log of the sum over all timings.

    `inverse` is one over the temperature, and the probabilities are laid out as the onset scores.
    """
    forward = np.empty(int(problem.offset[-1]))
    log_z = _forward(problem, inverse, forward)
    if np.isfinite(log_z):
        _backward(problem, inverse, forward, probability)
    return float(log_z)


@compiled()
def _forward(problem: Problem, inverse: float, forward: Float64) -> float:
    """Fill F of all states, first event first; return the log of the sum over all timings."""
    onset, start, windows, own, cross, offset = problem
    first, last, shortest, longest = windows
    n_events = shortest.size
    for k in range(n_events):
        width = longest[k] - shortest[k] + 1
        for t in range(first[k], last[k] + 1):
            score = onset[k, t - start[k]] * inverse
            n, least, row = 0, 0, 0
            if k > 0:  # the states of event k - 1 that end at t lie side by side
                least = max(shortest[k - 1], t - last[k - 1])
                n = min(longest[k - 1], t - first[k - 1]) - least + 1
                row = (t - first[k]) * (longest[k - 1] - shortest[k - 1] + 1)
                row += offset[k - 1] + least - shortest[k - 1]
            for d in range(
                max(shortest[k], first[k + 1] - t), min(longest[k], last[k + 1] - t) + 1
            ):
                total = score + own[k, d - shortest[k]] * inverse
                if k > 0 and total > -np.inf:
                    total += _log_sum(forward, row, n, float(least), cross[k] * d * inverse)
                end = t + d - first[k + 1]
                forward[offset[k] + end * width + d - shortest[k]] = total
    k = n_events - 1
    least = first[n_events] - last[k]
    row = offset[k] + least - shortest[k]
    return _log_sum(forward, row, last[k] - first[k] + 1, 0.0, 0.0)


@compiled()
def _backward(problem: Problem, inverse: float, forward: Float64, probability: Float64) -> None:
    """Find B of all states, last event first, and join it with F at each onset."""
    onset, start, windows, own, cross, offset = problem
    first, last, shortest, longest = windows
    n_events = shortest.size
    term = np.empty(np.max(longest - shortest) + 1)
    # B of event k, and of event k + 1; after the last event nothing follows
    after, later = np.zeros((2, np.max(offset[1:] - offset[:-1])))
    for k in range(n_events - 1, -1, -1):
        width = longest[k] - shortest[k] + 1
        if k < n_events - 1:
            follows = longest[k + 1] - shortest[k + 1] + 1
            for t in range(first[k + 1], last[k + 1] + 1):
                # what each length of event k + 1 adds to a state of event k that ends at t
                score = onset[k + 1, t - start[k + 1]] * inverse
                least = max(shortest[k + 1], first[k + 2] - t)
                n = min(longest[k + 1], last[k + 2] - t) - least + 1
                for j in range(n):
                    q = least + j - shortest[k + 1]
                    rest = later[(t + least + j - first[k + 2]) * follows + q]
                    term[j] = score + own[k + 1, q] * inverse + rest
                row = (t - first[k + 1]) * width - shortest[k]
                for d in range(max(shortest[k], t - last[k]), min(longest[k], t - first[k]) + 1):
                    slope = cross[k + 1] * d * inverse
                    after[row + d] = _log_sum(term, 0, n, float(least), slope)
        # By the sum of the row, not by log Z: that of large scores is rounded in its own way. The
        # greatest state is found first, so that no exponential overflows.
        top, total = -np.inf, 0.0
        for turn in range(2):
            for t in range(first[k], last[k] + 1):
                share = 0.0
                for d in range(
                    max(shortest[k], first[k + 1] - t), min(longest[k], last[k + 1] - t) + 1
                ):
                    place = (t + d - first[k + 1]) * width + d - shortest[k]
                    value = forward[offset[k] + place] + after[place]
                    if turn == 0:
                        top = max(top, value)
                    else:
                        share += np.exp(value - top)
                probability[k, t - start[k]] = share
                total += share
        probability[k] /= total
        after, later = later, after


@compiled()
def _log_sum(term: Float64, at: int, n: int, least: float, slope: float) -> float:
    """Log of the sum of ``exp(term[at + j] + slope (least + j))`` over the first n."""
    top = -np.inf
    for j in range(n):
        value = term[at + j] + slope * (least + j)
        top = value if value > top else top
    if top == -np.inf:
        return top
    total = 0.0
    for j in range(n):
        exponent = term[at + j] + slope * (least + j) - top
        if exponent > _NEGLIGIBLE:
            total += np.exp(exponent)
    return float(top + np.log(total))
