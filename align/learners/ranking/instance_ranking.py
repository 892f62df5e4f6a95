r"""Instance ranking: order the instances of a query by their grades.

A round is a query: instances x_1 .. x_k with grades y, revealed after they have been scored by
``s_i = <w, x_i>``. Its pairs are ``E = {(i, j): y_i > y_j}``, with losses
``[(y_i - y_j) - <w, x_i - x_j>]_+``, and the loss of the round is their average or their maximum.
The learner is Euclidean, ``w = v / c``, and a step adds ``sum alpha_ij (x_i - x_j)`` to v:

==============  =========================================  ======================================
update          average                                    maximum
==============  =========================================  ======================================
"subgradient"   ``1 / |E|`` for each pair with a loss      1 for the worst pair
"worst"         not offered                                the best alpha in [0, 1] for it
"exact"         the best alpha in ``[0, 1 / |E|]^E``,      the best alpha of sum at most 1, by
                by coordinate ascent                       averaged subgradient descent
==============  =========================================  ======================================

With ``X_t = max over E of |x_i - x_j|`` and any u,
``sum g_t <= c |u|^2 / 2 + sum X_t^2 / (2 c_t) + sum g_t(u)``. Queries with equal grades have no
pairs, no loss and no step.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, sections 5.3.4, 7.2
and 7.4.
"""

from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError, check_shape
from align.learners.parts import (
    LINEAR,
    FixedTuning,
    MistakeTuning,
    Plan,
    SelfTuning,
    Tuning,
    Update,
)
from align.learners.parts.estimators import VectorEstimator, validated
from align.learners.parts.parameters import (
    check_finite,
    check_number,
    check_whole,
    orders,
    read_zero_one,
    refuse_masks,
    shuffler,
    weighed,
)
from align.learners.parts.tuning import as_tuning
from align.learners.ranking import _instance_ranking as core
from align.learners.ranking._kept_rounds import KeptQueries
from align.learners.ranking.max_hinge import max_hinge_step
from align.learners.ranking.ranking_losses import instance_ranking_errors
from align.learners.theory import Round, Trace
from align.types import Float64

_ALIKE = "the bounds of rankers count every query alike"
_UPDATES = {
    "average": ("subgradient", "exact"),
    "maximum": ("subgradient", "worst", "exact"),
}
_MAX_PAIRS = 200_000  # of a query whose pairs are all kept at once, by "exact"
_OR_WORST = {"average": "", "maximum": " or 'worst'"}


