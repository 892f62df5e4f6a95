"""Runs with a link: entropy and q-norm, and the Euclidean ones that revisit earlier rounds.

The state around the kernels of `_link_pass`. It plays what `_general.GeneralRun` would, which
remains for the complexity functions and tunings of a user, and as their reference in the
tests.
"""

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.flat import _link_state as links
from align.learners.flat import _round as core
from align.learners.flat._link_pass import play
from align.learners.flat._links import refresh
from align.learners.flat._plan_arrays import TUNINGS, check_tuning, overflow_error, plan_arrays
from align.learners.flat._runs import Chunk, blocks, spread
from align.learners.parts import (
    Complexity,
    Entropy,
    Euclidean,
    EuclideanBall,
    Plan,
    QNorm,
    SelfTuning,
)
from align.learners.parts.shapes import check_array, check_stored
from align.learners.parts.step_kernels import ENTROPY, QNORM
from align.types import Float64, IntArray

_KINDS: dict[type[Complexity], int] = {
    Entropy: ENTROPY,
    QNorm: QNORM,
    Euclidean: links.EUCLIDEAN,
    EuclideanBall: links.BALL,
}
_ORDERS = {"cyclic": links.CYCLIC, "random": links.RANDOM, "worst": links.WORST}
_MULTIPLICATIVE = {None: 0, "range": links.RANGE, "printed": links.PRINTED}


