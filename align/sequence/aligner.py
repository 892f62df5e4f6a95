"""The general aligner: features, a structured learner and a cost, as one estimator.

Events are contiguous: each ends where the next begins. What is peculiar to speech (labels, default
features, closures and pauses that the phones leave out) lives in the class built on it.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 9.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.decoders import Lattice, decode
from align.errors import DataError, ModelError, ParameterError
from align.features import Feature, Signal, TimedSignal
from align.learners.structured.learner import StructuredLearner
from align.potentials import Path, Potentials
from align.results.alignment import Alignment
from align.sequence.anchors import Anchors, GivenAnchors, Held, held_in_lattice, held_in_sequence
from align.sequence.base import NAMELESS, Aligner, Progress
from align.sequence.checkpoint import describe_timed
from align.sequence.correction import OnsetCorrection
from align.sequence.feature_terms import base_functions_of, distinct, terms_of
from align.sequence.fit import Fit, fields_of
from align.sequence.frames import in_order
from align.sequence.lattices import ExpandedLattice, LatticeAlignment, node_events
from align.sequence.placement import WINDOW, Placement, moved_offset
from align.sequence.problem import Truth
from align.sequence.recent import RecentSignals
from align.sequence.recordings import read_timed
from align.sequence.search import FoundNodes, Room, best_lattice_path, best_path, is_long
from align.sequence.state import arrays_of, feature_states, restore_features
from align.sequence.stretches import (
    MOST_OF_STRETCH,
    Stretch,
    aligned_stretches,
    cuts_at,
    joined_stretches,
    rough_onsets,
)
from align.terms import BaseFunctions
from align.types import Event, Example, IntArray

__all__ = ["SequenceAligner"]

_LONGEST = 1e6  # seconds that any event lasts
_WIDEST = 1.0  # second, of the window that smooths the posterior


class SequenceAligner(Aligner):
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
        ``cost(true, predicted) -> float`` of onsets in frames; see `align.learners.structured`.
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
        How onsets are placed between frames; see `align.sequence.refine`. The posterior, which
        also gives the confidence, cannot be had of general base functions; where there are some,
        the parabola is used.
    calibrate : bool
        Subtract the median signed error on the training set from every onset.
    correct : bool
        Learn a last, small move of each onset from the training set; see
        `align.sequence.correction`.
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
    correction_: OnsetCorrection | None = None
    _recent: RecentSignals | None = None
    labels_: list[str]
    longest_: float
    starts_at_zero_: bool
    ends_with_recording_: bool
    placement_: Placement

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

    def _match(
        self,
        signal: Signal,
        events: tuple[Event, ...],
        terms: Mapping[str, Any],
        onsets: IntArray,
    ) -> Fit | None:
        """Return how well recording and decoded events fit; None where that is not known.

        `onsets` are in frames.
        """
        return None

    def _pins_start(self, events: tuple[Event, ...]) -> bool:
        """Whether the first event must begin at time 0."""
        return self.starts_at_zero_

    # Training --------------------------------------------------------------------------------

    def _check_own(self) -> None:
        self._unfitted_placement()
        if not (self._frame_length() > 0 and self.rate >= 1):
            raise ParameterError(
                f"hop={self.hop}, rate={self.rate}, must be a positive number of seconds and Hz."
            )
        if not 0 < self.max_length_factor < np.inf:
            raise ParameterError(f"max_length_factor={self.max_length_factor}, must be positive.")

    def _unfitted_placement(self) -> Placement:
        return Placement(self.refine, self._frame_length(), window=self._window())

    def _read_example(self, example: Example, name: str, weight: float = 1.0) -> TimedSignal:
        item = read_timed(example, name, lambda: self._signal(example.audio, example.rate, name))
        self.hop_ = item.signal.hop
        return item

    def _signal(self, audio: Any, rate: int | None, name: str) -> Signal:
        return Signal.read(audio, self.rate, self._frame_length(), source_rate=rate, name=name)

    def _describe(self, item: TimedSignal) -> list[Any]:
        return describe_timed(item)

    def _prepare(self, items: Sequence[TimedSignal], *, anew: bool) -> None:
        labels = {str(event) for item in items for event in item.events}
        lengths = [
            length * item.signal.hop
            for item in items
            for event, length in zip(item.events, item.lengths, strict=True)
            if not self._unbounded(event)
        ]
        longest = float(max(lengths, default=self.hop_))
        if anew:
            self.starts_at_zero_ = all(item.onsets[0] == 0 for item in items)
            self.ends_with_recording_ = all(item.end >= item.signal.n_frames - 1 for item in items)
        else:
            labels, longest = labels.union(self.labels_), max(self.longest_, longest)
        self.labels_, self.longest_ = sorted(labels), longest

    def _problem(
        self, item: TimedSignal, features: Sequence[Feature]
    ) -> tuple[BaseFunctions, Truth]:
        events = tuple(item.events)
        terms = terms_of(features, item.signal, events)
        return self._assemble(item.signal, events, terms), Truth.whole(item.onsets)

    def _count(self, items: Sequence[TimedSignal]) -> dict[str, int]:
        return {"events": sum(len(item.events) for item in items)}

    def _calibrate(
        self,
        items: Sequence[TimedSignal],
        xs: Sequence[BaseFunctions],
        features: Sequence[Sequence[Feature]],
    ) -> None:
        potentials = [x.potentials(self._weights(x)) for x in xs]
        paths = [decode(p) for p in potentials]
        times = [item.times for item in items]
        unfitted = replace(self._unfitted_placement(), hop=self.hop_)
        self.placement_ = unfitted.fitted(potentials, paths, times, calibrate=self.calibrate)
        self.correction_ = None
        if self._corrects():
            found = [
                self.placement_.times(p, path.onsets)[0]
                for p, path in zip(potentials, paths, strict=True)
            ]
            self.correction_ = OnsetCorrection.fitted(
                xs, found, times, self._boundary_classes() or {}, self.hop_
            )

    def _recalibrate(
        self,
        items: Sequence[TimedSignal],
        xs: Sequence[BaseFunctions],
        features: Sequence[Sequence[Feature]],
    ) -> None:
        if not self.calibrate:
            return
        errors = []
        for x, item in zip(xs, items, strict=True):
            potentials = x.potentials(self._weights(x))
            found, _ = self.placement_.times(potentials, decode(potentials).onsets)
            terms = dict(zip(x.names, x.terms, strict=True))
            found = self._corrected(found, terms, tuple(item.events))
            errors.append((found - item.times)[potentials.stop - potentials.start > 1])
        offset = moved_offset(self.placement_.offset, errors)
        self.placement_ = replace(self.placement_, offset=offset)

    # Alignment -------------------------------------------------------------------------------

    def _recent_signal(self, audio: Any, rate: int | None, name: str) -> Signal:
        """Return a recording, with what was computed of it where it was aligned just before."""
        if self._recent is None:
            self._recent = RecentSignals()
        return self._recent.same(self._signal(audio, rate, name), self.features_)

    def _suited(self, signal: Signal) -> "SequenceAligner":
        """Return the fitted aligner that suits a recording: this one, but for speech in noise."""
        return self

    def _assemble(
        self,
        signal: Signal,
        events: tuple[Event, ...],
        terms: Mapping[str, Any],
        limits: IntArray | None = None,
        held: Held | None = None,
    ) -> BaseFunctions:
        """Return the base functions; `limits` are the longest lengths in frames [shape=(K,)]."""
        if limits is None:
            limits = self._room(signal).limits(self._free(events))
        names = self.base_functions_ or list(terms)
        n_frames, pinned, windows = signal.n_frames, self._pins_start(events), None
        if held is not None:  # what is known goes before what training was like
            pinned = pinned and 0 not in held.at
            windows, limits = held.windows, held.limits(limits, n_frames, pinned)
        return base_functions_of(
            terms, names, events, n_frames, limits, pinned=pinned, windows=windows
        )

    def _free(self, events: tuple[Event, ...]) -> npt.NDArray[np.bool_]:
        unbounded = cache(self._unbounded)  # labels are few
        return np.array([unbounded(event) for event in events])

    def _room(self, signal: Signal) -> Room:
        longest = int(np.ceil(self.max_length_factor * self.longest_ / signal.hop))
        return Room(
            signal.n_frames, signal.hop, min(signal.n_frames, longest), self.ends_with_recording_
        )

    def _best_path(
        self,
        signal: Signal,
        events: tuple[Event, ...],
        terms: Mapping[str, Any],
        held: Held | None = None,
        most_cells: int | None = None,
    ) -> tuple[Potentials, Path]:
        return best_path(
            lambda limits: self._assemble(signal, events, terms, limits, held),
            self._weights,
            self._free(events),
            self._room(signal),
            most_cells,
        )

    def _placed(
        self,
        times: npt.NDArray[np.float64],
        terms: Mapping[str, Any],
        events: tuple[Event, ...],
        signal: Signal,
        held: Held | None,
    ) -> npt.NDArray[np.float64]:
        """Return corrected times in order, those that are held as they are known."""
        times = self._corrected(times, terms, events)
        return (
            in_order(times, signal.duration)
            if held is None
            else held.placed(times, signal.duration)
        )

    def _corrected(
        self, times: npt.NDArray[np.float64], terms: Mapping[str, Any], events: tuple[Event, ...]
    ) -> npt.NDArray[np.float64]:
        if self.correction_ is None:
            return times
        classes = self._boundary_classes() or {}
        return self.correction_.moved(times, terms, [classes.get(str(event)) for event in events])

    def align(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        events: Sequence[Event] | Lattice,
        *,
        rate: int | None = None,
        anchors: GivenAnchors = None,
        progress: Progress | None = None,
    ) -> Alignment:
        """Return when each event begins.

        Parameters
        ----------
        audio : path or np.ndarray [shape=(n,)]
            The recording: a file, or samples at `rate`.
        events : sequence of Event, length K, or Lattice
            What occurs, in order; or what may occur, see `align_lattice`.
        rate : int, optional
            Sampling rate of `audio` in Hz, needed where `audio` is an array.
        anchors : mapping of int to float, Anchors or AnchorTable, optional
            Onsets that are known: event, counted from 0, to seconds; see
            `align.sequence.anchors`. They are kept, and the best timing of the rest is found.
        progress : callable, optional
            Called, of a long recording, with a stage, how many seconds are done, and how many
            there are.

        Returns
        -------
        Alignment
            Onsets in seconds.

        Raises
        ------
        DataError
            Where the audio cannot be read, an event is unknown, the events do not fit, or an
            anchor is impossible.
        """
        self.check_fitted()
        return self._find(audio, events, rate, anchors, progress)

    @one_thread()
    def _find(
        self,
        audio: Any,
        events: Any,
        rate: int | None,
        anchors: GivenAnchors = None,
        progress: Progress | None = None,
    ) -> Alignment:
        if isinstance(events, Lattice):
            return self.align_lattice(audio, events, rate=rate, anchors=anchors).alignment
        if isinstance(events, str):
            raise ParameterError(f"events={events!r}, must be a sequence; split the text.")
        given = tuple(events)
        name = NAMELESS if isinstance(audio, np.ndarray) else os.fspath(audio)
        if not given:
            raise DataError("there are no events to align; give at least one.", path=name)
        self._check_events(given, name)
        signal = self._recent_signal(audio, rate, name)
        anchors = Anchors.of(anchors, [str(event) for event in given])
        audio_path = None if isinstance(audio, np.ndarray) else name
        if is_long(len(given), signal.n_frames) and (
            found := self._find_in_stretches(signal, given, anchors, name, audio_path, progress)
        ):
            return found
        return self._find_whole(signal, given, anchors, name, audio_path)

    def _find_whole(
        self,
        signal: Signal,
        given: tuple[Event, ...],
        anchors: Anchors | None,
        name: str,
        audio: str | None,
        most_cells: int | None = None,
    ) -> Alignment:
        """Return the alignment of a recording that is decoded at once."""
        decoded, place = self._expand(given)
        if len(decoded) > signal.n_frames:
            raise DataError(
                f"{len(given)} events do not fit into {signal.duration:.3f} s of audio "
                f"({signal.n_frames} frames of {1000 * signal.hop:g} ms); "
                "check that the events belong to this recording.",
                path=name,
            )
        held = held_in_sequence(anchors, given, place, len(decoded), signal, name)
        suited = self._suited(signal)
        try:
            terms = terms_of(suited.features_, signal, decoded)
            potentials, path = suited._best_path(signal, decoded, terms, held, most_cells)
        except ParameterError as error:
            raise DataError(str(error), path=name) from error
        times, confidence = suited.placement_.times(potentials, path.onsets)
        times = suited._placed(times, terms, decoded, signal, held)
        fit = suited._match(signal, decoded, terms, path.onsets)
        end = signal.duration if place[-1] >= len(decoded) else float(times[place[-1]])
        return Alignment(
            events=given,
            onsets=times[place[:-1]],
            end=end,
            duration=signal.duration,
            confidence=None if confidence is None else confidence[place[:-1]],
            score=path.score,
            audio=audio,
            rate=signal.rate,
            **fields_of(fit, place),
        )

    def _find_in_stretches(
        self,
        signal: Signal,
        given: tuple[Event, ...],
        anchors: Anchors | None,
        name: str,
        audio: str | None,
        progress: Progress | None,
    ) -> Alignment | None:
        """Return the alignment of a long recording; None where there are no pauses to cut at."""
        pauses = np.flatnonzero(self._free(given)[1:-1]) + 1
        begins = self._rough_times(signal, given, anchors, name) if pauses.size else None
        if begins is None:
            return None
        cuts = cuts_at(
            begins[pauses], begins[pauses + 1], pauses.tolist(), signal.duration, signal.hop
        )

        def align(stretch: Stretch) -> Alignment:
            known = None
            if anchors is not None:
                known = anchors.within(stretch.first, stretch.stop, stretch.begin)
            return self._find_whole(
                signal.part(stretch.begin, stretch.end),
                given[stretch.first : stretch.stop],
                known,
                name,
                None,
                MOST_OF_STRETCH,
            )

        def speech(found: Alignment) -> tuple[float, float]:
            return float(found.onsets[1]), float(found.onsets[-1])

        found = aligned_stretches(cuts, len(given), signal.duration, align, speech, progress)
        return joined_stretches(found, given, signal, audio)

    @one_thread()
    def rough_onsets(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        events: Sequence[Event],
        *,
        rate: int | None = None,
    ) -> npt.NDArray[np.float64] | None:
        """Return roughly when each event of a long recording begins, to within a second or so.

        For recordings of minutes to hours, with little memory; see `align.sequence.stretches`.

        Parameters
        ----------
        audio, events, rate
            As in `align`.

        Returns
        -------
        np.ndarray [shape=(K,)] or None
            In seconds; None where no timing has a finite score.
        """
        self.check_fitted()
        name = NAMELESS if isinstance(audio, np.ndarray) else os.fspath(audio)
        return self._rough_times(self._signal(audio, rate, name), tuple(events), None, name)

    def _rough_times(
        self, signal: Signal, given: tuple[Event, ...], anchors: Anchors | None, name: str
    ) -> npt.NDArray[np.float64] | None:
        """Return the rough onsets of events, near anchors where there are some."""
        decoded, place = self._expand(given)
        held = held_in_sequence(anchors, given, place, len(decoded), signal, name)
        windows = np.tile(np.array([0, signal.n_frames]), (len(decoded), 1))
        if held is not None:
            windows = held.windows
        elif self._pins_start(decoded):
            windows[0] = 0, 1

        def score(part: Signal) -> tuple[BaseFunctions, npt.NDArray[np.float64]]:
            suited = self._suited(part)
            terms = terms_of([feature.rough() for feature in suited.features_], part, decoded)
            x = suited._assemble(part, decoded, terms)
            return x, suited._weights(x)

        found = rough_onsets(signal, score, self._free(decoded), self._room(signal), windows)
        return None if found is None else found[place[:-1]].astype(np.float64) * signal.hop

    @one_thread()
    def align_lattice(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        lattice: Lattice,
        *,
        events: Sequence[Event] | None = None,
        rate: int | None = None,
        anchors: GivenAnchors = None,
    ) -> LatticeAlignment:
        """Return which events of a lattice occur, and when each begins.

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
        anchors : mapping of int to float or Anchors, optional
            Node, counted from 0, to seconds: if it occurs, it begins at that time. Alternatives
            may have the same time.

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
        self.check_fitted()
        given = node_events(lattice, events)
        name = NAMELESS if isinstance(audio, np.ndarray) else os.fspath(audio)
        self._check_events(given, name)
        signal = self._recent_signal(audio, rate, name)
        expanded = self._expand_lattice(lattice, given)
        held = held_in_lattice(anchors, expanded, signal, name)
        suited = self._suited(signal)
        try:
            potentials, path, nodes = suited._best_lattice_path(signal, expanded, held)
        except ParameterError as error:
            raise DataError(str(error), path=name) from error
        times, confidence = suited.placement_.times(potentials, path.onsets)
        decoded = tuple(expanded.events[v] for v in nodes)
        terms = terms_of(suited.features_, signal, decoded)
        times = suited._placed(
            times, terms, decoded, signal, None if held is None else held.along(nodes)
        )
        fit = suited._match(signal, decoded, terms, path.onsets)
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
            **fields_of(fit, np.append(np.flatnonzero(place != -1), len(place)), place >= 0),
        )
        return LatticeAlignment(alignment, place[asked])

    def _best_lattice_path(
        self, signal: Signal, expanded: ExpandedLattice, held: Held | None = None
    ) -> FoundNodes:
        def terms(sequence: tuple[Event, ...]) -> Mapping[str, Any]:
            return terms_of(self.features_, signal, sequence)

        def guess(sequence: tuple[Event, ...]) -> Path:
            return self._best_path(signal, sequence, terms(sequence), None, MOST_OF_STRETCH)[1]

        found = best_lattice_path(
            expanded,
            terms,
            dict(zip(self.base_functions_, self.coef_ / self.scale_, strict=True)),
            cache(self._unbounded),  # asked for every node, and labels are few
            self._room(signal),
            pinned=self._pins_start(expanded.events)
            and (held is None or not np.isin(expanded.lattice.starts, held.at).any()),
            onsets_of=lambda events: guess(events).onsets,
            windows=None if held is None else held.windows,
        )
        return found.averaged() if self.normalise else found

    # Evaluation and model files --------------------------------------------------------------

    def _events_of(self, example: Example) -> Any:
        return example.events

    def _get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        states, arrays = feature_states(self.features_)
        correction = None
        if self.correction_ is not None:
            correction, own = self.correction_.get_state()
            arrays.update({f"correction.{key}": value for key, value in own.items()})
        header = {
            "labels": self.labels_,
            "features": states,
            "hop": self.hop_,
            "offset": self.placement_.offset,
            "temperature": self.placement_.temperature,
            "window": self.placement_.window,
            "correction": correction,
            "longest": self.longest_,
            "starts_at_zero": self.starts_at_zero_,
            "ends_with_recording": self.ends_with_recording_,
        }
        return header, arrays

    def _set_state(
        self,
        header: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        features: list[Any],
    ) -> None:
        self.labels_ = [str(label) for label in header["labels"]]
        self.hop_ = float(header["hop"])
        hop = round(self._frame_length() * self.rate) / self.rate  # as `Signal` rounds it
        if self.hop_ != hop:
            raise ModelError(f"its frames last {self.hop_} s, and {hop} s by its parameters.")
        self.placement_ = Placement(
            self.refine,
            self.hop_,
            float(header["temperature"]),
            float(header["offset"]),
            float(header.get("window", WINDOW)),  # models of before have none
        )
        self.correction_ = None
        if header.get("correction") is not None:  # models of before have none
            own = arrays_of(arrays, "correction.")
            self.correction_ = OnsetCorrection.from_state(header["correction"], own, self.hop_)
        self.longest_ = float(header["longest"])
        self.starts_at_zero_ = bool(header["starts_at_zero"])
        self.ends_with_recording_ = bool(header["ends_with_recording"])
        lengths = (self.placement_.temperature, self.placement_.window, self.longest_)
        if not (
            min(lengths) > 0
            and self.longest_ <= _LONGEST
            and self.placement_.window <= _WIDEST
            and np.isfinite([*lengths, self.placement_.offset]).all()
        ):
            raise ModelError("a temperature, window or length is not above 0, or too large.")
        self.features_ = restore_features(features, header["features"], arrays)

    @classmethod
    def _with_features(cls, params: Mapping[str, Any], features: Sequence[Feature]) -> Self:
        return cls(features, **params)
