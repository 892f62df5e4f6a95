"""What aligners of recordings in time have in common: parameters, learning, and their state.

`align.sequence.aligner` aligns with what is learned here. A class for some kind of recording
decides what its features are, which events it expands, and which of them may be long.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from align.decoders import Lattice, decode
from align.errors import ModelError, ParameterError
from align.features import Feature, Signal, TimedSignal
from align.files.model_file import arrays_of, nested
from align.potentials import Potentials
from align.progress import Progress
from align.sequence.anchors import Held
from align.sequence.base import Aligner
from align.sequence.extended import Extended
from align.sequence.feature_terms import base_functions_of, distinct, listed, terms_of
from align.sequence.fit import Fit, fits_of
from align.sequence.lattice.lattices import ExpandedLattice
from align.sequence.learning.checkpoint import describe_timed
from align.sequence.learning.problem import Case, Truth
from align.sequence.learning.recordings import read_timed
from align.sequence.search import Room
from align.sequence.state import feature_states, kept, restore_features
from align.sequence.times.correction import OnsetCorrection
from align.sequence.times.habits import Habits
from align.sequence.times.leaning import Leaning
from align.sequence.times.placement import WINDOW, Placement, moved_offset
from align.sequence.times.sureness import Sureness
from align.terms import BaseFunctions
from align.types import BoolArray, Event, Example, Float64, IntArray

if TYPE_CHECKING:
    from align.learners.structured.learner import StructuredLearner

_LONGEST = 1e6  # seconds that any event lasts
_WIDEST = 1.0  # second, of the window that smooths the posterior


class TimedAligner(Aligner):
    """Learns from recordings whose events are timed; see `SequenceAligner`, which aligns."""

    correction_: OnsetCorrection | None = None
    habits_: Habits | None = None
    leaning_: Leaning | None = None
    labels_: list[str]
    longest_: float
    starts_at_zero_: bool
    ends_with_recording_: bool
    placement_: Placement

    def __init__(
        self,
        features: Sequence[Feature] = (),
        *,
        learner: "StructuredLearner | None" = None,
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

        return distinct([copy.deepcopy(feature) for feature in listed(self.features)])

    def _make_learner(self) -> "StructuredLearner":
        """Return an unfitted learner."""
        import copy

        from align.learners.structured.learner import StructuredLearner

        if self.learner is not None:
            if isinstance(self.learner, type) or not hasattr(self.learner, "loss"):
                raise ParameterError(
                    f"learner={self.learner!r}, must be an object such as StructuredLearner()."
                )
            return copy.deepcopy(self.learner)

        # A feature that is not close to linear in the errors makes single hypotheses swing; with
        # a few recordings their mean may be worse than any of them, so the best one is taken.
        return StructuredLearner(epochs=20, conversion="best", random_state=self.random_state)

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

    def _with_outer_pauses(self, signal: Signal) -> Extended:
        """Return a recording with pauses at its ends, if it lacks them."""
        return Extended(signal, signal)

    def _frame_length(self) -> float:
        """Length of a frame in seconds."""
        return self.hop

    def _check_events(self, events: tuple[Event, ...], name: str) -> None:
        """Raise DataError where an event cannot be aligned."""

    def _unbounded(self, event: Event) -> bool:
        """Whether an event may last much longer than any in training (silence, a fermata)."""
        return False

    def _draws_out(self, event: Event) -> bool:
        """Whether what comes before this event scores otherwise than before others."""
        return any(feature.draws_out(event) for feature in self.features_)

    def _is_drawn_out(self, event: Event) -> bool:
        """Whether this event may score otherwise before those that `_draws_out` names."""
        return any(feature.is_drawn_out(event) for feature in self.features_)

    def _match(
        self,
        extended: Extended,
        events: tuple[Event, ...],
        terms: Mapping[str, Any],
        onsets: IntArray,
        *,
        chosen: bool = False,
    ) -> Fit | None:
        """Return how well recording and decoded events fit; None where that is not known.

        `onsets` are in frames of the recording with its outer pauses. `chosen` says that the
        events are a path of a lattice.
        """
        return None

    def _sure_of_chosen(self, confidence: Float64) -> Float64:
        """Return how sure onsets are of events that were chosen on a lattice [shape=(K,)].

        `confidence` is how sure they would be, had the events been given.
        """
        return confidence

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

    def _calibrate(self, cases: Sequence[Case], progress: Progress | None = None) -> None:
        xs = [case.x for case in cases]
        potentials = [x.potentials(self._weights(x)) for x in xs]
        paths = [decode(p) for p in potentials]
        times = [case.item.times for case in cases]
        unfitted = replace(self._unfitted_placement(), hop=self.hop_)
        self.placement_ = unfitted.fitted(potentials, paths, times, calibrate=self.calibrate)
        self.correction_ = self.habits_ = self.leaning_ = None
        found = [
            self.placement_.times(p, path.onsets).times
            for p, path in zip(potentials, paths, strict=True)
        ]
        if self._corrects():
            self.correction_ = OnsetCorrection.fitted(
                xs, found, times, self._boundary_classes() or {}, self.hop_
            )
        before = []  # true onsets, less what the correction adds to those that are placed
        fits = []
        for (item, _, x, _), path, placed in zip(cases, paths, found, strict=True):
            terms = dict(zip(x.names, x.terms, strict=True))
            before.append(item.times - self._corrected(placed, terms, tuple(item.events)) + placed)
            fits.append(fits_of(terms, path.onsets, x.n_frames))
        self.placement_ = self.placement_.judged(potentials, paths, before, fits)

    def _recalibrate(self, cases: Sequence[Case]) -> None:
        if not self.calibrate:
            return
        errors = []
        for case in cases:
            potentials, found = self._times_of(case)
            errors.append((found - case.item.times)[potentials.stop - potentials.start > 1])
        offset = moved_offset(self.placement_.offset, errors)
        self.placement_ = replace(self.placement_, offset=offset)
        for case in cases:
            self._learn_habits(case)

    def _learn_placement(self, case: Case) -> None:
        kinds = self._kinds_of(case.item.events)
        potentials = case.x.potentials(self._weights(case.x))
        around = self.placement_.posterior(potentials, decode(potentials).onsets)
        if around is not None:
            probability, times = around
            late = times - case.item.times[:, None]
            self.leaning_ = (self.leaning_ or Leaning()).after(probability, late, kinds)
        self._learn_habits(case)  # which are of what leaning leaves

    def _learn_habits(self, case: Case) -> None:
        found, kinds = self._times_of(case)[1], self._kinds_of(case.item.events)
        self.habits_ = (self.habits_ or Habits()).after(found, case.item.times, kinds)

    def _times_of(self, case: Case) -> tuple[Potentials, Float64]:
        """Return what is decoded of a recording, and the onsets that are found in it."""
        item, x = case.item, case.x
        potentials = x.potentials(self._weights(x))
        slopes = self._slopes(item.events)
        onsets = decode(potentials).onsets
        times = self.placement_.times(potentials, onsets, slopes=slopes).times
        terms = dict(zip(x.names, x.terms, strict=True))
        return potentials, self._corrected(times, terms, tuple(item.events))

    # Base functions of a recording -----------------------------------------------------------

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

    def _free(self, events: tuple[Event, ...]) -> BoolArray:
        unbounded = cache(self._unbounded)  # labels are few
        return np.array([unbounded(event) for event in events])

    def _room(self, signal: Signal) -> Room:
        longest = int(np.ceil(self.max_length_factor * self.longest_ / signal.hop))
        return Room(
            signal.n_frames, signal.hop, min(signal.n_frames, longest), self.ends_with_recording_
        )

    def _corrected(
        self, times: Float64, terms: Mapping[str, Any], events: tuple[Event, ...]
    ) -> Float64:
        if self.correction_ is None and self.habits_ is None:
            return times
        kinds = self._kinds_of(events)
        if self.correction_ is not None:
            times = self.correction_.moved(times, terms, kinds)
        return times if self.habits_ is None else self.habits_.moved(times, kinds)

    def _slopes(self, events: Sequence[Event]) -> Float64 | None:
        """Return how onsets lean, in log odds per second [shape=(K,)], where that was learned."""
        return None if self.leaning_ is None else self.leaning_.slopes(self._kinds_of(events))

    def _kinds_of(self, events: Sequence[Event]) -> list[str | None]:
        """Return the class of each event, as far as there is one."""
        classes = self._boundary_classes() or {}
        return [classes.get(str(event)) for event in events]

    # Evaluation and model files --------------------------------------------------------------

    def _events_of(self, example: Example) -> Any:
        return example.events

    def _get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        states, arrays = feature_states(self.features_)
        correction = None
        if self.correction_ is not None:
            correction, own = self.correction_.get_state()
            arrays |= nested("correction.", own)
        header = {
            "labels": self.labels_,
            "features": states,
            "hop": self.hop_,
            "offset": self.placement_.offset,
            "temperature": self.placement_.temperature,
            "window": self.placement_.window,
            "tail": self.placement_.tail,
            "correction": correction,
            "longest": self.longest_,
            "starts_at_zero": self.starts_at_zero_,
            "ends_with_recording": self.ends_with_recording_,
        }
        if self.placement_.sureness is not None:
            header["sureness"] = list(self.placement_.sureness)
        if self.habits_ is not None:
            header["habits"] = self.habits_.get_state()
        if self.leaning_ is not None:
            header["leaning"] = self.leaning_.get_state()
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
            kept(header, "tail", float),
            kept(header, "sureness", lambda numbers: Sureness(*map(float, numbers))),
        )
        own = arrays_of("correction.", arrays)
        self.correction_ = kept(
            header, "correction", lambda state: OnsetCorrection.from_state(state, own, self.hop_)
        )
        self.habits_ = kept(header, "habits", Habits.from_state)
        self.leaning_ = kept(header, "leaning", Leaning.from_state)
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
        if not np.isfinite(self.placement_.sureness or 0.0).all():
            raise ModelError("its sureness is not finite.")
        if self.placement_.tail is not None and not 0 <= self.placement_.tail < 0.5:
            raise ModelError("the tail of its intervals is not from 0 to a half.")
        self.features_ = restore_features(features, header["features"], arrays)

    @classmethod
    def _with_features(cls, params: Mapping[str, Any], features: Sequence[Feature]) -> Self:
        return cls(features, **params)
