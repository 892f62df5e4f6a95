"""Whether a recording sounds quiet and near, or as if it came from other surroundings.

Aligners of one model, one for each kind of surroundings, are each better at their own. What a
recording sounds like is seen in its log mel energies: noise fills the pauses, so that the softest
frames of a band are not far below its mean; a room blurs, so that even the fastest falls are slow,
over 10 ms as well as over 100. Such numbers are weighed by logistic regression, which is learned
from the training set as it is and in other surroundings.

Where a model has an aligner for rooms alone, noise counts among recordings as they are. So do
recordings that are cut where speech begins and ends: without pauses nothing is soft, and their
sound would be unknown. One second gives little evidence, several give more: the shorter a
recording is, the surer it must be that it was made in a room.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError
from align.types import Float32, Float64

_BANDS = 5  # groups of mel bands
_MORE = 4.0  # recordings as those of the training set are so much more frequent than any others
_SURE = 3.0  # log odds that a second of a room has to have, where rooms are the only other kind
_LONG = 2.5  # seconds, more of which need not be surer
_LEVELS = (0.02, 0.1, 0.25, 0.5, 0.75, 0.95)  # quantiles of energies over the frames
_CHANGES = (0.02, 0.1, 0.9, 0.98)  # of their changes: the fastest falls and rises
_LAGS = (2, 4, 10, 20)  # frames, over which they change
_NUMBERS = _BANDS * (len(_LEVELS) + len(_LAGS) * len(_CHANGES))
_PENALTY = 0.03  # inverse weight of the squares: speakers are few, and numbers many


def sound_of(energies: Float32) -> Float64:
    """Return numbers [shape=(110,)] that describe what a recording sounds like.

    For each of five groups of bands of `energies` [shape=(T, n)], which are log mel energies less
    their mean over time: six quantiles, and four of how they change in 2, 4, 10 and 20 frames.

    Examples
    --------
    >>> sound_of(np.zeros((50, 40), dtype=np.float32)).shape
    (110,)
    """
    bands = np.array_split(energies.astype(np.float64), _BANDS, axis=1)
    groups = np.stack([band.mean(axis=1) for band in bands])
    found = [np.quantile(groups, _LEVELS, axis=1)]
    for lag in _LAGS:
        change = groups[:, lag:] - groups[:, :-lag]
        if not change.size:
            change = np.zeros((_BANDS, 1))
        found.append(np.quantile(change, _CHANGES, axis=1))
    return np.concatenate(found).T.ravel()


class SoundClassifier:
    """Logistic regression on what recordings sound like.

    Parameters
    ----------
    mean, deviation : np.ndarray [shape=(n,)]
        Of the numbers of `sound_of`, in training.
    weights : np.ndarray [shape=(m, n + 1)]
        For each of m kinds of surroundings: the weights of the standardised numbers, and the
        constant behind them. The first kind is that of the recordings as they are.
    """

    def __init__(self, mean: Float64, deviation: Float64, weights: Float64) -> None:
        self.mean, self.deviation, self.weights = mean, deviation, weights

    @classmethod
    def fitted(cls, sounds: Sequence[Sequence[Float64]]) -> Self:
        """Learn from the sounds of recordings as they are, then in each kind of surroundings."""
        from sklearn.linear_model import LogisticRegression

        x = np.array([sound for kind in sounds for sound in kind])
        mean, deviation = x.mean(axis=0), x.std(axis=0) + 1e-6
        kinds = np.repeat(np.arange(len(sounds)), [len(kind) for kind in sounds])
        learner = LogisticRegression(C=_PENALTY, class_weight="balanced", max_iter=5000)
        learner.fit((x - mean) / deviation, kinds)
        weights = np.column_stack((learner.coef_, learner.intercept_))
        if len(sounds) == 2:  # one row says it all: how much more probable the second is
            weights = np.concatenate((np.zeros_like(weights), weights))
        else:
            weights[0, -1] += np.log(_MORE)
        return cls(mean, deviation, weights)

    def kind(self, sound: Float64, seconds: float) -> int:
        """Return which kind of surroundings a recording of so many seconds is most probably of."""
        odds = self.weights @ np.append((sound - self.mean) / self.deviation, 1.0)
        if len(odds) == 2:
            odds[0] += _SURE / min(seconds, _LONG)
        return int(np.argmax(odds))

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of a model file."""
        return {"mean": self.mean, "deviation": self.deviation, "weights": self.weights}

    @classmethod
    def from_state(cls, arrays: Mapping[str, npt.NDArray[Any]], kinds: int) -> Self:
        """Rebuild it from `get_state`; raises ModelError where an array is damaged."""
        found = []
        for name, shape in (
            ("mean", (_NUMBERS,)),
            ("deviation", (_NUMBERS,)),
            ("weights", (kinds, _NUMBERS + 1)),
        ):
            array = np.asarray(arrays[name], dtype=np.float64)
            if array.shape != shape or not np.isfinite(array).all():
                raise ModelError(f"array 'hearing.{name}' is damaged.")
            found.append(array)
        if not (found[1] > 0).all():
            raise ModelError("array 'hearing.deviation' must be positive.")
        return cls(*found)
