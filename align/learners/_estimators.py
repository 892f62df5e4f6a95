"""What the flat estimators share: examples in, rounds played, one hypothesis out.

An estimator says what it is made of (`_plan`); here its run is started, fed by ``fit``,
``partial_fit`` and ``step``, watched by the online-to-batch conversion, and read by ``predict``.
"""

from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from align.errors import ParameterError
from align.learners import _rounds as rounds
from align.learners._general import GeneralRun
from align.learners._labels import label_codes, sorted_labels
from align.learners._linear import LinearRun
from align.learners._plans import Chunk, Floats, Plan, Run
from align.learners.certificates import certify
from align.learners.conversion import block_ends
from align.learners.trace import Round, Trace
from align.learners.tuning import FixedTuning, MistakeTuning, SelfTuning

__all__ = ["CONVERSIONS", "FlatClassifier", "FlatLearner", "FlatRegressor", "generator"]

Indices: TypeAlias = npt.NDArray[np.intp]

CONVERSIONS = ("last", "average", "random", "vote", "best", "validation")

_BLOCKS = 10  # candidates of "best" in an epoch, restarts of "validation"
_NO_LOG = np.zeros((0, rounds.LOG_WIDTH))
_NO_WEIGHTS = np.zeros(0)


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator for a seed, a Generator, a RandomState or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


