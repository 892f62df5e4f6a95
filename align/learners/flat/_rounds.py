"""Passes of the learners whose hypothesis is a multiple of the dual sum, ``w = scale v``.

That is `Euclidean` (scale ``1 / c``) and `EuclideanBall`, with every slack, step and tuning. There
is one kernel for one score and one for a score of each class, for dense rows and CSR alike. It
plays one round for each row that it is given, in order:

    read the scores and the squared norm of x,
    `_begin`  decides on c, and with it on the scale,
    `_finish` decides on alpha, does the book-keeping, writes the log,
    alpha times the direction is added to v.

The last column of v is the weight of a constant feature, ``rule[BIAS]`` (1, or 0 for none). The
arrays ``sums``, ``counts``, ``rule`` and ``flags`` are indexed by the constants below.
"""

import math
from typing import Any

import numpy as np

from align._numba import compiled

__all__ = [
    "AVERAGE",
    "BIAS",
    "BOUND",
    "CONSERVATIVE",
    "COST",
    "CURVATURE",
    "DUAL",
    "EXACT",
    "FIRST_TUNING",
    "FIXED",
    "GAIN",
    "LARGEST",
    "LOG_ALPHA",
    "LOG_C",
    "LOG_CODE",
    "LOG_COST",
    "LOG_DUAL",
    "LOG_LOSS",
    "LOG_NORM",
    "LOG_OTHER",
    "LOG_SCALE",
    "LOG_TARGET",
    "LOG_WIDTH",
    "LOSS",
    "MARGIN",
    "MISTAKES",
    "N_FLAGS",
    "N_RULES",
    "N_SUMS",
    "PREFIX",
    "PRICED",
    "RADIUS",
    "REGRESSION",
    "RUNNING",
    "SECOND_TUNING",
    "SELF_BOUNDED",
    "SELF_TUNED",
    "SQRT",
    "SQUARE",
    "STOP",
    "THRESHOLD",
    "TIES",
    "TUNING",
    "C",
    "play_classes",
    "play_scores",
    "play_uniclass",
]

# sums
C, RADIUS, LOSS, GAIN, SQUARE, PREFIX, PRICED, DUAL, COST = range(9)
N_SUMS = 9
# counts: rounds, mistakes, updates, mistakes without a direction
# rule
MARGIN, LARGEST, CURVATURE, BIAS, FIRST_TUNING, SECOND_TUNING, BOUND, THRESHOLD = range(8)
N_RULES = 8
# flags
REGRESSION, EXACT, CONSERVATIVE, TUNING, TIES, AVERAGE, STOP = range(7)
N_FLAGS = 7
# tunings
FIXED, MISTAKES, SELF_TUNED, SQRT, RUNNING, SELF_BOUNDED = range(6)
# columns of the log
(
    LOG_CODE,
    LOG_LOSS,
    LOG_ALPHA,
    LOG_C,
    LOG_NORM,
    LOG_TARGET,
    LOG_DUAL,
    LOG_COST,
    LOG_OTHER,
    LOG_SCALE,
) = range(10)
LOG_WIDTH = 10

_ROUNDING = 1e-12  # relative; a loss below this is what a step leaves on its own constraint
_FAST = {"reassoc", "contract", "nsz"}  # sums in any order; NaN stays NaN


@compiled(forceinline=True, error_model="numpy")
def _begin(norm2: float, mistake: bool, rule: Any, flags: Any, counts: Any, sums: Any) -> float:
    """Set c of the round and return the scale."""
    kind = flags[TUNING]
    if kind == FIXED:
        c = rule[FIRST_TUNING]
    else:
        if norm2 > sums[RADIUS] * sums[RADIUS]:
            if kind != MISTAKES or mistake or flags[CONSERVATIVE] == 0:
                sums[RADIUS] = math.sqrt(norm2)
        if kind == MISTAKES:
            c = sums[RADIUS] * math.sqrt((counts[1] + mistake) / (2.0 * rule[FIRST_TUNING]))
        elif kind == SELF_TUNED:
            c = sums[RADIUS] * math.sqrt((counts[1] + 1.0) / rule[FIRST_TUNING])
        elif kind == SQRT:
            c = math.sqrt((counts[0] + 1.0) * rule[SECOND_TUNING] / rule[FIRST_TUNING])
        elif kind == RUNNING:
            share = rule[SECOND_TUNING] / rule[FIRST_TUNING]
            c = sums[RADIUS] * math.sqrt((counts[0] + 1.0) * share)
        else:
            c = rule[SECOND_TUNING] * math.sqrt(rule[FIRST_TUNING] + sums[PRICED])
    sums[C] = c
    return _scale(c, sums[SQUARE], rule[BOUND])


