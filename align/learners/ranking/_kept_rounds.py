"""Rounds of rankers as they were seen, so that the losses of any other weights can be known.

A step of a ranker may move several pairs at once: the losses of a competitor are those of whole
rounds, not of one direction each.
"""

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError, check_shape
from align.learners.ranking import _instance_ranking as instances
from align.types import BoolArray, Float64


class KeptLabels:
    """Rounds of label ranking: instances, and which labels were relevant.

    `margin` is gamma of the loss; `bias` says whether an instance ends with the constant.
    """

    def __init__(self, margin: float, bias: bool) -> None:
        self.margin = margin
        self.bias = bias
        self.columns = np.zeros(0, dtype=np.intp)  # where in the run each class stands
        self.rounds: list[tuple[Float64, BoolArray]] = []

    def keep(self, x: Float64, relevant: BoolArray) -> None:
        """Add a round; labels in the order of the run, as many as were known."""
        self.rounds.append((x, relevant))

    def losses_of(self, u: npt.ArrayLike) -> Float64:
        """Return ``max [gamma - (s_r - s_s)]_+`` of the weights u [shape=(k, n)] in each round.

        Labels and features that came later did not take part in a round.
        """
        weights = np.asarray(u, dtype=np.float64)
        if weights.ndim != 2 or len(weights) != len(self.columns):
            raise ParameterError(
                f"u.shape={weights.shape}, must be (k, n) with k={len(self.columns)} labels."
            )
        weights = weights[np.argsort(self.columns)]  # in the order of the run
        n_rounds = len(self.rounds)
        X = np.zeros((n_rounds, weights.shape[1]))
        kind = np.zeros((n_rounds, len(weights)), dtype=np.int8)  # 1: relevant, -1: not, 0: later
        for t, (x, relevant) in enumerate(self.rounds):
            seen = len(x) - self.bias
            X[t, :seen] = x[:seen]
            if self.bias:
                X[t, -1] = x[-1]
            kind[t, : len(relevant)] = np.where(relevant, 1, -1)
        scores = X @ weights.T
        # Where all labels are relevant, or none, there is no pair: the least or largest of no
        # scores is infinite, and the loss is 0.
        least = np.where(kind > 0, scores, np.inf).min(axis=1, initial=np.inf)
        other = np.where(kind < 0, scores, -np.inf).max(axis=1, initial=-np.inf)
        losses: Float64 = np.maximum(self.margin - (least - other), 0.0)
        return losses


class KeptQueries:
    """Rounds of instance ranking: the instances of each query, and their grades.

    The loss of a query is that of its worst pair (`maximum`), or else the mean over its pairs.
    """

    def __init__(self, maximum: bool) -> None:
        self.maximum = maximum
        self.rounds: list[tuple[Float64, Float64]] = []

    def keep(self, x: Float64, y: Float64) -> None:
        """Add a query."""
        self.rounds.append((x, y))

    def losses_of(self, u: npt.ArrayLike) -> Float64:
        """Return the loss of the weights u [shape=(d,)] in each round."""
        weights = np.asarray(u, dtype=np.float64)
        losses = np.zeros(len(self.rounds))
        for t, (x, y) in enumerate(self.rounds):
            check_shape("u", weights.shape, "(d,)", (x.shape[1],))
            _, pairs, lost, worst, _, _ = instances.measure(x @ weights, y)
            losses[t] = max(worst, 0.0) if self.maximum else lost / max(pairs, 1)
        return losses
