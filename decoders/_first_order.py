"""The first-order recursion forwards, backwards and along the best path, for all who share it.

A score is of first order if it looks at an onset, or at one length; the state of the recursion is
then the last onset alone (J2, or Fig. 9.1 of the thesis, without the terms that look at two
lengths). With ``F_k(t)`` the best score of all that lies before onset k at frame t, its own score
included, and ``B_k(t)`` of all that follows::

    F_0(t) = onset[0, t]
    F_k(t) = onset[k, t] + max { F_{k-1}(t - d) + duration[row_{k-1}, d] : d }
    B_{K-1}(t) = duration[row_{K-1}, T - t]
    B_k(t) = max { duration[row_k, d] + onset[k+1, t + d] + B_{k+1}(t + d) : d }

Rows lie one after the other in flat arrays: onset k at frame t is at ``offset[k] + t - first[k]``.
No back-pointers are stored. The best onset of one event, given the next, is found again in its
row: L steps for each event of the one path that matters.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from align._numba import compiled, read_only
from align.decoders._max_plus import Room, best_start, best_sums, room_for
from align.decoders._rows import Row, best_by_rows, row_offsets
from align.decoders._windows import (
    Windows,
    check_memory,
    check_values,
    explain_unreachable,
    is_unbound,
    length_table,
    tighten,
)
from align.potentials import Path, Potentials
from align.types import Float64, FloatArray, IntArray


class Tables(NamedTuple):
    """What the kernels read of first-order potentials.

    Attributes
    ----------
    onset : np.ndarray [shape=(K, W), dtype=float32 or float64]
        As in `Potentials`, contiguous.
    start : np.ndarray [shape=(K,), dtype=intp]
        First frame of each row of `onset`.
    windows : Windows
        Frames and lengths to search.
    duration : np.ndarray [shape=(R, L + 1), dtype=float64]
        As in `Potentials`; one row of zeros where lengths score nothing.
    row : np.ndarray [shape=(K,), dtype=intp]
        Row of `duration` for each event.
    flat : bool
        Whether lengths score nothing.
    offset : np.ndarray [shape=(K + 1,), dtype=intp]
        Where the row of each event begins in flat arrays.
    """

    onset: FloatArray
    start: IntArray
    windows: Windows
    duration: Float64
    row: IntArray
    flat: bool
    offset: IntArray


Forward: TypeAlias = Callable[[Tables, int, int, Row], None]
Backtrack: TypeAlias = Callable[[Tables, int, int, int, Row, IntArray], tuple[float, int]]


def first_order_tables(potentials: Potentials, *, single: bool = False) -> Tables:
    """Check potentials of at least one event, and lay out what scores an onset or a length.

    `single` is as in `check_values`.
    """
    onset = check_values(potentials, single=single)
    return without_ratio(potentials, onset, tighten(potentials))


def without_ratio(potentials: Potentials, onset: FloatArray, windows: Windows) -> Tables:
    """Lay out what scores an onset or a length alone; `onset` is as `check_values` returns it."""
    duration, row = length_table(potentials, windows.longest)
    flat = potentials.duration is None
    offset = row_offsets(windows.first, windows.last)
    return Tables(read_only(onset), potentials.start, windows, duration, row, flat, offset)


def best_path(
    potentials: Potentials, forward: Forward, backtrack: Backtrack, max_memory: int | None
) -> Path:
    """Decode first-order potentials with the kernels given, in bounded memory.

    Onset and duration scores, windows and lengths are looked at, nothing else. The kernels fill
    the rows of some events, and find the onsets of some, see `forward` and `backtrack`;
    `max_memory` is that of `best_by_rows`. Raises ParameterError as `decode_semi_markov` does.
    """
    check_memory(max_memory)
    if potentials.n_events == 0:
        return Path(np.empty(0, dtype=np.intp), potentials.constant)
    tables = first_order_tables(potentials, single=True)
    onsets = np.empty(potentials.n_events, dtype=np.intp)
    score = best_by_rows(
        tables.offset,
        potentials.n_frames,
        lambda low, high, best: forward(tables, low, high, best),
        lambda low, high, end, best: backtrack(tables, low, high, end, best, onsets),
        max_memory,
    )
    if score == -np.inf:
        raise explain_unreachable(potentials, tables.windows)
    return Path(onsets, score + potentials.constant)


@compiled()
def forward(tables: Tables, low: int, high: int, best: Row) -> None:
    """Fill the rows F of events low .. high - 1.

    `best` begins with the row of event ``low - 1``, already filled, or with row 0.
    """
    onset, start, windows, duration, row, flat, offset = tables
    first, last, shortest, longest = windows
    base = offset[max(low - 1, 0)]
    room = _room(windows)
    sums = room.sums
    for k in range(low, high):
        here = best[offset[k] - base : offset[k + 1] - base]
        scores = onset[k, first[k] - start[k] : last[k] - start[k] + 1]
        if k == 0:  # nothing lies before the first event: lead-in scores nothing
            for i in range(here.size):
                here[i] = scores[i]
            continue
        before = best[offset[k - 1] - base : offset[k] - base]
        lengths = duration[row[k - 1], shortest[k - 1] : longest[k - 1] + 1]
        shift = first[k] - first[k - 1] - shortest[k - 1]
        free = flat and is_unbound(windows, k - 1)
        best_sums(before, shift, lengths, free, here.size, room)
        for i in range(here.size):
            here[i] = sums[i] + scores[i]


@compiled()
def backward(tables: Tables, after: Row) -> None:
    """Fill the rows B of all events."""
    onset, start, windows, duration, row, flat, offset = tables
    first, last, shortest, longest = windows
    room = _room(windows)
    sums = room.sums
    follows = np.empty(np.max(last - first) + 1)
    # The same step as in `forward` with time turned round: the last frame comes first, so that
    # what follows an onset lies before it, and lengths again run towards lower places.
    for k in range(row.size - 1, -1, -1):
        here = after[offset[k] : offset[k + 1]]
        n = last[k + 1] - first[k + 1] + 1
        if k == row.size - 1:
            follows[0] = 0.0  # the recording ends, at frame T alone
        else:
            end, shift = offset[k + 2] - 1, last[k + 1] - start[k + 1]
            for i in range(n):
                follows[i] = after[end - i] + onset[k + 1, shift - i]
        lengths = duration[row[k], shortest[k] : longest[k] + 1]
        shift = last[k + 1] - last[k] - shortest[k]
        best_sums(follows[:n], shift, lengths, flat and is_unbound(windows, k), here.size, room)
        for i in range(here.size):
            here[i] = sums[here.size - 1 - i]


@compiled()
def _room(windows: Windows) -> Room:
    """Return working arrays for the widest row and the most lengths."""
    widest = np.max(windows.last - windows.first) + 1
    return room_for(widest, np.max(windows.longest - windows.shortest) + 1, widest)


@compiled()
def backtrack(
    tables: Tables, low: int, high: int, end: int, best: Row, onsets: IntArray
) -> tuple[float, int]:
    """Write the best onsets of events low .. high - 1, of which the last ends at frame `end`.

    `best` is as `forward` left it. Returns the best score and the first onset. From the last event
    to the first, each takes the earliest of its best onsets: this is the rule for ties.
    """
    windows, offset = tables.windows, tables.offset
    first, last = windows.first, windows.last
    base = offset[max(low - 1, 0)]
    score = -np.inf
    for k in range(high - 1, low - 1, -1):
        top, onsets[k] = best_start(
            best[offset[k] - base : offset[k + 1] - base],
            first[k],
            max(first[k], end - windows.longest[k]),
            min(last[k], end - windows.shortest[k]),
            tables.duration[tables.row[k]],
            end,
        )
        end = onsets[k]
        if k == high - 1:
            score = top
    return score, end
