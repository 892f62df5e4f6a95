"""Rounds of rankers as they were seen, so that the losses of any other weights can be known.

A step of a ranker may move several pairs at once: the losses of a competitor are those of whole
rounds, not of one direction each.
"""

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.ranking import _instance_ranking as instances
from align.types import BoolArray, Float64

__all__ = ["KeptLabels", "KeptQueries"]


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
        losses = np.zeros(len(self.rounds))
        for t, (x, relevant) in enumerate(self.rounds):
            if relevant.all() or not relevant.any():
                continue
            seen = len(x) - self.bias
            scores = weights[: len(relevant), :seen] @ x[:seen]
            if self.bias:
                scores = scores + weights[: len(relevant), -1] * x[-1]
            lack = self.margin - (scores[relevant].min() - scores[~relevant].max())
            losses[t] = max(lack, 0.0)
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
            if weights.shape != (x.shape[1],):
                raise ParameterError(f"u.shape={weights.shape}, must be (d,)=({x.shape[1]},).")
            _, pairs, lost, worst, _, _ = instances.measure(x @ weights, y)
            losses[t] = max(worst, 0.0) if self.maximum else lost / max(pairs, 1)
        return losses
