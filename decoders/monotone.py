"""Exact decoding of onset scores alone, in O(K T).

With ``D_k(t)`` the best score of events ``0 .. k`` where event k begins at frame t::

    D_0(t) = onset[0, t]
    D_k(t) = onset[k, t] + max { D_{k-1}(t') : shortest <= t - t' <= longest }

and the best path ends where ``D_{K-1}`` is greatest. The maximum runs over a window that slides
with t. Where the longest length does not bind, the window never lets go of a frame, and a running
maximum is enough; where it does, a queue of candidates gives the maximum in O(1) a frame. Rows are
kept, and onsets found in them again, as in `align.decoders._first_order`.

Conventions of time are those of `align.types`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.4.
"""

import numpy as np

from align._numba import compiled
from align.decoders._first_order import Tables, best_path
from align.decoders._rows import Row
from align.decoders._windows import is_unbound, refuse
from align.potentials import Path, Potentials
from align.types import FloatArray, IntArray


def decode_monotone(potentials: Potentials, *, max_memory: int | None = None) -> Path:
    """Find the best onsets where only onsets are scored, in O(K T) time.

    Parameters
    ----------
    potentials : Potentials
        Onset scores, windows and lengths; no duration, ratio or general scores.
    max_memory : int, optional
        Most bytes of scores to keep beside the potentials, as in `decode_semi_markov`.

    Returns
    -------
    Path
        As `decode` returns it, with its rule for ties.

    Raises
    ------
    ParameterError
        Other scores are present; or as `decode_semi_markov` does.

    Examples
    --------
    >>> onset = np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]])
    >>> decode_monotone(Potentials(onset, n_frames=4))
    Path(onsets=array([0, 2]), score=5.0)
    """
    refuse(potentials, "decode_monotone", "duration", "ratio", "general", instead="; use decode")
    return best_path(potentials, _forward, _backtrack, max_memory)


@compiled()
def _forward(tables: Tables, low: int, high: int, best: Row) -> None:
    """Fill rows low .. high - 1; `best` begins with the row before them.

    A row is D_k, or its running maximum where the longest length of event k does not bind. The
    next event then needs no loop over lengths at all: what it may follow is one value.
    """
    windows, offset = tables.windows, tables.offset
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    queue = np.empty(np.max(last - first) + 1, dtype=np.intp)
    base = offset[max(low - 1, 0)]
    for k in range(low, high):
        scores = tables.onset[k, first[k] - tables.start[k] : last[k] - tables.start[k] + 1]
        here = best[offset[k] - base : offset[k + 1] - base]
        if k == 0:  # nothing lies before the first event
            for i in range(here.size):
                here[i] = scores[i]
        else:
            before = best[offset[k - 1] - base : offset[k] - base]
            # frame first[k] + i may follow places oldest + i .. newest + i of the row before
            newest = first[k] - shortest[k - 1] - first[k - 1]
            if is_unbound(windows, k - 1):
                _after_maxima(scores, before, newest, here)
            else:
                oldest = first[k] - longest[k - 1] - first[k - 1]
                _sliding(scores, before, oldest, newest, queue, here)
        if is_unbound(windows, k):
            top = -np.inf
            for i in range(here.size):
                top = here[i] if here[i] > top else top
                here[i] = top


@compiled()
def _after_maxima(scores: FloatArray, before: Row, newest: int, here: Row) -> None:
    """Add to each score the running maximum up to place ``newest + i``."""
    # Two loops, the second for frames that may follow all of the row before: neither holds a
    # comparison. The unsigned place spares the test for negative ones, so that it is vectorised.
    inside = min(here.size, before.size - newest)
    top = before[before.size - 1]
    for i in range(inside):
        here[i] = scores[i] + before[np.uintp(newest + i)]
    for i in range(inside, here.size):
        here[i] = scores[i] + top


@compiled()
def _sliding(
    scores: FloatArray, before: Row, oldest: int, newest: int, queue: IntArray, here: Row
) -> None:
    """Add to each score the greatest of the places ``oldest + i .. newest + i``."""
    # The queue holds places that may still become the greatest, in order of time; their scores
    # fall. A new place drives out all before it that are no better: they leave the window sooner.
    # So the greatest stands at the head, and each place enters and leaves once.
    head, tail, j = 0, 0, max(0, oldest)
    for i in range(here.size):
        while j <= min(newest + i, before.size - 1):
            while tail > head and before[queue[tail - 1]] <= before[j]:
                tail -= 1
            queue[tail] = j
            tail += 1
            j += 1
        while queue[head] < oldest + i:
            head += 1
        here[i] = before[queue[head]] + scores[i]


@compiled()
def _backtrack(
    tables: Tables, low: int, high: int, end: int, best: Row, onsets: IntArray
) -> tuple[float, int]:
    """Write the onsets of events low .. high - 1; return their score and the first of them."""
    windows, offset = tables.windows, tables.offset
    first, last = windows.first, windows.last
    base = offset[max(low - 1, 0)]
    score = -np.inf
    for k in range(high - 1, low - 1, -1):
        row = best[offset[k] - base : offset[k + 1] - base]
        oldest = max(0, end - windows.longest[k] - first[k])
        newest = min(last[k], end - windows.shortest[k]) - first[k]
        # ties: the earliest. In a row of running maxima that is where the maximum rose.
        if is_unbound(windows, k):
            at = newest
            while at > 0 and row[at - 1] == row[newest]:
                at -= 1
        else:
            at = oldest
            for i in range(oldest + 1, newest + 1):
                at = i if row[i] > row[at] else at
        onsets[k] = end = first[k] + at
        if k == high - 1:
            score = row[at]
    return score, end