@compiled(forceinline=True, error_model="numpy")
def _scale(c: float, square: float, bound: float) -> float:
    scale = 1.0 / c if c > 0.0 else 0.0
    if square * scale * scale > bound * bound:
        scale = bound / math.sqrt(square)
    return scale


@compiled(error_model="numpy")
def _ball_step(
    target: float, inner: float, norm2: float, curvature: float, c: float, square: float, b: float
) -> float:
    """Return the alpha, maybe infinite, with ``target - curvature alpha = <w(alpha), a>``."""
    low = 0.0
    high = c * (1.0 + abs(target)) / norm2
    for _ in range(1100):
        size = max(square + high * (2.0 * inner + high * norm2), 0.0)
        slope = target - curvature * high - _scale(c, size, b) * (inner + high * norm2)
        if slope <= 0.0:
            break
        low = high
        high *= 2.0
        if high > 1e300:
            return math.inf
    for _ in range(100):
        middle = 0.5 * (low + high)
        if middle == low or middle == high:
            break
        size = max(square + middle * (2.0 * inner + middle * norm2), 0.0)
        slope = target - curvature * middle - _scale(c, size, b) * (inner + middle * norm2)
        if slope > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@compiled(forceinline=True, error_model="numpy")
def _finish(
    target: float,
    inner: float,
    norm2: float,
    scale: float,
    mistake: bool,
    weight: float,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
) -> tuple[float, float]:
    """Return alpha and the loss of the round; ``inner`` is ``<v, a>``."""
    loss = target - scale * inner
    if loss <= _ROUNDING * (abs(target) + abs(scale * inner)):
        loss = 0.0
    if flags[REGRESSION]:
        mistake = loss > 0.0
    c = sums[C]
    curvature = rule[CURVATURE]
    if weight != 1.0:
        curvature /= weight
    counts[0] += 1
    counts[1] += mistake
    counts[3] += mistake and norm2 == 0.0
    sums[PREFIX] += scale
    sums[LOSS] += loss
    if loss > 0.0:
        sums[PRICED] += weight * loss if curvature == 0.0 else 0.5 * loss * loss / curvature
    alpha = 0.0
    if (
        loss > rule[THRESHOLD]
        and norm2 > 0.0
        and c > 0.0
        and (mistake or flags[CONSERVATIVE] == 0)
    ):
        alpha = weight * rule[LARGEST]
        if flags[EXACT] == 0:
            if curvature > 0.0:
                alpha = min(alpha, loss / curvature)
        elif rule[BOUND] < math.inf:
            most = _ball_step(target, inner, norm2, curvature, c, sums[SQUARE], rule[BOUND])
            alpha = min(alpha, most)
        else:
            alpha = min(alpha, loss / (norm2 * scale + curvature))
        counts[2] += 1
        sums[GAIN] += alpha * (target - 0.5 * curvature * alpha)
        sums[SQUARE] = max(sums[SQUARE] + alpha * (2.0 * inner + alpha * norm2), 0.0)
    return alpha, loss


@compiled(forceinline=True, error_model="numpy")
def _settle(rule: Any, sums: Any) -> None:
    """Set the dual objective; only who reads it pays for it."""
    c = sums[C]
    if c > 0.0:
        size = math.sqrt(sums[SQUARE])
        inside = min(size, c * rule[BOUND])
        sums[DUAL] = sums[GAIN] - inside * (size - 0.5 * inside) / c


