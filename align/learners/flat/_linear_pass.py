"""Passes of the learners whose hypothesis is a multiple of the dual sum, ``w = scale v``.

That is `Euclidean` (scale ``1 / c``) and `EuclideanBall`, with every slack, step and tuning; one
score or one for each class; dense rows and CSR. One kernel plays them all. It is this fast because

* with a fixed c a round without loss changes nothing, and is left as soon as that is seen;
* the weights lie as the rows want them. *By class* those of a class are side by side, for rows
  that are mostly there: four classes are scored at a time, along the features. *By feature* those
  of a feature are side by side, for rows of few entries: an entry reads those of all classes at
  once, and a step touches two of them;
* the mean of the hypotheses costs nothing in rounds without a step: a step of round t counts
  ``P_T - P_t`` times in their sum, P being the sum of the scales, so `late` gets it ``P_t`` times.

The last weight of a class is that of the constant feature, ``rule[BIAS]`` (1, or 0 for none).
"""

import math
from typing import Any

import numpy as np

from align._numba import compiled
from align.learners.flat import _round as core
from align.learners.flat._round import (
    ball_scale,
    book,
    closed_step,
    judge_one,
    lead,
    rank_sets,
    runner_up,
    tuned,
    write,
)
from align.learners.parts.step_kernels import hinge, inlined

__all__ = ["BLOCK", "NO_TILES", "TILE", "play"]

BLOCK = 4  # dense rows that are scored together
_LARGE = 3072  # weights, more than which the first cache cannot hold beside a row
TILE = 12  # classes that are scored together, by feature
NO_TILES = np.zeros((0, 0, TILE))  # of weights by class
_ZEROS = (0.0,) * TILE
_LEFT_OUT = np.where(np.arange(2 * TILE) == TILE, -np.inf, 0.0)  # from TILE - r: without sum r
_FAST = {"reassoc", "contract", "nsz"}  # sums in any order; NaN stays NaN


# Scores ------------------------------------------------------------------------------------------


@compiled(forceinline=True, error_model="numpy", fastmath=_FAST, _nrt=False)
def _square(x: Any) -> float:
    total = 0.0
    for j in range(x.shape[0]):
        total += x[j] * x[j]
    return total


@compiled(forceinline=True, error_model="numpy", fastmath=_FAST, _nrt=False)
def _by_class(W: Any, x: Any, last: int, bias: float, scores: Any) -> None:
    """Write the scores of a dense row, four classes at a time: each number of x is read once."""
    k, d = W.shape[0], x.shape[0]
    r = 0
    while r + 4 <= k:
        s0 = s1 = s2 = s3 = 0.0
        for j in range(d):
            value = x[j]
            s0 += W[r, j] * value
            s1 += W[r + 1, j] * value
            s2 += W[r + 2, j] * value
            s3 += W[r + 3, j] * value
        scores[r] = s0 + bias * W[r, last]
        scores[r + 1] = s1 + bias * W[r + 1, last]
        scores[r + 2] = s2 + bias * W[r + 2, last]
        scores[r + 3] = s3 + bias * W[r + 3, last]
        r += 4
    while r < k:
        total = 0.0
        for j in range(d):
            total += W[r, j] * x[j]
        scores[r] = total + bias * W[r, last]
        r += 1


@compiled(forceinline=True, error_model="numpy", fastmath=_FAST, _nrt=False)
def _four_by_class(
    W: Any, a: Any, b: Any, c: Any, e: Any, last: int, bias: float, ahead: Any
) -> None:
    """Write the scores of four dense rows, one row after another, two classes at a time."""
    k = W.shape[0]
    for r in range(0, k, 2):
        q = min(r + 1, k - 1)  # the last of an odd number twice
        s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = 0.0
        for j in range(a.shape[0]):
            w, v = W[r, j], W[q, j]
            s0 += w * a[j]
            s1 += w * b[j]
            s2 += w * c[j]
            s3 += w * e[j]
            t0 += v * a[j]
            t1 += v * b[j]
            t2 += v * c[j]
            t3 += v * e[j]
        w, v = bias * W[r, last], bias * W[q, last]
        ahead[r], ahead[k + r], ahead[2 * k + r], ahead[3 * k + r] = s0 + w, s1 + w, s2 + w, s3 + w
        ahead[q], ahead[k + q], ahead[2 * k + q], ahead[3 * k + q] = t0 + v, t1 + v, t2 + v, t3 + v


