"""Bring a trained aligner to a new language, voice or way of labelling, from a few recordings.

Five to fifty corrected recordings are far too few to train on, and enough to move a model that
knows speech already. Every part of it moves, each held back by what it was:

* networks continue their training, for few steps at a low rate; symbols that are new get outputs;
* durations become a mixture of the old lengths and the new, where an old label counts for no more
  than `_PRIOR` recordings' worth of events;
* the structured weights w start from the old ones and take passive-aggressive steps, each the
  least move that lowers the hinge loss, of at most C::

      w <- w + min(C, loss / ||d||^2) d,
      d = phi(x, y) - phi(x, y'),  loss = cost(y, y') - <w, d>

  on scores of networks that were adapted to other recordings than the one at hand, as in training;
* the offset of the onsets moves towards the median error that is seen on such scores.

`compare` says whether it helps: on held-out folds, before and after.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from align._params import not_fitted_error
from align.aligner import SequenceAligner
from align.crossfit import folds_of
from align.decoders import decode
from align.errors import DataError, ParameterError
from align.features import DurationFeature, Feature, NetworkConfidence, TimedSignal
from align.features.duration import LengthStatistics
from align.learners import make_cost
from align.problem import AlignmentProblem
from align.report import FileResult, Report
from align.types import BaseFunctions, Example, IntArray, Term

__all__ = ["Comparison", "adapt", "compare"]

Progress = Callable[[str, int, int], None]
_Aligner = TypeVar("_Aligner", bound=SequenceAligner)

_PRIOR = 10.0  # events of a label; what the old model knows of its length weighs no more
_OFFSET_PRIOR = 50.0  # onsets; what the old offset weighs
_EPOCHS = 2
_GROSS = 0.05  # seconds; larger errors say nothing of the offset


@dataclass(frozen=True)
class Comparison:
    """What adapting brought, on recordings that were left out.

    Attributes
    ----------
    before, after : Report
        Of the aligner as it was, and of those adapted to the other folds; the same recordings.
    """

    before: Report
    after: Report

    def __str__(self) -> str:
        shown = ("10", "20", "30", "40")
        lines = [f"{'':<8}" + "".join(f"{'<=' + t + ' ms':>10}" for t in shown) + "      mean"]
        for name, report in (("before", self.before), ("after", self.after)):
            shares = "".join(f"{report.within_ms[t]:9.1f}%" for t in shown)
            lines.append(f"{name:<8}{shares}{report.mean_abs_ms:7.1f} ms")
        return "\n".join(lines)


def adapt(
    aligner: _Aligner,
    corpus: Sequence[Example],
    *,
    steps: int | None = None,
    rate: float = 3e-4,
    C: float = 0.01,
    n_folds: int = 3,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> _Aligner:
    """Adapt a trained aligner to a few recordings whose onsets are known.

    Parameters
    ----------
    aligner : SequenceAligner
        Fitted or loaded; it is not changed.
    corpus : sequence of Example
        Corrected recordings, each with `onsets`; at least two.
    steps : int, optional
        Updates of each network; by default 40, and more for more than a minute of recordings.
    rate : float
        Peak learning rate of the networks.
    C : float
        Longest step of the structured weights.
    n_folds : int
        Folds over the recordings, to score each with networks that were not adapted to it.
    n_jobs : int, optional
        Processes, as in joblib; the result does not depend on it.
    random_state : int
        Seed of the order of the structured steps.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.

    Returns
    -------
    SequenceAligner
        A new aligner of the same class, to be used or saved like any other.

    Raises
    ------
    DataError
        Where fewer than two recordings can be learned from.
    ParameterError
        Where a parameter is wrong.
    """
    if not hasattr(aligner, "coef_"):
        raise not_fitted_error(aligner)
    if steps is not None and steps < 1:
        raise ParameterError(f"steps={steps}, must be at least 1.")
    if not (rate > 0 and C >= 0):
        raise ParameterError(f"rate={rate}, C={C}, must be positive.")
    if n_folds < 2:
        raise ParameterError(f"n_folds={n_folds}, must be at least 2.")
    from joblib import Parallel, delayed

    report = progress or (lambda stage, done, total: None)
    new = copy.deepcopy(aligner)
    new.learner_ = None
    new.problems_ = list(getattr(corpus, "problems", []))
    timed = new._read_all(corpus, report)
    if len(timed) < 2:
        reasons = "; ".join(f"{name}: {why}" for name, why in new.problems_[:3])
        raise DataError(
            f"{len(timed)} recordings can be learned from; give at least two"
            + (f" ({reasons})." if reasons else ".")
        )
    seconds = sum(item.signal.duration for item in timed)
    n_steps = steps or int(min(max(40, 0.5 * seconds), 400))
    new.labels_ = sorted({*new.labels_, *(str(e) for item in timed for e in item.events)})
    new.longest_ = max(new.longest_, new._longest(timed))

    folds = folds_of([None] * len(timed), n_folds)
    tasks = [
        delayed(_moved)(
            new.features_,
            [item for i, item in enumerate(timed) if i not in fold],
            [timed[i] for i in fold],
            n_steps,
            rate,
        )
        for fold in [*folds, []]
    ]
    stage = "adapting networks"
    report(stage, 0, len(tasks))
    scored: list[dict[str, Term]] = [{} for _ in timed]
    done = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    for n, (fold, (features, terms)) in enumerate(zip([*folds, []], done, strict=True)):
        for i, term in zip(fold, terms, strict=True):
            scored[i] = term
        report(stage, n + 1, len(tasks))
        if not fold:
            new.features_ = features
    xs = [
        new._assemble(item.signal, tuple(item.events), terms)
        for item, terms in zip(timed, scored, strict=True)
    ]
    ys = [item.onsets for item in timed]
    cost = make_cost(new.cost, tolerance=new.tolerance).bind(new.hop_)
    problem = AlignmentProblem(cost, new.scale_, new.normalise)
    new.coef_ = _nearby(problem, aligner.coef_, xs, ys, C, random_state)
    new.placement_ = replace(new.placement_, offset=_offset(new, xs, timed))
    training: dict[str, Any] = {
        **aligner.training_,
        "adapted": {"recordings": len(timed), "seconds": round(seconds, 3)},
    }
    new.training_ = training
    return new


def compare(
    aligner: SequenceAligner,
    corpus: Sequence[Example],
    *,
    n_folds: int = 5,
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Adapt on all folds but one, align that one, in turn; and align all as it is.

    Parameters
    ----------
    aligner : SequenceAligner
        Fitted or loaded; it is not changed.
    corpus : sequence of Example
        Corrected recordings, each with `onsets`; at least three.
    n_folds : int
        Fold f holds the recordings ``[f::n_folds]``.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.
    **options
        Parameters of `adapt`.

    Returns
    -------
    Comparison
    """
    examples = list(corpus)
    if n_folds < 2:
        raise ParameterError(f"n_folds={n_folds}, must be at least 2.")
    n = min(n_folds, len(examples))
    if len(examples) < 3:
        raise DataError(
            f"{len(examples)} recordings are too few to compare on; give at least three."
        )
    if "n_folds" in options:
        raise ParameterError("n_folds of adapt cannot be given to compare.")
    report = progress or (lambda stage, done, total: None)
    found: dict[str, list[FileResult]] = {"before": [], "after": []}
    failed: dict[str, list[tuple[str, str]]] = {"before": [], "after": []}
    for fold in range(n):
        held_out = examples[fold::n]
        seen = [e for i, e in enumerate(examples) if i % n != fold]
        adapted = adapt(aligner, seen, **options)
        for name, model in (("before", aligner), ("after", adapted)):
            results, wrong = model._results(held_out)
            found[name] += results
            failed[name] += wrong
        report("comparing", fold + 1, n)
    reports = {
        name: Report.from_files(
            found[name],
            kind=aligner.kind,
            failed=failed[name],
            classes=aligner._boundary_classes(),
        )
        for name in found
    }
    return Comparison(**reports)


