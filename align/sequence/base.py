"""What every aligner does: fit, align, evaluate, save and load; `adapt` is beside it.

`Aligner` carries data one way. In training: examples are read, features are fitted so that none
scores what it has seen (`align.sequence.learning.crossfit`), base functions and truth go to the
structured learner, and offset and confidence are fitted to the learned weights. In use: a
recording is read, its best timing is searched, placed in seconds and returned. What a recording
and its events *are* is the task's: speech, music, or one of your own. A task is a subclass that
fills in the methods of the table, in the order in which they are called.

====================  =========================================================================
`_make_features`      unfitted features
`_make_cost`          what a wrong timing costs
`_read_example`       an example with known onsets, as an item to learn from
`_prepare`            attributes that all items decide together: labels, lengths
`_problem`            of an item and features fitted without it: base functions, true frames
`_calibrate`          what is fitted after the weights: offset, confidence
`_find`               of audio and events: the timing
`_get_state`          what a model file holds beside weights; `_set_state` takes it back
====================  =========================================================================

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 9.
"""

import os
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align._params import ParamsMixin, not_fitted_error
from align.errors import AlignError, DataError, ParameterError, error_reason
from align.evaluation.file_result import FileResult
from align.evaluation.report import Report
from align.files.model_file import write_model
from align.progress import Progress, no_report
from align.sequence.learning.checkpoint import Checkpoint, checkpoint_of, digest_of_training
from align.sequence.learning.crossfit import cross_fit
from align.sequence.learning.far_labels import warn_of_labels
from align.sequence.learning.parts import n_recordings
from align.sequence.learning.problem import AlignmentProblem, Case, Truth, base_function_scales
from align.sequence.state import aligner_state, restored
from align.terms import BaseFunctions
from align.types import Example, Float64

if TYPE_CHECKING:  # what learns is loaded by what learns, not to align
    from align.learners.structured.costs import OnsetCost
    from align.learners.structured.learner import StructuredLearner

NAMELESS = "recording"
"""What messages call a recording that has no name."""


