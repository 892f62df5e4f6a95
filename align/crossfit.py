"""Scores for training that come from parts which never saw what they score.

A frame classifier is far surer of the recordings it was fitted to than of new ones; a structured
learner fed with such scores would trust it too much. Features that declare ``cross_fit`` are
therefore fitted once for each fold of groups (speakers, pieces), on the other folds, to score that
fold, and once more on everything, for use.
"""

import copy
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from align._blas import one_thread
from align.errors import ParameterError
from align.features import Feature, TimedSignal
from align.types import Term

__all__ = ["cross_fit", "folds_of"]

Progress = Callable[[str, int, int], None]


def folds_of(groups: Sequence[str | None], n_folds: int) -> list[list[int]]:
    """Split examples into folds that share no group.

    Parameters
    ----------
    groups : sequence of str or None, length N
        Group of each example. With fewer than two distinct groups every example is its own.
    n_folds : int
        At most this many folds, at least 1.

    Returns
    -------
    list of list of int
        Indices of the examples of each fold; fold f holds the sorted groups ``[f::n_folds]``.

    Examples
    --------
    >>> folds_of(["ann", "ann", "bob", "cid"], n_folds=2)
    [[0, 1, 3], [2]]
    """
    if n_folds < 1:
        raise ParameterError(f"n_folds={n_folds}, must be at least 1; 1 is for no cross-fitting.")
    alone = [(i, "") for i in range(len(groups))]
    names = [alone[i] if group is None else (-1, group) for i, group in enumerate(groups)]
    if len(set(names)) < 2:
        names = alone
    distinct = sorted(set(names))
    n = min(n_folds, len(distinct))
    fold_of = {name: i % n for i, name in enumerate(distinct)}
    folds: list[list[int]] = [[] for _ in range(n)]
    for i, name in enumerate(names):
        folds[fold_of[name]].append(i)
    return folds


def cross_fit(
    features: Sequence[Feature],
    examples: Sequence[TimedSignal],
    *,
    n_folds: int = 4,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    checkpoint: Any = None,
) -> list[dict[str, Term]]:
    """Fit features in place and return the terms of every example, fit to be learned from.

    Parameters
    ----------
    features : sequence of Feature
        Fitted in place, on all examples.
    examples : sequence of TimedSignal, length N
        The training recordings.
    n_folds : int
        Folds for the features that ask for cross-fitting; 1 for none.
    n_jobs : int, optional
        Processes, as in joblib; the result does not depend on it.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.
    checkpoint : align.checkpoint.Checkpoint, optional
        Where each cross-fitted copy is kept, and taken from instead of being fitted again, if its
        feature has a state of its own.

    Returns
    -------
    list of dict, length N
        Name and term of each base function; of cross-fitted features as scored by a copy that
        did not see the example's group.

    Raises
    ------
    ParameterError
        Where two features give a base function of the same name.

    Warns
    -----
    UserWarning
        Where a feature asks for cross-fitting and there is only one recording.
    """
    from joblib import Parallel, delayed

    report = progress or (lambda stage, done, total: None)
    scored: list[list[dict[str, Term]]] = [[{} for _ in features] for _ in examples]
    folds = folds_of([example.group for example in examples], n_folds)
    jobs: list[tuple[int, list[int] | None]] = []
    copies: dict[int, list[Feature]] = {}
    if len(folds) < min(n_folds, 2) and any(feature.cross_fit for feature in features):
        warnings.warn(
            "with a single recording, classifiers score what they were fitted to and will be "
            "trusted too much; train on at least two.",
            stacklevel=3,
        )
    for f, feature in enumerate(features):
        if feature.cross_fit and len(folds) > 1:
            jobs += [(f, fold) for fold in folds]
            if not feature.pools_folds:
                jobs.append((f, None))
        else:
            feature.fit(examples)
            for i, example in enumerate(examples):
                scored[i][f] = feature.terms(example.signal, example.events)
    names = [_part_name(features[f], f, fold, folds) for f, fold in jobs]
    states = [None if checkpoint is None or not name else checkpoint.load(name) for name in names]
    tasks = (
        delayed(_fit_and_score)(
            features[f],
            [example for i, example in enumerate(examples) if i not in held_out],
            [examples[i] for i in held_out],
            state,
        )
        for (f, fold), state in zip(jobs, states, strict=True)
        for held_out in [dict.fromkeys(fold or [])]
    )
    stage = "fitting classifiers"
    report(stage, 0, len(jobs))
    done = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    for n, ((f, fold), (fitted, terms)) in enumerate(zip(jobs, done, strict=True)):
        if checkpoint is not None and names[n] and states[n] is None:
            checkpoint.save(names[n], *fitted.get_state())
        if fold is None:
            features[f].__dict__.update(fitted.__dict__)
        else:
            copies.setdefault(f, []).append(fitted)
            for i, term in zip(fold, terms, strict=True):
                scored[i][f] = term
        report(stage, n + 1, len(jobs))
    for f, fitted_copies in copies.items():
        if features[f].pools_folds:
            features[f].pool(fitted_copies)
    return [_merged(terms) for terms in scored]


def _merged(terms: Sequence[dict[str, Term]]) -> dict[str, Term]:
    merged: dict[str, Term] = {}
    for of_feature in terms:
        for name, term in of_feature.items():
            if name in merged:
                raise ParameterError(f"two features give a base function called {name!r}.")
            merged[name] = term
    return merged


def _part_name(
    feature: Feature, place: int, fold: list[int] | None, folds: list[list[int]]
) -> str:
    """Name of a fitted copy in a checkpoint; none where its state cannot be kept."""
    if type(feature).get_state is Feature.get_state:
        return ""
    return f"feature{place}-{'all' if fold is None else folds.index(fold)}"


@one_thread()
def _fit_and_score(
    feature: Feature,
    seen: Sequence[TimedSignal],
    unseen: Sequence[TimedSignal],
    state: tuple[dict[str, Any], dict[str, Any]] | None = None,
) -> tuple[Feature, list[dict[str, Term]]]:
    fitted = copy.deepcopy(feature)
    fitted = fitted.fit(seen) if state is None else fitted.set_state(*state)
    return fitted, [fitted.terms(example.signal, example.events) for example in unseen]
