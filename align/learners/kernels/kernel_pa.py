"""Passive-aggressive classification with kernels, and with a budget.

Class r has the score ``F_r(x) = sum_j coef_jr K(x_j, x)`` over the stored examples x_j, the
*supports*. A round on (x, y) has the loss ``[margin - (F_y(x) - F_s(x))]_+`` with the best wrong
class s, and where it is positive stores x with ``+tau`` for y and ``-tau`` for s:

    pa     tau = loss / 2 K(x, x)
    pa1    tau = min(C, loss / 2 K(x, x))
    pa2    tau = loss / (2 K(x, x) + 1 / 2C)

With two classes only the difference ``F_1 - F_0`` matters, which moves by 2 tau: C is halved, so
that it means what it means to `PassiveAggressiveClassifier` of two classes. Where several labels
are relevant, y is the worst of them and s the best of the others.

A budget limits the number of supports; `_supports` plays the rounds.

References
----------
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003, section 3.
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.5.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align._params import not_fitted_error
from align.errors import ModelError, ParameterError
from align.learners.kernels._checks import check_labels
from align.learners.kernels._learner import SupportLearner
from align.learners.kernels._rounds import Rule
from align.learners.kernels._supports import SupportSet
from align.learners.kernels.functions import KERNELS
from align.learners.parts import step_limits
from align.learners.parts.labels import distinct_labels
from align.learners.parts.parameters import mean_of, positive
from align.types import BoolArray, Float64

_NO_NUMBERS = np.zeros(0)


@dataclass(eq=False, repr=False, kw_only=True)
class KernelPA(SupportLearner):
    """Kernel passive-aggressive classifier for any number of classes, and for sets of labels.

    Source: Crammer et al. 2003, section 3; Behuet 2007 (slides).

    Parameters
    ----------
    kernel : {"gaussian", "polynomial", "linear"} or callable
        A function takes [shape=(n, d)] and [shape=(m, d)] and returns the matrix of inner products
        [shape=(n, m)].
    sigma : float, optional
        Of the Gaussian kernel ``exp(-||x - x'||**2 / (2 sigma**2))``. By default the square root
        of d, for features of deviation 1; the thesis has 6.24 for 39 features, which is that.
    degree, gamma, coef0 : int, float, float
        Of the polynomial kernel ``(gamma <x, x'> + coef0) ** degree``; by default 3, 1/d and 1.
    update : {"pa1", "pa", "pa2"}
        How far a round moves.
    C : float, default 1
        Aggressiveness of "pa1" and "pa2"; positive. The thesis has 5.
    margin : float, default 1
        How far the right class should be ahead; positive.
    average : {"auto", True, False}
        Predict with the mean of the hypotheses of all rounds, rather than with the last one. By
        default wherever there is such a mean: until a budget removes the first support.
    budget : int, optional
        Most supports that are kept, at least 2; by default no limit.
    removal : {"project", "smallest", "oldest"}
        What to do where the budget is used up: keep the supports and project further steps on
        their span, or remove the supports of smallest contribution, or the oldest.
    epochs : int, default 1
        Passes of `fit` over the examples.
    shuffle : bool, default True
        Whether `fit` draws a new order for each epoch. Neighbouring frames of speech are alike:
        leave it on.
    record : bool, default False
        Keep every round in `trace_`.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the orders.
    variant : str, optional
        What 0.1.0 called `update`; it still works, with a warning.

    Attributes
    ----------
    classes_ : np.ndarray [shape=(k,)]
        The labels, sorted.
    support_vectors_ : np.ndarray [shape=(S, d)]
        The supports, oldest first.
    dual_coef_ : np.ndarray [shape=(S, k)]
        Their coefficients, averaged or not as `average` says.
    sigma_, gamma_ : float
        What the kernel uses.
    n_features_in_ : int
        d.
    n_rounds_, n_mistakes_, n_updates_ : int
        Rounds; those whose prediction, made before the label was seen, was wrong (of label sets:
        those in which a relevant label was not ahead of all others); those that stored something.
    cumulative_loss_ : float
        Sum over the rounds of the loss.
    trace_ : Trace
        The rounds so far, where `record` is set: with the linear kernel those of the learner of
        vectors named below. Within a budget there is no dual objective. Competitors lie in the
        space of the kernel; `certify` finds them.

    Notes
    -----
    Ties go to the class that comes first. An example with K(x, x) = 0 is counted and cannot be
    stored. Projection forgets nothing, and is by far the best on noisy data, at a cost quadratic
    in the budget. The mean of the hypotheses is a sum over all supports ever stored: what those
    that are left contribute to it is no hypothesis, for the youngest weigh nothing in it. So
    ``average=True`` is an error within a budget that removes. An example met again in a later
    epoch of `fit` keeps its place among the supports. Parameters are read when learning begins:
    change them between calls of `partial_fit` and they take effect in the next `fit`. With
    ``kernel="linear"`` and ``average=False`` it is `PassiveAggressiveClassifier` of the same C
    with ``fit_intercept=False``; with ``average=True`` that of ``conversion="average"``.

    Examples
    --------
    The exclusive or, which no linear classifier learns:

    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> model = KernelPA(sigma=0.5, epochs=5).fit(X, ["same", "other", "other", "same"])
    >>> model.predict(X).tolist()
    ['same', 'other', 'other', 'same']
    """

    _estimator_type = "classifier"

    _sets = False  # whether y has a column for each label; older files do not say

    margin: float = 1.0

    # Learning --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Learn from examples, afresh.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(n, d)]
            Examples; kept dense.
        y : array_like [shape=(n,)], or [shape=(n, k)]
            Labels; or 0 and 1, which of the k labels are relevant to each example.
        groups : object, optional
            Ignored; other classifiers of frames distinguish speakers by it.
        sample_weight : array_like [shape=(n,)], optional
            As in `partial_fit`; an example of weight 0 is as if it had not been given.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            A wrong parameter, or examples or labels that cannot be used.
        """
        return self._learn_afresh(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue with examples in the order given, once.

        Cutting a sequence into calls changes nothing, where the classes are known from the start.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(n, d)]
            Examples.
        y : array_like [shape=(n,)], or [shape=(n, k)]
            As in `fit`; new labels may appear at any time, but for columns.
        classes : array_like, optional
            Labels that are to come. Ties go to the first class, so that they matter.
        sample_weight : array_like [shape=(n,)], optional
            Multiplies C for an example. It has no effect on "pa", which has no C, except that an
            example of weight 0 is left out.

        Returns
        -------
        self
        """
        fresh = not hasattr(self, "classes_")
        matrix = self._read(X, first=fresh)
        labels = self._read_targets(y, len(matrix))
        announced = _distinct(labels)
        if classes is not None:
            announced = distinct_labels(classes, announced)
        if fresh:
            self._open_classes(matrix.shape[1], announced, sets=labels.ndim == 2)
        else:
            self._admit(announced, sets=labels.ndim == 2)
        return self._go_on(matrix, labels, sample_weight)

    def _flat_twin(self, conversion: str, y: Any) -> tuple[Any, Any]:
        from align.learners.flat.passive_aggressive import PassiveAggressiveClassifier

        twin = PassiveAggressiveClassifier(
            self._update_name(),
            C=self.C,
            margin=self.margin,
            fit_intercept=False,
            conversion=conversion,
        )
        labels = np.asarray(y)
        classes = _distinct(labels)
        if labels.ndim == 1 and len(classes) == 2:
            # a tie goes to the second class there, here to the first
            labels = labels == classes[0]
        return twin, labels

    def _read_targets(self, y: Any, n: int) -> npt.NDArray[Any]:
        return check_labels(y, n, type(self).__name__)

    def _targets(self, y: npt.NDArray[Any]) -> tuple[BoolArray, Float64]:
        if y.ndim == 2:
            return y, _NO_NUMBERS
        codes = np.searchsorted(self.classes_, y)
        return codes[:, None] == np.arange(len(self.classes_)), _NO_NUMBERS

    def _n_scores(self) -> int:
        return len(self.classes_)

    def _n_pairs(self) -> int:
        return 1 if len(self.classes_) <= 2 and not self._sets else len(self.classes_)

    def _rule(self) -> Rule:
        began = self._began
        C = float(began.C) / 2.0 if self._n_pairs() == 1 else float(began.C)
        return Rule(*step_limits(began.update, C), float(began.margin), self._sets)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        positive(self.margin, "margin")

    def _open(self, n_features: int, y: npt.NDArray[Any]) -> None:
        self._open_classes(n_features, _distinct(y), sets=y.ndim == 2)

    def _open_classes(self, n_features: int, classes: npt.NDArray[Any], *, sets: bool) -> None:
        """Begin with these classes, or labels of which several are relevant at once."""
        self.classes_: Any = classes  # an array; protocols of classifiers ask for less
        self._sets = sets
        self._reset(n_features)

    def _admit(self, classes: npt.NDArray[Any], *, sets: bool) -> None:
        """Make room for new classes; nothing is known of them."""
        if sets != self._sets:
            raise ParameterError(
                "y has classes in one call and sets of labels in another; keep to one of them."
            )
        if sets and len(classes) != len(self.classes_):
            raise ParameterError(
                f"y has {len(classes)} labels, must have {len(self.classes_)} as before."
            )
        merged = distinct_labels(self.classes_, classes)
        if len(merged) > len(self.classes_):
            places = np.searchsorted(merged, self.classes_)
            self._supports.add_classes(len(merged), places)
            self.classes_ = merged
            if hasattr(self, "trace_"):
                self.trace_.regrow(self._n_pairs(), places)

    # Predicting ------------------------------------------------------------------------------

    def scores(self, X: Any) -> Float64:
        """Score every class.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(n, d)]
            Examples.

        Returns
        -------
        np.ndarray [shape=(n, k)]
            Higher is better; differences are margins, trained to be at least `margin`.
        """
        return self._scores(X)

    def decision_function(self, X: Any) -> Float64:
        """Score every class; of two classes, return how much the second is ahead.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(n, d)]
            Examples.

        Returns
        -------
        np.ndarray [shape=(n, k)], or [shape=(n,)] of two classes
        """
        scores = self.scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the best class, or label, of each example [shape=(n,)]."""
        scores = self.scores(X)
        best: npt.NDArray[Any] = self.classes_[np.argmax(scores, axis=1)]
        return best

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of examples [shape=(n, d)] for which a right label is predicted."""
        best = np.argmax(self.scores(X), axis=1)
        labels = self._read_targets(y, len(best))
        if labels.ndim == 2:
            right = labels[np.arange(len(best)), best]
        else:
            distinct_labels(self.classes_, labels)  # or an error, where these cannot be compared
            right = self.classes_[best] == labels
        return mean_of(right, sample_weight)

    # Model files -----------------------------------------------------------------------------

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what predictions need: values that JSON can carry, and arrays.

        Raises
        ------
        ParameterError
            Where the kernel is a user's function, which no model file holds.
        """
        if not hasattr(self, "dual_coef_"):
            raise not_fitted_error(self)
        if not isinstance(self.kernel, str):
            raise ParameterError(
                "a model file cannot hold a kernel that is a function; use one of "
                f"{', '.join(KERNELS)}."
            )
        params = {
            "classes": self.classes_.tolist(),
            "kernel": self.kernel,
            "sigma": self.sigma_,
            "degree": int(self.degree),
            "gamma": self.gamma_,
            "coef0": float(self.coef0),
        }
        vectors: npt.NDArray[Any] = self.support_vectors_
        if (vectors.astype(np.float32) == vectors).all():
            vectors = vectors.astype(np.float32)  # as they came: half the file, and nothing lost
        return params, {"vectors": vectors, "coef": self.dual_coef_}

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned.

        `partial_fit` then continues from the hypothesis that predictions were made with.

        Parameters
        ----------
        params : mapping
        arrays : mapping

        Returns
        -------
        self

        Raises
        ------
        ModelError
            Where something is missing, of a wrong shape, or not finite.
        """
        try:
            classes = np.asarray(params["classes"])
            vectors = np.asarray(arrays["vectors"], dtype=np.float64)
            coef = np.asarray(arrays["coef"], dtype=np.float64)
            kernel = str(params["kernel"])
            numbers = {name: float(params[name]) for name in ("sigma", "gamma", "coef0")}
            degree = int(params["degree"])
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"the state of a KernelPA is incomplete or damaged: {error}."
            ) from error
        if (
            classes.ndim != 1
            or vectors.ndim != 2
            or coef.shape != (len(vectors), len(classes))
            or vectors.shape[1] == 0
            or not (np.isfinite(vectors).all() and np.isfinite(coef).all())
        ):
            raise ModelError(
                f"the state of a KernelPA does not fit together: classes {classes.shape}, vectors "
                f"{vectors.shape}, coefficients {coef.shape}, all to be finite."
            )
        self.kernel, self.degree = kernel, degree
        self.sigma, self.gamma, self.coef0 = numbers["sigma"], numbers["gamma"], numbers["coef0"]
        try:
            self._open_classes(vectors.shape[1], classes, sets=False)
        except ParameterError as error:
            raise ModelError(f"the state of a KernelPA is damaged: {error}") from error
        self._supports = SupportSet(vectors, coef)
        self.support_vectors_, self.dual_coef_ = vectors, coef
        return self


def _distinct(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the labels there are, sorted; the columns, where each has one."""
    return np.arange(labels.shape[1]) if labels.ndim == 2 else distinct_labels(labels)
