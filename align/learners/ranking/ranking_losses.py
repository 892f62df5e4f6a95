"""Losses of rankings: of labels, some of them relevant, and of instances, each with a grade.

Label ranking: k labels, a set Y of which is relevant. The loss is that of the worst pair,
``max over r in Y, s not in Y of [gamma - (s_r - s_s)]_+``; a *mistake* is any pair that is not
strictly in order, so that ``gamma * mistake <= loss``.

Instance ranking: instances of one query with grades y. The pairs are
``E = {(i, j): y_i > y_j}``, the loss of a pair is ``[(y_i - y_j) - (s_i - s_j)]_+``, and that of
the query their average or their maximum.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, sections 5.3.4, 8.1
and 8.2.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.parameters import positive
from align.types import Float64


def label_ranking_loss(scores: npt.ArrayLike, relevant: npt.ArrayLike, gamma: float = 1.0) -> Any:
    """Return the loss of the worst pair of labels.

    Parameters
    ----------
    scores : array_like [shape=(..., k)]
    relevant : array_like of bool [shape=(..., k)]
        Membership in Y.
    gamma : float, default 1
        Margin, positive.

    Returns
    -------
    float or np.ndarray [shape=(...)]
        0 where Y is empty or holds every label.

    Raises
    ------
    ParameterError
        For shapes that differ, scores that are not finite, or gamma out of range.

    Examples
    --------
    >>> label_ranking_loss([0.75, 0.25, 0.0], [True, False, True])
    1.25
    """
    positive(gamma, "gamma")
    margins = _margins(scores, relevant)
    losses = np.maximum(gamma - margins, 0.0)
    return float(losses) if losses.ndim == 0 else losses


def label_ranking_mistakes(scores: npt.ArrayLike, relevant: npt.ArrayLike) -> Any:
    """Return whether some relevant label scores no higher than some other one; ties count.

    Parameters
    ----------
    scores : array_like [shape=(..., k)]
    relevant : array_like of bool [shape=(..., k)]

    Returns
    -------
    bool or np.ndarray of bool [shape=(...)]
        False where Y is empty or holds every label.

    Examples
    --------
    >>> label_ranking_mistakes([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]], [[1, 0], [1, 0], [1, 1]])
    array([ True, False, False])
    """
    mistakes = _margins(scores, relevant) <= 0.0
    return bool(mistakes) if mistakes.ndim == 0 else mistakes


def _margins(scores: npt.ArrayLike, relevant: npt.ArrayLike) -> Float64:
    """Return the least score on Y minus the largest off it; infinite where there is no pair."""
    scores, relevant = np.asarray(scores, dtype=np.float64), np.asarray(relevant, dtype=np.bool_)
    if scores.ndim == 0 or scores.shape != relevant.shape:
        raise ParameterError(f"relevant.shape={relevant.shape}, must be that of scores, (..., k).")
    if not np.isfinite(scores).all():
        raise ParameterError("scores must be finite.")
    low = np.where(relevant, scores, np.inf).min(axis=-1, initial=np.inf)
    high = np.where(relevant, -np.inf, scores).max(axis=-1, initial=-np.inf)
    return np.asarray(low - high)


def instance_ranking_loss(scores: npt.ArrayLike, y: npt.ArrayLike, loss: str = "average") -> float:
    """Return the loss of a ranking of the instances of one query.

    Parameters
    ----------
    scores : array_like [shape=(k,)]
    y : array_like [shape=(k,)]
        Grades.
    loss : {"average", "maximum"}
        Over the pairs with different grades.

    Returns
    -------
    float
        0 where there is no such pair. The average is never more than the maximum.

    Raises
    ------
    ParameterError
        For shapes that differ, values that are not finite, or an unknown loss.

    Examples
    --------
    >>> instance_ranking_loss([0.5, 0.0, 0.0], [2.0, 1.0, 0.0])
    1.0
    >>> instance_ranking_loss([0.5, 0.0, 0.0], [2.0, 1.0, 0.0], "maximum")
    1.5
    """
    if loss not in ("average", "maximum"):
        raise ParameterError(f"loss={loss!r}, must be 'average' or 'maximum'.")
    ahead, apart = _pairs(scores, y)
    if not apart.size:
        return 0.0
    lost = np.maximum(apart - ahead, 0.0)
    return float(lost.mean() if loss == "average" else lost.max())


def instance_ranking_errors(scores: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return which share of the pairs of one query is not strictly in order.

    Parameters
    ----------
    scores : array_like [shape=(k,)]
    y : array_like [shape=(k,)]
        Grades.

    Returns
    -------
    float
        0 where no two grades differ.

    Examples
    --------
    >>> round(instance_ranking_errors([0.5, 0.0, 0.0], [2.0, 1.0, 0.0]), 6)
    0.333333
    """
    ahead, _ = _pairs(scores, y)
    return float((ahead <= 0.0).mean()) if ahead.size else 0.0


def _pairs(scores: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Float64, Float64]:
    """Return ``s_i - s_j`` and ``y_i - y_j`` of the pairs with ``y_i > y_j``."""
    scores, y = np.asarray(scores, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if scores.ndim != 1 or scores.shape != y.shape:
        raise ParameterError(f"scores.shape={scores.shape}, y.shape={y.shape}, must be (k,) both.")
    if not (np.isfinite(scores).all() and np.isfinite(y).all()):
        raise ParameterError("scores and y must be finite.")
    i, j = np.nonzero(y[:, None] > y[None, :])
    return scores[i] - scores[j], y[i] - y[j]
