"""Passes of the learners whose link is not the identity, and of those that revisit rounds.

One round: ``w = grad f*(v / c)``, a direction a (x in one row with a sign, or x in row `up` and -x
in row `down`), a target b, the alpha that maximises the dual, ``v += alpha a``. Rows of w are made
anew only where v or c changed. `_links` has the links, `_round` what the rounds share with those
of `_linear_pass`, and `_link_run` holds the state.

A run may keep its last rounds and go back to them (B8): `_sweep` takes one dual variable after the
other, moves v back by what it added, and makes its step anew, with all others as they are.
"""

import math
from typing import Any

from align.learners.flat import _links as links
from align.learners.flat import _round as core
from align.learners.flat._link_state import (
    BALL,
    DOUBLED,
    EUCLIDEAN,
    KIND,
    MULTIPLICATIVE,
    ORDER,
    OVER_MISTAKES,
    PRINTED,
    RANDOM,
    REVISIT,
    STEPS,
    TARGET,
    TOLERANCE,
    WORST,
    P,
)
from align.learners.flat._round import (
    book,
    closed_step,
    judge_one,
    lead,
    runner_up,
    tuned,
    write,
)
from align.learners.parts.step_kernels import (
    ENTROPY,
    entropy_step,
    hinge,
    lean,
    line_search,
    worst_pair,
)

# Rounds ------------------------------------------------------------------------------------------


@lean
def _constraint(s: Any, x: Any, y: float, relevant: Any, row: int) -> Any:
    """Return code, mistake, row with x, row with -x, sign, target, inner; -2: nothing to rank."""
    k = s.v.shape[0]
    margin = s.rule[core.MARGIN]
    if k == 1:
        score = links.score(s, s.w[0], x)
        code, mistake, sign, target = judge_one(score, 1.0, y, s.rule, s.flags)
        return code, mistake, 0, -1, sign, target, sign * score
    for r in range(k):
        s.scores[r] = links.score(s, s.w[r], x)
    label = int(y)
    if label >= 0:
        own, top = lead(s.scores, k, label)
        wrong, best, mistake = runner_up(s.scores, k, label, own, top, s.flags)
        return float(best), mistake, label, wrong, 1.0, margin, own - top
    good, wrong, best = worst_pair(s.scores, k, relevant, row)
    if good < 0 or wrong < 0:
        return float(best), False, -2, -2, 1.0, 0.0, 0.0
    inner = s.scores[good] - s.scores[wrong]
    return float(best), inner <= 0.0, good, wrong, 1.0, margin, inner


@lean
def _all_alike(relevant: Any, row: int) -> bool:
    """Whether all labels are relevant, or none."""
    for r in range(1, relevant.shape[1]):
        if relevant[row, r] != relevant[row, 0]:
            return False
    return True


@lean
def _multiplicative_step(s: Any, x: Any, down: int, loss: float) -> float:
    """Return the alpha of multiplicative PA (C5), from the range of x; `PRINTED` as the source."""
    low, high = x[0], x[0]
    for j in range(x.shape[0]):
        low, high = min(low, x[j]), max(high, x[j])
    if s.flags[MULTIPLICATIVE] == PRINTED:
        square = max(-low, high) ** 2
    else:
        square = (high - low) ** 2 * (1.0 if down < 0 else 2.0)
    return 4.0 * loss / square if square > 0.0 else 0.0


@lean
def _step(
    s: Any, x: Any, up: int, down: int, sign: float, target: float, loss: float, weight: float
) -> float:
    """Return alpha, given that of this direction is not in v."""
    if loss <= 0.0:
        return 0.0
    n = x.shape[0]
    if s.flags[MULTIPLICATIVE]:
        return _multiplicative_step(s, x, down, loss)
    kind, c = s.flags[KIND], s.sums[core.C]
    largest, curvature = weight * s.rule[core.LARGEST], s.rule[core.CURVATURE] / weight
    if s.flags[core.EXACT] == 0 or kind == EUCLIDEAN or kind == BALL:
        norm2 = inner = 0.0
        for j in range(n):
            norm2 += x[j] * x[j]
            inner += sign * s.v[up, j] * x[j]
            if down >= 0:
                inner -= s.v[down, j] * x[j]
        if down >= 0:
            norm2 *= 2.0
        square = links.square(s) if kind == BALL else 0.0
        return closed_step(
            loss, target, inner, norm2, square, norm2 / c, largest, curvature, s.rule, s.flags,
            s.sums,
        )  # fmt: skip
    # The rows that the direction touches, side by side, for a line search along it.
    rows = 1 if down < 0 else 2
    for j in range(n):
        s.some_v[0, j] = s.v[up, j]
        s.some_d[0, j] = sign * x[j]
        if rows == 2:
            s.some_v[1, j] = s.v[down, j]
            s.some_d[1, j] = -x[j]
    p = s.rule[P]
    if kind == ENTROPY and rows == 1 and curvature == 0.0:
        alpha = entropy_step(s.some_v[0], s.some_d[0], c, target, largest)
        if alpha >= 0.0:
            return alpha
    return line_search(kind, s.some_v[:rows], s.some_d[:rows], c, target, largest, p, curvature)


