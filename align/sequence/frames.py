"""Times in seconds and onsets in frames: from labels to the decoder, and back to intervals."""

import numpy as np
import numpy.typing as npt

from align.features import Signal
from align.types import Float64, IntArray


def spaced(frames: npt.NDArray[np.floating], n_frames: int) -> IntArray:
    """Return frames near some times that increase strictly and lie in the recording [shape=(G,)].

    The times, in frames, never decrease; G is at most T = `n_frames`.

    Examples
    --------
    >>> spaced(np.array([2.2, 2.3, 9.0]), 9)
    array([2, 3, 8])
    """
    steps = np.arange(len(frames))
    whole = np.clip(np.rint(frames).astype(np.intp), 0, n_frames - 1)
    whole = np.maximum.accumulate(whole - steps) + steps
    latest: IntArray = np.minimum(whole, n_frames - len(frames) + steps)
    return latest


def onset_frames(times: Float64, signal: Signal) -> IntArray | None:
    """Nearest frames that are strictly increasing and in the recording; None if there are none."""
    if len(times) > signal.n_frames:
        return None
    return spaced(times / signal.hop, signal.n_frames)


def in_order(times: Float64, duration: float) -> Float64:
    """Return onsets at least 0.1 ms apart and within the recording: no interval is empty."""
    gap = min(1e-4, duration / (len(times) + 1))
    steps = gap * np.arange(len(times))
    times = np.maximum.accumulate(np.maximum(times, 0.0) - steps) + steps
    ordered: Float64 = np.minimum(times, duration - gap * len(times) + steps)
    return ordered