class LinkRun:
    """A run whose complexity function has kernels; its parameters are those of `Run`."""

    def __init__(
        self,
        plan: Plan,
        rows: int,
        n_features: int,
        *,
        bias: float,
        average: bool,
        rng: np.random.Generator,
    ) -> None:
        complexity, revisit, tuning = plan.complexity, plan.revisit, plan.update.tuning
        check_tuning(plan)
        self.plan, self.rows, self.n_features = plan, rows, n_features
        self.width = (n_features + (bias != 0.0)) * (1 + plan.doubled)
        sizes = (links.N_RULES, links.N_FLAGS, links.N_SUMS)
        rule, flags, sums = plan_arrays(plan, bias=bias, average=average, sizes=sizes)
        rule[links.P] = complexity.p if isinstance(complexity, QNorm) else 2.0
        flags[links.KIND] = _KINDS[type(complexity)]
        flags[links.DOUBLED] = plan.doubled
        flags[links.MULTIPLICATIVE] = _MULTIPLICATIVE[plan.multiplicative]
        flags[links.OVER_MISTAKES] = isinstance(tuning, SelfTuning) and tuning.over != "all"
        if revisit is not None:
            flags[links.REVISIT] = 1
            flags[links.STEPS] = -1 if revisit.steps is None else revisit.steps
            flags[links.ORDER] = _ORDERS[revisit.order]
            rule[links.TOLERANCE] = revisit.tolerance
        sums[links.SCALE] = np.nan  # w was never made
        self._state = self._make_state(rule, flags, np.zeros(4, dtype=np.int64), sums)
        self._kept = self._make_kept(0)
        # Of its own, so that a stream cut into calls draws what it would uncut.
        self._steps_rng = np.random.default_rng(rng.integers(2**63)) if self._draws_steps else rng

    @staticmethod
    def covers(plan: Plan) -> bool:
        """Whether the kernels can play such rounds."""
        return type(plan.complexity) in _KINDS and type(plan.update.tuning) in TUNINGS

    @property
    def _draws_steps(self) -> bool:
        revisit = self.plan.revisit
        return revisit is not None and revisit.order == "random" and revisit.steps is not None

    def _make_state(
        self,
        rule: Float64,
        flags: npt.NDArray[np.int64],
        counts: npt.NDArray[np.int64],
        sums: Float64,
    ) -> links.State:
        k, n = self.rows, self.width
        return links.State(
            v=np.zeros((k, n)),
            w=np.zeros((k, n)),
            stale=np.ones(k, dtype=np.bool_),
            total=np.zeros((k, n if flags[core.AVERAGE] else 0)),
            pending=np.zeros(k, dtype=np.int64),
            rule=rule,
            flags=flags,
            counts=counts,
            sums=sums,
            memory=np.zeros(2, dtype=np.int64),
            x=np.zeros(n),
            scores=np.zeros(k),
            spare=np.zeros(n),
            saved=np.zeros((2, n)),
            some_v=np.zeros((2, n)),
            some_d=np.zeros((2, n)),
        )

    def _make_kept(self, capacity: int) -> links.Kept:
        return links.Kept(
            x=np.zeros((capacity, self.width)),
            up=np.zeros(capacity, dtype=np.int64),
            down=np.zeros(capacity, dtype=np.int64),
            sign=np.zeros(capacity),
            target=np.zeros(capacity),
            weight=np.zeros(capacity),
            alpha=np.zeros(capacity),
        )

    def check_shapes(self) -> None:
        """Raise `ModelError` unless the arrays are as long as kernels take them to be."""
        state, kept = self._state, self._kept
        sizes = {"rule": links.N_RULES, "flags": links.N_FLAGS, "counts": 4, "sums": links.N_SUMS}
        for name, size in sizes.items():
            kind = np.int64 if name in ("flags", "counts") else np.float64
            check_array(name, getattr(state, name), (size,), kind)
        fresh = self._make_state(state.rule, state.flags, state.counts, state.sums)
        capacity = len(kept.alpha)
        for found, wanted in ((state, fresh), (kept, self._make_kept(capacity))):
            for name, array in wanted._asdict().items():
                check_array(name, getattr(found, name), array.shape, array.dtype)
        width = (self.n_features + (state.rule[core.BIAS] != 0.0)) * (1 + self.plan.doubled)
        first, n = state.memory
        check_stored(self.width == width, f"{self.n_features} features in {self.width} columns")
        check_stored(0 <= first <= capacity >= n >= 0, f"{n} of {capacity} rounds are kept")
        inside = (kept.up >= 0) & (kept.up < self.rows) & (kept.down < self.rows)
        check_stored(bool(inside.all()), "a round is kept of a class that there is not")

    def _make_room(self, n_rounds: int) -> None:
        """Make sure that all rounds to come can be kept that must be."""
        revisit, (first, n) = self.plan.revisit, self._state.memory
        if revisit is None:
            return
        capacity = len(self._kept.alpha)
        wanted = n + n_rounds if revisit.last is None else revisit.last
        if wanted <= capacity:
            return
        if revisit.last is None:
            wanted = max(wanted, 2 * capacity)
        larger = self._make_kept(wanted)
        places = (first + np.arange(n)) % max(capacity, 1)
        for new, old in zip(larger, self._kept, strict=True):
            new[:n] = old[places]
        self._kept = larger
        self._state.memory[0] = 0

    @property
    def v(self) -> Float64:
        """Dual sum [shape=(n,)], or [shape=(rows, n)]."""
        v: Float64 = self._state.v[0] if self.rows == 1 else self._state.v
        return v

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Rounds, mistakes, updates, mistakes without a direction."""
        counts: npt.NDArray[np.int64] = self._state.counts
        return counts

    @property
    def c(self) -> float:
        """C of the last round; 0 before one, unless it is fixed."""
        return float(self._state.sums[core.C])

    @property
    def scale(self) -> float:
        """1 / c; 0 where c is 0."""
        return 1.0 / self.c if self.c > 0.0 else 0.0

    @property
    def loss(self) -> float:
        """Sum of ``[b - <w, a>]_+`` over the rounds."""
        return float(self._state.sums[core.LOSS])

    @property
    def dual(self) -> float:
        """Dual objective."""
        return float(self._state.sums[core.DUAL])

    def play(self, chunk: Chunk, order: IntArray, log: Float64, stop: bool = False) -> int:
        """Play rounds; see `align.learners.flat._runs.Run`."""
        state, played = self._state, 0
        state.flags[core.STOP] = stop
        updates = int(state.counts[2])
        # A round touches every weight: CSR rows are made dense, some at a time.
        for block in blocks(chunk, order, dense=True):
            played += self._play_block(block, log[played : played + len(block.order)])
            if stop and state.counts[2] > updates:
                break
        return played

    def _play_block(self, block: Chunk, log: Float64) -> int:
        state, n_rounds = self._state, len(block.order)
        self._make_room(n_rounds)
        steps = max(int(state.flags[links.STEPS]), 0) if self._draws_steps else 0
        draws = self._steps_rng.random((n_rounds if steps else 0, steps))
        played = play(
            block.X, block.order, block.y, block.relevant, block.weights, draws, state,
            self._kept, log,
        )  # fmt: skip
        if played < 0:
            raise ParameterError(
                f"no weights of {self.plan.complexity} reach the target "
                f"{state.sums[links.TARGET]:g}, which a hard constraint asks for; use PA-I or "
                "PA-II, or a smaller margin."
            )
        # A step divides by a square of x, and would be 0 where that is infinite.
        largest = float(state.sums[core.RADIUS])
        if not (np.isfinite(state.v).all() and np.isfinite(self.loss + 8.0 * largest * largest)):
            raise overflow_error()
        return int(played)

    def play_one(self, chunk: Chunk, order: IntArray, log: Float64) -> Float64:
        """Play a single round; see `align.learners.flat._runs.Run`."""
        v = self._state.v.copy()
        self.play(chunk, order, log)
        return self._outward(self._weights(v))

    def idle(self, n_rounds: int) -> None:
        """Count rounds in which nothing can go wrong."""
        self._state.counts[0] += n_rounds
        if self._state.flags[core.AVERAGE]:
            refresh(self._state, self.scale)
            self._state.pending[:] += n_rounds

    def _weights(self, v: Float64) -> Float64:
        """Return ``grad f*(v / c)`` [shape=(rows, width)]."""
        theta = self.scale * v
        if isinstance(self.plan.complexity, EuclideanBall):  # of all rows as one vector
            return self.plan.complexity.link(theta.ravel()).reshape(theta.shape)
        return self.plan.complexity.link(theta)

    def hypothesis(self) -> Float64:
        """Return the weights after the last round [shape=(rows, d + 1)]."""
        return self._outward(self._weights(self._state.v))

    def mean(self) -> Float64:
        """Return the mean of the hypotheses before each round [shape=(rows, d + 1)]."""
        state = self._state
        if state.counts[0] == 0 or not state.flags[core.AVERAGE]:
            return self.hypothesis()
        total = state.total + state.pending[:, None] * state.w
        return self._outward(total / state.counts[0])

    def _outward(self, w: Float64) -> Float64:
        """Return weights of the plain features, the constant last."""
        if self.plan.doubled:
            half = self.width // 2
            w = w[:, :half] - w[:, half:]
        if self._state.rule[core.BIAS] == 0.0:
            w = np.hstack([w, np.zeros((self.rows, 1))])
        return w

    def grow(self, rows: int, places: IntArray) -> None:
        """Make room for more classes, whose dual sums begin at 0; see `spread`."""
        old = self._state
        self.rows = rows
        old.sums[links.SCALE] = np.nan
        self._state = new = self._make_state(old.rule, old.flags, old.counts, old.sums)
        if new.flags[core.AVERAGE]:
            # Classes that were not there had the weights that the learner begins with.
            new.total[:] = old.counts[0] * self.plan.complexity.link(np.zeros(self.width))
            spread(old.total + old.pending[:, None] * old.w, new.total, places)
        if spread(old.v, new.v, places):
            new.sums[core.GAIN] /= 2.0
