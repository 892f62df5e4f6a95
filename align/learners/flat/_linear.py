"""Runs whose hypothesis is a multiple of the dual sum: the state around the kernel.

See `_linear_pass` for the rounds.
"""

import math
from typing import Any

import numpy as np

from align._numba import compiled
from align.learners.flat import _round as core
from align.learners.flat._linear_pass import play
from align.learners.flat._linear_scores import BLOCK, NARROW, NO_TILES, TILE
from align.learners.flat._plan_arrays import TUNINGS, overflow_error, plan_arrays
from align.learners.flat._round import ball_scale
from align.learners.flat._runs import Chunk, blocks, is_plain, spread
from align.learners.parts import Euclidean, EuclideanBall, Plan, SelfTuning
from align.learners.parts.shapes import check_array, check_stored
from align.types import Float64, IntArray

_NONE = np.zeros(0, dtype=np.int32)  # for what dense rows do not have
_FEW = 16  # features, fewer than which a round reads those of all classes together


def _aligned(shape: tuple[int, int]) -> Float64:
    """Return zeros that begin at a multiple of 64 bytes, as vectors of numbers like it."""
    size = shape[0] * shape[1]
    room = np.zeros(size + 8)
    first = -room.ctypes.data // 8 % 8
    return room[first : first + size].reshape(shape)


