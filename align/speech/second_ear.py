"""What a second ear says of an alignment: Gaussians of English phones, beside the networks.

An event's phone is that of English which its symbol sounds like. Two numbers come of it:

* the log ratio: its score per frame, less that of the best phones of each frame;
* the contrast: its score per frame, less what the other sounds of the transcript would score
  there, in the mean. A wrong transcript is no better than others of the same sounds.

They say little of one event and a great deal of several, also in languages that neither ear knows,
since the two learned from other speech and are wrong about other sounds.
"""

from collections.abc import Sequence

import numpy as np

from align.errors import DataError
from align.features.monophones import HOP, monophone, monophone_scores
from align.features.signal import Signal
from align.types import Float32, Float64, IntArray

__all__ = ["second_ear"]


def second_ear(
    signal: Signal, symbols: Sequence[str | None], start: IntArray, stop: IntArray
) -> Float64 | None:
    """Return log ratio and contrast of events [shape=(K, 2)]; NaN of those that are no sounds.

    Parameters
    ----------
    signal : Signal
        The recording.
    symbols : sequence of str or None, length K
        What each event is, in the IPA; None of those that are not to be judged.
    start, stop : np.ndarray [shape=(K,), dtype=intp]
        The frames of the recording that it has.

    Returns
    -------
    np.ndarray [shape=(K, 2)] or None
        None where a sound is no IPA, or there are no sounds.
    """
    sounds = np.array([symbol is not None for symbol in symbols], dtype=bool)
    try:
        column = np.array([monophone(symbol) for symbol in symbols if symbol is not None])
    except DataError:
        return None
    if not column.size:
        return None
    total = signal.cached(("total monophone scores",), lambda: _total(monophone_scores(signal)))
    first = np.rint(start[sounds] * (signal.hop / HOP)).astype(np.intp)
    last = np.rint(stop[sounds] * (signal.hop / HOP)).astype(np.intp)
    first = np.clip(first, 0, len(total) - 2)
    last = np.clip(last, first + 1, len(total) - 1)
    mean = (total[last] - total[first]) / (last - first)[:, None]
    own = mean[np.arange(len(column)), column]
    others = mean @ np.bincount(column, minlength=total.shape[1]) / len(column)
    out = np.full((len(symbols), 2), np.nan)
    out[sounds] = np.stack((own, own - others), axis=1)
    return out


def _total(scores: Float32) -> Float64:
    """Return the sums over the frames before each, less the best of each [shape=(T + 1, n)]."""
    total = np.zeros((len(scores) + 1, scores.shape[1]))
    np.cumsum(scores - scores.max(axis=1, keepdims=True), axis=0, dtype=np.float64, out=total[1:])
    return total
