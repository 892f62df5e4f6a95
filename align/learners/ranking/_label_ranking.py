r"""The rounds of label ranking (D6, D7): scores, losses, and the steps with a closed form.

Label r has a row v_r of the dual sum, and scores ``s_r = <w_r, x>`` with ``w_r = v_r / c``
(Euclidean) or ``w_r = softmax(v_r / c)`` (entropy). Arrays lie the other way round, by feature, so
that the weights of all labels for one word are neighbours: an instance of few words reads few
cache lines, whatever the number of labels.

With the entropy a step on the few words of an instance changes every weight of the row, through
the sum that normalises it. So what is kept is unnormalised, ``P_jr = exp(v_jr / c - shift_r)``,
and its sum Z_r: a step multiplies the entries it touches by ``exp(step x_j / c)`` and corrects Z_r
by the difference. That is exact but for rounding; before rounding or underflow could show,
`_refresh` computes the row again from v.

The dual objective (A4) is ``sum of alpha margin - c f*(V / c)``, f* being half the squared norm or
the log of the mean of ``exp(v_r / c)``; it is kept up to date with every step, too.

A step without a closed form is left to the caller: `play` returns in the middle of the round, and
goes on with it (`resume`) once the caller has filled alpha.

See `label_ranking` for the bounds and the references.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.learners.parts.step_kernels import exact_alpha, hinge, worst_pair
from align.types import BoolArray, Float64, IntArray

CONSERVATIVE, AGGRESSIVE, OPTIMAL = 0, 1, 2

# Rows of `norms`: sum of the unnormalised weights, their shift, the largest sum since the row was
# last computed afresh, and the steps since.
Z, SHIFT, PEAK, STALE = 0, 1, 2, 3
# `floats`: c; |v|^2, or with the entropy the sum of the log normalisers; gain; sums of the losses
# and of N*(x)^2 / c; dual; sum of 1 / c; of this round: loss, |x|^2, largest |x_j|, the one value
# of all nonzero x_j (0 where there are several), sum of alpha over Y.
C, PRICE, GAIN, LOSS, SPENT, DUAL, INVERSES, SHORT, SQUARE, TOP, FLAT, ALPHA = range(12)
# `counts`: rounds, mistakes, steps; of this round: whether a mistake, worst relevant label, worst
# other one, best of all.
ROUNDS, MISTAKES, UPDATES, MISTAKE, UP, DOWN, BEST = range(7)

LOG = 7  # columns of the log: cost, loss, alpha, c, norm, target, dual
_REFRESH = 256  # steps after which a row is computed afresh
# Scores whose difference is within this share of them are equal: what is kept of a row of the
# entropy is off by up to a few units in the last place for each of 256 steps.
_TIE = 1e-12


class Rows(NamedTuple):
    """Instances, dense or CSR, as the kernel reads them; `bias` adds a constant feature 1."""

    data: Float64
    columns: IntArray
    ends: IntArray
    dense: bool
    bias: bool


class State(NamedTuple):
    """What a run remembers, n features and room for K labels."""

    V: Float64  # (n, K)
    P: Float64  # (n, K), of the entropy
    norms: Float64  # (4, K), of the entropy
    mean: Float64  # (n, K), where hypotheses are averaged
    stamp: npt.NDArray[np.int64]  # (K,): rounds that `mean` has of each label
    marked: BoolArray  # (n,): features of this round
    scores: Float64  # (K,)
    masses: Float64  # (K, 2): log of the weight off and on the features of this round
    alpha: Float64  # (K,)
    floats: Float64
    counts: npt.NDArray[np.int64]


@compiled()
def _refresh(V: Any, P: Any, norms: Any, r: int, c: float) -> None:
    """Compute the unnormalised weights of a label, and their sum, from v."""
    n = V.shape[0]
    # With the largest exponent as the shift no entry exceeds 1, and Z is at least 1.
    top = -np.inf
    for j in range(n):
        top = max(top, V[j, r] / c)
    total = 0.0
    for j in range(n):
        P[j, r] = np.exp(V[j, r] / c - top)
        total += P[j, r]
    norms[Z, r] = total
    norms[SHIFT, r] = top
    norms[PEAK, r] = total
    norms[STALE, r] = 0.0


@compiled()
def _keep_mean(state: Any, r: int, rounds: int) -> None:
    """Add what the weights of a label were in the rounds that `mean` does not have yet.

    Called just before they change: a label that does not move costs nothing.
    """
    share = (rounds - state.stamp[r]) / state.norms[Z, r]
    for j in range(state.V.shape[0]):
        state.mean[j, r] += share * state.P[j, r]
    state.stamp[r] = rounds


@compiled()
def refresh_all(average: bool, c: float, state: Any) -> None:
    """Compute all that depends on c from v, after c has changed."""
    n, k = state.V.shape
    price = 0.0
    for r in range(k):
        if average:
            _keep_mean(state, r, state.counts[ROUNDS])
        _refresh(state.V, state.P, state.norms, r, c)
        price += state.norms[SHIFT, r] + np.log(state.norms[Z, r]) - np.log(float(n))
    state.floats[PRICE] = price


@compiled()
def _log_masses(state: Any, r: int, c: float, on: float) -> None:
    """Fill the log of a label's weight off and on the marked features.

    `on` is the weight on them; where it is so close to 0 or 1 that it says nothing of the rest,
    both are summed afresh from v.
    """
    if 1e-250 < on < 0.9999:
        state.masses[r, 0] = np.log1p(-on)
        state.masses[r, 1] = np.log(on)
        return
    # One pass over the marked features, one over the others, each relative to its largest entry.
    V = state.V
    norm = state.norms[SHIFT, r] + np.log(state.norms[Z, r])
    for side in range(2):
        top = -np.inf
        for j in range(V.shape[0]):
            if state.marked[j] == (side == 1):
                top = max(top, V[j, r])
        total = 0.0
        for j in range(V.shape[0]):
            if state.marked[j] == (side == 1):
                total += np.exp((V[j, r] - top) / c)
        state.masses[r, side] = top / c + np.log(total) - norm if total > 0.0 else -np.inf


@compiled()
def _measure(rows: Any, row: int, floats: Any) -> None:
    """Fill |x|^2, the largest |x_j|, and the one value of all nonzero x_j, if it is one.

    With one positive value the weight on the features of the instance is all that matters of a
    row, and the steps of the entropy need no search over the features.
    """
    square = 0.0
    top = 0.0
    flat = 0.0
    mixed = False
    for i in range(rows.ends[row], rows.ends[row + 1]):
        x = rows.data[i]
        if x == 0.0:
            continue
        square += x * x
        top = max(top, abs(x))
        if flat == 0.0:
            flat = x
        elif x != flat:
            mixed = True
    if rows.bias:
        square += 1.0
        top = max(top, 1.0)
        mixed = mixed or flat not in (0.0, 1.0)
        flat = 1.0
    floats[SQUARE] = square
    floats[TOP] = top
    floats[FLAT] = 0.0 if mixed or flat < 0.0 else flat


@compiled()
def _fill_scores(rows: Any, row: int, S: Any, k: int, scores: Any) -> None:
    """Fill ``scores = x S``."""
    for r in range(k):
        scores[r] = 0.0
    first = rows.ends[row]
    size = rows.ends[row + 1] - first
    done = 0
    if rows.dense:
        # Four features at once: a score is read and written a quarter as often. Labels of equal
        # weights still have equal scores, which BLAS does not promise.
        done = size - size % 4
        for i in range(0, done, 4):
            x0 = rows.data[first + i]
            x1 = rows.data[first + i + 1]
            x2 = rows.data[first + i + 2]
            x3 = rows.data[first + i + 3]
            if x0 != 0.0 or x1 != 0.0 or x2 != 0.0 or x3 != 0.0:
                for r in range(k):
                    part = x0 * S[i, r] + x1 * S[i + 1, r]
                    scores[r] += part + (x2 * S[i + 2, r] + x3 * S[i + 3, r])
    skip = 0 if rows.dense else first  # where the columns of this row begin
    for i in range(done, size):
        x = rows.data[first + i]
        if x != 0.0:
            weights = S[rows.columns[skip + i]]
            for r in range(k):
                scores[r] += x * weights[r]
    if rows.bias:
        weights = S[S.shape[0] - 1]
        for r in range(k):
            scores[r] += weights[r]


@compiled()
def _mark(rows: Any, row: int, marked: Any, value: bool) -> None:
    """Mark the features of an instance, or unmark them: only those, for there may be many."""
    first = rows.ends[row]
    skip = 0 if rows.dense else first
    for i in range(rows.ends[row + 1] - first):
        if rows.data[first + i] != 0.0:
            marked[rows.columns[skip + i]] = value
    if rows.bias:
        marked[marked.size - 1] = value


@compiled()
def _move(
    rows: Any, row: int, r: int, step: float, entropy: bool, average: bool, state: Any
) -> None:
    """Add ``step x`` to the row of v of a label, and keep what depends on it."""
    n = state.V.shape[0]
    first = rows.ends[row]
    skip = 0 if rows.dense else first
    size = rows.ends[row + 1] - first
    c = state.floats[C]
    norms = state.norms
    if entropy and average:
        _keep_mean(state, r, state.counts[ROUNDS])
    # `total` follows Z, and `before` is the log normaliser that the price still has. `sound` says
    # whether P and Z may be corrected: a huge step at once spoils them, and is computed afresh.
    late = state.floats[INVERSES]
    before = 0.0
    total = 0.0
    sound = True
    if entropy:
        total = norms[Z, r]
        before = norms[SHIFT, r] + np.log(total)
        sound = abs(step) * state.floats[TOP] < 100.0 * c
    value = 0.0  # the value of x that `factor` is of
    factor = 1.0
    for i in range(size + (1 if rows.bias else 0)):
        x = 1.0
        j = n - 1
        if i < size:
            x = rows.data[first + i]
            j = rows.columns[skip + i]
        if x == 0.0:
            continue
        state.V[j, r] += step * x
        if entropy:
            old = state.P[j, r]
            # An entry that has underflowed cannot be multiplied back.
            sound = sound and old > 1e-290
            if sound:
                if x != value:
                    value = x
                    factor = np.exp(step * x / c)
                state.P[j, r] = old * factor
                total += old * factor - old
        elif average:
            # Euclidean: w_t = v_t / c_t, and a step of this round is missing from the sum of the
            # 1 / c so far. `hypothesis` takes `mean` from the whole sum times v.
            state.mean[j, r] += late * step * x
    if entropy:
        # Also computed afresh where most of the sum was taken away, so that what is left of it
        # is the rounding of what went; and now and then in any case.
        norms[Z, r] = total
        norms[PEAK, r] = max(norms[PEAK, r], total)
        norms[STALE, r] += 1.0
        sound = sound and 0.25 * norms[PEAK, r] < total < 1e150 and norms[STALE, r] < _REFRESH
        if not sound:
            _refresh(state.V, state.P, norms, r, c)
        state.floats[PRICE] += norms[SHIFT, r] + np.log(norms[Z, r]) - before
    else:  # |v + step x|^2, with <v, x> = c s
        state.floats[PRICE] += step * (2.0 * c * state.scores[r] + step * state.floats[SQUARE])


@compiled()
def _begin_round(
    rows: Any, row: int, relevant: Any, k: int, entropy: bool, margin: float, state: Any
) -> bool:
    """Fill the scores, the worst pair and the loss; return whether there are pairs at all."""
    floats = state.floats
    counts = state.counts
    scores = state.scores
    _measure(rows, row, floats)
    _fill_scores(rows, row, state.P if entropy else state.V, k, scores)
    for r in range(k):
        scores[r] /= state.norms[Z, r] if entropy else floats[C]
        state.alpha[r] = 0.0
    up, down, best = worst_pair(scores, k, relevant, row)
    counts[ROUNDS] += 1
    counts[BEST] = best
    counts[UP] = up
    counts[DOWN] = down
    counts[MISTAKE] = 0
    floats[INVERSES] += 1.0 / floats[C]
    floats[SHORT] = 0.0
    if up < 0 or down < 0:
        return False
    # A tie is a mistake (D6), also one that rounding has broken.
    if scores[up] - scores[down] <= _TIE * (abs(scores[up]) + abs(scores[down])):
        counts[MISTAKE] = 1
        counts[MISTAKES] += 1
    floats[SHORT] = hinge(margin, scores[up] - scores[down])
    floats[LOSS] += floats[SHORT]
    return True


@compiled()
def _fill_masses(rows: Any, row: int, k: int, every: bool, c: float, state: Any) -> None:
    """Fill the masses of the worst pair, or of every label, on an instance of one value."""
    _mark(rows, row, state.marked, True)
    for r in range(k):
        if every or r in (state.counts[UP], state.counts[DOWN]):
            _log_masses(state, r, c, state.scores[r] / state.floats[FLAT])
    _mark(rows, row, state.marked, False)


@compiled()
def play(
    rows: Any, relevant: Any, known: Any, order: Any, begin: int, end: int, resume: bool,
    entropy: bool, average: bool, update: int, margin: float, state: Any, log: Any,
) -> int:  # fmt: skip
    """Play rounds ``order[begin:end]``; return at which one alpha is wanted, or `end`.

    `relevant` [shape=(m, K)] says which labels are relevant for each instance, `known`
    [shape=(m,)] how many are known by its round: the first so many compete. `resume` says whether
    the first round has begun already, and the caller has filled its alpha. `log` has `end` rows,
    or none.
    """
    # One long loop: every call with `state` counts references to its eleven arrays, and with the
    # choice of alpha and the steps as functions of their own quick rounds took a sixth longer.
    floats = state.floats
    counts = state.counts
    alpha = state.alpha
    for place in range(begin, end):
        row = order[place]
        k = known[row]
        c = floats[C]
        norm = floats[TOP] if entropy else np.sqrt(floats[SQUARE])  # N*(x), of a resumed round
        if not (resume and place == begin):
            pairs = _begin_round(rows, row, relevant, k, entropy, margin, state)
            norm = floats[TOP] if entropy else np.sqrt(floats[SQUARE])
            wanted = floats[SHORT] > 0.0 if update != CONSERVATIVE else counts[MISTAKE] == 1
            up = counts[UP]
            down = counts[DOWN]
            if pairs and wanted:
                floats[SPENT] += norm * norm / c
            if pairs and wanted and norm == 0.0:
                floats[GAIN] += margin  # the dual variable of a loss that no weights avoid
            elif pairs and wanted:
                if update == CONSERVATIVE:
                    alpha[up] = alpha[down] = 1.0
                elif update == AGGRESSIVE and not entropy:
                    # The step E4: x in one row and -x in another have twice the squared norm.
                    step = exact_alpha(floats[SHORT], 2.0 * floats[SQUARE] / c, 0.0, 1.0)
                    alpha[up] = alpha[down] = step
                else:
                    # Left to the caller: SOPOPO (E6); with the entropy the pair step (E5) and
                    # interior points (E7), which ask how much weight lies on the instance.
                    if entropy and floats[FLAT] > 0.0:
                        _fill_masses(rows, row, k, update == OPTIMAL, c, state)
                    return place
        # Relevant labels move up, the others down; equal sums make the total of one side enough.
        total = 0.0
        for r in range(k):
            if alpha[r] > 0.0:
                if relevant[row, r]:
                    total += alpha[r]
                    _move(rows, row, r, alpha[r], entropy, average, state)
                else:
                    _move(rows, row, r, -alpha[r], entropy, average, state)
        floats[ALPHA] = total
        floats[GAIN] += margin * total
        price = c * floats[PRICE] if entropy else floats[PRICE] / (2.0 * c)
        floats[DUAL] = floats[GAIN] - price
        if total > 0.0:
            counts[UPDATES] += 1
        if log.shape[0] > 0:
            log[place, 0] = counts[MISTAKE]
            log[place, 1] = floats[SHORT]
            log[place, 2] = total
            log[place, 3] = c
            log[place, 4] = np.sqrt(2.0) * norm
            log[place, 5] = margin
            log[place, 6] = floats[DUAL]
    return end
