"""What the flat estimators share: a run started, fed, watched, and read.

An estimator says what it is made of (`_plan`). Its run is fed by ``fit``, ``partial_fit`` and
``step`` of its classifier or regressor, watched by the online-to-batch conversion, and read by
``predict``.
"""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.flat._facts import Facts
from align.learners.flat._general import GeneralRun
from align.learners.flat._linear import LinearRun
from align.learners.flat._link_run import LinkRun
from align.learners.flat._runs import Chunk, Run, instance, no_relevant
from align.learners.flat.run_certificate import columns_of
from align.learners.parts import FixedTuning, Plan, block_ends
from align.learners.parts.conversion import contest_parts, last_drawn
from align.learners.parts.estimators import VectorEstimator
from align.learners.parts.parameters import (
    NO_WEIGHTS,
    check_choice,
    check_share,
    check_whole,
    generator,
    orders,
    weighed,
)
from align.learners.parts.shapes import check_array, check_stored
from align.learners.theory import Round, Trace
from align.types import Float64, IntArray

NEED_ALL = ("best", "validation")  # conversions that need all examples at once
CONVERSIONS = ("last", "average", "random", "vote", *NEED_ALL)

_NO_LOG = np.zeros((0, core.LOG_WIDTH))


@dataclass(eq=False, repr=False, kw_only=True)
class FlatLearner(Facts, VectorEstimator):
    """An online learner of vectors; the base class of classifiers and regressors.

    Its fields are the constructor parameters that every learner has. A subclass adds its own, and
    the constructor that `dataclass` writes stores them all, as scikit-learn asks for.
    """

    fit_intercept: bool = True
    conversion: str = "last"
    epochs: int = 1
    shuffle: bool = True
    validation_fraction: float = 0.1
    n_candidates: int = 10
    record: bool = False
    random_state: Any = 0

    # What a subclass says ---------------------------------------------------------------------

    def _plan(self, n_weights: int) -> Plan:
        """Return what the learner is made of; `n_weights` are those of one score."""
        raise NotImplementedError

    def _n_rows(self) -> int:
        return 1

    # A run ------------------------------------------------------------------------------------

    def _begin(self, n_features: int) -> None:
        """Forget everything and make ready for rounds."""
        check_choice(self.conversion, "conversion", CONVERSIONS)
        check_whole(self.epochs, "epochs")
        check_share(self.validation_fraction, "validation_fraction")
        check_whole(self.n_candidates, "n_candidates")
        self._began = SimpleNamespace(
            conversion=self.conversion, record=self.record, fit_intercept=self.fit_intercept
        )
        self._current = plan = self._plan(n_features + bool(self.fit_intercept))
        self._rng = generator(self.random_state)
        self._run: Run = self._new_run(n_features)
        self._drawn: Float64 | None = None
        self._votes: list[tuple[Float64, int]] = []
        self._chosen: Float64 | None = None
        self._cached: Float64 | None = None
        self._fresh_vote = True
        if self.record:
            self.trace_ = Trace(plan, rows=self._n_rows())
        elif hasattr(self, "trace_"):
            del self.trace_
        # Work space of `step`, which must not allocate more than it has to.
        self._log = np.zeros((1, core.LOG_WIDTH))
        self._chunk: Chunk | None = None

    def check_shapes(self) -> None:
        """Raise `ModelError` unless the run of a loaded learner is one of this learner."""
        if not hasattr(self, "_run"):
            return
        width = self._run.n_features
        known = (self.n_features_in_, self._n_rows()) == (width, self._run.rows)
        check_stored(known, f"its run has {width} features and {self._run.rows} scores")
        check_array("log", self._log, (1, core.LOG_WIDTH))
        self._chunk = None

    def _new_run(self, n_features: int) -> Run:
        plan, rows = self._current, self._n_rows()
        bias = 1.0 if self._began.fit_intercept else 0.0
        average = self._began.conversion == "average"
        if LinearRun.covers(plan):
            return LinearRun(plan, rows, n_features, bias=bias, average=average)
        kind = LinkRun if LinkRun.covers(plan) else GeneralRun
        return kind(plan, rows, n_features, bias=bias, average=average, rng=self._rng)

    def _play(self, chunk: Chunk, log: Float64 | None = None) -> None:
        """Play the rounds of a chunk, watched by the conversion."""
        self._cached = self._chosen = None
        order = chunk.order
        if log is None:
            log = self._new_log(len(order))
        if self._began.conversion == "random":
            self._play_drawing(chunk, order, log)
        elif self._began.conversion == "vote":
            self._play_voting(chunk, order, log)
        else:
            self._run.play(chunk, order, log)
        if self._began.record:
            self._remember(chunk, order, log)

    def _new_log(self, n_rounds: int) -> Float64:
        return np.empty((n_rounds, core.LOG_WIDTH)) if self._began.record else _NO_LOG

    def _play_drawing(self, chunk: Chunk, order: IntArray, log: Float64) -> None:
        """Keep the hypothesis before each round with probability one over its number."""
        place = last_drawn(self._rng, int(self._run.counts[0]), len(order))
        if place is not None:
            self._drawn = self._play_around(chunk, order, log, place)
        else:
            self._run.play(chunk, order, log)

    def _play_around(self, chunk: Chunk, order: IntArray, log: Float64, place: int) -> Float64:
        """Play rounds; return the hypothesis that one of them predicted with."""
        if place > 0:
            self._run.play(chunk, order[:place], log[:place])
        after = place + 1
        found = self._run.play_one(chunk, order[place:after], log[place:after])
        if after < len(order):
            self._run.play(chunk, order[after:], log[after:])
        return found

    def _play_voting(self, chunk: Chunk, order: IntArray, log: Float64) -> None:
        """Keep every hypothesis with the number of rounds it was used in."""
        if not isinstance(self._current.update.tuning, FixedTuning):
            # With a c that changes from round to round so does the hypothesis.
            for at in range(len(order)):
                weights = self._run.play_one(chunk, order[at : at + 1], log[at : at + 1])
                self._votes.append((weights, 1))
            return
        at = 0
        while at < len(order):
            self._open_vote()
            updates = int(self._run.counts[2])
            played = self._run.play(chunk, order[at:], log[at:], stop=True)
            self._count_votes(played)
            self._fresh_vote = int(self._run.counts[2]) > updates
            at += played

    def _open_vote(self) -> None:
        """Give the present hypothesis its place among those that vote."""
        if self._fresh_vote:
            self._votes.append((self._run.hypothesis(), 0))
            self._fresh_vote = False

    def _count_votes(self, n_rounds: int) -> None:
        """Count rounds of the present hypothesis."""
        weights, count = self._votes[-1]
        self._votes[-1] = (weights, count + n_rounds)

    def _idle(self, n_rounds: int) -> None:
        """Count rounds in which nothing can go wrong, at the beginning of a run."""
        self._cached = None
        if self._began.conversion == "random" and self._drawn is None and n_rounds:
            self._drawn = self._run.hypothesis()  # that of all of these rounds
        elif self._began.conversion == "vote" and n_rounds:
            self._open_vote()
            self._count_votes(n_rounds)
        self._run.idle(n_rounds)

    def _remember(self, chunk: Chunk, order: IntArray, log: Float64) -> None:
        """Add rounds to the trace."""
        self.trace_.extend(columns_of(log), self._directions(chunk, order, log[:, core.LOG_OTHER]))

    def _directions(self, chunk: Chunk, order: IntArray, other: Float64) -> list[Float64]:
        rows, bias = self._run.rows, float(bool(self._began.fit_intercept))
        found = []
        for row, code in zip(order, other, strict=True):
            x = instance(chunk.X, int(row), bias, self._current.doubled)
            if rows == 1:
                found.append(code * x)
                continue
            direction = np.zeros((rows, len(x)))
            if code >= 0.0:
                good, wrong = divmod(int(code), rows)
                direction[good], direction[wrong] = x, -x
            found.append(direction.ravel())
        return found

    def _hypothesis(self) -> Float64:
        """Return the weights that predict [shape=(rows, d + 1)], made when they are needed."""
        if self._cached is None:
            if self._chosen is not None:
                self._cached = self._chosen
            elif self._began.conversion == "average":
                self._cached = self._run.mean()
            elif self._began.conversion == "random" and self._drawn is not None:
                self._cached = self._drawn
            else:
                self._cached = self._run.hypothesis()
        return self._cached

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Learn from scratch."""
        X, y = self._validate(X, y, reset=True)
        weights, X, y = weighed(sample_weight, X, y)
        self._fit_begin(X.shape[1], y)
        self._fit_epochs(self._to_chunk(X, y, weights))
        self._hypothesis()
        return self

    def _fit_begin(self, n_features: int, y: npt.NDArray[Any]) -> None:
        """Begin a run with all that there is."""
        raise NotImplementedError

    def _fit_epochs(self, chunk: Chunk) -> None:
        """Go through the examples as often as asked, with the conversions that need them all."""
        if self._began.conversion == "validation":
            self._fit_restarts(chunk)
            return
        n, best, least = chunk.X.shape[0], None, np.inf
        for order in orders(self._rng, n, self.epochs, self.shuffle):
            if self._began.conversion != "best":
                chunk.order = order
                self._play(chunk)
                continue
            begin = 0
            for end in block_ends(n, int(self.n_candidates)):
                chunk.order = order[begin:end]
                self._play(chunk)
                cost = self._error(chunk, np.arange(n), self._run.hypothesis())
                if cost < least:
                    best, least = self._run.hypothesis(), cost
                begin = end
        self._chosen = best
        self._cached = None

    def _fit_restarts(self, chunk: Chunk) -> None:
        """Learn afresh on each of some blocks, draw a hypothesis of each, and hold a contest.

        Shalev-Shwartz, Theorem 12, with the blocks it means. The state after is that of the last.
        """
        n, n_features = chunk.X.shape
        order = self._rng.permutation(n) if self.shuffle else np.arange(n)
        contest, blocks = contest_parts(
            order, self.validation_fraction, int(self.n_candidates), "examples"
        )
        best, least = None, np.inf
        total = np.zeros(4, dtype=np.int64)
        for block in blocks:
            self._run = self._new_run(n_features)
            cut = int(self._rng.integers(len(block)))
            log = self._new_log(len(block))
            candidate = self._play_around(chunk, block, log, cut)
            if self._began.record:
                self._remember(chunk, block, log)
            total += self._run.counts
            cost = self._error(chunk, contest, candidate)
            if cost < least:
                best, least = candidate, cost
        self._run.counts[:] = total
        self._chosen, self._cached = best, None

    def _error(self, chunk: Chunk, which: IntArray, weights: Float64) -> float:
        """Return the mean error of given weights on some rows of a chunk, as these weigh."""
        errors = self._errors(chunk, which, weights)
        if not len(chunk.weights):
            return float(errors.mean())
        return float(np.average(errors, weights=chunk.weights[which]))

    def _errors(self, chunk: Chunk, which: IntArray, weights: Float64) -> npt.NDArray[Any]:
        """Return the error of given weights on each of some rows of a chunk."""
        raise NotImplementedError

    def _cycle(self, X: Any, y: Any, threshold: float, max_updates: int) -> bool:
        """Pass over the examples until no loss is above a threshold; see `cycle_until`."""
        chunk = self._stream_chunk(X, y)
        run = self._run
        assert isinstance(run, LinearRun)
        run.rule[core.THRESHOLD] = threshold
        try:
            while run.counts[2] < max_updates:
                updates = int(run.counts[2])
                self._play(chunk)
                if run.counts[2] == updates:
                    return True
            return False
        finally:
            run.rule[core.THRESHOLD] = 0.0

    def _stream_chunk(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Chunk:
        """Check examples of a stream, and begin a run if there is none."""
        if classes is None and sample_weight is None:
            chunk = self._plain_chunk(X, y)
            if chunk is not None:
                return chunk
        self._stream_only()
        first = not hasattr(self, "n_features_in_")
        X, y = self._validate(X, y, reset=first)
        self._meet(X.shape[1], y, classes, first=first)
        return self._to_chunk(X, y, sample_weight)

    def _plain_chunk(self, X: Any, y: Any) -> Chunk | None:
        """Return a chunk of one example, in work space, where it plainly needs no checks.

        A stream of such calls takes some microseconds for each, most of them for what is not
        learning. None where there is anything to check, or to begin.
        """
        return None

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        """Return examples and what they are labelled with, checked."""
        raise NotImplementedError

    def _meet(self, n_features: int, y: npt.NDArray[Any], classes: Any, *, first: bool) -> None:
        """Begin a run where these labels are the `first`, else make room for new ones."""
        raise NotImplementedError

    def _to_chunk(self, X: Any, y: npt.NDArray[Any], sample_weight: Any) -> Chunk:
        """Return checked examples, with labels as the rounds want them."""
        raise NotImplementedError

    def _stream_only(self) -> None:
        began: Any = getattr(self, "_began", self)
        conversion = began.conversion
        if conversion in NEED_ALL:
            raise ParameterError(
                f"conversion={conversion!r} needs all examples at once: call fit, or use "
                "last, average, random or vote."
            )

    # Predicting -------------------------------------------------------------------------------

    @property
    def coef_(self) -> Float64:
        """Weights that predict [shape=(rows, d)], or [shape=(d,)] of a regressor."""
        check_is_fitted(self, "n_features_in_")
        return self._hypothesis()[:, :-1]

    @property
    def intercept_(self) -> Float64:
        """Intercepts that predict [shape=(rows,)]."""
        check_is_fitted(self, "n_features_in_")
        return self._hypothesis()[:, -1]

    def _step_chunk(self, x: npt.ArrayLike, y: Any) -> Chunk:
        """Return a chunk of one example, in work space."""
        chunk = self._work_chunk()
        chunk.X[0], chunk.y[0] = x, y
        return chunk

    def _work_chunk(self) -> Chunk:
        """Return the work space of rounds that are played one by one."""
        if self._chunk is None:
            row, relevant = np.zeros((1, self._run.n_features)), no_relevant(self._run.rows)
            self._chunk = Chunk(row, np.zeros(1), relevant, NO_WEIGHTS, np.arange(1), plain=True)
        return self._chunk

    def _step(self, chunk: Chunk) -> list[float]:
        """Play the round of a chunk of one; return its row of the log."""
        self._play(chunk, self._log)
        row: list[float] = self._log[0].tolist()
        return row

    def _round(self, prediction: Any, row: list[float]) -> Round:
        _, loss, alpha, c, norm, target, dual, cost, _, scale = row
        tau, updated = alpha * scale, alpha > 0.0
        return Round(prediction, loss, tau, updated, cost, alpha, c, norm, target, dual)


def linear_scores(X: Any, weights: Float64) -> Float64:
    """Return the score of every example with every row of weights [shape=(m, rows)]."""
    scores: Float64 = np.asarray(X @ weights[:, :-1].T, dtype=np.float64)
    return scores + weights[:, -1]
