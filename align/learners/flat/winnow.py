r"""Winnow with a threshold: weights that are multiplied, for features that are 0 or 1.

All weights begin at 1; x is predicted positive where ``<w, x> >= theta``. A positive example that
was missed multiplies the weights of its features by beta, a false alarm divides them.

Where weights mu >= 0 exist with ``<mu, x> >= 1`` for positives and ``<mu, x> <= 1 - g`` for
negatives, the promotions u and demotions v are bounded; see `threshold_winnow_bound`.

References
----------
Littlestone, "Learning quickly when irrelevant attributes abound", 1988. Lecture slides state
``beta = 1 + gamma / 2`` for a separation of theta against theta - gamma; it is the relative
``g = gamma / theta`` that belongs there, and the sum of mu, not of w, in the last lemma.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError
from align.learners.parts.estimators import (
    ScoredClasses,
    VectorEstimator,
    summed,
    validated,
)
from align.learners.parts.labels import check_announced, check_labels, distinct_labels, one_label
from align.learners.parts.parameters import (
    NO_WEIGHTS,
    check_whole,
    generator,
    one_row,
    orders,
    positive,
    read_weights,
    weighed,
)
from align.learners.theory import Round
from align.learners.theory.recorded import Recorded
from align.types import Float64, IntArray

_LARGEST = 600.0  # logarithm of what a weight is multiplied by; beyond 700 it is infinite


class WinnowBound(NamedTuple):
    """Bounds of `ThresholdWinnow` on separable data.

    Attributes
    ----------
    promotions, demotions : float
        Most mistakes on positives and on negatives.
    largest_weight : float
        What no weight exceeds.
    """

    promotions: float
    demotions: float
    largest_weight: float


def threshold_winnow_bound(
    d: int, theta: float, beta: float, separation: float, total: float
) -> WinnowBound:
    """Bound the mistakes of `ThresholdWinnow`.

    Parameters
    ----------
    d : int
        Number of features.
    theta, beta : float
        Of the learner.
    separation : float
        g, in (0, 1], with ``beta < 1 / (1 - g)``.
    total : float
        Sum of the weights mu that separate.

    Returns
    -------
    WinnowBound

    Raises
    ------
    ParameterError
        Where beta is too large for any bound to hold.

    Examples
    --------
    >>> bound = threshold_winnow_bound(16, theta=16.0, beta=1.5, separation=1.0, total=2.0)
    >>> round(bound.promotions, 2), round(bound.demotions, 2)
    (15.68, 26.51)
    """
    if not 0.0 < separation <= 1.0:
        raise ParameterError(f"separation={separation}, must lie in (0, 1].")
    if not 1.0 < beta or not beta * (1.0 - separation) < 1.0:
        raise ParameterError(f"beta={beta}, must lie in (1, 1 / (1 - separation)).")
    reach = total * math.log(beta * theta) / math.log(beta)
    first = beta * d / ((beta - 1.0) * theta)
    demotions = (first + beta * reach) / (1.0 - beta * (1.0 - separation))
    return WinnowBound(reach + (1.0 - separation) * demotions, demotions, beta * theta)


@dataclass(eq=False, repr=False)
class ThresholdWinnow(Recorded, ScoredClasses, VectorEstimator):
    """Winnow with a threshold, for two classes and features 0 or 1.

    Source: lecture slides "Online Algorithms", after Littlestone 1988.

    Parameters
    ----------
    theta : float, optional
        Threshold, at least 1; by default the number of features.
    beta : float, default 1.5
        Factor, more than 1. ``1 + g / 2`` suits a relative separation g.
    epochs, shuffle, record, random_state
        As in `PassiveAggressiveClassifier`.

    Attributes
    ----------
    classes_ : np.ndarray [shape=(2,)]
        The second is the positive one.
    coef_ : np.ndarray [shape=(1, d)]
        The weights.
    intercept_ : np.ndarray [shape=(1,)]
        ``-theta``.
    n_rounds_, n_mistakes_, n_promotions_, n_demotions_, n_updates_ : int
        An example without any feature changes no weight, right or wrong.
    trace_ : Trace
        The rounds so far, where `record` is set; there is no dual objective.
    n_features_in_ : int

    Notes
    -----
    Add complemented columns ``1 - x`` for concepts that are not monotone.

    Examples
    --------
    >>> X = np.array([[0, 0, 1, 1], [1, 0, 0, 1], [1, 1, 0, 0]])
    >>> model = ThresholdWinnow(theta=2.0, beta=2.0).partial_fit(X, [0, 1, 1])
    >>> model.coef_
    array([[2. , 1. , 0.5, 1. ]])
    """

    theta: float | None = None
    beta: float = 1.5
    _: KW_ONLY
    epochs: int = 1
    shuffle: bool = True
    record: bool = False
    random_state: Any = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True
        tags.input_tags.two_d_array = False  # of any numbers: only of 0 and 1
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch, in `epochs` passes.

        Parameters
        ----------
        X : array_like or CSR matrix of 0 and 1 [shape=(m, d)]
        y : array_like [shape=(m,)]
            Two classes.
        sample_weight : array_like [shape=(m,)], optional
            As in `partial_fit`; an example of weight 0 is as if it had not been given.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For other features, more or fewer than two classes, or parameters out of range.
        """
        check_whole(self.epochs, "epochs")
        X, y = self._validate(X, y, reset=True)
        weights, X, y = weighed(sample_weight, X, y)
        self._begin(X.shape[1], np.unique(y))
        for order in orders(generator(self.random_state), len(y), self.epochs, self.shuffle):
            self._play(X, y, order, weights)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Parameters
        ----------
        X : array_like or CSR matrix of 0 and 1 [shape=(m, d)]
        y : array_like [shape=(m,)]
        classes : array_like, optional
            Both classes. Where the first call has one only, nothing is learned until a call
            brings the other.
        sample_weight : array_like [shape=(m,)], optional
            Multiplies the logarithm of the factor; 0 leaves an example out. The bounds are for
            weights of 1.

        Returns
        -------
        self
        """
        first = not hasattr(self, "classes_")
        X, y = self._validate(X, y, reset=first)
        weights, order = read_weights(sample_weight, X)
        found = distinct_labels(y if classes is None else classes)
        if first:
            self._begin(X.shape[1], found, least=1)
        elif len(self.classes_) == 1:
            self._admit(distinct_labels(found, y))
        self._play(X, y, order, weights)
        return self

    def step(self, x: npt.ArrayLike, y: Any) -> Round:
        """Play one round of a stream.

        Parameters
        ----------
        x : array_like of 0 and 1 [shape=(d,)]
        y : label

        Returns
        -------
        Round
            Its tau is the change of the logarithm of the weights.

        Raises
        ------
        ParameterError
            For another number of features, numbers other than 0 and 1, or a third class.
        """
        x, label = one_row(x, self), one_label(y)
        _check_bits(x)
        if not hasattr(self, "classes_"):
            self._begin(len(x), label, least=1)
            self.n_features_in_ = len(x)
        if len(self.classes_) == 1:
            self._admit(label)
        check_announced(label, self.classes_)
        return self._round(np.flatnonzero(x), bool(y == self.classes_[-1]))

    def decision_function(self, X: Any) -> Float64:
        """Return ``<w, x> - theta`` [shape=(m,)]."""
        check_is_fitted(self)
        X = summed(validated(self, X, reset=False))
        _check_bits(X)
        return np.asarray(X @ self._w) - self._theta

    @property
    def coef_(self) -> Float64:
        """The weights [shape=(1, d)]."""
        check_is_fitted(self)
        return self._w[None, :].copy()

    @property
    def intercept_(self) -> Float64:
        """``-theta`` [shape=(1,)]."""
        check_is_fitted(self)
        return np.array([-self._theta])

    @property
    def n_mistakes_(self) -> int:
        """Rounds with a wrong prediction."""
        return self.n_promotions_ + self.n_demotions_

    def _begin(self, d: int, classes: npt.NDArray[Any], least: int = 2) -> None:
        _check_two(classes, least)
        self._beta = positive(self.beta, "beta")
        self._theta = float(d) if self.theta is None else positive(self.theta, "theta")
        if self._theta < 1.0:
            raise ParameterError(f"theta={self.theta}, must be at least 1 and finite.")
        if self._beta <= 1.0:
            raise ParameterError(f"beta={self.beta}, must be more than 1 and finite.")
        self.classes_: npt.NDArray[Any] = classes
        self._w = np.ones(d)
        self.n_rounds_ = self.n_promotions_ = self.n_demotions_ = self.n_updates_ = 0
        self._begin_trace()

    def _admit(self, found: npt.NDArray[Any]) -> None:
        """Take up the second class; the weights are still those of the beginning."""
        merged = distinct_labels(self.classes_, found)
        _check_two(merged, least=1)
        self.classes_ = merged

    def _play(
        self,
        X: Any,
        y: npt.NDArray[Any],
        order: IntArray,
        weights: Float64 = NO_WEIGHTS,
    ) -> None:
        check_announced(y, self.classes_)
        positive = y == self.classes_[-1]
        for i in order:
            if isinstance(X, np.ndarray):
                row = np.flatnonzero(X[i])
            else:
                own = slice(X.indptr[i], X.indptr[i + 1])
                row = X.indices[own][X.data[own] != 0.0]
            self._round(row, bool(positive[i]), float(weights[i]) if len(weights) else 1.0)

    def _round(self, row: IntArray, positive: bool, weight: float = 1.0) -> Round:
        if len(self.classes_) == 1:
            self.n_rounds_ += 1
            return self._entry(self.classes_[0], 0.0, 0.0, 0.0, 0.0, self._theta)
        score = float(self._w[row].sum())
        predicted = score >= self._theta
        self.n_rounds_ += 1
        mistake = predicted != positive
        updated = mistake and len(row) > 0
        size = weight * math.log(self._beta)
        if mistake:
            if size > _LARGEST:
                raise ParameterError(
                    f"an example of weight {weight:g} would multiply by exp({size:.3g}); choose "
                    "smaller weights of examples."
                )
            factor = self._beta**weight
            self.n_promotions_ += positive
            self.n_demotions_ += not positive
            self._w[row] *= factor if positive else 1.0 / factor
            self.n_updates_ += updated
        tau = (size if positive else -size) if updated else 0.0
        loss = abs(score - self._theta) if mistake else 0.0
        label, norm = self.classes_[int(predicted)], 1.0 if len(row) else 0.0
        found = self._entry(label, loss, tau, float(mistake), norm, self._theta)
        self._keep(found)
        return found

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        X, y = validated(self, X, y, reset=reset)
        check_labels(y)
        X = summed(X)
        _check_bits(X)
        return X, y


def _check_two(classes: npt.NDArray[Any], least: int) -> None:
    if not least <= len(classes) <= 2:
        raise ParameterError(
            f"y has {len(classes)} class(es), must have 2. Only binary classification is "
            "supported."
        )


def _check_bits(X: Any) -> None:
    values = X.data if not isinstance(X, np.ndarray) else X
    wrong = (values != 0.0) & (values != 1.0)
    if wrong.any():
        raise ParameterError(
            f"X has the value {float(values[wrong].flat[0])}, must be 0 or 1; Winnow with a "
            "threshold has no meaning else. Winnow takes any features."
        )