@lean
def _move(s: Any, x: Any, up: int, down: int, sign: float, alpha: float) -> None:
    """Add ``alpha a`` to v; the rows of w that hang on it are stale."""
    for j in range(x.shape[0]):
        s.v[up, j] += alpha * (sign * x[j])
    s.stale[up] = True
    if down >= 0:
        for j in range(x.shape[0]):
            s.v[down, j] -= alpha * x[j]
        s.stale[down] = True


@lean
def _inner(s: Any, x: Any, up: int, down: int, sign: float, scale: float) -> float:
    """Return ``<grad f*(scale v), a>`` of the v of now, without touching w."""
    if s.flags[KIND] == BALL:
        scale *= links.shrink(s, scale)
    total = 0.0
    links.row_link(s, s.v[up], s.spare, scale)
    for j in range(x.shape[0]):
        total += s.spare[j] * (sign * x[j])
    if down >= 0:
        links.row_link(s, s.v[down], s.spare, scale)
        for j in range(x.shape[0]):
            total -= s.spare[j] * x[j]
    return total


# Earlier rounds ----------------------------------------------------------------------------------


@lean
def _again(s: Any, kept: Any, i: int, scale: float) -> float:
    """Optimise the variable in place i anew; return how far it moved."""
    x, up, down, sign = kept.x[i], kept.up[i], kept.down[i], kept.sign[i]
    target, weight, old = kept.target[i], kept.weight[i], kept.alpha[i]
    for j in range(x.shape[0]):
        s.saved[0, j] = s.v[up, j]
        if down >= 0:
            s.saved[1, j] = s.v[down, j]
    if old > 0.0:
        _move(s, x, up, down, sign, -old)
    loss = hinge(target, _inner(s, x, up, down, sign, scale))
    new = _step(s, x, up, down, sign, target, loss, weight)
    if new == old:  # v as it was, to the last bit: taking away and adding again would round
        for j in range(x.shape[0]):
            s.v[up, j] = s.saved[0, j]
            if down >= 0:
                s.v[down, j] = s.saved[1, j]
        return 0.0
    _move(s, x, up, down, sign, new)
    kept.alpha[i] = new
    curvature = s.rule[core.CURVATURE] / weight
    s.sums[core.GAIN] += new * (target - 0.5 * curvature * new)
    s.sums[core.GAIN] -= old * (target - 0.5 * curvature * old)
    return float(abs(new - old))


@lean
def _worst(s: Any, kept: Any, first: int, n: int, scale: float) -> int:
    """Return the place of the variable whose slope, where it may follow it, is largest."""
    links.refresh(s, scale)
    best = -1.0
    cap = kept.alpha.shape[0]
    chosen = n - 1
    for i in range(n):
        at = (first + i) % cap
        up, down = kept.up[at], kept.down[at]
        inner = 0.0
        for j in range(kept.x.shape[1]):
            inner += kept.sign[at] * kept.x[at, j] * s.w[up, j]
            if down >= 0:
                inner -= kept.x[at, j] * s.w[down, j]
        alpha, weight = kept.alpha[at], kept.weight[at]
        slope = kept.target[at] - s.rule[core.CURVATURE] / weight * alpha - inner
        free = (slope > 0.0 and alpha < weight * s.rule[core.LARGEST]) or slope < 0.0 < alpha
        if free and abs(slope) > best:
            best = abs(slope)
            chosen = i
    return chosen


@lean
def _keep(
    s: Any, kept: Any, x: Any, up: int, down: int, sign: float, target: float, weight: float,
    alpha: float,
) -> int:  # fmt: skip
    """Remember a round, instead of the oldest where there is no more room; return its place."""
    cap = kept.alpha.shape[0]
    if s.memory[1] == cap:
        s.memory[0] = (s.memory[0] + 1) % cap
        s.memory[1] -= 1
    at = (s.memory[0] + s.memory[1]) % cap
    s.memory[1] += 1
    for j in range(x.shape[0]):
        kept.x[at, j] = x[j]
    kept.up[at], kept.down[at], kept.sign[at] = up, down, sign
    kept.target[at], kept.weight[at], kept.alpha[at] = target, weight, alpha
    return int(at)


