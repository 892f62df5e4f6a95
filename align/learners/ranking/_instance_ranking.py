"""The pairs of a query (D5): what they lose, and the steps over them.

A pair (i, j) is two instances of a query with grades ``y_i > y_j``. Its scores should lie as far
apart as its grades, and its shortfall is ``y_i - y_j - <w, x_i - x_j>``. The loss of the query is
the mean of the positive shortfalls over its pairs, or the largest.

The pairs are as many as the square of the instances, and are never stored but in `ascend`: the
kernels walk over i and j. What all pairs together add to the dual sum is kept as beta, one number
for each *instance*: its alpha as the better one of pairs, less its alpha as the worse.

See `align.learners.ranking.instance_ranking` for the algorithms and the references.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.errors import ParameterError, check_shape
from align.learners.parts.labels import distinct_labels, read_labels
from align.types import Float64, IntArray


def coordinates(x: Float64) -> Float64:
    """Return rows with the inner products of x in as many dimensions as x has rows."""
    triangle = np.asarray(np.linalg.qr(x.T, mode="r"))
    return np.ascontiguousarray(triangle.T)


def queries(groups: Any, m: int) -> list[IntArray]:
    """Return the rows of each query, in the order in which queries first come."""
    if groups is None:
        return [np.arange(m)]
    labels = check_groups(groups, m)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    by_query = np.argsort(inverse, kind="stable")
    parts = np.split(by_query, np.cumsum(np.bincount(inverse))[:-1])
    return [parts[q] for q in np.argsort(first)]


def check_groups(groups: Any, m: int) -> npt.NDArray[Any]:
    """Return the query of each of m rows."""
    check_shape("groups", np.shape(groups), "(m,)", (m,))
    try:
        labels: npt.NDArray[Any] = read_labels(groups)
        distinct_labels(labels)
    except ParameterError as error:
        raise ParameterError(f"of groups, {error}") from None
    return labels


def rows(X: Any, query: IntArray) -> tuple[Float64, Any]:
    """Return the instances of a query, of a sparse matrix only the columns that are used."""
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X[query]), None
    part = X[query]
    columns = np.unique(part.indices)
    return np.ascontiguousarray(part[:, columns].toarray()), columns


@compiled()
def measure(scores: Any, y: Any) -> tuple[int, int, float, float, int, int]:
    """Return errors, pairs, the sum of the losses, the largest shortfall, and its pair.

    Of equal shortfalls that of the first pair counts.
    """
    errors = 0
    pairs = 0
    lost = 0.0
    worst = -np.inf
    up = 0
    down = 0
    for i in range(y.size):
        for j in range(y.size):
            if not y[i] > y[j]:
                continue
            ahead = scores[i] - scores[j]
            short = y[i] - y[j] - ahead
            pairs += 1
            if ahead <= 0.0:
                errors += 1
            if short > 0.0:
                lost += short
            if short > worst:
                worst = short
                up = i
                down = j
    return errors, pairs, lost, max(worst, 0.0), up, down


@compiled()
def subgradient(scores: Any, y: Any, beta: Any) -> tuple[float, float]:
    """Fill beta for the average; return the gain and the sum of alpha.

    The subgradient gives every pair with a loss an alpha of 1 / pairs, its share of the mean.
    """
    pairs = 0
    lost = 0
    gain = 0.0
    for i in range(y.size):
        for j in range(y.size):
            if y[i] > y[j]:
                pairs += 1
                if y[i] - y[j] - (scores[i] - scores[j]) > 0.0:
                    lost += 1
                    gain += y[i] - y[j]
                    beta[i] += 1.0
                    beta[j] -= 1.0
    for i in range(y.size):
        beta[i] /= pairs
    return gain / pairs, lost / pairs


@compiled()
def largest_distance(x: Any, y: Any) -> float:
    """Return the largest squared distance of two instances of different grades."""
    largest = 0.0
    for i in range(y.size):
        for j in range(y.size):
            if y[i] > y[j]:
                square = 0.0
                for f in range(x.shape[1]):
                    square += (x[i, f] - x[j, f]) ** 2
                largest = max(largest, square)
    return largest


@compiled()
def ascend(
    x: Any, up: Any, down: Any, short: Any, c: float, max_iter: int, tol: float, alpha: Any
) -> int:
    """Raise the dual of the average loss, one alpha after the other; return the sweeps taken.

    `x` are instances or their `coordinates`, `up` and `down` the better and the worse of each
    pair, `short` the shortfalls before the step. `alpha` has where to start, and then the dual
    variables, each in [0, 1 / n_pairs].
    """
    n_pairs = up.size
    largest = 1.0 / n_pairs
    move = np.zeros(x.shape[1])  # of v
    for a in range(n_pairs):
        for f in range(move.size):
            move[f] += alpha[a] * (x[up[a], f] - x[down[a], f])
    for sweep in range(max_iter):
        # One hinge step (E4) for each pair, all others fixed: the slope of the dual in its alpha
        # is the shortfall as it is by now, the curvature |x_up - x_down|^2 / c.
        for a in range(n_pairs):
            product = 0.0
            square = 0.0
            for f in range(move.size):
                part = x[up[a], f] - x[down[a], f]
                product += part * move[f]
                square += part * part
            slope = short[a] - product / c
            if square > 0.0:
                new = min(max(alpha[a] + c * slope / square, 0.0), largest)
            else:  # equal instances: no weights distinguish them, and the dual is a line
                new = largest if slope > 0.0 else 0.0
            step = new - alpha[a]
            if step != 0.0:
                alpha[a] = new
                for f in range(move.size):
                    move[f] += step * (x[up[a], f] - x[down[a], f])
        # Primal minus dual: |move|^2 / c + mean loss - <alpha, short>.
        gap = 0.0
        for f in range(move.size):
            gap += move[f] * move[f] / c
        for a in range(n_pairs):
            product = 0.0
            for f in range(move.size):
                product += (x[up[a], f] - x[down[a], f]) * move[f]
            gap += max(short[a] - product / c, 0.0) * largest - alpha[a] * short[a]
        if gap <= tol:
            return sweep + 1
    return max_iter
