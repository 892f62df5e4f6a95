"""Upper envelopes: all states of an event from those of the event before, O(1) for each.

For fixed k and t the bracket of the recursion of `align.decoders.second_order` is the greatest of
a set of lines in d: one for each length d' of the event before, of value ``g(d')`` at 0 and slope
``c d'``. The greatest of lines is convex and made of pieces, each line best between two
*breakpoints*; and where slopes come sorted, one pass with a stack finds them (the convex hull
trick). A second pass along the pieces gives the scores of all d. Both passes take each line and
each length once, where trying all lines for all lengths takes their product.

Ties go to the greatest length before, which is the earliest onset.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders.second_order._states import Problem
from align.types import Float64, IntArray

_at = np.uintp  # numba counts a place that may be negative from the end: some instructions each


@compiled()
def advance(
    problem: Problem,
    low: int,
    high: int,
    here: Float64,
    other: Float64,
    back: npt.NDArray[Any],
) -> bool:
    """Go from the states of event low - 1 to those of high - 1; whether they are in `other`.

    Those of event low - 1 are in `here`, where low is not 0. Back-pointers are stored unless
    `back` is empty: state ``(t, d)`` of event k points to the length before, as the number of
    frames that this is less than the longest that ends at t.
    """
    offset = problem.offset
    longest = np.max(problem.windows.longest)
    lines = np.empty((4, longest + 1))
    for k in range(low, high):
        _extend(problem, k, here, lines, other, back, offset[k] - offset[low])
        here, other = other, here
    return (high - low) % 2 == 1


@compiled(inline="always")
def add_line(
    n: int, d: float, v: float, s: float, length: Float64, value: Float64, slope: Float64,
    begin: Float64,
) -> int:  # fmt: skip
    """Put ``v + s d'`` on the stack of n lines that are best somewhere; return how many are now.

    Slopes rise. Line p, that of `length` d, is best from ``begin[p]``, where it meets line p - 1.
    """
    meet = -np.inf
    while n > 0:
        top = _at(n - 1)
        if s > slope[top]:
            meet = (value[top] - v) / (s - slope[top])
        else:  # one slope: the better is so from the start, or never is
            meet = np.inf if value[top] > v else -np.inf
        if meet > begin[top]:
            break
        meet = -np.inf  # the new line overtakes the other before its breakpoint: best nowhere
        n -= 1
    top = _at(n)
    length[top], value[top], slope[top], begin[top] = d, v, s, meet
    return n + 1


@compiled()
def _meeting(
    before: Float64, row: int, least: int, most: int, c: float, low: float, high: float
) -> tuple[float, float]:
    """Return where the best line at `low` meets the best one at `high`, and their score there.

    A line that is below them there is best nowhere between `low` and `high`: up to there it is
    below the one, and from there on below the other.
    """
    a = b = most
    best_low = best_high = -np.inf
    for d in range(least, most + 1):
        v, s = before[_at(row + d)], c * float(d)
        at_low, at_high = v + s * low, v + s * high
        # no branches, which would be guessed wrong; ties: the greatest length, as everywhere
        a = d if at_low >= best_low else a
        b = d if at_high >= best_high else b
        best_low, best_high = max(best_low, at_low), max(best_high, at_high)
    if a == b:
        return low, best_low
    v, w, s, u = before[row + a], before[row + b], c * float(a), c * float(b)
    x = (v - w) / (u - s)
    return x, min(v + s * x, w + u * x)


@compiled()
def _extend(
    problem: Problem,
    k: int,
    before: Float64,
    lines: Float64,
    here: Float64,
    back: npt.NDArray[Any],
    back_at: int,
) -> None:
    """Fill the states of event k from those of event k - 1."""
    first, last = problem.windows.first, problem.windows.last
    shortest, longest = problem.windows.shortest, problem.windows.longest
    scores, own = problem.onset[k], problem.own[k]
    shift = first[k] - problem.start[k]
    # the envelope: a stack of lines, each best from its breakpoint to that of the next one
    length, value, slope, begin = lines[0], lines[1], lines[2], lines[3]
    c = problem.cross[k]
    width = longest[k] - shortest[k] + 1
    keep = back.size > 0
    for i in range(last[k] - first[k] + 1):
        t = first[k] + i
        score = float(scores[_at(shift + i)])
        low, high = max(shortest[k], first[k + 1] - t), min(longest[k], last[k + 1] - t)
        n, most = 1, 0
        length[0] = value[0] = slope[0] = 0.0
        if k > 0:
            row = i * (longest[k - 1] - shortest[k - 1] + 1) - shortest[k - 1]
            least = max(shortest[k - 1], t - last[k - 1])
            most = min(longest[k - 1], t - first[k - 1])
            # a line that is below `needed` at x is best nowhere from `low` to `high`
            n, x, needed = 0, float(high), -np.inf
            if c < 0.0:  # unequal neighbours are rewarded: few lines but the outer ones are left
                x, needed = _meeting(before, row, least, most, c, float(low), x)
            for j in range(most - least + 1):
                d = least + j if c >= 0.0 else most - j  # by rising slope
                v, s = before[_at(row + d)], c * float(d)
                there = v + s * x
                if v == -np.inf or there < needed:
                    continue
                if c >= 0.0:  # slopes rise: a later line has to be the best yet at `high`
                    needed = there
                n = add_line(n, float(d), v, s, length, value, slope, begin)
        # state (t, d) is at ``place + d * (width + 1)``: a frame later is a row further
        place = (t - first[k + 1]) * width - shortest[k]
        if n == 0:
            for d in range(low, high + 1):
                here[place + d * (width + 1)] = -np.inf
        d = low
        for p in range(n):
            stop = high + 1
            if p < n - 1:  # where two lines tie, that of the greater length before is best
                meet = begin[_at(p + 1)]
                meet = np.ceil(meet) if c >= 0.0 else np.floor(meet) + 1.0
                stop = int(min(max(meet, float(d)), float(stop)))
            v, s, code = value[_at(p)], slope[_at(p)], most - int(length[_at(p)])
            while d < stop:
                to = place + d * (width + 1)
                here[_at(to)] = score + (own[_at(d - shortest[k])] + (v + s * float(d)))
                if keep:
                    back[_at(back_at + to)] = code
                d += 1


@compiled()
def best_end(problem: Problem, here: Float64) -> tuple[float, int]:
    """Return the best score of the states of the last event, and its length there."""
    first, last, shortest = problem.windows.first, problem.windows.last, problem.windows.shortest
    k = shortest.size - 1
    best, best_d = -np.inf, first[k + 1] - first[k]
    for d in range(last[k + 1] - last[k], last[k + 1] - first[k] + 1):
        value = here[d - shortest[k]]
        if value >= best:  # ties: the greatest length, which is the earliest onset
            best, best_d = value, d
    return best, best_d


@compiled()
def follow(
    problem: Problem, low: int, high: int, back: npt.NDArray[Any], d: int, onsets: IntArray
) -> int:
    """Fill onsets low .. high - 1, the last of which lasts d; return the length before them."""
    windows, offset = problem.windows, problem.offset
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    for k in range(high - 1, low - 1, -1):
        end = last[k + 1] if k + 1 == onsets.size else onsets[k + 1]
        t = onsets[k] = end - d
        if k == 0:
            return 0
        row = (end - first[k + 1]) * (longest[k] - shortest[k] + 1) + d - shortest[k]
        code = np.intp(back[offset[k] - offset[low] + row])
        d = min(longest[k - 1], t - first[k - 1]) - code
    return d