@compiled(forceinline=True, error_model="numpy", fastmath=_FAST, _nrt=False)
def _pair_by_class(W: Any, up: int, down: int, x: Any, last: int, bias: float, out: Any) -> None:
    """Write the scores of two classes only."""
    s, t = bias * W[up, last], bias * W[down, last]
    for j in range(x.shape[0]):
        s += W[up, j] * x[j]
        t += W[down, j] * x[j]
    out[up], out[down] = s, t


@inlined
def _score_ahead(W: Any, data: Any, order: Any, i: int, d: int, bias: float, ahead: Any) -> None:
    """Write the scores of round i and the three that follow it; beyond the last, of the last."""
    end = order.shape[0] - 1
    a, b = order[i] * d, order[min(i + 1, end)] * d
    c, e = order[min(i + 2, end)] * d, order[min(i + 3, end)] * d
    _four_by_class(
        W, data[a : a + d], data[b : b + d], data[c : c + d], data[e : e + d], d, bias, ahead
    )


@inlined
def _score_again(
    W: Any, up: int, down: int, data: Any, order: Any, i: int, d: int, bias: float, ahead: Any
) -> None:
    """Write the scores that the step of round i has made wrong: two of each round to come."""
    k = W.shape[0]
    for place in range(i % BLOCK + 1, min(BLOCK, order.shape[0] - i + i % BLOCK)):
        x = data[order[i - i % BLOCK + place] * d :][:d]
        _pair_by_class(W, up, down, x, d, bias, ahead[place * k :])


@inlined
def _sparse_by_class(W: Any, x: Any, columns: Any, last: int, bias: float, scores: Any) -> None:
    """Write the scores of a row of few entries, one class after another."""
    n = x.shape[0]
    for r in range(W.shape[0]):
        first = second = 0.0  # two sums, so that one addition need not wait for the other
        for j in range(0, n - 1, 2):
            first += x[j] * W[r, np.uint32(columns[j])]
            second += x[j + 1] * W[r, np.uint32(columns[j + 1])]
        if n % 2:
            first += x[n - 1] * W[r, np.uint32(columns[n - 1])]
        scores[r] = first + second + bias * W[r, last]


@compiled(forceinline=True, error_model="numpy", fastmath={"contract"}, _nrt=False)
def _plus(s: Any, x: float, w: Any) -> Any:
    """Return TILE sums, each with x times its weight added.

    A tuple, and not an array: the compiler keeps it in registers, four or eight sums to one of
    them, while every store to an array might change W, for all it knows.
    """
    return (
        s[0] + x * w[0], s[1] + x * w[1], s[2] + x * w[2], s[3] + x * w[3],
        s[4] + x * w[4], s[5] + x * w[5], s[6] + x * w[6], s[7] + x * w[7],
        s[8] + x * w[8], s[9] + x * w[9], s[10] + x * w[10], s[11] + x * w[11],
    )  # fmt: skip


@inlined
def _larger(a: float, b: float) -> float:
    return a if a > b else b


@inlined
def _top(s: Any) -> float:
    """Return the largest of TILE sums, four by four: they are in registers yet."""
    a, b, c, d = s[0], s[1], s[2], s[3]
    a, b, c, d = _larger(a, s[4]), _larger(b, s[5]), _larger(c, s[6]), _larger(d, s[7])
    a, b, c, d = _larger(a, s[8]), _larger(b, s[9]), _larger(c, s[10]), _larger(d, s[11])
    return _larger(_larger(a, c), _larger(b, d))


