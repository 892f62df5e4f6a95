"""What a label ranker knows and predicts: scores, rankings, the best labels, facts of its run.

See `align.learners.ranking.label_ranking` for the learner and its notation.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError
from align.learners.parts import Blocks, Entropy, Euclidean
from align.learners.parts.estimators import CountedRounds, VectorEstimator, validated
from align.learners.ranking import _label_ranking as core
from align.learners.ranking._label_run import LabelRun
from align.types import Float64

__all__ = ["LabelPredictor"]


class LabelPredictor(CountedRounds, ClassifierMixin, VectorEstimator):  # type: ignore[misc]
    """A ranker of labels as it predicts; learning is the business of its subclass."""

    complexity: str
    fit_intercept: bool
    classes_: npt.NDArray[Any]
    n_features_in_: int
    _began: SimpleNamespace  # the parameters as learning began
    _run: LabelRun
    _columns: npt.NDArray[np.intp]  # where in the run each class stands
    _several: bool  # whether rounds may have several relevant labels
    _sizes: Float64  # rounds with relevant labels, and how many labels those had

    # Predicting -------------------------------------------------------------------------------

    def scores(self, X: Any) -> Float64:
        """Return ``s_r = <w_r, x>`` for each label.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m, k)], in the order of `classes_`
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        weights = self._hypothesis()
        scores: Float64 = np.asarray(X @ weights[:, : self.n_features_in_].T)
        if self._began.fit_intercept:
            scores += weights[:, -1]
        return scores

    def rank(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels of each example, best first; of equals the first in `classes_`.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m, k)]
        """
        return self.classes_[np.argsort(-self.scores(X), axis=1, kind="stable")]

    def decision_function(self, X: Any) -> Float64:
        """Return scores by which `predict` decides.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m, k)]
            After single labels the `scores`; of two classes only the second minus the first
            [shape=(m,)]. After indicator matrices or sets the scores less a threshold for each
            row, so that those of the labels that `predict` marks are positive.
        """
        scores = self.scores(X)
        k = scores.shape[1]
        if not self._several:
            decision: Float64 = scores[:, 1] - scores[:, 0] if k == 2 else scores
            return decision
        rounds, total = self._sizes
        n = max(int(np.rint(total / max(rounds, 1.0))), 1)
        if n >= k:
            everything: Float64 = scores - (scores.min(axis=1, keepdims=True) - 1.0)
            return everything
        ordered = np.sort(scores, axis=1)
        shifted: Float64 = scores - (ordered[:, [k - n]] + ordered[:, [k - n - 1]]) / 2.0
        return shifted

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the best label; or, after indicator matrices or sets, the best few as indicators.

        A ranking does not say where relevance ends. What is marked is as many labels as were
        relevant on average, rounded, in the rounds in which any were; fewer where scores are equal
        just there.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)], or [shape=(m, k), dtype=int]
        """
        check_is_fitted(self)
        if self._several:
            return (self.decision_function(X) > 0.0).astype(np.int64)
        best: npt.NDArray[Any] = self.classes_[np.argmax(self.scores(X), axis=1)]
        return best

    # What is known ----------------------------------------------------------------------------

    @property
    def coef_(self) -> Float64:
        """Weights that predict [shape=(k, d)], in the order of `classes_`."""
        return self._hypothesis()[:, : self.n_features_in_]

    @property
    def intercept_(self) -> Float64:
        """Weight of the constant feature [shape=(k,)]; zeros where there is none."""
        weights = self._hypothesis()
        return weights[:, -1] if self._began.fit_intercept else np.zeros(len(weights))

    @property
    def cumulative_loss_(self) -> float:
        """Sum of the losses."""
        self._played()
        return float(self._run.state.floats[core.LOSS])

    @property
    def dual_objective_(self) -> float:
        """Dual objective: at most ``c f(u) + sum of the losses of u``, whatever u is."""
        self._played()
        return float(self._run.state.floats[core.DUAL])

    def regret_bound(self, u: npt.ArrayLike) -> float:
        """Bound the regret against fixed weights u by the steps taken.

        Parameters
        ----------
        u : array_like [shape=(k, d)], or [shape=(k, d + 1)] with the intercepts last
            Any with the Euclidean complexity; rows on the simplex with the entropy.

        Returns
        -------
        float
            ``c f(u) + sum N*(x_t)^2 / c_t``, over the rounds that called for a step. The sum of
            the losses so far exceeds that of u by no more; for the conservative learner the sums
            are over mistakes. Infinite for u outside the simplex.
        """
        self._played()
        weights = np.asarray(u, dtype=np.float64)
        shape = (self._run.k, self.n_features_in_ + bool(self._began.fit_intercept))
        if weights.shape != shape:
            raise ParameterError(f"u.shape={weights.shape}, must be (k, n)={shape}.")
        f = Blocks(Entropy() if self._began.complexity == "entropy" else Euclidean())
        floats = self._run.state.floats
        return float(floats[core.C] * f.value(weights) + floats[core.SPENT])

    def _played(self) -> npt.NDArray[np.int64]:
        check_is_fitted(self)
        return self._run.state.counts

    def _hypothesis(self) -> Float64:
        check_is_fitted(self)
        return self._run.hypothesis()[self._columns]
