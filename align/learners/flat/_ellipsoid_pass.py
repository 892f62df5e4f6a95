r"""Passes of the ellipsoid learners CELLIP and IELLIP (G2, G3), for any number of labels (G4).

All weights lie in one vector of n numbers, one block of ``width`` for each label, or one block
alone for two classes. A round is an instance x and a direction z, which is never formed: x with a
sign in block `up` and, with three labels or more, -x in block `down`. On ``<w, z> <= 0``, and only
then, the half space ``<., z> >= target`` cuts the ellipsoid, at a depth alpha of its radius:

    s = sqrt(z' P z),   alpha = (target - <w, z>) / s,   g = z / s,
    w += step P g,      P = scale (P - shrink P g g' P).

Every cut makes P smaller, soon by more than a double can say. So ``P = kappa R``, with log kappa
among the `floats`; R is a matrix, or ``first_scale I - sum_k q_k q_k'`` with the vectors q_k as
the rows of `shape` (low rank). What a round computes of P is `Pz`, which stands for ``R z``.

References
----------
Yang, Jin and Ye, "Online Learning by Ellipsoid Method", 2009; corrected, with the steps of each
learner in a table, in `align.learners.flat.ellipsoid`.
"""

from typing import Any

import numpy as np

from align._numba import compiled
from align.learners.parts.step_kernels import worst_pair
from align.learners.theory import recorded

S3, DEEP, IMPROVED = 0, 1, 2  # which ellipsoid follows a cut
NEGLIGIBLE = 1e-17  # c_t below this leaves P as it is
_CLIP = 1.0 - 1e-6  # largest alpha of CELLIP
_LEAST = 2.0**-511  # root of the least number that has all its digits

# `floats`: log kappa, the sum of the losses; of the last round its loss and the depth of its cut.
LOG_KAPPA, TOTAL, LOSS, DEPTH = range(4)
# `counts`: rounds, mistakes, cuts, vectors q_k in use, clipped depths; of the last round the
# label with the best score.
ROUNDS, MISTAKES, UPDATES, RANK, CLIPPED, BEST = range(6)


def cut_factors(kind: int, alpha: float, n: int) -> tuple[float, float, float]:
    """Return step, scale and shrink of a cut at depth alpha in n dimensions."""
    step, scale, shrink = _cut(kind, alpha, n)
    return float(step), float(scale), float(shrink)


@compiled()
def _cut(kind: int, alpha: float, n: int) -> tuple[float, float, float]:
    """Return step, scale and shrink of a cut at depth alpha: two members of the family of G1."""
    if kind == S3:  # tau = 0, mu^2 = 1 - alpha^2
        return alpha, 1.0 - alpha * alpha, 2.0 * alpha / (1.0 + alpha)
    # The ellipsoid of least volume around what the cut leaves; at alpha = 0 the classical step.
    tau = (1.0 - alpha) / (n + 1.0)
    scale = n * n * (1.0 - alpha * alpha) / (n * n - 1.0)
    return alpha + tau, scale, 1.0 - (1.0 - alpha - tau) ** 2 / scale


# The direction z ---------------------------------------------------------------------------------


@compiled()
def _score(W: Any, r: int, x: Any, columns: Any) -> float:
    """Return ``<w_r, x>``."""
    score = 0.0
    for j in range(x.size):
        score += W[r, columns[j]] * x[j]
    return score


@compiled()
def _along(
    vector: Any, x: Any, columns: Any, width: int, up: int, down: int, sign: float
) -> float:
    """Return ``<z, vector>`` from the entries that z has."""
    total = 0.0
    for j in range(x.size):
        part = vector[up * width + columns[j]]
        if down >= 0:
            part -= vector[down * width + columns[j]]
        total += sign * x[j] * part
    return total


# The product R z ---------------------------------------------------------------------------------


@compiled()
def _fill_low_rank(
    Pz: Any, Q: Any, rank: int, first_scale: float, x: Any, columns: Any, width: int, up: int,
    down: int, sign: float,
) -> None:  # fmt: skip
    """Fill ``first_scale z - sum_k q_k <q_k, z>``: n operations for each q_k, and no matrix."""
    Pz[:] = 0.0
    for j in range(x.size):
        value = sign * first_scale * x[j]
        Pz[up * width + columns[j]] = value
        if down >= 0:
            Pz[down * width + columns[j]] = -value
    for k in range(rank):
        along = _along(Q[k], x, columns, width, up, down, sign)
        for i in range(Pz.size):
            Pz[i] -= along * Q[k, i]


@compiled()
def _fill_dense(
    Pz: Any, R: Any, x: Any, columns: Any, width: int, up: int, down: int, sign: float
) -> None:
    """Fill ``R z`` as a sum of rows of R, which is symmetric: only those where z is not 0."""
    Pz[:] = 0.0
    for j in range(x.size):
        value = sign * x[j]
        if value == 0.0:
            continue
        column = up * width + columns[j]
        for i in range(Pz.size):
            Pz[i] += value * R[column, i]
        if down >= 0:
            column = down * width + columns[j]
            for i in range(Pz.size):
                Pz[i] -= value * R[column, i]


# The cut -----------------------------------------------------------------------------------------