@lean
def _sweep(s: Any, kept: Any, scale: float, draws: Any, t: int) -> None:
    """Optimise the variables that are kept, one after another."""
    first, n = s.memory[0], s.memory[1]
    cap = kept.alpha.shape[0]
    if n < 2:
        return
    steps, order = s.flags[STEPS], s.flags[ORDER]
    if steps < 0:
        for _ in range(100_000):
            moved = 0.0
            # From the latest back, and the latest once more when the others have moved.
            for i in range(n - 1, -1, -1):
                moved = max(moved, _again(s, kept, (first + i) % cap, scale))
            if moved <= s.rule[TOLERANCE]:
                return
    for j in range(steps):
        if order == RANDOM:
            i = min(int(draws[t, j] * n), n - 1)
        elif order == WORST:
            i = _worst(s, kept, first, n, scale)
        else:
            i = n - 1 - (j + 1) % n
        _again(s, kept, (first + i) % cap, scale)


# A pass ------------------------------------------------------------------------------------------


@lean
def _fill(s: Any, values: Any) -> None:
    """Write the instance as the learner sees it: with the constant, doubled."""
    x = s.x
    width = values.shape[0]
    for j in range(width):
        x[j] = values[j]
    if s.rule[core.BIAS] != 0.0:
        x[width] = s.rule[core.BIAS]
        width += 1
    if s.flags[DOUBLED]:
        for j in range(width):
            x[width + j] = -x[j]


@lean
def play(
    X: Any, order: Any, y: Any, relevant: Any, weights: Any, draws: Any, s: Any, kept: Any,
    log: Any,
) -> int:  # fmt: skip
    """Play a round with each row of `order`; return how many were played.

    -1 where a hard constraint cannot be met; its target is then in ``sums[TARGET]``.
    """
    x, rule, flags, counts, sums = s.x, s.rule, s.flags, s.counts, s.sums
    played = order.shape[0]
    for t in range(order.shape[0]):
        row = order[t]
        weight = weights[row] if weights.shape[0] else 1.0
        _fill(s, X[row])
        norm = links.dual_norm(s, x)
        if s.v.shape[0] > 1 and y[row] < 0 and _all_alike(relevant, row):
            norm = 0.0  # no label is to be ranked above another: there is no direction

        # c of the round, and the hypothesis that it begins with.
        radius = max(sums[core.RADIUS], norm)
        before = counts[1]
        if flags[core.TUNING] == core.MISTAKES:
            # A prediction does not depend on c, but c depends on whether it is wrong.
            links.refresh(s, 1.0)
            mistake = _constraint(s, x, y[row], relevant, row)[1]
            if flags[core.CONSERVATIVE] and not mistake:
                radius = sums[core.RADIUS]
            before += mistake
        sums[core.C] = c = tuned(radius, before, rule, flags, counts, sums)
        scale = 1.0 / c if c > 0.0 else 0.0
        links.refresh(s, scale)
        if flags[core.AVERAGE]:
            for r in range(s.v.shape[0]):
                s.pending[r] += 1

        # What is wrong with it.
        code, mistake, up, down, sign, target, inner = _constraint(s, x, y[row], relevant, row)
        loss = 0.0 if up == -2 else hinge(target, inner)
        if flags[core.REGRESSION]:
            mistake = loss > 0.0
        if not flags[OVER_MISTAKES] or mistake:
            sums[core.RADIUS] = radius

        # The step, and those of earlier rounds anew.
        alpha, moved = 0.0, False
        curvature = rule[core.CURVATURE] / weight
        if book(loss, mistake, norm, weight, curvature, flags, counts, sums):
            alpha = _step(s, x, up, down, sign, target, loss, weight)
            if alpha == math.inf:
                sums[TARGET] = target
                return -1
            if alpha > 0.0:
                _move(s, x, up, down, sign, alpha)
                counts[2] += 1
                moved = True
            sums[core.GAIN] += alpha * (target - 0.5 * curvature * alpha)
            if flags[REVISIT]:
                # A variable that is 0 now may be wanted later.
                at = _keep(s, kept, x, up, down, sign, target, weight, alpha)
                _sweep(s, kept, scale, draws, t)
                alpha = kept.alpha[at]
        if t < log.shape[0]:
            if c > 0.0:
                sums[core.DUAL] = links.dual(s)
            other = sign
            if s.v.shape[0] > 1:
                other = float(up * s.v.shape[0] + down) if up >= 0 else -1.0
            write(log, t, code, loss, alpha, norm, target, mistake, other, scale, sums)
        if moved and flags[core.STOP]:
            played = t + 1
            break
    if played > 0 and sums[core.C] > 0.0:
        sums[core.DUAL] = links.dual(s)
    return int(played)
