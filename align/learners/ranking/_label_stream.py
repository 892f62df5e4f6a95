"""Labels that come up in a stream: the code of each, and the relevant ones of each example."""

from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.flat.certified_pairs import certify_ranker
from align.learners.parts.estimators import read_label_sets
from align.learners.parts.labels import distinct_labels
from align.learners.ranking import _label_ranking as core
from align.learners.ranking._label_predictor import LabelPredictor
from align.learners.ranking.ranking_losses import label_ranking_loss
from align.learners.theory.certified import Certified, RunCertificate
from align.types import BoolArray

__all__ = ["LabelStream"]


class LabelStream(Certified, LabelPredictor):
    """A ranker of labels that takes up new ones, and reads examples with their relevant labels."""

    _codes: dict[Any, int]
    _labels: list[Any]  # in the order of the codes
    _gamma: float

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
        weights = np.asarray(u, dtype=np.float64)
        scores = X @ weights[:, : self.n_features_in_].T
        if self._began.fit_intercept:
            scores = scores + weights[:, -1]
        losses = label_ranking_loss(scores, relevant[:, self._columns], self._gamma)
        return float((bound + np.sum(losses)) / self._gamma)

    def _certified(self, X: Any, y: Any, delta: float) -> RunCertificate:
        return certify_ranker(self, X, y, delta)

    def _prepare_steps(self) -> None:
        """Make the work space of `step`, which should not allocate."""
        n, k = self.n_features_in_, len(self._labels)
        self._every_column = np.arange(n)
        self._row = np.zeros(n)
        ends, bias = np.array([0, n], dtype=np.intp), bool(self._began.fit_intercept)
        self._row_alone = core.Rows(self._row, self._every_column, ends, True, bias)
        self._mask = np.zeros((1, max(k, 1)), dtype=np.bool_)
        self._known = np.array([k], dtype=np.intp)
        self._work = np.zeros((1, core.LOG))

    def _code(self, label: Any) -> int:
        code = self._codes.get(label)
        if code is None:
            self._announce(np.array([label]))
            code = self._codes[label]
        return code

    def _announce(self, labels: Any) -> None:
        """Take up labels that are new, in their order."""
        new = [label for label in labels if label not in self._codes]
        if not new:
            return
        distinct_labels(self.classes_, np.array(new))  # or an error, and nothing is changed
        for label in new:
            self._codes[label] = len(self._codes)
        self._labels = list(self._codes)
        self._run.grow(len(self._labels))
        known = np.array(self._labels)
        self._columns = np.argsort(known, kind="stable")
        self.classes_ = known[self._columns]
        self._mask = np.zeros((1, known.size), dtype=np.bool_)
        self._known[0] = known.size

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        if hasattr(y, "toarray"):
            y = y.toarray()
        X, y = read_label_sets(self, X, y, reset=reset)
        if y.ndim == 2 and not np.isin(y, (0, 1)).all():
            raise ParameterError("y must be an indicator matrix of 0 and 1: (m, k).")
        return X, y

    def _count(self, relevant: BoolArray) -> None:
        """Count how many labels are relevant in rounds that have any."""
        sizes = relevant.sum(axis=1)
        self._sizes += (np.count_nonzero(sizes), sizes.sum())

    def _targets(
        self, y: npt.NDArray[Any], grow: bool = True
    ) -> tuple[BoolArray, npt.NDArray[np.intp]]:
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
