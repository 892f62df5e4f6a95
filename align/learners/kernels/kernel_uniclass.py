"""The passive-aggressive learner of one class with kernels: a ball in the space of the kernel.

A round loses ``l = [|K(x, .) - w| - epsilon]_+`` and moves the centre w towards ``K(x, .)`` by
tau: l of "pa", ``min(C, l)`` of "pa1", ``l / (1 + 1 / 2C)`` of "pa2". With the linear kernel
this is `PassiveAggressiveUniclass`.

References
----------
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003.
"""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from align._params import not_fitted_error
from align.errors import ParameterError
from align.learners.kernels._centre import Centre
from align.learners.kernels._learner import KernelLearner
from align.learners.kernels._rounds import Rule, Targets
from align.learners.kernels._supports import BLOCK, diagonal_of
from align.learners.parts import step_limits
from align.learners.parts.parameters import not_negative
from align.types import BoolArray, Float64, IntArray

_NO_TARGETS = np.zeros((0, 1), dtype=np.bool_), np.zeros(0)


@dataclass(eq=False, repr=False, kw_only=True)
class KernelPAUniclass(KernelLearner):
    """Kernel passive-aggressive learner of one class, which finds outliers.

    Source: Crammer et al. 2003, section 3; Behuet 2007 (slides).

    Parameters
    ----------
    kernel, sigma, degree, gamma, coef0
        The kernel, as in `KernelPA`. With the Gaussian one every example is at most ``sqrt(2)``
        from every other one.
    update : {"pa1", "pa", "pa2"}
    C : float, default 0.1
        Aggressiveness of "pa1" and "pa2"; positive. No step of PA-I is longer.
    epsilon : float, default 0.8
        Distance within which nothing is lost, not negative; in the space of the kernel.
    average : bool, default True
        Report the mean of the centres before each round, from the second on, instead of the last.
    epochs, shuffle, record, random_state
        As in `PassiveAggressiveUniclass`.
    variant : str, optional
        What 0.1.0 called `update`; it still works, with a warning.

    Attributes
    ----------
    support_vectors_ : np.ndarray [shape=(S, d)]
        Examples that the centre is made of, oldest first.
    dual_coef_ : np.ndarray [shape=(S,)]
        Their shares of the centre: not negative, and 1 in all.
    offset_ : float
        ``-epsilon``: what scikit-learn subtracts from `score_samples`.
    sigma_, gamma_ : float
        What the kernel uses.
    n_features_in_ : int
        d.
    n_rounds_, n_mistakes_, n_updates_ : int
        The first example is a round without loss, where the centre begins.
    cumulative_loss_ : float
        Sum over the rounds of the loss.
    trace_ : Trace
        The rounds so far, where `record` is set; `target` and `loss` are the same.

    Examples
    --------
    A ring, and two points that do not belong to it, of which one is its middle:

    >>> angles = np.linspace(0.0, 2.0 * np.pi, 100, endpoint=False)
    >>> ring = np.column_stack([np.cos(angles), np.sin(angles)])
    >>> model = KernelPAUniclass(sigma=0.4, epochs=5).fit(ring)
    >>> others = model.score_samples([[0.0, 0.0], [1.6, 0.0]])
    >>> bool(model.score_samples(ring).min() > others.max())
    True
    """

    _estimator_type = "outlier_detector"

    C: float = 0.1
    average: bool = True
    epsilon: float = 0.8

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from examples, afresh; as `KernelPA.fit`, but that y is ignored."""
        return self._learn_afresh(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Continue with examples in the order given, once; as `KernelPA.partial_fit`."""
        return self._learn_more(X, y, sample_weight)

    def _read_targets(self, y: Any, n: int) -> None:
        return None

    def _targets(self, y: Any) -> tuple[BoolArray, Float64]:
        return _NO_TARGETS

    def fit_predict(self, X: Any, y: Any = None) -> IntArray:
        """Learn from examples [shape=(n, d)]; return 1 for those inside, -1 for outliers."""
        return self.fit(X).predict(X)

    def score_samples(self, X: Any) -> Float64:
        """Return minus the distance of each example from the centre [shape=(n,)]."""
        if not hasattr(self, "support_vectors_"):
            raise not_fitted_error(self)
        centre = self._centre
        square = centre.mean_square(self._kernel) if self._began.average else centre.square

        def found(matrix: Float64) -> Float64:
            squares = diagonal_of(self._kernel, matrix) + square
            for i in range(0, len(matrix), BLOCK):
                gram = self._kernel(matrix[i : i + BLOCK], self.support_vectors_)
                squares[i : i + BLOCK] -= 2.0 * (gram @ self.dual_coef_)
            return -np.sqrt(np.maximum(squares, 0.0))

        return self._by_parts(X, found)

    def decision_function(self, X: Any) -> Float64:
        """Return epsilon less the distance, negative outside [shape=(n,)]."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> IntArray:
        """Return 1 for what lies within epsilon of the centre, and -1 outside [shape=(n,)]."""
        return np.where(self.decision_function(X) >= -1e-9 * (1.0 - self.offset_), 1, -1)

    @property
    def offset_(self) -> float:
        """``-epsilon``."""
        return -float(self._began.epsilon)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        not_negative(self.epsilon, "epsilon")

    def _start(self, n_features: int) -> None:
        self._centre = Centre(n_features)

    def _play(self, X: Float64, targets: Targets, order: IntArray, slot: IntArray) -> None:
        began = self._began
        rule = Rule(*step_limits(began.update, float(began.C)), float(began.epsilon))
        log = self._new_log(len(order))
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            played = self._centre.play(
                self._kernel, X, order, slot, rule=rule, weights=targets.weights, log=log
            )
        self._count(played)
        self._remember(log)
        if not math.isfinite(self.cumulative_loss_ + self._centre.square):
            raise ParameterError("the centre overflowed; scale the features to moderate values.")

    def _finish(self) -> None:
        centre = self._centre
        self.support_vectors_ = centre.vectors.copy()
        self.dual_coef_ = centre.average() if self._began.average else centre.last()
