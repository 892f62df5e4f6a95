"""The general aligner: features, a structured learner and a cost, as one estimator.

`SequenceAligner` carries data one way: audio and events become base functions, the learner weighs
them, a decoder finds the onsets. What is peculiar to speech or music (labels, default features,
file formats) lives in the classes built on it.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 9.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align._params import ParamsMixin, not_fitted_error
from align.alignment import Alignment
from align.checkpoint import (
    Checkpoint,
    checkpoint_of,
    describe_example,
    describe_timed,
    digest_of_training,
)
from align.correction import OnsetCorrection
from align.crossfit import cross_fit
from align.decoders import Lattice, decode, decode_coarse_to_fine
from align.errors import AlignError, DataError, ModelError, ParameterError, error_reason
from align.features import Feature, Signal, TimedSignal
from align.frames import in_order, onset_frames
from align.learners import OnsetCost, StructuredLearner, make_cost, make_update
from align.long_lattice import Guess, decode_in_windows, fullest_path
from align.model_file import write_model
from align.on_lattice import (
    ExpandedLattice,
    LatticeAlignment,
    lattice_scores,
    most_frames,
    with_roles,
)
from align.persistence import aligner_state, restored
from align.placement import WINDOW, Placement
from align.problem import AlignmentProblem
from align.report import FileResult, Report
from align.scaling import base_function_scales
from align.types import BaseFunctions, Event, Example, IntArray, Path, Potentials

__all__ = ["SequenceAligner"]

Progress = Callable[[str, int, int], None]

_PAUSE = 2.0  # seconds; longer pauses are looked for where this is not enough
_MOST_CELLS = 10**8  # of the onset table, 8 bytes each; beyond, windows from a coarse pass
_CELL = 0.04  # seconds; cells of the coarse pass
_REACH = 1.5  # seconds an onset may be away from where the coarse pass has it, at first
_LATTICE_REACH = 1.5  # seconds away from where one path through the lattice has it, at first

_NAMELESS = "recording"


class SequenceAligner(ParamsMixin):
    """Learn to align recordings with the events in them.

    Parameters
    ----------
    features : sequence of Feature
        The base functions; see `align.features`.
    learner : StructuredLearner, optional
        How the weights are learned; by default passive-aggressive (PA-I) with averaging.
    cost : {"tolerance", "graded", "absolute", "ramp"} or callable
        What a wrong alignment costs: the share of onsets off by more than `tolerance`, the same
        in ten steps, the mean absolute error, a sum of errors that grow to 1 and stay there, or
        ``cost(true, predicted) -> float`` of onsets in frames; see `align.learners.make_cost`.
    tolerance : float
        In seconds, for the first two.
    hop : float
        Length of a frame in seconds.
    rate : int
        Recordings are resampled to this rate, in Hz.
    normalise : bool
        Divide the base functions by the number of events.
    n_folds : int
        Folds over the groups of the training set, to cross-fit the features that need it.
    max_length_factor : float
        An event may last this many times the longest one in training.
    refine : {"posterior", "parabola", "none"}
        How onsets are placed between frames; see `align.refine`. The posterior, which also gives
        the confidence, cannot be had of general base functions; where there are some, the
        parabola is used.
    calibrate : bool
        Subtract the median signed error on the training set from every onset.
    correct : bool
        Learn a last, small move of each onset from the training set; see `align.correction`.
    n_jobs : int, optional
        Processes for fitting features, as in joblib. The result does not depend on it.
    random_state : int
        Seed of whatever is random in training.

    Attributes
    ----------
    coef_ : np.ndarray [shape=(J,)]
        Weight of each base function, after division by `scale_`.
    scale_ : np.ndarray [shape=(J,)]
        How much each base function varies when the true onsets of the training set move a little.
    base_functions_ : list of str, length J
        Their names.
    placement_ : Placement
        How decoded frames become times: the temperature of the posterior, at which the true onsets
        of the training set are most probable, and the offset that is subtracted from every onset.
    correction_ : OnsetCorrection or None
        The last, small move of each onset.
    longest_ : float
        The longest event of the training set, in seconds.
    starts_at_zero_, ends_with_recording_ : bool
        Whether the first event of every training recording begins at time 0, and the last ends
        with it. If so, it is taken to be the case of new recordings too.
    problems_ : list of (str, str)
        Recordings that could not be used, and why.
    learner_ : StructuredLearner
        The fitted learner with its traces; None in an aligner that was loaded.
    training_ : dict
        How much the aligner was trained on.
    licence_ : str
        Licence of the training data, in an aligner that was loaded.
    """

    kind: ClassVar[str] = "sequence"
    licence_: str = ""
    learner_: StructuredLearner | None = None
    correction_: OnsetCorrection | None = None

    def __init__(
        self,
        features: Sequence[Feature] = (),
        *,
        learner: StructuredLearner | None = None,
        cost: str | Callable[[IntArray, IntArray], float] = "tolerance",
        tolerance: float = 0.01,
        hop: float = 0.005,
        rate: int = 16000,
        normalise: bool = False,
        n_folds: int = 4,
        max_length_factor: float = 1.2,
        refine: str = "posterior",
        calibrate: bool = True,
        correct: bool = False,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.features = features
        self.learner = learner
        self.cost = cost
        self.tolerance = tolerance
        self.hop = hop
        self.rate = rate
        self.normalise = normalise
        self.n_folds = n_folds
        self.max_length_factor = max_length_factor
        self.refine = refine
        self.calibrate = calibrate
        self.correct = correct
        self.n_jobs = n_jobs
        self.random_state = random_state

    # What a subclass may decide --------------------------------------------------------------

    def _make_features(self) -> list[Feature]:
        """Return unfitted features, in the order of their base functions."""
        import copy

        return distinct([copy.deepcopy(feature) for feature in self.features])

    def _make_learner(self) -> StructuredLearner:
        """Return an unfitted learner."""
        import copy

        if self.learner is not None:
            return copy.deepcopy(self.learner)
        return StructuredLearner(random_state=self.random_state)

    def _corrects(self) -> bool:
        """Whether a last move of each onset is learned."""
        return self.correct

    def _window(self) -> float:
        """Return the width of the window that smooths the posterior, in seconds."""
        return WINDOW

    def _expand(self, events: tuple[Event, ...]) -> tuple[tuple[Event, ...], IntArray]:
        """Return the events to decode, and the place in them of each event given, and of the end.

        The places have shape (K + 1,); the last is the number of decoded events, or the place of
        one that follows the end of the last event given.
        """
        return events, np.arange(len(events) + 1)

    def _expand_lattice(self, lattice: Lattice, events: tuple[Event, ...]) -> ExpandedLattice:
        """Return the lattice to decode, as `_expand` does for a sequence.

        `events` are those of the nodes.
        """
        return ExpandedLattice(lattice, events, np.arange(lattice.n_nodes))

    def _frame_length(self) -> float:
        """Length of a frame in seconds."""
        return self.hop

    def _check_events(self, events: tuple[Event, ...], name: str) -> None:
        """Raise DataError where an event cannot be aligned."""

    def _unbounded(self, event: Event) -> bool:
        """Whether an event may last much longer than any in training (silence, a fermata)."""
        return False

    def _pins_start(self, events: tuple[Event, ...]) -> bool:
        """Whether the first event must begin at time 0."""
        return self.starts_at_zero_

    # Training --------------------------------------------------------------------------------

    def fit(
        self,
        examples: Sequence[Example],
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
        validation : sequence of Example, optional
            For ``conversion="validation"`` of the learner.
        progress : callable, optional
            Called with a stage, how much of it is done, and how much there is.
        checkpoint : path, optional
            A folder that keeps what is done, so that training, interrupted at any moment and
            started again with the same corpus and parameters, goes on from there to the same
            result. Removed at the end. See `align.checkpoint`.

        Returns
        -------
        self

        Raises
        ------
        DataError
            Where no example can be used.
        ParameterError
            Where a parameter is wrong; most are checked before any recording is read.
        """
        with checkpoint_of(checkpoint) as parts:
            self._fit(examples, validation, progress, parts)
        return self

    def _fit(
        self,
        examples: Sequence[Example],
        validation: Sequence[Example] | None,
        progress: Progress | None,
        parts: Checkpoint | None,
    ) -> None:
        """Learn, and keep and take up parts of it."""
        report = progress or (lambda stage, done, total: None)
        features, learner = self._make_features(), self._make_learner()
        cost = make_cost(self.cost, tolerance=self.tolerance)
        placement = Placement(self.refine, self._frame_length(), window=self._window())
        self._check_params(features, learner, cost, validation)
        self.licence_ = ""
        self.problems_: list[tuple[str, str]] = list(getattr(examples, "problems", []))
        timed = self._read_all(examples, report)
        if not timed:
            reasons = "; ".join(f"{name}: {why}" for name, why in self.problems_[:3])
            raise DataError(f"no recording can be learned from ({reasons or 'none was given'}).")
        self.starts_at_zero_ = all(item.onsets[0] == 0 for item in timed)
        self.ends_with_recording_ = all(item.end >= item.signal.n_frames - 1 for item in timed)
        self.longest_ = self._longest(timed)
        self.labels_ = sorted({str(event) for item in timed for event in item.events})
        self._describe_training(timed)

        if parts is not None:
            described = [*map(describe_timed, timed), *map(describe_example, validation or ())]
            parts.bind(digest_of_training(self, [*features, learner], [len(timed), *described]))
        self.features_ = features
        scored = cross_fit(
            self.features_,
            timed,
            n_folds=self.n_folds,
            n_jobs=self.n_jobs,
            progress=progress,
            checkpoint=parts,
        )
        self.base_functions_ = list(scored[0])
        xs = [
            self._assemble(item.signal, tuple(item.events), terms)
            for item, terms in zip(timed, scored, strict=True)
        ]
        ys = [item.onsets for item in timed]
        held_out = self._held_out(validation, report)
        self.scale_ = base_function_scales(xs, ys, self.random_state)

        problem = AlignmentProblem(cost.bind(self.hop_), self.scale_, self.normalise)
        keep = {} if parts is None else {"checkpoint": parts}
        learner.fit(problem, xs, ys, validation=held_out, progress=progress, **keep)
        self.learner_ = learner
        self.coef_ = np.asarray(learner.coef_, dtype=np.float64)
        # On the same scores as the weights: they come from parts that did not see the recordings.
        potentials = [self._potentials(x) for x in xs]
        paths = [decode(p) for p in potentials]
        times = [item.times for item in timed]
        self.placement_ = replace(placement, hop=self.hop_).fitted(
            potentials, paths, times, calibrate=self.calibrate
        )
        self.correction_ = None
        if self._corrects():
            found = [
                self.placement_.times(p, path.onsets)[0]
                for p, path in zip(potentials, paths, strict=True)
            ]
            self.correction_ = OnsetCorrection.fitted(
                xs, found, times, self._boundary_classes() or {}, self.hop_
            )

    def _check_params(
        self,
        features: Sequence[Feature],
        learner: StructuredLearner,
        cost: OnsetCost,
        validation: Sequence[Example] | None,
    ) -> None:
        """Raise ParameterError for what would otherwise fail only after classifiers are fitted."""
        if not features:
            raise ParameterError("features=[] gives no base function; pass at least one feature.")
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
        if not (self._frame_length() > 0 and self.rate >= 1):
            raise ParameterError(
                f"hop={self.hop}, rate={self.rate}, must be a positive number of seconds and Hz."
            )
        if self.n_folds < 1:
            raise ParameterError(
                f"n_folds={self.n_folds}, must be at least 1; 1 is for no cross-fitting."
            )
        if not 0 < self.max_length_factor < np.inf:
            raise ParameterError(f"max_length_factor={self.max_length_factor}, must be positive.")

    def _read_all(self, examples: Sequence[Example], report: Progress) -> list[TimedSignal]:
        timed = []
        for n, example in enumerate(examples):
            try:
                timed.append(self._read_timed(example))
            except AlignError as error:
                self.problems_.append(_problem(example, n, error))
            report("reading recordings", n + 1, len(examples))
        return timed

    def _read_timed(self, example: Example) -> TimedSignal:
        name = example.name or _NAMELESS
        if example.onsets is None or len(example.events) == 0:
            raise DataError("it has no labelled events to learn from.", path=name)
        signal = self._signal(example.audio, example.rate, name)
        self.hop_ = signal.hop
        times = example.onsets
        if not (np.isfinite(times).all() and (np.diff(times) > 0).all() and times[0] >= 0):
            raise DataError(
                "its onsets must be finite and increasing, from 0 s or later.", path=name
            )
        end = signal.duration if example.end is None else min(example.end, signal.duration)
        if not times[-1] < end:
            raise DataError(
                f"its last event begins at {times[-1]:.3f} s, after the end at {end:.3f} s.",
                path=name,
            )
        onsets = onset_frames(times, signal)
        if onsets is None:
            raise DataError(
                f"its {len(times)} events do not fit into {signal.n_frames} frames of "
                f"{1000 * signal.hop:g} ms; use a shorter hop.",
                path=name,
            )
        last = signal.n_frames
        if example.end is not None:
            last = max(int(onsets[-1]) + 1, min(last, round(end / signal.hop)))
        return TimedSignal(signal, example.events, onsets, times, last, example.group)

    def _signal(self, audio: Any, rate: int | None, name: str) -> Signal:
        return Signal.read(audio, self.rate, self._frame_length(), source_rate=rate, name=name)

    def _longest(self, timed: Sequence[TimedSignal]) -> float:
        lengths = [
            length * item.signal.hop
            for item in timed
            for event, length in zip(item.events, item.lengths, strict=True)
            if not self._unbounded(event)
        ]
        return float(max(lengths, default=self.hop_))

    def _describe_training(self, timed: Sequence[TimedSignal]) -> None:
        self.training_ = {
            "recordings": len(timed),
            "events": sum(len(item.events) for item in timed),
            "seconds": round(sum(item.signal.duration for item in timed), 3),
            "groups": len({item.group for item in timed}),
        }

    def _held_out(
        self, validation: Sequence[Example] | None, report: Progress
    ) -> tuple[list[BaseFunctions], list[IntArray]] | None:
        if validation is None:
            return None
        timed = self._read_all(validation, report)
        if not timed:
            raise DataError("no recording of the validation set can be used.")
        xs = [self._base_functions(item.signal, tuple(item.events)) for item in timed]
        return xs, [item.onsets for item in timed]

    # Alignment -------------------------------------------------------------------------------

    def _terms(self, signal: Signal, events: tuple[Event, ...]) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for feature in self.features_:
            merged.update(feature.terms(signal, events))
        return merged

    def _base_functions(self, signal: Signal, events: tuple[Event, ...]) -> BaseFunctions:
        return self._assemble(signal, events, self._terms(signal, events))

    def _assemble(
        self,
        signal: Signal,
        events: tuple[Event, ...],
        terms: Mapping[str, Any],
        pause: int | None = None,
    ) -> BaseFunctions:
        missing = [name for name in self.base_functions_ if name not in terms]
        if missing:
            raise ModelError(f"the features do not give the base functions {missing}.")
        n_frames, n_events = signal.n_frames, len(events)
        windows = np.tile(np.array([0, n_frames], dtype=np.intp), (n_events, 1))
        if self._pins_start(events):
            windows[0, 1] = 1
        return BaseFunctions(
            [terms[name] for name in self.base_functions_],
            self.base_functions_,
            n_events,
            n_frames,
            max_length=self._max_length(signal, events, pause),
            windows=windows,
            labels=tuple(str(event) for event in events),
        )

    def _max_length(
        self, signal: Signal, events: tuple[Event, ...], pause: int | None
    ) -> IntArray:
        """Return the longest length of each event in frames [shape=(K,)].

        That of an unbounded event is `pause`, by default the whole recording.
        """
        n_frames = signal.n_frames
        pause = n_frames if pause is None else min(pause, n_frames)
        longest = min(n_frames, int(np.ceil(self.max_length_factor * self.longest_ / signal.hop)))
        limits = np.array(
            [pause if self._unbounded(event) else longest for event in events], dtype=np.intp
        )
        if not self.ends_with_recording_:
            limits[-1:] = np.maximum(limits[-1:], pause)  # what is left may be long
        if limits.sum() < n_frames and pause < n_frames:
            return self._max_length(signal, events, 2 * pause)
        if limits.sum() < n_frames:  # slower than anything in training: give every event room
            limits[:] = min(n_frames, int(np.ceil(2 * longest * n_frames / limits.sum())))
        return limits

    def _best_path(
        self, signal: Signal, events: tuple[Event, ...], terms: Mapping[str, Any]
    ) -> tuple[Potentials, Path]:
        """Decode a recording.

        Pauses as long as the recording would cost time with its square. They are taken to be
        short at first; where one takes more than half of what that allows, the recording is
        decoded again with twice as much. This is no proof that a longer pause would not be
        better, but a pause that is cut short fills what it may.

        A long recording is decoded in windows around the path of a coarse pass; see
        `align.decoders.decode_coarse_to_fine`.
        """
        free = np.array([self._unbounded(event) for event in events])
        free[-1:] |= not self.ends_with_recording_
        pause = max(1, round(_PAUSE / signal.hop))
        while True:
            x = self._assemble(signal, events, terms, pause)
            if x.n_events * x.n_frames > _MOST_CELLS:
                potentials, path = self._path_in_windows(x, signal.hop)
            else:
                potentials = self._potentials(x)
                path = decode(potentials)
            lengths = np.diff(path.onsets, append=signal.n_frames)
            limits = potentials.max_length
            long = 2 * lengths > limits
            if not (free & long & (limits < signal.n_frames)).any():
                return potentials, path
            pause = 2 * int(limits[free].max())

    def _corrected(
        self, times: npt.NDArray[np.float64], terms: Mapping[str, Any], events: tuple[Event, ...]
    ) -> npt.NDArray[np.float64]:
        if self.correction_ is None:
            return times
        classes = self._boundary_classes() or {}
        return self.correction_.moved(times, terms, [classes.get(str(event)) for event in events])

    def _path_in_windows(self, x: BaseFunctions, hop: float) -> tuple[Potentials, Path]:
        found = decode_coarse_to_fine(
            x,
            self._weights(x),
            factor=max(1, round(_CELL / hop)),
            reach=max(1, round(_REACH / hop)),
        )
        return found.potentials, found.path

    def _weights(self, x: BaseFunctions) -> npt.NDArray[np.float64]:
        """Return the weights of the base functions as they are."""
        divisor = self.scale_ * x.n_events if self.normalise else self.scale_
        weights: npt.NDArray[np.float64] = self.coef_ / divisor
        return weights

    def _potentials(self, x: BaseFunctions) -> Potentials:
        return x.potentials(self._weights(x))

    def align(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        events: Sequence[Event] | Lattice,
        *,
        rate: int | None = None,
    ) -> Alignment:
        """Find the time each event begins.

        Parameters
        ----------
        audio : path or np.ndarray [shape=(n,)]
            The recording: a file, or samples at `rate`.
        events : sequence of Event, length K, or Lattice
            What occurs, in order; or what may occur, see `align_lattice`.
        rate : int, optional
            Sampling rate of `audio` in Hz, needed where `audio` is an array.

        Returns
        -------
        Alignment
            Onsets in seconds.

        Raises
        ------
        DataError
            Where the audio cannot be read, an event is unknown, or the events do not fit.
        """
        if isinstance(events, Lattice):
            return self.align_lattice(audio, events, rate=rate).alignment
        self._check_fitted()
        if isinstance(events, str):
            raise ParameterError(f"events={events!r}, must be a sequence; split the text.")
        given = tuple(events)
        name = _NAMELESS if isinstance(audio, np.ndarray) else os.fspath(audio)
        if not given:
            raise DataError("there are no events to align; give at least one.", path=name)
        self._check_events(given, name)
        signal = self._signal(audio, rate, name)
        decoded, place = self._expand(given)
        if len(decoded) > signal.n_frames:
            raise DataError(
                f"{len(given)} events do not fit into {signal.duration:.3f} s of audio "
                f"({signal.n_frames} frames of {1000 * signal.hop:g} ms); "
                "check that the events belong to this recording.",
                path=name,
            )
        try:
            terms = self._terms(signal, decoded)
            potentials, path = self._best_path(signal, decoded, terms)
        except ParameterError as error:
            raise DataError(str(error), path=name) from error
        times, confidence = self.placement_.times(potentials, path.onsets)
        times = in_order(self._corrected(times, terms, decoded), signal.duration)
        end = signal.duration if place[-1] >= len(decoded) else float(times[place[-1]])
        return Alignment(
            events=given,
            onsets=times[place[:-1]],
            end=end,
            duration=signal.duration,
            confidence=None if confidence is None else confidence[place[:-1]],
            score=path.score,
            audio=None if isinstance(audio, np.ndarray) else os.fspath(audio),
            rate=signal.rate,
        )

    def align_lattice(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        lattice: Lattice,
        *,
        events: Sequence[Event] | None = None,
        rate: int | None = None,
    ) -> LatticeAlignment:
        """Find which events of a lattice occur, and the time each begins.

        Parameters
        ----------
        audio : path or np.ndarray [shape=(n,)]
            The recording: a file, or samples at `rate`.
        lattice : Lattice
            Which event may follow which: optional pauses, pronunciation variants, repeats.
        events : sequence of Event, optional
            Event of each number in ``lattice.event``; by default the labels of the nodes.
        rate : int, optional
            Sampling rate of `audio` in Hz, needed where `audio` is an array.

        Returns
        -------
        LatticeAlignment
            The alignment of the events that occur, and the node of each. Its score includes those
            of the lattice.

        Raises
        ------
        DataError
            Where the audio cannot be read, an event is unknown, or no path fits; or a base
            function depends on three successive onsets, which no lattice can be decoded with.
        ParameterError
            The lattice has no labels, or `events` does not suit it.

        Notes
        -----
        Each path scores what `align` gives its events as a sequence, and the arcs add their own
        scores to it. Base functions are summed, not averaged, when paths are compared, whatever
        `normalise` says.
        """
        self._check_fitted()
        given = _node_events(lattice, events)
        name = _NAMELESS if isinstance(audio, np.ndarray) else os.fspath(audio)
        self._check_events(given, name)
        signal = self._signal(audio, rate, name)
        expanded = self._expand_lattice(lattice, given)
        try:
            potentials, path, nodes = self._best_lattice_path(signal, expanded)
        except ParameterError as error:
            raise DataError(str(error), path=name) from error
        times, confidence = self.placement_.times(potentials, path.onsets)
        if self.correction_ is not None:
            decoded = tuple(expanded.events[v] for v in nodes)
            times = self._corrected(times, self._terms(signal, decoded), decoded)
        times = in_order(times, signal.duration)
        place = expanded.given[nodes]
        asked = place >= 0
        hidden = place[-1] == -2  # what follows the last event given
        alignment = Alignment(
            events=tuple(given[v] for v in place[asked]),
            onsets=times[asked],
            end=float(times[-1]) if hidden else signal.duration,
            duration=signal.duration,
            confidence=None if confidence is None else confidence[asked],
            score=path.score,
            audio=None if isinstance(audio, np.ndarray) else os.fspath(audio),
            rate=signal.rate,
        )
        return LatticeAlignment(alignment, place[asked])

    def _best_lattice_path(
        self, signal: Signal, expanded: ExpandedLattice
    ) -> tuple[Potentials, Path, IntArray]:
        """Decode a recording; lengths are bounded, and bounds widened, as in `_best_path`.

        A long recording is decoded in windows; see `align.long_lattice`.
        """
        roles, n_frames = with_roles(expanded.lattice), signal.n_frames
        events = tuple(expanded.events[v] for v in roles.origin)
        free = np.array([self._unbounded(event) for event in events])
        open_end = roles.last & (not self.ends_with_recording_)
        longest = min(n_frames, int(np.ceil(self.max_length_factor * self.longest_ / signal.hop)))
        pause = min(n_frames, max(1, round(_PAUSE / signal.hop)))
        weights = dict(zip(self.base_functions_, self.coef_ / self.scale_, strict=True))
        pinned = self._pins_start(events)

        @cache  # the same sequences are asked for however long a pause may be
        def terms(sequence: tuple[Event, ...]) -> Mapping[str, Any]:
            return self._terms(signal, sequence)

        guess, windows = None, None
        if expanded.lattice.n_nodes * n_frames > _MOST_CELLS:
            guess = self._guessed(signal, roles.lattice, events)
            longest_found = int(np.diff(guess.onsets, append=n_frames).max())
            pause = min(n_frames, max(pause, 2 * longest_found + 1))
        while True:
            limits = np.where(free, pause, longest)
            limits[open_end] = np.maximum(limits[open_end], pause)
            if most_frames(roles.lattice, limits) < n_frames and min(pause, longest) < n_frames:
                if pause == n_frames:
                    longest = min(n_frames, 2 * longest)
                pause = min(n_frames, 2 * pause)
                continue
            scores = lattice_scores(terms, weights, roles, events, limits, n_frames, pinned=pinned)
            if guess is None:
                found = scores.decode()
            else:
                reach = max(1, round(_LATTICE_REACH / signal.hop))
                found, windows = decode_in_windows(
                    scores.decode, scores.lattice, guess, n_frames, reach
                )
                guess = Guess(found.nodes, found.onsets)
            used = limits[found.nodes]
            lengths = np.diff(found.onsets, append=n_frames)
            may_last = (free | open_end)[found.nodes] & (used < n_frames)
            if not (may_last & (2 * lengths > used)).any():
                break
            pause = min(n_frames, 2 * int(used[may_last].max()))
        potentials = scores.along(found.nodes, windows)
        if self.normalise:
            potentials = _scaled(potentials, 1.0 / len(found.nodes))
        return potentials, Path(found.onsets, found.score), roles.origin[found.nodes]

    def _guessed(self, signal: Signal, lattice: Lattice, events: tuple[Event, ...]) -> Guess:
        """Align one path of a lattice as a sequence."""
        nodes = fullest_path(lattice)
        sequence = tuple(events[v] for v in nodes)
        _, path = self._best_path(signal, sequence, self._terms(signal, sequence))
        return Guess(nodes, path.onsets)

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
        self._check_fitted()
        results, failed = self._results(examples, progress)
        return Report.from_files(
            results, kind=self.kind, failed=failed, classes=self._boundary_classes()
        )

    def _results(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> tuple[list[FileResult], list[tuple[str, str]]]:
        """Align recordings; return what came of each, and those that failed with the reason."""
        results: list[FileResult] = []
        failed: list[tuple[str, str]] = list(getattr(examples, "problems", []))
        for n, example in enumerate(examples):
            try:
                if example.onsets is None:
                    raise DataError(
                        "it has no true onsets to compare with.", path=example.name or _NAMELESS
                    )
                begin = time.perf_counter()
                found = self.align(example.audio, example.events, rate=example.rate)
                results.append(
                    FileResult(
                        name=_name_of(example, n),
                        labels=tuple(str(event) for event in example.events),
                        true=example.onsets,
                        predicted=found.onsets,
                        seconds=found.duration,
                        elapsed=time.perf_counter() - begin,
                    )
                )
            except AlignError as error:
                failed.append(_problem(example, n, error))
            if progress is not None:
                progress("aligning", n + 1, len(examples))
        return results, failed

    def _boundary_classes(self) -> Mapping[str, str] | None:
        """Class of each label, for the report; None for no such breakdown."""
        return None

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
        self._check_fitted()
        header, arrays = aligner_state(self, licence or self.licence_)
        write_model(path, self.kind, header, arrays)

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
        features: Sequence[Feature],
    ) -> Self:
        """Rebuild an aligner from a checked model file; `features` are those of the user."""
        return restored(cls, header, arrays, path, features)

    @classmethod
    def _with_features(cls, params: Mapping[str, Any], features: Sequence[Feature]) -> Self:
        return cls(features, **params)

    def _check_fitted(self) -> None:
        if not hasattr(self, "coef_"):
            raise not_fitted_error(self)


