"""Runs whose hypothesis is a multiple of the dual sum: the state around the kernels.

See `align.learners.flat._rounds` for the rounds.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.flat import _quick as quick
from align.learners.flat import _rounds as rounds
from align.learners.flat._runs import Chunk, Floats
from align.learners.parts import (
    Euclidean,
    EuclideanBall,
    FixedTuning,
    LossTuning,
    MistakeTuning,
    Plan,
    RunningTuning,
    SelfTuning,
    SqrtTuning,
    Tuning,
)

__all__ = ["TUNINGS", "LinearRun", "tuning_code"]

_NO_INDICES = np.zeros(0, dtype=np.int32)  # dense rows have none
_FEW = 16  # features, fewer than which a round reads those of all classes together


class LinearRun:
    """A run with `Euclidean` or `EuclideanBall`.

    Parameters
    ----------
    plan : Plan
        What to do; see `covers`.
    rows : int
        Number of scores.
    n_features : int
        d.
    bias : float
        Value of the constant feature; 0 for none.
    average : bool
        Whether `mean` will be asked for.
    """

    def __init__(
        self, plan: Plan, rows: int, n_features: int, *, bias: float, average: bool
    ) -> None:
        update = plan.update
        kind, first, second = tuning_code(update.tuning)
        self.rows = rows
        self.rule = np.zeros(rounds.N_RULES)
        self.rule[rounds.MARGIN] = -plan.margin if plan.regression else plan.margin
        self.rule[rounds.LARGEST] = update.slack.largest
        self.rule[rounds.CURVATURE] = update.slack.curvature
        self.rule[rounds.BIAS] = bias
        self.rule[rounds.FIRST_TUNING] = first
        self.rule[rounds.SECOND_TUNING] = second
        ball = plan.complexity
        self.rule[rounds.BOUND] = ball.rho if isinstance(ball, EuclideanBall) else np.inf
        self.flags = np.zeros(rounds.N_FLAGS, dtype=np.int64)
        self.flags[rounds.REGRESSION] = plan.regression
        self.flags[rounds.EXACT] = update.exact
        self.flags[rounds.CONSERVATIVE] = update.conservative
        self.flags[rounds.TUNING] = kind
        self.flags[rounds.TIES] = plan.ties == "mistake"
        self.flags[rounds.AVERAGE] = average
        self.counts = np.zeros(4, dtype=np.int64)
        self.sums = np.zeros(rounds.N_SUMS)
        if kind == rounds.FIXED:
            self.sums[rounds.C] = first
        self.V = np.zeros((rows, n_features + 1))
        self.late = np.zeros((rows, n_features + 1) if average else (rows, 0))

    @staticmethod
    def covers(plan: Plan) -> bool:
        """Whether the kernels can play such rounds."""
        tuning = plan.update.tuning
        return (
            type(plan.complexity) in (Euclidean, EuclideanBall)
            and type(tuning) in TUNINGS
            and not (isinstance(tuning, SelfTuning) and tuning.over != "all")
            and not plan.doubled
            and plan.revisit is None
        )

    @property
    def scale(self) -> float:
        """What v is multiplied by."""
        return self._scale_of(float(self.sums[rounds.SQUARE]))

    def _scale_of(self, square: float) -> float:
        """Return what a dual sum of this squared norm is multiplied by."""
        c = self.sums[rounds.C]
        scale = 1.0 / c if c > 0.0 else 0.0
        bound = self.rule[rounds.BOUND]
        return float(bound / np.sqrt(square) if square * scale**2 > bound**2 else scale)

    @property
    def loss(self) -> float:
        """Sum of ``[b - <w, a>]_+`` over the rounds."""
        return float(self.sums[rounds.LOSS])

    @property
    def dual(self) -> float:
        """Dual objective."""
        return float(self.sums[rounds.DUAL])

    def play(
        self, chunk: Chunk, order: npt.NDArray[np.intp], log: Floats, stop: bool = False
    ) -> int:
        """Play rounds; see `align.learners.flat._runs.Run`."""
        self.flags[rounds.STOP] = stop
        if self._is_quick(chunk, order, log):
            self._play_quickly(chunk.X, chunk.y, order)
            played = len(order)
        else:
            if isinstance(chunk.X, np.ndarray):
                examples = chunk.X.reshape(-1), _NO_INDICES, _NO_INDICES
            else:
                examples = chunk.X.data, chunk.X.indices, chunk.X.indptr
            state = (self.V, self.late, self.rule, self.flags, self.counts, self.sums, log)
            if self.rows == 1:
                played = rounds.play_scores(*examples, chunk.y, order, chunk.weights, *state)
            else:
                played = rounds.play_classes(
                    *examples, chunk.y, chunk.relevant, order, chunk.weights, *state
                )
        if not np.isfinite(self.sums[rounds.SQUARE] + self.sums[rounds.LOSS]):
            raise ParameterError(
                "the weights overflowed; scale the features to moderate values, or choose a "
                "smaller C."
            )
        return int(played)

    def _is_quick(self, chunk: Chunk, order: npt.NDArray[np.intp], log: Floats) -> bool:
        """Whether `_quick` can play these rounds, and it is worth its while."""
        if len(log) or len(chunk.weights) or len(chunk.relevant):
            return False
        if not quick.covers(self.rule, self.flags):
            return False
        if self.rows == 1 or isinstance(chunk.X, np.ndarray):
            return True
        # The weights are laid out anew, which a few entries do not repay.
        return bool(4 * len(order) * chunk.X.nnz >= self.V.shape[1] * chunk.X.shape[0])

    def _play_quickly(self, X: Any, y: npt.NDArray[Any], order: npt.NDArray[np.intp]) -> None:
        state = (self.V, self.late, self.rule, self.flags, self.counts, self.sums)
        sparse: Any = quick.play_scores_csr if self.rows == 1 else quick.play_classes_csr
        dense: Any = quick.play_scores if self.rows == 1 else quick.play_classes
        m, d = X.shape
        few = self.rows > 1 and d < _FEW
        if isinstance(X, np.ndarray):
            kernel = sparse if few else dense
            indices = np.arange(d, dtype=np.int32) if few else _NO_INDICES
            kernel(X.reshape(-1), indices, None, y, order, *state)
        else:
            kernel = sparse if few or 2 * X.nnz < m * d else dense
            kernel(X.data, X.indices, X.indptr, y, order, *state)

    def play_one(self, chunk: Chunk, order: npt.NDArray[np.intp], log: Floats) -> Floats:
        """Play a single round; see `align.learners.flat._runs.Run`."""
        V, square = self.V.copy(), float(self.sums[rounds.SQUARE])
        self.play(chunk, order, log)
        weights: Floats = self._scale_of(square) * V
        return weights

    def idle(self, n_rounds: int) -> None:
        """Count rounds in which nothing can go wrong."""
        self.counts[0] += n_rounds
        self.sums[rounds.PREFIX] += n_rounds * self.scale

    def hypothesis(self) -> Floats:
        """Return the weights after the last round [shape=(rows, d + 1)]."""
        weights: Floats = self.scale * self.V
        return weights

    def mean(self) -> Floats:
        """Return the mean of the hypotheses before each round [shape=(rows, d + 1)].

        A step taken after round t counts ``P_T - P_t`` times, P being the sum of the scales; so
        rounds without a step cost one addition.
        """
        if self.counts[0] == 0:
            return self.hypothesis()
        mean: Floats = (self.sums[rounds.PREFIX] * self.V - self.late) / self.counts[0]
        return mean

    def grow(self, rows: int, places: npt.NDArray[np.intp]) -> None:
        """Make room for more classes, whose weights begin at 0.

        One score of two classes becomes two, half the size each and of opposite signs: the
        margins stay what they were, and so does every prediction.
        """
        for name in ("V", "late"):
            old = getattr(self, name)
            new = np.zeros((rows, old.shape[1]))
            if len(old) == 1 and rows > 1 and len(places) == 2:
                new[places[0]], new[places[1]] = -old[0] / 2.0, old[0] / 2.0
            elif rows == 1:
                new[:] = old
            elif len(places) == len(old):
                new[places] = old
            setattr(self, name, new)
        if self.rows == 1 and rows > 1 and len(places) == 2:
            self.sums[rounds.SQUARE] /= 2.0
            # Half of every alpha, on directions (x, -x): still feasible, so still a lower bound.
            self.sums[rounds.GAIN] /= 2.0
        self.rows = rows


TUNINGS: dict[type, int] = {
    FixedTuning: rounds.FIXED,
    MistakeTuning: rounds.MISTAKES,
    SelfTuning: rounds.SELF_TUNED,
    SqrtTuning: rounds.SQRT,
    RunningTuning: rounds.RUNNING,
    LossTuning: rounds.SELF_BOUNDED,
}


def tuning_code(tuning: Tuning) -> tuple[int, float, float]:
    """Return a tuning as the kernels read it."""
    if isinstance(tuning, FixedTuning):
        return rounds.FIXED, tuning.c, 0.0
    if isinstance(tuning, MistakeTuning):
        return rounds.MISTAKES, tuning.U, 0.0
    if isinstance(tuning, SelfTuning):
        return rounds.SELF_TUNED, tuning.U, 0.0
    if isinstance(tuning, SqrtTuning):
        return rounds.SQRT, tuning.U, tuning.L
    if isinstance(tuning, RunningTuning):
        return rounds.RUNNING, tuning.U, tuning.share
    assert isinstance(tuning, LossTuning)
    return rounds.SELF_BOUNDED, tuning.beta, tuning.factor
