"""scikit-learn's passive-aggressive learners and Perceptron, by one line of import.

``from align.learners.compat import PassiveAggressiveClassifier`` takes the place of
``from sklearn.linear_model import PassiveAggressiveClassifier``, which scikit-learn removes in
1.10: the same parameters, defaults and attributes, and the same steps in the same orders for a
seed, so the same coefficients, to rounding. `docs/from-scikit-learn.md` compares them.

What is different from the rest of `align.learners`: more than two classes are so many problems of
one against the rest; the intercept does not count in the norm (and moves by a hundredth of the
step on sparse data); `fit` passes over the examples until the loss no longer falls by `tol`.
Averages over several calls of `partial_fit` are the means that they should be; scikit-learn's lose
the intercept of the last hypothesis between calls. Numbers are float64 throughout.
``early_stopping=True`` and a `penalty` are refused.

References
----------
Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2006.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model._base import LinearClassifierMixin, LinearModel
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from align._numba import compiled, read_only
from align.errors import ParameterError
from align.learners.parts.estimators import Classifying, VectorEstimator, validated
from align.learners.parts.labels import check_announced, check_labels, distinct_labels
from align.learners.parts.parameters import (
    check_choice,
    check_number,
    check_whole,
    not_negative,
    positive,
)
from align.learners.parts.shapes import check_array
from align.learners.parts.step_kernels import exact_alpha
from align.types import Float64

__all__ = ["PassiveAggressiveClassifier", "PassiveAggressiveRegressor", "Perceptron"]


_MOST = np.iinfo(np.int32).max
_SPARSE_INTERCEPT = 0.01  # share of a step that the intercept makes on sparse data
_PA1, _PA2, _CONSTANT = range(3)


@dataclass(eq=False, repr=False, kw_only=True)
class _Linear(VectorEstimator):
    """What the three share: the passes over examples."""

    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 1e-3
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    shuffle: bool = True
    verbose: int = 0
    warm_start: bool = False

    def _rule(self) -> tuple[int, float, float]:
        """Return kind of step, its size, and width of the tube (minus the margin of classes)."""
        raise NotImplementedError

    def _check(self) -> None:
        if self.early_stopping:
            raise ParameterError(
                "early_stopping=True is not offered; hold out examples and stop partial_fit."
            )
        check_whole(self.max_iter, "max_iter")
        check_whole(self.n_iter_no_change, "n_iter_no_change")
        average = getattr(self, "average", False)
        if not isinstance(average, bool):
            check_whole(average, "average", least=0)
        if self.tol is not None:
            check_number(self.tol, "tol")
        self._rule()

    def _first_weights(self, coef_init: Any, intercept_init: Any) -> tuple[Any, Any]:
        """Return where `fit` begins: as given, or where it ended before, if it starts warm."""
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        return coef_init, intercept_init

    def _begin(self, rows: int, width: int, coef_init: Any, intercept_init: Any) -> None:
        """Make the weights: those given, or zeros."""
        self._w, self._b = np.zeros((rows, width)), np.zeros(rows)
        for name, given, own in (
            ("coef_init", coef_init, self._w),
            ("intercept_init", intercept_init, self._b),
        ):
            if given is not None:
                values = np.asarray(given, dtype=np.float64)
                if values.size != own.size:
                    raise ParameterError(f"{name}.shape={values.shape}, must be {own.shape}.")
                own[:] = values.reshape(own.shape)
        self._late_w, self._late_b = np.zeros((rows, width)), np.zeros(rows)
        self.t_ = 1.0
        self._ended = np.ones(rows)  # t of each problem after its last pass

    def check_shapes(self) -> None:
        """Raise `ModelError` unless the arrays are as long as kernels take them to be."""
        if hasattr(self, "_w"):
            rows = np.shape(self._w)[0]
            for name in ("_w", "_late_w"):
                check_array(name, getattr(self, name), (rows, self.n_features_in_))
            for name in ("_b", "_late_b", "_ended"):
                check_array(name, getattr(self, name), (rows,))

    def _pass(
        self, X: Any, Y: Float64, weights: Float64, max_iter: int, seeds: list[int], *,
        classes: bool,
    ) -> None:  # fmt: skip
        """Pass over the examples, one problem for each column of Y."""
        kind, size, tube = self._rule()
        m, d = X.shape
        dense = not sp.issparse(X)
        data = np.ascontiguousarray(X).reshape(-1) if dense else X.data
        none = np.zeros(0, dtype=np.int32)
        columns, ends = (none, none) if dense else (_short(X.indices), _short(X.indptr))
        average = int(getattr(self, "average", 0))
        tol = -math.inf if self.tol is None else float(self.tol)
        decay = 1.0 if dense else _SPARSE_INTERCEPT
        n_iter = 0
        for r in range(len(self._w)):
            order = np.arange(m)
            state = np.array([self._b[r], self._late_b[r], self.t_])
            n_iter = max(n_iter, _passes(
                read_only(data), columns, ends, dense, d, Y[r], weights[r], order, self._w[r],
                self._late_w[r], state, kind, size, tube, classes,
                bool(self.fit_intercept) * decay, average, max_iter, tol,
                int(self.n_iter_no_change), bool(self.shuffle), seeds[r],
            ))  # fmt: skip
            self._b[r], self._late_b[r], self._ended[r] = state
        if not (np.isfinite(self._w).all() and np.isfinite(self._b).all()):
            raise ParameterError("the weights overflowed; scale the features.")
        self.n_iter_ = n_iter
        self.t_ += n_iter * m

    def _means(self, average: int) -> tuple[Float64, Float64]:
        """Return weights and intercepts that predict."""
        if 0 < average <= self.t_ - 1.0:
            played = np.maximum(self._ended - average, 1.0)  # by each problem; one may end sooner
            return self._w - self._late_w / played[:, None], self._b - self._late_b / played
        return self._w.copy(), self._b.copy()

    def _warn(self) -> None:
        if self.tol is not None and self.tol > -math.inf and self.n_iter_ == self.max_iter:
            warnings.warn(
                "Maximum number of iteration reached before convergence. Consider increasing "
                "max_iter to improve the fit.",
                ConvergenceWarning,
                stacklevel=3,
            )


@dataclass(eq=False, repr=False, kw_only=True)
class _Classifier(Classifying, LinearClassifierMixin, _Linear):  # type: ignore[misc]  # sklearn is untyped
    """A classifier: one problem for two classes, else one for each class against the rest."""

    n_jobs: int | None = None
    class_weight: Any = None

    def fit(
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:  # fmt: skip
        """Learn from scratch, or from given weights, until the loss no longer falls.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(m, d)]
        y : array_like [shape=(m,)]
        coef_init, intercept_init : array_like, optional
            Where to begin.
        sample_weight : array_like [shape=(m,)], optional
            Multiplies the step of an example.

        Returns
        -------
        self
        """
        self._check()
        X, y = self._read(X, y, reset=True)
        self._open(np.unique(y), X.shape[1], *self._first_weights(coef_init, intercept_init))
        self._learn(X, y, sample_weight, int(self.max_iter))
        self._warn()
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go through the examples once, going on from what was learned before.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array_like, optional
            All classes; needed in the first call.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            Where classes are missing or change, or for ``class_weight="balanced"``.
        """
        first = not hasattr(self, "classes_")
        self._check()
        if first and classes is None:
            raise ParameterError("classes must be passed on the first call to partial_fit.")
        if (
            not first
            and classes is not None
            and not np.array_equal(np.unique(classes), self.classes_)
        ):
            raise ParameterError(f"classes={classes}, must stay {self.classes_.tolist()}.")
        if self.class_weight == "balanced":
            raise ParameterError(
                "class_weight 'balanced' is not supported for partial_fit; pass a dict."
            )
        X, y = self._read(X, y, reset=first)
        if first:
            self._open(distinct_labels(classes), X.shape[1], None, None)
        self._learn(X, y, sample_weight, 1)
        return self

    def _read(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validated(self, X, y, order="C", reset=reset)
        check_labels(y)
        return X, y

    def _open(self, classes: Any, width: int, coef_init: Any, intercept_init: Any) -> None:
        if len(classes) < 2:
            raise ParameterError(
                f"The number of classes has to be greater than one; got {len(classes)} class"
            )
        self.classes_ = classes
        self._begin(1 if len(classes) == 2 else len(classes), width, coef_init, intercept_init)

    def _learn(self, X: Any, y: Any, sample_weight: Any, max_iter: int) -> None:
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        check_announced(y, self.classes_)
        k = len(self.classes_)
        by_class = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        codes = np.searchsorted(self.classes_, y)
        which = [1] if k == 2 else list(range(k))
        Y = np.array([np.where(codes == i, 1.0, -1.0) for i in which])
        # One against the rest: only the class in question has its weight.
        other = by_class[0] if k == 2 else 1.0
        weights = np.array(
            [sample_weight * np.where(codes == i, by_class[i], other) for i in which]
        )
        rng = check_random_state(self.random_state)
        rngs = [rng]
        if k > 2:
            rngs = [check_random_state(seed) for seed in rng.randint(_MOST, size=k)]
        seeds = [_second(rng) for rng in rngs]
        self._pass(X, Y, weights, max_iter, seeds, classes=True)
        self.coef_, self.intercept_ = self._means(int(getattr(self, "average", 0)))


@dataclass(eq=False, repr=False, kw_only=True)
class PassiveAggressiveClassifier(_Classifier):
    """scikit-learn's passive-aggressive classifier.

    Parameters
    ----------
    C : float, default 1
    loss : {"hinge", "squared_hinge"}
        PA-I and PA-II.
    fit_intercept, max_iter, tol, n_iter_no_change, shuffle, random_state, warm_start, \
class_weight, average
        As in scikit-learn.
    early_stopping, validation_fraction, verbose, n_jobs
        Taken and without effect, but that ``early_stopping=True`` is refused.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, n_iter_, t_
        As in scikit-learn.

    Examples
    --------
    >>> X = [[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]]
    >>> PassiveAggressiveClassifier(random_state=0).fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    """

    C: float = 1.0
    loss: str = "hinge"
    random_state: Any = None
    average: bool | int = False

    def _rule(self) -> tuple[int, float, float]:
        check_choice(self.loss, "loss", ("hinge", "squared_hinge"))
        return (_PA1 if self.loss == "hinge" else _PA2), positive(self.C, "C"), 1.0


@dataclass(eq=False, repr=False, kw_only=True)
class Perceptron(_Classifier):
    """scikit-learn's Perceptron, without a penalty.

    Parameters
    ----------
    eta0 : float, default 1
        Length of a step.
    penalty, alpha, l1_ratio
        Taken; a penalty other than None is refused.
    fit_intercept, max_iter, tol, n_iter_no_change, shuffle, random_state, warm_start, \
class_weight, early_stopping, validation_fraction, verbose, n_jobs
        As in `PassiveAggressiveClassifier`; `random_state` is 0 by default.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, n_iter_, t_
        As in scikit-learn.

    Examples
    --------
    >>> X, y = [[2.0], [1.0], [-1.0], [-2.0]], ["in", "in", "out", "out"]
    >>> model = Perceptron(random_state=0).fit(X, y)
    >>> model.predict([[3.0]]).tolist()
    ['in']
    """

    penalty: str | None = None
    alpha: float = 0.0001
    l1_ratio: float = 0.15
    eta0: float = 1.0
    random_state: Any = 0

    def _rule(self) -> tuple[int, float, float]:
        if self.penalty is not None:
            raise ParameterError(f"penalty={self.penalty!r}, must be None; use SGDClassifier.")
        return _CONSTANT, positive(self.eta0, "eta0"), 0.0


@dataclass(eq=False, repr=False, kw_only=True)
class PassiveAggressiveRegressor(RegressorMixin, LinearModel, _Linear):  # type: ignore[misc]
    """scikit-learn's passive-aggressive regressor.

    Parameters
    ----------
    C : float, default 1
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}
        PA-I and PA-II.
    epsilon : float, default 0.1
    fit_intercept, max_iter, tol, n_iter_no_change, shuffle, random_state, warm_start, average, \
early_stopping, validation_fraction, verbose
        As in `PassiveAggressiveClassifier`.

    Attributes
    ----------
    coef_, intercept_, n_features_in_, n_iter_, t_
        As in scikit-learn.

    Examples
    --------
    >>> model = PassiveAggressiveRegressor(C=1.0, random_state=0, tol=None, max_iter=50)
    >>> model.fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[3.0]]).round()
    array([3.])
    """

    C: float = 1.0
    loss: str = "epsilon_insensitive"
    epsilon: float = 0.1
    random_state: Any = None
    average: bool | int = False

    def _rule(self) -> tuple[int, float, float]:
        losses = ("epsilon_insensitive", "squared_epsilon_insensitive")
        check_choice(self.loss, "loss", losses)
        kind = _PA1 if self.loss == losses[0] else _PA2
        return kind, positive(self.C, "C"), not_negative(self.epsilon, "epsilon")

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> Self:
        """Learn from scratch, or from given weights; as in `PassiveAggressiveClassifier`."""
        self._check()
        self._learn(X, y, int(self.max_iter), self._first_weights(coef_init, intercept_init))
        self._warn()
        return self

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Go through the examples once, going on from what was learned before."""
        self._check()
        self._learn(X, y, 1, None if hasattr(self, "coef_") else (None, None))
        return self

    def _learn(self, X: Any, y: Any, max_iter: int, begin: tuple[Any, Any] | None) -> None:
        """Pass over the examples: from weights to `begin` with, or on from those there are."""
        X, y = validated(self, X, y, order="C", y_numeric=True, reset=begin is not None)
        if begin is not None:
            self._begin(1, X.shape[1], *begin)
        seed = int(check_random_state(self.random_state).randint(0, _MOST))
        Y = np.array(y, dtype=np.float64)[None]
        self._pass(X, Y, np.ones_like(Y), max_iter, [seed], classes=False)
        coef, self.intercept_ = self._means(int(self.average))
        self.coef_ = coef[0]


def _second(rng: np.random.RandomState) -> int:
    """Return the second draw: scikit-learn's first one orders nothing."""
    rng.randint(1, _MOST)
    return int(rng.randint(_MOST))


def _short(indices: Any) -> Any:
    """Return 32-bit indices, which the loops are compiled for, where they fit."""
    fits = indices.dtype == np.int32 or indices.max(initial=0) < 2**31
    return indices.astype(np.int32, copy=False) if fits else indices


@compiled()
def _shuffle(order: Any, seed: int) -> None:
    """Permute what is there already, by 32-bit xorshift: the orders of scikit-learn."""
    state = np.uint32(seed) if seed != 0 else np.uint32(1)
    n = order.shape[0]
    for i in range(n - 1):
        state ^= np.uint32(state << np.uint32(13))
        state ^= np.uint32(state >> np.uint32(17))
        state ^= np.uint32(state << np.uint32(5))
        j = i + np.int64(state & np.uint32(0x7FFFFFFF)) % (n - i)
        order[i], order[j] = order[j], order[i]


@compiled(error_model="numpy")
def _passes(
    data: Any, columns: Any, ends: Any, dense: bool, d: int, y: Any, weights: Any, order: Any,
    w: Any, late: Any, state: Any, kind: int, size: float, tube: float, classes: bool,
    bias: float, average: int, max_iter: int, tol: float, patience: int, shuffle: bool, seed: int,
) -> int:  # fmt: skip
    """Pass over the examples until the loss no longer falls; return the number of passes.

    `state` has the intercept, what of it comes late for the mean, and t. A step of round t is in
    the means of the hypotheses after rounds t and later: it is late for those since `average`.
    """
    m = order.shape[0]
    best = np.inf
    idle = 0
    largest, curvature = (np.inf, 0.5 / size) if kind == _PA2 else (size, 0.0)
    for epoch in range(max_iter):
        if shuffle:
            _shuffle(order, seed)
        total = 0.0
        for place in range(m):
            i = order[place]
            first = i * d if dense else ends[i]
            count = d if dense else ends[i + 1] - first
            score = norm = 0.0
            if dense:
                for j in range(count):
                    score += data[first + j] * w[j]
                    norm += data[first + j] * data[first + j]
            else:
                for j in range(first, first + count):
                    score += data[j] * w[columns[j]]
                    norm += data[j] * data[j]
            score += state[0]  # last, as there: where features are 0 and 1, rounding decides ties
            if classes:
                loss = max(0.0, tube - y[i] * score)
                sign = y[i]
            else:
                loss = max(0.0, abs(y[i] - score) - tube)
                sign = 1.0 if y[i] >= score else -1.0
            total += loss
            if kind == _PA1 and norm == 0.0:
                continue  # not counted in t, either
            if kind == _CONSTANT:
                step = size if y[i] * score <= 0.0 else 0.0
            else:
                step = exact_alpha(loss, norm, curvature, largest)
            step *= sign * weights[i]
            if step != 0.0:
                before = max(state[2] - average, 0.0) if average > 0 else 0.0
                for j in range(count):
                    column = j if dense else columns[first + j]
                    move = step * data[first + j]
                    w[column] += move
                    if average > 0:
                        late[column] += before * move
                state[0] += step * bias
                state[1] += before * step * bias
            state[2] += 1.0
        objective = total / m
        if tol > -np.inf and objective > best - tol:
            idle += 1
        else:
            idle = 0
        best = min(best, objective)
        if not np.isfinite(state[0]) or idle >= patience:
            return epoch + 1
    return max_iter
