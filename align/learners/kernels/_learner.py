"""What the kernel learners share: parameters, kernels, supports, and how examples are read."""

import copy
import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np

from align._blas import one_thread
from align._params import ParamsMixin, not_fitted_error
from align.errors import ParameterError
from align.learners.kernels._checks import check_examples, feature_names
from align.learners.kernels._rounds import Rule, Targets
from align.learners.kernels._supports import BLOCK, REMOVALS, Played, SupportSet
from align.learners.kernels.functions import Kernel, make_kernel
from align.learners.parts import step_limits
from align.learners.parts.named_update import NamedUpdate
from align.learners.parts.parameters import (
    check_choice,
    check_number,
    check_whole,
    generator,
    orders,
    read_weights,
    weighed,
)
from align.learners.parts.saved import Saved
from align.learners.theory.certified import Certified, RunCertificate
from align.learners.theory.recorded import LOSS, NORM, TAU, Recorded
from align.types import BoolArray, Float64, IntArray

_DENSE = 2**21  # numbers of sparse examples that are made dense at a time, 16 MB
_MOST_EXPLICIT = 3000  # examples: 72 MB, and some seconds


@dataclass(eq=False, repr=False)
class KernelLearner(NamedUpdate, Recorded, Saved, ParamsMixin):
    """A passive-aggressive learner whose hypothesis is a sum of kernels."""

    _estimator_type: ClassVar[str]  # scikit-learn's; before 1.6 it had no tags

    kernel: str | Kernel = "gaussian"
    _: KW_ONLY
    sigma: float | None = None
    degree: int = 3
    gamma: float | None = None
    coef0: float = 1.0
    average: bool | str = "auto"
    epochs: int = 1
    shuffle: bool = True
    record: bool = False
    random_state: Any = 0

    # What a subclass says: which supports it starts with, and how it plays and ends a chunk.

    def _check_parameters(self) -> None:
        step_limits(self._update_name(), self.C)

    def _start(self, n_features: int) -> None:
        raise NotImplementedError

    def _n_pairs(self) -> int:
        """Return 1 where there is one score, of two classes their difference; else how many."""
        return 1

    def _play(self, X: Float64, targets: Targets, order: IntArray, slot: IntArray) -> None:
        raise NotImplementedError

    def _finish(self) -> None:
        """Set what predictions are made with."""
        raise NotImplementedError

    def _read_targets(self, y: Any, n: int) -> Any:
        """Return what n examples are labelled with, checked."""
        raise NotImplementedError

    def _targets(self, y: Any) -> tuple[BoolArray, Float64]:
        """Return the same as rounds want it: relevant classes, and numbers."""
        raise NotImplementedError

    # scikit-learn ----------------------------------------------------------------------------

    def get_metadata_routing(self) -> Any:
        """Return which metadata scikit-learn passes on; only scikit-learn calls this."""
        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):
            return copy.deepcopy(self._metadata_request)
        request = MetadataRequest(owner=self)
        request.fit.add_request(param="sample_weight", alias=None)
        if hasattr(self, "score"):
            request.score.add_request(param="sample_weight", alias=None)
        return request

    def set_fit_request(self, *, sample_weight: bool | str | None) -> Self:
        """Say whether scikit-learn's metadata routing passes weights of examples to `fit`.

        Parameters
        ----------
        sample_weight : bool, str or None
            Whether it does, or under which name; with None, weights that are given are an error.
        """
        return self._requested("fit", sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Say the same of `score`, where there is one; see `set_fit_request`.

        Parameters
        ----------
        sample_weight : bool, str or None
            As there.
        """
        return self._requested("score", sample_weight)

    def _requested(self, method: str, alias: bool | str | None) -> Self:
        request = self.get_metadata_routing()
        getattr(request, method).add_request(param="sample_weight", alias=alias)
        self._metadata_request = request
        return self

    # Learning --------------------------------------------------------------------------------

    @one_thread()
    def _learn_afresh(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Check everything, forget what was learned, and go through the examples."""
        check_whole(self.epochs, "epochs")
        X = self._read(X, first=True)
        weights, X, y = weighed(sample_weight, X, self._read_targets(y, len(X)))
        self._open(X.shape[1], y)
        targets = self._weighted_targets(y, weights, len(X))
        slot = np.full(len(X), -1, dtype=np.intp)  # place among the supports, by example
        for order in orders(generator(self.random_state), len(X), self.epochs, self.shuffle):
            self._play(X, targets, order, slot)
        self._finish()
        return self

    def _learn_more(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Check examples and go through them once, after what was learned before, if anything."""
        fresh = not hasattr(self, "n_features_in_")
        X = self._read(X, first=fresh)
        y = self._read_targets(y, len(X))
        if fresh:
            self._open(X.shape[1], y)
        return self._go_on(X, y, sample_weight)

    def _open(self, n_features: int, y: Any) -> None:
        """Begin with the first examples."""
        self._reset(n_features)

    def _reset(self, n_features: int) -> None:
        """Check the parameters and forget whatever was learned."""
        self._check_parameters()
        given = self.get_params(deep=False) | {"update": self._update_name()}
        self._began = SimpleNamespace(**given)
        self.n_features_in_ = n_features
        self._kernel = self._make_kernel()
        self.n_rounds_ = self.n_mistakes_ = self.n_updates_ = 0
        self.cumulative_loss_ = 0.0
        self._start(n_features)
        self._begin_trace(self._n_pairs())

    def _make_kernel(self) -> Kernel:
        d = self.n_features_in_
        given = self._began
        for name in ("sigma", "gamma", "coef0"):
            if name == "coef0" or getattr(given, name) is not None:
                check_number(getattr(given, name), name)
        self.sigma_ = math.sqrt(d) if given.sigma is None else float(given.sigma)
        self.gamma_ = 1.0 / d if given.gamma is None else float(given.gamma)
        return make_kernel(
            given.kernel,
            sigma=self.sigma_,
            degree=given.degree,
            gamma=self.gamma_,
            coef0=given.coef0,
        )

    def _read(self, X: Any, *, first: bool) -> Float64:
        """Return the examples to learn from, and remember the names of their features."""
        if not first:
            self._check_names(X)
            return check_examples(X, type(self).__name__, self.n_features_in_)
        matrix = check_examples(X, type(self).__name__)
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return matrix

    def _weighted_targets(self, y: Any, weights: Float64, n: int) -> Targets:
        return Targets(*self._targets(y), weights if len(weights) else np.ones(n))

    @one_thread()
    def _go_on(self, X: Float64, y: Any, sample_weight: Any) -> Self:
        """Play examples once, in the order given, and set what predictions are made with."""
        weights, order = read_weights(sample_weight, X)
        targets = self._weighted_targets(y, weights, len(X))
        self._play(X, targets, order, np.full(len(X), -1, dtype=np.intp))
        self._finish()
        return self

    def _count(self, played: Played) -> None:
        """Add rounds to those that were played before."""
        self.n_rounds_ += played.rounds
        self.n_mistakes_ += played.mistakes
        self.n_updates_ += played.updates
        self.cumulative_loss_ += played.loss

    # Predicting ------------------------------------------------------------------------------

    def _by_parts(self, X: Any, found: Any) -> Float64:
        """Return what a function gives of checked examples, sparse ones some at a time."""
        if not hasattr(self, "support_vectors_"):
            raise not_fitted_error(self)
        name = type(self).__name__
        if hasattr(X, "toarray"):
            X = X.tocsr()
            size = max(1, min(4096, _DENSE // max(1, X.shape[1])))
            begins = range(0, max(1, X.shape[0]), size)
            parts: Iterable[Any] = (X[i : i + size].toarray() for i in begins)
        else:
            self._check_names(X)
            parts = [X]
        d = self.n_features_in_
        return np.concatenate([found(check_examples(part, name, d)) for part in parts])

    def _check_names(self, X: Any) -> None:
        """Raise where the features of a data frame are not those that were learned from."""
        expected, names = getattr(self, "feature_names_in_", None), feature_names(X)
        if expected is not None and names is not None and list(expected) != list(names):
            raise ParameterError(
                "The feature names should match those that were passed during fit, in the "
                f"same order; fit had {list(expected)[:5]}, this has {list(names)[:5]}."
            )

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags; only scikit-learn calls this."""
        from sklearn.utils import ClassifierTags, RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = self._estimator_type
        tags.input_tags.sparse = True
        tags.target_tags.required = self._estimator_type != "outlier_detector"
        if self._estimator_type == "classifier":
            tags.classifier_tags = ClassifierTags()
        elif self._estimator_type == "regressor":
            tags.regressor_tags = RegressorTags()
        return tags

    # Pickling, and model files ---------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_kernel", None)  # a closure; made anew
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "n_features_in_"):
            # What was pickled before a parameter was there has its default.
            began = vars(getattr(self, "_began", SimpleNamespace()))
            self._began = SimpleNamespace(**(self.get_params(deep=False) | began))
            self._kernel = self._make_kernel()


@dataclass(eq=False, repr=False, kw_only=True)
class SupportLearner(Certified, KernelLearner):
    """A kernel learner of scores, with a budget of supports."""

    budget: int | None = None
    removal: str = "project"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.removal, "removal", REMOVALS)
        if self.budget is not None:
            check_whole(self.budget, "budget", least=2)
        if isinstance(self.average, str) and self.average != "auto":
            raise ParameterError(f"average={self.average!r}, must be 'auto', True or False.")
        removes = self.budget is not None and self.removal != "project"
        if self.average is True and removes:
            raise ParameterError(
                f"average=True cannot be kept with removal={self.removal!r}, which drops parts of "
                "the mean; use average='auto', or removal='project'."
            )

    def _learn_afresh(self, X: Any, y: Any, sample_weight: Any) -> Self:
        super()._learn_afresh(X, y, sample_weight)
        self._supports.compact()
        return self

    def _n_scores(self) -> int:
        raise NotImplementedError

    def _rule(self) -> Rule:
        """Return how far a round moves, and what it asks for."""
        raise NotImplementedError

    def _start(self, n_features: int) -> None:
        self._supports = SupportSet(np.empty((0, n_features)), np.empty((0, self._n_scores())))

    def _play(self, X: Float64, targets: Targets, order: IntArray, slot: IntArray) -> None:
        """Play one round for each example, in the order given."""
        began = self._began
        log = self._new_log(len(order))
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            played = self._supports.play(
                self._kernel, X, targets, order, slot,
                rule=self._rule(), budget=None if began.budget is None else int(began.budget),
                removal=began.removal, log=log,
            )  # fmt: skip
        self._count(played)
        self._remember_steps(log, targets.weights[order])
        if not math.isfinite(self.cumulative_loss_):
            raise ParameterError(
                "the scores overflowed; scale the features to moderate values, or choose a "
                "smaller C."
            )

    def _remember_steps(self, log: Float64, weights: Float64) -> None:
        """Add rounds to the trace, as the learner of vectors in the space of the kernel has them.

        Of two classes that learner has one score, the difference of the two of here: its step is
        twice as long, and its direction shorter by the square root of two.
        """
        if not len(log):
            return
        began, rule = self._began, self._rule()
        c = 1.0 / float(began.C) if began.update == "pa1" else 1.0
        tau, price = log[:, TAU], log[:, NORM] ** 2 + rule.curvature / weights
        gains = c * tau * (log[:, LOSS] - 0.5 * tau * price)
        if self._n_scores() == 2 and self._n_pairs() == 1:
            log[:, TAU] *= 2.0
            log[:, NORM] /= math.sqrt(2.0)
            gains *= 2.0
        self._remember(log, c=c, gains=gains if began.budget is None else None)

    def _finish(self) -> None:
        supports = self._supports
        self.support_vectors_ = supports.vectors.copy()
        average = self._began.average
        average = not supports.removed if average == "auto" else bool(average)
        self.dual_coef_ = supports.average() if average else supports.last()

    def snapshot(self) -> Self:
        """Return a copy that predicts with the coefficients of now; it shares the supports."""
        found: Self = copy.copy(self)
        if self._began.budget is None or self._began.removal == "project":
            found.support_vectors_ = self._supports.vectors  # a view: supports are only added
        return found

    def explicit_features(self, X: Any) -> Float64:
        """Return vectors whose inner products are those of the kernel.

        A linear learner of them plays the same rounds as this one of X, without a budget.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(n, d)]
            At most 3000 examples: their whole matrix is taken apart.

        Returns
        -------
        np.ndarray [shape=(n, r)]
            r is the rank of the matrix of the kernel, but for rounding.

        Raises
        ------
        ParameterError
            For more examples, or a kernel that is no inner product.
        """
        matrix = check_examples(X, type(self).__name__)
        if len(matrix) > _MOST_EXPLICIT:
            raise ParameterError(
                f"X has {len(matrix)} examples, must have at most {_MOST_EXPLICIT} here: the "
                "matrix of their kernel is taken apart."
            )
        fresh = type(self)(**self.get_params(deep=False))
        fresh._check_parameters()
        fresh._began = SimpleNamespace(**fresh.get_params(deep=False))
        fresh.n_features_in_ = matrix.shape[1]
        gram = fresh._make_kernel()(matrix, matrix)
        with one_thread():  # of a few hundred examples threads wait longer than they work
            values, vectors = np.linalg.eigh(0.5 * (gram + gram.T))
        largest = max(float(values[-1]), 0.0)
        if values[0] < -1e-8 * largest:
            raise ParameterError(
                f"kernel={self.kernel!r} has a matrix with the eigenvalue {values[0]:.3g}, must "
                "have none below 0: bounds are about inner products."
            )
        kept = values > 1e-13 * largest
        found: Float64 = vectors[:, kept] * np.sqrt(values[kept])
        return found

    def _certified(self, X: Any, y: Any, delta: float) -> RunCertificate:
        """Return the certificate of the flat learner of `explicit_features`: the same rounds."""
        if self.budget is not None:
            raise ParameterError(
                f"budget={self.budget}, must be None: the bounds are about learners that keep "
                "every support."
            )
        conversion = "last" if self.average is False else "average"
        vectors, (twin, labels) = self.explicit_features(X), self._flat_twin(conversion, y)
        found: RunCertificate = twin.certify(vectors, labels, delta=delta)
        return found

    def _flat_twin(self, conversion: str, y: Any) -> tuple[Any, Any]:
        """Return the flat learner that is this one with the linear kernel, and its labels."""
        raise NotImplementedError

    def _scores(self, X: Any) -> Float64:
        """Return the scores of examples [shape=(n, k)]."""

        def found(matrix: Float64) -> Float64:
            scores = np.zeros((len(matrix), self.dual_coef_.shape[1]))
            if len(self.support_vectors_):
                for i in range(0, len(matrix), BLOCK):
                    gram = self._kernel(matrix[i : i + BLOCK], self.support_vectors_)
                    np.matmul(gram, self.dual_coef_, out=scores[i : i + BLOCK])
            return scores

        return self._by_parts(X, found)