class FlatLearner(BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """An online learner of vectors; the base class of classifiers and regressors."""

    # Constructor parameters that every learner has.
    fit_intercept: bool
    conversion: str
    epochs: int
    shuffle: bool
    validation_fraction: float
    record: bool
    random_state: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    # What a subclass says ---------------------------------------------------------------------

    def _plan(self, n_weights: int) -> Plan:
        """Return what the learner is made of; `n_weights` are those of one score."""
        raise NotImplementedError

    def _n_rows(self) -> int:
        return 1

    # A run ------------------------------------------------------------------------------------

    def _begin(self, n_features: int) -> None:
        """Forget everything and make ready for rounds."""
        if self.conversion not in CONVERSIONS:
            raise ParameterError(
                f"conversion={self.conversion!r}, must be one of {', '.join(CONVERSIONS)}."
            )
        if isinstance(self.epochs, bool) or self.epochs < 1 or self.epochs != int(self.epochs):
            raise ParameterError(f"epochs={self.epochs}, must be a whole number, at least 1.")
        if not 0.0 < self.validation_fraction < 1.0:
            raise ParameterError(
                f"validation_fraction={self.validation_fraction}, must lie in (0, 1)."
            )
        self._current = plan = self._plan(n_features + bool(self.fit_intercept))
        self._rng = generator(self.random_state)
        self._run: Run = self._new_run(n_features)
        self._drawn: Floats | None = None
        self._votes: list[tuple[Floats, int]] = []
        self._chosen: Floats | None = None
        self._cached: Floats | None = None
        self._fresh_vote = True
        if self.record:
            self.trace_ = Trace(plan)
        elif hasattr(self, "trace_"):
            del self.trace_
        # Work space of `step`, which must not allocate more than it has to.
        self._row = np.zeros((1, n_features))
        self._log = np.zeros((1, rounds.LOG_WIDTH))
        self._chunk: Chunk | None = None

    def _new_run(self, n_features: int) -> Run:
        plan, rows = self._current, self._n_rows()
        bias = 1.0 if self.fit_intercept else 0.0
        average = self.conversion == "average"
        if LinearRun.covers(plan):
            return LinearRun(plan, rows, n_features, bias=bias, average=average)
        return GeneralRun(plan, rows, n_features, bias=bias, average=average, rng=self._rng)

    def _play(self, chunk: Chunk, log: Floats | None = None) -> None:
        """Play the rounds of a chunk, watched by the conversion."""
        self._cached = self._chosen = None
        order = chunk.order
        if log is None:
            log = np.empty((len(order), rounds.LOG_WIDTH)) if self.record else _NO_LOG
        if self.conversion == "random":
            self._play_drawing(chunk, order, log)
        elif self.conversion == "vote":
            self._play_voting(chunk, order, log)
        else:
            self._run.play(chunk, order, log)
        if self.record:
            self._remember(chunk, order, log)

    def _play_drawing(self, chunk: Chunk, order: Indices, log: Floats) -> None:
        """Keep the hypothesis before each round with probability one over its number."""
        before = int(self._run.counts[0])
        draws = self._rng.random(len(order)) * np.arange(before + 1, before + 1 + len(order)) < 1.0
        kept = np.flatnonzero(draws)
        cut = int(kept[-1]) if len(kept) else 0
        if cut:
            self._run.play(chunk, order[:cut], log[:cut])
        if len(kept):
            self._drawn = self._run.hypothesis()
        self._run.play(chunk, order[cut:], log[cut:])

    def _play_voting(self, chunk: Chunk, order: Indices, log: Floats) -> None:
        """Keep every hypothesis with the number of rounds it was used in."""
        at = 0
        steady = isinstance(self._current.update.tuning, FixedTuning)
        while at < len(order):
            if self._fresh_vote:
                self._votes.append((self._run.hypothesis(), 0))
                self._fresh_vote = False
            updates = int(self._run.counts[2])
            # With a c that changes from round to round so does the hypothesis.
            end = len(order) if steady else at + 1
            played = self._run.play(chunk, order[at:end], log[at:end], stop=True)
            weights, count = self._votes[-1]
            self._votes[-1] = (weights, count + played)
            self._fresh_vote = not steady or int(self._run.counts[2]) > updates
            at += played

    def _remember(self, chunk: Chunk, order: Indices, log: Floats) -> None:
        """Add rounds to the trace."""
        columns = {
            "cost": log[:, rounds.LOG_COST],
            "loss": log[:, rounds.LOG_LOSS],
            "tau": log[:, rounds.LOG_ALPHA] * log[:, rounds.LOG_SCALE],
            "alpha": log[:, rounds.LOG_ALPHA],
            "c": log[:, rounds.LOG_C],
            "norm": log[:, rounds.LOG_NORM],
            "target": log[:, rounds.LOG_TARGET],
            "dual": log[:, rounds.LOG_DUAL],
        }
        self.trace_.extend(columns, self._directions(chunk, order, log[:, rounds.LOG_OTHER]))

    def _directions(self, chunk: Chunk, order: Indices, other: Floats) -> list[Floats]:
        rows = self._run.rows
        found = []
        for row, code in zip(order, other, strict=True):
            x = self._instance(chunk.X, int(row))
            if rows == 1:
                found.append(code * x)
                continue
            direction = np.zeros((rows, len(x)))
            if code >= 0.0:
                good, wrong = divmod(int(code), rows)
                direction[good], direction[wrong] = x, -x
            found.append(direction.ravel())
        return found

    def _instance(self, X: Any, row: int) -> Floats:
        """Return a row as the learner sees it, with the constant if there is one."""
        if isinstance(self._run, GeneralRun):
            return self._run.instance(X, row)
        dense = X[row] if isinstance(X, np.ndarray) else X[[row]].toarray()[0]
        return np.append(dense, 1.0) if self.fit_intercept else np.array(dense, dtype=np.float64)

    def _hypothesis(self) -> Floats:
        """Return the weights that predict [shape=(rows, d + 1)], made when they are needed."""
        if self._cached is None:
            if self._chosen is not None:
                self._cached = self._chosen
            elif self.conversion == "average":
                self._cached = self._run.mean()
            elif self.conversion == "random" and self._drawn is not None:
                self._cached = self._drawn
            else:
                self._cached = self._run.hypothesis()
        return self._cached

    def _fit_epochs(self, chunk: Chunk, n: int, n_features: int) -> None:
        """Go through the examples as often as asked, with the conversions that need them all."""
        rng = self._rng
        if self.conversion == "validation":
            self._fit_restarts(chunk, n, n_features)
            return
        best, least = None, np.inf
        for _ in range(int(self.epochs)):
            order = rng.permutation(n) if self.shuffle else np.arange(n)
            if self.conversion != "best":
                chunk.order = order
                self._play(chunk)
                continue
            begin = 0
            for end in block_ends(n, _BLOCKS):
                chunk.order = order[begin:end]
                self._play(chunk)
                cost = self._error(chunk, np.arange(n), self._run.hypothesis())
                if cost < least:
                    best, least = self._run.hypothesis(), cost
                begin = end
        self._chosen = best
        self._cached = None

    def _fit_restarts(self, chunk: Chunk, n: int, n_features: int) -> None:
        """Learn afresh on each of some blocks, draw a hypothesis of each, and hold a contest.

        Shalev-Shwartz, Theorem 12, with the blocks it means. The state after is that of the last.
        """
        held = max(1, round(self.validation_fraction * n))
        if n - held < 1:
            raise ParameterError(f"{n} examples are too few for conversion='validation'.")
        order = self._rng.permutation(n) if self.shuffle else np.arange(n)
        contest, rest = order[:held], order[held:]
        n_blocks = min(_BLOCKS, len(rest))
        size = len(rest) // n_blocks  # what is left over is dropped
        best, least = None, np.inf
        total = np.zeros(4, dtype=np.int64)
        for i in range(n_blocks):
            self._run = self._new_run(n_features)
            block = rest[i * size : (i + 1) * size]
            cut = int(self._rng.integers(size))
            chunk.order = block[:cut]
            self._play(chunk)
            candidate = self._run.hypothesis()
            chunk.order = block[cut:]
            self._play(chunk)
            total += self._run.counts
            cost = self._error(chunk, contest, candidate)
            if cost < least:
                best, least = candidate, cost
        self._run.counts[:] = total
        self._chosen, self._cached = best, None

    def _error(self, chunk: Chunk, which: Indices, weights: Floats) -> float:
        """Return the mean error of given weights on some rows of a chunk."""
        raise NotImplementedError

    def _cycle(self, X: Any, y: Any, threshold: float, max_updates: int) -> bool:
        """Pass over the examples until no loss is above a threshold; see `cycle_until`."""
        chunk = self._stream_chunk(X, y)
        run = self._run
        assert isinstance(run, LinearRun)
        run.rule[rounds.THRESHOLD] = threshold
        try:
            while run.counts[2] < max_updates:
                updates = int(run.counts[2])
                self._play(chunk)
                if run.counts[2] == updates:
                    return True
            return False
        finally:
            run.rule[rounds.THRESHOLD] = 0.0

    def _stream_chunk(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Chunk:
        """Check examples of a stream, and begin a run if there is none."""
        raise NotImplementedError

    def _stream_only(self) -> None:
        if self.conversion in ("best", "validation"):
            raise ParameterError(
                f"conversion={self.conversion!r} needs all examples at once: call fit, or use "
                "last, average, random or vote."
            )

    # What is known ----------------------------------------------------------------------------

    @property
    def n_rounds_(self) -> int:
        """Rounds played."""
        check_is_fitted(self, "n_features_in_")
        return int(self._run.counts[0])

    @property
    def n_mistakes_(self) -> int:
        """Rounds with a wrong prediction; of a regressor, with a loss."""
        check_is_fitted(self, "n_features_in_")
        return int(self._run.counts[1])

    @property
    def n_updates_(self) -> int:
        """Rounds that moved the weights."""
        check_is_fitted(self, "n_features_in_")
        return int(self._run.counts[2])

    @property
    def cumulative_loss_(self) -> float:
        """Sum over the rounds of ``[target - <w, a>]_+``."""
        check_is_fitted(self, "n_features_in_")
        return self._run.loss

    @property
    def dual_objective_(self) -> float:
        """Dual objective after the last round.

        Never more than ``c f(u) + sum of the losses of u``, for any u: how well anything could
        do on these examples. Lost in ``conversion="validation"``, which restarts.
        """
        check_is_fitted(self, "n_features_in_")
        return self._run.dual

    def mistake_bound(self, u: npt.ArrayLike) -> float:
        """Bound the mistakes made so far by the losses of a fixed u.

        Parameters
        ----------
        u : array_like [shape=(rows * (d + 1),)]
            Weights of each class, or of the only score, the intercept last; without the
            intercepts where `fit_intercept` is False.

        Returns
        -------
        float

        Raises
        ------
        ParameterError
            Where the run was not recorded, or no theorem bounds mistakes of this learner.
        """
        if self._current.regression:
            raise ParameterError("a regressor makes no mistakes; use regret_bound.")
        trace = self._trace()
        for bound in ("Cor 7", "Cor 5", "Cor 6", "Thm 6", "Thm 7", "Eq 5.2", "PA-I"):
            try:
                return certify(trace, bound, u).right / (
                    self._current.margin if bound == "Eq 5.2" else 1.0
                )
            except ParameterError as error:
                if "the bound is about" not in str(error) or "f(u)" in str(error):
                    raise
        # PA and PA-II: every mistake has a loss of at least the margin.
        for bound in ("multiplicative", "PA", "PA-II"):
            try:
                return certify(trace, bound, u).right / self._current.margin**2
            except ParameterError as error:
                if "the bound is about" not in str(error):
                    raise
        raise ParameterError(f"no theorem bounds the mistakes of {self}.")

    def regret_bound(self, u: npt.ArrayLike) -> float:
        """Bound the regret against a fixed u: Lemma 2, or Lemma 1 with a fixed c.

        Parameters
        ----------
        u : array_like
            As in `mistake_bound`.

        Returns
        -------
        float
            At least the sum of the losses so far minus that of u; for a conservative learner,
            of those in mistaken rounds.
        """
        trace = self._trace()
        certificate = certify(trace, "Lemma 2", u)
        losses = trace.losses_of(u)
        curvature = self._current.update.slack.curvature
        if curvature > 0.0:
            losses = losses**2 / (2.0 * curvature)
        if self._current.update.conservative:
            losses = losses[trace.cost > 0.0]
        return certificate.right - float(losses.sum())

    def _trace(self) -> Trace:
        check_is_fitted(self, "n_features_in_")
        if not hasattr(self, "trace_"):
            raise ParameterError("bounds need the rounds: construct the learner with record=True.")
        return self.trace_

    # Predicting -------------------------------------------------------------------------------

    @property
    def coef_(self) -> Floats:
        """Weights that predict [shape=(rows, d)], or [shape=(d,)] of a regressor."""
        check_is_fitted(self, "n_features_in_")
        return self._hypothesis()[:, :-1]

    @property
    def intercept_(self) -> Floats:
        """Intercepts that predict [shape=(rows,)]."""
        check_is_fitted(self, "n_features_in_")
        return self._hypothesis()[:, -1]

    def _examples(self, X: Any) -> Any:
        check_is_fitted(self, "n_features_in_")
        return validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            reset=False,
        )

    def _step_chunk(self, x: npt.ArrayLike, y: Any) -> Chunk:
        """Return a chunk of one example, in work space."""
        chunk = self._chunk
        if chunk is None:
            chunk = self._chunk = Chunk(
                self._row, self._step_targets(), self._no_relevant(), _NO_WEIGHTS, np.arange(1)
            )
        self._row[0] = x
        chunk.y[0] = y
        return chunk

    def _step_targets(self) -> npt.NDArray[Any]:
        return np.zeros(1)

    def _no_relevant(self) -> npt.NDArray[np.bool_]:
        return np.zeros((0, self._run.rows), dtype=np.bool_)

    def _step(self, chunk: Chunk) -> list[float]:
        """Play the round of a chunk of one; return its row of the log."""
        self._play(chunk, self._log)
        row: list[float] = self._log[0].tolist()
        return row

    def _round(self, prediction: Any, row: list[float]) -> Round:
        alpha = row[rounds.LOG_ALPHA]
        return Round(
            prediction,
            row[rounds.LOG_LOSS],
            alpha * row[rounds.LOG_SCALE],
            alpha > 0.0,
            row[rounds.LOG_COST],
            alpha,
            row[rounds.LOG_C],
            row[rounds.LOG_NORM],
            row[rounds.LOG_TARGET],
            row[rounds.LOG_DUAL],
        )


class FlatClassifier(ClassifierMixin, FlatLearner):  # type: ignore[misc]
    """An online classifier; the base class of all flat ones."""

    classes_: npt.NDArray[Any]

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from scratch, in `epochs` passes.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Examples; float32 is not converted.
        y : array_like [shape=(m,)], or [shape=(m, K)] of 0 and 1
            Classes, or the relevant labels of each example.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range or a single class.
        """
        X, y = self._validate(X, y, reset=True)
        classes = np.arange(y.shape[1]) if y.ndim == 2 else sorted_labels(y)
        if len(classes) < 2:
            raise ParameterError(
                f"y has 1 class, {classes.tolist()}, must have 2 classes or more; a stream that "
                "begins with one class only can go to partial_fit."
            )
        self._open(X.shape[1], classes, labels=y.ndim == 2)
        m = X.shape[0]
        self._fit_epochs(self._to_chunk(X, y, None), m, X.shape[1])
        self._hypothesis()
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Cutting a stream into calls changes nothing, where the classes are known from the start.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Examples.
        y : array_like [shape=(m,)], or [shape=(m, K)] of 0 and 1
            Classes, or the relevant labels of each example. New classes may come at any time;
            nothing is learned while there is only one.
        classes : array_like, optional
            Labels that are to come. A class that is known takes part as a wrong one from then on.
        sample_weight : array_like [shape=(m,)], optional
            Multiplies the loss of an example, and with it the largest step. It has no effect on
            hard constraints (PA), except that an example of weight 0 is left out. `fit` takes no
            weights: an online learner that sees an example once with weight 2 does not end where
            one that sees it twice does.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range, or another width than before.
        """
        self._play_or_idle(self._stream_chunk(X, y, classes, sample_weight))
        self._hypothesis()
        return self

    def _stream_chunk(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Chunk:
        self._stream_only()
        first = not hasattr(self, "n_features_in_")
        X, y = self._validate(X, y, reset=first)
        labels = y.ndim == 2
        found = np.arange(y.shape[1]) if labels else sorted_labels(y)
        if classes is not None:
            found = np.unique(np.concatenate([np.asarray(classes), found]))
        if first:
            self._open(X.shape[1], found, labels=labels)
        else:
            self._admit(found, labels=labels)
        return self._to_chunk(X, y, sample_weight)

    def step(self, x: npt.ArrayLike, y: Any) -> Round:
        """Play one round of a stream, without checks of x.

        Parameters
        ----------
        x : array_like [shape=(d,)]
            Finite numbers.
        y : label, or array_like of bool [shape=(K,)]
            The class; a new one is admitted. Or the relevant labels.

        Returns
        -------
        Round
            Its prediction was made before the label was seen.
        """
        relevant = None
        if isinstance(y, np.ndarray | list | tuple):
            relevant, code = np.asarray(y, dtype=np.bool_), -1.0
        if not hasattr(self, "n_features_in_"):
            found = np.array([y]) if relevant is None else np.arange(relevant.size)
            width = int(np.size(x))
            self._open(width, found, labels=relevant is not None)
            self.n_features_in_ = width
        if relevant is None:
            known = self._codes.get(y)
            if known is None:
                self._admit(np.array([y]), labels=False)
                known = self._codes[y]
            code = known
        chunk = self._step_chunk(x, code)
        if relevant is not None:
            chunk.relevant = relevant[None, :]
        if len(self._names) == 1:
            self._run.idle(1)
            row = [0.0] * rounds.LOG_WIDTH
            return self._round(self._names[0], row)
        row = self._step(chunk)
        best = int(row[rounds.LOG_CODE])
        return self._round(self._names[(best > 0) if self._run.rows == 1 else best], row)

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each class; of two classes, how much the second is ahead.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)] for two classes, else [shape=(m, K)]
            With ``conversion="vote"`` the share of the votes, of two classes their difference.
        """
        X = self._examples(X)
        if self.conversion == "vote" and self._votes:
            return self._ballot(X)
        scores = _scores(X, self._hypothesis())
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each example, the best label where there are several.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)]
            A score of 0 is the second of two classes; among more, a tie is the first of the best.
        """
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            codes = np.zeros(len(scores), dtype=np.intp)
        elif scores.ndim == 1:
            codes = (scores >= 0.0).astype(np.intp)
        else:
            codes = np.argmax(scores, axis=1)
        predicted: npt.NDArray[Any] = self.classes_[codes]
        return predicted

    def _ballot(self, X: Any) -> Floats:
        total = np.zeros((X.shape[0], self._run.rows))
        rows = np.arange(X.shape[0])
        for weights, count in self._votes:
            scores = _scores(X, weights)
            if scores.shape[1] == 1:
                total[:, 0] += count * np.where(scores[:, 0] >= 0.0, 1.0, -1.0)
            else:
                total[rows, np.argmax(scores, axis=1)] += count
        total /= sum(count for _, count in self._votes)
        return total[:, 0] if total.shape[1] == 1 else total

    def _error(self, chunk: Chunk, which: Indices, weights: Floats) -> float:
        scores = _scores(chunk.X[which], weights)
        y = chunk.y[which]
        if scores.shape[1] == 1:
            return float(np.mean(np.where(scores[:, 0] >= 0.0, 1.0, -1.0) != y))
        best = np.argmax(scores, axis=1)
        if len(chunk.relevant):
            return float(np.mean(~chunk.relevant[which, best]))
        return float(np.mean(best != y))

    # Classes ----------------------------------------------------------------------------------

    def _n_rows(self) -> int:
        return 1 if len(self.classes_) <= 2 and not self._multilabel else len(self.classes_)

    def _open(self, n_features: int, classes: npt.NDArray[Any], *, labels: bool) -> None:
        """Begin a run with these classes."""
        self.classes_ = classes
        self._multilabel = labels
        self._name_classes()
        self._begin(n_features)

    def _name_classes(self) -> None:
        self._names = self.classes_.tolist()
        two = len(self._names) == 2 and not self._multilabel
        numbers = (-1.0, 1.0) if two else range(len(self._names))
        self._codes = dict(zip(self._names, numbers, strict=True))

    def _admit(self, found: npt.NDArray[Any], *, labels: bool) -> None:
        """Make room for new classes; nothing is known of them."""
        if labels != self._multilabel:
            raise ParameterError(
                "y has classes in one call and sets of labels in another; keep to one of them."
            )
        if labels and len(found) != len(self.classes_):
            raise ParameterError(
                f"y has {len(found)} labels, must have {len(self.classes_)} as before."
            )
        if all(name in self._codes for name in found.tolist()):
            return
        if self.record and self._run.counts[0]:
            raise ParameterError(
                "new classes in a recorded run, whose directions would differ in length; announce "
                "all classes in the first call."
            )
        merged = np.union1d(self.classes_, found)
        places = np.searchsorted(merged, self.classes_)
        self.classes_ = merged
        self._name_classes()
        rows = self._n_rows()
        self._run.grow(rows, places)
        self._votes = [(_spread(w, rows, places), n) for w, n in self._votes]
        if self._drawn is not None:
            self._drawn = _spread(self._drawn, rows, places)
        self._cached = self._chunk = None

    def _step_targets(self) -> npt.NDArray[Any]:
        return np.zeros(1) if self._run.rows == 1 else np.zeros(1, dtype=np.int64)

    def _play_or_idle(self, chunk: Chunk) -> None:
        if len(self.classes_) == 1:
            self._run.idle(len(chunk.order))
            self._cached = None
        else:
            self._play(chunk)

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        if y is None:
            raise ParameterError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            multi_output=True,
            reset=reset,
        )
        if y.ndim == 2 and y.shape[1] == 1:
            y = _column(y)
        if y.dtype.kind not in "biuUS":
            check_classification_targets(y)
        return _canonical(X), y

    def _to_chunk(self, X: Any, y: npt.NDArray[Any], sample_weight: Any) -> Chunk:
        rows = self._n_rows()
        relevant = np.zeros((0, rows), dtype=np.bool_)
        targets: npt.NDArray[Any]
        if y.ndim == 2:
            if not np.isin(y, (0, 1)).all():
                raise ParameterError("y must hold 0 and 1 where it has a column for each label.")
            relevant, targets = np.ascontiguousarray(y != 0), np.full(len(y), -1, dtype=np.int64)
        else:
            codes = label_codes(y, self.classes_)
            targets = 2.0 * codes - 1.0 if rows == 1 else codes
        weights, order = _weights(sample_weight, X)
        return Chunk(X, targets, relevant, weights, order)