@inlined
def _by_feature(
    tiles: Any, x: Any, columns: Any, last: int, bias: float, label: int, scores: Any
) -> float:
    """Write the scores of a row of few entries, TILE classes at a time; return the best wrong one.

    A tile is found by whole numbers alone, and each sum has one loop: with slices in it, or with
    two sums in turn, the compiler would take the vectors apart and put them together each time.
    The sums begin with what lies below the constant: 0, and -inf beyond the last class.
    """
    top = -math.inf
    for tile in range(tiles.shape[1]):
        s = _plus(_plus(_ZEROS, 1.0, tiles[last + 1, tile]), bias, tiles[last, tile])
        for j in range(x.shape[0]):
            s = _plus(s, x[j], tiles[np.uint32(columns[j]), tile])
        out = scores[tile * TILE :]
        out[0], out[1], out[2], out[3] = s[0], s[1], s[2], s[3]
        out[4], out[5], out[6], out[7] = s[4], s[5], s[6], s[7]
        out[8], out[9], out[10], out[11] = s[8], s[9], s[10], s[11]
        place = label - tile * TILE
        place = place if 0 <= place < TILE else TILE
        top = _larger(_top(_plus(s, 1.0, _LEFT_OUT[TILE - place :])), top)
    return top


@inlined
def _score(
    W: Any, tiles: Any, x: Any, columns: Any, d: int, k: int, bias: float, by_feature: bool,
    label: int, scores: Any,
) -> tuple[float, float]:  # fmt: skip
    """Write the scores of a row, the way its entries and the weights lie.

    Return the score of the right class and the best of the others, where there is a `label`.
    """
    if by_feature:
        top = _by_feature(tiles, x, columns, d, bias, label, scores)
        return scores[label] if label >= 0 else 0.0, top
    if x.shape[0] == d:
        _by_class(W, x, d, bias, scores)
    else:
        _sparse_by_class(W, x, columns, d, bias, scores)
    if label < 0:
        return 0.0, 0.0
    return lead(scores, k, label)


@inlined
def _is_spread(n: int, d: int, k: int, by_feature: bool) -> bool:
    """Whether a row with n of d entries is quicker dense.

    One score is read entry by entry. Of several, eight products of a dense row cost as much as
    one of a sparse row.
    """
    return not by_feature and n < d <= n * (8 if k > 1 else 2)


@inlined
def _spread(x: Any, columns: Any, spare: Any) -> None:
    """Write a CSR row as a dense one."""
    spare[:] = 0.0
    for j in range(x.shape[0]):
        spare[np.uint32(columns[j])] = x[j]


# Steps -------------------------------------------------------------------------------------------


@inlined
def _add(w: Any, step: float, x: Any, columns: Any, d: int, bias: float) -> None:
    """Add ``step x`` to the weights of a class."""
    if x.shape[0] == d:
        for j in range(d):
            w[j] += step * x[j]
    else:
        for j in range(x.shape[0]):
            w[np.uint32(columns[j])] += step * x[j]
    w[d] += step * bias


@inlined
def _add_pair(
    W: Any, up: int, down: int, step: float, x: Any, columns: Any, d: int, bias: float
) -> None:
    """Add ``step x`` to the weights of class `up`, by feature, and take it from `down`."""
    for j in range(x.shape[0]):
        feature, value = np.uint32(columns[j]), step * x[j]
        W[feature, up] += value
        W[feature, down] -= value
    W[d, up] += step * bias
    W[d, down] -= step * bias


@inlined
def _move(
    W: Any, by_feature: bool, up: int, down: int, step: float, x: Any, columns: Any, d: int,
    bias: float,
) -> None:  # fmt: skip
    """Add ``step`` times the direction to a dual sum, or to what is late."""
    if by_feature:
        _add_pair(W, up, down, step, x, columns, d, bias)
        return
    _add(W[up], step, x, columns, d, bias)
    if down >= 0:
        _add(W[down], -step, x, columns, d, bias)


# A pass ------------------------------------------------------------------------------------------


@inlined
def _rescaled(norm2: float, mistake: bool, rule: Any, flags: Any, counts: Any, sums: Any) -> float:
    """Set c of the round, where it is not fixed; return the scale."""
    kind = flags[core.TUNING]
    longer = norm2 > sums[core.RADIUS] * sums[core.RADIUS]
    if longer and (kind != core.MISTAKES or mistake or flags[core.CONSERVATIVE] == 0):
        sums[core.RADIUS] = math.sqrt(norm2)
    before = counts[1] + (mistake and kind == core.MISTAKES)
    sums[core.C] = tuned(sums[core.RADIUS], before, rule, flags, counts, sums)
    return float(ball_scale(sums[core.C], sums[core.SQUARE], rule[core.BOUND]))


