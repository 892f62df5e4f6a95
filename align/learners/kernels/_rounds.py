"""The rounds of kernel learners of scores: what examples ask for, and a block, compiled."""

import math
from typing import NamedTuple

from align._numba import compiled
from align.learners.parts.step_kernels import exact_alpha, hinge, worst_pair
from align.learners.theory.recorded import COST, LOSS, NORM, TARGET, TAU
from align.types import BoolArray, Float64, IntArray


class Targets(NamedTuple):
    """What examples are labelled with, and what each counts.

    `relevant` [shape=(n, k), dtype=bool] says which classes are right, `numbers` [shape=(n,)] what
    is to be predicted; one of the two is empty, or both. `weights` [shape=(n,)] multiply C: the
    largest step, and one over the curvature.
    """

    relevant: BoolArray
    numbers: Float64
    weights: Float64

    def of(self, rows: IntArray) -> "Targets":
        """Return those of some examples."""
        return Targets._make(part[rows] if len(part) else part for part in self)


class Rule(NamedTuple):
    """How a round moves: at most `largest`, less by `curvature`; see `step_limits`.

    There is loss within `margin` of the border between classes, or further than it from a number.
    With `ties` a round is a mistake also where the classes of the pair are level.
    """

    largest: float
    curvature: float
    margin: float
    ties: bool = False


@compiled()
def _constraint(
    scores: Float64, relevant: BoolArray, numbers: Float64, i: int, rule: Rule
) -> tuple[int, int, float, float, bool]:
    """Return what round i asks for: score to raise, and to lower; sign, loss, and mistake.

    Of a number the one score is raised by a step times `sign`, and none is lowered: -1. Nor is
    there a pair where every class is relevant, or none.
    """
    if numbers.size > 0:
        error = numbers[i] - scores[i, 0]
        loss = hinge(abs(error), rule.margin)
        return 0, -1, (1.0 if error >= 0.0 else -1.0), loss, loss > 0.0
    up, down, best = worst_pair(scores[i], scores.shape[1], relevant, i)
    if up < 0 or down < 0:
        return up, down, 1.0, 0.0, False
    ahead = scores[i, up] - scores[i, down]
    wrong = ahead <= 0.0 if rule.ties else not relevant[i, best]
    return up, down, 1.0, hinge(rule.margin, ahead), wrong


@compiled()
def play_block(
    scores: Float64, gram: Float64, relevant: BoolArray, numbers: Float64, weights: Float64,
    slot: IntArray, coef: Float64, late: Float64, stored: IntArray, n_supports: int, limit: int,
    n_rounds: int, rule: Rule, diagonal: Float64, log: Float64,
) -> tuple[int, int, int, int, float]:  # fmt: skip
    """Play the rounds of a block, until it ends or there is no room for another support.

    Writes to coef, late and stored; updates the scores of the rounds to come. Returns supports
    stored, rounds played, mistakes, updates, and the sum of the losses.

    `scores` [shape=(n, k)] are those by the supports before the block; `gram` is ``K(x_i, x_j)``,
    or of what is left of them after the projection. `slot` has the row of each example in `coef`
    and `late`, or -1: it gets the next one if it has a step, and its place in `stored`.
    `n_supports` rows are in use before the block, of `limit` at most, and `n_rounds` were played.
    `diagonal` is ``K(x_i, x_i)``, what a step is divided by, not projected. `log` has a row for
    each round, or none.
    """
    n = len(scores)
    n_stored = mistakes = updates = 0
    total = 0.0
    for i in range(n):
        up, down, sign, loss, wrong = _constraint(scores, relevant, numbers, i, rule)
        price = diagonal[i] if down < 0 else 2.0 * diagonal[i]  # |a|^2 of the direction
        tau = 0.0
        if loss != 0.0:  # NaN goes on, and is found by the caller
            if price > 0.0:
                # Nothing of the round is written before it is sure of a row: without room the
                # caller makes some and plays it again, with new scores.
                row = slot[i]
                if row < 0:
                    row = n_supports + n_stored
                    if row >= limit:
                        return n_stored, i, mistakes, updates, total
                    stored[n_stored] = i
                    n_stored += 1
                tau = exact_alpha(
                    loss, price, rule.curvature / weights[i], rule.largest * weights[i]
                )
                before = n_rounds + i + 1  # hypotheses that do not have this step
                coef[row, up] += sign * tau
                late[row, up] += before * sign * tau
                if down >= 0:
                    coef[row, down] -= tau
                    late[row, down] -= before * tau
                # The scores of the rounds to come know the new step; nobody reads the others.
                for j in range(i + 1, n):
                    step = sign * tau * gram[j, i]
                    scores[j, up] += step
                    if down >= 0:
                        scores[j, down] -= step
                updates += 1
            total += loss
        mistakes += wrong
        if i < log.shape[0]:
            log[i, COST] = wrong
            log[i, LOSS] = loss
            log[i, TAU] = tau
            if numbers.size > 0:
                log[i, TARGET] = sign * numbers[i] - rule.margin
            elif up >= 0 and down >= 0:
                log[i, TARGET] = rule.margin
            else:
                price = 0.0  # there is no pair, and no direction
            log[i, NORM] = math.sqrt(price)
    return n_stored, n, mistakes, updates, total
