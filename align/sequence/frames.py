"""Times in seconds and onsets in frames: from labels to the decoder, and back to intervals."""

import numpy as np
import numpy.typing as npt

from align.features import Signal
from align.sequence.windows import spaced
from align.types import IntArray

__all__ = ["in_order", "onset_frames"]


def onset_frames(times: npt.NDArray[np.float64], signal: Signal) -> IntArray | None:
    """Nearest frames that are strictly increasing and in the recording; None if there are none."""
    if len(times) > signal.n_frames:
        return None
    return spaced(times / signal.hop, signal.n_frames)


def in_order(times: npt.NDArray[np.float64], duration: float) -> npt.NDArray[np.float64]:
    """Return onsets at least 0.1 ms apart and within the recording: no interval is empty."""
    gap = min(1e-4, duration / (len(times) + 1))
    steps = gap * np.arange(len(times))
    times = np.maximum.accumulate(np.maximum(times, 0.0) - steps) + steps
    ordered: npt.NDArray[np.float64] = np.minimum(times, duration - gap * len(times) + steps)
    return ordered
