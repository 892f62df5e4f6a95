"""The states that a bound leaves, and second-order decoding over them alone.

State ``(t, d)`` of event k begins at frame t and lasts d frames. With F and B of
`align.decoders._first_order`, for potentials that score no timing lower than it deserves, no
timing through the state scores more than ::

    F_k(t) + duration[row_k, d] + onset[k+1, t + d] + B_{k+1}(t + d)

States whose bound is below a threshold are dropped; those that remain are listed by onset, and
again by the frame they end at, so that each onset finds its predecessors side by side. The
recursion over them is that of `align.decoders.second_order`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._first_order import Tables
from align.decoders._numba import compiled
from align.types import IntArray

__all__ = [
    "States",
    "best_of",
    "count_frames",
    "count_states",
    "list_frames",
    "list_states",
]

_Small = npt.NDArray[np.int32]
_FEW = 6  # lines for each length, up to which trying all is faster than their hull


class States(NamedTuple):
    """Frames that remain of each onset, and states that remain between them.

    Attributes
    ----------
    node : np.ndarray [shape=(K + 2,), dtype=intp]
        Frames of onset k are ``frame[node[k] : node[k + 1]]``, rising; those of K are T alone.
    frame : np.ndarray [dtype=int32]
    begin : np.ndarray [dtype=intp]
        States that begin at frame i are ``begin[i] .. begin[i + 1] - 1``, by rising length.
    length : np.ndarray [dtype=int32]
        Of each state.
    finish : np.ndarray [dtype=intp]
        States that end at frame i are ``ending[finish[i] : finish[i + 1]]``, by rising length.
    ending : np.ndarray [dtype=int32]
    """

    node: IntArray
    frame: _Small
    begin: IntArray
    length: _Small
    finish: IntArray
    ending: _Small


@compiled()
def count_frames(
    tables: Tables,
    before: npt.NDArray[np.float64],
    after: npt.NDArray[np.float64],
    threshold: float,
    node: IntArray,
) -> int:
    """Count the frames whose max-marginal reaches the threshold, and T; fill `node`."""
    n_events = tables.row.size
    n = 0
    for k in range(n_events):
        node[k] = n
        for i in range(tables.offset[k], tables.offset[k + 1]):
            n += before[i] + after[i] >= threshold
    node[n_events] = n
    node[n_events + 1] = n + 1
    return n + 1


@compiled()
def list_frames(
    tables: Tables,
    before: npt.NDArray[np.float64],
    after: npt.NDArray[np.float64],
    threshold: float,
    frame: _Small,
    upto: npt.NDArray[np.float64],
    since: npt.NDArray[np.float64],
) -> None:
    """List what `count_frames` counted, and both scores of each.

    Of a frame t of onset k, `upto` is F_k(t) and `since` is onset[k, t] + B_k(t).
    """
    first, offset = tables.windows.first, tables.offset
    n_events = tables.row.size
    n = 0
    for k in range(n_events):
        shift = first[k] - tables.start[k]
        for i in range(offset[k + 1] - offset[k]):
            f, b = before[offset[k] + i], after[offset[k] + i]
            if f + b >= threshold:
                frame[n] = first[k] + i
                upto[n] = f
                since[n] = tables.onset[k, shift + i] + b
                n += 1
    frame[n], upto[n], since[n] = first[n_events], -np.inf, 0.0


@compiled()
def count_states(
    tables: Tables,
    threshold: float,
    limit: int,
    node: IntArray,
    frame: _Small,
    upto: npt.NDArray[np.float64],
    since: npt.NDArray[np.float64],
    begin: IntArray,
    finish: IntArray,
) -> int:
    """Count the states whose bound reaches the threshold, or stop above `limit`.

    `begin` receives where the states of each frame begin, `finish` how many end there.
    """
    shortest, longest = tables.windows.shortest, tables.windows.longest
    finish[:] = 0
    n = 0
    for k in range(tables.row.size):
        duration = tables.duration[tables.row[k]]
        low = node[k + 1]
        for i in range(node[k], node[k + 1]):
            begin[i] = n
            t = frame[i]
            least = threshold - upto[i]
            while low < node[k + 2] and frame[low] - t < shortest[k]:
                low += 1
            for j in range(low, node[k + 2]):
                d = frame[j] - t
                if d > longest[k]:
                    break
                if duration[d] + since[j] >= least:
                    n += 1
                    finish[j] += 1
            if n > limit:
                return n
    begin[node[tables.row.size]] = n
    return n


@compiled()
def list_states(
    tables: Tables,
    threshold: float,
    states: States,
    upto: npt.NDArray[np.float64],
    since: npt.NDArray[np.float64],
) -> None:
    """List what `count_states` counted; turns ``states.finish`` from numbers into places."""
    shortest, longest = tables.windows.shortest, tables.windows.longest
    node, frame, length = states.node, states.frame, states.length
    finish, ending = states.finish, states.ending
    n_events = tables.row.size
    total = 0
    for j in range(node[n_events + 1]):  # one past the last of each; filled from the back
        total += finish[j]
        finish[j] = total
    finish[node[n_events + 1]] = total
    n = 0
    for k in range(n_events):
        duration = tables.duration[tables.row[k]]
        low = node[k + 1]
        for i in range(node[k], node[k + 1]):
            t = frame[i]
            least = threshold - upto[i]
            while low < node[k + 2] and frame[low] - t < shortest[k]:
                low += 1
            for j in range(low, node[k + 2]):
                d = frame[j] - t
                if d > longest[k]:
                    break
                if duration[d] + since[j] >= least:
                    length[n] = d
                    finish[j] -= 1  # later onsets, shorter lengths, come first
                    ending[finish[j]] = n
                    n += 1


@compiled()
def best_of(
    tables: Tables,
    states: States,
    square: npt.NDArray[np.float64],
    cross: npt.NDArray[np.float64],
    value: npt.NDArray[np.float64],
    back: _Small,
    onsets: IntArray,
) -> float:
    """Find the best path through the states; -inf where there is none.

    Onset and duration scores are those of the tables; event k lasting d frames after one that
    lasts d' scores ``square[k] d**2 + cross[k] d' d`` besides.
    """
    node, frame, begin, length = states.node, states.frame, states.begin, states.length
    finish, ending = states.finish, states.ending
    n_events = onsets.size
    most = 1
    for i in range(node[n_events]):
        most = max(most, finish[i + 1] - finish[i])
    x, y = np.empty(most), np.empty(most)
    line, hull = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.intp)
    for k in range(n_events):
        shift = tables.start[k]
        for i in range(node[k], node[k + 1]):
            score = float(tables.onset[k, frame[i] - shift])
            n = 0
            if k == 0:
                x[0] = y[0] = 0.0
                line[0] = -1
                n = 1
            for p in range(finish[i], finish[i + 1]):
                s = ending[p]
                if value[s] > -np.inf:
                    x[n], y[n], line[n] = float(length[s]), value[s], s
                    n += 1
            low, high = begin[i], begin[i + 1]
            duration = tables.duration[tables.row[k]]
            a, c = square[k], cross[k]
            if n == 0:
                value[low:high] = -np.inf
            elif n <= _FEW or n * (high - low) <= _FEW * (n + high - low):
                for s in range(low, high):
                    d = float(length[s])
                    q = c * d
                    top, at = -np.inf, 0
                    for p in range(n):  # ties: the greatest length, the earliest onset
                        v = y[p] + q * x[p]
                        if v >= top:
                            top, at = v, p
                    value[s] = score + (duration[length[s]] + a * d * d + top)
                    back[s] = line[at]
            else:
                m = _upper_hull(x, y, n, hull)
                p, step, stop = (0, 1, m) if c > 0.0 else (m, -1, 0)
                for s in range(low, high):  # the best line moves one way, as q grows
                    d = float(length[s])
                    q = c * d
                    top = y[hull[p]] + q * x[hull[p]]
                    while p != stop:
                        other = y[hull[p + step]] + q * x[hull[p + step]]
                        if other < top or (other == top and step < 0):
                            break
                        top = other
                        p += step
                    value[s] = score + (duration[length[s]] + a * d * d + top)
                    back[s] = line[hull[p]]
    best, at = -np.inf, -1
    for s in range(begin[node[n_events - 1]], begin[node[n_events]]):  # ties: the earliest onset
        if value[s] > best:
            best, at = value[s], s
    after = frame[node[n_events]]
    k = n_events - 1
    while at >= 0:
        onsets[k] = after - length[at]
        after = onsets[k]
        at = back[at]
        k -= 1
    return best


@compiled()
def _upper_hull(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], n: int, hull: IntArray
) -> int:
    """Fill the points of the upper convex hull, by rising x; return the place of the last."""
    m = 0
    hull[0] = 0
    for p in range(1, n):
        while m > 0:
            a, b = hull[m - 1], hull[m]
            if (y[b] - y[a]) * (x[p] - x[b]) > (y[p] - y[b]) * (x[b] - x[a]):
                break
            m -= 1
        m += 1
        hull[m] = p
    return m
