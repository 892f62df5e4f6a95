r"""Label ranking: put the relevant labels of an instance above all others.

A learner keeps a weight vector for each of k labels and orders labels by ``s_r = <w_r, x>``. A
round reveals the set Y of relevant labels. It is a *mistake* unless every label of Y scores
strictly above every other one, and its loss is that of the worst pair,

    g = max over r in Y, s not in Y of [gamma - (s_r - s_s)]_+,    gamma * mistake <= g.

If Y is empty or holds every label there are no pairs, no loss and no mistake. The dual sum V has a
row for each label; ``W = V / c`` (Euclidean) or the softmax of each row of ``V / c`` (entropy).

===============  ==================  ==========================================================
update           when                change of V
===============  ==================  ==========================================================
"conservative"   on mistakes         ``V_r += x, V_s -= x`` for the worst pair
"aggressive"     wherever g > 0      ``V_r += alpha x, V_s -= alpha x``, the best alpha in [0, 1]
"optimal"        wherever g > 0      ``V_r += alpha_r x`` on Y, ``V_s -= alpha_s x`` off it, the
                                     best of all alpha with equal sums, at most 1
===============  ==================  ==========================================================

Over the rounds with a step (conservative) or over all (the others), and for every u,

    sum g_t <= c f(u) + sum N*(x_t)^2 / c_t + sum g_t(u),

f the sum of the complexities of the rows of u and N* the l2 norm or the largest entry.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 8, sections
7.2 and 7.3. Its exact step is printed with errors, see `align.learners.ranking.sopopo`.
"""

from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data

from align.errors import ParameterError
from align.learners.parts import (
    LINEAR,
    Blocks,
    Entropy,
    Euclidean,
    FixedTuning,
    MistakeTuning,
    Plan,
    Tuning,
    Update,
)
from align.learners.parts.parameters import check_choice
from align.learners.ranking import _label_ranking as core
from align.learners.ranking._kept_rounds import KeptLabels
from align.learners.ranking._label_run import LabelRun
from align.learners.ranking.ranking_losses import label_ranking_loss
from align.learners.theory import Round, Trace

__all__ = ["LabelRanker"]

Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_UPDATES = ("conservative", "aggressive", "optimal")
_MARGINS = {"euclidean": 1.0, "entropy": 0.3}
_FIRST = np.zeros(1, dtype=np.intp)
_NO_LOG = np.zeros((0, core.LOG))


