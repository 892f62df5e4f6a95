"""What the learners of one class share: a centre, and a ball about it."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

__all__ = ["Centred", "distance"]

Floats: TypeAlias = npt.NDArray[np.float64]


def distance(X: Floats, centre: Floats) -> Floats:
    """Return the distance of each row from a centre [shape=(m,)]."""
    lengths: Floats = np.linalg.norm(X - centre, axis=1)
    return lengths


class Centred(OutlierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """An outlier detector that takes in what lies within `epsilon` of its centre."""

    epsilon: float

    def score_samples(self, X: Any) -> Floats:
        """Return minus the distance of each example from the centre [shape=(m,)]."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Floats:
        """Return ``epsilon - |x - w|``, negative outside [shape=(m,)].

        Parameters
        ----------
        X : array_like [shape=(m, d)]
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """Return 1 for what lies within `epsilon` of the centre and -1 outside [shape=(m,)].

        Parameters
        ----------
        X : array_like [shape=(m, d)]
        """
        return np.where(self.decision_function(X) >= -1e-9 * (1.0 + self.epsilon), 1, -1)

    @property
    def offset_(self) -> float:
        """``-epsilon``."""
        check_is_fitted(self, "n_features_in_")
        return -float(self.epsilon)
