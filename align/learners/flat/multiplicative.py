r"""Multiplicative passive-aggressive learners: weights on the simplex.

Where there is loss, ``w_j`` is multiplied by ``exp(tau a_j)`` and w normalised, with
``tau = 4 l / range(a)^2``, range being largest minus smallest entry (of each class; the squares
are added). If w* on the simplex has no loss at a margin lower, or a tube narrower, by e,

    sum l_t^2 + 2 e sum l_t  <=  max range(a_t)^2 D(w* || w_1) / 2,

D being the relative entropy, at most ln n.

References
----------
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003, section 6.
Two corrections: its step for one class, ``l / (8 max |a_j|^2)``, violates its bound; and with
features that are not negative a classifier on the simplex can only say yes, so here it sees
``[x, -x]``. Its step for the other two problems, ``4 l / max |x_j|^2``, is right for features
that are not negative, and is kept as ``step_size="printed"``.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError
from align.learners.flat._classifier import FlatClassifier
from align.learners.flat._regressor import FlatRegressor
from align.learners.flat._uniclass import Centred
from align.learners.parts import HARD, Entropy, FixedTuning, Plan, Update
from align.learners.parts.parameters import (
    NO_WEIGHTS,
    check_choice,
    not_negative,
    one_row,
    positive,
)
from align.learners.theory import Round
from align.types import Float64, IntArray


@dataclass(eq=False, repr=False, kw_only=True)
class _Multiplicative:
    """Give a classifier or a regressor weights on the simplex."""

    step_size: str = "range"
    signed: bool = True

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        X, y = super()._validate(X, y, reset=reset)  # type: ignore[misc]  # of `FlatLearner`
        check_choice(self.step_size, "step_size", ("range", "printed"))
        if self.step_size == "range":
            return X, y
        if self.signed:
            raise ParameterError("step_size='printed' is for features as they are: signed=False.")
        values = X.data if not isinstance(X, np.ndarray) else X
        if values.size and values.min() < 0.0:
            raise ParameterError(
                f"X has the value {float(values.min())}, must not be negative for "
                "step_size='printed'; take 'range'."
            )
        return X, y

    def _plan_of(self, margin: float, *, regression: bool) -> Plan:
        return Plan(
            Update(HARD, FixedTuning(1.0)),  # v is the logarithm of the weights
            Entropy(),
            margin=margin,
            regression=regression,
            doubled=bool(self.signed),
            multiplicative=self.step_size,
        )


@dataclass(eq=False, repr=False)
class MultiplicativePA(_Multiplicative, FlatClassifier):
    """Multiplicative passive-aggressive classifier, for two classes or more.

    Source: Crammer et al. 2003, section 6 and Theorem 4, with the constants mended.

    Parameters
    ----------
    margin : float, default 1
        Of the hinge loss, positive. Weights on the simplex reach scores up to the largest
        ``|x_j|``: scale the features, or the margin.
    step_size : {"range", "printed"}
        See the module.
    signed : bool, default True
        Give the learner ``[x, -x]``, and so weights of either sign.
    fit_intercept, conversion, epochs, shuffle, validation_fraction, n_candidates, record, \
random_state
        As in `PassiveAggressiveClassifier`. The constant is a feature 1 like any other.

    Attributes
    ----------
    classes_, n_rounds_, n_mistakes_, n_updates_, cumulative_loss_, dual_objective_, trace_, \
n_features_in_
        As in `PassiveAggressiveClassifier`.
    coef_, intercept_ : np.ndarray [shape=(1 or K, d)], [shape=(1 or K,)]
        On the simplex; where `signed`, the difference of the weights of x and -x.

    Examples
    --------
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> MultiplicativePA().partial_fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    """

    margin: float = 1.0

    def _plan(self, n_weights: int) -> Plan:
        return self._plan_of(positive(self.margin, "margin"), regression=False)


@dataclass(eq=False, repr=False)
class MultiplicativePARegressor(_Multiplicative, FlatRegressor):
    """Multiplicative passive-aggressive regressor.

    Source: Crammer et al. 2003, section 6 and Theorem 4.

    Parameters
    ----------
    epsilon : float, default 0.1
        Half the width of the tube without loss, not negative.
    step_size : {"range", "printed"}
        See the module.
    signed : bool, default True
        Give the learner ``[x, -x]``, and so weights of either sign.
    fit_intercept, conversion, epochs, shuffle, validation_fraction, n_candidates, record, \
random_state
        As in `PassiveAggressiveRegressor`.

    Attributes
    ----------
    coef_, intercept_, n_rounds_, n_mistakes_, n_updates_, cumulative_loss_, dual_objective_, \
