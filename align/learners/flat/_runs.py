"""The examples of a run, and its state as every flat learner asks for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from align.types import BoolArray, Float64, IntArray

_FLOAT, _INT = np.dtype(np.float64), np.dtype(np.int32)
_BLOCK = 2**18  # numbers that are copied at a time, 2 MB


@dataclass
class Chunk:
    """Examples, and the rounds to be played with them."""

    X: Any  # (m, d), dense or CSR
    y: npt.NDArray[Any]  # numbers; or -1. and +1.; or codes, -1. where `relevant` has the row
    relevant: BoolArray  # (m, k); no rows where there are only classes
    weights: Float64  # (m,), positive; empty where all are 1
    order: IntArray  # rows of the rounds
    plain: bool = False  # known to be what kernels are compiled for


@cache
def no_relevant(rows: int) -> BoolArray:
    """Return the `relevant` of a chunk that has only classes [shape=(0, rows)]."""
    return np.zeros((0, rows), dtype=np.bool_)


def instance(X: Any, row: int, bias: float, doubled: bool) -> Float64:
    """Return a row as a learner sees it: with the constant if it is not 0, and as ``[x, -x]``."""
    dense = X[row] if isinstance(X, np.ndarray) else X[[row]].toarray()[0]
    x = np.append(dense, bias) if bias else np.asarray(dense, dtype=np.float64)
    return np.concatenate([x, -x]) if doubled else x


def is_plain(X: Any) -> bool:
    """Return whether examples are what kernels are compiled for: float64 that can be written."""
    values = X if isinstance(X, np.ndarray) else X.data
    if values.dtype != _FLOAT or not values.flags.writeable:
        return False
    if values is X:
        return True
    columns, ends = X.indices, X.indptr
    if columns.dtype != _INT or ends.dtype != _INT:
        return False
    return bool(columns.flags.writeable and ends.flags.writeable)


def blocks(chunk: Chunk, order: IntArray, *, dense: bool = False) -> Iterator[Chunk]:
    """Give rounds in the one form that kernels are compiled for, so that they are only once.

    Plain examples are given as they are, all at once. Others (float32, memory that is mapped for
    reading, 64-bit indices) are copied, some rows at a time. So is CSR where a kernel asks for
    dense rows.
    """
    X, y = chunk.X, np.ascontiguousarray(chunk.y, dtype=np.float64)
    if is_plain(X) and (isinstance(X, np.ndarray) or not dense):
        yield Chunk(X, y, chunk.relevant, chunk.weights, order)
        return
    size = max(1, _BLOCK // X.shape[1])
    for begin in range(0, len(order), size):
        rows = order[begin : begin + size]
        found = X[rows]
        if isinstance(X, np.ndarray):
            found = found.astype(np.float64, copy=False)
        elif dense:
            found = found.toarray().astype(np.float64, copy=False)
        else:
            indices = found.indices.astype(np.int32, copy=False)
            indptr = found.indptr.astype(np.int32, copy=False)
            found = sp.csr_array(
                (found.data.astype(np.float64, copy=False), indices, indptr), shape=found.shape
            )
        relevant = chunk.relevant[rows] if len(chunk.relevant) else chunk.relevant
        weights = chunk.weights[rows] if len(chunk.weights) else chunk.weights
        yield Chunk(found, y[rows], relevant, weights, np.arange(len(rows)))


def spread(old: Float64, new: Float64, places: IntArray) -> bool:
    """Write rows of classes to their `places` among more of them, which have what they begin with.

    One score of two classes becomes two, half the size each and of opposite signs: the margins
    stay what they were, and so does every prediction. Returns whether that was so.
    """
    halved = len(old) == 1 and len(places) == 2 and len(new) > 1
    if halved:
        new[places[0]], new[places[1]] = -old[0] / 2.0, old[0] / 2.0
    elif len(new) == 1:
        new[:] = old
    else:
        new[places] = old
    return halved


class Run(Protocol):
    """The state of an online run, whatever its complexity function.

    Made of a `Plan` (`LinearRun` and `LinkRun` say which they cover), the number `rows` of scores
    and that of features, the value of the constant feature (`bias`, 0 for none), whether `mean`
    will be asked for (`average`), and a generator for `Revisit` in random order.
    """

    rows: int
    n_features: int

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Rounds, mistakes, updates, mistakes without a direction."""
        ...

    @property
    def loss(self) -> float:
        """Sum of ``[b - <w, a>]_+`` over the rounds."""
        ...

    @property
    def dual(self) -> float:
        """Dual objective."""
        ...

    def play(self, chunk: Chunk, order: IntArray, log: Float64, stop: bool = False) -> int:
        """Play rounds; return how many were played, up to the first update where `stop` is set.

        The log gets a row for each round, as long as it has rows; see `_round`.
        """
        ...

    def play_one(self, chunk: Chunk, order: IntArray, log: Float64) -> Float64:
        """Play a single round; return the hypothesis that it predicted with.

        It is that of `hypothesis` before the round where c is fixed. Else c, and with it the
        hypothesis, is only known once the round has begun.
        """
        ...

    def idle(self, n_rounds: int) -> None:
        """Count rounds in which nothing can go wrong."""
        ...

    def hypothesis(self) -> Float64:
        """Return the weights [shape=(rows, d + 1)]; the last column is that of the constant."""
        ...

    def mean(self) -> Float64:
        """Return the mean of the hypotheses before each round, of the same shape."""
        ...

    def grow(self, rows: int, places: IntArray) -> None:
        """Make room for more classes; `places` says where the present ones go."""
        ...
