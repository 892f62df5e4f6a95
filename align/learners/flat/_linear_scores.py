"""Scores of a row with the weights of a linear pass, each written for the way the weights lie.

By class: `_by_class` of a dense row, `_sparse_by_class` of few entries, and `score_ahead` of four
dense rows at once. By feature: `_by_feature`. See `_linear_pass` for when which is quickest.
"""

import math
from typing import Any

import numpy as np

from align._numba import compiled
from align.learners.flat._round import lead
from align.learners.parts.step_kernels import inlined

BLOCK = 4  # dense rows that are scored together
LARGE = 3072  # weights, more than which the first cache cannot hold beside a row
TILE = 12  # classes that are scored together, by feature
NARROW = 8  # the same where there are no more: the weights of a feature are one vector
NO_TILES = np.zeros((0, 0, TILE))  # of weights by class
_ZEROS = (0.0,) * TILE
_LEFT_OUT = np.where(np.arange(2 * TILE) == TILE, -np.inf, 0.0)  # from TILE - r: without sum r
_NARROW_ZEROS = (0.0,) * NARROW
_UNITS = np.eye(NARROW)
_FAST = {"reassoc", "contract", "nsz"}  # sums in any order; NaN stays NaN


@compiled(forceinline=True, error_model="numpy", fastmath=_FAST, _nrt=False)
def square(x: Any) -> float:
    """Return ``|x|^2``, with sums in any order."""
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
def score_ahead(W: Any, data: Any, rows: Any, d: int, bias: float, ahead: Any) -> None:
    """Write the scores of four dense rows; of fewer, those of the last again."""
    last = rows.shape[0] - 1
    a, b, c, e = rows[0], rows[min(1, last)], rows[min(2, last)], rows[min(3, last)]
    _four_by_class(
        W, data[a * d :][:d], data[b * d :][:d], data[c * d :][:d], data[e * d :][:d], d, bias,
        ahead,
    )  # fmt: skip


@inlined
def score_again(
    W: Any, up: int, down: int, data: Any, rows: Any, done: int, d: int, bias: float, ahead: Any
) -> None:
    """Write the scores that a step has made wrong: two of each row after the first `done`."""
    k = W.shape[0]
    for place in range(done, rows.shape[0]):
        x = data[rows[place] * d :][:d]
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


@compiled(forceinline=True, error_model="numpy", fastmath={"contract"}, _nrt=False)
def _plus_narrow(s: Any, x: float, w: Any) -> Any:
    """Return NARROW sums, as `_plus` does."""
    return (
        s[0] + x * w[0], s[1] + x * w[1], s[2] + x * w[2], s[3] + x * w[3],
        s[4] + x * w[4], s[5] + x * w[5], s[6] + x * w[6], s[7] + x * w[7],
    )  # fmt: skip


@inlined
def _larger(a: float, b: float) -> float:
    """Return the larger number, by one instruction: `max` has to mind NaN."""
    return a if a > b else b


@inlined
def _top(s: Any) -> float:
    """Return the largest of TILE sums, four by four: they are in registers yet."""
    a, b, c, d = s[0], s[1], s[2], s[3]
    a, b, c, d = _larger(a, s[4]), _larger(b, s[5]), _larger(c, s[6]), _larger(d, s[7])
    a, b, c, d = _larger(a, s[8]), _larger(b, s[9]), _larger(c, s[10]), _larger(d, s[11])
    return _larger(_larger(a, c), _larger(b, d))


@inlined
def _narrow_by_feature(
    tiles: Any, x: Any, columns: Any, last: int, bias: float, label: int, scores: Any
) -> float:
    """As `_by_feature`, of at most NARROW classes."""
    s = _plus_narrow(_plus_narrow(_NARROW_ZEROS, 1.0, tiles[last + 1, 0]), bias, tiles[last, 0])
    for j in range(x.shape[0]):
        s = _plus_narrow(s, x[j], tiles[np.uint32(columns[j]), 0])
    scores[0], scores[1], scores[2], scores[3] = s[0], s[1], s[2], s[3]
    scores[4], scores[5], scores[6], scores[7] = s[4], s[5], s[6], s[7]
    s = _plus_narrow(s, 1.0, _LEFT_OUT[TILE - label if label >= 0 else 0 :])
    a, b, c, d = _larger(s[0], s[4]), _larger(s[1], s[5]), _larger(s[2], s[6]), _larger(s[3], s[7])
    return _larger(_larger(a, c), _larger(b, d))


@inlined
def _add_all(w: Any, x: float, s: Any) -> None:
    """Add ``x s`` to NARROW weights; the products are rounded, as in all other steps."""
    w[0], w[1] = w[0] + x * s[0], w[1] + x * s[1]
    w[2], w[3] = w[2] + x * s[2], w[3] + x * s[3]
    w[4], w[5] = w[4] + x * s[4], w[5] + x * s[5]
    w[6], w[7] = w[6] + x * s[6], w[7] + x * s[7]


@inlined
def add_narrow(
    tiles: Any, up: int, down: int, step: float, x: Any, columns: Any, d: int, bias: float
) -> None:
    """Add ``step x`` to the weights of class `up`, by feature, and take it from `down`.

    All NARROW weights of a feature are written, most of them as they were: the scores of the next
    round read them together, and would have to wait for two that were written for themselves.
    """
    s = _plus_narrow(_plus_narrow(_NARROW_ZEROS, step, _UNITS[up]), -step, _UNITS[down])
    for j in range(x.shape[0]):
        _add_all(tiles[np.uint32(columns[j]), 0], x[j], s)
    _add_all(tiles[d, 0], bias, s)


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
def fill_scores(
    W: Any, tiles: Any, x: Any, columns: Any, d: int, k: int, bias: float, by_feature: bool,
    label: int, scores: Any,
) -> tuple[float, float]:  # fmt: skip
    """Write the scores of a row, the way its entries and the weights lie.

    Return the score of the right class and the best of the others, where there is a `label`.
    """
    if by_feature:
        if tiles.shape[2] == NARROW:
            top = _narrow_by_feature(tiles, x, columns, d, bias, label, scores)
        else:
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
def is_spread(n: int, d: int, k: int, by_feature: bool) -> bool:
    """Whether a row with n of d entries is quicker dense.

    One score is read entry by entry. Of several, eight products of a dense row cost as much as
    one of a sparse row.
    """
    return not by_feature and n < d <= n * (8 if k > 1 else 2)


@inlined
def spread(x: Any, columns: Any, spare: Any) -> None:
    """Write a CSR row as a dense one."""
    spare[:] = 0.0
    for j in range(x.shape[0]):
        spare[np.uint32(columns[j])] = x[j]


@inlined
def spread_four(data: Any, columns: Any, ends: Any, rows: Any, d: int, spare: Any) -> None:
    """Write up to four CSR rows as dense ones, one after another."""
    for place in range(rows.shape[0]):
        begin, end = ends[rows[place]], ends[rows[place] + 1]
        spread(data[begin:end], columns[begin:end], spare[place * d :][:d])
