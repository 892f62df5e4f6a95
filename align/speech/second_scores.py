"""Scores of an alignment by a second acoustic model: Gaussians of English phones.

An event's phone is that of English which its symbol sounds like. Two numbers come of it:

* the log ratio: its score per frame, less that of the best phones of each frame;
* the contrast: its score per frame, less what the other sounds of the transcript would score
  there, in the mean. A wrong transcript is no better than others of the same sounds.

They mean little for one event and a great deal for several, also in languages that neither this
model nor the networks were trained on: the two learned from different speech, and are wrong about
different sounds.

Where other orders of the sounds of a text are compared (`align.speech.orders`), each frame gets a
score. It counts the less, the less the scores of phones differ: in noise all score alike.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from align.errors import DataError
from align.features.phones.monophones import HOP, monophone, monophone_scores, phone_names
from align.features.sound.signal import Signal
from align.types import Float32, Float64, IntArray

PAUSE, CLOSURE = "a pause", "a closure"
"""What `second_sums` knows beside symbols of the IPA."""

_PAUSES = "SIL", "+NSN+", "+SPN+"
_STOPS = "P", "T", "K", "B", "D", "G"  # the first of their states is the closure
_CLEAR = 3.2, 4.0  # how much phones differ, up to where it does not count, and from where it does


class SecondSums(NamedTuple):
    """Sums of second scores, and how much they are to count, from 0 to 1.

    `sums` [shape=(S, T)] are those of the scores of S sounds up to T times.
    """

    sums: Float64
    share: float


def second_scores(
    signal: Signal, symbols: Sequence[str | None], start: IntArray, stop: IntArray
) -> Float64 | None:
    """Return log ratio and contrast of events [shape=(K, 2)]; NaN of those that are no sounds.

    `symbols` are what the events are, in the IPA, None of those that are not to be judged; `start`
    and `stop` [shape=(K,)] are frames of the recording. None where a sound is no IPA, or there are
    no sounds.
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


def second_sums(signal: Signal, symbols: Sequence[str], seconds: Float64) -> SecondSums | None:
    """Return the sums of the second scores of some sounds up to some times of a recording.

    Scores of a frame are less those of its best phone. None where they mean too little, as in
    noise, or a sound is no IPA. The S `symbols` are of the IPA, or `PAUSE` or `CLOSURE`; `seconds`
    [shape=(T,)] are the times.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = Signal(rng.normal(size=8000).astype(np.float32), 16000)
    >>> second_sums(noise, ["a"], np.array([0.0, 0.5])) is None
    True
    """
    share = float(np.clip((clearness(signal) - _CLEAR[0]) / (_CLEAR[1] - _CLEAR[0]), 0.0, 1.0))
    if not share:
        return None
    several = {
        symbol: [phone_names().index(name) for name in names]
        for symbol, names in ((PAUSE, _PAUSES), (CLOSURE, (_PAUSES[0], *_STOPS)))
    }
    try:
        columns = [several.get(symbol) or [monophone(symbol)] for symbol in symbols]
    except DataError:
        return None
    scores = monophone_scores(signal)
    scores = scores - scores.max(axis=1, keepdims=True)
    best = np.stack([scores[:, own].max(axis=1) for own in columns])
    total = np.zeros((len(best), len(scores) + 1))
    np.cumsum(best, axis=1, dtype=np.float64, out=total[:, 1:])
    at = np.clip(seconds / HOP, 0, len(scores))
    frame = np.minimum(at.astype(np.intp), len(scores) - 1)
    part = at - frame
    return SecondSums(total[:, frame] * (1.0 - part) + total[:, frame + 1] * part, share)


def clearness(signal: Signal) -> float:
    """Return how much more the best phone of a frame scores than the phones of speech do.

    In the mean, over frames and phones; of frames that are no pause, if there are such. The less
    it is, the less the second scores of the recording mean.
    """
    return signal.cached(("clearness",), lambda: _clearness(monophone_scores(signal)))


def _clearness(scores: Float32) -> float:
    names = phone_names()
    best = scores.argmax(axis=1) != names.index(_PAUSES[0])
    some = scores[best] if best.any() else scores
    speech = [k for k, name in enumerate(names) if name not in _PAUSES]
    return float((some.max(axis=1) - some[:, speech].mean(axis=1)).mean())