@compiled(error_model="numpy")
def _play_by_feature(
    data: Any, columns: Any, ends: Any, y: Any, relevant: Any, weights: Any, order: Any,
    W: Any, late: Any, rule: Any, flags: Any, counts: Any, sums: Any, spare: Any, log: Any,
) -> int:  # fmt: skip
    """Play rounds with the weights of each feature side by side, and put them back by class.

    What is late lies apart, because every round reads the weights, and only a step what is late:
    the less lies between the weights of two features, the more of them stay near the processor.
    """
    k, d = flags[core.SCORES], flags[core.FEATURES]
    width = NARROW if k <= NARROW else TILE
    n_tiles = -(-k // width)
    size = (d + 2) * n_tiles * width
    room = np.zeros(size + 8)
    first = -(room.ctypes.data // 8) % 8
    tiles = room[first : first + size].reshape(d + 2, n_tiles, width)
    beside = tiles.reshape(d + 2, n_tiles * width)
    beside[d + 1, k:] = -np.inf
    behind = np.zeros((d + 1 if late.shape[1] else 0, k))
    _turn(W, beside, k, d + 1)
    _turn(late, behind, k, behind.shape[0])
    played = play(
        data, columns, ends, y, relevant, weights, order, beside, tiles, behind, rule, flags,
        counts, sums, spare, log,
    )  # fmt: skip
    _turn(beside, W, d + 1, k)
    _turn(behind, late, behind.shape[0], k)
    return int(played)


@compiled()
def _turn(source: Any, target: Any, rows: int, columns: int) -> None:
    """Write so many rows and columns of a matrix as columns and rows of another."""
    for j in range(columns):
        for i in range(rows):
            target[j, i] = source[i, j]


class LinearRun:
    """A run with `Euclidean` or `EuclideanBall`; its parameters are those of `Run`."""

    def __init__(
        self, plan: Plan, rows: int, n_features: int, *, bias: float, average: bool
    ) -> None:
        self.rows, self.n_features = rows, n_features
        self.rule, self.flags, self.sums = plan_arrays(plan, bias=bias, average=average)
        self.counts = np.zeros(4, dtype=np.int64)
        self.flags[core.FEATURES] = n_features
        self._W, self._late = self._room(rows, n_features)

    def _room(self, rows: int, n_features: int) -> tuple[Float64, Float64]:
        """Return weights and late steps of so many scores, all 0."""
        # A multiple of eight numbers, so that every class begins at a round address.
        width = -(-(n_features + 1) // 8) * 8
        late = (rows, width) if self.flags[core.AVERAGE] else (rows, 0)
        return _aligned((rows, width)), _aligned(late)

    def check_shapes(self) -> None:
        """Raise `ModelError` unless the arrays are as long as kernels take them to be."""
        width = np.shape(self._W)[-1]
        check_array("W", self._W, (self.rows, width))
        for name, length in (("rule", core.N_RULES), ("sums", core.N_SUMS)):
            check_array(name, getattr(self, name), (length,))
        check_array("flags", self.flags, (core.N_FLAGS,), np.int64)
        check_array("counts", self.counts, (4,), np.int64)
        check_array("late", self._late, (self.rows, width if self.flags[core.AVERAGE] else 0))
        known = self.flags[core.FEATURES] == self.n_features < width
        check_stored(known, f"{self.n_features} features in {width} columns")

    @property
    def V(self) -> Float64:
        """Dual sum [shape=(rows, d + 1)], the constant last; a view."""
        return self._W[:, : self.n_features + 1]

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
        return self._scale_of(float(self.sums[core.SQUARE]))

    def _scale_of(self, square: float) -> float:
        """Return what a dual sum of this squared norm is multiplied by."""
        return float(ball_scale(self.sums[core.C], square, self.rule[core.BOUND]))

    @property
    def loss(self) -> float:
        """Sum of ``[b - <w, a>]_+`` over the rounds."""
        return float(self.sums[core.LOSS])

    @property
    def dual(self) -> float:
        """Dual objective."""
        return float(self.sums[core.DUAL])

    def play(self, chunk: Chunk, order: IntArray, log: Float64, stop: bool = False) -> int:
        """Play rounds; see `align.learners.flat._runs.Run`."""
        self.flags[core.STOP] = stop
        if chunk.plain or (is_plain(chunk.X) and chunk.y.dtype == np.float64):
            played = self._play(chunk, order, log)
        else:
            updates, played = int(self.counts[2]), 0
            for block in blocks(chunk, order):
                played += self._play(block, block.order, log[played : played + len(block.order)])
                if stop and self.counts[2] > updates:
                    break
        if not math.isfinite(self.sums[core.SQUARE] + self.sums[core.LOSS]):
            raise overflow_error()
        return played

    def _play(self, chunk: Chunk, order: IntArray, log: Float64) -> int:
        """Play rounds with examples as the kernel wants them."""
        X, k, d = chunk.X, self.rows, self.n_features
        by_feature = self._is_by_feature(X, len(order), len(log) > 0)
        self.flags[core.SCORES], self.flags[core.BY_FEATURE] = k, by_feature
        if isinstance(X, np.ndarray):
            data, ends = X.reshape(-1), _NONE
            columns = np.arange(d, dtype=np.int32) if by_feature else _NONE
        else:
            data, columns, ends = X.data, X.indices, X.indptr
        spare = np.empty(BLOCK * k + TILE + min(len(order), BLOCK) * d)
        W, late = self._W, self._late
        state = (self.rule, self.flags, self.counts, self.sums, spare, log)
        examples = (data, columns, ends, chunk.y, chunk.relevant, chunk.weights, order)
        if by_feature:
            return int(_play_by_feature(*examples, W, late, *state))
        return int(play(*examples, W, NO_TILES, late, *state))

    def _is_by_feature(self, X: Any, n_rounds: int, logged: bool) -> bool:
        """Whether the weights of a feature had better be side by side.

        Of dense rows it does not depend on how many there are: a stream that is cut into calls
        gives the same bits as in one, unless its weights are so many that rows are scored
        together.
        """
        d = self.n_features
        if self.rows == 1 or logged:
            return False
        if isinstance(X, np.ndarray):
            return bool(d < _FEW)
        m = len(X.indptr) - 1
        # The weights are laid out anew, which a few entries do not repay.
        n_entries = X.data.size
        few = d < _FEW or 2 * n_entries < m * d
        return bool(few and 4 * n_rounds * n_entries >= self.rows * (d + 1) * m)

    def play_one(self, chunk: Chunk, order: IntArray, log: Float64) -> Float64:
        """Play a single round; see `align.learners.flat._runs.Run`."""
        V, square = self.V.copy(), float(self.sums[core.SQUARE])
        self.play(chunk, order, log)
        return self._scale_of(square) * V

    def idle(self, n_rounds: int) -> None:
        """Count rounds in which nothing can go wrong, before the first step.

        The sum of scales may leave them out: what it has more before any step cancels in the mean.
        """
        self.counts[0] += n_rounds

    def hypothesis(self) -> Float64:
        """Return the weights after the last round [shape=(rows, d + 1)]."""
        return self.scale * self.V

    def mean(self) -> Float64:
        """Return the mean of the hypotheses before each round [shape=(rows, d + 1)].

        A step taken after round t counts ``P_T - P_t`` times, P being the sum of the scales; so
        rounds without a step cost one addition.
        """
        if self.counts[0] == 0:
            return self.hypothesis()
        late = self._late[:, : self.n_features + 1]
        mean: Float64 = (self.sums[core.PREFIX] * self.V - late) / self.counts[0]
        return mean

    def begin_with(self, weights: Float64) -> None:
        """Let a fresh run begin with given weights [shape=(rows, d + 1)]."""
        self.V[:] = self.sums[core.C] * weights
        self.sums[core.SQUARE] = float(np.sum(self.V**2))

    def widen(self, n_features: int) -> None:
        """Make room for more features, whose weights begin at 0.

        The room doubles when it is used up, so that a feature costs the same however many came
        before it. Only the weights of the constant, the last, move each time.
        """
        old, self.n_features = self.n_features, n_features
        self.flags[core.FEATURES] = n_features
        if n_features >= self._W.shape[1]:
            wider = self._room(self.rows, 2 * n_features)
            for part, new in zip((self._W, self._late), wider, strict=True):
                new[:, : part.shape[1]] = part
            self._W, self._late = wider
        for part in (self._W, self._late):
            if part.shape[1]:
                part[:, n_features], part[:, old] = part[:, old].copy(), 0.0

    def grow(self, rows: int, places: IntArray) -> None:
        """Make room for more classes, whose weights begin at 0; see `spread`."""
        grown = self._room(rows, self.n_features)
        for old, new in zip((self._W, self._late), grown, strict=True):
            halved = spread(old[:, : new.shape[1]], new, places)
        self._W, self._late = grown
        if halved:
            self.sums[core.SQUARE] /= 2.0
            # Half of every alpha, on directions (x, -x): still feasible, so still a lower bound.
            self.sums[core.GAIN] /= 2.0
        self.rows = rows
