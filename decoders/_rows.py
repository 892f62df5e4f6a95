"""First-order decoding in bounded memory: a row of scores for each event, kept or found again.

A decoder of first order fills a row of scores for each event, and finds the best onsets in the
rows from the last to the first. Where all rows are too much, they are cut into pieces; only the
row before each piece is kept, and a piece is filled again when its onsets are asked for: twice the
time, and of the order of ``sqrt(K) W`` memory.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from align._numba import compiled
from align.errors import ParameterError
from align.types import Float64, IntArray

_ENOUGH = 2**30  # bytes of rows that are stored without being asked

Row: TypeAlias = Float64
"""Scores of one event, or of several one after the other."""


@compiled()
def row_offsets(first: IntArray, last: IntArray) -> IntArray:
    """Return where each row begins, those before it laid out one after the other [shape=(K + 1,)].

    `first` and `last` [shape=(K + 1,)] are the frames of each row, both included; those of row K
    are not looked at. The last offset is the length of all rows together.

    Examples
    --------
    >>> row_offsets(np.array([0, 2, 9]), np.array([4, 8, 9]))
    array([ 0,  5, 12])
    """
    offset = np.zeros(first.size, np.intp)
    for k in range(first.size - 1):
        offset[k + 1] = offset[k] + last[k] - first[k] + 1
    return offset


def best_by_rows(
    offset: IntArray,
    end: int,
    forward: Callable[[int, int, Row], None],
    backtrack: Callable[[int, int, int, Row], tuple[float, int]],
    max_memory: int | None,
) -> float:
    """Fill the rows, find the onsets in them, and return their score.

    Parameters
    ----------
    offset : np.ndarray [shape=(K + 1,), dtype=intp]
        Where the row of each event begins if all are laid out one after the other.
    end : int
        T, where the last event ends.
    forward : callable
        ``forward(low, high, best)`` fills the rows of events low .. high - 1 of an array that
        begins with row ``low - 1``, already filled, or with row 0.
    backtrack : callable
        ``backtrack(low, high, after, best)`` finds the onsets of events low .. high - 1, of which
        the last ends at frame `after`; returns the best score there and the first onset found.
    max_memory : int or None
        Most bytes of rows.

    Raises
    ------
    ParameterError
        `max_memory` is not enough (says how much is).
    """
    n_events = offset.size - 1
    budget = _ENOUGH if max_memory is None else max_memory
    cuts, need = _cut(offset, budget)
    if need > budget and max_memory is not None:
        raise ParameterError(
            f"max_memory={max_memory}, must be at least {need} bytes for these potentials; raise "
            "it or narrow the windows."
        )
    best = np.empty(max(offset[high] - offset[max(low - 1, 0)] for low, high in pairwise(cuts)))
    kept = [np.empty(0)]  # row before each piece
    for low, high in pairwise(cuts):
        best[: kept[-1].size] = kept[-1]
        forward(low, high, best)
        if high < n_events:
            base = offset[max(low - 1, 0)]
            kept.append(best[offset[high - 1] - base : offset[high] - base].copy())
    score, after = -np.inf, end
    for low, high in reversed(list(pairwise(cuts))):
        row = kept.pop()
        if high < n_events:
            best[: row.size] = row
            forward(low, high, best)
        top, after = backtrack(low, high, after, best)
        score = top if high == n_events else score
        if score == -np.inf:
            break
    return score


def _cut(offset: IntArray, budget: int) -> tuple[list[int], int]:
    """Cut the events into the fewest pieces that fit; return the cuts and the bytes they take.

    Where none fit, the cuts that take least.
    """
    n_events = offset.size - 1
    best, least = [0, n_events], 8 * int(offset[-1])
    for n in range(2, int(2 * math.sqrt(n_events)) + 2):
        if least <= budget:
            break
        cuts = np.unique(np.linspace(0, n_events, n + 1).astype(int))
        begins = np.maximum(cuts[:-1] - 1, 0)
        held = int((offset[cuts[1:-1]] - offset[cuts[1:-1] - 1]).sum())
        need = 8 * (held + int((offset[cuts[1:]] - offset[begins]).max()))
        if need < least:
            best, least = [int(at) for at in cuts], need
    return best, least
