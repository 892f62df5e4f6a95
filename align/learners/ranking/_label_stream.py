"""A ranker of labels but for its steps: the labels it knows, its scores and rankings, its bounds.

Labels come up in a stream and have codes in the order of arrival, while `classes_` is sorted. See
`align.learners.ranking.label_ranking` for the learner and its notation.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError, check_shape
from align.learners.flat.certified_pairs import certify_ranker
from align.learners.parts import Blocks, Entropy, Euclidean
from align.learners.parts.estimators import (
    Classifying,
    CountedRounds,
    LinearWeights,
    VectorEstimator,
    read_label_sets,
    validated,
)
from align.learners.parts.labels import distinct_labels
from align.learners.ranking import _label_ranking as core
from align.learners.ranking._label_run import LabelRun
from align.learners.ranking.ranking_losses import label_ranking_loss
from align.learners.theory.certified import Certified, RunCertificate
from align.types import BoolArray, Float64, IntArray


class LabelStream(
    Certified,
    CountedRounds,
    LinearWeights,
    Classifying,
    VectorEstimator,
):
    """A ranker that takes up new labels, reads examples and predicts; its subclass learns."""

    complexity: str
    fit_intercept: bool
    classes_: npt.NDArray[Any]
    _gamma: float
    _run: LabelRun
    _codes: dict[Any, int]
    _labels: list[Any]  # in the order of the codes
    _columns: IntArray  # where in the run each class stands
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
        return self._linear_scores(validated(self, X, reset=False), self._hypothesis())

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

        Raises
        ------
        ParameterError
            For weights of another shape.
        """
        self._played()
        weights = np.asarray(u, dtype=np.float64)
        shape = (self._run.k, self.n_features_in_ + bool(self._began.fit_intercept))
        check_shape("u", weights.shape, "(k, n)", shape)
        f = Blocks(Entropy() if self._began.complexity == "entropy" else Euclidean())
        floats = self._run.state.floats
        return float(floats[core.C] * f.value(weights) + floats[core.SPENT])

    def mistake_bound(self, u: npt.ArrayLike, X: Any, y: Any) -> float:
        """Bound the mistakes by fixed weights u and their losses on the rounds that were played.

        Parameters
        ----------
        u : array_like
            As in `regret_bound`.
        X, y
            The rounds, in any order; once for each time they were played.

        Returns
        -------
        float
            ``(regret_bound(u) + sum g_t(u)) / gamma``, at least `n_mistakes_`.
        """
        bound = self.regret_bound(u)
        X, y = self._validate(X, y, reset=False)
        relevant, _ = self._targets(y, grow=False)
        scores = self._linear_scores(X, np.asarray(u, dtype=np.float64))
        losses = label_ranking_loss(scores, relevant[:, self._columns], self._gamma)
        return float((bound + np.sum(losses)) / self._gamma)

    def _certified(self, X: Any, y: Any, delta: float) -> RunCertificate:
        return certify_ranker(self, X, y, delta)

    def _played(self) -> npt.NDArray[np.int64]:
        check_is_fitted(self)
        return self._run.state.counts

    def _hypothesis(self) -> Float64:
        check_is_fitted(self)
        return self._run.hypothesis()[self._columns]

    # Reading ----------------------------------------------------------------------------------

    def _prepare_steps(self) -> None:
        """Make the work space of `step`, which should not allocate."""
        n, k = self.n_features_in_, len(self._labels)
        self._every_column = np.arange(n)
        ends, bias = np.array([0, n], dtype=np.intp), bool(self._began.fit_intercept)
        self._row_alone = core.Rows(np.zeros(n), self._every_column, ends, True, bias)
        self._mask = np.zeros((1, max(k, 1)), dtype=np.bool_)
        self._known = np.array([k], dtype=np.intp)
        self._work = np.zeros((1, core.LOG))

    def _code(self, label: Any) -> int:
        code = self._codes.get(label)
        if code is None:
            self._announce(np.array([label]))
            code = self._codes[label]
        return code

    def _announce(self, labels: npt.NDArray[Any]) -> None:
        """Take up labels that are new, in their order."""
        if all(label in self._codes for label in labels):
            return
        self.classes_ = distinct_labels(self.classes_, labels)  # or an error, and no change
        for label in labels:
            self._codes.setdefault(label, len(self._codes))
        self._labels = list(self._codes)
        self._run.grow(len(self._labels))
        self._columns = np.array([self._codes[label] for label in self.classes_], dtype=np.intp)
        self._mask = np.zeros((1, self.classes_.size), dtype=np.bool_)
        self._known[0] = self.classes_.size

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        return read_label_sets(self, X, y, reset=reset)

    def _count(self, relevant: BoolArray) -> None:
        """Count how many labels are relevant in rounds that have any."""
        sizes = relevant.sum(axis=1)
        self._sizes += (np.count_nonzero(sizes), sizes.sum())

    def _targets(self, y: npt.NDArray[Any], grow: bool = True) -> tuple[BoolArray, IntArray]:
        """Return the relevant labels of each row, and how many labels are known by then."""
        before = self._run.k
        if y.ndim == 2:
            if grow and y.shape[1] > before:
                self._announce(np.arange(y.shape[1]))
            if y.shape[1] != self.classes_.size:
                raise ParameterError(
                    f"y.shape={y.shape}, must be (m, k)=(m, {self.classes_.size}): one column for "
                    "each label, in the order of classes_."
                )
            relevant = np.zeros(y.shape, dtype=np.bool_)
            relevant[:, self._columns] = y != 0
            if grow:
                self._several = True
            return relevant, np.full(len(y), self._run.k, dtype=np.intp)
        labels, first, inverse = np.unique(y, return_index=True, return_inverse=True)
        if grow:
            self._announce(labels[np.argsort(first)])  # in the order of arrival
        found = [self._codes.get(label, -1) for label in labels]
        if min(found) < 0:
            raise ParameterError(
                f"label {labels.tolist()[found.index(-1)]!r} was never seen before."
            )
        codes = np.array(found, dtype=np.intp)[inverse]
        relevant = np.zeros((len(y), self._run.k), dtype=np.bool_)
        relevant[np.arange(len(y)), codes] = True
        return relevant, np.maximum(np.maximum.accumulate(codes) + 1, before)
