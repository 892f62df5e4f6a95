"""Progressive evaluation: every example is predicted, counted, and only then learned from.

With the counts come what the sources prove of them, and how far the learner is behind the best
fixed predictor of each window: where the source of the examples drifts, the predictor that is best
changes from window to window, and the regret of the windows shows how well the learner follows.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.flat._competitors import (
    MISTAKE_BOUNDS,
    SQUARED_BOUNDS,
    Constraints,
    best_certificate,
    competitors,
    constraints_of,
    least_loss,
)
from align.learners.flat._learner import FlatLearner
from align.learners.flat.dict_stream import DictStream
from align.learners.flat.run_certificate import as_mistakes, columns_of
from align.learners.theory import Certificate, Trace
from align.types import Float64


class Progress(NamedTuple):
    """How a learner has done so far; prints as one line.

    Attributes
    ----------
    rounds, mistakes : int
        Of this evaluation; of a regressor, a mistake is a round with a loss.
    loss : float
        Sum of the losses so far.
    window_mistakes : int
        Since the report before.
    window_regret : float
        Loss since the report before, less that of the best fixed predictor of these rounds that
        was found; it may be a little below 0 where the learner itself is better than that.
    bound : Certificate or None
        The bound on mistakes with the best competitor found so far; None where none holds.
    mistake_bound : float
        The same as a number of mistakes; NaN where there is none.
    """

    rounds: int
    mistakes: int
    loss: float
    window_mistakes: int
    window_regret: float
    bound: Certificate | None
    mistake_bound: float

    def __str__(self) -> str:
        text = (
            f"{self.rounds} rounds, {self.mistakes} mistakes "
            f"({self.mistakes / max(self.rounds, 1):.2%}), loss {self.loss:.6g}; "
            f"window: {self.window_mistakes} mistakes, regret {self.window_regret:.4g}"
        )
        if self.bound is None:
            return text
        vacuous = ", vacuous" if self.mistake_bound >= self.rounds else ""
        return f"{text}; {self.bound.bound}: at most {self.mistake_bound:.6g} mistakes{vacuous}"


def progressive(
    learner: FlatLearner | DictStream,
    stream: Iterable[tuple[Any, Any]],
    every: int = 1000,
    *,
    certify: bool = True,
) -> Iterator[Progress]:
    """Predict, count and learn each example; report after every so many, and at the end.

    Parameters
    ----------
    learner : classifier or regressor of `align.learners.flat`, or DictStream
        Learns. The bounds hold of runs from the start, so there are none if it has learned before.
    stream : iterable of (x, y)
        Arrays [shape=(d,)], or dicts for a `DictStream`.
    every : int, default 1000
        Rounds from one report to the next, which are the window.
    certify : bool, default True
        Look for the best competitor so far at every report. That keeps all examples, and takes
        longer with each report; without it, those of a window are kept.

    Yields
    ------
    Progress

    Raises
    ------
    ParameterError
        For another learner, or an `every` below 1.

    Notes
    -----
    The first class is known before the second: rounds until then are no rounds of learning, and
    count as right. Where a third class turns up later the run is not one that the bounds are
    about: there are none from then on, and the window begins anew.

    Examples
    --------
    The label turns round in the middle, and the windows show it:

    >>> from align.learners import PassiveAggressiveClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = (X[:, 0] > 0) ^ (np.arange(400) >= 200)
    >>> stream = ({"a": a, "b": b, "c": c} for a, b, c in X.tolist())
    >>> model = DictStream(PassiveAggressiveClassifier(C=0.1))
    >>> reports = list(progressive(model, zip(stream, y.tolist()), every=100))
    >>> int(np.argmax([report.window_regret for report in reports]))
    2
    """
    if isinstance(every, bool) or every < 1:
        raise ParameterError(f"every={every}, must be a whole number, at least 1.")
    if not isinstance(learner, DictStream | FlatLearner):
        raise ParameterError(
            f"learner is of type {type(learner).__name__}, must be a flat learner or a DictStream."
        )
    return _reports(_Kept(learner, certify), stream, int(every))


def _reports(kept: "_Kept", stream: Iterable[tuple[Any, Any]], every: int) -> Iterator[Progress]:
    played = 0
    for x, y in stream:
        kept.play(x, y)
        played += 1
        if played % every == 0:
            yield kept.report()
    if played % every:
        yield kept.report()


class _Kept:
    """What the reports are made of: the rows of the log, and the examples."""

    def __init__(self, learner: FlatLearner | DictStream, certify: bool) -> None:
        self.learner = learner
        self.flat: Any = learner.learner if isinstance(learner, DictStream) else learner
        self.fresh = certify and not hasattr(self.flat, "n_features_in_")
        self.rows = 0
        self.done = self.wrong = 0
        self.loss = 0.0
        self._forget()

    def _forget(self) -> None:
        self.log: list[Float64] = []
        self.values: list[Float64] = []
        self.columns: list[npt.NDArray[np.int64]] = []
        self.begin = 0

    def play(self, x: Any, y: Any) -> None:
        """Play a round and keep it."""
        entry = self.learner.step(x, y)
        rows = self.flat._run.rows
        if rows != self.rows:
            # Directions of before have another shape.
            self.fresh = self.fresh and self.rows == 0
            self._forget()
            self.rows = rows
        row = self.learner._log[0].copy() if entry.c > 0.0 else np.zeros(core.LOG_WIDTH)
        if entry.c <= 0.0 and rows > 1:
            row[core.LOG_OTHER] = -1.0
        columns, values = self._example(x)
        self.log.append(row)
        self.columns.append(columns)
        self.values.append(values)
        self.done += 1
        self.loss += entry.loss
        self.wrong += (entry.loss if self.flat._current.regression else entry.cost) > 0.0

    def _example(self, x: Any) -> tuple[npt.NDArray[np.int64], Float64]:
        """Return columns and values of an example."""
        if not isinstance(self.learner, DictStream):
            dense = np.asarray(x, dtype=np.float64)
            columns = np.flatnonzero(dense)
            return columns, dense[columns]
        return self.learner.entries(x)

    def report(self) -> Progress:
        """Return how it stands, and begin the next window."""
        log = np.array(self.log)
        constraints = self._constraints(log)
        window = slice(self.begin, len(log))
        losses = log[window, core.LOG_LOSS]
        wrong = losses if self.flat._current.regression else log[window, core.LOG_COST]
        regret = float(losses.sum()) - least_loss(constraints.part(window))
        bound, most = self._bound(log, constraints)
        self.begin = len(log)
        if not self.fresh:
            self._forget()
        return Progress(
            self.done, self.wrong, self.loss, int((wrong > 0.0).sum()), regret, bound, most
        )

    def _constraints(self, log: Float64) -> Constraints:
        width = self.flat.n_features_in_
        ends = np.concatenate([[0], np.cumsum([len(c) for c in self.columns])])
        columns = np.concatenate(self.columns)
        X = sp.csr_array((np.concatenate(self.values), columns, ends), shape=(len(log), width))
        X.sum_duplicates()
        bias, doubled = self.flat._began.fit_intercept, self.flat._current.doubled
        return constraints_of(X, log, self.rows, bias, doubled)

    def _bound(self, log: Float64, constraints: Constraints) -> tuple[Certificate | None, float]:
        plan = self.flat._current
        if not self.fresh or plan.regression or plan.multiplicative:
            return None, float("nan")
        trace = Trace(plan, constraints, rows=self.rows)
        trace.extend(columns_of(log), ())
        names = MISTAKE_BOUNDS + SQUARED_BOUNDS
        best = best_certificate(trace, names, competitors(constraints, plan))
        if best is None:
            return None, float("nan")
        return best[0], as_mistakes(best[0], plan.margin)
