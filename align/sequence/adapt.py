"""Bring a trained aligner to a new language, voice or way of labelling, from a few recordings.

Five to fifty corrected recordings are far too few to train on, and enough to move a model that
knows speech already. Every part of it moves, each held back by what it was:

* features move as they know how (`Feature.adapt`): networks continue their training, for few steps
  at a low rate, of music for more at that of training, and symbols that are new get outputs;
  durations become a mixture of old and new;
* the structured weights w start from the old ones and take passive-aggressive steps, each the
  least move that lowers the hinge loss, of at most C::

      w <- w + min(C, loss / ||d||^2) d,
      d = phi(x, y) - phi(x, y'),  loss = cost(y, y') - <w, d>

  on scores of networks that were adapted to other recordings than the one at hand, as in training;
* the offset of the onsets moves towards the median error that is seen on such scores, and those
  of speech by the habits of the labeller (`align.sequence.times.habits`), as in a session.

Aligners for other surroundings learn from the same recordings as they would sound there: from
those of a quiet room, one for rooms would forget what a room sounds like.

Of music, features and weights that cost more than the old ones, on the pieces that they were not
adapted to, are given up: then the offset alone moves. `compare` says whether it all helps: on
held-out folds, before and after.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from align._blas import one_thread
from align._params import not_fitted_error
from align.errors import AlignError, DataError, ParameterError
from align.evaluation.file_result import FileResult
from align.evaluation.report import Report
from align.learners.parts.projections import project_orthant
from align.progress import Progress, no_report
from align.sequence.base import Aligner
from align.sequence.learning.crossfit import folds_of
from align.sequence.learning.parts import n_recordings, recordings_of
from align.sequence.learning.problem import AlignmentProblem, Case, Truth
from align.terms import BaseFunctions
from align.types import Example, Float64

_Aligner = TypeVar("_Aligner", bound=Aligner)

_EPOCHS = 2


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


@one_thread()
def adapt(
    aligner: _Aligner,
    corpus: Sequence[Example],
    *,
    steps: int | None = None,
    learning_rate: float | None = None,
    C: float = 0.01,
    n_folds: int = 3,
    n_jobs: int | None = None,
    random_state: int = 0,
    source: str = "",
    licence: str = "",
    progress: Progress | None = None,
) -> _Aligner:
    """Return a copy of an aligner, adapted to a few recordings whose onsets are known.

    Parameters
    ----------
    aligner : Aligner
        Fitted or loaded; it is not changed.
    corpus : sequence of Example
        Corrected recordings, each with `onsets`; at least two.
    steps : int, optional
        Updates of each network; by default 40, and more for more than a minute of recordings; of
        music at least 300.
    learning_rate : float, optional
        Peak learning rate of the networks; by default 3e-4, of music 3e-3.
    C : float
        Longest step of the structured weights.
    n_folds : int
        Folds over the recordings, to score each with networks that were not adapted to it.
    n_jobs : int, optional
        Processes, as in joblib; the result does not depend on it.
    random_state : int
        Seed of the order of the structured steps.
    source : str
        What the aligner is called; kept in the new one, with its licence.
    licence : str
        Licence of these recordings, kept beside that of the aligner.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.

    Returns
    -------
    Aligner
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
    rate = aligner.adapt_rate if learning_rate is None else learning_rate
    if not (rate > 0 and C >= 0):
        raise ParameterError(f"learning_rate={rate}, C={C}, must be positive.")
    if n_folds < 2:
        raise ParameterError(f"n_folds={n_folds}, must be at least 2.")

    report = progress or no_report
    new, items = _begun(aligner, corpus, report)
    if len(items) < 2:
        raise new._too_few(len(items))
    seconds = sum(item.signal.duration for item in items)
    n_steps = steps or int(min(max(new.adapt_steps, 0.5 * seconds), 400))
    new._prepare(items, anew=False)

    moved, own = _moved(new.features_, items, n_folds, n_steps, rate, n_jobs, report)
    cases = new._cases(items, own, report)
    problem = new._structured(new._make_cost())
    coef = _nearby(problem, aligner.coef_, cases, C, random_state)
    before = _before(new, cases) if new.keeps_the_better else None
    if before and _cost(problem, coef, cases) > _cost(problem, aligner.coef_, before):
        cases = before
    else:
        new.features_, new.coef_ = moved, coef
    new._check_labels(problem, cases)
    new._recalibrate(cases)
    kept = n_recordings(case.item for case in cases)
    _tell(new, aligner, kept, seconds, source, licence)
    new.elsewhere_ = {
        kind: adapt(
            other,
            aligner._moved_elsewhere(kind, corpus),
            steps=steps,
            learning_rate=learning_rate,
            C=C,
            n_folds=n_folds,
            n_jobs=n_jobs,
            random_state=random_state,
            progress=_told_for(kind, progress),
        )
        for kind, other in aligner.elsewhere_.items()
    }
    return new


@one_thread()
def adapt_features(
    aligner: _Aligner,
    corpus: Sequence[Example],
    *,
    steps: int,
    learning_rate: float,
    source: str = "",
    licence: str = "",
    progress: Progress | None = None,
) -> _Aligner:
    """Return a copy of an aligner whose features alone are adapted.

    For recordings whose onsets an aligner has found and nobody has corrected: weights and offset
    would only learn to repeat them. The rest is as in `adapt`, aligners for other surroundings
    included; one recording is enough.
    """
    new, items = _begun(aligner, corpus, progress or no_report)
    new._prepare(items, anew=False)
    new.features_ = _adapted(new.features_, items, steps, learning_rate)
    seconds = sum(item.signal.duration for item in items)
    _tell(new, aligner, n_recordings(items), seconds, source, licence)
    new.elsewhere_ = {
        kind: adapt_features(
            other,
            aligner._moved_elsewhere(kind, corpus),
            steps=steps,
            learning_rate=learning_rate,
        )
        for kind, other in aligner.elsewhere_.items()
    }
    return new


