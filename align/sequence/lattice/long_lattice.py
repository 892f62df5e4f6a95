"""Long recordings with a lattice: a guess of when its nodes begin, then windows around the guess.

The table of N nodes at T frames grows with the square of a recording's length: ten minutes of
speech from text have some 20,000 nodes at 120,000 frames. Here it is never laid out:

1. *Guess.* One path through the lattice, the one that leaves out least (`fullest_path`), is
   aligned as a sequence, which can be done for hours (`align.decoders.decode_coarse_to_fine`). A
   pause nobody made then takes a frame or two, and a variant nobody used lies where the one used
   is.
2. *Windows.* A node on the path may begin `reach` frames either side of where the path has it, any
   other node from `reach` frames before the nodes of the path it follows to `reach` frames after
   those that follow it. The lattice is decoded exactly within the windows.
3. *Check.* An onset that comes near the edge of its window says that the window was too narrow.
   All windows around there are doubled, all are centred on the new path, and the lattice is
   decoded again, until no onset is near an edge. The score never falls from one round to the next.

That no path has a better score with an onset outside of its window is made likely, not proven, as
in `align.decoders.coarse`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from align._numba import compiled
from align.decoders import Lattice, LatticePath
from align.decoders.window_search import near_edges, search_in_windows
from align.errors import ParameterError
from align.sequence.lattice.lattices import arcs_in_order, neighbours
from align.types import BoolArray, IntArray

_MOST_ROUNDS = 20
_MOST_CELLS = 2 * 10**8  # frames of all windows, 8 bytes each
_SPAN = 4  # windows within so many times the reach of an onset near an edge are widened
_EDGE = 8  # nearer to the edge than this part of the reach is too near


class Guess(NamedTuple):
    """Some nodes of a path through the lattice [shape=(M,)], and the frames where they begin."""

    nodes: IntArray
    onsets: IntArray


def fullest_path(lattice: Lattice) -> IntArray:
    """Return the nodes of the path on which arcs score most and, of those, most nodes lie.

    Scores of arcs, of the start and of the end count.

    Examples
    --------
    >>> fullest_path(Lattice.from_alternatives([[["the"]], [["pause"], []], [["kiwi"]]]))
    array([0, 1, 2])
    """
    best: dict[int, tuple[float, int]] = {
        v: (score, 1)
        for v, score in zip(lattice.starts.tolist(), lattice.start_score.tolist(), strict=True)
    }
    before = dict.fromkeys(best, -1)
    arcs = arcs_in_order(lattice)
    scores = lattice.arc_score[arcs].tolist()
    for (u, v), score in zip(lattice.arcs[arcs].tolist(), scores, strict=True):
        here = best[u][0] + score, best[u][1] + 1
        if v not in best or here > best[v]:
            best[v], before[v] = here, u
    ends = zip(lattice.ends.tolist(), lattice.end_score.tolist(), strict=True)
    last = max(ends, key=lambda end: (best[end[0]][0] + end[1], best[end[0]][1]))[0]
    walk = [last]
    while before[walk[-1]] >= 0:
        walk.append(before[walk[-1]])
    return np.array(walk[::-1], dtype=np.intp)


def reachable_windows(lattice: Lattice, windows: IntArray) -> IntArray:
    """Return windows [shape=(N, 2)] without the frames that no path within them could reach.

    First frame of each node and one past the last, before and after.

    Examples
    --------
    >>> reachable_windows(Lattice.chain(3), np.array([[0, 100], [40, 50], [0, 100]])).tolist()
    [[0, 49], [40, 50], [41, 100]]
    """
    low, high = windows[:, 0].tolist(), windows[:, 1].tolist()
    before, after = neighbours(lattice)
    starts, ends = set(lattice.starts.tolist()), set(lattice.ends.tolist())
    order = lattice.order.tolist()
    for v in order:
        if v not in starts:
            low[v] = max(low[v], 1 + min(low[u] for u in before[v]))
    for v in reversed(order):
        if v not in ends:
            high[v] = min(high[v], max(high[w] for w in after[v]) - 1)
    return np.stack((low, np.maximum(low, high)), axis=1)


def node_windows(lattice: Lattice, guess: Guess, n_frames: int, reach: IntArray) -> IntArray:
    """Return where each node may begin, given a guess of a path and its onsets.

    First frame of each window and one past the last [shape=(N, 2)], within the T = `n_frames`
    frames; `reach` [shape=(N,)] frames either side of what the guess says of a node.

    Examples
    --------
    The guess has no pause; one could begin between the onset of the word before and that after:

    >>> lattice = Lattice.from_alternatives([[["the"]], [["pause"], []], [["kiwi"]]])
    >>> guess = Guess(np.array([0, 2]), np.array([0, 30]))
    >>> node_windows(lattice, guess, 100, np.full(3, 5)).tolist()
    [[0, 6], [0, 36], [25, 36]]
    """
    known = np.full(lattice.n_nodes, -1, dtype=np.intp)
    known[guess.nodes] = guess.onsets
    low, high = np.maximum(known, 0), np.where(known < 0, n_frames - 1, known)
    _between(lattice.arcs[arcs_in_order(lattice)], known, low, high)
    first, last = np.minimum(low, high) - reach, np.maximum(low, high) + reach
    return np.stack((np.maximum(first, 0), np.minimum(last + 1, n_frames)), axis=1)


@compiled()
def _between(arcs: IntArray, known: IntArray, low: IntArray, high: IntArray) -> None:
    """Set the times between which nodes that are not `known` lie, along arcs and against them."""
    for u, v in arcs:
        if known[v] < 0:
            low[v] = max(low[v], low[u])
    for u, v in arcs[::-1]:
        if known[u] < 0:
            high[u] = min(high[u], high[v])


def decode_in_windows(
    decode: Callable[[IntArray], LatticePath],
    lattice: Lattice,
    guess: Guess,
    n_frames: int,
    reach: int,
) -> tuple[LatticePath, IntArray]:
    """Return the best path of a lattice in windows around a guess, wider ones where it needs them.

    `decode` returns the best path within windows [shape=(N, 2)], or raises ParameterError where
    none is; `reach` are frames either side of the guess, at first. The windows it was found in
    come with it. Raises ParameterError where windows would have to be wider than memory allows, or
    no path can be timed at all.
    """
    search = _Search(lattice, guess, n_frames, reach)
    found = search_in_windows(
        search.windows(), decode, search.near, search.widen, most_rounds=_MOST_ROUNDS
    )
    return found.found, found.windows


class _Search:
    """Windows of the nodes of a lattice: each has a reach of its own around the last path."""

    def __init__(self, lattice: Lattice, guess: Guess, n_frames: int, reach: int) -> None:
        self.lattice, self.guess, self.n_frames = lattice, guess, n_frames
        self.reaches: IntArray = np.full(lattice.n_nodes, min(reach, n_frames), dtype=np.intp)

    def windows(self) -> IntArray:
        windows = node_windows(self.lattice, self.guess, self.n_frames, self.reaches)
        if np.diff(windows).sum() > _MOST_CELLS:
            raise ParameterError(
                f"{self.lattice.n_nodes} nodes in {self.n_frames} frames are too much to align at "
                "once; cut the recording at pauses, into parts of a few minutes."
            )
        return windows

    def near(self, found: LatticePath, windows: IntArray) -> BoolArray:
        limits = np.broadcast_to(np.array([0, self.n_frames]), (len(found.nodes), 2))
        margin = np.maximum(1, self.reaches[found.nodes] // _EDGE)
        return near_edges(found.onsets, windows[found.nodes], limits, margin)

    def widen(
        self,
        windows: IntArray,
        found: LatticePath | None,
        near: BoolArray | None,
    ) -> IntArray | None:
        if found is None or near is None:
            if self.reaches.min() >= self.n_frames:
                return None
            wider = np.ones(self.lattice.n_nodes, dtype=bool)
        else:
            self.guess = Guess(found.nodes, found.onsets)
            wider = np.zeros(self.lattice.n_nodes, dtype=bool)
            for node, t in zip(found.nodes[near], found.onsets[near], strict=True):
                far = _SPAN * int(self.reaches[node])
                wider |= (windows[:, 0] <= t + far) & (windows[:, 1] > t - far)
        self.reaches[wider] = np.minimum(2 * self.reaches[wider], self.n_frames)
        return self.windows()
