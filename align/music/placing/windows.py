"""Windows in which each chord is looked for, and their widening.

A window is a first frame and one past the last. Windows never go backwards from one chord to the
next, and each holds a frame of its own for every chord, so that some timing always fits. Where
the decoder's answer comes near an edge that is not the edge of the recording, the optimum may lie
beyond: the windows of that chord and of its neighbours grow, and it is decoded again.
"""

import numpy as np

from align.types import BoolArray, IntArray


def windows_about(
    frames: IntArray, half: int, n_frames: int, *, most: int | IntArray = 0
) -> IntArray:
    """Return windows [shape=(G, 2)] of `half` frames either side of strictly increasing frames.

    Where a neighbour is further away, a window goes on to it, for `most` frames, or so many
    for each pair of neighbours: a chord beside a fermata may be at either end of it.

    Examples
    --------
    >>> windows_about(np.array([1, 7]), 3, 10).tolist()
    [[0, 5], [4, 10]]
    >>> windows_about(np.array([1, 7]), 3, 10, most=5).tolist()
    [[0, 7], [2, 10]]
    """
    apart = np.clip(np.diff(frames), half, np.maximum(half, most))
    before, after = np.append(half, apart), np.append(apart, half)
    return _monotone(frames - before, frames + after + 1, n_frames)


def widened(
    windows: IntArray,
    frames: IntArray,
    at: BoolArray,
    more: int,
    reach: int,
    n_frames: int,
) -> IntArray:
    """Return windows [shape=(G, 2)], wider about some chords; each holds the window it replaces.

    `frames` [shape=(G,)] are the decoder's answer. Chords `at` [shape=(G,)], and those at most
    `reach` chords away, get `more` frames at either side.
    """
    where = np.flatnonzero(at)
    if where.size == 0:
        return windows
    after = np.searchsorted(where, np.arange(len(frames)))
    before = where[np.maximum(after - 1, 0)]
    after = where[np.minimum(after, where.size - 1)]
    distance = np.minimum(np.abs(frames - frames[before]), np.abs(frames - frames[after]))
    grow = np.where(distance < reach, more, 0)
    return _monotone(windows[:, 0] - grow, windows[:, 1] + grow, n_frames)


def limits_of(n: int, n_frames: int) -> IntArray:
    """Return the frames that each of n onsets may take, each event lasting one at least.

    Examples
    --------
    >>> limits_of(3, 10).tolist()
    [[0, 8], [1, 9], [2, 10]]
    """
    first = np.arange(n)
    return np.stack([first, n_frames - first[::-1]], axis=1)


def _monotone(low: IntArray, high: IntArray, n_frames: int) -> IntArray:
    """Return windows that do not go backwards and leave a frame for each chord."""
    steps = np.arange(len(low))
    last = n_frames - len(low) + steps
    low = np.maximum.accumulate(np.clip(low, steps, last))
    high = np.minimum.accumulate(np.clip(high, steps + 1, last + 1)[::-1])[::-1]
    high = np.maximum.accumulate(np.maximum(high, low + 1))
    return np.stack([low, high], axis=1)
