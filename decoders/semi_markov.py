"""Exact decoding of onset and duration scores, in O(K T L).

With ``D_k(t)`` the best score of events ``0 .. k-1`` and of the onset of event k at frame t::

    D_0(t) = onset[0, t]
    D_k(t) = onset[k, t] + max { D_{k-1}(t - d) + duration[row_{k-1}, d] : d }

and the best path is where ``D_{K-1}(t) + duration[row_{K-1}, T - t]`` is greatest. The kernel
runs over frames inside, over lengths outside, eight lengths in one sweep, so that the compiler
makes it vector instructions that keep partial maxima in registers; it stores no back-pointers:
the best length of each event is found again, at the L cells of the one path that matters. Where
even the rows D_k are too much, `align.decoders._rows` keeps some and finds the others again.

Conventions of time are those of `align.types`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.4.
Sarawagi and Cohen, "Semi-Markov conditional random fields", NIPS 2004.
"""

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._rows import Row, best_by_rows, row_offsets
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

__all__ = ["decode_semi_markov"]

_BLOCK = 1024  # frames whose partial maxima stay in the first-level cache
_GROUP = 8  # lengths in one sweep; `_sweep` is written out for this number


def decode_semi_markov(potentials: Potentials, *, max_memory: int | None = None) -> Path:
    """Find the best onsets where onsets and lengths are scored, in O(K T L) time.

    Parameters
    ----------
    potentials : Potentials
        Onset and duration scores, windows and lengths; no ratio or general scores.
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
    >>> duration = np.array([[-np.inf, 0.0, 4.0, 0.0, 0.0]])  # two frames are best
    >>> decode_semi_markov(Potentials(np.zeros((2, 4)), n_frames=4, duration=duration))
    Path(onsets=array([0, 2]), score=8.0)
    """
    if potentials.ratio is not None and potentials.ratio.any():
        raise ParameterError("decode_semi_markov cannot score ratio; use decode.")
    if potentials.general:
        raise ParameterError("decode_semi_markov cannot score general functions; use decode.")
    check_memory(max_memory)
    if potentials.n_events == 0:
        return Path(np.empty(0, dtype=np.intp), potentials.constant)
    onset = check_values(potentials)
    windows = tighten(potentials)
    row: IntArray
    if potentials.duration is None:
        duration = np.zeros((1, int(windows.longest.max()) + 1))
        row = np.zeros(potentials.n_events, dtype=np.intp)
    else:
        assert potentials.duration_row is not None
        duration = np.ascontiguousarray(potentials.duration, dtype=np.float64)
        row = potentials.duration_row
    offset = row_offsets(windows.first, windows.last)
    onsets = np.empty(potentials.n_events, dtype=np.intp)
    start = potentials.start

    def forward(low: int, high: int, best: Row) -> None:
        _forward(onset, start, windows, duration, row, offset, low, high, best)

    def backtrack(low: int, high: int, after: int, best: Row) -> tuple[float, int]:
        return _backtrack(windows, duration, row, offset, low, high, after, best, onsets)

    score = best_by_rows(offset, potentials.n_frames, forward, backtrack, max_memory)
    if score == -np.inf:
        raise explain_unreachable(potentials, windows)
    return Path(onsets, score + potentials.constant)


@compiled()
def _forward(
    onset: FloatArray,
    start: IntArray,
    windows: Windows,
    duration: npt.NDArray[np.float64],
    row: IntArray,
    offset: IntArray,
    low_event: int,
    high_event: int,
    best: npt.NDArray[np.float64],
) -> None:
    """Fill rows low_event .. high_event - 1; `best` begins with the row before them."""
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    base = offset[max(low_event - 1, 0)]
    widest = np.max(last - first) + 1
    # the row of the event before and its lengths, with -inf around them, and the sums, with room
    # after them: sweeps have no edges
    padded = np.empty(widest + 3 * _GROUP)
    lengths = np.empty(np.max(longest - shortest) + 1 + _GROUP)
    sums = np.empty(widest + _GROUP)
    if low_event == 0:
        best[: offset[1]] = onset[0, first[0] - start[0] : last[0] - start[0] + 1]
    for k in range(max(low_event, 1), high_event):
        n_before = offset[k] - offset[k - 1]
        padded[:_GROUP] = -np.inf
        padded[_GROUP : _GROUP + n_before] = best[offset[k - 1] - base : offset[k] - base]
        padded[_GROUP + n_before : n_before + 3 * _GROUP] = -np.inf
        shift = first[k] - first[k - 1]
        low = shortest[k - 1]
        n_lengths = longest[k - 1] - low + 1
        lengths[:n_lengths] = duration[row[k - 1], low : low + n_lengths]
        lengths[n_lengths : n_lengths + _GROUP] = -np.inf
        here = best[offset[k] - base : offset[k + 1] - base]
        sums[: here.size + _GROUP] = -np.inf
        for block in range(0, here.size, _BLOCK):
            stop = min(here.size, block + _BLOCK)
            for g in range(0, n_lengths, _GROUP):
                # sums[i] follows padded[_GROUP + i + reach - r] at length low + g + r
                reach = shift - low - g
                begin = max(block, -reach)
                end = min(stop, n_before - reach + _GROUP - 1)
                if begin < end:
                    end += (begin - end) % _GROUP  # whole vectors
                    _sweep(
                        padded[begin + reach + 1 : end + reach + _GROUP],
                        lengths[g : g + _GROUP],
                        sums[begin:end],
                    )
        scores = onset[k, first[k] - start[k] : last[k] - start[k] + 1]
        for i in range(here.size):
            here[i] = sums[i] + scores[i]


@compiled()
def _sweep(
    before: npt.NDArray[np.float64],
    lengths: npt.NDArray[np.float64],
    here: npt.NDArray[np.float64],
) -> None:
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
def _backtrack(
    windows: Windows,
    duration: npt.NDArray[np.float64],
    row: IntArray,
    offset: IntArray,
    low_event: int,
    high_event: int,
    after: int,
    best: npt.NDArray[np.float64],
    onsets: IntArray,
) -> tuple[float, int]:
    first, last = windows.first, windows.last
    base = offset[max(low_event - 1, 0)]
    score = -np.inf
    for k in range(high_event - 1, low_event - 1, -1):
        low = max(first[k], after - windows.longest[k])
        high = min(last[k], after - windows.shortest[k])
        top, at = -np.inf, low
        for t in range(low, high + 1):  # ties: the earliest
            value = best[offset[k] - base + t - first[k]] + duration[row[k], after - t]
            if value > top:
                top, at = value, t
        onsets[k] = at
        after = at
        if k == high_event - 1:
            score = top
    return score, after
