"""Kernels of second-order decoding by upper envelopes, in O(K T L) time.

For fixed k and t the bracket of the recursion of `align.decoders.second_order` is a set of lines
in d whose slopes ``c d'`` come sorted. So the best d' moves one way as d grows (up if c > 0, down
if c < 0), and

1. the best d' at the shortest and at the longest d enclose those of all other d: two maxima,
   found while the lines are gathered, discard many of the lines;
2. of the lines between them, the upper envelope is the upper convex hull of the points
   ``(d', g(d'))``, whatever the sign of c; points below a chord of their neighbours are dropped
   in vector instructions, and a monotone stack finds the hull of what is left;
3. each line of the envelope is best over one interval of d, filled as a whole.

Each step is O(L) for one t.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._numba import compiled
from align.decoders._windows import Windows
from align.types import FloatArray, IntArray

__all__ = ["Problem", "advance", "begin", "finish", "follow"]

_PAD = 8  # places of -inf before and after the lines, so that all have neighbours


class Workspace(NamedTuple):
    """Scratch arrays and tables of the kernels.

    Attributes
    ----------
    line : np.ndarray [dtype=float64]
        Value at length 0 of each line, after and before `_PAD` places of -inf.
    kept : np.ndarray [dtype=float64]
        The same of those that may be on the envelope, -inf for the others.
    hull : np.ndarray [dtype=intp]
        Lines on the envelope, that is, points of the hull.
    edge : np.ndarray [dtype=float64]
        Slope between each point of the hull and the one before it.
    inverse : np.ndarray [dtype=float64]
        One over each length.
    """

    line: npt.NDArray[np.float64]
    kept: npt.NDArray[np.float64]
    hull: IntArray
    edge: npt.NDArray[np.float64]
    inverse: npt.NDArray[np.float64]


class Problem(NamedTuple):
    """What the kernels read; see `align.decoders._states` for the last three."""

    onset: FloatArray
    start: IntArray
    windows: Windows
    own: npt.NDArray[np.float64]
    cross: npt.NDArray[np.float64]
    offset: IntArray


@compiled()
def advance(
    problem: Problem,
    low: int,
    high: int,
    here: npt.NDArray[np.float64],
    other: npt.NDArray[np.float64],
    back: npt.NDArray[Any],
    keep: bool,
) -> bool:
    """Go from the states of event low - 1 to those of high - 1; whether they are in `other`."""
    onset, start, windows, own, cross, offset = problem
    first, last = windows.first, windows.last
    size = own.shape[1] + 2 * _PAD
    line, inverse = np.full(size, -np.inf), 1.0 / np.maximum(np.arange(size), 1.0)
    work = Workspace(line, np.empty(size), np.empty(size, dtype=np.intp), np.empty(size), inverse)
    for k in range(low, high):
        scores = onset[k, first[k] - start[k] : last[k] - start[k] + 1]
        shift = offset[k] - offset[low] if keep else 0
        pointers = back[shift : shift + offset[k + 1] - offset[k]]
        _extend(scores, windows, k, own[k], cross[k], here, work, other, pointers)
        here, other = other, here
    return (high - low) % 2 == 1


@compiled()
def follow(
    problem: Problem,
    low: int,
    high: int,
    back: npt.NDArray[Any],
    d: int,
    onsets: IntArray,
) -> int:
    """Fill onsets low .. high - 1, the last of which lasts d; return the length before them."""
    windows, offset = problem.windows, problem.offset
    shortest, longest = windows.shortest, windows.longest
    for k in range(high - 1, low - 1, -1):
        onsets[k] = onsets[k + 1] - d
        i = onsets[k] - windows.first[k]
        shift = offset[k] - offset[low]
        d = back[shift + i * (longest[k] - shortest[k] + 1) + d - shortest[k]]
    return d


@compiled()
def begin(problem: Problem, here: npt.NDArray[np.float64]) -> None:
    """Fill the states of the first event."""
    onset, start, windows, own = problem.onset, problem.start, problem.windows, problem.own[0]
    scores = onset[0, windows.first[0] - start[0] : windows.last[0] - start[0] + 1]
    n_lengths = windows.longest[0] - windows.shortest[0] + 1
    for i in range(scores.size):
        for q in range(n_lengths):
            here[i * n_lengths + q] = scores[i] + own[q]


@compiled()
def _extend(
    scores: FloatArray,
    windows: Windows,
    k: int,
    own: npt.NDArray[np.float64],
    c: float,
    before: npt.NDArray[np.float64],
    work: Workspace,
    here: npt.NDArray[np.float64],
    pointers: npt.NDArray[Any],
) -> None:
    """States of event k from those of event k - 1; both are laid out [onset, length]."""
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    width_before = longest[k - 1] - shortest[k - 1] + 1
    low = shortest[k]
    width = longest[k] - low + 1
    line = work.line
    for i in range(scores.size):
        t = first[k] + i
        q_low = max(low, first[k + 1] - t)
        q_high = min(longest[k], last[k + 1] - t)
        at = i * width - low  # state of length q is here[at + q]
        score = float(scores[i])
        d_low = max(shortest[k - 1], t - last[k - 1])
        n = min(longest[k - 1], t - first[k - 1]) - d_low + 1
        start = stop = -1
        if score > -np.inf:
            # line j is in row t - d_low - j of the table of states, in column d_low + j
            source = (t - d_low - first[k - 1]) * width_before + d_low - shortest[k - 1]
            start, stop = _collect(
                before, source, width_before - 1, n, d_low, c * q_low, c * q_high, line
            )
            for j in range(n, n + _PAD):
                line[np.uintp(_PAD + j)] = -np.inf
        if start < 0:
            for q in range(q_low, q_high + 1):
                here[at + q] = -np.inf
                pointers[at + q] = d_low
        else:
            _envelope(
                work,
                d_low - _PAD,
                start + _PAD,
                stop + _PAD,
                c,
                q_low,
                q_high,
                score,
                own,
                low,
                here,
                pointers,
                at,
            )


@compiled()
def _collect(
    before: npt.NDArray[np.float64],
    source: int,
    stride: int,
    n: int,
    d_low: int,
    slope_low: float,
    slope_high: float,
    line: npt.NDArray[np.float64],
) -> tuple[int, int]:
    """Gather n lines; return the best of them at two lengths, -1 if all are -inf."""
    top_low = top_high = -np.inf
    start = stop = 0
    for j in range(n):  # ties: the greatest line, which is the earliest onset
        value = before[np.uintp(source - j * stride)]
        line[np.uintp(_PAD + j)] = value
        value_low = value + slope_low * (d_low + j)
        value_high = value + slope_high * (d_low + j)
        if value_low >= top_low:
            top_low = value_low
            start = j
        if value_high >= top_high:
            top_high = value_high
            stop = j
    if top_low == -np.inf:
        start = -1
    return start, stop


@compiled()
def _envelope(
    work: Workspace,
    base: int,
    start: int,
    stop: int,
    c: float,
    q_low: int,
    q_high: int,
    score: float,
    own: npt.NDArray[np.float64],
    low: int,
    states: npt.NDArray[np.float64],
    pointer: npt.NDArray[Any],
    at: int,
) -> None:
    """Fill one row of states: the best of lines `start` .. `stop` at each length q.

    Line j is ``line[j] + c (base + j) q``; `start` is best at q_low and `stop` at q_high.
    """
    line, kept, hull = work.line, work.kept, work.hull
    edge, inverse = work.edge, work.inverse
    begin, end = min(start, stop), max(start, stop)
    if begin < end:
        _drop_hollows(line, begin, end, kept)
    kept[begin], kept[end] = line[begin], line[end]
    m, y = -1, 0  # y is the last point of the hull, hull[m]; edge[m] is the slope up to it
    for j in range(begin, end + 1):
        value = kept[np.uintp(j)]
        if value == -np.inf:
            continue
        slope = 0.0
        if m >= 0:
            slope = (value - line[y]) * inverse[j - y]
            while m > 0 and slope >= edge[m]:
                m -= 1
                y = hull[m]
                slope = (value - line[y]) * inverse[j - y]
        m += 1
        y = j
        hull[m] = j
        edge[m] = slope
    step = 1 if c > 0.0 else -1
    p = 0 if c > 0.0 else m
    last = m - p
    per_c = -1.0 / c if m > 0 else 0.0
    q = q_low
    while q <= q_high:
        a = hull[p]
        slope, value = c * (base + a), line[a]
        end = q_high
        if p != last:
            # lines a and b meet where c q is minus the slope from one to the other; the quotient
            # is rounded, so the lengths beside it are compared; ties go to the greater line
            b = hull[p + step]
            slope_b, value_b = c * (base + b), line[b]
            meet = edge[max(p, p + step)] * per_c
            end = int(np.floor(min(max(meet, q - 1.0), float(q_high))))
            while end < q_high:
                mine, other = value + slope * (end + 1), value_b + slope_b * (end + 1)
                if mine < other or (mine == other and a < b):
                    break
                end += 1
            while end >= q:
                mine, other = value + slope * end, value_b + slope_b * end
                if mine > other or (mine == other and a > b):
                    break
                end -= 1
        value += score
        x = base + a
        target, own_q = np.uintp(max(0, at + q)), np.uintp(max(0, q - low))
        for k in range(max(0, end + 1 - q)):
            r = np.uintp(k)
            states[target + r] = own[own_q + r] + (value + slope * (q + k))
            pointer[target + r] = x
        q = end + 1
        p += step


@compiled()
def _drop_hollows(
    line: npt.NDArray[np.float64], begin: int, end: int, kept: npt.NDArray[np.float64]
) -> None:
    """Copy the points that may be on the hull, and -inf for those below a chord around them.

    Eight neighbours settle most of noisy scores, in vector instructions.
    """
    i1, i2, i4, i8 = np.uintp(1), np.uintp(2), np.uintp(4), np.uintp(8)
    first = np.uintp(begin)
    for k in range(end - begin + 1):
        i = first + np.uintp(k)
        value = line[i]
        v1, v2 = line[i - i1] + line[i + i1], line[i - i2] + line[i + i2]
        v4, v8 = line[i - i4] + line[i + i4], line[i - i8] + line[i + i8]
        v1 = v1 if v1 > v2 else v2
        v4 = v4 if v4 > v8 else v8
        v1 = v1 if v1 > v4 else v4
        kept[i] = -np.inf if value + value < v1 else value


@compiled()
def finish(problem: Problem, before: npt.NDArray[np.float64]) -> tuple[float, int, int]:
    """Best score, the onset of the last event there and the length of the one before it."""
    first, last, shortest, longest = problem.windows
    k = shortest.size - 1
    own, c = problem.own[k], problem.cross[k]
    scores = problem.onset[k, first[k] - problem.start[k] : last[k] - problem.start[k] + 1]
    best, best_t, best_d = -np.inf, first[k], first[k]
    width_before = 1 if k == 0 else longest[k - 1] - shortest[k - 1] + 1
    for i in range(scores.size):  # ties: the earliest onset
        t = first[k] + i
        q = first[k + 1] - t
        score = float(scores[i]) + own[q - shortest[k]]
        if k == 0:
            if score > best:
                best, best_t = score, t
            continue
        d_low = max(shortest[k - 1], t - last[k - 1])
        n = min(longest[k - 1], t - first[k - 1]) - d_low + 1
        at = (t - d_low - first[k - 1]) * width_before + d_low - shortest[k - 1]
        top = -np.inf
        for j in range(n):
            value = before[at - j * (width_before - 1)] + c * q * (d_low + j)
            top = value if value > top else top
        if score + top > best:
            best, best_t = score + top, t
            j = n - 1  # ties: the greatest length, which is the earliest onset
            while j > 0 and before[at - j * (width_before - 1)] + c * q * (d_low + j) < top:
                j -= 1
            best_d = d_low + j
    return best, best_t, best_d