class FlatRegressor(RegressorMixin, FlatLearner):  # type: ignore[misc]
    """An online regressor; the base class of all flat ones."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from scratch, in `epochs` passes.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Examples; float32 is not converted.
        y : array_like [shape=(m,)]
            Numbers.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range.
        """
        X, y = self._validate(X, y, reset=True)
        self._begin(X.shape[1])
        self._fit_epochs(self._to_chunk(X, y, None), X.shape[0], X.shape[1])
        self._hypothesis()
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Examples.
        y : array_like [shape=(m,)]
            Numbers.
        sample_weight : array_like [shape=(m,)], optional
            Multiplies the loss of an example; see the classifiers.

        Returns
        -------
        self
        """
        self._play(self._stream_chunk(X, y, sample_weight=sample_weight))
        self._hypothesis()
        return self

    def _stream_chunk(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Chunk:
        self._stream_only()
        first = not hasattr(self, "n_features_in_")
        X, y = self._validate(X, y, reset=first)
        if first:
            self._begin(X.shape[1])
        return self._to_chunk(X, y, sample_weight)

    def step(self, x: npt.ArrayLike, y: float) -> Round:
        """Play one round of a stream, without checks.

        Parameters
        ----------
        x : array_like [shape=(d,)]
            Finite numbers.
        y : float
            The number to predict.

        Returns
        -------
        Round
            Its prediction was made before y was seen.
        """
        if not hasattr(self, "n_features_in_"):
            width = int(np.size(x))
            self._begin(width)
            self.n_features_in_ = width
        row = self._step(self._step_chunk(x, y))
        return self._round(row[rounds.LOG_CODE], row)

    def predict(self, X: Any) -> Floats:
        """Return the prediction of each example.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)]
        """
        X = self._examples(X)
        return _scores(X, self._hypothesis())[:, 0]

    @property
    def coef_(self) -> Floats:
        """Weights that predict [shape=(d,)]."""
        check_is_fitted(self, "n_features_in_")
        return self._hypothesis()[0, :-1]

    @property
    def intercept_(self) -> float:  # type: ignore[override]
        """Intercept that predicts."""
        check_is_fitted(self, "n_features_in_")
        return float(self._hypothesis()[0, -1])

    def _begin(self, n_features: int) -> None:
        if self.conversion == "vote":
            raise ParameterError("conversion='vote' is for classifiers; numbers are averaged.")
        super()._begin(n_features)
        if isinstance(self._current.update.tuning, MistakeTuning | SelfTuning):
            raise ParameterError(
                f"tuning={self._current.update.tuning} counts mistakes, which a regressor does "
                "not make; use RunningTuning or LossTuning."
            )

    def _error(self, chunk: Chunk, which: Indices, weights: Floats) -> float:
        return float(np.abs(_scores(chunk.X[which], weights)[:, 0] - chunk.y[which]).mean())

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Floats]:
        if y is None:
            raise ParameterError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            y_numeric=True,
            reset=reset,
        )
        return _canonical(X), np.array(y, dtype=np.float64)  # a copy is never read-only

    def _to_chunk(self, X: Any, y: Floats, sample_weight: Any) -> Chunk:
        weights, order = _weights(sample_weight, X)
        return Chunk(X, y, np.zeros((0, 1), dtype=np.bool_), weights, order)


def _scores(X: Any, weights: Floats) -> Floats:
    scores: Floats = np.asarray(X @ weights[:, :-1].T, dtype=np.float64)
    return scores + weights[:, -1]


def _spread(weights: Floats, rows: int, places: Indices) -> Floats:
    """Return weights with room for more classes, as `LinearRun.grow` does."""
    if rows == 1:
        return weights
    spread = np.zeros((rows, weights.shape[1]))
    if len(weights) == len(places):
        spread[places] = weights
    elif len(weights) == 1 and len(places) == 2:
        spread[places[0]], spread[places[1]] = -weights[0] / 2.0, weights[0] / 2.0
    return spread


def _canonical(X: Any) -> Any:
    """Return CSR with 32-bit indices where they fit, each of them once in a row."""
    if isinstance(X, np.ndarray):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype != np.int32 and X.nnz < 2**31 and X.shape[1] < 2**31:
        X = sp.csr_array(
            (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape
        )
    return X


def _weights(sample_weight: Any, X: Any) -> tuple[Floats, Indices]:
    """Return the weights, none where all are 1, and the rows that have one."""
    m = X.shape[0]
    if sample_weight is None:
        return _NO_WEIGHTS, np.arange(m)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(m, float(weights))
    if weights.shape != (m,):
        raise ParameterError(f"sample_weight.shape={weights.shape}, must be (m,)=({m},).")
    if not (np.isfinite(weights).all() and (weights >= 0.0).all()):
        raise ParameterError("sample_weight must be finite and not negative.")
    return np.ascontiguousarray(weights), np.flatnonzero(weights > 0.0)


def _column(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    from sklearn.utils.validation import column_or_1d

    flat: npt.NDArray[Any] = column_or_1d(y, warn=True)
    return flat
