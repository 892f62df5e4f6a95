"""One round of a flat learner, as the kernels play it: what every pass over examples calls.

A round is the same whatever the weights look like and wherever they lie. With the scores known,

    `judge_one`, `lead` and `runner_up`, `worst_pair` of `step_kernels`   name the direction a,
                  the target b, and whether the prediction was wrong,
    `tuned`       returns c,
    `hinge`       the loss ``[b - <w, a>]_+``,
    `book`        counts, and says whether a step is due,
    `closed_step` returns alpha (equations A5, C1, C3, C4 of the specification),
    `write`       fills the row of the log.

`_linear_pass` (weights that are a multiple of the dual sum) and `_link_pass` (all other weights)
read the scores and move the weights, each in the way that is quickest for it. Their reference in
plain NumPy is `_general`. All functions are compiled into their callers.

The arrays ``rule``, ``flags``, ``sums`` and the log are indexed by the constants below; `counts`
has rounds, mistakes, updates, and mistakes without a direction.
"""

import math
from typing import Any

import numpy as np

from align.learners.parts.step_kernels import exact_alpha, inlined, lean

# Sums
C, RADIUS, LOSS, GAIN, SQUARE, PREFIX, PRICED, DUAL = range(8)
N_SUMS = 8
# Numbers of the rule
MARGIN, LARGEST, CURVATURE, BIAS, FIRST_TUNING, SECOND_TUNING, BOUND, THRESHOLD = range(8)
N_RULES = 8
# Flags
REGRESSION, EXACT, CONSERVATIVE, TUNING, TIES, AVERAGE, STOP = range(7)
SCORES, FEATURES, BY_FEATURE = range(7, 10)  # k, d, and how the weights lie
N_FLAGS = 10
# Tunings
FIXED, MISTAKES, SELF_TUNED, SQRT, RUNNING, SELF_BOUNDED = range(6)
# Columns of the log
LOG_CODE, LOG_LOSS, LOG_ALPHA, LOG_C, LOG_NORM, LOG_TARGET, LOG_DUAL = range(7)
LOG_COST, LOG_OTHER, LOG_SCALE = range(7, 10)
LOG_WIDTH = 10


# Direction, target and mistake -------------------------------------------------------------------


@inlined
def judge_one(
    score: float, scale: float, y: float, rule: Any, flags: Any
) -> tuple[float, bool, float, float]:
    """Return prediction, whether it is wrong, sign of x in the direction, and target.

    The score is ``<w, x> / scale``. Whether a number is predicted wrongly, its loss says.
    """
    if flags[REGRESSION]:
        sign = 1.0 if y >= scale * score else -1.0
        return scale * score, False, sign, sign * y + rule[MARGIN]
    code = 1.0 if score >= 0.0 else -1.0
    return code, code != y or (flags[TIES] != 0 and score == 0.0), y, rule[MARGIN]


@inlined
def lead(scores: Any, k: int, label: int) -> tuple[float, float]:
    """Return the score of the right class and the best of the others; the former is taken out."""
    own = scores[label]
    scores[label] = -np.inf
    # Without branches, which nobody could predict, and two by two, so that one comparison need not
    # wait for the other. Which class is the best only matters with a loss.
    top = other = -np.inf
    for r in range(0, k - 1, 2):
        top = scores[r] if scores[r] > top else top
        other = scores[r + 1] if scores[r + 1] > other else other
    if k % 2:
        top = scores[k - 1] if scores[k - 1] > top else top
    top = other if other > top else top
    return own, top


@inlined
def runner_up(
    scores: Any, k: int, label: int, own: float, top: float, flags: Any
) -> tuple[int, int, bool]:
    """Return the first class of score `top`, the best of all, and whether there is a mistake."""
    # To the end, without branches, which nobody could predict.
    first = k
    for r in range(k):
        first = min(first, r if scores[r] == top else k)
    wrong = first if first < k else 0  # of scores that are not numbers
    # A tie goes to the first class, or is a mistake whichever is first.
    behind = (own < top) | ((own == top) & (wrong < label))
    best = wrong if behind else label
    return wrong, best, behind | ((own == top) & (flags[TIES] != 0))


# The weight of complexity ------------------------------------------------------------------------