trace_, n_features_in_
        As in `PassiveAggressiveRegressor`.

    Examples
    --------
    >>> model = MultiplicativePARegressor(epsilon=0.0, signed=False, fit_intercept=False)
    >>> model.partial_fit([[1.0, 0.0], [0.0, 1.0]] * 20, [0.75, 0.25] * 20).coef_.round(6)
    array([0.75, 0.25])
    """

    epsilon: float = 0.1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # weights are on the simplex, whatever y asks for
        return tags

    def _plan(self, n_weights: int) -> Plan:
        return self._plan_of(-not_negative(self.epsilon, "epsilon"), regression=True)


@dataclass(eq=False, repr=False)
class MultiplicativePAUniclass(Centred):
    """Multiplicative passive-aggressive learner of one class: a centre on the simplex.

    Source: Crammer et al. 2003, section 6 and Theorem 4, with the constants mended.

    Parameters
    ----------
    epsilon : float, default 1
        Distance within which nothing is lost, not negative; in units of x.
    epochs, shuffle, record, random_state
        As in `PassiveAggressiveUniclass`.

    Attributes
    ----------
    center_ : np.ndarray [shape=(d,)]
        w; uniform at first.
    offset_ : float
        ``-epsilon``.
    n_rounds_, n_mistakes_, n_updates_ : int
        A mistake is a round with a loss.
    cumulative_loss_, cumulative_squared_loss_ : float
    trace_ : Trace
        The rounds so far, where `record` is set; `target` and `loss` are the same.
    n_features_in_ : int

    Examples
    --------
    >>> model = MultiplicativePAUniclass(epsilon=0.1, epochs=50, shuffle=False)
    >>> model.fit([[0.8, 0.2], [0.9, 0.1]]).predict([[0.85, 0.15], [0.0, 1.0]]).tolist()
    [1, -1]
    """

    epsilon: float = 1.0  # the first, by its place

    def _begin(self, n_features: int) -> None:
        not_negative(self.epsilon, "epsilon")
        self._log_w: Float64 = np.zeros(n_features)
        self._w: Float64 = np.full(n_features, 1.0 / n_features)
        self.n_rounds_, self.n_mistakes_, self.n_updates_ = 0, 0, 0
        self.cumulative_loss_, self.cumulative_squared_loss_ = 0.0, 0.0

    def _play(self, X: Any, order: IntArray, weights: Float64 = NO_WEIGHTS) -> None:
        dense = isinstance(X, np.ndarray)
        for i in order:
            self.step(X[i] if dense else X[[i]].toarray()[0])

    def step(self, x: npt.ArrayLike, y: Any = None) -> Round:
        """Play one round of a stream.

        Parameters
        ----------
        x : array_like [shape=(d,)]
            Finite numbers.
        y : object, optional
            Ignored.

        Returns
        -------
        Round
            Its prediction is the distance of x from the centre before the round.

        Raises
        ------
        ParameterError
            For another number of features, numbers that are not finite, or a distance that
            overflows.
        """
        row = one_row(x, self)
        if not hasattr(self, "n_features_in_"):
            self.n_features_in_ = row.size
            self._open(row.size)
        away = row - self._w
        with np.errstate(over="ignore"):
            length = float(np.linalg.norm(away))
        if not math.isfinite(length * length):
            raise ParameterError("a distance overflowed; scale the features to moderate values.")
        loss = max(length - self._epsilon, 0.0)
        if loss <= 1e-12 * (length + self._epsilon):
            loss = 0.0
        tau = norm = 0.0
        if loss > 0.0:
            a = away / length
            spread = float(a.max() - a.min())
            norm = float(np.abs(a).max())
            if spread > 0.0:
                tau = 4.0 * loss / spread**2
                self._log_w += tau * a
                self._log_w -= self._log_w.max()
                self._w = np.exp(self._log_w)
                self._w /= self._w.sum()
        self.n_rounds_ += 1
        self.n_mistakes_ += loss > 0.0
        self.n_updates_ += tau > 0.0
        self.cumulative_loss_ += loss
        self.cumulative_squared_loss_ += loss * loss
        found = self._entry(length, loss, tau, float(loss > 0.0), norm, loss)
        self._keep(found)
        return found

    @property
    def center_(self) -> Float64:
        """The centre [shape=(d,)]."""
        check_is_fitted(self, "n_features_in_")
        return self._w.copy()

    def squared_loss_bound(self, u: npt.ArrayLike) -> float:
        """Bound the sum of the squared losses, if u on the simplex has none: ``D(u || w_1)``."""
        return float(Entropy().bregman(u, np.full(self.n_features_in_, 1.0 / self.n_features_in_)))
