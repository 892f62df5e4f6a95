"""Fixed predictors that a run is compared with: found on all of its rounds at once."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from align._numba import compiled
from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.flat._inputs import with_constant
from align.learners.parts import Entropy, EuclideanBall, Plan
from align.learners.theory import Certificate, Trace
from align.types import Float64, IntArray

# Bounds on the number of mistakes, the more special first; and, by the square of the margin, those
# on the sum of squared losses, each of which is at least the margin where there is a mistake.
MISTAKE_BOUNDS = ("Cor 7", "Cor 5", "Cor 6", "Thm 6", "Thm 7", "PA-I", "Eq 5.2")
SQUARED_BOUNDS = ("multiplicative", "PA", "PA-II")

_WEIGHTS = (1e-3, 1e-1, 1.0, 10.0, 100.0)  # of half the squared norm, beside the sum of losses
_FACTORS = (0.25, 0.5, 0.75, 1.0, 1.5)


@dataclass
class Constraints:
    """The constraint ``<u, a_t> >= b_t`` of each round, a_t made of rows of a matrix.

    Parameters
    ----------
    X : CSR matrix [shape=(T, d + 1)]
        Examples, the constant last.
    up, down : np.ndarray [shape=(T,), dtype=intp]
        Score in which the direction has x, and score in which it has -x; -1 where there is one
        score.
    sign : np.ndarray [shape=(T,)]
        Of x; 0 where there is no direction.
    target : np.ndarray [shape=(T,)]
        b.
    rows : int
        Number of scores.
    doubled : bool
        Whether directions are those of ``[x, -x]``.
    """

    X: Any
    up: IntArray
    down: IntArray
    sign: Float64
    target: Float64
    rows: int
    doubled: bool = False

    def losses_of(self, u: npt.ArrayLike) -> Float64:
        """Return ``[b_t - <u, a_t>]_+`` [shape=(T,)]."""
        weights = np.asarray(u, dtype=np.float64).reshape(self.rows, -1)
        if self.doubled:
            half = weights.shape[1] // 2
            weights = weights[:, :half] - weights[:, half:]
        if weights.shape[1] != self.X.shape[1]:
            raise ParameterError(
                f"u has {np.size(u)} entries, must have {self.X.shape[1]} for each score, twice "
                "as many where x is doubled."
            )
        scores = self.X @ weights.T
        each = np.arange(len(scores))
        inner = scores[each, self.up]
        if self.rows > 1:
            inner = inner - scores[each, self.down]
        losses: Float64 = np.maximum(self.target - self.sign * inner, 0.0)
        return losses

    def part(self, rounds: slice) -> "Constraints":
        """Return those of some rounds."""
        names = ("X", "up", "down", "sign", "target")
        return replace(self, **{name: getattr(self, name)[rounds] for name in names})

    def solve(self, weight: float, passes: int = 40) -> Float64:
        """Return the u of least ``weight |u|^2 / 2 + sum of losses`` [shape=(rows, d + 1)].

        As nearly as some passes of dual coordinate ascent come.
        """
        X, target = self.X, np.ascontiguousarray(self.target)
        columns, ends = X.indices.astype(np.intp, copy=False), X.indptr.astype(np.intp, copy=False)
        u = np.zeros((self.rows, X.shape[1]))
        rng = np.random.default_rng(0)
        alpha = np.zeros(len(self.up))
        for _ in range(passes):
            order = rng.permutation(len(alpha))
            moved = _ascend(
                X.data, columns, ends, self.up, self.down, self.sign, target,
                1.0 / weight, order, alpha, u,
            )  # fmt: skip
            if moved < 1e-9:
                break
        return u


@compiled(error_model="numpy")
def _ascend(
    data: Any, indices: Any, indptr: Any, up: Any, down: Any, sign: Any, target: Any,
    largest: float, order: Any, alpha: Any, u: Any,
) -> float:  # fmt: skip
    """Maximise the dual over one alpha after the other; return the largest relative move."""
    moved = 0.0
    for i in order:
        if sign[i] == 0.0:
            continue
        inner = norm2 = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            x = data[j]
            norm2 += x * x
            inner += x * u[up[i], indices[j]]
            if down[i] >= 0:
                inner -= x * u[down[i], indices[j]]
        if down[i] >= 0:
            norm2 *= 2.0
        if norm2 == 0.0:
            continue
        new = min(max(alpha[i] + (target[i] - sign[i] * inner) / norm2, 0.0), largest)
        step = new - alpha[i]
        if step == 0.0:
            continue
        alpha[i] = new
        moved = max(moved, abs(step) / largest)
        for j in range(indptr[i], indptr[i + 1]):
            u[up[i], indices[j]] += sign[i] * step * data[j]
            if down[i] >= 0:
                u[down[i], indices[j]] -= sign[i] * step * data[j]
    return moved


def constraints_of(X: Any, log: Float64, rows: int, bias: bool, doubled: bool) -> Constraints:
    """Return the constraints of rounds with some examples, from their rows of the log.

    `bias` says whether the learner has a constant feature; the others are as in `Constraints`.
    """
    X = sp.csr_array(X, dtype=np.float64)
    X = with_constant(X) if bias else X
    other, target = log[:, core.LOG_OTHER], log[:, core.LOG_TARGET]
    if rows == 1:
        zeros = np.zeros(len(log), dtype=np.intp)
        return Constraints(X, zeros, zeros - 1, other.copy(), target, rows, doubled)
    up, down = np.divmod(np.maximum(other, 0.0).astype(np.intp), rows)
    return Constraints(X, up, down, (other >= 0.0).astype(np.float64), target, rows, doubled)


def competitors(constraints: Constraints, plan: Plan) -> list[Float64]:
    """Return fixed weights that do well on all rounds, in the domain of the learner.

    They minimise the sum of losses plus half the squared norm, with several weights of the latter;
    then they are scaled, or, for weights on the simplex, put there. 0, or the uniform weights, is
    one of them.
    """
    shape = (constraints.rows, constraints.X.shape[1])
    found = [_in_domain(np.zeros(shape), constraints.doubled, plan)]
    for weight in _WEIGHTS:
        u = constraints.solve(weight)
        found.extend(_scaled(u, constraints.doubled, plan))
    return [u if constraints.rows > 1 else u[0] for u in found]


def _scaled(u: Float64, doubled: bool, plan: Plan) -> Iterator[Float64]:
    if isinstance(plan.complexity, Entropy):
        yield _in_domain(u, doubled, plan)
        return
    for factor in _FACTORS:
        yield _in_domain(factor * u, doubled, plan)


def _in_domain(u: Float64, doubled: bool, plan: Plan) -> Float64:
    """Return weights as the learner has them; smaller where f(u) would be above the U of c."""
    f = plan.complexity
    if isinstance(f, Entropy):
        parts = np.hstack([u, -u]) if doubled else u
        parts = np.maximum(parts, 0.0)
        total = parts.sum(axis=1, keepdims=True)
        width = parts.shape[1]
        return np.where(total > 0.0, parts / np.where(total > 0.0, total, 1.0), 1.0 / width)
    weights = np.hstack([0.5 * u, -0.5 * u]) if doubled else u
    size = math.sqrt(float((weights**2).sum()))
    if isinstance(f, EuclideanBall) and size > f.rho:
        weights = weights * (f.rho / size)
    U = getattr(plan.update.tuning, "U", math.inf)
    value = float(np.sum(f.value(weights)))
    if math.isfinite(value) and value > U:
        weights = weights * math.sqrt(U / value)  # f is half a squared norm
    return weights


def best_certificate(
    trace: Trace, names: tuple[str, ...], among: list[Float64]
) -> tuple[Certificate, Float64] | None:
    """Return the first named bound that is about this learner, with the competitor best for it.

    None where no bound is, whichever the competitor.
    """
    for name in names:
        best: tuple[Certificate, Float64] | None = None
        for u in among:
            try:
                found = evaluate(trace, name, u)
            except ParameterError:
                continue
            if best is None or found.right < best[0].right:
                best = found, u
        if best is not None:
            return best
    return None


def evaluate(trace: Trace, name: str, u: Float64) -> Certificate:
    """Return a bound whose right side does not depend on the learner's own mistakes.

    The sources add up the losses of u over the mistaken rounds. With u = 0 that is their number
    again, and says nothing; so here they are those of all rounds, which are no less. Equation 5.2
    has M on both sides, and is solved for it.
    """
    found = trace.certify(name, u=u)
    plan = trace.plan
    if plan is None or not plan.update.conservative or name in (*SQUARED_BOUNDS, "Lemma 2"):
        return found
    anyhow = Trace(plan, trace, rows=1)
    columns = trace.as_dict()
    columns["cost"] = np.ones(len(trace))
    anyhow.extend(columns, ())
    anyhow.radius = trace.radius
    wide = anyhow.certify(name, u=u)
    if name != "Eq 5.2":
        return Certificate(name, found.left, wide.right, found.left <= wide.right + 1e-9)
    # gamma M <= c f(u) + lost + (X^2 / 2 c) M; the pieces from two numbers of rounds.
    c = float(trace.c[-1]) if len(trace) else 1.0
    price = float(trace.norm.max(initial=0.0)) ** 2 / (2.0 * c)
    rest = wide.right - price * len(trace)
    slope = plan.margin - price
    right = plan.margin * rest / slope if slope > 0.0 else math.inf
    return Certificate(name, found.left, right, found.left <= right * (1.0 + 1e-9) + 1e-9)


def least_loss(constraints: Constraints) -> float:
    """Return the sum of losses of the best fixed weights that were found, of any size."""
    if not len(constraints.target):
        return 0.0
    zero = np.zeros((constraints.rows, constraints.X.shape[1] * (1 + constraints.doubled)))
    least = float(constraints.losses_of(zero).sum())
    for weight in _WEIGHTS[:2]:
        u = constraints.solve(weight, passes=400)
        u = np.hstack([u, np.zeros_like(u)]) if constraints.doubled else u
        least = min(least, float(constraints.losses_of(u).sum()))
    return least