def _moved(
    features: Sequence[Feature],
    seen: Sequence[TimedSignal],
    unseen: Sequence[TimedSignal],
    steps: int,
    rate: float,
) -> tuple[list[Feature], list[dict[str, Term]]]:
    """Return features adapted to some recordings, and the terms they give others."""
    moved = copy.deepcopy(list(features))
    for feature in moved:
        if isinstance(feature, NetworkConfidence):
            feature.adapt(seen, steps=steps, rate=rate)
        elif isinstance(feature, DurationFeature) and feature.statistics_ is not None:
            new = copy.copy(feature).fit(seen).statistics_
            assert new is not None
            feature.statistics_ = _mixed(feature.statistics_, new)
    terms: list[dict[str, Term]] = []
    for item in unseen:
        merged: dict[str, Term] = {}
        for feature in moved:
            merged.update(feature.terms(item.signal, item.events))
        terms.append(merged)
    return moved, terms


def _mixed(old: LengthStatistics, new: LengthStatistics) -> LengthStatistics:
    """Put two sets of lengths together; each label of the old counts for at most `_PRIOR`."""
    labels = sorted({*old.labels, *new.labels})
    rows = np.zeros((2, 3, len(labels)))
    for source, (part, most) in enumerate(((old, _PRIOR), (new, np.inf))):
        at = [labels.index(label) for label in part.labels]
        rows[source][:, at] = np.minimum(part.count, most), part.mean, part.variance
    count, mean, variance = rows.transpose(1, 0, 2)
    total = count.sum(axis=0)
    share = count / total
    centre = (share * mean).sum(axis=0)
    spread = (share * (variance + (mean - centre) ** 2)).sum(axis=0)
    return LengthStatistics(tuple(labels), total, centre, spread)


