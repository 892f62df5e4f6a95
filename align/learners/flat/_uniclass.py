"""What the learners of one class share: a centre, a ball about it, and the rounds that move it."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from align._numba import compiled
from align.learners.flat import _round as core
from align.learners.flat._round import write
from align.learners.parts.estimators import VectorEstimator, summed, validated
from align.learners.parts.parameters import (
    NO_WEIGHTS,
    check_whole,
    generator,
    orders,
    read_weights,
    weighed,
)
from align.learners.parts.step_kernels import exact_alpha, hinge
from align.learners.theory.recorded import Recorded
from align.types import Float64, IntArray

_DENSE = 2**18  # numbers of sparse examples that are made dense at a time, 2 MB


def distance(X: Float64, centre: Float64) -> Float64:
    """Return the distance of each row from a centre [shape=(m,)]."""
    lengths: Float64 = np.linalg.norm(X - centre, axis=1)
    return lengths


@dataclass(eq=False, repr=False, kw_only=True)
class Centred(Recorded, OutlierMixin, VectorEstimator):  # type: ignore[misc]  # sklearn is untyped
    """An outlier detector that takes in what lies within `epsilon` of its centre."""

    epsilon: float = 1.0
    epochs: int = 1
    shuffle: bool = True
    record: bool = False
    random_state: Any = 0

    # What a subclass says: how it checks examples, begins, and plays rounds with rows of X.

    def _validate(self, X: Any, *, reset: bool) -> Any:
        return summed(validated(self, X, order="C", reset=reset))

    def _begin(self, n_features: int) -> None:
        raise NotImplementedError

    def _play(self, X: Any, order: IntArray, weights: Float64 = NO_WEIGHTS) -> None:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from scratch, in `epochs` passes.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(m, d)]
            Examples. Those of a sparse matrix are made dense, some at a time: the centre is dense.
        y : object, optional
            Ignored.
        sample_weight : array_like [shape=(m,)], optional
            As in `partial_fit`; an example of weight 0 is as if it had not been given.

        Returns
        -------
        self
        """
        X = self._validate(X, reset=True)
        weights, X = weighed(sample_weight, X)
        check_whole(self.epochs, "epochs")
        self._open(X.shape[1])
        for order in orders(generator(self.random_state), X.shape[0], self.epochs, self.shuffle):
            self._play(X, order, weights)
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Parameters
        ----------
        X, y
            As in `fit`.
        sample_weight : array_like [shape=(m,)], optional
            Multiplies C for an example. It has no effect on the learners without C ("pa", and the
            multiplicative one), except that an example of weight 0 is left out.

        Returns
        -------
        self
        """
        first = not hasattr(self, "n_features_in_")
        X = self._validate(X, reset=first)
        weights, order = read_weights(sample_weight, X)
        if first:
            self._open(X.shape[1])
        self._play(X, order, weights)
        return self

    def _open(self, n_features: int) -> None:
        """Begin with the parameters as they are now; later changes wait for the next `fit`."""
        self._begin(n_features)
        self._epsilon = float(self.epsilon)
        self._begin_trace()

    def score_samples(self, X: Any) -> Float64:
        """Return minus the distance of each example from the centre [shape=(m,)]."""
        check_is_fitted(self, "n_features_in_")
        X = self._validate(X, reset=False)
        if isinstance(X, np.ndarray):
            return -distance(X, self.center_)
        size, centre = max(1, _DENSE // X.shape[1]), self.center_
        parts = [distance(X[i : i + size].toarray(), centre) for i in range(0, X.shape[0], size)]
        return -np.concatenate(parts)

    @property
    def center_(self) -> Float64:
        """The centre [shape=(d,)]."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Float64:
        """Return ``epsilon - |x - w|``, negative outside [shape=(m,)].

        Parameters
        ----------
        X : array_like [shape=(m, d)]
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> IntArray:
        """Return 1 for what lies within `epsilon` of the centre and -1 outside [shape=(m,)].

        Parameters
        ----------
        X : array_like [shape=(m, d)]
        """
        return np.where(self.decision_function(X) >= -1e-9 * (1.0 - self.offset_), 1, -1)

    @property
    def offset_(self) -> float:
        """``-epsilon``."""
        check_is_fitted(self, "n_features_in_")
        return -self._epsilon


@compiled(error_model="numpy")
def play_centre(
    X: Any, order: Any, w: Any, total: Any, epsilon: float, largest: float, curvature: float,
    threshold: float, average: bool, counts: Any, sums: Any, log: Any, weights: Any,
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
        # A weight multiplies C: the largest step, or the inverse of the curvature.
        weight = weights[row] if weights.shape[0] > 0 else 1.0
        tau = 0.0
        if loss > threshold:
            tau = exact_alpha(loss, 1.0, curvature / weight, largest * weight)
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
