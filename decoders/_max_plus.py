"""The inner loop of the first-order decoders: the best sum of a score before and a length.

All of them ask the same at every event. Given a row of scores, one for each frame, and the scores
of the lengths that may lie between, which sum is the greatest at each frame after ::

    sums[i] = max { before[i + shift - j] + lengths[j] : j }

This is a convolution in which sums have become maxima and products have become sums ("max-plus").
It takes nearly all the time of a decoder, so it is written once, for speed, and in a way the
compiler can turn into vector instructions.
"""

from typing import NamedTuple

import numpy as np

from align._numba import compiled
from align.types import Float64

_BLOCK = 1024  # frames whose sums stay in the first-level cache
_GROUP = 8  # lengths in one sweep; `_sweep` is written out for this number


class Room(NamedTuple):
    """Working arrays of `best_sums`, allocated once for all events [dtype=float64]."""

    before: Float64
    lengths: Float64
    sums: Float64


@compiled()
def room_for(n_before: int, n_lengths: int, n_after: int) -> Room:
    """Return working arrays for rows and tables of lengths that are at most so long."""
    return Room(
        np.empty(n_before + 3 * _GROUP), np.empty(n_lengths + _GROUP), np.empty(n_after + _GROUP)
    )


@compiled()
def best_sums(
    before: Float64, shift: int, lengths: Float64, free: bool, n: int, room: Room
) -> None:
    """Fill ``room.sums[i] = max { before[i + shift - j] + lengths[j] : j }`` for i < n.

    Places outside `before` count as -inf; so do sums that have no term. `free` says that lengths
    score nothing and that the longest does not bind.
    """
    if free:
        _running_max(before, shift, room.sums[:n])
    else:
        _max_plus(before, shift, lengths, n, room)


@compiled()
def _max_plus(before: Float64, shift: int, lengths: Float64, n: int, room: Room) -> None:
    """Try all lengths at all frames."""
    # Rows are copied between borders of -inf. A sweep may then read a little beyond a row, and
    # the inner loop needs no test for the ends: a sum with a border never wins.
    padded, scores, sums = room
    padded[:_GROUP] = -np.inf
    for i in range(before.size):  # no slices: to compile their errors takes two seconds
        padded[_GROUP + i] = before[i]
    padded[_GROUP + before.size : before.size + 3 * _GROUP] = -np.inf
    for i in range(lengths.size):
        scores[i] = lengths[i]
    scores[lengths.size : lengths.size + _GROUP] = -np.inf
    sums[: n + _GROUP] = -np.inf
    # Frames in blocks outside, lengths in the middle, frames inside: the sums of a block stay in
    # the cache while all lengths pass over them.
    for block in range(0, n, _BLOCK):
        stop = min(n, block + _BLOCK)
        for j in range(0, lengths.size, _GROUP):
            # before[i + reach - r] with length j + r: cut to the i where some r meets the row
            reach = shift - j
            begin = max(block, -reach)
            end = min(stop, before.size - reach + _GROUP - 1)
            if begin < end:
                end += (begin - end) % _GROUP  # whole vectors; what is beyond is a border
                _sweep(
                    padded[begin + reach + 1 : end + reach + _GROUP],
                    scores[j : j + _GROUP],
                    sums[begin:end],
                )


@compiled()
def _sweep(before: Float64, lengths: Float64, sums: Float64) -> None:
    """Raise each sum to the best of eight lengths."""
    # Eight lengths for each load and store of a sum: the additions, not the memory, then set the
    # speed. Maxima are taken in pairs, so that none waits for all the others, and written as
    # `a if a > b else b`, which the compiler turns into one instruction (`max` has to mind NaN).
    b0, b1, b2, b3 = lengths[0], lengths[1], lengths[2], lengths[3]
    b4, b5, b6, b7 = lengths[4], lengths[5], lengths[6], lengths[7]
    for i in range(sums.size):
        v0 = before[i + 7] + b0  # the longer the length, the earlier the frame
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
        sums[i] = v0 if v0 > sums[i] else sums[i]


@compiled()
def _running_max(before: Float64, shift: int, out: Float64) -> None:
    """Fill ``out[i] = max(before[: i + shift + 1])``.

    Every frame that is far enough before is allowed and costs nothing, so the best one so far is
    carried along: one step for each frame in place of one for each length.
    """
    top = -np.inf
    for j in range(min(shift, before.size)):
        top = before[j] if before[j] > top else top
    for i in range(out.size):
        if 0 <= i + shift < before.size and before[i + shift] > top:
            top = before[i + shift]
        out[i] = top


@compiled()
def best_start(
    before: Float64, first: int, low: int, high: int, lengths: Float64, end: int
) -> tuple[float, int]:
    """Return the best score of what ends at frame `end`, and the onset in low .. high it has.

    ``before[0]`` is at frame `first`. Of equal scores the earliest onset wins: onsets are tried in
    order of time, and a later one must be better.
    """
    top, at = -np.inf, low
    for t in range(low, high + 1):
        score = before[t - first] + lengths[end - t]
        if score > top:
            top, at = score, t
    return top, at