class Aligner(ParamsMixin, ABC):
    """Learn to align recordings with the events in them; see the module's text.

    A subclass has at least the parameters `cost`, `tolerance`, `n_folds`, `calibrate`, `n_jobs`
    and `random_state`.
    """

    kind: ClassVar[str]
    keeps_the_better: ClassVar[bool] = False
    """Whether `adapt` gives up what costs more on recordings that it was not adapted to."""
    adapt_steps: ClassVar[int] = 40
    """Updates of each network that `adapt` makes at the least."""
    adapt_rate: ClassVar[float] = 3e-4
    """Peak learning rate of `adapt`."""

    normalise: bool = False
    licence_: str = ""
    learner_: "StructuredLearner | None" = None
    elsewhere_: Mapping[str, Any] = {}  # aligners for other surroundings, by kind

    cost: Any
    tolerance: float
    n_folds: int
    calibrate: bool
    n_jobs: int | None
    random_state: int

    hop_: float
    coef_: Float64
    scale_: Float64
    base_functions_: list[str]
    features_: list[Any]
    problems_: list[tuple[str, str]]
    training_: dict[str, Any]

    # What a task is -------------------------------------------------------------------------

    @abstractmethod
    def _make_features(self) -> list[Any]:
        """Return unfitted features, in the order of their base functions."""

    def _make_cost(self) -> "OnsetCost":
        """Return what a wrong timing costs; tolerances in seconds."""
        from align.learners.structured.costs import make_cost

        return make_cost(self.cost, tolerance=self.tolerance)

    def _shares_cost(self, cost: "OnsetCost") -> bool:
        """Whether a cost that is a sum over the events is divided by their number."""
        return False

    def _make_learner(self) -> "StructuredLearner":
        """Return an unfitted learner, by parameters that most tasks have."""
        from align.learners.structured.learner import StructuredLearner

        own = ("update", "loss", "C", "epochs", "conversion", "random_state")
        return StructuredLearner(**{name: getattr(self, name) for name in own})

    def _check_own(self) -> None:
        """Raise ParameterError for a parameter of the task that is wrong."""

    def _completed(self, example: Example) -> Example:
        """Return an example with what a person leaves out of labels and the model knows."""
        return example

    @abstractmethod
    def _read_example(self, example: Example, name: str, weight: float = 1.0) -> Any:
        """Return an item to learn from; raises DataError, with `name` as its path."""

    def _parts(self, item: Any) -> list[Any]:
        """Return an item in the parts that are learned from one by one: a long one has several."""
        return [item]

    @abstractmethod
    def _describe(self, item: Any) -> list[Any]:
        """Return what training takes from an item, for checkpoints: numbers, text, arrays."""

    def _prepare(self, items: Sequence[Any], *, anew: bool) -> None:
        """Set what all items decide together; where not `anew`, add to what was set before."""

    @abstractmethod
    def _problem(self, item: Any, features: Sequence[Any]) -> tuple[BaseFunctions, Truth]:
        """Return base functions and true frames; raises DataError where there is no truth."""

    @abstractmethod
    def _calibrate(self, cases: Sequence[Case], progress: Progress | None = None) -> None:
        """Fit what comes after the weights, on scores of features that did not see the item."""

    @abstractmethod
    def _recalibrate(self, cases: Sequence[Case]) -> None:
        """Move what `_calibrate` has set towards a few recordings, for `adapt`."""

    def _moved_elsewhere(self, kind: str, examples: Sequence[Example]) -> Sequence[Example]:
        """Return recordings as they would sound where an aligner of `elsewhere_` is asked."""
        return examples

    def _learn_placement(self, case: Case) -> None:
        """Learn from one recording where onsets are to be placed, for online learning."""
        self._recalibrate([case])

    @abstractmethod
    def _count(self, items: Sequence[Any]) -> dict[str, int]:
        """Return how many events there are, under the name that the task has for them."""

    @abstractmethod
    def _find(self, audio: Any, events: Any, rate: int | None) -> Any:
        """Return the timing of a recording."""

    @abstractmethod
    def _events_of(self, example: Example) -> Any:
        """Return what `align` takes of an example."""

    def _boundary_classes(self) -> Mapping[str, str] | None:
        """Class of each label, for the report; None for no such breakdown."""
        return None

    # Training --------------------------------------------------------------------------------

    def _check_params(
        self,
        features: Sequence[Any],
        learner: "StructuredLearner",
        cost: "OnsetCost",
        validation: Sequence[Example] | None,
    ) -> None:
        """Raise ParameterError for what would otherwise fail only after features are fitted."""
        if not features:
            raise ParameterError("features=[] gives no base function; pass at least one feature.")
        from align.learners.parts.updates import make_update

        make_update(learner.update, C=learner.C, U=learner.U)
        if learner.loss == "maximal" and not cost.decomposes:
            raise ParameterError(
                f"loss='maximal' needs a cost that is a sum over the onsets, not {self.cost!r}; "
                "use loss='prediction'."
            )
        if learner.conversion == "validation" and validation is None:
            raise ParameterError(
                "conversion='validation' needs recordings to choose with; pass validation=."
            )
        if self.n_folds < 1:
            raise ParameterError(
                f"n_folds={self.n_folds}, must be at least 1; 1 is for no cross-fitting."
            )
        self._check_own()

    def fit(
        self,
        examples: Sequence[Example],
        y: None = None,
        *,
        validation: Sequence[Example] | None = None,
        progress: Progress | None = None,
        checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
    ) -> Self:
        """Learn from recordings whose onsets are known.

        Parameters
        ----------
        examples : sequence of Example
            Each with `onsets`. One that cannot be used is left out and named in `problems_`.
        y : None
            Not used; pipelines of scikit-learn pass it.
        validation : sequence of Example, optional
            For ``conversion="validation"`` of the learner.
        progress : callable, optional
            Called with a stage, how much of it is done, and how much there is.
        checkpoint : path, optional
            A folder that keeps what is done, so that training, interrupted at any moment and
            started again with the same corpus and parameters, goes on from there to the same
            result. Removed at the end. See `align.sequence.learning.checkpoint`.

        Returns
        -------
        self

        Raises
        ------
        DataError
            Where no example can be used.
        ParameterError
            Where a parameter is wrong; most are checked before any recording is read.

        Warns
        -----
        LabelsWarning
            Where labels lie far from where the events of their recording are found.
        """
        with one_thread(), checkpoint_of(checkpoint) as parts:
            self._fit(examples, validation, progress, parts)
        return self

    def _fit(
        self,
        examples: Sequence[Example],
        validation: Sequence[Example] | None,
        progress: Progress | None,
        parts: Checkpoint | None,
        sample_weight: Sequence[float] | None = None,
    ) -> None:
        """Learn, and keep and take up parts of it."""
        report = progress or no_report
        features, learner, cost = self._make_features(), self._make_learner(), self._make_cost()
        self._check_params(features, learner, cost, validation)
        self.licence_, self.base_functions_ = "", []
        self.problems_ = list(getattr(examples, "problems", []))
        items = self._read_all(examples, report, sample_weight=sample_weight)
        held_out = []
        if validation is not None:
            none = "no recording of the validation set can be used"
            held_out = self._read_all(validation, report, none=none)
        self._prepare(items, anew=True)
        if parts is not None:
            described = [self._describe(item) for item in (*items, *held_out)]
            parts.bind(digest_of_training(self, [*features, learner], [len(items), *described]))

        own = cross_fit(
            features,
            items,
            n_folds=self.n_folds,
            n_jobs=self.n_jobs,
            progress=progress,
            checkpoint=parts,
            first=self._first_features(),
        )
        self.features_ = features
        items, own = self._weighed(items, own)
        cases = self._cases(items, own, report)
        xs, ys = [case.x for case in cases], [case.y for case in cases]
        self.base_functions_ = _shared_names(xs)
        judged = None
        if validation is not None:
            later = self._cases(held_out, [features] * len(held_out), report)
            judged = [case.x for case in later], [case.y for case in later]

        self.scale_ = base_function_scales(xs, [y.frames for y in ys], self.random_state)
        problem = self._structured(cost)
        keep = {} if parts is None else {"checkpoint": parts}
        learner.fit(problem, xs, ys, validation=judged, progress=progress, **keep)
        self.learner_ = learner
        self.coef_ = np.asarray(learner.coef_, dtype=np.float64)
        # On the same scores as the weights: they come from parts that did not see the recordings.
        self._check_labels(problem, cases)
        self._calibrate(cases, progress)
        self.training_ = self._about([case.item for case in cases])

    def _about(self, items: Sequence[Any]) -> dict[str, Any]:
        """Return how much the aligner was trained on."""
        return {
            "recordings": n_recordings(items),
            **self._count(items),
            "seconds": round(sum(item.signal.duration for item in items), 3),
            "groups": len({item.group for item in items}),
        }

    def _check_labels(self, problem: AlignmentProblem, cases: Sequence[Case]) -> None:
        """Warn of labels that seem to be of other recordings."""
        names = [case.item.signal.name for case in cases]
        xs, ys = [case.x for case in cases], [case.y for case in cases]
        warn_of_labels(problem, self.coef_, names, xs, ys, self.hop_)

    def _first_features(self) -> Sequence[Sequence[Any]] | None:
        """Return features fitted to the same recordings, one list for each, to go on from."""
        return None

    def _weighed(
        self, items: list[Any], own: list[list[Any]]
    ) -> tuple[list[Any], list[list[Any]]]:
        """Return the recordings that weights are learned from, and the features of each."""
        return items, own

    def _read_all(
        self,
        examples: Sequence[Example],
        report: Progress,
        *,
        none: str = "no recording can be learned from",
        sample_weight: Sequence[float] | None = None,
    ) -> list[Any]:
        """Return what can be used of the examples, at least one; the rest are problems."""
        items = []
        if not hasattr(examples, "__len__"):
            raise ParameterError(f"examples={examples!r}, must be a list of Example.")
        for n, example in enumerate(examples):
            name = _name_of(example, n)
            try:
                weight = 1.0 if sample_weight is None else float(sample_weight[n])
                items += self._parts(self._read_example(example, name, weight))
            except AlignError as error:
                self.problems_.append((name, error_reason(error, name)))
            report("reading recordings", n + 1, len(examples))
        if not items:
            raise self._nothing_left(none)
        return items

    def _cases(
        self, items: Sequence[Any], features: Sequence[Sequence[Any]], report: Progress
    ) -> list[Case]:
        """Return the items that the learner can see, and what it sees of them."""
        cases = []
        for n, (item, own) in enumerate(zip(items, features, strict=True)):
            try:
                cases.append(Case(item, own, *self._problem(item, own)))
            except DataError as error:
                name = error.path or NAMELESS
                self.problems_.append((name, error_reason(error, name)))
            report("scoring recordings", n + 1, len(items))
        if not cases:
            raise self._nothing_left("no recording can be learned from")
        return cases

    def _first_problems(self) -> str:
        return "; ".join(f"{name}: {why.removesuffix('.')}" for name, why in self.problems_[:3])

    def _nothing_left(self, none: str) -> DataError:
        return DataError(f"{none} ({self._first_problems() or 'none was given'}).")

    def _too_few(self, n: int) -> DataError:
        reasons = self._first_problems()
        return DataError(
            f"only {n} of the recordings can be learned from; give at least two"
            + (f" ({reasons})." if reasons else ".")
        )

    def _structured(self, cost: "OnsetCost") -> AlignmentProblem:
        """Return the problem that the learner solves."""
        return AlignmentProblem(
            cost.bind(self.hop_),
            self.scale_,
            self.normalise,
            self._shares_cost(cost),
            np.isin(self.base_functions_, [n for f in self.features_ for n in f.non_negative()]),
        )

    def _weights(self, x: BaseFunctions) -> Float64:
        """Return the weights of the base functions as they are."""
        divisor = self.scale_ * x.n_events if self.normalise else self.scale_
        return self.coef_ / divisor

    # Evaluation ------------------------------------------------------------------------------

    def evaluate(self, examples: Sequence[Example], *, progress: Progress | None = None) -> Report:
        """Align recordings whose onsets are known, and report the errors.

        Parameters
        ----------
        examples : sequence of Example
            Each with `onsets`. One that cannot be aligned is left out and named in the report.
        progress : callable, optional
            Called with a stage, how much of it is done, and how much there is.

        Returns
        -------
        Report
        """
        self.check_fitted()
        return self.report_of(*self.results(examples, progress))

    def score(self, examples: Sequence[Example], y: None = None) -> float:
        """Return the share of onsets that are found within 20 ms, for scikit-learn's selection.

        With it `sklearn.model_selection` works on aligners and lists of examples:
        ``cross_val_score(aligner, list(corpus), groups=groups, cv=GroupKFold(4))``.

        Parameters
        ----------
        examples : sequence of Example
            Each with `onsets`. Of one that cannot be aligned no onset counts as found.
        y : None
            Not used.

        Returns
        -------
        float
            In [0, 1].

        Raises
        ------
        DataError
            If none can be aligned, or there is no boundary to judge; where some cannot be
            aligned, a warning names the first.
        """
        self.check_fitted()
        found, failed = self.results(examples)
        if failed:
            name, why = failed[0]
            if not found:
                raise DataError(why, path=name)
            warnings.warn(
                f"{len(failed)} of {len(examples)} recordings could not be aligned, and count as "
                f"wrong; the first: {name}: {why}",
                stacklevel=2,
            )
        lost = {name for name, _ in failed}
        of_lost = sum(
            len(example.events)
            for n, example in enumerate(examples)
            if (example.name or f"{NAMELESS} {n + 1}") in lost
        )
        report = self.report_of(found, failed)
        if not report.boundaries:
            raise DataError("no recording has a boundary to judge; one event alone has none.")
        share = report.within_ms["20"] / 100.0
        return float(share * report.boundaries / (report.boundaries + of_lost))

    def results(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> tuple[list[FileResult], list[tuple[str, str]]]:
        """Return the result of each recording, and those that failed with the reason.

        Parameters
        ----------
        examples, progress
            As in `evaluate`.

        Returns
        -------
        list of FileResult
            In the order of the examples.
        list of (str, str)
            Recordings that could not be aligned, and why.
        """
        found: list[FileResult] = []
        failed: list[tuple[str, str]] = list(getattr(examples, "problems", []))
        for n, example in enumerate(examples):
            name = _name_of(example, n)
            try:
                if example.onsets is None or not np.isfinite(example.onsets).any():
                    raise DataError("it has no true onsets to compare with.", path=name)
                begin = time.perf_counter()
                timing = self._find(example.audio, self._events_of(example), example.rate)
                elapsed = time.perf_counter() - begin
                found.append(replace(FileResult.of(example, timing, elapsed), name=name))
            except AlignError as error:
                failed.append((name, _reason(error, name)))
            if progress is not None:
                progress("aligning", n + 1, len(examples))
        return found, failed

    def timing(self, example: Example) -> Any:
        """Return the timing that is found for the events of an example; see `align`."""
        self.check_fitted()
        return self._find(example.audio, self._events_of(example), example.rate)

    def report_of(
        self, results: Sequence[FileResult], failed: Sequence[tuple[str, str]] = ()
    ) -> Report:
        """Return the report on results of this kind of aligner; see `results`."""
        return Report.from_files(
            results, kind=self.kind, failed=failed, classes=self._boundary_classes()
        )

    # Model files -----------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, licence: str = "") -> None:
        """Write the fitted aligner to a ``.align`` file, which holds numbers and text only.

        Parameters
        ----------
        path : path
            Written atomically; an existing file is replaced.
        licence : str
            Licence of the training data, kept in the file; by default that of the model this one
            was loaded from.
        """
        self.check_fitted()
        header, arrays = aligner_state(self, licence or self.licence_)
        write_model(path, self.kind, header, arrays)

    @abstractmethod
    def _get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return the state of the task: values that JSON can carry, and arrays."""

    @abstractmethod
    def _set_state(
        self,
        header: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        features: list[Any],
    ) -> None:
        """Take back what `_get_state` returned, features too; raises where that is not possible.

        The errors of an incomplete or damaged state (KeyError, TypeError ...) become a
        ModelError that names the file.
        """

    def _saved_params(self) -> dict[str, Any]:
        """Return the constructor's parameters that JSON can carry: all that aligning needs."""
        plain = (str, int, float, bool, type(None))
        params = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in self.get_params(deep=False).items()
        }
        return {name: value for name, value in params.items() if isinstance(value, plain)}

    @classmethod
    def _from_model(
        cls,
        header: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        path: str,
        features: Sequence[Any],
    ) -> Self:
        """Rebuild an aligner from a checked model file; `features` are those of the user."""
        return restored(cls, header, arrays, path, features)

    @classmethod
    @abstractmethod
    def _with_features(cls, params: Mapping[str, Any], features: Sequence[Any]) -> Self:
        """Return an unfitted aligner of saved parameters and features of the user's own."""

    def check_fitted(self) -> None:
        """Raise ParameterError where the aligner is neither fitted nor loaded."""
        if not hasattr(self, "coef_"):
            raise not_fitted_error(self)


def _shared_names(xs: Sequence[BaseFunctions]) -> list[str]:
    """Return the names of base functions; ParameterError unless all recordings have the same."""
    names = list(xs[0].names)
    for x in xs:
        if list(x.names) != names:
            raise ParameterError(
                f"the features give the base functions {names} for one recording and "
                f"{list(x.names)} for another, must give the same for all, in the same order."
            )
    if not names:
        raise ParameterError("the features give no base function; their terms are empty.")
    return names


def _reason(error: AlignError, name: str) -> str:
    """Text of an error without the name of its recording, which stands beside it."""
    path = getattr(error, "path", None)
    return error_reason(error, NAMELESS if path == NAMELESS else name)


def _name_of(example: Any, n: int) -> str:
    """Return what messages call an example, the n-th from 0; ParameterError where it is none."""
    if not isinstance(example, Example):
        raise ParameterError(
            f"examples holds {repr(example)[:60]}, which is no Example; align.Example makes one, "
            "and align.read_corpus those of a folder."
        )
    return example.name or f"{NAMELESS} {n + 1}"
