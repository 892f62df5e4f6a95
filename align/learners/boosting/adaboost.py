r"""Boosting as a game between example weights and weak learners.

The learner of the game keeps weights w over m examples, with the entropy as its complexity
function; on each round a weak learner answers with a hypothesis h, whose margins
``b_i = y_i h(x_i)`` make the loss ``[<w, b>]_+``. The dual step alpha is the vote of h:

    w_i is proportional to exp(-y_i H(x_i)),   H = sum_t alpha_t h_t.

With the edge ``e_t = <w_t, b_t> = 1 - 2 error`` and ``L = (1/m) sum exp(-y_i H(x_i))``, which
bounds the training error, the variants are

============  ============================================  ================================
variant       alpha                                         bound on L after T rounds
============  ============================================  ================================
known-edge    2 g, for an edge of at least 2 g              ``exp(-2 g^2 T)``
uncapped      the maximiser of the dual; AdaBoost           ``exp(-(1/2) sum e_t^2)``
capped        the same, at most 2 g                         ``exp(-2 g^2 T)`` if all e_t >= 2 g
gentle        e_t                                           ``exp(-(1/2) sum e_t^2)``
============  ============================================  ================================

For answers of -1 and +1 the maximiser is ``(1/2) ln((1 - error) / error)``.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 6. Eq. 6.5
lacks the clip at 0. *Gentle* is the thesis's variant; what the literature calls Gentle AdaBoost
also refits h by least squares.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from align.errors import ParameterError
from align.learners.boosting.stumps import Stump, StumpSearch
from align.learners.parts import hinge_step_entropy
from align.learners.parts.estimators import (
    ScoredClasses,
    VectorEstimator,
    summed,
    validated,
)
from align.learners.parts.labels import check_labels
from align.learners.parts.parameters import (
    check_choice,
    check_number,
    check_whole,
    positive,
    shuffler,
    weighed,
)
from align.types import Float64

_VARIANTS = ("known-edge", "uncapped", "capped", "gentle")
_MAX_STEP = float(np.log(1e12) / 2.0)


@dataclass(eq=False, repr=False)
class AdaBoost(ScoredClasses, VectorEstimator):
    """Boosting of weak binary classifiers, in the four variants of the primal-dual game.

    Source: Shalev-Shwartz 2007, chapter 6.

    Parameters
    ----------
    n_estimators : int, default 50
        T, the most rounds. Fewer are played where a hypothesis makes no error, or none has an
        edge.
    variant : {"uncapped", "known-edge", "capped", "gentle"}
        How far a hypothesis votes; see the module.
    edge : float, default 0.1
        g of known-edge and capped: every hypothesis errs at most ``1/2 - g``; in (0, 1/2].
    max_step : float, default ln(1e12) / 2
        Largest vote, for hypotheses that make no error.
    estimator : scikit-learn estimator, optional
        Weak learner, which must accept `sample_weight` and is fitted to labels -1 and +1. It may
        answer any number in [-1, 1], 0 for abstaining. By default the best decision stump.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the weak learners that are random.

    Attributes
    ----------
    classes_ : np.ndarray [shape=(2,)]
        The labels, sorted; the second is +1.
    estimators_ : list of Stump or of estimators
        The hypotheses h_t.
    estimator_weights_ : np.ndarray [shape=(T,)]
        alpha_t, their votes.
    edges_ : np.ndarray [shape=(T,)]
        e_t, their edges on the weights they were given.
    training_losses_ : np.ndarray [shape=(T,)]
        L after each round, which bounds the training error.
    dual_objective_ : np.ndarray [shape=(T,)]
        ``-c ln L`` after each round, with ``c = 1 / (2 g)`` where the variant has one and else 1.
        It never falls, except for known-edge where an edge is below g.
    n_features_in_ : int

    Notes
    -----
    There is no `record`: the rounds of the game are always kept, in the arrays above, one entry
    each, and `loss_bound` is their bound. `sample_weight` is the distribution the game starts
    from. A tie, H = 0, goes to the second class.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["a", "b", "a", "b"])
    >>> model = AdaBoost(n_estimators=20).fit(X, y)
    >>> model.predict(X).tolist()
    ['a', 'b', 'a', 'b']
    >>> bool(model.training_losses_[-1] <= model.loss_bound())
    True
    """

    n_estimators: int = 50
    _: KW_ONLY
    variant: str = "uncapped"
    edge: float = 0.1
    max_step: float = _MAX_STEP
    estimator: Any = None
    random_state: Any = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Play the game on labelled examples.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(m, n)]
        y : array_like [shape=(m,)]
            Labels of two classes.
        sample_weight : array_like [shape=(m,)], optional
            Not negative; by default all equal.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range, a number of classes other than two, or weak learners that
            answer outside [-1, 1].
        """
        self._check_parameters()
        X, y = validated(self, X, y, accept_sparse=["csr", "csc"])
        X = summed(X)
        check_labels(y)
        weight, X, y = weighed(sample_weight, X, y)
        if not len(weight):
            weight = np.ones(X.shape[0])
        self.classes_, codes = np.unique(y, return_inverse=True)
        if type_of_target(y, input_name="y") == "multiclass":
            raise ParameterError(
                "Only binary classification is supported. The type of the target is multiclass; "
                "wrap the model in sklearn.multiclass.OneVsRestClassifier."
            )
        if len(self.classes_) < 2:
            raise ParameterError(
                f"y has 1 class, {self.classes_.tolist()}, must have 2 classes with positive "
                "weight."
            )
        sign = np.where(codes == 1, 1.0, -1.0)
        weight = weight / weight.max()  # whose sum can be neither infinite nor 0
        self._play(X, sign, np.log(weight / weight.sum()))
        return self

    def decision_function(self, X: Any) -> Float64:
        """Return H(x), the sum of the votes.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(m, n)]

        Returns
        -------
        np.ndarray [shape=(m,)]
            Positive for the second class.
        """
        X = self._examples(X)
        total: Float64 = np.zeros(X.shape[0])
        for alpha, h in zip(self.estimator_weights_, self.estimators_, strict=True):
            total += alpha * np.asarray(h.predict(X), dtype=np.float64)
        return total

    def staged_decision_function(self, X: Any) -> Iterator[Float64]:
        """Yield H(x) after each round.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(m, n)]

        Yields
        ------
        np.ndarray [shape=(m,)]
        """
        X = self._examples(X)
        total: Float64 = np.zeros(X.shape[0])
        for alpha, h in zip(self.estimator_weights_, self.estimators_, strict=True):
            total = total + alpha * np.asarray(h.predict(X), dtype=np.float64)
            yield total

    def loss_bound(self, n_rounds: int | None = None) -> float:
        """Return the proved bound on L, and so on the training error, from the edges alone.

        Parameters
        ----------
        n_rounds : int, optional
            After how many rounds; by default after all.

        Returns
        -------
        float
            ``exp(sum(m_t^2 / 2 - m_t e_t))``. With known-edge ``m_t = 2 g``, which gives
            ``exp(-2 g^2 T)`` where the edges are as promised. Otherwise m_t is the lesser of vote
            and edge, which gives ``exp(-(1/2) sum e_t^2)`` where no cap cuts a vote below e_t.
        """
        check_is_fitted(self)
        edges, step = self.edges_[:n_rounds], self.estimator_weights_[:n_rounds]
        if self.variant != "known-edge":
            # L falls all the way up to the best vote, so less of the step bounds it as well.
            step = np.minimum(step, edges)
        return float(np.exp((step * (step / 2.0 - edges)).sum()))

    def _play(self, X: Any, sign: Float64, log_prior: Float64) -> None:
        stumps = StumpSearch(X) if self.estimator is None else None
        rng = shuffler(self.random_state)
        c = 1.0 / (2.0 * self.edge) if self.variant in ("known-edge", "capped") else 1.0
        log_weight = log_prior  # of each example, -y H up to the prior
        self.estimators_: list[Any] = []
        alphas, edges, losses = [], [], []
        for _ in range(int(self.n_estimators)):
            top = log_weight.max()
            weight = np.exp(log_weight - top)
            weight /= weight.sum()
            if stumps is not None:
                h: Any = stumps.best(weight * sign)[0]
            else:
                h = self._weak(X, sign, weight, rng)
            margins = sign * _answers(h, X)
            edge = float(weight @ margins)
            if edge <= _rounding(len(sign)):
                break  # the loss of the game is 0, and with it the step; no sign is flipped
            alpha = self._vote(log_weight, margins, edge)
            log_weight = log_weight - alpha * margins
            self.estimators_.append(h)
            alphas.append(alpha)
            edges.append(edge)
            losses.append(float(np.exp(np.logaddexp.reduce(log_weight))))
            if (margins == 1.0).all():
                break  # no error is left to weigh
        self.estimator_weights_ = np.array(alphas)
        self.edges_ = np.array(edges)
        self.training_losses_ = np.array(losses)
        self.dual_objective_ = -c * np.log(self.training_losses_)

    def _vote(self, log_weight: Float64, margins: Float64, edge: float) -> float:
        if self.variant == "known-edge":
            return 2.0 * self.edge
        if self.variant == "gentle":
            return edge
        cap = self.max_step
        if self.variant == "capped":
            cap = min(cap, 2.0 * self.edge)
        return hinge_step_entropy(log_weight, -margins, 1.0, 0.0, upper=cap)

    def _weak(self, X: Any, sign: Float64, weight: Float64, rng: Any) -> Any:
        h = clone(self.estimator)
        if "random_state" in h.get_params():
            draw = rng.integers if isinstance(rng, np.random.Generator) else rng.randint
            h.set_params(random_state=int(draw(np.iinfo(np.int32).max)))
        # Weak learners with a regulariser of their own expect weights of mean 1.
        return h.fit(X, sign, sample_weight=weight * len(weight))

    def _examples(self, X: Any) -> Any:
        check_is_fitted(self)
        X = summed(validated(self, X, accept_sparse=["csr", "csc"], reset=False))
        if self.estimator is None and not isinstance(X, np.ndarray):
            return X.tocsc()
        return X

    def _check_parameters(self) -> None:
        check_choice(self.variant, "variant", _VARIANTS)
        check_whole(self.n_estimators, "n_estimators")
        check_number(self.edge, "edge")
        if not 0.0 < self.edge <= 0.5:
            raise ParameterError(f"edge={self.edge}, must lie in (0, 0.5].")
        positive(self.max_step, "max_step")
        if self.estimator is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ParameterError(
                f"estimator={self.estimator!r}, must accept sample_weight in fit."
            )


def _answers(h: Any, X: Any) -> Float64:
    """Return what h answers on X, checked to lie in [-1, 1]."""
    if isinstance(h, Stump):
        return h.predict(X if isinstance(X, np.ndarray) else X.tocsc())
    answers = np.asarray(h.predict(X), dtype=np.float64)
    if not (np.abs(answers) <= 1.0).all():
        raise ParameterError(
            f"the weak learner {h!r} answered {answers[~(np.abs(answers) <= 1.0)][0]}, must lie "
            "in [-1, 1]."
        )
    return answers


def _rounding(m: int) -> float:
    """Return the edge that rounding alone may show on m examples."""
    return float(4.0 * np.finfo(np.float64).eps * np.sqrt(m))
