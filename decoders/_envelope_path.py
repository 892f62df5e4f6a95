"""The best path through the states of `align.decoders._envelope`, the last event first."""

from typing import Any

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._envelope import TILE, Problem
from align.types import IntArray

__all__ = ["finish", "follow"]


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
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    for k in range(high - 1, low - 1, -1):
        t = onsets[k] = onsets[k + 1] - d
        last_tile = (last[k + 1] - first[k + 1]) // TILE
        n_tiles = min((longest[k] - shortest[k]) // TILE + 2, last_tile + 1)
        low_tile = max(0, (t + shortest[k] - first[k + 1]) // TILE)
        at = ((t - first[k]) * n_tiles - low_tile) * TILE + onsets[k + 1] - first[k + 1]
        line = np.intp(back[offset[k] - offset[low] + at])
        d = min(t - first[k - 1], longest[k - 1]) - line
    return d


@compiled()
def finish(problem: Problem, before: npt.NDArray[np.float64]) -> tuple[float, int, int]:
    """Best score, the onset of the last event there and the length of the one before it."""
    first, last, shortest, longest = problem.windows
    k = shortest.size - 1
    own, c = problem.own[k], problem.cross[k]
    scores = problem.onset[k, first[k] - problem.start[k] : last[k] - problem.start[k] + 1]
    best, best_t, best_d = -np.inf, first[k], first[k]
    width_before = 1 if k == 0 else longest[k - 1] - shortest[k - 1] + 1 + 2 * TILE
    for i in range(scores.size):  # ties: the earliest onset
        t = first[k] + i
        q = first[k + 1] - t
        score = float(scores[i]) + own[q - shortest[k]]
        if k == 0:
            if score > best:
                best, best_t = score, t
            continue
        s = max(first[k - 1], t - longest[k - 1])
        at = (s - first[k - 1]) * width_before + t - s - shortest[k - 1] + TILE
        top, found = -np.inf, s
        for j in range(min(last[k - 1], t - shortest[k - 1]) - s + 1):
            # ties: the greatest length, which is the earliest onset
            value = before[at + j * (width_before - 1)] + c * q * (t - s - j)
            if value > top:
                top, found = value, s + j
        if score + top > best:
            best, best_t, best_d = score + top, t, t - found
    return best, best_t, best_d
