"""Features for training that never saw what they score.

The scores of a frame classifier are better on the recordings it was fitted to than on new ones; a
structured learner fed with such scores would trust it too much. Features that declare
``cross_fit`` are therefore fitted once for each fold of groups (speakers, pieces), on the other
folds, to score that fold, and once more on everything, for use.
"""

import copy
import warnings
from collections.abc import Sequence
from typing import Any

from align._blas import one_thread
from align.errors import ParameterError
from align.features import Feature
from align.features.base import noted
from align.progress import Progress, no_report


class SingleRecordingWarning(UserWarning):
    """What is learned cannot be checked on another recording, as there is only one."""


def folds_of(groups: Sequence[str | None], n_folds: int) -> list[list[int]]:
    """Return folds of examples that share no group: the indices of the examples of each.

    At most `n_folds`, at least 1; fold f holds the sorted groups ``[f::n_folds]``. With fewer than
    two distinct groups every example is its own.

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
    items: Sequence[Any],
    *,
    n_folds: int = 4,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    checkpoint: Any = None,
    first: Sequence[Sequence[Any]] | None = None,
) -> list[list[Any]]:
    """Fit features in place, and return for every item features that did not see it.

    Of N items, the training recordings, each with its `group`, and F features; the result is N
    lists of F. In `n_folds` folds (1 for none) the features that ask for cross-fitting are copies
    that did not see the item's group, and that may learn faster (`for_a_fold`), the others as they
    are. `n_jobs` processes, as in joblib, do not change the result. A checkpoint keeps each copy
    whose feature has a state of its own, and gives it back instead of its being fitted again.
    `first` is what an earlier call returned for the same items: each copy goes on from the one
    that was fitted to the same of them (`Feature.go_on_from`). Warns where a feature asks for
    cross-fitting and there is only one recording.
    """
    from joblib import Parallel, delayed

    report = progress or no_report
    own: list[list[Any]] = [list(features) for _ in items]
    folds = folds_of([item.group for item in items], n_folds)
    if len(folds) < min(n_folds, 2) and any(feature.cross_fit for feature in features):
        warnings.warn(
            "with a single recording, classifiers score what they were fitted to and will be "
            "trusted too much; train on at least two.",
            SingleRecordingWarning,
            stacklevel=3,
        )
    jobs: list[tuple[int, list[int] | None]] = []
    for f, feature in enumerate(features):
        if feature.cross_fit:
            apart = folds if len(folds) > 1 else []
            if not (apart and feature.pools_folds):
                jobs.append((f, None))  # first, as it takes longest: no process waits for it
            jobs += [(f, fold) for fold in apart]
        else:
            _fit(feature, items)
    names = [_part_name(features[f], f, fold, folds) for f, fold in jobs]
    states = [None if checkpoint is None or not name else checkpoint.load(name) for name in names]
    tasks = (
        delayed(_fitted)(
            features[f].for_a_fold() if fold else features[f],
            [item for i, item in enumerate(items) if i not in unseen],
            state,
            begun,
        )
        for (f, fold), state in zip(jobs, states, strict=True)
        for unseen in [set(fold or [])]
        for begun in [None if first is None else _fitted_to_the_same(first, f, fold, folds)]
    )
    stage = "fitting classifiers"
    report(stage, 0, len(jobs))
    whole: dict[int, Any] = {}
    copies: dict[int, list[Any]] = {}
    done = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    for n, ((f, fold), fitted) in enumerate(zip(jobs, done, strict=True)):
        if checkpoint is not None and names[n] and states[n] is None:
            checkpoint.save(names[n], *fitted.get_state())
        if fold is None:
            whole[f] = fitted
        else:
            copies.setdefault(f, []).append(fitted)
            for i in fold:
                own[i][f] = fitted
        report(stage, n + 1, len(jobs))
    for f, fitted in whole.items():  # not before: what is fitted to folds is copied from these
        features[f].__dict__.update(fitted.__dict__)
    for f, fitted_copies in copies.items():
        if features[f].pools_folds:
            features[f].pool(fitted_copies)
    return own


def _part_name(
    feature: Feature, place: int, fold: list[int] | None, folds: list[list[int]]
) -> str:
    """Name of a fitted copy in a checkpoint; none where its state cannot be kept."""
    if not feature.has_state:
        return ""
    return f"feature{place}-{'all' if fold is None else folds.index(fold)}"


def _fitted_to_the_same(
    first: Sequence[Sequence[Any]], place: int, fold: list[int] | None, folds: list[list[int]]
) -> Any:
    """Return the feature at a place that did not see a fold, or saw all; None if there is none."""
    if fold is None and len(folds) > 1:
        return None
    return first[fold[0] if fold else 0][place]


@one_thread()
def _fitted(
    feature: Feature,
    seen: Sequence[Any],
    state: tuple[dict[str, Any], dict[str, Any]] | None,
    begun: Any,
) -> Any:
    """Return a copy of a feature, fitted to some items or restored; it goes on from another."""
    fitted = copy.deepcopy(feature)
    if state is not None:
        return fitted.set_state(*state)
    fitted = fitted if begun is None else fitted.go_on_from(begun)
    _fit(fitted, seen)
    return fitted


def _fit(feature: Feature, seen: Sequence[Any]) -> None:
    """Let a feature learn; an error in it says of which."""
    with noted(f"This was the fit of feature {feature.name!r}, to {len(seen)} recordings."):
        feature.fit(seen)
