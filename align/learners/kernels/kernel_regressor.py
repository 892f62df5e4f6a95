"""Passive-aggressive regression with kernels, and with a budget.

The prediction is ``F(x) = sum_j coef_j K(x_j, x)`` over the stored examples x_j, the *supports*. A
round on (x, y) has the loss ``[|y - F(x)| - epsilon]_+``, and where it is positive stores x with
tau times the sign of ``y - F(x)``:

    pa     tau = loss / K(x, x)
    pa1    tau = min(C, loss / K(x, x))
    pa2    tau = loss / (K(x, x) + 1 / 2C)

References
----------
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from align.learners.kernels._checks import check_numbers
from align.learners.kernels._learner import SupportLearner
from align.learners.kernels._rounds import Rule
from align.learners.parts import step_limits
from align.learners.parts.parameters import mean_of, not_negative
from align.types import BoolArray, Float64

_NO_CLASSES = np.zeros((0, 1), dtype=np.bool_)


@dataclass(eq=False, repr=False, kw_only=True)
class KernelPARegressor(SupportLearner):
    """Kernel passive-aggressive regressor.

    Source: Crammer et al. 2003, section 3; Behuet 2007 (slides).

    Parameters
    ----------
    kernel, sigma, degree, gamma, coef0
        The kernel, as in `KernelPA`.
    update : {"pa1", "pa", "pa2"}
        How far a round moves.
    C : float, default 1
        Aggressiveness of "pa1" and "pa2"; positive.
    epsilon : float, default 0.1
        Half the width of the tube without loss, not negative; in units of y.
    average, budget, removal, epochs, shuffle, record, random_state, variant
        As in `KernelPA`.

    Attributes
    ----------
    support_vectors_ : np.ndarray [shape=(S, d)]
        The supports, oldest first.
    dual_coef_ : np.ndarray [shape=(S, 1)]
        Their coefficients, averaged or not as `average` says.
    sigma_, gamma_ : float
        What the kernel uses.
    n_features_in_ : int
        d.
    n_rounds_, n_mistakes_, n_updates_ : int
        Rounds; those with a loss; those that stored something.
    cumulative_loss_ : float
        Sum over the rounds of the loss.
    trace_ : Trace
        As in `KernelPA`.

    Notes
    -----
    There is no intercept; add a constant feature to the linear kernel. The polynomial one has a
    constant in `coef0`.

    Examples
    --------
    >>> X = np.linspace(-3.0, 3.0, 60)[:, None]
    >>> model = KernelPARegressor(sigma=0.7, epsilon=0.05, epochs=20).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.15)
    True
    """

    _estimator_type = "regressor"

    epsilon: float = 0.1

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from examples, afresh; as `KernelPA.fit`, of numbers y [shape=(n,)]."""
        return self._learn_afresh(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Continue with examples in the order given, once; as `KernelPA.partial_fit`."""
        return self._learn_more(X, y, sample_weight)

    def _read_targets(self, y: Any, n: int) -> Float64:
        return check_numbers(y, n, type(self).__name__)

    def _targets(self, y: Float64) -> tuple[BoolArray, Float64]:
        return _NO_CLASSES, y

    def predict(self, X: Any) -> Float64:
        """Return the prediction of each example.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(n, d)]

        Returns
        -------
        np.ndarray [shape=(n,)]
        """
        return self._scores(X)[:, 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R squared: 1 less the squared error over that of the mean of y [shape=(n,)]."""
        predicted = self.predict(X)
        numbers = self._read_targets(y, len(predicted))
        errors = mean_of((numbers - predicted) ** 2, sample_weight)
        mean = mean_of(numbers, sample_weight)
        spread = mean_of((numbers - mean) ** 2, sample_weight)
        return float(1.0 - errors / spread) if spread > 0.0 else float(errors == 0.0)

    def _flat_twin(self, conversion: str, y: Any) -> tuple[Any, Any]:
        from align.learners.flat.passive_aggressive import PassiveAggressiveRegressor

        twin = PassiveAggressiveRegressor(
            self._update_name(),
            C=self.C,
            epsilon=self.epsilon,
            fit_intercept=False,
            conversion=conversion,
        )
        return twin, y

    def _n_scores(self) -> int:
        return 1

    def _rule(self) -> Rule:
        began = self._began
        return Rule(*step_limits(began.update, float(began.C)), float(began.epsilon))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        not_negative(self.epsilon, "epsilon")