@compiled(error_model="numpy")
def _write(
    log: Any,
    i: int,
    code: float,
    other: float,
    loss: float,
    alpha: float,
    norm2: float,
    target: float,
    mistake: bool,
    rule: Any,
    sums: Any,
) -> None:
    _settle(rule, sums)
    log[i, LOG_CODE] = code
    log[i, LOG_LOSS] = loss
    log[i, LOG_ALPHA] = alpha
    log[i, LOG_C] = sums[C]
    log[i, LOG_NORM] = math.sqrt(norm2)
    log[i, LOG_TARGET] = target
    log[i, LOG_DUAL] = sums[DUAL]
    log[i, LOG_COST] = 1.0 if mistake else 0.0
    log[i, LOG_OTHER] = other
    log[i, LOG_SCALE] = 1.0 / sums[C] if sums[C] > 0.0 else 0.0


@compiled(forceinline=True, error_model="numpy")
def _scalar_round(
    raw: float,
    square: float,
    y: float,
    weight: float,
    i: int,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
    log: Any,
) -> tuple[float, float]:
    """Play a round with one score; return the coefficient of x in v, and the number of updates."""
    norm2 = square + rule[BIAS] * rule[BIAS]
    if flags[REGRESSION]:
        scale = _begin(norm2, False, rule, flags, counts, sums)
        sign = 1.0 if y >= scale * raw else -1.0
        target = sign * y - rule[MARGIN]
        mistake = False
        code = scale * raw
    else:
        sign = y
        target = rule[MARGIN]
        code = 1.0 if raw >= 0.0 else -1.0
        mistake = code != y or (flags[TIES] != 0 and raw == 0.0)
        scale = _begin(norm2, mistake, rule, flags, counts, sums)
    alpha, loss = _finish(
        target, sign * raw, norm2, scale, mistake, weight, rule, flags, counts, sums
    )
    if i < log.shape[0]:
        wrong = loss > 0.0 if flags[REGRESSION] else mistake
        _write(log, i, code, sign, loss, alpha, norm2, target, wrong, rule, sums)
    return alpha, sign


@compiled(error_model="numpy", fastmath=_FAST)
def _dense_scores(V: Any, x: Any, bias: float, scores: Any) -> None:
    """Write ``<v_r, x>`` for every r, four at a time."""
    d, k = x.shape[0], V.shape[0]
    r = 0
    while r + 4 <= k:
        s0 = s1 = s2 = s3 = 0.0
        for j in range(d):
            value = x[j]
            s0 += V[r, j] * value
            s1 += V[r + 1, j] * value
            s2 += V[r + 2, j] * value
            s3 += V[r + 3, j] * value
        scores[r] = s0 + bias * V[r, d]
        scores[r + 1] = s1 + bias * V[r + 1, d]
        scores[r + 2] = s2 + bias * V[r + 2, d]
        scores[r + 3] = s3 + bias * V[r + 3, d]
        r += 4
    while r < k:
        total = 0.0
        for j in range(d):
            total += V[r, j] * x[j]
        scores[r] = total + bias * V[r, d]
        r += 1


@compiled(error_model="numpy", fastmath=_FAST)
def _sparse_scores(V: Any, x: Any, columns: Any, bias: float, scores: Any) -> None:
    d = V.shape[1] - 1
    for r in range(V.shape[0]):
        total = 0.0
        for j in range(x.shape[0]):
            total += V[r, columns[j]] * x[j]
        scores[r] = total + bias * V[r, d]


@compiled(error_model="numpy", fastmath=_FAST)
def _score(V: Any, x: Any, columns: Any, bias: float, scores: Any, spread: Any) -> float:
    """Write ``<v_r, x>`` for every r; return the squared norm of x.

    A row of which an eighth is there is quicker dense: `spread` is 0 but within.
    """
    n = x.shape[0]
    if n == V.shape[1] - 1:
        _dense_scores(V, x, bias, scores)
    elif 8 * n < spread.shape[0]:
        _sparse_scores(V, x, columns, bias, scores)
    else:
        for j in range(n):
            spread[columns[j]] = x[j]
        _dense_scores(V, spread, bias, scores)
        for j in range(n):
            spread[columns[j]] = 0.0
    square = 0.0
    for j in range(n):
        value = np.float64(x[j])
        square += value * value
    return square