@compiled()
def _depth(
    alpha: float, n: int, kind: int, c: float, b: float, by_rounds: bool, floats: Any, counts: Any
) -> tuple[float, float, float]:
    """Note the depth of a cut; return its step, scale and shrink."""
    step = alpha
    scale = 1.0
    shrink = 0.0
    if kind == IMPROVED:
        # c_t = c b^t: after some thirty cuts P stays as it is, and the learner goes on as PA.
        shrink = c * b ** (counts[ROUNDS] - 1 if by_rounds else counts[UPDATES])
        scale = 1.0 / (1.0 - shrink)
    elif alpha >= _CLIP:
        # The data have no such margin, and the cut would leave nothing: w moves, P does not.
        counts[CLIPPED] += 1
        alpha = _CLIP
        step = alpha
    else:
        step, scale, shrink = _cut(kind, alpha, n)
    floats[DEPTH] = alpha
    return step, scale, shrink


@compiled()
def _move(W: Any, late: Any, Pz: Any, move: float, rounds: int) -> None:
    """Add ``move Pz`` to the weights, and `rounds` times as much to what is late.

    A step of round t counts in the T - t hypotheses that follow, so that the mean of all is
    ``W - late / T``.
    """
    width = W.shape[1]
    for r in range(W.shape[0]):
        for i in range(width):
            W[r, i] += move * Pz[r * width + i]
            late[r, i] += rounds * (move * Pz[r * width + i])


@compiled()
def _shrink(shape: Any, low_rank: bool, Pz: Any, shrink: float, zPz: float, counts: Any) -> None:
    """Take ``shrink R g g' R`` from R; with ``g g' = z z' / zPz`` no kappa comes into it."""
    if low_rank:
        root = np.sqrt(shrink / zPz)
        for i in range(Pz.size):
            shape[counts[RANK], i] = root * Pz[i]
        counts[RANK] += 1
        return
    ratio = shrink / zPz
    for i in range(Pz.size):
        for j in range(Pz.size):
            # The product first, so that P stays exactly symmetric.
            shape[i, j] -= ratio * (Pz[i] * Pz[j])


@compiled()
def _note(row: Any, x: Any, pair: bool, target: float, loss: float, mistake: bool) -> None:
    """Fill what is known of a round before its cut."""
    square = 0.0
    for j in range(x.size):
        square += x[j] * x[j]
    row[recorded.COST] = mistake
    row[recorded.LOSS] = loss
    row[recorded.TARGET] = target
    row[recorded.NORM] = np.sqrt(2.0 * square if pair else square)


@compiled()
def run(
    data: Any, all_columns: Any, ends: Any, dense: bool, relevant: Any, order: Any, begin: int,
    W: Any, late: Any, shape: Any, low_rank: bool, first_scale: float, kind: int, target: float,
    c: float, b: float, by_rounds: bool, floats: Any, counts: Any, log: Any,
) -> int:  # fmt: skip
    """Play rounds ``order[begin:]``; return how far it came before `shape` was full.

    Parameters
    ----------
    data, all_columns, ends : array [dtype=float64, intp, intp]
        CSR rows; or dense ones, one after another, which share the columns of the first.
    relevant : array [shape=(m, blocks), dtype=bool]
        Relevant labels; with one block, whether the example is of the second class.
    W, late : array [shape=(blocks, width)]
        The centre of the ellipsoid, and the sum of round number times step.
    shape : array [shape=(n, n)], or [shape=(room, n)] for low rank
    c, b, by_rounds
        Of IELLIP; see `_depth`.
    log : array [shape=(m, 5)]
        A row for each round, or none.
    """
    blocks, width = W.shape
    n = blocks * width
    Pz, scores = np.empty(n), np.empty(blocks)
    for place in range(begin, order.size):
        # Before the round begins: after more room was made, it begins anew.
        if low_rank and counts[RANK] == shape.shape[0]:
            return int(place)
        row = order[place]
        x = data[ends[row] : ends[row + 1]]
        columns = all_columns if dense else all_columns[ends[row] : ends[row + 1]]
        counts[ROUNDS] += 1
        floats[LOSS] = 0.0
        if blocks == 1:
            margin = _score(W, 0, x, columns)
            counts[BEST] = 1 if margin >= 0.0 else 0
            up, down, sign = 0, -1, 1.0 if relevant[row, 0] else -1.0
            margin *= sign
        else:
            for r in range(blocks):
                scores[r] = _score(W, r, x, columns)
            up, down, counts[BEST] = worst_pair(scores, blocks, relevant, row)
            sign = 1.0
            if up < 0 or down < 0:
                continue  # every label relevant, or none: nothing to rank
            margin = scores[up] - scores[down]
        floats[LOSS] = max(target - margin, 0.0)
        floats[TOTAL] += floats[LOSS]
        if place < log.shape[0]:
            _note(log[place], x, down >= 0, target, floats[LOSS], margin <= 0.0)
        if margin > 0.0:
            continue
        counts[MISTAKES] += 1
        if low_rank:
            rank = counts[RANK]
            _fill_low_rank(Pz, shape, rank, first_scale, x, columns, width, up, down, sign)
        else:
            _fill_dense(Pz, shape, x, columns, width, up, down, sign)
        zPz = _along(Pz, x, columns, width, up, down, sign)
        kappa = np.exp(floats[LOG_KAPPA])
        s = np.sqrt(max(kappa * zPz, 0.0))
        if s < _LEAST:
            continue  # x is 0 (or P, by underflow): a mistake that nothing can be learned from
        alpha = (target - margin) / s
        step, scale, shrink = _depth(alpha, n, kind, c, b, by_rounds, floats, counts)
        counts[UPDATES] += 1
        if place < log.shape[0]:
            log[place, recorded.TAU] = floats[DEPTH]
        _move(W, late, Pz, step * kappa / s, counts[ROUNDS])
        if shrink > NEGLIGIBLE:
            floats[LOG_KAPPA] += np.log(scale)
            _shrink(shape, low_rank, Pz, shrink, zPz, counts)
    return int(order.size)
