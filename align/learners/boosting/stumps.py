"""Decision stumps: thresholds on one feature, the weak learners of boosting.

A stump answers ``sign`` where ``x[feature] > threshold`` and ``-sign`` elsewhere. The best one for
given example weights is found by one scan of the columns, sorted once: O(stored values) for each
set of weights, whether the examples are dense or sparse.

The edge of a stump is ``sum_i w_i y_i answer_i`` with weights w and labels y (section F of the
algorithms): 1 less twice its weighted error. With ``signed_i = w_i y_i``, their total T and the
sum B of those at or below the threshold, it is ``sign (T - 2 B)``: one number per threshold, and
the sign is free.
"""

from typing import Any, NamedTuple

import numpy as np

from align._numba import compiled
from align.types import Float64

# Edges closer than this are ties, which the first feature and the lowest threshold win; so the
# order of the examples, or an example met twice instead of weighing twice, changes nothing.
_TIE = 1e-12


class Stump(NamedTuple):
    """A threshold on one feature.

    Attributes
    ----------
    feature : int
    threshold : float
        -inf where the stump is constant.
    sign : float
        Its answer above the threshold, +1 or -1.
    """

    feature: int
    threshold: float
    sign: float

    def predict(self, X: Any) -> Float64:
        """Return the answers, -1 or +1.

        Parameters
        ----------
        X : np.ndarray or CSC matrix [shape=(m, n)]

        Returns
        -------
        np.ndarray [shape=(m,)]

        Examples
        --------
        >>> Stump(0, 1.5, -1.0).predict(np.array([[1.0], [2.0]]))
        array([ 1., -1.])
        """
        if isinstance(X, np.ndarray):
            column = X[:, self.feature]
        else:
            column = X[:, [self.feature]].toarray().ravel()
        return np.where(column > self.threshold, self.sign, -self.sign)


class StumpSearch:
    """Examples with their columns sorted, ready to be searched for stumps.

    Parameters
    ----------
    X : np.ndarray or sparse matrix [shape=(m, n)]
        Finite values.

    Examples
    --------
    >>> search = StumpSearch(np.array([[1.0], [2.0], [3.0]]))
    >>> search.best(np.array([-0.25, 0.5, 0.25]))
    (Stump(feature=0, threshold=1.5, sign=1.0), 1.0)
    """

    def __init__(self, X: Any) -> None:
        m, n = X.shape
        self.n_examples = m
        if isinstance(X, np.ndarray):
            order = np.argsort(X, axis=0, kind="stable")
            self._rows = np.ascontiguousarray(order.T).ravel()
            self._values = np.ascontiguousarray(
                np.take_along_axis(X, order, axis=0).T, dtype=np.float64
            ).ravel()
            self._starts = np.arange(n + 1) * m
        else:
            X = X.tocsc()
            columns = np.repeat(np.arange(n), np.diff(X.indptr))
            order = np.lexsort((X.data, columns))
            self._rows = X.indices[order].astype(np.intp)
            self._values = X.data[order].astype(np.float64)
            self._starts = X.indptr.astype(np.intp)

    def best(self, signed: Float64) -> tuple[Stump, float]:
        """Return the stump of the largest edge, and that edge.

        Parameters
        ----------
        signed : np.ndarray [shape=(m,)]
            Weight of each example times its label, -1 or +1; the weights sum to 1.

        Returns
        -------
        stump : Stump
        edge : float
            Sum of `signed` times the answers; never negative.
        """
        feature, threshold, sign, edge = _scan(
            self._starts, self._rows, self._values, signed, self.n_examples
        )
        return Stump(int(feature), float(threshold), float(sign)), float(edge)


@compiled()
def _scan(
    starts: Any, rows: Any, values: Any, signed: Any, m: int
) -> tuple[int, float, float, float]:
    """Return feature, threshold, sign and edge of the best stump.

    Column c has its stored `values`, ascending, from ``starts[c]`` on, and `rows` says whose they
    are. A sparse column stores fewer than m: the others are 0, and take their place in the order
    together, before the first positive value.
    """
    total = signed.sum()
    # The constant stump: everything lies above its threshold.
    best = abs(total)
    feature = 0
    threshold = -np.inf
    sign = 1.0 if total >= 0.0 else -1.0
    for column in range(starts.size - 1):
        first = starts[column]
        last = starts[column + 1]
        stored = 0.0
        if last - first < m:
            for i in range(first, last):
                stored += signed[rows[i]]
        below = 0.0  # of `signed`, over the examples at or below the threshold
        value = -np.inf  # the largest value among those
        zeros = last - first < m  # values that are not stored still lie ahead
        i = first
        while i < last or zeros:
            if zeros and (i == last or values[i] > 0.0):
                here = 0.0
            else:
                here = values[i]
            # Between two different values lies a threshold: all examples so far are below it.
            if here > value and value > -np.inf:
                edge = total - 2.0 * below
                if abs(edge) > best + _TIE:
                    best = abs(edge)
                    feature = column
                    threshold = value / 2.0 + here / 2.0
                    if not value <= threshold < here:  # neighbours among the floats
                        threshold = value
                    sign = 1.0 if edge >= 0.0 else -1.0
            # Go past this value: all zeros at once, or one stored example.
            value = here
            if zeros and (i == last or values[i] > 0.0):
                below += total - stored
                zeros = False
            else:
                below += signed[rows[i]]
                i += 1
    return feature, threshold, sign, best
