r"""Passive-aggressive learners: classification, regression and one class.

Every round has a constraint, ``<w, a> >= b``, and the loss ``l = [b - <w, a>]_+``. Where there is
loss, the weights move by ``tau a``, as little as is needed:

=========  ===================================  ========================================
variant    tau                                  minimises, with ``l(w) <= xi``
=========  ===================================  ========================================
"PA"       ``l / |a|^2``                        ``|w - w_t|^2 / 2``, xi = 0
"PA-I"     ``min(C, l / |a|^2)``                ``|w - w_t|^2 / 2 + C xi``
"PA-II"    ``l / (|a|^2 + 1 / (2 C))``          ``|w - w_t|^2 / 2 + C xi^2``
=========  ===================================  ========================================

==============  ==============================  ============================================
problem         a                               b
==============  ==============================  ============================================
two classes     ``y x``, y = +-1                margin
more classes    x in block y, -x in block s     margin; s is the best wrong class
label sets      x in block r, -x in block s     margin; r is the worst relevant label
regression      ``sign(y - <w, x>) x``          ``|y| - epsilon``, the sign kept
one class       ``(x - w) / |x - w|``           the loss is ``[|x - w| - epsilon]_+``
==============  ==============================  ============================================

The intercept is the weight of a constant feature 1 that counts in the norm, so a step of "PA"
leaves the loss 0: of two classes, a margin of exactly 1.

References
----------
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003. Its equation
2 prints the loss of classification with +epsilon and then flips the sign; here it is `margin`.
"""

import math
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from align.errors import ParameterError
from align.learners import _rounds as rounds
from align.learners._estimators import FlatClassifier, FlatRegressor, generator
from align.learners._plans import Floats, Plan
from align.learners.steps import HARD, LINEAR, squared
from align.learners.trace import Round
from align.learners.tuning import FixedTuning
from align.learners.updates import Update

__all__ = [
    "VARIANTS",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "PassiveAggressiveUniclass",
    "cycle_until",
]

VARIANTS = ("PA", "PA-I", "PA-II")


def _update(variant: str, C: float) -> Update:
    if variant not in VARIANTS:
        raise ParameterError(f"variant={variant!r}, must be one of {', '.join(VARIANTS)}.")
    if not 0.0 < C < math.inf:
        raise ParameterError(f"C={C}, must be positive and finite.")
    if variant == "PA":
        return Update(HARD, FixedTuning(1.0))
    if variant == "PA-I":
        return Update(LINEAR, FixedTuning(1.0 / C))
    return Update(squared(C), FixedTuning(1.0))


def _positive(value: float, name: str) -> float:
    if not 0.0 < value < math.inf:
        raise ParameterError(f"{name}={value}, must be positive and finite.")
    return float(value)


def _not_negative(value: float, name: str) -> float:
    if not 0.0 <= value < math.inf:
        raise ParameterError(f"{name}={value}, must be finite and not negative.")
    return float(value)


class PassiveAggressiveClassifier(FlatClassifier):
    """Passive-aggressive classifier for two classes, more classes, or sets of labels.

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}
        How far a round moves; "PA" satisfies every example at once, whatever its noise.
    C : float, default 1
        Aggressiveness of PA-I and PA-II, positive. Noisy data ask for a small one.
    margin : float, default 1
        Of the hinge loss, positive.
    fit_intercept : bool, default True
        Add a constant feature 1, which counts in the norm.
    conversion : {"last", "average", "random", "vote", "best", "validation"}
        Which hypothesis predicts: the last one; the mean of those before each round; one of them
        drawn at random; a vote of them all, which keeps each; the best of ten an epoch on the
        training set; the best on held-out examples of ten that were learned on ten parts. The
        last two need all examples at once, in `fit`.
    epochs : int, default 1
        Passes of `fit`.
    shuffle : bool, default True
        Whether `fit` draws a new order for each pass.
    validation_fraction : float, default 0.1
        Share of the examples that "validation" holds out.
    record : bool, default False
        Keep each round in `trace_`, with its direction: d + 1 numbers a round, times the number
        of classes where there are more than two.
    random_state : int, Generator, RandomState or None
        Seed of the orders and draws.

    Attributes
    ----------
    classes_ : np.ndarray [shape=(K,)]
        The labels, sorted.
    coef_, intercept_ : np.ndarray [shape=(1 or K, d)], [shape=(1 or K,)]
        What predicts (with "vote", the last hypothesis).
    n_rounds_, n_mistakes_, n_updates_ : int
        Rounds; those with a wrong prediction, made before the label was seen; those that moved.
    cumulative_loss_, dual_objective_ : float
        Sum of the losses; dual objective (of PA without a slack: of the hard constraints).
    trace_ : Trace
        The rounds, where `record` is set.
    n_features_in_ : int
        d.

    Notes
    -----
    Parameters are read when learning begins: change them between calls of `partial_fit` and they
    take effect in the next `fit`. A third class that turns up in a stream of two splits their
    common weights in halves, which leaves every prediction as it was.

    Examples
    --------
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> model = PassiveAggressiveClassifier("PA", random_state=0).fit(X, ["a", "a", "b", "b"])
    >>> model.predict(X).tolist()
    ['a', 'a', 'b', 'b']
    >>> stream = PassiveAggressiveClassifier("PA").partial_fit(X[:1], [1], classes=[0, 1])
    >>> round(float(stream.decision_function(X[:1])[0]), 12)
    1.0
    """

    def __init__(
        self,
        variant: str = "PA-I",
        C: float = 1.0,
        *,
        margin: float = 1.0,
        fit_intercept: bool = True,
        conversion: str = "last",
        epochs: int = 1,
        shuffle: bool = True,
        validation_fraction: float = 0.1,
        record: bool = False,
        random_state: Any = None,
    ) -> None:
        self.variant = variant
        self.C = C
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.conversion = conversion
        self.epochs = epochs
        self.shuffle = shuffle
        self.validation_fraction = validation_fraction
        self.record = record
        self.random_state = random_state

    def _plan(self, n_weights: int) -> Plan:
        return Plan(_update(self.variant, self.C), margin=_positive(self.margin, "margin"))