@compiled(forceinline=True, error_model="numpy")
def _add(v: Any, step: float, x: Any, columns: Any, bias: float) -> None:
    d = v.shape[0] - 1
    if x.shape[0] == d:
        for j in range(d):
            v[j] += step * x[j]
    else:
        for j in range(x.shape[0]):
            v[columns[j]] += step * x[j]
    v[d] += step * bias


@compiled(error_model="numpy")
def play_scores(
    data: Any,
    indices: Any,
    indptr: Any,
    y: Any,
    order: Any,
    weights: Any,
    V: Any,
    late: Any,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
    log: Any,
) -> int:
    """Play rounds with one score; return how many rows were used up.

    The rows are those of a CSR matrix, or all of `data` in turn where `indptr` is empty.
    """
    score = np.empty(1)
    d = V.shape[1] - 1
    dense = indptr.shape[0] == 0
    spread = np.zeros(0 if dense else d)
    for i in range(order.shape[0]):
        row = order[i]
        weight = weights[row] if weights.shape[0] else 1.0
        if weight == 0.0:
            continue
        begin = row * d if dense else indptr[row]
        end = begin + d if dense else indptr[row + 1]
        x, columns = data[begin:end], indices[begin:end]
        square = _score(V, x, columns, rule[BIAS], score, spread)
        alpha, sign = _scalar_round(
            score[0], square, y[row], weight, i, rule, flags, counts, sums, log
        )
        if alpha > 0.0:
            _add(V[0], alpha * sign, x, columns, rule[BIAS])
            if flags[AVERAGE]:
                _add(late[0], sums[PREFIX] * alpha * sign, x, columns, rule[BIAS])
            if flags[STOP]:
                _settle(rule, sums)
                return i + 1
    _settle(rule, sums)
    return int(order.shape[0])


@compiled(forceinline=True, error_model="numpy")
def _rivals(scores: Any, label: int, relevant: Any, row: int) -> tuple[int, int, int]:
    """Return the worst relevant class, the best other one, and the best of all; ties: the first.

    The first two are -1 where there is none.
    """
    wrong = -1
    if label >= 0:
        own = scores[label]
        scores[label] = -np.inf
        wrong = 0 if label != 0 else 1
        if wrong == scores.shape[0]:
            wrong = -1
        for r in range(wrong + 1, scores.shape[0]):
            if scores[r] > scores[wrong]:
                wrong = r
        scores[label] = own
        if wrong < 0 or own > scores[wrong] or (own == scores[wrong] and label < wrong):
            return label, wrong, label
        return label, wrong, wrong
    good = -1
    best = 0
    for r in range(scores.shape[0]):
        if scores[r] > scores[best]:
            best = r
        if relevant[row, r]:
            if good < 0 or scores[r] < scores[good]:
                good = r
        elif wrong < 0 or scores[r] > scores[wrong]:
            wrong = r
    return good, wrong, best


@compiled(forceinline=True, error_model="numpy")
def _class_round(
    scores: Any,
    square: float,
    good: int,
    wrong: int,
    best: int,
    label: int,
    weight: float,
    i: int,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
    log: Any,
) -> float:
    """Play a round with a score for each class; return the coefficient of x in v."""
    target = rule[MARGIN]
    if good < 0 or wrong < 0:  # nothing to rank
        norm2 = 0.0
        inner = target
        mistake = False
        target = 0.0
        inner = 0.0
    else:
        norm2 = 2.0 * (square + rule[BIAS] * rule[BIAS])
        inner = scores[good] - scores[wrong]
        # A tie goes to the first class, or is a mistake; among labels it always is one.
        mistake = inner <= 0.0 if label < 0 or flags[TIES] else best != label
    scale = _begin(norm2, mistake, rule, flags, counts, sums)
    alpha, loss = _finish(target, inner, norm2, scale, mistake, weight, rule, flags, counts, sums)
    if i < log.shape[0]:
        other = float(good) * scores.shape[0] + wrong if norm2 > 0.0 else -1.0
        _write(log, i, float(best), other, loss, alpha, norm2, target, mistake, rule, sums)
    return alpha


