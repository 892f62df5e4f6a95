"""Certificates of learners whose rounds are about a right label and a wrong one.

=============  ================================================================================
learner        bound on its mistakes
=============  ================================================================================
`CELLIP`       the sharper one of `cellip_bound`, where a unit vector with that margin is found;
               the printed one for ``cut="deep"``
`IELLIP`       `iellip_bound`, with the best unit vector found
`LabelRanker`  those of its trace; and each mistake loses gamma or more, so the bound of Lemma 2
               on the losses, over gamma, is one on mistakes
=============  ================================================================================

References
----------
Yang, Jin and Ye, "Online Learning by Ellipsoid Method", 2009, Theorems 3 and 4, corrected.
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, Lemma 2.
"""

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from align.errors import ParameterError
from align.learners.flat._competitors import (
    MISTAKE_BOUNDS,
    Constraints,
    best_certificate,
    competitors,
)
from align.learners.flat._inputs import with_constant
from align.learners.flat.run_certificate import as_mistakes, certificate_of, regret_of
from align.learners.parts.estimators import read_label_sets
from align.learners.theory import Certificate
from align.learners.theory.certified import RunCertificate
from align.types import BoolArray, Float64

_MOST_PAIRS = 2_000_000  # of a right label and a wrong one, over all rounds
_WEIGHTS = (1e-4, 1e-2, 1.0, 100.0)  # of half the squared norm of a unit vector that is sought

# Right labels and wrong ones -----------------------------------------------------------------


def _pairs(Z: Any, relevant: BoolArray, target: float) -> tuple[Constraints, Any]:
    """Return a constraint for each right label and each wrong one, and the round of each.

    With one column in `relevant` there is one score, of the sign that it says.
    """
    n, k = relevant.shape
    Z = sp.csr_array(Z)
    if k == 1:
        signs, zeros = np.where(relevant[:, 0], 1.0, -1.0), np.zeros(n, dtype=np.intp)
        return Constraints(Z, zeros, zeros - 1, signs, np.full(n, target), 1), np.arange(n)
    n_right = relevant.sum(axis=1)
    size = int((n_right * (k - n_right)).sum())
    if size > _MOST_PAIRS:
        raise ParameterError(
            f"there are {size} pairs of a right label and a wrong one, must be at most "
            f"{_MOST_PAIRS}: certify fewer examples."
        )
    rounds, up, down = np.nonzero(relevant[:, :, None] & ~relevant[:, None, :])
    return Constraints(Z[rounds], up, down, np.ones(size), np.full(size, target), k), rounds


def _worst(losses: Float64, rounds: Any, n: int) -> Float64:
    """Return the largest loss of the pairs of each round [shape=(n,)]."""
    found = np.zeros(n)
    np.maximum.at(found, rounds, losses)
    return found


# Ellipsoids ----------------------------------------------------------------------------------


def certify_ellipsoid(model: Any, X: Any, y: Any, delta: float) -> RunCertificate:
    """Run a copy of an ellipsoid learner, and return its certificate."""
    copy: Any = clone(model).set_params(record=True)
    X, y = read_label_sets(copy, X, y, reset=True)
    copy.start(X.shape[1], np.arange(y.shape[1]) if y.ndim == 2 else np.unique(y))
    relevant, rows = copy._relevant(y), copy._rows(X)
    n = len(relevant)
    copy._learn(rows, relevant, np.arange(n))
    values, columns, ends, dense = rows
    width = copy._W.shape[1]
    Z = values.reshape(n, width) if dense else sp.csr_array((values, columns, ends), (n, width))
    norms2 = np.asarray((Z * Z).sum(axis=1)).ravel() * (1.0 if len(copy._W) == 1 else 2.0)
    constraints, rounds = _pairs(Z, relevant, copy.gamma)
    lost = [_worst(constraints.losses_of(u), rounds, n) for u in _units(constraints)]
    bound: Certificate | None = copy._certificate(lost, norms2)
    mean = copy.average and copy.normalize != "max"  # which scales by what came before
    return certificate_of(
        copy.trace_,
        bound,
        math.inf if bound is None else bound.right,
        conversion="average" if mean else "last",
        margin=copy._target(),
        delta=delta,
        no_regret="an ellipsoid has another measure of complexity after each mistake",
    )


def _units(constraints: Constraints) -> list[Float64]:
    """Return unit vectors that keep the constraints, or nearly."""
    found = [constraints.solve(weight, passes=100) for weight in _WEIGHTS]
    sizes = [float(np.linalg.norm(u)) for u in found]
    return [u / size for u, size in zip(found, sizes, strict=True) if size > 0.0]


# Label rankers -------------------------------------------------------------------------------


def certify_ranker(model: Any, X: Any, y: Any, delta: float) -> RunCertificate:
    """Run a copy of a label ranker, and return its certificate."""
    copy: Any = clone(model).set_params(record=True)
    y = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
    copy.start(np.shape(X)[1], np.arange(y.shape[1]) if y.ndim == 2 else np.unique(y))
    copy.partial_fit(X, y)
    relevant: BoolArray = y != 0 if y.ndim == 2 else y[:, None] == copy.classes_
    trace, gamma = copy.trace_, copy.trace_.plan.margin
    Z = sp.csr_array(X, dtype=np.float64)
    Z = with_constant(Z) if copy.fit_intercept else Z
    among = competitors(_pairs(Z, relevant, gamma)[0], trace.plan)
    most, bound = math.inf, None
    named = best_certificate(trace, MISTAKE_BOUNDS, among)
    if named is not None:
        most, bound = as_mistakes(named[0], gamma), named[0]
    # A mistake loses gamma or more, so what bounds the losses bounds the mistakes. Lemma 2 has of
    # a conservative ranker the mistaken rounds only, and would bound their number by itself.
    lemma = best_certificate(trace, ("Lemma 2",), among)
    if lemma and not trace.plan.update.conservative and lemma[0].right / gamma < most:
        most, bound = lemma[0].right / gamma, lemma[0]
    return certificate_of(
        trace,
        bound,
        most,
        conversion="average" if copy.average else "last",
        margin=gamma,
        delta=delta,
        regret=regret_of(trace, among),
    )