class LabelRanker(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """Online learner that ranks labels: for multi-label, and for multiclass problems.

    Parameters
    ----------
    complexity : {"euclidean", "entropy"}
        Euclidean, for any features; or one probability vector over the features for each label,
        which suits many features of 0 and 1 of which few matter. It takes any real features, but
        only those of 0 and one positive value have steps that cost no line search over all
        features.
    update : {"conservative", "aggressive", "optimal"}
        See the table above.
    gamma : float, optional
        Margin, positive. By default 1, or 0.3 with the entropy, whose scores are averages of the
        features of an instance: a margin as wide as their range is never reached, and with
        thousands of words of which few occur at once one of 0.01 serves better.
    c : float or Tuning, default 1
        Weight of complexity against loss: small values learn fast. A `Tuning` changes it from
        round to round; see `align.learners.Tuning`. The conservative Euclidean learner ranks the
        same whatever c is, if fixed.
    average : bool, default False
        Predict with the mean of the hypotheses of all rounds, rather than with the last one.
    fit_intercept : bool, default True
        Add a constant feature 1, which counts in the norm.
    epochs : int, default 1
        Passes of `fit`.
    shuffle : bool, default True
        Whether `fit` draws a new order for each pass.
    record : bool, default False
        Keep every round in `trace_`.
    random_state : int, RandomState or None
        Seed of the orders.

    Attributes
    ----------
    classes_ : np.ndarray [shape=(k,)]
        Labels known so far, sorted; the columns of an indicator matrix are 0, 1, ... by default.
    n_features_in_ : int
    trace_ : Trace
        The rounds so far, where `record` is set; `trace_.certify` takes u [shape=(k, d + 1)], in
        the order of `classes_`.

    Notes
    -----
    In a stream of single labels (`partial_fit`, `step`), a label that was not announced begins
    with a row of zeros, in the round in which it is first relevant, and competes from then on;
    cutting the stream into chunks differently changes nothing. `fit` knows all labels in advance.

    Examples
    --------
    >>> from align.learners.ranking.ranking_losses import label_ranking_mistakes
    >>> X = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]])
    >>> Y = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]])
    >>> model = LabelRanker(c=0.1, epochs=10, random_state=0).fit(X, Y)
    >>> model.rank([[1, 0, 0]])[0, 0].item(), label_ranking_mistakes(
    ...     model.decision_function(X), Y).any().item()
    (0, False)
    """

    def __init__(
        self,
        complexity: str = "euclidean",
        update: str = "optimal",
        *,
        gamma: float | None = None,
        c: float | Tuning = 1.0,
        average: bool = False,
        fit_intercept: bool = True,
        epochs: int = 1,
        shuffle: bool = True,
        record: bool = False,
        random_state: Any = None,
    ) -> None:
        self.complexity = complexity
        self.update = update
        self.gamma = gamma
        self.c = c
        self.average = average
        self.fit_intercept = fit_intercept
        self.epochs = epochs
        self.shuffle = shuffle
        self.record = record
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        # Weights on a simplex cannot tell classes by features that speak against them.
        tags.classifier_tags.poor_score = self.complexity == "entropy"
        return tags

    # Learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from scratch, in `epochs` passes.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
        y : array_like [shape=(m,)], or indicator matrix, dense or sparse [shape=(m, k)]
            The relevant label of each example, or which labels are relevant.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range, values that are not finite, or a single class.
        """
        X, y = self._validate(X, y, reset=True)
        labels = np.arange(y.shape[1]) if y.ndim == 2 else np.unique(y)
        if labels.size < 2:
            raise ParameterError(f"y has 1 class, {labels}, must have 2 classes or more.")
        if self.epochs < 1:
            raise ParameterError(f"epochs={self.epochs}, must be at least 1.")
        self.start(X.shape[1], labels)
        relevant, known = self._targets(y)
        rows = self._rows(X)
        random_state = check_random_state(self.random_state)
        for _ in range(self.epochs):
            order = np.arange(X.shape[0])
            if self.shuffle:
                random_state.shuffle(order)
            self._play(rows, relevant, known, order)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
        y : array_like [shape=(m,)], or indicator matrix [shape=(m, k)]
            New labels may come at any time. Further columns of an indicator matrix are new labels.
        classes : array_like, optional
            Labels to know from the start of this call on, whether they come or not.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For another number of features, or an indicator matrix that is too narrow.
        """
        first = not hasattr(self, "n_features_in_")
        X, y = self._validate(X, y, reset=first)
        if first:
            self.start(X.shape[1])
        if classes is not None:
            self._announce(np.unique(classes))
        relevant, known = self._targets(y)
        self._play(self._rows(X), relevant, known, np.arange(X.shape[0]))
        return self

    def start(self, n_features: int, classes: npt.ArrayLike = ()) -> Self:
        """Forget everything and make ready for `step`.

        Parameters
        ----------
        n_features : int
            d.
        classes : array_like, optional
            Labels known from the start.

        Returns
        -------
        self
        """
        gamma, tuning = self._check_parameters()
        self.n_features_in_ = int(n_features)
        self._gamma = gamma
        self._run = LabelRun(
            self.n_features_in_ + bool(self.fit_intercept), 0, self.complexity == "entropy",
            _UPDATES.index(self.update), gamma, tuning, bool(self.average),
        )  # fmt: skip
        self._codes: dict[Any, int] = {}
        self._labels: list[Any] = []  # in the order of the codes
        self._several = False
        self._sizes = np.zeros(2)  # rounds with relevant labels, and how many labels those had
        self.classes_ = np.zeros(0, dtype=np.intp)
        self._columns = np.zeros(0, dtype=np.intp)  # where in the run each class stands
        if self.record:
            self._kept = KeptLabels(gamma, bool(self.fit_intercept))
            update = Update(
                LINEAR,
                tuning,
                exact=self.update != "conservative",
                conservative=self.update == "conservative",
            )
            f = Entropy() if self.complexity == "entropy" else Euclidean()
            single = self.update != "optimal"
            self.trace_ = Trace(Plan(update, f, margin=gamma, single=single), self._kept)
        labels = np.unique(np.asarray(classes)) if np.size(classes) else ()
        self._prepare_steps()
        self._announce(labels)
        return self

    def step(self, x: Any, relevant: Any) -> Round:
        """Play one round of a stream, without checks of x.

        Parameters
        ----------
        x : array_like [shape=(d,)], or CSR matrix of one row
        relevant : label, collection of labels, or array of bool [shape=(k,)]
            A set, frozenset, list or tuple holds labels, of which some may be new; an array of
            bool follows `classes_`; all else is one label.

        Returns
        -------
        Round
            `prediction` is the label with the highest score, or None while no label is known;
            `alpha` the sum of alpha over the relevant labels; `cost` is 1 for a mistake.
        """
        codes: Any
        if isinstance(relevant, set | frozenset | list | tuple):
            self._several = True
            codes = [self._code(label) for label in relevant]
        elif isinstance(relevant, np.ndarray) and relevant.dtype.kind == "b":
            self._several = True
            if relevant.shape != self.classes_.shape:
                raise ParameterError(
                    f"relevant.shape={relevant.shape}, must be (k,)=({self.classes_.size},)."
                )
            codes = self._columns[relevant]
        else:
            codes = (self._code(relevant),)
        mask, n_relevant = self._mask, len(codes)
        mask.fill(False)
        for code in codes:
            mask[0, code] = True
        if n_relevant:
            self._sizes[0] += 1
            self._sizes[1] += n_relevant
        if hasattr(x, "indptr"):
            rows = self._rows(x)
        else:
            self._row[:] = x
            rows = self._row_alone
        run, work = self._run, self._work
        run.play(rows, mask, self._known, _FIRST, work)
        if self.record:
            self._record(work, rows, mask, self._known, _FIRST)
        cost, loss, alpha, c, norm, target, dual = work[0].tolist()
        prediction = self._labels[run.state.counts[core.BEST]] if run.k else None
        return Round(prediction, loss, alpha / c, alpha > 0.0, cost, alpha, c, norm, target, dual)

    def extend(self, n_features: int) -> Self:
        """Make room for features that were not known at the start, with weights of zero.

        Parameters
        ----------
        n_features : int
            New total; not less than before.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            With the entropy, whose uniform start depends on the number of features.
        """
        check_is_fitted(self)
        more = n_features - self.n_features_in_
        if more < 0:
            raise ParameterError(f"n_features={n_features}, must be >= {self.n_features_in_}.")
        if self.complexity == "entropy":
            raise ParameterError(
                "the entropy begins uniform over all features, so that their number must be known "
                "from the start; pass instances of full width, or use complexity='euclidean'."
            )
        self._run.add_features(more, self.n_features_in_)
        self.n_features_in_ = n_features
        self._prepare_steps()
        return self

    # Predicting -------------------------------------------------------------------------------

    def scores(self, X: Any) -> Floats:
        """Return ``s_r = <w_r, x>`` for each label.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m, k)], in the order of `classes_`
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        weights = self._hypothesis()
        scores: Floats = np.asarray(X @ weights[:, : self.n_features_in_].T)
        if self.fit_intercept:
            scores += weights[:, -1]
        return scores

    def rank(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels of each example, best first; of equals the first in `classes_`.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m, k)]
        """
        ranked: npt.NDArray[Any] = self.classes_[
            np.argsort(-self.scores(X), axis=1, kind="stable")
        ]
        return ranked

    def decision_function(self, X: Any) -> Floats:
        """Return scores by which `predict` decides.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m, k)]
            After single labels the `scores`; of two classes only the second minus the first
            [shape=(m,)]. After indicator matrices or sets the scores less a threshold for each
            row, so that those of the labels that `predict` marks are positive.
        """
        scores = self.scores(X)
        k = scores.shape[1]
        if not self._several:
            decision: Floats = scores[:, 1] - scores[:, 0] if k == 2 else scores
            return decision
        rounds, total = self._sizes
        n = max(int(np.rint(total / max(rounds, 1.0))), 1)
        if n >= k:
            everything: Floats = scores - (scores.min(axis=1, keepdims=True) - 1.0)
            return everything
        ordered = np.sort(scores, axis=1)
        shifted: Floats = scores - (ordered[:, [k - n]] + ordered[:, [k - n - 1]]) / 2.0
        return shifted

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the best label; or, after indicator matrices or sets, the best few as indicators.

        A ranking does not say where relevance ends. What is marked is as many labels as were
        relevant on average, rounded, in the rounds in which any were; fewer where scores are equal
        just there.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)], or [shape=(m, k), dtype=int]
        """
        check_is_fitted(self)
        if self._several:
            return (self.decision_function(X) > 0.0).astype(np.int64)
        best: npt.NDArray[Any] = self.classes_[np.argmax(self.scores(X), axis=1)]
        return best

    # What is known ----------------------------------------------------------------------------

    @property
    def coef_(self) -> Floats:
        """Weights that predict [shape=(k, d)], in the order of `classes_`."""
        return self._hypothesis()[:, : self.n_features_in_]

    @property
    def intercept_(self) -> Floats:
        """Weight of the constant feature [shape=(k,)]; zeros where there is none."""
        weights = self._hypothesis()
        return weights[:, -1] if self.fit_intercept else np.zeros(len(weights))

    @property
    def n_rounds_(self) -> int:
        """Rounds played."""
        return int(self._counts()[core.ROUNDS])

    @property
    def n_mistakes_(self) -> int:
        """Rounds in which a relevant label scored no higher than another one."""
        return int(self._counts()[core.MISTAKES])

    @property
    def n_updates_(self) -> int:
        """Rounds with a step."""
        return int(self._counts()[core.UPDATES])

    @property
    def cumulative_loss_(self) -> float:
        """Sum of the losses."""
        self._counts()
        return float(self._run.state.floats[core.LOSS])

    @property
    def dual_objective_(self) -> float:
        """Dual objective: at most ``c f(u) + sum of the losses of u``, whatever u is."""
        self._counts()
        return float(self._run.state.floats[core.DUAL])

    def regret_bound(self, u: npt.ArrayLike) -> float:
        """Bound the regret against fixed weights u by the steps taken.

        Parameters
        ----------
        u : array_like [shape=(k, d)], or [shape=(k, d + 1)] with the intercepts last
            Any with the Euclidean complexity; rows on the simplex with the entropy.

        Returns
        -------
        float
            ``c f(u) + sum N*(x_t)^2 / c_t``, over the rounds that called for a step. The sum of
            the losses so far exceeds that of u by no more; for the conservative learner the sums
            are over mistakes. Infinite for u outside the simplex.
        """
        self._counts()
        weights = np.asarray(u, dtype=np.float64)
        shape = (self._run.k, self.n_features_in_ + bool(self.fit_intercept))
        if weights.shape != shape:
            raise ParameterError(f"u.shape={weights.shape}, must be (k, n)={shape}.")
        f = Blocks(Entropy() if self.complexity == "entropy" else Euclidean())
        floats = self._run.state.floats
        return float(floats[core.C] * f.value(weights) + floats[core.SPENT])

    def mistake_bound(self, u: npt.ArrayLike, X: Any, y: Any) -> float:
        """Bound the mistakes by fixed weights u and their losses on the rounds that were played.

        Parameters
        ----------
        u : array_like
            As in `regret_bound`.
        X, y
            The rounds, in any order; once for each time they were played.

        Returns
        -------
        float
            ``(regret_bound(u) + sum g_t(u)) / gamma``, at least `n_mistakes_`.
        """
        bound = self.regret_bound(u)
        X, y = self._validate(X, y, reset=False)
        relevant, _ = self._targets(y, grow=False)
        weights = np.asarray(u, dtype=np.float64)
        scores = X @ weights[:, : self.n_features_in_].T
        if self.fit_intercept:
            scores = scores + weights[:, -1]
        losses = label_ranking_loss(scores, relevant[:, self._columns], self._gamma)
        return float((bound + np.sum(losses)) / self._gamma)

    # Inside -----------------------------------------------------------------------------------

    def _check_parameters(self) -> tuple[float, Tuning]:
        if self.complexity not in _MARGINS:
            raise ParameterError(
                f"complexity={self.complexity!r}, must be 'euclidean' or 'entropy'."
            )
        check_choice(self.update, "update", _UPDATES)
        gamma = _MARGINS[self.complexity] if self.gamma is None else float(self.gamma)
        if not (np.isfinite(gamma) and gamma > 0.0):
            raise ParameterError(f"gamma={gamma}, must be positive and finite.")
        if isinstance(self.c, MistakeTuning):
            raise ParameterError(
                "MistakeTuning counts the mistake of the round itself, which a ranking knows only "
                "once its c is known; use SelfTuning."
            )
        if callable(self.c):
            return gamma, self.c
        if not (np.isfinite(self.c) and self.c > 0.0):
            raise ParameterError(f"c={self.c}, must be a Tuning, or positive and finite.")
        return gamma, FixedTuning(float(self.c))

    def _counts(self) -> npt.NDArray[np.int64]:
        check_is_fitted(self)
        return self._run.state.counts

    def _prepare_steps(self) -> None:
        """Make the work space of `step`, which should not allocate."""
        n, k = self.n_features_in_, len(self._labels)
        self._every_column = np.arange(n)
        self._row = np.zeros(n)
        ends, bias = np.array([0, n], dtype=np.intp), bool(self.fit_intercept)
        self._row_alone = core.Rows(self._row, self._every_column, ends, True, bias)
        self._mask = np.zeros((1, max(k, 1)), dtype=np.bool_)
        self._known = np.array([k], dtype=np.intp)
        self._work = np.zeros((1, core.LOG))

    def _code(self, label: Any) -> int:
        code = self._codes.get(label)
        if code is None:
            self._announce(np.array([label]))
            code = self._codes[label]
        return code

    def _announce(self, labels: Any) -> None:
        """Take up labels that are new, in their order."""
        new = [label for label in labels if label not in self._codes]
        if not new:
            return
        for label in new:
            self._codes[label] = len(self._codes)
        self._labels = list(self._codes)
        self._run.grow(len(self._labels))
        known = np.array(self._labels)
        self._columns = np.argsort(known, kind="stable")
        self.classes_ = known[self._columns]
        self._mask = np.zeros((1, known.size), dtype=np.bool_)
        self._known[0] = known.size

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        if hasattr(y, "toarray"):
            y = y.toarray()
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, reset=reset, multi_output=True
        )
        if y.ndim == 2 and y.shape[1] == 1:
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=False)
        check_classification_targets(y)
        if y.ndim == 2 and not np.isin(y, (0, 1)).all():
            raise ParameterError("y must be an indicator matrix of 0 and 1: (m, k).")
        return X, y

    def _targets(
        self, y: npt.NDArray[Any], grow: bool = True
    ) -> tuple[Bools, npt.NDArray[np.intp]]:
        """Return the relevant labels of each row, and how many labels are known by then."""
        before = self._run.k
        if y.ndim == 2:
            if grow and y.shape[1] > before:
                self._announce(np.arange(y.shape[1]))
            if y.shape[1] != self.classes_.size:
                raise ParameterError(
                    f"y.shape={y.shape}, must be (m, k)=(m, {self.classes_.size}): one column for "
                    "each label, in the order of classes_."
                )
            relevant = np.zeros(y.shape, dtype=np.bool_)
            relevant[:, self._columns] = y != 0
            if grow:
                self._several = True
                sizes = relevant.sum(axis=1)
                self._sizes += (np.count_nonzero(sizes), sizes.sum())
            return relevant, np.full(len(y), self._run.k, dtype=np.intp)
        labels, first, inverse = np.unique(y, return_index=True, return_inverse=True)
        if grow:
            self._announce(labels[np.argsort(first)])  # in the order of arrival
            self._sizes += len(y)
        found = [self._codes.get(label, -1) for label in labels]
        if min(found) < 0:
            raise ParameterError(
                f"label {labels.tolist()[found.index(-1)]!r} was never seen before."
            )
        codes = np.array(found, dtype=np.intp)[inverse]
        relevant = np.zeros((len(y), self._run.k), dtype=np.bool_)
        relevant[np.arange(len(y)), codes] = True
        return relevant, np.maximum(np.maximum.accumulate(codes) + 1, before)

    def _rows(self, X: Any) -> core.Rows:
        bias = bool(self.fit_intercept)
        if isinstance(X, np.ndarray):
            m, width = X.shape
            X = np.ascontiguousarray(X)
            return core.Rows(X.ravel(), self._every_column, np.arange(m + 1) * width, True, bias)
        X = sp.csr_array(X)
        data = np.ascontiguousarray(X.data, dtype=np.float64)
        return core.Rows(data, X.indices.astype(np.intp), X.indptr.astype(np.intp), False, bias)

    def _play(
        self, rows: core.Rows, relevant: Bools, known: npt.NDArray[np.intp], order: Any
    ) -> None:
        log = np.zeros((order.size, core.LOG)) if self.record else _NO_LOG
        self._run.play(rows, relevant, known, order, log)
        if self.record:
            self._record(log, rows, relevant, known, order)

    def _record(
        self,
        log: Floats,
        rows: core.Rows,
        relevant: Bools,
        known: npt.NDArray[np.intp],
        order: npt.NDArray[np.intp],
    ) -> None:
        self._kept.columns = self._columns
        for row in order:
            x = self._run.instance(rows, int(row))
            self._kept.keep(x, relevant[row, : known[row]].copy())
        cost, loss, alpha, c, norm, target, dual = log.T
        self.trace_.extend(
            {
                "cost": cost, "loss": loss, "tau": alpha / c, "alpha": alpha, "c": c,
                "norm": norm, "target": target, "dual": dual,
            },
            [],
        )  # fmt: skip

    def _hypothesis(self) -> Floats:
        check_is_fitted(self)
        return self._run.hypothesis()[self._columns]
