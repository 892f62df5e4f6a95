"""Learners of any kind as `online_to_batch` sees them: rounds to be fed with, and hypotheses.

All that is asked of a learner is `partial_fit` with weights. A round is an example, or of learners
that take `groups` a query.
"""

import copy
import inspect
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from align.learners.parts.parameters import mean_of
from align.types import IntArray


class Examples(NamedTuple):
    """Examples, their labels, the query of each where rounds are queries, and their weights."""

    X: Any
    y: Any
    groups: Any
    weights: Any

    def of(self, rows: IntArray) -> "Examples":
        """Return those of some rows; what there is not stays None."""
        return Examples._make(None if part is None else part[rows] for part in self)


def takes(learner: Any, parameter: str) -> bool:
    """Return whether a learner has a `partial_fit` with a parameter."""
    learn = getattr(learner, "partial_fit", None)
    return learn is not None and parameter in inspect.signature(learn).parameters


def finds_outliers(learner: Any) -> bool:
    """Return whether a learner predicts what lies outside of one class."""
    return bool(get_tags(learner).estimator_type == "outlier_detector")


def fresh_copy(learner: Any) -> Any:
    """Return a copy that has learned nothing, and predicts with its last hypothesis."""
    learner = clone(learner)
    plain = {"average": False, "conversion": "last"}
    return learner.set_params(**{k: v for k, v in plain.items() if k in learner.get_params()})


def rounds_of(groups: Any, kept: IntArray, queries: bool) -> list[IntArray]:
    """Return the rows of each round, of those that are kept."""
    if not queries:
        return [kept[i : i + 1] for i in range(len(kept))]
    if groups is None:
        return [kept] if len(kept) else []
    _, first, codes = np.unique(groups[kept], return_index=True, return_inverse=True)
    return [kept[codes == code] for code in np.argsort(first)]


def feed(learner: Any, examples: Examples, rounds: list[IntArray], classes: Any) -> None:
    """Let a learner play some rounds; what it is not to be given is None."""
    if not rounds:
        return
    X, y, groups, weights = examples.of(np.concatenate(rounds))
    more = {"groups": groups, "sample_weight": weights, "classes": classes}
    learner.partial_fit(X, y, **{name: value for name, value in more.items() if value is not None})


def snapshot(learner: Any) -> Any:
    """Return a copy that predicts with the hypothesis of now; it is not to learn more."""
    return learner.snapshot() if hasattr(learner, "snapshot") else copy.deepcopy(learner)


def state_of(learner: Any) -> tuple[int, int] | None:
    """Return what is equal as long as the hypothesis is; None where that cannot be seen.

    A hypothesis changes with an update, and where room is made for one that then is none; with a c
    that changes, in every round.
    """
    updates = getattr(learner, "n_updates_", None)
    tuned = callable(getattr(learner, "c", None)) or hasattr(learner, "tuning")
    if updates is None or tuned:
        return None
    return updates, len(getattr(learner, "support_vectors_", ()))


def mean_error(learner: Any, examples: Examples, queries: bool) -> float:
    """Return the mean error on some examples: the share that is wrong, or the absolute one.

    As the examples weigh; queries all weigh alike.
    """
    X, y, groups, weights = examples
    if queries:
        return 1.0 - float(learner.score(X, y, groups))
    found = np.asarray(learner.predict(X))
    if hasattr(learner, "offset_"):  # one class: what lies outside
        return mean_of(found != 1, weights)
    if not hasattr(learner, "classes_"):
        return mean_of(np.abs(found - y), weights)
    if y.ndim == 2 and found.ndim == 1:  # is the best label relevant?
        codes = np.searchsorted(learner.classes_, found)
        return mean_of(y[np.arange(len(y)), codes] == 0, weights)
    wrong = found != y
    return mean_of(wrong.any(axis=1) if wrong.ndim == 2 else wrong, weights)