def _nearby(
    problem: AlignmentProblem,
    start: npt.NDArray[np.float64],
    xs: Sequence[BaseFunctions],
    ys: Sequence[IntArray],
    C: float,
    seed: int,
) -> npt.NDArray[np.float64]:
    """Average of the weights along passive-aggressive steps from `start`."""
    rng = np.random.default_rng(seed)
    w = start.astype(np.float64)
    total, n = np.zeros_like(w), 0
    for _ in range(_EPOCHS):
        for i in rng.permutation(len(xs)):
            other = problem.loss_augmented_decode(w, xs[i], ys[i])
            d = problem.joint_feature(xs[i], ys[i]) - problem.joint_feature(xs[i], other)
            loss, size = problem.cost(ys[i], other) - float(w @ d), float(d @ d)
            if loss > 0 and size > 0:
                w = w + min(C, loss / size) * d
            total += w
            n += 1
    mean: npt.NDArray[np.float64] = total / n
    return mean


def _offset(
    aligner: SequenceAligner, xs: Sequence[BaseFunctions], timed: Sequence[TimedSignal]
) -> float:
    """Offset between the old one and the median error, by how many onsets were seen."""
    if not aligner.calibrate:
        return aligner.placement_.offset
    errors = []
    for x, item in zip(xs, timed, strict=True):
        potentials = aligner._potentials(x)
        found, _ = aligner.placement_.times(potentials, decode(potentials).onsets)
        terms = dict(zip(x.names, x.terms, strict=True))
        found = aligner._corrected(found, terms, tuple(item.events))
        errors.append((found - item.times)[potentials.stop - potentials.start > 1])
    every = np.concatenate(errors)
    near = every[np.abs(every) <= _GROSS]
    if near.size == 0:
        return aligner.placement_.offset
    share = near.size / (near.size + _OFFSET_PRIOR)
    return aligner.placement_.offset + share * float(np.median(near))
