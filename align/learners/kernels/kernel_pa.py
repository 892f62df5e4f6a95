"""Multiclass passive-aggressive classification with kernels, and with a budget.

Class r has the score ``F_r(x) = sum_j coef_jr K(x_j, x)`` over the stored examples x_j, the
*supports*. A round on (x, y) has the loss ``[1 - (F_y(x) - F_s(x))]_+`` with the best wrong class
s, and where it is positive stores x with ``+tau`` for y and ``-tau`` for s:

    PA     tau = loss / 2 K(x, x)
    PA-I   tau = min(C, loss / 2 K(x, x))
    PA-II  tau = loss / (2 K(x, x) + 1 / 2C)

With two classes only the difference ``F_1 - F_0`` matters, which moves by 2 tau: C is halved, so
that it means what it means to `PassiveAggressiveClassifier` of two classes.

A budget limits the number of supports; `_supports` plays the rounds.

References
----------
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003, section 3.
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.5.1.
"""

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from align._params import ParamsMixin, not_fitted_error
from align.errors import ModelError, ParameterError
from align.learners.kernels._checks import check_examples, check_labels, feature_names
from align.learners.kernels._supports import BLOCK, REMOVALS, SupportSet
from align.learners.kernels.functions import KERNELS, Kernel, make_kernel
from align.learners.parts import step_limits
from align.learners.parts.parameters import (
    NO_WEIGHTS,
    check_choice,
    check_epochs,
    generator,
    orders,
    read_weights,
)
from align.learners.parts.saved import Saved

__all__ = ["KernelPA"]

Matrix: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.intp]


