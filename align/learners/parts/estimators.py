"""What estimators of vectors share: sparse examples, label sets, and classes from scores."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from align.learners.parts.labels import check_label_sets, check_labels, read_labels
from align.learners.parts.parameters import refuse_masks
from align.learners.parts.saved import Saved
from align.types import Float64


class VectorEstimator(Saved, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """An estimator in scikit-learn's sense that takes sparse examples and goes to a file."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class CountedRounds:
    """Read-only counts of a learner that keeps them in one array; the class says what they are."""

    def _played(self) -> npt.NDArray[np.int64]:
        """Return rounds, mistakes and updates, and maybe more; an error where nothing is known."""
        raise NotImplementedError

    @property
    def n_rounds_(self) -> int:
        """Rounds played."""
        return int(self._played()[0])

    @property
    def n_mistakes_(self) -> int:
        """Rounds with a mistake."""
        return int(self._played()[1])

    @property
    def n_updates_(self) -> int:
        """Rounds with a step."""
        return int(self._played()[2])


class LinearWeights:
    """Read-only weights of a learner of linear scores, which says what its hypothesis is."""

    n_features_in_: int
    _began: SimpleNamespace  # the parameters as learning began

    def _hypothesis(self) -> Float64:
        """Return the weights that predict, the constant last [shape=(rows, d or d + 1)]."""
        raise NotImplementedError

    def _linear_scores(self, X: Any, weights: Float64) -> Float64:
        """Return the score of each example with each row of weights [shape=(m, rows)]."""
        scores: Float64 = np.asarray(X @ weights[:, : self.n_features_in_].T)
        if self._began.fit_intercept:
            scores += weights[:, -1]
        return scores

    @property
    def coef_(self) -> Float64:
        """Weights that predict [shape=(rows, d)], in the order of `classes_`."""
        return self._hypothesis()[:, : self.n_features_in_]

    @property
    def intercept_(self) -> Float64:
        """Weight of the constant feature [shape=(rows,)]; zeros where there is none."""
        weights = self._hypothesis()
        return weights[:, -1] if self._began.fit_intercept else np.zeros(len(weights))


class Classifying(ClassifierMixin):  # type: ignore[misc]  # sklearn is untyped
    """A classifier whose score takes all labels that its `fit` takes."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of examples [shape=(m, d)] for which the right label is predicted.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
        y : array_like [shape=(m,)]
        sample_weight : array_like [shape=(m,)], optional
            How much each example counts.

        Returns
        -------
        float
        """
        return float(super().score(X, read_labels(y), sample_weight))


class ScoredClasses(Classifying):
    """A classifier that predicts by `decision_function`, where one of two classes has no score."""

    classes_: npt.NDArray[Any]

    def decision_function(self, X: Any) -> Float64:
        """Return the score of each class; of two classes, how much the second is ahead."""
        raise NotImplementedError

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each example, the best label where there are several.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)]
        """
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            codes = np.zeros(len(scores), dtype=np.intp)
        elif scores.ndim == 1:
            codes = (scores >= 0.0).astype(np.intp)
        else:
            codes = np.argmax(scores, axis=1)
        return self.classes_[codes]


def read_label_sets(owner: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
    """Return examples, and their classes [shape=(m,)] or relevant labels [shape=(m, K)]."""
    if hasattr(y, "toarray"):
        y = y.toarray()
    X, y = validated(owner, X, y, reset=reset, multi_output=True)
    if y.ndim == 2 and y.shape[1] == 1:
        X, y = validated(owner, X, y, reset=False)  # warns of the column
    check_labels(y)
    check_label_sets(y)
    return summed(X), y


def validated(owner: Any, X: Any, y: Any = "no_validation", **given: Any) -> Any:
    """Return what scikit-learn's `validate_data` makes of examples: float64, dense or CSR.

    Other `given` options take the place of these two. Masks are refused, and labels are read by
    `read_labels`.
    """
    refuse_masks(X=X, y=y)
    if not given.get("y_numeric"):
        y = read_labels(y)
    options = {"accept_sparse": "csr", "dtype": np.float64} | given
    return validate_data(owner, without_spare(X), y, **options)


def without_spare(X: Any) -> Any:
    """Return X, of a CSR matrix with spare room at the end of its arrays a view without that room.

    Matrices of SciPy may have such room, whose values are no entries; `scipy.sparse.hstack` and
    the kernels would take them for some.
    """
    if getattr(X, "format", "") == "csr" and len(X.data) > X.indptr[-1]:
        return type(X)((X.data, X.indices, X.indptr), shape=X.shape)
    return X


def summed(X: Any) -> Any:
    """Return X, of a sparse matrix one in which each entry stands once.

    An entry that stands twice is the sum of both; a norm of what is stored would be another.
    """
    if not isinstance(X, np.ndarray) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