def distinct(features: list[Feature]) -> list[Feature]:
    """Return the features, after a check that they are such and can be told apart."""
    for feature in features:
        if not isinstance(feature, Feature):
            raise ParameterError(
                f"features has {feature!r}, must hold Feature objects; make one of a function "
                "with a decorator of align.features."
            )
    names = [feature.name for feature in features]
    if len(set(names)) < len(names):
        raise ParameterError(f"features must have different names, not {names}.")
    return features


def _node_events(lattice: Lattice, events: Sequence[Event] | None) -> tuple[Event, ...]:
    """Event of each node."""
    if events is None:
        if not lattice.labels:
            raise ParameterError(
                "the lattice has no labels to align; give it some, or pass events."
            )
        return lattice.labels
    if isinstance(events, str) or len(events) <= int(lattice.event.max()):
        raise ParameterError(
            f"events={events!r}, must be a sequence with one for each event of the lattice, "
            f"0..{lattice.event.max()}."
        )
    return tuple(events[k] for k in lattice.event)


def _scaled(potentials: Potentials, by: float) -> Potentials:
    """Multiply first-order scores by a number."""
    duration = None if potentials.duration is None else potentials.duration * by
    return replace(
        potentials,
        onset=potentials.onset * by,
        duration=duration,
        constant=potentials.constant * by,
    )


def _problem(example: Example, place: int, error: AlignError) -> tuple[str, str]:
    """Name of a recording that cannot be used, and why."""
    path = getattr(error, "path", None)
    own = path if path in (example.name, _NAMELESS) else example.name
    return _name_of(example, place), error_reason(error, own)


def _name_of(example: Example, place: int) -> str:
    return example.name or f"{_NAMELESS} {place + 1}"
