"""The passive-aggressive learner of one class: a centre that follows the examples.

A round loses ``l = [|x - w| - epsilon]_+`` and moves the centre by tau towards x, tau as in
`align.learners.flat.passive_aggressive` for the direction ``a = (x - w) / |x - w|`` of length 1.

References
----------
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.flat._runs import Chunk, blocks, no_relevant
from align.learners.flat._uniclass import Centred, distance, play_centre
from align.learners.parts import step_limits
from align.learners.parts.estimators import CountedRounds
from align.learners.parts.named_update import NamedUpdate
from align.learners.parts.parameters import NO_WEIGHTS, not_negative, one_row
from align.learners.parts.shapes import check_array
from align.learners.theory import Round
from align.types import Float64, IntArray

# What a trace has of the log: cost, loss, tau, norm and target, which is the loss here.
_COLUMNS = [core.LOG_COST, core.LOG_LOSS, core.LOG_ALPHA, core.LOG_NORM, core.LOG_LOSS]


@dataclass(eq=False, repr=False)
class PassiveAggressiveUniclass(NamedUpdate, CountedRounds, Centred):
    """Passive-aggressive learner of one class: a centre within `epsilon` of every example.

    Source: Crammer et al. 2003, Figure 1 and Theorem 1; PA-I and PA-II: Behuet 2007 (slides).

    Parameters
    ----------
    update : {"pa1", "pa", "pa2"}
    C : float, default 1
        Aggressiveness of "pa1" and "pa2", positive.
    epsilon : float, default 1
        Distance within which nothing is lost, not negative; in units of x.
    average : bool, default False
        Report the mean of the centres before each round, from the second on, instead of the last.
    epochs : int, default 1
        Passes of `fit`.
    shuffle : bool, default True
        Whether `fit` draws a new order for each pass.
    record : bool, default False
        Keep every round in `trace_`.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the orders.
    variant : str, optional
        What 0.1.0 called `update`; it still works, with a warning.

    Attributes
    ----------
    center_ : np.ndarray [shape=(d,)]
        w. It stays within the convex hull of the examples.
    offset_ : float
        ``-epsilon``: what scikit-learn subtracts from `score_samples`.
    n_rounds_, n_mistakes_, n_updates_ : int
        The first example is a round without loss, where the centre begins.
    cumulative_loss_, cumulative_squared_loss_ : float
        Sums over the rounds.
    trace_ : Trace
        The rounds so far, where `record` is set; `target` and `loss` are the same.
    n_features_in_ : int

    Examples
    --------
    >>> model = PassiveAggressiveUniclass("pa", epsilon=1.0, shuffle=False)
    >>> model.fit([[0.0, 0.0], [3.0, 0.0]]).center_
    array([2., 0.])
    >>> model.predict([[2.5, 0.0], [0.0, 0.0]]).tolist()
    [1, -1]
    """

    update: str = "pa1"
    C: float = 1.0
    _: KW_ONLY
    average: bool = False

    def step(self, x: npt.ArrayLike, y: Any = None) -> Round:
        """Play one round of a stream.

        Parameters
        ----------
        x : array_like [shape=(d,)]
            Finite numbers.
        y : object, optional
            Ignored.

        Returns
        -------
        Round
            Its prediction is the distance of x from the centre before the round.

        Raises
        ------
        ParameterError
            For another number of features, numbers that are not finite, or an overflow.
        """
        x = one_row(x, self)
        if not hasattr(self, "n_features_in_"):
            self.n_features_in_ = len(x)
            self._open(len(x))
        self._row[0] = x
        self._kernel(self._row, self._first, self._log)
        row = self._log[0].tolist()
        loss, tau, norm = row[core.LOG_LOSS], row[core.LOG_ALPHA], row[core.LOG_NORM]
        return self._entry(row[core.LOG_CODE], loss, tau, float(loss > 0.0), norm, loss)

    @property
    def center_(self) -> Float64:
        """The centre [shape=(d,)]."""
        check_is_fitted(self, "n_features_in_")
        n = int(self._counts[0]) - 1  # the first example is no prediction
        if not self._averages or n < 1:
            return self._w.copy()
        return self._w - self._total / n

    def _played(self) -> npt.NDArray[np.int64]:
        check_is_fitted(self, "n_features_in_")
        return self._counts

    @property
    def cumulative_loss_(self) -> float:
        """Sum over the rounds of ``[|x - w| - epsilon]_+``."""
        check_is_fitted(self, "n_features_in_")
        return float(self._sums[core.LOSS])

    @property
    def cumulative_squared_loss_(self) -> float:
        """Sum over the rounds of the squared loss."""
        check_is_fitted(self, "n_features_in_")
        return float(self._sums[core.PRICED])

    def squared_loss_bound(self, u: npt.ArrayLike, X: Any) -> float:
        """Bound the sum of the squared losses on a stream by the losses of a fixed u.

        Parameters
        ----------
        u : array_like [shape=(d,)]
            Another centre.
        X : array_like [shape=(m, d)]
            The examples, in the order of the rounds.

        Returns
        -------
        float
            ``(1 + 1/2C) (|u - w_1|^2 + 2 C sum l_t(u)^2)`` for PA-II; for PA ``|u - w_1|^2``
            where u has no loss, else infinite; infinite for PA-I, which has no such bound.
        """
        X = np.asarray(X, dtype=np.float64)
        centre = np.asarray(u, dtype=np.float64)
        losses = np.maximum(distance(X[1:], centre) - self.epsilon, 0.0)
        squares = float((losses**2).sum())
        start = float(((centre - X[0]) ** 2).sum())
        update = self._update_name()
        if update == "pa2":
            return (1.0 + 0.5 / self.C) * (start + 2.0 * self.C * squares)
        return start if update == "pa" and squares == 0.0 else math.inf

    def _begin(self, n_features: int) -> None:
        self._largest, self._curvature = step_limits(self._update_name(), self.C)
        not_negative(self.epsilon, "epsilon")
        self._averages = bool(self.average)
        self._w, self._total = np.zeros(n_features), np.zeros(n_features)
        self._counts, self._sums = np.zeros(4, dtype=np.int64), np.zeros(core.N_SUMS)
        self._sums[core.C], self._sums[core.DUAL] = 1.0, math.nan
        self._row, self._first = np.zeros((1, n_features)), np.arange(1)
        self._log = np.zeros((1, core.LOG_WIDTH))

    def check_shapes(self) -> None:
        """Raise `ModelError` unless the arrays are as long as kernels take them to be."""
        if hasattr(self, "_w"):
            d = self.n_features_in_
            check_array("w", self._w, (d,))
            check_array("total", self._total, (d,))
            check_array("row", self._row, (1, d))
            check_array("log", self._log, (1, core.LOG_WIDTH))
            check_array("counts", self._counts, (4,), np.int64)
            check_array("sums", self._sums, (core.N_SUMS,))

    def _play(self, X: Any, order: IntArray, weights: Float64 = NO_WEIGHTS) -> None:
        chunk = Chunk(X, np.zeros(X.shape[0]), no_relevant(1), weights, order)
        for block in blocks(chunk, order, dense=True):
            self._kernel(block.X, block.order, weights=block.weights)
        if not np.isfinite(self._sums[core.PRICED] + self._w.sum()):
            raise ParameterError("the centre overflowed; scale the features to moderate values.")

    def _cycle(self, X: Any, y: Any, threshold: float, max_updates: int) -> bool:
        first = not hasattr(self, "n_features_in_")
        X = self._validate(X, reset=first)
        if first:
            self._open(X.shape[1])
        X = np.array(X) if isinstance(X, np.ndarray) else X.toarray()
        order = np.arange(len(X))
        while self._counts[2] < max_updates:
            updates = int(self._counts[2])
            self._kernel(X, order, threshold=threshold)
            if self._counts[2] == updates:
                return True
        return False

    def _kernel(
        self,
        X: Float64,
        order: IntArray,
        log: Float64 | None = None,
        threshold: float = 0.0,
        weights: Float64 = NO_WEIGHTS,
    ) -> None:
        records = hasattr(self, "trace_")
        if log is None:
            log = np.zeros((len(order) if records else 0, core.LOG_WIDTH))
        play_centre(
            X, order, self._w, self._total, self._epsilon, self._largest, self._curvature,
            threshold, self._averages, self._counts, self._sums, log, weights,
        )  # fmt: skip
        if records:
            self._remember(log[:, _COLUMNS])