def _told_for(kind: str, progress: Progress | None) -> Progress | None:
    """Return what tells the same of an aligner for other surroundings."""
    if progress is None:
        return None
    return lambda stage, done, total: progress(f"{stage}, for {kind}", done, total)


def _begun(
    aligner: _Aligner, corpus: Sequence[Example], report: Progress
) -> tuple[_Aligner, list[Any]]:
    """Return a copy of an aligner, to be adapted, and what can be read of a corpus."""
    new = copy.deepcopy(aligner)
    new.learner_ = None
    new.problems_ = list(getattr(corpus, "problems", []))
    return new, new._read_all(corpus, report)


def _tell(
    new: Aligner, old: Aligner, recordings: int, seconds: float, source: str, licence: str
) -> None:
    """Write down in a new aligner what it was adapted to, and the licences of both."""
    origin: dict[str, Any] = {"model": source, "licence": old.licence_}
    if "adapted" in old.training_:  # so that `align info` can show all steps
        origin["adapted"] = old.training_["adapted"]
    about: dict[str, Any] = {"recordings": recordings, "seconds": round(seconds, 3)}
    about["from"] = origin
    new.training_ = {**old.training_, "adapted": about}
    if licence:
        about["licence"] = licence
        new.licence_ = f"{old.licence_ or 'not stated'}; adapted to recordings: {licence}"


def compare(
    aligner: Aligner,
    corpus: Sequence[Example],
    *,
    n_folds: int = 5,
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Adapt on all folds but one, align that one, in turn; and align all as it is.

    Parameters
    ----------
    aligner : Aligner
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
    report = progress or no_report
    found: dict[str, list[FileResult]] = {"before": [], "after": []}
    failed: dict[str, list[tuple[str, str]]] = {"before": [], "after": []}
    for fold in range(n):
        held_out = examples[fold::n]
        seen = [e for i, e in enumerate(examples) if i % n != fold]
        adapted = adapt(aligner, seen, **options)
        for name, model in (("before", aligner), ("after", adapted)):
            results, wrong = model.results(held_out)
            found[name] += results
            failed[name] += wrong
        report("comparing", fold + 1, n)
    return Comparison(**{name: aligner.report_of(found[name], failed[name]) for name in found})


def _moved(
    features: Sequence[Any],
    items: Sequence[Any],
    n_folds: int,
    steps: int,
    learning_rate: float,
    n_jobs: int | None,
    report: Progress,
) -> tuple[list[Any], list[list[Any]]]:
    """Return features adapted to all items, and for each item features adapted without it."""
    from joblib import Parallel, delayed

    folds = [*folds_of(recordings_of(items), n_folds), []]
    tasks = (
        delayed(_adapted)(
            features, [item for i, item in enumerate(items) if i not in fold], steps, learning_rate
        )
        for fold in folds
    )
    stage = "adapting networks"
    report(stage, 0, len(folds))
    own: list[list[Any]] = [[] for _ in items]
    moved: list[Any] = []
    done = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    for n, (fold, moved) in enumerate(zip(folds, done, strict=True)):  # the last is of all
        for i in fold:
            own[i] = moved
        report(stage, n + 1, len(folds))
    return moved, own


@one_thread()
def _adapted(
    features: Sequence[Any], seen: Sequence[Any], steps: int, learning_rate: float
) -> list[Any]:
    return [
        copy.deepcopy(feature).adapt(seen, steps=steps, learning_rate=learning_rate)
        for feature in features
    ]


def _before(aligner: Aligner, cases: Sequence[Case]) -> list[Case] | None:
    """Return cases by features as they were; None where these do not know an event."""
    own = aligner.features_
    try:
        return [Case(c.item, own, *aligner._problem(c.item, own)) for c in cases]
    except AlignError:
        return None


def _cost(problem: AlignmentProblem, w: Float64, cases: Sequence[Case]) -> float:
    """Return the mean cost of what is decoded."""
    return float(np.mean([problem.cost(c.y, problem.decode(w, c.x)) for c in cases]))


def _nearby(
    problem: AlignmentProblem, start: Float64, cases: Sequence[Case], C: float, random_state: int
) -> Float64:
    """Average of the weights along passive-aggressive steps from `start`."""
    rng = np.random.default_rng(random_state)
    w = start.astype(np.float64)
    total, n = np.zeros_like(w), 0
    for _ in range(_EPOCHS):
        for i in rng.permutation(len(cases)):
            w = passive_aggressive(problem, w, cases[i].x, cases[i].y, C)
            total += w
            n += 1
    return total / n


def passive_aggressive(
    problem: AlignmentProblem, w: Float64, x: BaseFunctions, y: Truth, C: float
) -> Float64:
    """Return the weights after a passive-aggressive step of at most C; see the module's text.

    Weights of scores stay at 0 or above, as in `align.learners.StructuredLearner`.
    """
    other = problem.loss_augmented_decode(w, x, y)
    d = problem.joint_feature(x, y) - problem.joint_feature(x, other)
    loss, size = problem.cost(y, other) - float(w @ d), float(d @ d)
    if not (loss > 0 and size > 0):
        return w
    return project_orthant(w + min(C, loss / size) * d, problem.non_negative)