class PassiveAggressiveRegressor(FlatRegressor):
    """Passive-aggressive regressor: the loss is ``[|y - <w, x>| - epsilon]_+``.

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}
    C : float, default 1
        Aggressiveness of PA-I and PA-II, positive.
    epsilon : float, default 0.1
        Half the width of the tube without loss, not negative; in units of y.
    fit_intercept, conversion, epochs, shuffle, validation_fraction, record, random_state
        As in `PassiveAggressiveClassifier`; there is no "vote".

    Attributes
    ----------
    coef_ : np.ndarray [shape=(d,)]
    intercept_ : float
    n_rounds_, n_mistakes_, n_updates_ : int
        A mistake is a round with a loss.
    cumulative_loss_, dual_objective_, trace_, n_features_in_
        As in `PassiveAggressiveClassifier`.

    Examples
    --------
    >>> model = PassiveAggressiveRegressor("PA", epsilon=0.0, fit_intercept=False)
    >>> model.partial_fit([[1.0, 0.0], [0.0, 2.0]], [3.0, 4.0]).coef_
    array([3., 2.])
    """

    def __init__(
        self,
        variant: str = "PA-I",
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
        conversion: str = "last",
        epochs: int = 1,
        shuffle: bool = True,
        validation_fraction: float = 0.1,
        record: bool = False,
        random_state: Any = None,
    ) -> None:
        self.variant = variant
        self.C = C
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.conversion = conversion
        self.epochs = epochs
        self.shuffle = shuffle
        self.validation_fraction = validation_fraction
        self.record = record
        self.random_state = random_state

    def _plan(self, n_weights: int) -> Plan:
        tube = -_not_negative(self.epsilon, "epsilon")
        return Plan(_update(self.variant, self.C), margin=tube, regression=True)


