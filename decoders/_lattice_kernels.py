"""Kernels of `align.decoders.decode_lattice`, which states the recursion."""

from typing import NamedTuple

import numpy as np

from align._numba import compiled
from align.decoders._max_plus import Room, best_start, best_sums, room_for
from align.types import Float64, FloatArray, IntArray


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
    score: Float64
    start_score: Float64  # of each node; -inf where no path begins
    end_score: Float64


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
    duration: Float64
    duration_row: IntArray
    prefix: Float64
    prefix_row: IntArray
    transition: Float64
    transition_row: IntArray
    flat: bool  # lengths score nothing


@compiled()
def cut_windows(graph: Graph, limits: Limits, n_frames: int) -> None:
    """Cut the window of each node to what can be reached from a start and lead to an end."""
    # One pass along the arcs, one against them. Unlike a chain, a node needs one neighbour only:
    # its window is cut to what the widest of them leave it, and no neighbour left empties it.
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
    best: Float64,
    final: Float64,
) -> None:
    """Fill D of all nodes, and of end nodes the score at which the recording ends with them.

    ``best`` holds the rows D_v one after the other, all -inf at first, and ``final`` one number a
    node. Nodes come in topological order, so all that leads to a node has been pushed into its row
    before it is reached. Pushing along the arcs out of a node, rather than pulling along those
    into it, searches the lengths of each node once, however many arcs leave it.
    """
    widest = np.max(limits.last - limits.first) + 1
    room = room_for(widest, n_frames + 2, n_frames + 1)
    ends = np.empty(n_frames + 1)  # E of one node, at the frames low .. high
    for v in graph.order:
        here = best[offset[v] : offset[v + 1]]
        if here.size == 0:  # a node that no path can pass in time
            continue
        _begin(graph, limits, scores, v, here)
        low, high = _frames_after(graph, limits, v, n_frames)
        if low > high:
            continue
        _end(limits, scores, v, here, low, ends[low : high + 1], room)
        for a in graph.out_arc[graph.out_from[v] : graph.out_from[v + 1]]:
            w, cross = graph.target[a], scores.transition_row[a]
            begin, stop = max(low, limits.first[w]), min(high, limits.last[w]) + 1
            if begin < stop:
                at = offset[w] + begin - limits.first[w]
                to = best[at : at + stop - begin]
                more = scores.transition[max(cross, 0), begin:stop]
                _push(ends[begin:stop], graph.score[a], more, cross >= 0, to)
        if graph.end_score[v] > -np.inf and high == n_frames:
            final[v] = ends[n_frames] + graph.end_score[v]


@compiled()
def _begin(graph: Graph, limits: Limits, scores: Scores, v: int, here: Float64) -> None:
    """Turn the best of what leads to node v into D_v: paths may begin there, the onset scores."""
    event, row = graph.event[v], scores.prefix_row[v]
    # slices, since an index that might be negative is looked at each time: no vector loop then
    shift = limits.first[v] - scores.start[event]
    onset, start = scores.onset[event, shift : shift + here.size], graph.start_score[v]
    for i in range(here.size):
        here[i] = (here[i] if here[i] > start else start) + onset[i]
    if row >= 0:
        before = scores.prefix[row, limits.first[v] : limits.first[v] + here.size]
        for i in range(here.size):
            here[i] -= before[i]


@compiled()
def _frames_after(graph: Graph, limits: Limits, v: int, n_frames: int) -> tuple[int, int]:
    """Return the first and the last frame at which something may follow node v."""
    low, high = n_frames, -1
    if graph.end_score[v] > -np.inf:
        high = n_frames
    for a in graph.out_arc[graph.out_from[v] : graph.out_from[v + 1]]:
        w = graph.target[a]
        if limits.last[w] >= limits.first[w]:
            low, high = min(low, limits.first[w]), max(high, limits.last[w])
    return (
        max(low, limits.first[v] + limits.shortest[v]),
        min(high, limits.last[v] + limits.longest[v]),
    )


@compiled()
def _end(
    limits: Limits,
    scores: Scores,
    v: int,
    here: Float64,
    low: int,
    ends: Float64,
    room: Room,
) -> None:
    """Fill E_v from frame `low` on: the best of D_v and a length, and the frames between."""
    first, row = limits.first[v], scores.prefix_row[v]
    high = low + ends.size - 1
    shortest = max(limits.shortest[v], low - limits.last[v])
    longest = min(limits.longest[v], high - first)
    shift = low - first - shortest
    lengths = scores.duration[scores.duration_row[v], shortest : longest + 1]
    free = scores.flat and limits.longest[v] >= high - first
    best_sums(here, shift, lengths, free, ends.size, room)
    for i in range(ends.size):
        ends[i] = room.sums[i]
    if row >= 0:
        after = scores.prefix[row, low : low + ends.size]
        for i in range(ends.size):
            ends[i] += after[i]


@compiled()
def _push(ends: Float64, arc: float, more: Float64, crosses: bool, to: Float64) -> None:
    """Raise what leads to a node to what comes along one arc; `more` counts if it `crosses`."""
    if crosses:
        for i in range(to.size):
            value = ends[i] + arc + more[i]
            to[i] = value if value > to[i] else to[i]
    else:
        for i in range(to.size):
            value = ends[i] + arc
            to[i] = value if value > to[i] else to[i]


@compiled()
def backtrack(
    graph: Graph,
    limits: Limits,
    scores: Scores,
    n_frames: int,
    offset: IntArray,
    best: Float64,
    final: Float64,
    nodes: IntArray,
    onsets: IntArray,
) -> int:
    """Write the path to the back of `nodes` and `onsets`; return its size."""
    # As in `forward`, no back-pointers: each step looks again at all arcs into the node it is at.
    # Adding in the order of `forward` gives the same rounding, so that ties are found again.
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
    best: Float64,
    v: int,
    after: int,
) -> tuple[float, int]:
    """Best score, and the earliest onset that has it, of node v ending at frame `after`."""
    first = limits.first[v]
    return best_start(
        best[offset[v] : offset[v + 1]],
        first,
        max(first, after - limits.longest[v]),
        min(limits.last[v], after - limits.shortest[v]),
        scores.duration[scores.duration_row[v]],
        after,
    )