@compiled(error_model="numpy")
def play_classes(
    data: Any,
    indices: Any,
    indptr: Any,
    y: Any,
    relevant: Any,
    order: Any,
    weights: Any,
    V: Any,
    late: Any,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
    log: Any,
) -> int:
    """Play rounds with a score for each class; the rows are those of `play_scores`."""
    scores = np.empty(V.shape[0])
    d = V.shape[1] - 1
    dense = indptr.shape[0] == 0
    spread = np.zeros(0 if dense else d)
    for i in range(order.shape[0]):
        row = order[i]
        weight = weights[row] if weights.shape[0] else 1.0
        if weight == 0.0:
            continue
        begin = row * d if dense else indptr[row]
        end = begin + d if dense else indptr[row + 1]
        x, columns = data[begin:end], indices[begin:end]
        square = _score(V, x, columns, rule[BIAS], scores, spread)
        label = y[row]
        good, wrong, best = _rivals(scores, label, relevant, row)
        alpha = _class_round(
            scores,
            square,
            good,
            wrong,
            best,
            label,
            weight,
            i,
            rule,
            flags,
            counts,
            sums,
            log,
        )
        if alpha > 0.0:
            _add(V[good], alpha, x, columns, rule[BIAS])
            _add(V[wrong], -alpha, x, columns, rule[BIAS])
            if flags[AVERAGE]:
                step = sums[PREFIX] * alpha
                _add(late[good], step, x, columns, rule[BIAS])
                _add(late[wrong], -step, x, columns, rule[BIAS])
            if flags[STOP]:
                _settle(rule, sums)
                return i + 1
    _settle(rule, sums)
    return int(order.shape[0])


@compiled(error_model="numpy")
def play_uniclass(
    X: Any,
    order: Any,
    weights: Any,
    w: Any,
    total: Any,
    epsilon: float,
    largest: float,
    curvature: float,
    threshold: float,
    average: bool,
    counts: Any,
    sums: Any,
    log: Any,
) -> None:
    """Play rounds that pull the centre w towards each row, until it is near enough.

    The mean of the centres before rounds 2 .. T is ``w - total / (T - 1)``, where `total` has the
    step of round t, which came too late for t - 1 of them, t - 1 times.
    """
    d = X.shape[1]
    for i in range(order.shape[0]):
        row = order[i]
        weight = weights[row] if weights.shape[0] else 1.0
        if weight == 0.0:
            continue
        counts[0] += 1
        if counts[0] == 1:  # the first example only says where the centre begins
            for j in range(d):
                w[j] = X[row, j]
            if i < log.shape[0]:
                log[i] = 0.0
                log[i, LOG_C] = 1.0
            continue
        square = 0.0
        for j in range(d):
            square += (X[row, j] - w[j]) ** 2
        distance = math.sqrt(square)
        loss = distance - epsilon
        if loss <= _ROUNDING * (epsilon + distance) and distance < math.inf:
            loss = 0.0
        tau = 0.0
        if loss > threshold:
            tau = min(weight * largest, loss / (1.0 + curvature / weight))
        counts[1] += loss > 0.0
        sums[LOSS] += loss
        sums[PRICED] += loss * loss
        if tau > 0.0:
            counts[2] += 1
            share = tau / distance
            for j in range(d):
                step = share * (X[row, j] - w[j])
                w[j] += step
                if average:
                    total[j] += (counts[0] - 1) * step
        if i < log.shape[0]:
            log[i, LOG_CODE] = distance
            log[i, LOG_LOSS] = loss
            log[i, LOG_ALPHA] = tau
            log[i, LOG_C] = 1.0
            log[i, LOG_NORM] = 1.0
            log[i, LOG_TARGET] = 0.0
            log[i, LOG_DUAL] = math.nan
            log[i, LOG_COST] = 1.0 if loss > 0.0 else 0.0
            log[i, LOG_OTHER] = 0.0
            log[i, LOG_SCALE] = 1.0
