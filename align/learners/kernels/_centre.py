"""The centre of a kernel learner of one class: a convex combination of examples, in blocks.

The centre is ``w = sum_j beta_j K(x_j, .)``, at the distance ``sqrt(K(x, x) - 2 F(x) + |w|^2)`` of
an example, ``F(x) = sum_j beta_j K(x_j, x)``. A step of tau towards x at distance D makes it
``(1 - tau/D) w + (tau/D) K(x, .)``, and ``|w|^2`` follows from what is known.
"""

import math

import numpy as np

from align._numba import compiled
from align.learners.kernels._rounds import Rule
from align.learners.kernels._supports import BLOCK, Played, diagonal_of, with_room
from align.learners.kernels.functions import Kernel
from align.learners.parts.step_kernels import exact_alpha, hinge
from align.learners.theory.recorded import COST, LOSS, NORM, TARGET, TAU
from align.types import Float64, IntArray


class Centre:
    """Stored examples [shape=(S, d)] and their shares of the centre [shape=(S,)], which sum to 1.

    `n_rounds` were played; `square` is ``|w|^2`` of the last centre.
    """

    def __init__(self, n_features: int) -> None:
        self._n = 0
        self._vectors = np.empty((0, n_features))
        self._beta, self._late = np.empty(0), np.empty(0)
        self.n_rounds = 0
        self.square = 0.0
        self._mean_square: float | None = None  # of the mean, once it was asked for

    @property
    def vectors(self) -> Float64:
        """The supports [shape=(S, d)], a view."""
        return self._vectors[: self._n]

    def last(self) -> Float64:
        """Return the shares of the last centre [shape=(S,)]."""
        return self._beta[: self._n].copy()

    def average(self) -> Float64:
        """Return the mean shares of the centres before each round but the first [shape=(S,)]."""
        # A step in round t is part of T - t of the T - 1 centres.
        return self._beta[: self._n] - self._late[: self._n] / max(1, self.n_rounds - 1)

    def mean_square(self, kernel: Kernel) -> float:
        """Return ``|w|^2`` of the mean of the centres."""
        if self._mean_square is None:
            beta, vectors, total = self.average(), self.vectors, 0.0
            for i in range(0, self._n, BLOCK):
                gram = kernel(vectors[i : i + BLOCK], vectors)
                total += float(beta[i : i + BLOCK] @ (gram @ beta))
            self._mean_square = total
        return self._mean_square

    def play(
        self,
        kernel: Kernel,
        X: Float64,
        order: IntArray,
        slot: IntArray,
        *,
        rule: Rule,
        weights: Float64,
        log: Float64,
    ) -> Played:
        """Play one round for each example of `order`, none of which comes twice.

        `slot` has the place of each among the supports, or -1, and is kept up to date. `weights`
        are those of `Targets`. `log` has a row for each round, or none.
        """
        self._mean_square = None
        rounds = mistakes = updates = 0
        total = 0.0
        for begin in range(0, len(order), BLOCK):
            rows = order[begin : begin + BLOCK]
            x, n = X[rows], self._n
            self._vectors, self._beta, self._late = (
                with_room(array, n, n + len(rows))
                for array in (self._vectors, self._beta, self._late)
            )
            scores = kernel(x, self._vectors[:n]) @ self._beta[:n] if n else np.zeros(len(rows))
            places = slot[rows]
            self.square, lost, missed, moved = _play_block(
                scores, kernel(x, x), diagonal_of(kernel, x), places, self._beta, self._late, n,
                self.n_rounds, self.square, rule, weights[rows], log[rounds:],
            )  # fmt: skip
            new = np.flatnonzero(places >= n)
            self._vectors[places[new]] = x[new]
            self._n += len(new)
            slot[rows] = places
            self.n_rounds += len(rows)
            rounds, mistakes, updates = rounds + len(rows), mistakes + missed, updates + moved
            total += lost
        return Played(rounds, mistakes, updates, total)


@compiled()
def _play_block(
    scores: Float64, gram: Float64, diagonal: Float64, places: IntArray, beta: Float64,
    late: Float64, n_supports: int, n_rounds: int, square: float, rule: Rule, weights: Float64,
    log: Float64,
) -> tuple[float, float, int, int]:  # fmt: skip
    """Play the rounds of a block; return ``|w|^2``, the sum of the losses, mistakes, updates.

    Writes to beta, late and places; updates the scores F of the rounds to come. `places` has the
    row of each example in `beta`, or -1: it gets the next one if the centre moves towards it.
    """
    mistakes = updates = 0
    total = 0.0
    for i in range(len(scores)):
        if n_rounds + i == 0:  # the first example only says where the centre begins
            distance, share = 0.0, 1.0
        else:
            distance = math.sqrt(max(0.0, diagonal[i] - 2.0 * scores[i] + square))
            loss = hinge(distance, rule.margin)
            total += loss
            if i < log.shape[0]:
                log[i, COST] = loss > 0.0
                log[i, LOSS] = log[i, TARGET] = loss
                log[i, NORM] = 1.0
            if loss == 0.0:  # NaN goes on, and is found by the caller
                continue
            mistakes += 1
            updates += 1
            tau = exact_alpha(loss, 1.0, rule.curvature / weights[i], rule.largest * weights[i])
            share = tau / distance
            if i < log.shape[0]:
                log[i, TAU] = tau
        before = n_rounds + i  # centres that do not have this step, that of round 1 left out
        for j in range(n_supports):
            late[j] -= before * share * beta[j]
            beta[j] *= 1.0 - share
        row = places[i]
        if row < 0:
            row = places[i] = n_supports
            n_supports += 1
        beta[row] += share
        late[row] += before * share
        # |(1 - s) w + s K(x, .)|^2, with <w, K(x, .)> = F(x).
        square *= (1.0 - share) ** 2
        square += share * (2.0 * (1.0 - share) * scores[i] + share * diagonal[i])
        for j in range(i + 1, len(scores)):
            scores[j] += share * (gram[j, i] - scores[j])
    return square, total, mistakes, updates
