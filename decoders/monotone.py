"""Exact decoding of onset scores alone, in O(K T).

With ``D_k(t)`` the best score of events ``0 .. k`` where event k begins at frame t::

    D_0(t) = onset[0, t]
    D_k(t) = onset[k, t] + max { D_{k-1}(t') : shortest <= t - t' <= longest }

and the best path ends where ``D_{K-1}`` is greatest. The maximum runs over a window that slides
with t: a running maximum where the longest length does not bind, a queue of falling candidates
where it does. No back-pointers are stored: onsets are found again in the row of each event. Where
even the rows are too much, `align.decoders._rows` keeps some and finds the others again.

Conventions of time are those of `align.types`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.4.
"""

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._rows import best_by_rows, row_offsets
from align.decoders._windows import (
    Windows,
    check_memory,
    check_values,
    explain_unreachable,
    tighten,
)
from align.errors import ParameterError
from align.potentials import Path, Potentials
from align.types import FloatArray, IntArray

__all__ = ["decode_monotone"]


def decode_monotone(potentials: Potentials, *, max_memory: int | None = None) -> Path:
    """Find the best onsets where only onsets are scored, in O(K T) time.

    Parameters
    ----------
    potentials : Potentials
        Onset scores, windows and lengths; no duration, ratio or general scores.
    max_memory : int, optional
        Most bytes of scores to keep beside the potentials, by default 1 GiB or, if it is more,
        the least that is needed. Where all K W scores do not fit, of the order of ``sqrt(K) W``
        are kept, at twice the time.

    Returns
    -------
    Path
        Onsets [shape=(K,), dtype=intp] in frames and their score. Of the onsets that share the
        best score it is those whose last onset is earliest, then the one before it, and so on.

    Raises
    ------
    ParameterError
        Other scores are present; a score is NaN or +inf; no timing meets the windows and the
        lengths, or none has a finite score; `max_memory` is not positive, or not enough (says how
        much is).

    Examples
    --------
    >>> onset = np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]])
    >>> decode_monotone(Potentials(onset, n_frames=4))
    Path(onsets=array([0, 2]), score=5.0)
    """
    for name in ("duration", "ratio"):
        scores = getattr(potentials, name)
        if scores is not None and scores.any():
            raise ParameterError(f"decode_monotone cannot score {name}; use decode.")
    if potentials.general:
        raise ParameterError("decode_monotone cannot score general functions; use decode.")
    check_memory(max_memory)
    if potentials.n_events == 0:
        return Path(np.empty(0, dtype=np.intp), potentials.constant)
    onset = check_values(potentials)
    windows = tighten(potentials)
    offset = row_offsets(windows.first, windows.last)
    onsets = np.empty(potentials.n_events, dtype=np.intp)

    def forward(low: int, high: int, best: npt.NDArray[np.float64]) -> None:
        _forward(onset, potentials.start, windows, offset, low, high, best)

    def backtrack(
        low: int, high: int, after: int, best: npt.NDArray[np.float64]
    ) -> tuple[float, int]:
        return _backtrack(windows, offset, low, high, after, best, onsets)

    score = best_by_rows(offset, potentials.n_frames, forward, backtrack, max_memory)
    if score == -np.inf:
        raise explain_unreachable(potentials, windows)
    return Path(onsets, score + potentials.constant)


@compiled()
def _forward(
    onset: FloatArray,
    start: IntArray,
    windows: Windows,
    offset: IntArray,
    low_event: int,
    high_event: int,
    best: npt.NDArray[np.float64],
) -> None:
    """Fill rows low_event .. high_event - 1; `best` begins with the row before them.

    A row is D_k, or its running maximum where the longest length does not bind.
    """
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    queue = np.empty(np.max(last - first) + 1, dtype=np.intp)
    base = offset[max(low_event - 1, 0)]
    for k in range(low_event, high_event):
        scores = onset[k, first[k] - start[k] : last[k] - start[k] + 1]
        here = best[offset[k] - base : offset[k + 1] - base]
        if k == 0:
            for i in range(here.size):
                here[i] = scores[i]
        else:
            # frame first[k] + i of this event may follow the frames low + i .. high + i before
            before = best[offset[k - 1] - base : offset[k] - base]
            high = first[k] - shortest[k - 1] - first[k - 1]
            if longest[k - 1] >= last[k] - first[k - 1]:
                inside = min(here.size, before.size - high)
                top = before[before.size - 1]
                for i in range(inside):
                    here[i] = scores[i] + before[np.uintp(high + i)]
                for i in range(inside, here.size):
                    here[i] = scores[i] + top
            else:
                low = first[k] - longest[k - 1] - first[k - 1]
                _sliding(scores, before, low, high, queue, here)
        if longest[k] >= last[k + 1] - first[k]:
            top = -np.inf
            for i in range(here.size):
                top = here[i] if here[i] > top else top
                here[i] = top


@compiled()
def _sliding(
    scores: FloatArray,
    before: npt.NDArray[np.float64],
    low: int,
    high: int,
    queue: IntArray,
    here: npt.NDArray[np.float64],
) -> None:
    head, tail, j = 0, 0, max(0, low)
    for i in range(here.size):
        while j <= min(high + i, before.size - 1):
            while tail > head and before[queue[tail - 1]] <= before[j]:
                tail -= 1
            queue[tail] = j
            tail += 1
            j += 1
        while queue[head] < low + i:
            head += 1
        here[i] = before[queue[head]] + scores[i]


@compiled()
def _backtrack(
    windows: Windows,
    offset: IntArray,
    low_event: int,
    high_event: int,
    after: int,
    best: npt.NDArray[np.float64],
    onsets: IntArray,
) -> tuple[float, int]:
    """Find the onsets from the last to the first; ties go to the earliest."""
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    base = offset[max(low_event - 1, 0)]
    score = -np.inf
    for k in range(high_event - 1, low_event - 1, -1):
        row = best[offset[k] - base : offset[k + 1] - base]
        low = max(0, after - longest[k] - first[k])
        high = min(last[k], after - shortest[k]) - first[k]
        if longest[k] >= last[k + 1] - first[k]:  # the running maximum rose there
            at = high
            while at > 0 and row[at - 1] == row[high]:
                at -= 1
        else:
            at = low
            for i in range(low + 1, high + 1):
                at = i if row[i] > row[at] else at
        onsets[k] = first[k] + at
        after = onsets[k]
        if k == high_event - 1:
            score = row[at]
    return score, after