@dataclass(eq=False, repr=False)
class InstanceRanker(VectorEstimator):
    """Online learner that orders the instances of a query by their grades.

    Source: Shalev-Shwartz 2007, section 5.3.4.

    Parameters
    ----------
    loss : {"average", "maximum"}
        Of the pairs of a query.
    update : {"subgradient", "worst", "exact"}
        See the table above. Besides the scores, "subgradient" and "worst" look at each pair of
        a query once; "exact" does so in each iteration.
    c : float or Tuning, default 1
        Weight of complexity against loss, positive: small values learn fast. A `Tuning` changes
        it from query to query; see `align.learners.parts.tuning`.
    average : bool, default False
        Predict with the mean of the hypotheses of all rounds, rather than with the last one.
    max_iter : int, default 200
        Iterations of an "exact" step on the maximum, or sweeps of one on the average.
    tol : float, default 1e-8
        Largest duality gap at which an "exact" step stops early.
    epochs : int, default 1
        Passes of `fit`.
    shuffle : bool, default True
        Whether `fit` draws a new order of the queries for each pass.
    record : bool, default False
        Keep every round in `trace_`.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the orders.

    Attributes
    ----------
    coef_ : np.ndarray [shape=(d,)]
        Weights that predict. There is no intercept: it would not matter to any order.
    n_rounds_, n_updates_ : int
        Queries played; those with a step.
    n_mistakes_ : int
        Queries with a pair that was not strictly in order.
    cumulative_loss_ : float
    dual_objective_ : float
        At most ``c |u|^2 / 2 + sum of the losses of u``, whatever u is.
    n_features_in_ : int
    trace_ : Trace
        The rounds so far, where `record` is set; the cost of a round is its share of pairs that
        were not strictly in order.

    Notes
    -----
    Label ranking, multi-label and binary problems are special cases: a query whose instances are
    those of the labels, with grades 1 for the relevant ones; or x / 2 and -x / 2.

    Examples
    --------
    >>> X = [[1.0, 0.0], [0.5, 1.0], [0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]
    >>> grades, queries = [2, 1, 0, 1, 0], [0, 0, 0, 1, 1]
    >>> ranker = InstanceRanker(c=0.1, shuffle=False).fit(X, grades, queries)
    >>> ranker.predict(X)[:3].argsort()[::-1].tolist(), ranker.score(X, grades, queries)
    ([0, 1, 2], 1.0)
    """

    loss: str = "average"
    update: str = "exact"
    _: KW_ONLY
    c: float | Tuning = 1.0
    average: bool = False
    max_iter: int = 200
    tol: float = 1e-8
    epochs: int = 1
    shuffle: bool = True
    record: bool = False
    random_state: Any = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    # Learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Learn from scratch, in `epochs` passes over the queries.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Instances, one in each row.
        y : array_like [shape=(m,)]
            Their grades; only differences within a query matter.
        groups : array_like [shape=(m,)], optional
            The query of each row, any labels; rows of a query need not be neighbours. Queries are
            taken in the order in which they first come. By default all rows are one query.
        sample_weight : array_like [shape=(m,)], optional
            As in `partial_fit`; an instance of weight 0 is as if it had not been given.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range, shapes that do not agree, or a query too large.
        """
        X, y = validated(self, X, y, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        groups = None if groups is None else core.check_groups(groups, len(y))
        _, X, y, groups = weighed(sample_weight, X, y, groups, reason=_ALIKE)
        queries = core.queries(groups, len(y))
        check_whole(self.epochs, "epochs")
        self.start(X.shape[1])
        for order in orders(shuffler(self.random_state), len(queries), self.epochs, self.shuffle):
            for q in order:
                self._round(*core.rows(X, queries[q]), y[queries[q]])
        return self

    def partial_fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Go through queries once, in their order, going on from what was learned before.

        Parameters
        ----------
        X, y, groups
            As in `fit`. A query must not be cut by the end of a call: what comes of it in the
            next one is a query of its own.
        sample_weight : array_like [shape=(m,)], optional
            0 leaves an instance out of its query, 1 does not: the bounds count every query alike.

        Returns
        -------
        self
        """
        first = not hasattr(self, "n_features_in_")
        X, y = validated(self, X, y, y_numeric=True, reset=first)
        y = np.asarray(y, dtype=np.float64)
        queries = core.queries(groups, len(y))
        kept = read_zero_one(sample_weight, X, _ALIKE)
        if first:
            self.start(X.shape[1])
        for query in queries:
            query = query[np.isin(query, kept)]
            if len(query):
                self._round(*core.rows(X, query), y[query])
        return self

    def start(self, n_features: int) -> Self:
        """Forget everything and make ready for `step`.

        Parameters
        ----------
        n_features : int
            d.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range.
        """
        check_whole(n_features, "n_features")
        self._tuning = self._check_parameters()
        self._began = SimpleNamespace(**self.get_params(deep=False))
        self.n_features_in_ = int(n_features)
        self._v = np.zeros(self.n_features_in_)
        self._late = np.zeros(self.n_features_in_ if self.average else 0)
        self._inverses = 0.0  # sum of 1 / c_t
        self._c = self._tuning(0.0, 0) if isinstance(self._tuning, FixedTuning) else 1.0
        self._radius = self._square = self._gain = self._spent = 0.0
        self.n_rounds_ = self.n_mistakes_ = self.n_updates_ = 0
        self.cumulative_loss_ = self.dual_objective_ = 0.0
        if self.record:
            self._kept = KeptQueries(self.loss == "maximum")
            update = Update(LINEAR, self._tuning, exact=self.update != "subgradient")
            single = self.update != "exact" and self.loss == "maximum"
            self.trace_ = Trace(Plan(update, single=single, ranking=True), self._kept)
        elif hasattr(self, "trace_"):
            del self.trace_
        return self

    def step(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Round:
        """Play one query of a stream.

        Parameters
        ----------
        x : array_like [shape=(k, d)]
            Its instances.
        y : array_like [shape=(k,)]
            Their grades.

        Returns
        -------
        Round
            `prediction` is the scores [shape=(k,)]; `cost` the share of pairs not strictly in
            order; `norm` the length of the subgradient; `target` the difference of the grades of
            the worst pair.

        Raises
        ------
        ParameterError
            For another number of features or of grades, numbers that are not finite, or an
            overflow.
        """
        refuse_masks(x=x, y=y)
        rows = np.ascontiguousarray(x, dtype=np.float64)
        grades = np.asarray(y, dtype=np.float64)
        width = getattr(self, "n_features_in_", int(rows.shape[-1]))
        check_shape("x", rows.shape, "(k, d)", (grades.size, width))
        check_shape("y", grades.shape, "(k,)", (grades.size,))
        check_finite(rows.ravel(), "x")
        check_finite(grades, "y")
        if not hasattr(self, "_v"):
            self.start(rows.shape[1])
        return self._round(rows, None, grades)

    def _round(self, x: Float64, columns: Any, y: Float64) -> Round:
        """Play a query; `columns` says which features the columns of x are, None all."""
        with np.errstate(over="ignore", invalid="ignore"):
            entry = self._played(x, columns, y)
        if not (np.isfinite(entry.dual) and np.isfinite(self._spent)):
            raise ParameterError(
                f"the weights overflowed in round {self.n_rounds_}; scale the features to "
                "moderate values."
            )
        if self._began.record:
            self.trace_.append(entry)
            full = x
            if columns is not None:
                full = np.zeros((len(y), self.n_features_in_))
                full[:, columns] = x
            self._kept.keep(full.copy(), np.array(y))
            self.trace_.radius = self._radius
        return entry

    def _played(self, x: Float64, columns: Any, y: Float64) -> Round:
        """Play a query, and count it."""
        products = x @ (self._v if columns is None else self._v[columns])
        # Only inner products matter: with fewer instances than features, take other coordinates.
        small = x if x.shape[1] <= len(x) else core.coordinates(x)
        c = self._tune(small, y, products)
        scores = products / c
        errors, pairs, lost, worst, up, down = core.measure(scores, y)
        g = worst if self._began.loss == "maximum" else lost / max(pairs, 1)
        beta, gain, alpha, norm = np.zeros(len(y)), 0.0, 0.0, 0.0
        if g > 0.0:
            # The subgradient: its norm is what the bound asks for, whatever step is taken.
            if self._began.loss == "maximum":
                beta[[up, down]] = 1.0, -1.0
                gain, alpha = y[up] - y[down], 1.0
            else:
                gain, alpha = core.subgradient(scores, y, beta)
            direction = beta @ small
            norm = float(np.sqrt(direction @ direction))
            self._spent += norm * norm / (2.0 * c)
            if self._began.update == "worst":
                alpha = min(1.0, c * g / norm**2) if norm > 0.0 else 1.0
                beta, gain = alpha * beta, alpha * gain
            elif self._began.update == "exact":
                beta, gain, alpha = self._exact(small, y, scores, pairs, c)
        change = beta @ x
        moved = bool(change.any())
        self._inverses += 1.0 / c
        if moved:
            self._square += 2.0 * float(beta @ products) + float(change @ change)
            where = slice(None) if columns is None else columns
            self._v[where] += change
            if self._began.average:
                self._late[where] += self._inverses * change
        self._gain += gain
        self.n_rounds_ += 1
        self.n_mistakes_ += int(errors > 0)
        self.n_updates_ += moved
        self.cumulative_loss_ += g
        self.dual_objective_ = self._gain - self._square / (2.0 * c)
        target = float(y[up] - y[down]) if pairs else 0.0
        return Round(
            scores, g, alpha / c, moved, errors / max(pairs, 1), alpha, c, norm, target,
            self.dual_objective_,
        )  # fmt: skip

    def _tune(self, small: Float64, y: Float64, products: Float64) -> float:
        """Return c of the coming round."""
        tuning = self._tuning
        if not isinstance(tuning, FixedTuning):
            mistake = bool(core.measure(products, y)[0])  # the order does not depend on c
            former = self._radius
            self._radius = max(former, float(np.sqrt(core.largest_distance(small, y))))
            before = self.n_mistakes_ + (mistake and isinstance(tuning, MistakeTuning))
            c = tuning(self._radius, before, self.n_rounds_ + 1, self.cumulative_loss_)
            # Before any difference was seen v is 0, and any c gives the same weights.
            self._c = c if c > 0.0 else 1.0
            if isinstance(tuning, SelfTuning) and tuning.over == "mistakes" and not mistake:
                self._radius = former
        return self._c

    def _exact(
        self, small: Float64, y: Float64, scores: Float64, pairs: int, c: float
    ) -> tuple[Float64, float, float]:
        """Return the sum of alpha of each instance with its sign, the gain, and all of alpha."""
        began = self._began
        if pairs > _MAX_PAIRS:
            raise ParameterError(
                f"a query has {pairs} pairs of different grades, must have at most {_MAX_PAIRS} "
                f"for update='exact'; use 'subgradient'{_OR_WORST[began.loss]}."
            )
        up, down = np.array(np.nonzero(y[:, None] > y[None, :]))  # rows, not columns of a table
        apart = y[up] - y[down]
        short = apart - (scores[up] - scores[down])
        if began.loss == "maximum":
            step = max_hinge_step(
                small[up] - small[down], short, c, max_iter=began.max_iter, tol=began.tol
            )
            alpha = step.alpha
        else:
            alpha = np.where(short > 0.0, 1.0 / pairs, 0.0)  # the subgradient step
            most, tol = int(began.max_iter), float(began.tol)
            core.ascend(small, up, down, short, c, most, tol, alpha)
        k = len(y)
        beta = np.asarray(np.bincount(up, alpha, k) - np.bincount(down, alpha, k), np.float64)
        return beta, float(alpha @ apart), float(alpha.sum())

    # Predicting -------------------------------------------------------------------------------

    @property
    def coef_(self) -> Float64:
        """Weights that predict [shape=(d,)]."""
        check_is_fitted(self, "n_rounds_")
        if self._began.average and self.n_rounds_:
            return (self._inverses * self._v - self._late) / self.n_rounds_
        return self._v / self._c

    def predict(self, X: Any) -> Float64:
        """Return scores, by which to order instances, the largest first.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)]
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        return np.asarray(X @ self.coef_)

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """Return the mean share of pairs that are strictly in order, over the queries with any.

        Parameters
        ----------
        X, y, groups
            As in `fit`.

        Returns
        -------
        float
            1 where there are no pairs at all.
        """
        check_is_fitted(self)
        X, y = validated(self, X, y, y_numeric=True, reset=False)
        scores, y = np.asarray(X @ self.coef_), np.asarray(y, dtype=np.float64)
        shares = [
            1.0 - instance_ranking_errors(scores[query], y[query])
            for query in core.queries(groups, len(y))
            if np.ptp(y[query]) > 0.0
        ]
        return float(np.mean(shares)) if shares else 1.0

    def regret_bound(self, u: npt.ArrayLike) -> float:
        """Bound the regret against fixed weights u by the steps taken.

        Parameters
        ----------
        u : array_like [shape=(d,)]

        Returns
        -------
        float
            ``c |u|^2 / 2 + sum |lambda_t|^2 / (2 c_t)``, lambda_t the subgradient of the loss in
            round t, never longer than X_t. The sum of the losses so far exceeds that of u by no
            more.

        Raises
        ------
        ParameterError
            For a wrong number of weights.
        """
        check_is_fitted(self)
        weights = np.asarray(u, dtype=np.float64)
        check_shape("u", weights.shape, "(d,)", (self.n_features_in_,))
        return float(self._c * (weights @ weights) / 2.0 + self._spent)

    def _check_parameters(self) -> Tuning:
        if not isinstance(self.loss, str) or self.loss not in _UPDATES:
            raise ParameterError(f"loss={self.loss!r}, must be 'average' or 'maximum'.")
        if self.update not in _UPDATES[self.loss]:
            raise ParameterError(
                f"update={self.update!r}, must be one of {', '.join(_UPDATES[self.loss])} with "
                f"loss={self.loss!r}."
            )
        check_whole(self.max_iter, "max_iter")
        check_number(self.tol, "tol")
        if not self.tol >= 0.0:
            raise ParameterError(f"tol={self.tol}, must not be negative.")
        return as_tuning(self.c)