@dataclass(eq=False, repr=False)
class KernelPA(Saved, ParamsMixin):
    """Kernel passive-aggressive classifier for any number of classes.

    Parameters
    ----------
    kernel : {"gaussian", "polynomial", "linear"} or callable
        A function takes [shape=(n, d)] and [shape=(m, d)] and returns the matrix of inner products
        [shape=(n, m)].
    sigma : float, optional
        Of the Gaussian kernel ``exp(-||x - x'||**2 / (2 sigma**2))``. By default the square root
        of d, for features of deviation 1; the thesis has 6.24 for 39 features, which is that.
    degree, gamma, coef0 : int, float, float
        Of the polynomial kernel ``(gamma <x, x'> + coef0) ** degree``; gamma is by default 1/d.
    variant : {"PA-I", "PA", "PA-II"}
        How far a round moves.
    C : float
        Aggressiveness of PA-I and PA-II; positive. The thesis has 5.
    average : {"auto", True, False}
        Predict with the mean of the hypotheses of all rounds, rather than with the last one. By
        default wherever there is such a mean: until a budget removes the first support.
    budget : int, optional
        Most supports that are kept, at least 2; by default no limit.
    removal : {"project", "smallest", "oldest"}
        What to do where the budget is used up: keep the supports and project further steps on
        their span, or remove the supports of smallest contribution, or the oldest.
    epochs : int
        Passes of `fit` over the examples.
    shuffle : bool
        Whether `fit` draws a new order for each epoch. Neighbouring frames of speech are alike:
        leave it on.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the orders.

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
        Rounds; those whose prediction, made before the label was seen, was wrong; those that
        stored something.
    cumulative_loss_ : float
        Sum over the rounds of the loss.

    Notes
    -----
    Ties go to the class that comes first. An example with K(x, x) = 0 is counted and cannot be
    stored. Projection forgets nothing, and is by far the best on noisy data, at a cost quadratic
    in the budget. The mean of the hypotheses is a sum over all supports ever stored: what those
    that are left contribute to it is no hypothesis, for the youngest weigh nothing in it. So
    ``average=True`` is an error within a budget that removes. An example met again in a later
    epoch of `fit` keeps its place among the supports. Parameters are read when learning begins:
    change them between calls of `partial_fit` and they take effect in the next `fit`.

    Examples
    --------
    The exclusive or, which no linear classifier learns:

    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> model = KernelPA(sigma=0.5, epochs=5).fit(X, ["same", "other", "other", "same"])
    >>> model.predict(X).tolist()
    ['same', 'other', 'other', 'same']
    """

    _estimator_type = "classifier"  # for scikit-learn before 1.6, which has no tags

    kernel: str | Kernel = "gaussian"
    _: KW_ONLY
    sigma: float | None = None
    degree: int = 3
    gamma: float | None = None
    coef0: float = 1.0
    variant: str = "PA-I"
    C: float = 1.0
    average: bool | str = "auto"
    budget: int | None = None
    removal: str = "project"
    epochs: int = 1
    shuffle: bool = True
    random_state: Any = 0

    # Learning --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Learn from examples, afresh.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(n, d)]
            Examples; kept dense.
        y : array_like [shape=(n,)]
            Labels.
        groups : object, optional
            Ignored; other classifiers of frames tell speakers apart by it.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            A wrong parameter, or examples or labels that cannot be used.
        """
        names = feature_names(X)
        X = check_examples(X, type(self).__name__)
        labels = check_labels(y, len(X), type(self).__name__)
        check_epochs(self.epochs)
        self._reset(X.shape[1], np.unique(labels))
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        targets = np.searchsorted(self.classes_, labels)
        slot = np.full(len(X), -1, dtype=np.intp)  # place among the supports, by example
        for order in orders(generator(self.random_state), len(X), self.epochs, self.shuffle):
            self._play(X, targets, order, slot)
        self._finish()
        self._supports.compact()
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue with examples in the order given, once.

        Cutting a sequence into calls changes nothing, where the classes are known from the start.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(n, d)]
            Examples.
        y : array_like [shape=(n,)]
            Labels; new ones may appear at any time.
        classes : array_like, optional
            Labels that are to come. Ties go to the first class, so that they matter.
        sample_weight : array_like [shape=(n,)], optional
            Multiplies C for an example. It has no effect on "PA", which has no C, except that an
            example of weight 0 is left out.

        Returns
        -------
        self
        """
        fresh = not hasattr(self, "classes_")
        name = type(self).__name__
        matrix = check_examples(X, name, None if fresh else self.n_features_in_)
        labels = check_labels(y, len(matrix), name)
        announced = labels if classes is None else np.concatenate([np.asarray(classes), labels])
        if fresh:
            self._reset(matrix.shape[1], np.unique(announced))
        else:
            self._admit(np.unique(announced))
        targets = np.searchsorted(self.classes_, labels)
        weights, order = read_weights(sample_weight, matrix)
        self._play(matrix, targets, order, np.full(len(matrix), -1, dtype=np.intp), weights)
        self._finish()
        return self

    def _reset(self, n_features: int, classes: npt.NDArray[Any]) -> None:
        """Check the parameters and forget whatever was learned."""
        self._check_parameters()
        self._began = SimpleNamespace(**self.get_params(deep=False))
        self.n_features_in_ = n_features
        self._kernel = self._make_kernel()
        self.classes_: Any = classes  # an array; protocols of classifiers ask for less
        self.n_rounds_ = self.n_mistakes_ = self.n_updates_ = 0
        self.cumulative_loss_ = 0.0
        self._supports = SupportSet(np.empty((0, n_features)), np.empty((0, len(classes))))

    def _check_parameters(self) -> None:
        step_limits(self.variant, self.C)
        check_choice(self.removal, "removal", REMOVALS)
        if self.budget is not None and (self.budget < 2 or self.budget != int(self.budget)):
            raise ParameterError(f"budget={self.budget}, must be a whole number, at least 2.")
        if isinstance(self.average, str) and self.average != "auto":
            raise ParameterError(f"average={self.average!r}, must be 'auto', True or False.")
        removes = self.budget is not None and self.removal != "project"
        if self.average is True and removes:
            raise ParameterError(
                f"average=True cannot be kept with removal={self.removal!r}, which drops parts of "
                "the mean; use average='auto', or removal='project'."
            )

    def _make_kernel(self) -> Kernel:
        d = self.n_features_in_
        given = self._began
        self.sigma_ = math.sqrt(d) if given.sigma is None else float(given.sigma)
        self.gamma_ = 1.0 / d if given.gamma is None else float(given.gamma)
        return make_kernel(
            given.kernel,
            sigma=self.sigma_,
            degree=given.degree,
            gamma=self.gamma_,
            coef0=given.coef0,
        )

    def _admit(self, classes: npt.NDArray[Any]) -> None:
        """Make room for new classes; nothing is known of them."""
        merged = np.union1d(self.classes_, classes)
        if len(merged) > len(self.classes_):
            self._supports.add_classes(len(merged), np.searchsorted(merged, self.classes_))
            self.classes_ = merged

    def _play(
        self,
        X: Matrix,
        targets: Indices,
        order: Indices,
        slot: Indices,
        weights: Matrix = NO_WEIGHTS,
    ) -> None:
        """Play one round for each example, in the order given."""
        began = self._began
        C = began.C / 2.0 if len(self.classes_) == 2 else began.C
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            played = self._supports.play(
                self._kernel,
                X,
                targets,
                order,
                slot,
                limits=step_limits(began.variant, float(C)),
                budget=None if began.budget is None else int(began.budget),
                removal=began.removal,
                weights=weights,
            )
        self.n_rounds_ += played.rounds
        self.n_mistakes_ += played.mistakes
        self.n_updates_ += played.updates
        self.cumulative_loss_ += played.loss
        if not math.isfinite(self.cumulative_loss_):
            raise ParameterError(
                "the scores overflowed; scale the features to moderate values, or choose a "
                "smaller C."
            )

    def _finish(self) -> None:
        """Set what predictions are made with."""
        supports = self._supports
        self.support_vectors_ = supports.vectors.copy()
        average = self._began.average
        average = not supports.removed if average == "auto" else bool(average)
        self.dual_coef_ = supports.average() if average else supports.last()

    # Predicting ------------------------------------------------------------------------------

    def scores(self, X: Any) -> Matrix:
        """Score every class.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(n, d)]
            Examples.

        Returns
        -------
        np.ndarray [shape=(n, k)]
            Higher is better; differences are margins, trained to be at least 1.
        """
        self._check_fitted()
        name = type(self).__name__
        if getattr(X, "toarray", None) is not None:
            X = X.tocsr()
            return np.concatenate(
                [self.scores(X[i : i + 4096].toarray()) for i in range(0, X.shape[0], 4096)]
                or [np.empty((0, len(self.classes_)))]
            )
        self._check_names(X)
        matrix = check_examples(X, name, self.n_features_in_)
        scores = np.zeros((len(matrix), len(self.classes_)))
        if len(self.support_vectors_):
            for i in range(0, len(matrix), BLOCK):
                gram = self._kernel(matrix[i : i + BLOCK], self.support_vectors_)
                np.matmul(gram, self.dual_coef_, out=scores[i : i + BLOCK])
        return scores

    def decision_function(self, X: Any) -> Matrix:
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
        """Return the label of the best class of each example [shape=(n,)]."""
        scores = self.scores(X)
        best: npt.NDArray[Any] = self.classes_[np.argmax(scores, axis=1)]
        return best

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of examples [shape=(n, d)] whose label [shape=(n,)] is predicted."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def _check_fitted(self) -> None:
        if not hasattr(self, "dual_coef_"):
            raise not_fitted_error(self)

    def _check_names(self, X: Any) -> None:
        expected, names = getattr(self, "feature_names_in_", None), feature_names(X)
        if expected is not None and names is not None and list(expected) != list(names):
            raise ParameterError(
                "The feature names should match those that were passed during fit, in the same "
                f"order; fit had {list(expected)[:5]}, this has {list(names)[:5]}."
            )

    # Model files -----------------------------------------------------------------------------

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what predictions need: values that JSON can carry, and arrays.

        Raises
        ------
        ParameterError
            Where the kernel is a user's function, which no model file holds.
        """
        self._check_fitted()
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
            self._reset(vectors.shape[1], classes)
        except ParameterError as error:
            raise ModelError(f"the state of a KernelPA is damaged: {error}") from error
        self._supports = SupportSet(vectors, coef)
        self.support_vectors_, self.dual_coef_ = vectors, coef
        return self

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_kernel", None)  # a closure; made anew
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if hasattr(self, "n_features_in_"):
            if not hasattr(self, "_began"):  # pickled before parameters were kept
                self._began = SimpleNamespace(**self.get_params(deep=False))
            self._kernel = self._make_kernel()

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags; only scikit-learn calls this."""
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
