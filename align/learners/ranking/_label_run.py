"""One run of a label-ranking learner: its state, its c, and the steps that need a solver.

See `align.learners.ranking.label_ranking` for the algorithms and their notation.
"""

import math
from typing import Any

import numpy as np

from align.errors import ParameterError
from align.learners.parts import FixedTuning, SelfTuning, Tuning, pair_step
from align.learners.parts.shapes import check_array, check_stored
from align.learners.parts.step_kernels import log_root
from align.learners.ranking import _label_ranking as core
from align.learners.ranking._label_ranking import Rows, State
from align.learners.ranking._pdip import solve_round
from align.learners.ranking.soft_projections import _sopopo_rows
from align.types import BoolArray, Float64, IntArray

_ROOT_TWO = math.sqrt(2.0)


class LabelRun:
    """One run of a label-ranking learner over a stream.

    It has `n` features, the constant one included, and knows `k` labels from the start; the
    complexity is entropy or Euclidean, `margin` is gamma, and `update` CONSERVATIVE, AGGRESSIVE
    or OPTIMAL.
    """

    def __init__(
        self, n: int, k: int, entropy: bool, update: int, margin: float, tuning: Tuning,
        average: bool,
    ) -> None:  # fmt: skip
        self.k = k
        self.entropy = entropy
        self.update = update
        self.margin = margin
        self.tuning = tuning
        self.average = average
        self.radius = 0.0
        self.state = State(
            V=np.zeros((n, 0)),
            P=np.zeros((n, 0)),
            norms=np.zeros((4, 0)),
            mean=np.zeros((n, 0)),
            stamp=np.zeros(0, dtype=np.int64),
            marked=np.zeros(n, dtype=np.bool_),
            scores=np.zeros(0),
            masses=np.zeros((0, 2)),
            alpha=np.zeros(0),
            floats=np.zeros(12),
            counts=np.zeros(7, dtype=np.int64),
        )
        self._steady = isinstance(tuning, FixedTuning)
        self._forgetful = isinstance(tuning, SelfTuning) and tuning.over == "mistakes"
        self.state.floats[core.C] = tuning(0.0, 0) if self._steady else 1.0
        self._make_room(max(k, 2))

    def check_shapes(self) -> None:
        """Raise `ModelError` unless the arrays are as long as kernels take them to be."""
        state = self.state
        n, room = np.shape(state.V)
        shapes: dict[str, tuple[int, ...]] = {
            "V": (n, room),
            "P": (n if self.entropy else 1, room),
            "norms": (4, room),
            "mean": (n if self.average else 1, room),
            "scores": (room,),
            "masses": (room, 2),
            "alpha": (room,),
            "floats": (12,),
        }
        for name, shape in shapes.items():
            check_array(name, getattr(state, name), shape)
        check_array("stamp", state.stamp, (room,), np.int64)
        check_array("counts", state.counts, (7,), np.int64)
        check_array("marked", state.marked, (n,), np.bool_)
        check_stored(self.k <= room, f"{self.k} labels in {room} columns")

    def grow(self, k: int) -> None:
        """Know k labels."""
        self.k = max(self.k, k)
        if self.k > self.state.scores.size:
            self._make_room(max(self.k, 2 * self.state.scores.size))

    def _make_room(self, room: int) -> None:
        """Add columns; those of the entropy are uniform, which is where a learner begins."""
        old = self.state
        n, k = old.V.shape
        more = room - k

        def wider(array: Any, fill: float) -> Any:
            return np.hstack([array, np.full((array.shape[0], more), fill)])

        norms = wider(old.norms, 0.0)
        norms[core.Z, k:] = norms[core.PEAK, k:] = n
        self.state = old._replace(
            V=wider(old.V, 0.0),
            P=wider(old.P, 1.0) if self.entropy else np.zeros((1, room)),
            norms=norms,
            mean=wider(old.mean, 0.0) if self.average else np.zeros((1, room)),
            stamp=np.concatenate([old.stamp, np.zeros(more, dtype=np.int64)]),
            scores=np.zeros(room),
            masses=np.zeros((room, 2)),
            alpha=np.zeros(room),
        )

    def add_features(self, n: int, at: int) -> None:
        """Put n features before feature `at`; with the entropy this is another learner."""
        old = self.state
        empty = np.zeros((n, old.V.shape[1]))
        insert = np.insert(old.V, [at] * n, empty, axis=0)
        mean = np.insert(old.mean, [at] * n, empty, axis=0) if self.average else old.mean
        self.state = old._replace(
            V=insert, mean=mean, marked=np.zeros(len(insert), dtype=np.bool_)
        )

    def play(
        self, rows: Rows, relevant: BoolArray, known: IntArray, order: IntArray, log: Float64
    ) -> None:
        """Play a round for each entry of `order`.

        `known` is how many labels there are by each row; `log` has a row for each round, or none.
        """
        steady, forgetful = self._steady, self._forgetful
        radius = self.radius
        begin, resume = 0, False
        while begin < order.size:
            if not steady and not resume:
                radius = self.radius
                self._tune(rows, int(order[begin]))
            end = order.size if steady else begin + 1
            with np.errstate(over="ignore", invalid="ignore"):  # reported below
                begin = core.play(
                    rows, relevant, known, order, begin, end, resume, self.entropy, self.average,
                    self.update, self.margin, self.state, log,
                )  # fmt: skip
            resume = begin < end
            if resume:
                row = int(order[begin])
                self._solve(rows, row, relevant[row, : known[row]])
            elif forgetful and not self.state.counts[core.MISTAKE]:
                self.radius = radius
        floats = self.state.floats
        if not (math.isfinite(floats[core.DUAL]) and math.isfinite(floats[core.SPENT])):
            raise ParameterError(
                f"the weights overflowed within {self.state.counts[core.ROUNDS]} rounds; scale "
                "the features to moderate values."
            )

    def _tune(self, rows: Rows, row: int) -> None:
        """Set c of the coming round."""
        state = self.state
        x = rows.data[rows.ends[row] : rows.ends[row + 1]]
        if self.entropy:
            norm = max(float(np.abs(x).max(initial=0.0)), float(rows.bias))
        else:
            norm = math.sqrt(float(x @ x) + rows.bias)
        self.radius = max(self.radius, _ROOT_TWO * norm)
        mistakes, rounds = int(state.counts[core.MISTAKES]), int(state.counts[core.ROUNDS])
        c = self.tuning(self.radius, mistakes, rounds + 1, float(state.floats[core.LOSS]))
        if c <= 0.0:
            c = 1.0  # nothing was seen yet but zeros, and v is 0: any c gives the same weights
        if self.entropy and c != state.floats[core.C]:
            core.refresh_all(self.average, c, state)
        state.floats[core.C] = c

    def _solve(self, rows: Rows, row: int, relevant: BoolArray) -> None:
        """Fill alpha of the round that the kernel has left."""
        state, k = self.state, relevant.size
        floats = state.floats
        c = float(floats[core.C])
        up, down = int(state.counts[core.UP]), int(state.counts[core.DOWN])
        flat = float(floats[core.FLAT])
        if not self.entropy:
            _sopopo_rows(
                state.scores[None, :k], relevant[None], floats[core.SQUARE : core.SQUARE + 1], c,
                self.margin, 1.0, state.alpha[None, :k],
            )  # fmt: skip
        elif flat > 0.0 and self.update == core.AGGRESSIVE:
            (off_up, on_up), (off_down, on_down) = state.masses[up], state.masses[down]
            same = float(np.logaddexp(on_up + on_down, off_up + off_down))
            root = log_root(on_up + off_down, off_up + on_down, same, self.margin / flat)
            state.alpha[[up, down]] = min(max(c / flat * root, 0.0), 1.0)
        elif flat > 0.0:
            values = np.array([0.0, flat])
            solve_round(True, values, state.masses[:k], relevant, c, self.margin, state.alpha[:k])
        elif self.update == core.AGGRESSIVE:
            x = self.instance(rows, row)
            V = state.V
            state.alpha[[up, down]] = pair_step(
                V[:, up], V[:, down], x, c, self.margin, complexity="entropy"
            )
        else:
            values, masses = _general_masses(self.instance(rows, row), state.V[:, :k], c)
            solve_round(True, values, masses, relevant, c, self.margin, state.alpha[:k])

    def instance(self, rows: Rows, row: int) -> Float64:
        """Return an instance with its constant feature."""
        x = np.zeros(len(self.state.V))
        first, last = rows.ends[row], rows.ends[row + 1]
        columns = rows.columns if rows.dense else rows.columns[first:last]
        x[columns] = rows.data[first:last]
        if rows.bias:
            x[-1] = 1.0
        return x

    def hypothesis(self) -> Float64:
        """Return the weights of each label [shape=(k, n)]."""
        state, k = self.state, self.k
        rounds = int(state.counts[core.ROUNDS])
        if self.entropy:
            now = state.P[:, :k] / state.norms[core.Z, :k]
            if self.average and rounds:
                now = (state.mean[:, :k] + (rounds - state.stamp[:k]) * now) / rounds
        elif self.average and rounds:
            now = (state.floats[core.INVERSES] * state.V[:, :k] - state.mean[:, :k]) / rounds
        else:
            now = state.V[:, :k] / state.floats[core.C]
        return np.ascontiguousarray(now.T)


def _general_masses(x: Float64, V: Float64, c: float) -> tuple[Float64, Float64]:
    """Return the distinct values of x, and the log of the weight of each label on each."""
    values, first = np.unique(x[np.argsort(x)], return_index=True)
    theta = V[np.argsort(x)] / c
    theta -= theta.max(axis=0)
    return values, np.ascontiguousarray(np.logaddexp.reduceat(theta, first, axis=0).T)
