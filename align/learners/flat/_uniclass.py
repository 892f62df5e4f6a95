"""What the learners of one class share: a centre, a ball about it, and the rounds that move it."""

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from align._numba import compiled
from align.learners.flat import _round as core
from align.learners.flat._round import write
from align.learners.parts.step_kernels import exact_alpha, hinge

__all__ = ["Centred", "distance", "play_centre"]

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


@compiled(error_model="numpy")
def play_centre(
    X: Any, order: Any, w: Any, total: Any, epsilon: float, largest: float, curvature: float,
    threshold: float, average: bool, counts: Any, sums: Any, log: Any,
) -> None:  # fmt: skip
    """Play rounds that pull the centre w towards each row, until it is near enough.

    The mean of the centres before rounds 2 .. T is ``w - total / (T - 1)``, where `total` has the
    step of round t, which came too late for t - 1 of them, t - 1 times.
    """
    d = X.shape[1]
    for i in range(order.shape[0]):
        row = order[i]
        counts[0] += 1
        if counts[0] == 1:  # the first example only says where the centre begins
            for j in range(d):
                w[j] = X[row, j]
            if i < log.shape[0]:
                log[i] = 0.0
                log[i, core.LOG_C] = 1.0
            continue
        square = 0.0
        for j in range(d):
            square += (X[row, j] - w[j]) ** 2
        distance = math.sqrt(square)
        # A passive-aggressive round (C2) along the direction of length 1 from w to x.
        loss = hinge(distance, epsilon) if distance < math.inf else distance
        tau = exact_alpha(loss, 1.0, curvature, largest) if loss > threshold else 0.0
        counts[1] += loss > 0.0
        sums[core.LOSS] += loss
        sums[core.PRICED] += loss * loss
        if tau > 0.0:
            counts[2] += 1
            share = tau / distance
            for j in range(d):
                step = share * (X[row, j] - w[j])
                w[j] += step
                if average:
                    total[j] += (counts[0] - 1) * step
        if i < log.shape[0]:
            write(log, i, distance, loss, tau, 1.0, 0.0, loss > 0.0, 0.0, 1.0, sums)