class PassiveAggressiveUniclass(OutlierMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """Passive-aggressive learner of one class: a centre within `epsilon` of every example.

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}
    C : float, default 1
        Aggressiveness of PA-I and PA-II, positive.
    epsilon : float, default 1
        Distance within which nothing is lost, not negative; in units of x.
    average : bool, default False
        Report the mean of the centres before each round, from the second on, instead of the last.
    epochs : int, default 1
        Passes of `fit`.
    shuffle : bool, default True
        Whether `fit` draws a new order for each pass.
    random_state : int, Generator, RandomState or None
        Seed of the orders.

    Attributes
    ----------
    center_ : np.ndarray [shape=(d,)]
        w. It stays within the convex hull of the examples.
    offset_ : float
        ``-epsilon``: what scikit-learn subtracts from `score_samples`.
    n_rounds_, n_mistakes_, n_updates_ : int
        The first example is a round without loss, where the centre begins.
    cumulative_loss_, cumulative_squared_loss_ : float
        Sums over the rounds.
    n_features_in_ : int

    Examples
    --------
    >>> model = PassiveAggressiveUniclass("PA", epsilon=1.0, shuffle=False)
    >>> model.fit([[0.0, 0.0], [3.0, 0.0]]).center_
    array([2., 0.])
    >>> model.predict([[2.5, 0.0], [0.0, 0.0]]).tolist()
    [1, -1]
    """

    def __init__(
        self,
        variant: str = "PA-I",
        C: float = 1.0,
        *,
        epsilon: float = 1.0,
        average: bool = False,
        epochs: int = 1,
        shuffle: bool = True,
        random_state: Any = None,
    ) -> None:
        self.variant = variant
        self.C = C
        self.epsilon = epsilon
        self.average = average
        self.epochs = epochs
        self.shuffle = shuffle
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from scratch, in `epochs` passes.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Examples. CSR rows are made dense, some at a time: the centre is dense.
        y : object, optional
            Ignored.

        Returns
        -------
        self
        """
        X = self._validate(X, reset=True)
        if isinstance(self.epochs, bool) or self.epochs < 1 or self.epochs != int(self.epochs):
            raise ParameterError(f"epochs={self.epochs}, must be a whole number, at least 1.")
        self._begin(X.shape[1])
        rng = generator(self.random_state)
        for _ in range(int(self.epochs)):
            order = rng.permutation(X.shape[0]) if self.shuffle else np.arange(X.shape[0])
            self._play(X, order)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
        y : object, optional
            Ignored.

        Returns
        -------
        self
        """
        first = not hasattr(self, "n_features_in_")
        X = self._validate(X, reset=first)
        if first:
            self._begin(X.shape[1])
        self._play(X, np.arange(X.shape[0]))
        return self

    def step(self, x: npt.ArrayLike, y: Any = None) -> Round:
        """Play one round of a stream, without checks.

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
        """
        if not hasattr(self, "n_features_in_"):
            self.n_features_in_ = int(np.size(x))
            self._begin(self.n_features_in_)
        self._row[0] = x
        self._kernel(self._row, self._first, self._log)
        row = self._log[0].tolist()
        tau = row[rounds.LOG_ALPHA]
        loss, norm = row[rounds.LOG_LOSS], row[rounds.LOG_NORM]
        return Round(
            row[rounds.LOG_CODE],
            loss,
            tau,
            tau > 0.0,
            float(loss > 0.0),
            tau,
            1.0,
            norm,
            loss,
            math.nan,
        )

    def score_samples(self, X: Any) -> Floats:
        """Return minus the distance of each example from the centre [shape=(m,)]."""
        check_is_fitted(self, "n_features_in_")
        X = self._validate(X, reset=False)
        if not isinstance(X, np.ndarray):
            parts = [
                _distance(X[i : i + 1024].toarray(), self.center_)
                for i in range(0, X.shape[0], 1024)
            ]
            return -np.concatenate(parts)
        return -_distance(X, self.center_)

    def decision_function(self, X: Any) -> Floats:
        """Return ``epsilon - |x - w|``, negative outside [shape=(m,)].

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """Return 1 for what lies within `epsilon` of the centre and -1 outside [shape=(m,)].

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
        """
        return np.where(self.decision_function(X) >= -1e-9 * (1.0 + self.epsilon), 1, -1)

    @property
    def center_(self) -> Floats:
        """The centre [shape=(d,)]."""
        check_is_fitted(self, "n_features_in_")
        n = int(self._counts[0]) - 1  # the first example is no prediction
        if not self.average or n < 1:
            return self._w.copy()
        mean: Floats = self._w - self._total / n
        return mean

    @property
    def offset_(self) -> float:
        """``-epsilon``."""
        check_is_fitted(self, "n_features_in_")
        return -float(self.epsilon)

    @property
    def n_rounds_(self) -> int:
        """Rounds played."""
        check_is_fitted(self, "n_features_in_")
        return int(self._counts[0])

    @property
    def n_mistakes_(self) -> int:
        """Rounds with a loss."""
        check_is_fitted(self, "n_features_in_")
        return int(self._counts[1])

    @property
    def n_updates_(self) -> int:
        """Rounds that moved the centre."""
        check_is_fitted(self, "n_features_in_")
        return int(self._counts[2])

    @property
    def cumulative_loss_(self) -> float:
        """Sum over the rounds of ``[|x - w| - epsilon]_+``."""
        check_is_fitted(self, "n_features_in_")
        return float(self._sums[rounds.LOSS])

    @property
    def cumulative_squared_loss_(self) -> float:
        """Sum over the rounds of the squared loss."""
        check_is_fitted(self, "n_features_in_")
        return float(self._sums[rounds.PRICED])

    def squared_loss_bound(self, u: npt.ArrayLike, X: Any) -> float:
        """Bound the sum of the squared losses on a stream by the losses of a fixed u.

        Parameters
        ----------
        u : array_like [shape=(d,)]
            Another centre.
        X : array_like [shape=(m, d)]
            The examples, in the order of the rounds.

        Returns
        -------
        float
            ``(1 + 1/2C) (|u - w_1|^2 + 2 C sum l_t(u)^2)`` for PA-II; for PA ``|u - w_1|^2``
            where u has no loss, else infinite; infinite for PA-I, which has no such bound.
        """
        X = np.asarray(X, dtype=np.float64)
        centre = np.asarray(u, dtype=np.float64)
        losses = np.maximum(_distance(X[1:], centre) - self.epsilon, 0.0)
        squares = float((losses**2).sum())
        start = float(((centre - X[0]) ** 2).sum())
        if self.variant == "PA-II":
            return (1.0 + 0.5 / self.C) * (start + 2.0 * self.C * squares)
        return start if self.variant == "PA" and squares == 0.0 else math.inf

    def _begin(self, n_features: int) -> None:
        update = _update(self.variant, self.C)
        _not_negative(self.epsilon, "epsilon")
        # tau <= C, where alpha <= 1 and tau = alpha / c.
        self._largest = update.slack.largest if self.variant != "PA-I" else float(self.C)
        self._curvature = update.slack.curvature
        self._w, self._total = np.zeros(n_features), np.zeros(n_features)
        self._counts, self._sums = np.zeros(4, dtype=np.int64), np.zeros(rounds.N_SUMS)
        self._row, self._first = np.zeros((1, n_features)), np.arange(1)
        self._log = np.zeros((1, rounds.LOG_WIDTH))

    def _play(self, X: Any, order: npt.NDArray[np.intp]) -> None:
        log = np.zeros((0, rounds.LOG_WIDTH))
        if not isinstance(X, np.ndarray):
            size = max(1, 2**20 // X.shape[1])
            for i in range(0, len(order), size):
                part = np.ascontiguousarray(X[order[i : i + size]].toarray())
                self._kernel(part, np.arange(len(part)), log)
        else:
            self._kernel(X, order, log)

    def _cycle(self, X: Any, y: Any, threshold: float, max_updates: int) -> bool:
        first = not hasattr(self, "n_features_in_")
        X = self._validate(X, reset=first)
        if first:
            self._begin(X.shape[1])
        X = X.toarray() if not isinstance(X, np.ndarray) else X
        order, log = np.arange(len(X)), np.zeros((0, rounds.LOG_WIDTH))
        while self._counts[2] < max_updates:
            updates = int(self._counts[2])
            self._kernel(X, order, log, threshold)
            if self._counts[2] == updates:
                return True
        return False

    def _kernel(
        self, X: Floats, order: npt.NDArray[np.intp], log: Floats, threshold: float = 0.0
    ) -> None:
        rounds.play_uniclass(
            X,
            order,
            np.zeros(0),
            self._w,
            self._total,
            float(self.epsilon),
            self._largest,
            self._curvature,
            threshold,
            bool(self.average),
            self._counts,
            self._sums,
            log,
        )

    def _validate(self, X: Any, *, reset: bool) -> Any:
        return validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=reset
        )


class _Cyclable(Protocol):
    def _cycle(self, X: Any, y: Any, threshold: float, max_updates: int) -> bool: ...


def cycle_until(
    learner: _Cyclable,
    X: Any,
    y: Any = None,
    *,
    beta: float = 1e-6,
    max_updates: int = 100_000,
) -> bool:
    """Go round the examples until every squared loss is at most `beta`.

    Parameters
    ----------
    learner : PassiveAggressiveClassifier, PassiveAggressiveRegressor or PassiveAggressiveUniclass
        Learns on; a fresh one begins.
    X : array_like or CSR matrix [shape=(m, d)]
    y : array_like [shape=(m,)], optional
        Nothing for one class.
    beta : float
        Positive.
    max_updates : int
        Where to give up; looked at after each pass.

    Returns
    -------
    bool
        Whether it is so; False says that `max_updates` were not enough, as when nothing fits all
        examples. Where w* has no loss, PA takes fewer than ``max |a|^2 |w* - w_1|^2 / beta``
        updates.

    References
    ----------
    Crammer et al., 2003, section 4.

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [0.8, 0.6], [-1.0, 0.5]], [1, 1, 0]
    >>> cycle_until(PassiveAggressiveClassifier("PA"), X, y, beta=1e-4)
    True
    """
    _positive(beta, "beta")
    return learner._cycle(X, y, math.sqrt(beta), int(max_updates))


def _distance(X: Floats, centre: Floats) -> Floats:
    distance: Floats = np.linalg.norm(X - centre, axis=1)
    return distance
