"""Passes of the learners whose hypothesis is a multiple of the dual sum, ``w = scale v``.

That is `Euclidean` (scale ``1 / c``) and `EuclideanBall`, with every slack, step and tuning; one
score or one for each class; dense rows and CSR. One kernel plays them all. It is this fast because

* with a fixed c a round without loss changes nothing, and is left as soon as that is seen;
* the weights lie as the rows want them. *By class* those of a class are side by side, for rows
  that are mostly there: four classes are scored at a time, along the features; and four rows,
  where the first cache does not hold the weights, which then are read once for all of them (rows
  of CSR are spread for it). A step makes two scores of each row after it wrong, and these are
  made again. *By feature* those of a feature are side by side, for rows of few entries: an entry
  reads those of all classes at once, and a step touches two of them (of up to NARROW classes all,
  which are one vector);
* the mean of the hypotheses costs nothing in rounds without a step: a step of round t counts
  ``P_T - P_t`` times in their sum, P being the sum of the scales, so `late` gets it ``P_t`` times.

The last weight of a class is that of the constant feature, ``rule[BIAS]`` (1, or 0 for none).
"""

import math
from typing import Any

import numpy as np

from align._numba import compiled
from align.learners.flat import _round as core
from align.learners.flat._linear_scores import (
    BLOCK,
    LARGE,
    NARROW,
    TILE,
    add_narrow,
    fill_scores,
    is_spread,
    score_again,
    score_ahead,
    spread,
    spread_four,
    square,
)
from align.learners.flat._round import (
    ball_scale,
    book,
    closed_step,
    judge_one,
    lead,
    runner_up,
    tuned,
    write,
)
from align.learners.parts.step_kernels import hinge, inlined, worst_pair

_FIRST = np.arange(BLOCK)  # places of rows that are spread


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
        up, down, best = worst_pair(scores, k, relevant, row)
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
    K)`` and ``(d + 1, k)``, K being k rounded up to a multiple of TILE (or NARROW, where that
    holds all), and `tiles` is W as ``(d + 2, K / TILE, TILE)`` with a row more, 0 for each class
    and -inf beyond (else NO_TILES). `spare` [shape=(BLOCK k + TILE + b d,)] is work space, b
    being the number of rows, and BLOCK of more.
    """
    k, d, by_feature = flags[core.SCORES], flags[core.FEATURES], flags[core.BY_FEATURE] != 0
    bias, average = rule[core.BIAS], flags[core.AVERAGE] != 0
    dense = ends.shape[0] == 0
    ahead, spare = spare[: BLOCK * k + TILE], spare[BLOCK * k + TILE :]
    scores = ahead[: W.shape[1] if by_feature else k]
    narrow = by_feature and tiles.shape[2] == NARROW
    blocked = not by_feature and k > 1 and k * d > LARGE and order.shape[0] >= BLOCK
    blocked = blocked and (dense or is_spread(ends[-1] / (ends.shape[0] - 1), d, k, by_feature))
    block, four = (data if dense else spare), order[:0]  # where the rows scored ahead lie, which
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
        label = -1 if k == 1 else int(y[row])  # -1 of label sets, too
        if blocked:
            if i % BLOCK == 0:
                four = order[i : i + BLOCK]
                if not dense:
                    spread_four(data, all_columns, ends, four, d, spare)
                    four = _FIRST[: four.shape[0]]
                score_ahead(W, block, four, d, bias, ahead)
            x = block[four[i % BLOCK] * d :][:d]
            scores = ahead[i % BLOCK * k :][:k]
            own, top = lead(scores, k, label) if label >= 0 else (0.0, 0.0)
        else:
            if is_spread(end - begin, d, k, by_feature):
                spread(x, columns, spare[:d])
                x = spare[:d]
            own, top = fill_scores(W, tiles, x, columns, d, k, bias, by_feature, label, scores)
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
            norm2 = (square(x) + bias * bias) * (1.0 if k == 1 else 2.0)
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
            if narrow:
                add_narrow(tiles, up, down, step, x, columns, d, bias)
            else:
                _move(W, by_feature, up, down, step, x, columns, d, bias)
            if blocked:
                score_again(W, up, down, block, four, i % BLOCK + 1, d, bias, ahead)
            if average:
                _move(late, by_feature, up, down, prefix * step, x, columns, d, bias)
            if flags[core.STOP]:
                played = i + 1
                break
    counts[0] += quiet
    sums[core.PREFIX] = prefix
    _set_dual(rule, sums)
    return int(played)
