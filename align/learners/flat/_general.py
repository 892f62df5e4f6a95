"""Runs with any complexity function and tuning, a user's own included; in plain Python.

What `align.learners.flat._link_run` covers is played there, compiled; this is its reference in the
tests.

A round reads ``w = grad f*(v / c)``, forms its direction a and target b, and takes its alpha from
`align.learners.hinge_step`. Where earlier rounds are revisited (Shalev-Shwartz, section 5.2.2),
each of their variables is taken out of v, optimised anew and put back:

    maximise over alpha_i:  b_i alpha_i - conjugate - c f*((v_rest + alpha_i a_i) / c).
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.flat._plan_arrays import check_tuning, overflow_error
from align.learners.flat._runs import Chunk, instance, spread
from align.learners.parts import (
    Blocks,
    Complexity,
    Euclidean,
    EuclideanBall,
    FixedTuning,
    MistakeTuning,
    Plan,
    Revisit,
    SelfTuning,
    exact_step,
    hinge,
    hinge_step,
)
from align.learners.parts.hinge_steps import bisect
from align.types import BoolArray, Float64, IntArray


class _WholeBall(EuclideanBall):
    """The ball of matrices of bounded Frobenius norm, as the kernels have it."""

    def link(self, theta: npt.ArrayLike) -> Float64:
        """Return theta, shrunk to the ball where it lies outside."""
        theta = np.asarray(theta)
        return super().link(theta.ravel()).reshape(theta.shape)

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return f* of the matrix as a vector."""
        return super().conjugate(np.asarray(theta).ravel())


