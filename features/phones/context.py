"""Frames with their neighbours, and the event each frame belongs to."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import IntArray

__all__ = ["event_of_frame", "stack_context"]


def stack_context(
    x: npt.NDArray[Any], offsets: Sequence[int], at: npt.ArrayLike | None = None
) -> npt.NDArray[Any]:
    """Return frames side by side: row t holds frames ``t + o`` for every offset ``o``.

    Frames beyond either end repeat the first or the last one.

    Parameters
    ----------
    x : np.ndarray [shape=(T, D)]
        Frames.
    offsets : sequence of int, length C
        Which neighbours, in frames; 0 is the frame itself, negative ones come before it.
    at : array_like of int [shape=(n,)], optional
        The frames to do this for, in any order; by default all T.

    Returns
    -------
    np.ndarray [shape=(n, C * D)]
        In the order of `offsets`; the dtype of `x`.

    Raises
    ------
    ParameterError
        Where `x` has no frames or not two axes, or there are no offsets.

    Examples
    --------
    >>> import numpy as np
    >>> stack_context(np.array([[1, 10], [2, 20], [3, 30]]), offsets=(-1, 0))
    array([[ 1, 10,  1, 10],
           [ 1, 10,  2, 20],
           [ 2, 20,  3, 30]])
    """
    if x.ndim != 2 or x.shape[0] == 0:
        raise ParameterError(f"x.shape={x.shape}, must be (T, D), T > 0.")
    steps = np.asarray(offsets, dtype=np.intp)
    if steps.ndim != 1 or steps.size == 0:
        raise ParameterError(f"offsets={offsets!r}, must name at least one frame.")
    frames = np.arange(len(x)) if at is None else np.asarray(at, dtype=np.intp)
    index = np.clip(frames[:, None] + steps, 0, len(x) - 1)
    stacked: npt.NDArray[Any] = x[index]
    return stacked.reshape(len(frames), steps.size * x.shape[1])


def event_of_frame(onsets: npt.ArrayLike, end: int, n_frames: int) -> IntArray:
    """Return which event each of T frames belongs to, from 0; -1 where there is none.

    `onsets` [shape=(K,)] are increasing frames, `end` the end of the last event, exclusive.

    Examples
    --------
    >>> event_of_frame([1, 3], end=4, n_frames=6)
    array([-1,  0,  0,  1, -1, -1])
    """
    frames = np.arange(n_frames)
    event = np.searchsorted(np.asarray(onsets), frames, side="right") - 1
    event[frames >= end] = -1
    return event.astype(np.intp)
