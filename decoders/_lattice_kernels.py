"""Kernels of `align.decoders.decode_lattice`, which states the recursion."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.types import FloatArray, IntArray

__all__ = ["Graph", "Limits", "Scores", "backtrack", "cut_windows", "forward"]

_BLOCK = 1024  # frames whose partial maxima stay in the first-level cache
_GROUP = 8  # lengths in one sweep; `_sweep` is written out for this number


class Graph(NamedTuple):
    """Nodes in topological order and the arcs out of each, then into each."""

    order: IntArray
    event: IntArray
    out_from: IntArray  # arcs out of v are out_arc[out_from[v] : out_from[v + 1]]
    out_arc: IntArray
    in_from: IntArray
    in_arc: IntArray
    source: IntArray
    target: IntArray
    score: npt.NDArray[np.float64]
    start_score: npt.NDArray[np.float64]  # of each node; -inf where no path begins
    end_score: npt.NDArray[np.float64]


class Limits(NamedTuple):
    """First and last frame of each node, last < first where it cannot occur; its lengths."""

    first: IntArray
    last: IntArray
    shortest: IntArray
    longest: IntArray


class Scores(NamedTuple):
    """Tables and, except for `onset`, the row of each node or arc; row -1 scores 0."""

    onset: FloatArray
    start: IntArray  # of each event
    duration: npt.NDArray[np.float64]
    duration_row: IntArray
    prefix: npt.NDArray[np.float64]
    prefix_row: IntArray
    transition: npt.NDArray[np.float64]
    transition_row: IntArray
    flat: bool  # lengths score nothing


@compiled()
def cut_windows(graph: Graph, limits: Limits, n_frames: int) -> None:
    """Cut the window of each node to what can be reached from a start and lead to an end."""
    first, last, shortest, longest = limits
    far = n_frames + 1
    for v in graph.order:
        low, high = far, -1
        if graph.start_score[v] > -np.inf:
            low, high = 0, n_frames
        for a in graph.in_arc[graph.in_from[v] : graph.in_from[v + 1]]:
            u = graph.source[a]
            if last[u] >= first[u]:
                low = min(low, first[u] + shortest[u])
                high = max(high, last[u] + longest[u])
        first[v] = max(first[v], low)
        last[v] = min(last[v], high)
        if shortest[v] > longest[v]:
            last[v] = -1
            first[v] = 0
    for v in graph.order[::-1]:
        low, high = far, -1
        if graph.end_score[v] > -np.inf:
            low, high = n_frames - longest[v], n_frames - shortest[v]
        for a in graph.out_arc[graph.out_from[v] : graph.out_from[v + 1]]:
            w = graph.target[a]
            if last[w] >= first[w]:
                low = min(low, first[w] - longest[v])
                high = max(high, last[w] - shortest[v])
        first[v] = max(first[v], low)
        last[v] = min(last[v], high)
        if first[v] > last[v]:
            last[v] = -1
            first[v] = 0


@compiled()
def forward(
    graph: Graph,
    limits: Limits,
    scores: Scores,
    n_frames: int,
    offset: IntArray,
    best: npt.NDArray[np.float64],
    final: npt.NDArray[np.float64],
) -> None:
    """Fill the onset scores of each node from those of its predecessors, which come to it."""
    first, last = limits.first, limits.last
    widest = np.max(last - first) + 1
    padded = np.empty(widest + 2 * _GROUP)
    ends = np.empty(n_frames + 1)
    for v in graph.order:
        here = best[offset[v] : offset[v + 1]]
        if here.size == 0:
            continue
        event = graph.event[v]
        row = scores.prefix_row[v]
        shift = first[v] - scores.start[event]
        for i in range(here.size):
            value = max(here[i], graph.start_score[v]) + scores.onset[event, shift + i]
            here[i] = value - scores.prefix[row, first[v] + i] if row >= 0 else value
        # frames at which something may follow
        low, high = n_frames, -1
        if graph.end_score[v] > -np.inf:
            high = n_frames
        arcs = graph.out_arc[graph.out_from[v] : graph.out_from[v + 1]]
        for a in arcs:
            w = graph.target[a]
            if last[w] >= first[w]:
                low, high = min(low, first[w]), max(high, last[w])
        low = max(low, first[v] + limits.shortest[v])
        high = min(high, last[v] + limits.longest[v])
        if low > high:
            continue
        until = ends[low : high + 1]
        shortest = max(limits.shortest[v], low - last[v])
        longest = min(limits.longest[v], high - first[v])
        shift = low - first[v] - shortest
        if scores.flat and limits.longest[v] >= high - first[v]:
            top = -np.inf
            for i in range(max(0, shift)):
                top = max(top, here[i])
            for i in range(until.size):
                if i + shift < here.size:
                    top = max(top, here[i + shift])
                until[i] = top
        else:
            padded[:_GROUP] = -np.inf
            padded[_GROUP : _GROUP + here.size] = here
            padded[_GROUP + here.size : here.size + 2 * _GROUP] = -np.inf
            lengths = scores.duration[scores.duration_row[v], shortest : longest + 1]
            _spread(padded, here.size, shift, lengths, until)
        if row >= 0:
            for i in range(until.size):
                until[i] += scores.prefix[row, low + i]
        for a in arcs:
            w, arc, cross = graph.target[a], graph.score[a], scores.transition_row[a]
            begin, stop = max(low, first[w]), min(high, last[w]) + 1
            if begin >= stop:
                continue
            at = offset[w] + begin - first[w]
            to, come = best[at : at + stop - begin], ends[begin:stop]
            if cross < 0:
                for i in range(to.size):
                    value = come[i] + arc
                    to[i] = value if value > to[i] else to[i]
            else:
                more = scores.transition[cross, begin:stop]
                for i in range(to.size):
                    value = come[i] + arc + more[i]
                    to[i] = value if value > to[i] else to[i]
        if graph.end_score[v] > -np.inf and high == n_frames:
            final[v] = ends[n_frames] + graph.end_score[v]


@compiled()
def _spread(
    padded: npt.NDArray[np.float64],
    n_before: int,
    shift: int,
    duration: npt.NDArray[np.float64],
    here: npt.NDArray[np.float64],
) -> None:
    """``here[i] = max { padded[_GROUP + i + shift - d] + duration[d] : d }``."""
    here[:] = -np.inf
    lengths = np.empty(_GROUP)
    for block in range(0, here.size, _BLOCK):
        stop = min(here.size, block + _BLOCK)
        for g in range(0, duration.size, _GROUP):
            reach = shift - g
            begin = max(block, -reach)
            end = min(stop, n_before - reach + _GROUP - 1)
            if begin < end:
                for r in range(_GROUP):
                    lengths[r] = duration[g + r] if g + r < duration.size else -np.inf
                _sweep(padded[begin + reach + 1 : end + reach + _GROUP], lengths, here[begin:end])


@compiled()
def _sweep(
    before: npt.NDArray[np.float64],
    lengths: npt.NDArray[np.float64],
    here: npt.NDArray[np.float64],
) -> None:
    """Eight lengths at once, in vector instructions; as in `align.decoders.semi_markov`."""
    b0, b1, b2, b3 = lengths[0], lengths[1], lengths[2], lengths[3]
    b4, b5, b6, b7 = lengths[4], lengths[5], lengths[6], lengths[7]
    for i in range(here.size):
        v0 = before[i + 7] + b0
        v1 = before[i + 6] + b1
        v2 = before[i + 5] + b2
        v3 = before[i + 4] + b3
        v4 = before[i + 3] + b4
        v5 = before[i + 2] + b5
        v6 = before[i + 1] + b6
        v7 = before[i] + b7
        v0 = v0 if v0 > v1 else v1
        v2 = v2 if v2 > v3 else v3
        v4 = v4 if v4 > v5 else v5
        v6 = v6 if v6 > v7 else v7
        v0 = v0 if v0 > v2 else v2
        v4 = v4 if v4 > v6 else v6
        v0 = v0 if v0 > v4 else v4
        here[i] = v0 if v0 > here[i] else here[i]


@compiled()
def backtrack(
    graph: Graph,
    limits: Limits,
    scores: Scores,
    n_frames: int,
    offset: IntArray,
    best: npt.NDArray[np.float64],
    final: npt.NDArray[np.float64],
    nodes: IntArray,
    onsets: IntArray,
) -> int:
    """Write the path to the back of `nodes` and `onsets`; return its size."""
    top, node, after = -np.inf, -1, n_frames
    for v in range(final.size):  # ties: the earliest onset, then the lowest node
        if final[v] == -np.inf or final[v] < top:
            continue
        _, t = _onset(limits, scores, offset, best, v, n_frames)
        if final[v] > top or t < after:
            top, node, after = final[v], v, t
    size = 0
    while node >= 0:
        size += 1
        nodes[-size], onsets[-size] = node, after
        # ties: begin here, else the earliest onset, else the lowest node
        top, before, at = graph.start_score[node], -1, after
        for a in graph.in_arc[graph.in_from[node] : graph.in_from[node + 1]]:
            u = graph.source[a]
            value, t = _onset(limits, scores, offset, best, u, after)
            row, cross = scores.prefix_row[u], scores.transition_row[a]
            if row >= 0:
                value += scores.prefix[row, after]
            value += graph.score[a]
            if cross >= 0:
                value += scores.transition[cross, after]
            if value > top or (value == top and before >= 0 and t < at):
                top, before, at = value, u, t
        node, after = before, at
    return size


@compiled()
def _onset(
    limits: Limits,
    scores: Scores,
    offset: IntArray,
    best: npt.NDArray[np.float64],
    v: int,
    after: int,
) -> tuple[float, int]:
    """Best score, and the earliest onset that has it, of node v ending at frame `after`."""
    first = limits.first[v]
    low = max(first, after - limits.longest[v])
    high = min(limits.last[v], after - limits.shortest[v])
    top, at = -np.inf, low
    for t in range(low, high + 1):
        value = best[offset[v] + t - first] + scores.duration[scores.duration_row[v], after - t]
        if value > top:
            top, at = value, t
    return top, at