@inlined
def _set_dual(rule: Any, sums: Any) -> None:
    """Set the dual objective (A4); only who reads it pays for it."""
    c = sums[core.C]
    if c > 0.0:
        size = math.sqrt(sums[core.SQUARE])
        inside = min(size, c * rule[core.BOUND])
        sums[core.DUAL] = sums[core.GAIN] - inside * (size - 0.5 * inside) / c


@inlined
def _judge(
    scores: Any, k: int, label: int, own: float, top: float, scale: float, y: Any, relevant: Any,
    row: int, rule: Any, flags: Any,
) -> tuple[int, int, float, float, float, float, bool]:  # fmt: skip
    """Return what the loss of a round takes, and no more.

    That is the rows `up` and `down` of W that the direction adds x to and takes it from, -1 for
    none; what the round predicts, the sign of x and the margin wanted; ``<v, a>``; and whether the
    prediction was wrong.

    Of classes only the margin is asked at first, the right score `own` less the best other, `top`:
    which class is ahead costs another search (`runner_up`), that rounds without loss need not
    make; `down` and the mistake are unknown then.
    """
    mistake = False
    code = inner = 0.0
    sign, target, up, down = 1.0, rule[core.MARGIN], 0, -1
    if k == 1:
        code, mistake, sign, target = judge_one(scores[0], scale, y[row], rule, flags)
        inner = sign * scores[0]
    elif label >= 0:
        inner = own - top
    else:
        up, down, best = rank_sets(scores, k, relevant, row)
        code = float(best)
        if up >= 0 and down >= 0:
            inner = scores[up] - scores[down]
            mistake = inner <= 0.0
        else:
            target = 0.0  # no pair of labels, no loss
    return up, down, code, sign, target, inner, mistake


@inlined
def _find_alpha(
    loss: float, target: float, inner: float, norm2: float, scale: float, largest: float,
    curvature: float, rule: Any, flags: Any, counts: Any, sums: Any,
) -> float:  # fmt: skip
    """Return alpha of a round with a loss; the dual objective and ``|v|^2`` go with it."""
    square = sums[core.SQUARE]
    price = norm2 * scale
    alpha = closed_step(
        loss, target, inner, norm2, square, price, largest, curvature, rule, flags, sums
    )
    counts[2] += 1
    sums[core.GAIN] += alpha * (target - 0.5 * curvature * alpha)
    sums[core.SQUARE] = max(square + alpha * (2.0 * inner + alpha * norm2), 0.0)
    return alpha


@inlined
def _write_log(
    log: Any, i: int, k: int, up: int, down: int, code: float, loss: float, alpha: float,
    norm2: float, target: float, mistake: bool, sign: float, rule: Any, sums: Any,
) -> None:  # fmt: skip
    """Fill a row of the log: with several scores, both classes of the direction as one number."""
    _set_dual(rule, sums)
    other = sign
    if k > 1:
        other = float(up * k + down) if norm2 > 0.0 else -1.0
    of_c = 1.0 / sums[core.C] if sums[core.C] > 0.0 else 0.0
    write(log, i, code, loss, alpha, math.sqrt(norm2), target, mistake, other, of_c, sums)