class GeneralRun:
    """A run with any plan, in Python; its parameters are those of `Run`."""

    def __init__(
        self,
        plan: Plan,
        rows: int,
        n_features: int,
        *,
        bias: float,
        average: bool,
        rng: np.random.Generator | None = None,
    ) -> None:
        tuning = plan.update.tuning
        check_tuning(plan)
        self.plan, self.rows, self.bias, self.average = plan, rows, bias, average
        self.n_features = n_features
        self.width = (n_features + (bias != 0.0)) * (1 + plan.doubled)
        self.rng = rng if rng is not None else np.random.default_rng(0)
        self.v = np.zeros(self._shape())
        self.c = tuning.c if isinstance(tuning, FixedTuning) else 0.0
        self.counts = np.zeros(4, dtype=np.int64)
        self.loss = self.dual = self.radius = 0.0
        self._priced = self._gain = 0.0
        self._sum = np.zeros(self._shape()) if average else None
        # The rounds that may be revisited: direction, target, weight, alpha.
        self._kept: list[list[Any]] = []

    def _shape(self) -> tuple[int, ...]:
        return (self.width,) if self.rows == 1 else (self.rows, self.width)

    @property
    def complexity(self) -> Complexity:
        """F of v, as a whole."""
        f = self.plan.complexity
        if self.rows == 1:
            return f
        return _WholeBall(f.rho) if type(f) is EuclideanBall else Blocks(f)

    @property
    def scale(self) -> float:
        """1 / c; 0 where c is 0."""
        return 1.0 / self.c if self.c > 0.0 else 0.0

    def weights(self) -> Float64:
        """Return ``grad f*(v / c)``, in the learner's own features."""
        return self.complexity.link(self.scale * self.v)

    def play(self, chunk: Chunk, order: IntArray, log: Float64, stop: bool = False) -> int:
        """Play rounds; see `align.learners.flat._runs.Run`."""
        for i, row in enumerate(order):
            x = instance(chunk.X, int(row), self.bias, self.plan.doubled)
            weight = float(chunk.weights[row]) if len(chunk.weights) else 1.0
            relevant = chunk.relevant[row] if len(chunk.relevant) else None
            updates = self.counts[2]
            entry = self.round(x, chunk.y[row], relevant, weight)
            if i < len(log):
                log[i] = entry
            if stop and self.counts[2] > updates:
                return i + 1
        return len(order)

    def round(
        self, x: Float64, y: Any, relevant: BoolArray | None, weight: float
    ) -> tuple[float, ...]:
        """Play one round; return its row of the log."""
        plan, f = self.plan, self.complexity
        update = plan.update
        norm = float(plan.complexity.dual_norm(x)) * (1.0 if self.rows == 1 else math.sqrt(2.0))
        if self.rows > 1 and relevant is not None and int(y) < 0 and len({*relevant}) < 2:
            norm = 0.0  # no label is to be ranked above another: there is no direction
        if isinstance(update.tuning, MistakeTuning):
            w = f.link(self.v)  # a prediction does not depend on c
            mistake = self._constraint(w, x, y, relevant)[1]
            if mistake or not update.conservative:
                self.radius = max(self.radius, norm)
            radius = self.radius
            before = int(self.counts[1]) + mistake
        else:
            radius, before = max(self.radius, norm), int(self.counts[1])
        self.c = c = update.tuning(radius, before, int(self.counts[0]) + 1, self._priced)
        w = self.weights()
        if self._sum is not None:
            self._sum += w
        code, mistake, direction, target, other, inner = self._constraint(w, x, y, relevant)
        loss = 0.0 if direction is None else hinge(target, inner)
        if plan.regression:
            mistake = loss > 0.0
        if isinstance(update.tuning, SelfTuning) and update.tuning.over != "all":
            radius = radius if mistake else self.radius
        self.radius = radius
        slack = update.slack
        curvature = slack.curvature / weight
        self.counts[0] += 1
        self.counts[1] += mistake
        self.counts[3] += mistake and norm == 0.0
        self.loss += loss
        self._priced += weight * loss if curvature == 0.0 else 0.5 * loss * loss / curvature
        alpha = 0.0
        counts = mistake or not update.conservative
        if direction is not None and norm > 0.0 and c > 0.0 and counts:
            alpha = self._step(direction, target, loss, weight)
            if alpha > 0.0:
                self.v += alpha * direction
                self.counts[2] += 1
            self._gain += alpha * (target - 0.5 * curvature * alpha)
            if plan.revisit is not None:
                # A variable that is 0 now may be wanted later.
                self._kept.append([direction, target, weight, alpha])
                self._sweep(plan.revisit)
                alpha = self._kept[-1][3]
        if c > 0.0:
            self.dual = self._gain - c * float(f.conjugate(self.v / c))
        if not (np.isfinite(self.v).all() and math.isfinite(self.loss)):
            raise overflow_error()
        return (code, loss, alpha, c, norm, target, self.dual, float(mistake), other, self.scale)

    def _constraint(
        self, w: Float64, x: Float64, y: Any, relevant: BoolArray | None
    ) -> tuple[float, bool, Float64 | None, float, float, float]:
        """Return the prediction, whether it is wrong, a, b, sign or classes, and <w, a>."""
        plan = self.plan
        direction = x
        if plan.doubled:  # equal weights must give a score of exactly 0
            half = self.width // 2
            w, x = w[..., :half] - w[..., half:], x[:half]
        if plan.regression:
            score = float(w @ x)
            sign = 1.0 if y >= score else -1.0
            target = sign * float(y) + plan.margin
            return score, False, sign * direction, target, sign, sign * score
        if self.rows == 1:
            score = float(w @ x)
            sign = float(y)
            predicted = 1.0 if score >= 0.0 else -1.0
            mistake = predicted != sign or (plan.ties == "mistake" and score == 0.0)
            return predicted, mistake, sign * direction, plan.margin, sign, sign * score
        scores = w @ x
        best = int(np.argmax(scores))
        label = int(y)
        good_set = relevant if label < 0 else np.arange(self.rows) == label
        assert good_set is not None
        if good_set.all() or not good_set.any():
            return float(best), False, None, 0.0, -1.0, 0.0
        good = int(np.argmin(np.where(good_set, scores, np.inf)))
        wrong = int(np.argmax(np.where(good_set, -np.inf, scores)))
        tied = scores[good] <= scores[wrong]
        mistake = bool(tied if label < 0 or plan.ties == "mistake" else best != label)
        both = np.zeros_like(self.v)
        both[good], both[wrong] = direction, -direction
        inner = float(scores[good] - scores[wrong])
        return (float(best), mistake, both, plan.margin, float(good * self.rows + wrong), inner)

    def _step(self, direction: Float64, target: float, loss: float, weight: float) -> float:
        """Return alpha, given that of this direction is not in v."""
        if self.plan.multiplicative is not None:
            return self._multiplicative_step(direction, loss)
        update = self.plan.update
        slack, c = update.slack, self.c
        largest, curvature = weight * slack.largest, slack.curvature / weight
        if not update.exact:
            if loss <= 0.0:
                return 0.0
            return min(largest, loss / curvature) if curvature > 0.0 else largest
        f = self.complexity
        if type(self.plan.complexity) is Euclidean:
            square = float((direction * direction).sum())
            weighted = type(slack)(largest, curvature)
            return exact_step(loss, square, c, weighted)
        if curvature == 0.0:
            if loss <= 0.0:
                return 0.0
            alpha = hinge_step(self.v, direction, c, target, complexity=f, upper=largest)
            if not math.isfinite(alpha):
                raise ParameterError(
                    f"no weights of {self.plan.complexity} reach the target {target:g}, which a "
                    "hard constraint asks for; use PA-I or PA-II, or a smaller margin."
                )
            return alpha
        return self._curved_step(direction, target, curvature)

    def _multiplicative_step(self, direction: Float64, loss: float) -> float:
        if self.plan.multiplicative == "printed":
            square = float(np.abs(direction).max()) ** 2
        else:
            rows = np.atleast_2d(direction)
            square = float(((rows.max(axis=1) - rows.min(axis=1)) ** 2).sum())
        return 4.0 * loss / square if square > 0.0 else 0.0

    def _curved_step(self, direction: Float64, target: float, curvature: float) -> float:
        """Return the alpha with ``target - curvature alpha = <w(alpha), a>``, by bisection."""
        f, v, c = self.complexity, self.v, self.c

        def slope(alpha: float) -> float:
            w = f.link((v + alpha * direction) / c)
            return target - curvature * alpha - float((w * direction).sum())

        return bisect(slope, math.inf)

    # Earlier rounds -----------------------------------------------------------------------------

    def _sweep(self, revisit: Revisit) -> None:
        """Optimise the variables that are kept, one after another."""
        if revisit.last is not None:
            del self._kept[: max(0, len(self._kept) - revisit.last)]
        n = len(self._kept)
        if n < 2:
            return
        if revisit.steps is None:
            for _ in range(100_000):
                # From the latest back, and the latest once more when the others have moved.
                if max(self._again(i) for i in range(n - 1, -1, -1)) <= revisit.tolerance:
                    return
        else:
            for j in range(revisit.steps):
                if revisit.order == "random":
                    i = int(self.rng.integers(n))
                elif revisit.order == "worst":
                    i = self._worst()
                else:
                    i = n - 1 - (j + 1) % n
                self._again(i)

    def _again(self, i: int) -> float:
        """Optimise one variable anew; return how far it moved."""
        direction, target, weight, old = self._kept[i]
        curvature = self.plan.update.slack.curvature / weight
        rest = self.v
        if old > 0.0:
            rest = self.v - old * direction
        self.v, before = rest, self.v
        w = self.weights()
        new = self._step(direction, target, hinge(target, float((direction * w).sum())), weight)
        if new == old:
            self.v = before
            return 0.0
        self.v = rest + new * direction
        self._kept[i][3] = new
        for alpha, sign in ((new, 1.0), (old, -1.0)):
            self._gain += sign * alpha * (target - 0.5 * curvature * alpha)
        return abs(float(new - old))

    def _worst(self) -> int:
        """Return the variable whose slope, where it may follow it, is largest."""
        w = self.weights()
        slack = self.plan.update.slack
        best, chosen = -1.0, len(self._kept) - 1
        for i, (direction, target, weight, alpha) in enumerate(self._kept):
            slope = target - slack.curvature / weight * alpha - float((direction * w).sum())
            free = (slope > 0.0 and alpha < weight * slack.largest) or slope < 0.0 < alpha
            if free and abs(slope) > best:
                best, chosen = abs(slope), i
        return chosen

    # The result ---------------------------------------------------------------------------------

    def play_one(self, chunk: Chunk, order: IntArray, log: Float64) -> Float64:
        """Play a single round; see `align.learners.flat._runs.Run`."""
        v = self.v.copy()
        self.play(chunk, order, log)
        return self._outward(self.complexity.link(self.scale * v))

    def idle(self, n_rounds: int) -> None:
        """Count rounds in which nothing can go wrong."""
        self.counts[0] += n_rounds
        if self._sum is not None:
            self._sum += n_rounds * self.weights()

    def hypothesis(self) -> Float64:
        """Return the weights after the last round [shape=(rows, d + 1)]."""
        return self._outward(self.weights())

    def mean(self) -> Float64:
        """Return the mean of the hypotheses before each round [shape=(rows, d + 1)]."""
        if self.counts[0] == 0 or self._sum is None:
            return self.hypothesis()
        return self._outward(self._sum / self.counts[0])

    def _outward(self, w: Float64) -> Float64:
        """Return weights of the plain features, the constant last."""
        w = w.reshape(self.rows, self.width)
        if self.plan.doubled:
            half = self.width // 2
            w = w[:, :half] - w[:, half:]
        if self.bias == 0.0:
            w = np.hstack([w, np.zeros((self.rows, 1))])
        return w

    def grow(self, rows: int, places: IntArray) -> None:
        """Make room for more classes, whose dual sums begin at 0; see `spread`."""
        old, old_sum = self.v.reshape(self.rows, -1), self._sum
        self.rows = rows
        new = np.zeros((rows, self.width))
        if spread(old, new, places):
            self._gain /= 2.0
        self.v = new.reshape(self._shape())
        if old_sum is not None:
            # Classes that were not there had the weights that the learner begins with.
            total = self.counts[0] * self.complexity.link(np.zeros(self._shape()))
            spread(old_sum.reshape(len(old), -1), total.reshape(rows, -1), places)
            self._sum = total
        self._kept.clear()
