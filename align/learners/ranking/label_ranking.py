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

from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError, check_shape
from align.learners.parts import (
    LINEAR,
    Entropy,
    Euclidean,
    MistakeTuning,
    Plan,
    Tuning,
    Update,
)
from align.learners.parts.labels import distinct_labels
from align.learners.parts.parameters import (
    check_choice,
    check_finite,
    check_whole,
    one_row,
    orders,
    positive,
    read_zero_one,
    shuffler,
    weighed,
)
from align.learners.parts.shapes import check_stored
from align.learners.parts.tuning import as_tuning
from align.learners.ranking import _label_ranking as core
from align.learners.ranking._kept_rounds import KeptLabels
from align.learners.ranking._label_run import LabelRun
from align.learners.ranking._label_stream import LabelStream
from align.learners.theory import Round, Trace
from align.types import BoolArray, Float64, IntArray

_ALIKE = "the bounds of rankers count every round alike"
_UPDATES = ("conservative", "aggressive", "optimal")
_MARGINS = {"euclidean": 1.0, "entropy": 0.3}
_FIRST = np.zeros(1, dtype=np.intp)
_NO_LOG = np.zeros((0, core.LOG))


@dataclass(eq=False, repr=False)
class LabelRanker(LabelStream):
    """Online learner that ranks labels: for multi-label, and for multiclass problems.

    Source: Shalev-Shwartz 2007, chapter 8 and section 7.3.

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
    epochs, shuffle, record, random_state
        As in `PassiveAggressiveClassifier`.

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

    complexity: str = "euclidean"
    update: str = "optimal"
    _: KW_ONLY
    gamma: float | None = None
    c: float | Tuning = 1.0
    average: bool = False
    fit_intercept: bool = True
    epochs: int = 1
    shuffle: bool = True
    record: bool = False
    random_state: Any = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        # Weights on a simplex cannot recognise classes by features that speak against them.
        tags.classifier_tags.poor_score = self.complexity == "entropy"
        return tags

    # Learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch, in `epochs` passes.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
        y : array_like [shape=(m,)], or indicator matrix, dense or sparse [shape=(m, k)]
            The relevant label of each example, or which labels are relevant.
        sample_weight : array_like [shape=(m,)], optional
            As in `partial_fit`; an example of weight 0 is as if it had not been given.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range, values that are not finite, or a single class.
        """
        X, y = self._validate(X, y, reset=True)
        _, X, y = weighed(sample_weight, X, y, reason=_ALIKE)
        labels = np.arange(y.shape[1]) if y.ndim == 2 else np.unique(y)
        if labels.size < 2:
            raise ParameterError(f"y has 1 class, {labels}, must have 2 classes or more.")
        check_whole(self.epochs, "epochs")
        self.start(X.shape[1], labels)
        relevant, known = self._targets(y)
        self._count(relevant)
        rows = self._rows(X)
        for order in orders(shuffler(self.random_state), X.shape[0], self.epochs, self.shuffle):
            self._play(rows, relevant, known, order)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
        y : array_like [shape=(m,)], or indicator matrix [shape=(m, k)]
            New labels may come at any time. Further columns of an indicator matrix are new labels.
        classes : array_like, optional
            Labels to know from the start of this call on, whether they come or not.
        sample_weight : array_like [shape=(m,)], optional
            0 leaves an example out, 1 does not: the bounds count every round alike.

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
        kept = read_zero_one(sample_weight, X, _ALIKE)
        if first:
            self.start(X.shape[1])
        if classes is not None:
            self._announce(distinct_labels(classes))
        relevant, known = self._targets(y)
        self._count(relevant[kept])
        self._play(self._rows(X), relevant, known, kept)
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

        Raises
        ------
        ParameterError
            For parameters out of range, or what is no label.
        """
        check_whole(n_features, "n_features")
        gamma, tuning = self._check_parameters()
        self._began = SimpleNamespace(**self.get_params(deep=False))
        self.n_features_in_ = int(n_features)
        self._gamma = gamma
        self._run = LabelRun(
            self.n_features_in_ + bool(self.fit_intercept), 0, self.complexity == "entropy",
            _UPDATES.index(self.update), gamma, tuning, bool(self.average),
        )  # fmt: skip
        self._codes, self._labels = {}, []
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
        elif hasattr(self, "trace_"):
            del self.trace_
        self._prepare_steps()
        self._announce(distinct_labels(classes))
        return self

    def step(self, x: Any, relevant: Any) -> Round:
        """Play one round of a stream.

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

        Raises
        ------
        ParameterError
            For another number of features, numbers that are not finite, an array of bool of
            another length, labels of another type, or an overflow.
        """
        if hasattr(x, "indptr"):
            check_shape("x", x.shape, "(1, d)", (1, getattr(self, "n_features_in_", x.shape[1])))
            check_finite(x.data, "x")
        else:
            x = one_row(x, self)
        if not hasattr(self, "_run"):
            self.start(x.shape[-1])
        codes: Any
        if isinstance(relevant, set | frozenset | list | tuple):
            self._several = True
            codes = [self._code(label) for label in relevant]
        elif isinstance(relevant, np.ndarray) and relevant.dtype.kind == "b":
            self._several = True
            check_shape("relevant", relevant.shape, "(k,)", self.classes_.shape)
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
            rows = self._row_alone
            rows.data[:] = x
        run, work = self._run, self._work
        run.play(rows, mask, self._known, _FIRST, work)
        if self._began.record:
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
        if self._began.complexity == "entropy":
            raise ParameterError(
                "the entropy begins uniform over all features, so that their number must be known "
                "from the start; pass instances of full width, or use complexity='euclidean'."
            )
        self._run.add_features(more, self.n_features_in_)
        self.n_features_in_ = n_features
        self._prepare_steps()
        return self

    # Inside -----------------------------------------------------------------------------------

    def check_shapes(self) -> None:
        """Raise `ModelError` unless a loaded learner has the run that it speaks of."""
        if hasattr(self, "_run"):
            n, room = np.shape(self._run.state.V)
            d = self.n_features_in_ + bool(self._began.fit_intercept)
            check_stored(n == d, f"its run has {n} features, not {d}")
            inside = (self._columns >= 0) & (self._columns < room)
            check_stored(bool(inside.all()), "a label has a column that there is not")
            self._prepare_steps()

    def _check_parameters(self) -> tuple[float, Tuning]:
        check_choice(self.complexity, "complexity", _MARGINS)
        check_choice(self.update, "update", _UPDATES)
        given = _MARGINS[self.complexity] if self.gamma is None else self.gamma
        gamma = positive(given, "gamma")
        if isinstance(self.c, MistakeTuning):
            raise ParameterError(
                "MistakeTuning counts the mistake of the round itself, which a ranking knows only "
                "once its c is known; use SelfTuning."
            )
        return gamma, as_tuning(self.c)

    def _rows(self, X: Any) -> core.Rows:
        bias = bool(self._began.fit_intercept)
        if isinstance(X, np.ndarray):
            m, width = X.shape
            X = np.require(
                X, requirements=["C", "W"]
            )  # kernels are compiled for what can be written
            return core.Rows(X.ravel(), self._every_column, np.arange(m + 1) * width, True, bias)
        X = sp.csr_array(X)
        data = np.require(X.data, np.float64, ["C", "W"])
        return core.Rows(data, X.indices.astype(np.intp), X.indptr.astype(np.intp), False, bias)

    def _play(self, rows: core.Rows, relevant: BoolArray, known: IntArray, order: Any) -> None:
        log = np.zeros((order.size, core.LOG)) if self._began.record else _NO_LOG
        self._run.play(rows, relevant, known, order, log)
        if self._began.record:
            self._record(log, rows, relevant, known, order)

    def _record(
        self,
        log: Float64,
        rows: core.Rows,
        relevant: BoolArray,
        known: IntArray,
        order: IntArray,
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
