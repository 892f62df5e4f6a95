"""The commonest rounds, quickly: l2 norm, fixed c, nothing recorded.

What `_rounds` plays for every plan is played here for one kind, with nothing else
in the loop: passive-aggressive learners and the Perceptron; two classes, more, or numbers; dense
and CSR; averaged or not. State and meaning are the same, so that passes of both may follow one
another; the last bits may differ, for sums are taken in another order.

* Dense rows, and CSR rows that are mostly there: the weights of a class are contiguous, four
  classes are scored at a time.
* CSR rows, and dense ones of few features: the weights of a feature are contiguous, so that one
  entry of x reads those of all classes at once, and a step touches two of them. numba does not
  join neighbouring additions to vectors (LLVM's SLP pass is off), so `_some_scores` says it in
  LLVM's own terms.
* The best wrong score is found without branches; which class has it only matters with a loss.
* The squared norm is only looked at where there is loss.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from align._numba import compiled
from align.learners.flat import _rounds as rounds

__all__ = [
    "covers",
    "play_classes",
    "play_classes_csr",
    "play_scores",
    "play_scores_csr",
    "spread",
]

# numba's cache does not see edits of another file: touch this one after renumbering those names.
_MARGIN, _LARGEST, _CURVATURE, _BIAS = (
    rounds.MARGIN,
    rounds.LARGEST,
    rounds.CURVATURE,
    rounds.BIAS,
)
_REGRESSION, _EXACT, _CONSERVATIVE = rounds.REGRESSION, rounds.EXACT, rounds.CONSERVATIVE
_TIES, _AVERAGE = rounds.TIES, rounds.AVERAGE
_C, _LOSS, _GAIN, _SQUARE = rounds.C, rounds.LOSS, rounds.GAIN, rounds.SQUARE
_PREFIX, _PRICED, _DUAL = rounds.PREFIX, rounds.PRICED, rounds.DUAL

_ROUNDING = 1e-12  # as in `_rounds`
_FAST = {"reassoc", "contract", "nsz"}  # sums in any order; NaN stays NaN
_WIDEST = 16  # classes in a vector; what is left has one of its own, of an even width


def covers(rule: Any, flags: Any) -> bool:
    """Whether rounds with these parameters are of the kind."""
    return bool(
        flags[rounds.TUNING] == rounds.FIXED
        and flags[rounds.STOP] == 0
        and rule[rounds.THRESHOLD] == 0.0
        and rule[rounds.BOUND] == np.inf
    )


@compiled(forceinline=True, error_model="numpy")
def _lost(
    loss: float,
    target: float,
    inner: float,
    norm2: float,
    mistake: bool,
    scale: float,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
) -> float:
    """Book a round with a loss and return its alpha; as `_rounds._finish`."""
    curvature = rule[_CURVATURE]
    counts[1] += mistake
    counts[3] += mistake and norm2 == 0.0
    sums[_LOSS] += loss
    sums[_PRICED] += loss if curvature == 0.0 else 0.5 * loss * loss / curvature
    if norm2 == 0.0 or (flags[_CONSERVATIVE] and not mistake):
        return 0.0
    alpha = rule[_LARGEST]
    if flags[_EXACT]:
        alpha = min(alpha, loss / (norm2 * scale + curvature))
    elif curvature > 0.0:
        alpha = min(alpha, loss / curvature)
    counts[2] += 1
    sums[_GAIN] += alpha * (target - 0.5 * curvature * alpha)
    sums[_SQUARE] = max(sums[_SQUARE] + alpha * (2.0 * inner + alpha * norm2), 0.0)
    return float(alpha)


@compiled(forceinline=True, error_model="numpy")
def _close(n_rounds: int, prefix: float, counts: Any, sums: Any) -> None:
    counts[0] += n_rounds
    sums[_PREFIX] = prefix
    sums[_DUAL] = sums[_GAIN] - 0.5 * sums[_SQUARE] / sums[_C]


@compiled(forceinline=True, error_model="numpy", fastmath=_FAST)
def _square(x: Any, begin: int, end: int) -> float:
    total = 0.0
    for j in range(begin, end):
        value = np.float64(x[j])
        total += value * value
    return total


@compiled(forceinline=True, error_model="numpy")
def _add(w: Any, step: float, x: Any) -> None:
    for j in range(x.shape[0]):
        w[j] += step * x[j]


# Dense rows --------------------------------------------------------------------------------------


@compiled(forceinline=True, error_model="numpy", fastmath=_FAST)
def _row_scores(W: Any, x: Any, scores: Any) -> None:
    k, d = W.shape
    r = 0
    while r + 4 <= k:
        s0 = s1 = s2 = s3 = 0.0
        for j in range(d):
            value = x[j]
            s0 += W[r, j] * value
            s1 += W[r + 1, j] * value
            s2 += W[r + 2, j] * value
            s3 += W[r + 3, j] * value
        scores[r] = s0
        scores[r + 1] = s1
        scores[r + 2] = s2
        scores[r + 3] = s3
        r += 4
    while r < k:
        total = 0.0
        for j in range(d):
            total += W[r, j] * x[j]
        scores[r] = total
        r += 1


@compiled(forceinline=True, error_model="numpy")
def _lead(scores: Any, label: int, bias: float, b: Any) -> tuple[float, float]:
    """Add the constant; return how far `label` is ahead, and the best score of the others."""
    for r in range(b.shape[0]):
        scores[r] += bias * b[r]
    own = scores[label]
    scores[label] = -np.inf
    top = -np.inf
    for r in range(b.shape[0]):
        # Without a branch, which nobody could predict; where it is, only matters with a loss.
        top = scores[r] if scores[r] > top else top
    return own - top, top


@compiled(forceinline=True, error_model="numpy")
def _place(scores: Any, n: int, top: float) -> int:
    for r in range(n):
        if scores[r] == top:
            return r
    return 0


@compiled(forceinline=True, error_model="numpy")
def _dense_row(data: Any, indices: Any, indptr: Any, row: int, spare: Any) -> Any:
    """Return a row: where it lies if every entry is there, in order; else written to `spare`."""
    d = spare.shape[0]
    if indptr is None:
        return data[row * d : row * d + d]
    begin, end = indptr[row], indptr[row + 1]
    if end - begin == d:
        return data[begin:end]
    spare[:] = 0.0
    for j in range(begin, end):
        spare[np.uint32(indices[j])] = data[j]
    return spare


@compiled(error_model="numpy")
def play_classes(
    data: Any,
    indices: Any,
    indptr: Any,
    y: Any,
    order: Any,
    V: Any,
    late: Any,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
) -> None:
    """Play rounds with a score for each class.

    The rows are those of a CSR matrix, or all of `data` in turn where `indptr` is None.
    """
    k, d = V.shape[0], V.shape[1] - 1
    margin, bias, scale = rule[_MARGIN], rule[_BIAS], 1.0 / sums[_C]
    average = flags[_AVERAGE] != 0
    ties = flags[_TIES] != 0
    # The constant apart, so that every class begins at a round address.
    W, b = V[:, :d].copy(), V[:, d].copy()
    L, late_b = late[:, : d * average].copy(), np.zeros(k)
    if average:
        late_b[:] = late[:, d]
    scores, spare = np.empty(k), np.empty(d, data.dtype)
    prefix = sums[_PREFIX]
    for i in range(order.shape[0]):
        row = order[i]
        x = _dense_row(data, indices, indptr, row, spare)
        label = y[row]
        _row_scores(W, x, scores)
        inner, top = _lead(scores, label, bias, b)
        loss = margin - scale * inner
        prefix += scale
        if loss > _ROUNDING * (margin + abs(scale * inner)):
            norm2 = 2.0 * (_square(x, 0, d) + bias * bias)
            wrong = _place(scores, k, top)
            mistake = inner < 0.0 or (inner == 0.0 and (ties or wrong < label))
            alpha = _lost(loss, margin, inner, norm2, mistake, scale, rule, flags, counts, sums)
            if alpha > 0.0:
                _add(W[label], alpha, x)
                _add(W[wrong], -alpha, x)
                b[label] += alpha * bias
                b[wrong] -= alpha * bias
                if average:
                    step = prefix * alpha
                    _add(L[label], step, x)
                    _add(L[wrong], -step, x)
                    late_b[label] += step * bias
                    late_b[wrong] -= step * bias
    V[:, :d], V[:, d] = W, b
    if average:
        late[:, :d], late[:, d] = L, late_b
    _close(order.shape[0], prefix, counts, sums)


@compiled(forceinline=True, error_model="numpy")
def _one_score(
    score: float, y: float, margin: float, scale: float, flags: Any
) -> tuple[float, float, bool]:
    """Return sign, target and whether the sign is wrong."""
    if flags[_REGRESSION]:
        sign = 1.0 if y >= scale * score else -1.0
        return sign, sign * y - margin, True
    return y, margin, score * y < 0.0 or (score == 0.0 and (y < 0.0 or flags[_TIES] != 0))


@compiled(error_model="numpy", fastmath=_FAST)
def play_scores(
    data: Any,
    indices: Any,
    indptr: Any,
    y: Any,
    order: Any,
    V: Any,
    late: Any,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
) -> None:
    """Play rounds with one score; the rows are those of `play_classes`."""
    d = V.shape[1] - 1
    spare = np.empty(d, data.dtype)
    margin, bias, scale = rule[_MARGIN], rule[_BIAS], 1.0 / sums[_C]
    average = flags[_AVERAGE] != 0
    w = V[0]
    prefix = sums[_PREFIX]
    for i in range(order.shape[0]):
        row = order[i]
        x = _dense_row(data, indices, indptr, row, spare)
        score = 0.0
        for j in range(d):
            score += w[j] * x[j]
        score += bias * w[d]
        sign, target, mistake = _one_score(score, y[row], margin, scale, flags)
        inner = sign * score
        loss = target - scale * inner
        prefix += scale
        if loss > _ROUNDING * (abs(target) + abs(scale * inner)):
            norm2 = _square(x, 0, d) + bias * bias
            alpha = _lost(loss, target, inner, norm2, mistake, scale, rule, flags, counts, sums)
            if alpha > 0.0:
                _add(w, alpha * sign, x)
                w[d] += alpha * sign * bias
                if average:
                    _add(late[0], prefix * alpha * sign, x)
                    late[0, d] += prefix * alpha * sign * bias
    _close(order.shape[0], prefix, counts, sums)


# CSR rows ----------------------------------------------------------------------------------------


def _vectors_of(width: int) -> Any:
    """Return ``f(W, x, columns, first, scores)``, of compiled code only.

    It writes ``scores[first + i] = sum of x[j] W[columns[j], first + i]`` for i < width: two sums
    in turn, so that one addition need not wait for the other.
    """
    sizes = [8] * (width // 8) + [size for size in (4, 2) if width % 8 & size]

    @intrinsic
    def scores_of(typingctx: Any, W: Any, x: Any, columns: Any, first: Any, out: Any) -> Any:
        signature = types.void(W, x, columns, types.intp, out)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def array(i: int) -> Any:
                return context.make_array(signature.args[i])(context, builder, args[i])

            W, data, indices, first, out = array(0), array(1), array(2), args[3], array(4)
            begin = ir.Constant(first.type, 0)
            end = cgutils.unpack_tuple(builder, data.shape)[0]  # type: ignore[no-untyped-call]
            stride = cgutils.unpack_tuple(builder, W.shape)[1]  # type: ignore[no-untyped-call]
            double, short = ir.DoubleType(), ir.IntType(32)
            vectors = [ir.VectorType(double, size) for size in sizes]
            sums = [
                [cgutils.alloca_once(builder, vector) for vector in vectors]  # type: ignore[no-untyped-call]
                for _ in range(2)
            ]
            for total in sums:
                for vector, part in zip(vectors, total, strict=True):
                    builder.store(ir.Constant(vector, [0.0] * vector.count), part)

            def part_of(pointer: Any, at: Any, vector: Any) -> Any:
                return builder.bitcast(builder.gep(pointer, [at]), vector.as_pointer())

            def add(j: Any, total: Any) -> None:
                x = builder.load(builder.gep(data.data, [j]))
                if x.type != double:
                    x = builder.fpext(x, double)
                feature = builder.load(builder.gep(indices.data, [j]))
                if feature.type != begin.type:
                    feature = builder.zext(feature, begin.type)
                place = builder.add(builder.mul(feature, stride), first)
                for vector, part in zip(vectors, total, strict=True):
                    undefined = ir.Constant(vector, ir.Undefined)
                    same = ir.Constant(ir.VectorType(short, vector.count), [0] * vector.count)
                    spread = builder.insert_element(undefined, x, ir.Constant(short, 0))
                    spread = builder.shuffle_vector(spread, undefined, same)
                    weights = builder.load(part_of(W.data, place, vector), align=8)
                    product = builder.fmul(spread, weights, flags=["contract"])
                    builder.store(
                        builder.fadd(builder.load(part), product, flags=["contract"]), part
                    )
                    place = builder.add(place, ir.Constant(begin.type, vector.count))

            one, two = ir.Constant(begin.type, 1), ir.Constant(begin.type, 2)
            even = builder.sub(end, builder.srem(end, two))
            with cgutils.for_range_slice(builder, begin, even, two) as (j, _):
                add(j, sums[0])
                add(builder.add(j, one), sums[1])
            with cgutils.for_range_slice(builder, even, end, one) as (j, _):
                add(j, sums[0])
            place = first
            for vector, left, right in zip(vectors, *sums, strict=True):
                total = builder.fadd(builder.load(left), builder.load(right))
                builder.store(total, part_of(out.data, place, vector), align=8)
                place = builder.add(place, ir.Constant(begin.type, vector.count))
            return context.get_dummy_value()

        return signature, codegen

    return scores_of


if bool(getattr(numba.config, "DISABLE_JIT", 0)):

    def _some_scores(W: Any, x: Any, columns: Any, scores: Any) -> None:
        scores[:] = x @ W[columns, : len(scores)]

else:
    _2, _4, _6, _8 = _vectors_of(2), _vectors_of(4), _vectors_of(6), _vectors_of(8)
    _10, _12, _14, _16 = _vectors_of(10), _vectors_of(12), _vectors_of(14), _vectors_of(16)

    @compiled(forceinline=True, error_model="numpy")
    def _some_scores(W: Any, x: Any, columns: Any, scores: Any) -> None:
        """Write the sums of the first columns, as many as there are scores."""
        r = 0
        while r + _WIDEST <= scores.shape[0]:
            _16(W, x, columns, r, scores)
            r += _WIDEST
        left = scores.shape[0] - r
        if left == 2:
            _2(W, x, columns, r, scores)
        elif left == 4:
            _4(W, x, columns, r, scores)
        elif left == 6:
            _6(W, x, columns, r, scores)
        elif left == 8:
            _8(W, x, columns, r, scores)
        elif left == 10:
            _10(W, x, columns, r, scores)
        elif left == 12:
            _12(W, x, columns, r, scores)
        elif left == 14:
            _14(W, x, columns, r, scores)


@compiled(error_model="numpy")
def spread(data: Any, indices: Any, indptr: Any, order: Any, X: Any) -> None:
    """Write the rows `order` of a CSR matrix into a dense one."""
    d = X.shape[1]
    for i in range(order.shape[0]):
        begin, end = indptr[order[i]], indptr[order[i] + 1]
        if end - begin == d:  # every entry is there, in order
            for j in range(d):
                X[i, j] = data[begin + j]
            continue
        for j in range(d):
            X[i, j] = 0.0
        for j in range(begin, end):
            X[i, np.uint32(indices[j])] = data[j]


@compiled(forceinline=True, error_model="numpy")
def _add_pair(
    W: Any,
    up: int,
    down: int,
    late: int,
    alpha: float,
    step: float,
    x: Any,
    columns: Any,
) -> None:
    """Add to two columns, and to those `late` further on, if there are any."""
    if late == 0:
        for j in range(x.shape[0]):
            value = alpha * x[j]
            feature = np.uint32(columns[j])
            W[feature, up] += value
            W[feature, down] -= value
        return
    for j in range(x.shape[0]):
        value = alpha * x[j]
        later = step * x[j]
        feature = np.uint32(columns[j])
        W[feature, up] += value
        W[feature, down] -= value
        W[feature, late + up] += later
        W[feature, late + down] -= later


@compiled(error_model="numpy")
def play_classes_csr(
    data: Any,
    indices: Any,
    indptr: Any,
    y: Any,
    order: Any,
    V: Any,
    late: Any,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
) -> None:
    """Play rounds with a score for each class on CSR rows.

    Where `indptr` is None, the rows are all of `data` in turn, each with all `indices`.
    """
    k, d = V.shape[0], V.shape[1] - 1
    margin, bias, scale = rule[_MARGIN], rule[_BIAS], 1.0 / sums[_C]
    average = flags[_AVERAGE] != 0
    ties = flags[_TIES] != 0
    width = k + k % 2
    apart = width if average else 0  # what comes late lies beside the weights
    W, b, late_b = np.zeros((d, width + apart)), V[:, d].copy(), np.zeros(k)
    W[:, :k] = V[:, :d].T
    if average:
        W[:, apart : apart + k] = late[:, :d].T
        late_b[:] = late[:, d]
    scores = np.zeros(width)
    prefix = sums[_PREFIX]
    for i in range(order.shape[0]):
        row = order[i]
        label = y[row]
        if indptr is None:
            x, columns = data[row * d : row * d + d], indices
        else:
            begin, end = indptr[row], indptr[row + 1]
            x, columns = data[begin:end], indices[begin:end]
        _some_scores(W, x, columns, scores)
        inner, top = _lead(scores, label, bias, b)
        loss = margin - scale * inner
        prefix += scale
        if loss > _ROUNDING * (margin + abs(scale * inner)):
            norm2 = 2.0 * (_square(x, 0, x.shape[0]) + bias * bias)
            wrong = _place(scores, k, top)
            mistake = inner < 0.0 or (inner == 0.0 and (ties or wrong < label))
            alpha = _lost(loss, margin, inner, norm2, mistake, scale, rule, flags, counts, sums)
            if alpha > 0.0:
                step = prefix * alpha
                _add_pair(W, label, wrong, apart, alpha, step, x, columns)
                b[label] += alpha * bias
                b[wrong] -= alpha * bias
                late_b[label] += step * bias
                late_b[wrong] -= step * bias
    V[:, :d], V[:, d] = W[:, :k].T, b
    if average:
        late[:, :d], late[:, d] = W[:, apart : apart + k].T, late_b
    _close(order.shape[0], prefix, counts, sums)


@compiled(forceinline=True, error_model="numpy")
def _add_entries(w: Any, step: float, data: Any, indices: Any, begin: int, end: int) -> None:
    for j in range(begin, end):
        w[np.uint32(indices[j])] += step * data[j]


@compiled(error_model="numpy")
def play_scores_csr(
    data: Any,
    indices: Any,
    indptr: Any,
    y: Any,
    order: Any,
    V: Any,
    late: Any,
    rule: Any,
    flags: Any,
    counts: Any,
    sums: Any,
) -> None:
    """Play rounds with one score on CSR rows."""
    margin, bias, scale = rule[_MARGIN], rule[_BIAS], 1.0 / sums[_C]
    average = flags[_AVERAGE] != 0
    w, d = V[0], V.shape[1] - 1
    prefix = sums[_PREFIX]
    for i in range(order.shape[0]):
        row = order[i]
        begin, end = indptr[row], indptr[row + 1]
        first = second = 0.0  # two sums, so that one addition need not wait for the other
        for j in range(begin, end - 1, 2):
            first += data[j] * w[np.uint32(indices[j])]
            second += data[j + 1] * w[np.uint32(indices[j + 1])]
        if (end - begin) % 2:
            first += data[end - 1] * w[np.uint32(indices[end - 1])]
        score = first + second + bias * w[d]
        sign, target, mistake = _one_score(score, y[row], margin, scale, flags)
        inner = sign * score
        loss = target - scale * inner
        prefix += scale
        if loss > _ROUNDING * (abs(target) + abs(scale * inner)):
            norm2 = _square(data, begin, end) + bias * bias
            alpha = _lost(loss, target, inner, norm2, mistake, scale, rule, flags, counts, sums)
            if alpha > 0.0:
                _add_entries(w, alpha * sign, data, indices, begin, end)
                w[d] += alpha * sign * bias
                if average:
                    _add_entries(late[0], prefix * alpha * sign, data, indices, begin, end)
                    late[0, d] += prefix * alpha * sign * bias
    _close(order.shape[0], prefix, counts, sums)