@compiled(error_model="numpy", slp=True, _nrt=False)
def play(
    data: Any, all_columns: Any, ends: Any, y: Any, relevant: Any, weights: Any, order: Any,
    W: Any, tiles: Any, late: Any, rule: Any, flags: Any, counts: Any, sums: Any, spare: Any,
    log: Any,
) -> int:  # fmt: skip
    """Play one round for each row of `order`; return how many rows were used up.

    `data`, `all_columns`, `ends` are CSR rows (columns and ends of 32 bits); or, where `ends` is
    empty, dense rows one after another. `y` [shape=(m,)] are numbers, signs, or codes of classes;
    `relevant` [shape=(m, k)] and `weights` [shape=(m,)] are empty where there are none. W and
    `late` [shape=(k, d + 1 or more)] are dual sum and late steps; by feature they are ``(d + 1,
    K)`` and ``(d + 1, k)``, K being k rounded up to a multiple of TILE, and `tiles` is W as ``(d +
    2, K / TILE, TILE)`` with a row more, 0 for each class and -inf beyond (else NO_TILES). `spare`
    [shape=(d + BLOCK k + TILE,)] is work space.
    """
    k, d, by_feature = flags[core.SCORES], flags[core.FEATURES], flags[core.BY_FEATURE] != 0
    bias, average = rule[core.BIAS], flags[core.AVERAGE] != 0
    dense = ends.shape[0] == 0
    ahead, spare = spare[d:], spare[:d]
    scores = ahead[: -(-k // TILE) * TILE if by_feature else k]
    # Weights that the first cache does not hold are read once for some rows.
    blocked = dense and not by_feature and k > 1 and k * d > _LARGE and order.shape[0] >= BLOCK
    # Whether a round without loss changes nothing but the number of rounds and their sum of
    # scales. Without a margin there may be mistakes without loss, which count.
    steady = flags[core.TUNING] == core.FIXED and rule[core.BOUND] == math.inf
    steady = steady and (rule[core.MARGIN] > 0.0 or flags[core.REGRESSION] != 0)
    scale = ball_scale(sums[core.C], sums[core.SQUARE], rule[core.BOUND])
    prefix = sums[core.PREFIX]
    quiet = 0
    played = order.shape[0]
    for i in range(order.shape[0]):
        row = order[i]
        begin = row * d if dense else ends[row]
        end = begin + d if dense else ends[row + 1]
        x = data[begin:end]
        columns = all_columns if dense else all_columns[begin:end]
        if _is_spread(end - begin, d, k, by_feature):
            _spread(x, columns, spare)
            x = spare
        label = -1 if k == 1 else int(y[row])  # -1 of label sets, too
        if blocked:
            if i % BLOCK == 0:
                _score_ahead(W, data, order, i, d, bias, ahead)
            scores = ahead[i % BLOCK * k :][:k]
            own, top = lead(scores, k, label) if label >= 0 else (0.0, 0.0)
        else:
            own, top = _score(W, tiles, x, columns, d, k, bias, by_feature, label, scores)
        logged = i < log.shape[0]
        up, down, code, sign, target, inner, mistake = _judge(
            scores, k, label, own, top, scale, y, relevant, row, rule, flags
        )
        if steady and not logged and hinge(target, scale * inner) == 0.0:
            prefix += scale
            quiet += 1
            continue

        # There is a loss, or the round counts in another way: |a|^2 is wanted, and c.
        if label >= 0:
            up, scores[label] = label, -np.inf
            down, best, mistake = runner_up(scores, k, label, own, top, flags)
            code = float(best)
        norm2 = 0.0
        if k == 1 or (up >= 0 and down >= 0):
            norm2 = (_square(x) + bias * bias) * (1.0 if k == 1 else 2.0)
        if not steady:
            scale = _rescaled(norm2, mistake, rule, flags, counts, sums)
            if k == 1:
                code, mistake, sign, target = judge_one(scores[0], scale, y[row], rule, flags)
                inner = sign * scores[0]
        prefix += scale
        loss = hinge(target, scale * inner)
        if flags[core.REGRESSION]:
            mistake = loss > 0.0
        weight, largest, curvature = 1.0, rule[core.LARGEST], rule[core.CURVATURE]
        if weights.shape[0]:  # the slack of the example costs `weight` times as much
            weight = weights[row]
            largest *= weight
            curvature /= weight
        alpha = 0.0
        due = book(loss, mistake, norm2, weight, curvature, flags, counts, sums)
        if due and loss > rule[core.THRESHOLD]:
            alpha = _find_alpha(
                loss, target, inner, norm2, scale, largest, curvature, rule, flags, counts, sums
            )
        if logged:
            _write_log(
                log, i, k, up, down, code, loss, alpha, norm2, target, mistake, sign, rule, sums
            )
        if alpha > 0.0:
            step = alpha * sign
            _move(W, by_feature, up, down, step, x, columns, d, bias)
            if blocked:
                _score_again(W, up, down, data, order, i, d, bias, ahead)
            if average:
                _move(late, by_feature, up, down, prefix * step, x, columns, d, bias)
            if flags[core.STOP]:
                played = i + 1
                break
    counts[0] += quiet
    sums[core.PREFIX] = prefix
    _set_dual(rule, sums)
    return int(played)