@inlined
def tuned(radius: float, before: int, rule: Any, flags: Any, counts: Any, sums: Any) -> float:
    """Return c; `radius` and the mistakes `before` as the `Tuning` wants them (A6, B6, B7)."""
    kind = flags[TUNING]
    first, second = rule[FIRST_TUNING], rule[SECOND_TUNING]
    if kind == FIXED:
        return float(first)
    if kind == MISTAKES:
        return radius * math.sqrt(before / (2.0 * first))
    if kind == SELF_TUNED:
        return radius * math.sqrt((before + 1.0) / first)
    if kind == SQRT:
        return math.sqrt((counts[0] + 1.0) * second / first)
    if kind == RUNNING:
        return radius * math.sqrt((counts[0] + 1.0) * second / first)
    return float(second * math.sqrt(first + sums[PRICED]))


# Step and book-keeping ---------------------------------------------------------------------------


@inlined
def book(
    loss: float, mistake: bool, norm: float, weight: float, curvature: float, flags: Any,
    counts: Any, sums: Any,
) -> bool:  # fmt: skip
    """Count the round; return whether a step is due, if there is a loss."""
    counts[0] += 1
    counts[1] += mistake
    counts[3] += mistake & (norm == 0.0)
    sums[LOSS] += loss
    sums[PRICED] += weight * loss if curvature == 0.0 else 0.5 * loss * loss / curvature
    return norm > 0.0 and sums[C] > 0.0 and ((flags[CONSERVATIVE] == 0) | mistake)


@inlined
def ball_scale(c: float, square: float, bound: float) -> float:
    """Return what v of this squared norm is multiplied by: ``1 / c``, or onto the ball."""
    scale = 1.0 / c if c > 0.0 else 0.0
    if square * scale * scale > bound * bound:
        scale = bound / math.sqrt(square)
    return scale


@lean
def _ball_step(
    target: float, inner: float, norm2: float, curvature: float, c: float, square: float, b: float
) -> float:
    """Return the alpha, maybe infinite, with ``target - curvature alpha = <w(alpha), a>``.

    Along a the slope of the dual falls, so two loops find its zero: one doubles until the slope
    is negative, one halves what lies between.
    """
    low = 0.0
    high = c * (1.0 + abs(target)) / norm2
    for _ in range(1100):
        size = max(square + high * (2.0 * inner + high * norm2), 0.0)
        if target - curvature * high - ball_scale(c, size, b) * (inner + high * norm2) <= 0.0:
            break
        low = high
        high *= 2.0
        if high > 1e140:  # its square is still finite, and the slope does not change any more
            return math.inf
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle == low or middle == high:
            break
        size = max(square + middle * (2.0 * inner + middle * norm2), 0.0)
        if target - curvature * middle - ball_scale(c, size, b) * (inner + middle * norm2) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@inlined
def closed_step(
    loss: float, target: float, inner: float, norm2: float, square: float, price: float,
    largest: float, curvature: float, rule: Any, flags: Any, sums: Any,
) -> float:  # fmt: skip
    """Return alpha of a Euclidean round.

    ``inner`` is ``<v, a>``, ``square`` is ``|v|^2``, and ``price`` is ``|a|^2 / c``.
    """
    if flags[EXACT] == 0:
        return float(min(largest, loss / curvature) if curvature > 0.0 else largest)
    if rule[BOUND] < math.inf:
        alpha = _ball_step(target, inner, norm2, curvature, sums[C], square, rule[BOUND])
        return float(min(largest, alpha))
    return float(exact_alpha(loss, price, curvature, largest))


@inlined
def write(
    log: Any, i: int, code: float, loss: float, alpha: float, norm: float, target: float,
    mistake: bool, other: float, scale: float, sums: Any,
) -> None:  # fmt: skip
    """Fill a row of the log; `other` is the sign of x, or both classes as one number."""
    log[i, LOG_CODE] = code
    log[i, LOG_LOSS] = loss
    log[i, LOG_ALPHA] = alpha
    log[i, LOG_C] = sums[C]
    log[i, LOG_NORM] = norm
    log[i, LOG_TARGET] = target
    log[i, LOG_DUAL] = sums[DUAL]
    log[i, LOG_COST] = 1.0 if mistake else 0.0
    log[i, LOG_OTHER] = other
    log[i, LOG_SCALE] = scale
