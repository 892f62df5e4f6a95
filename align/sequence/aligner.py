"""The general aligner: features, a structured learner and a cost, as one estimator.

Events are contiguous: each ends where the next begins. What is peculiar to speech (labels, default
features, closures and pauses that the phones leave out) lives in the class built on it.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 9.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.decoders import Lattice
from align.errors import DataError, ParameterError
from align.features import Feature, Signal
from align.features.sound.audio import lent
from align.potentials import Path, Potentials
from align.progress import Progress
from align.results.alignment import Alignment
from align.sequence.anchors import (
    Anchors,
    GivenAnchors,
    Held,
    held_in_lattice,
    held_in_sequence,
    with_room,
)
from align.sequence.base import NAMELESS
from align.sequence.extended import Extended
from align.sequence.feature_terms import terms_of
from align.sequence.fit import fields_of, fits_of
from align.sequence.frames import in_order
from align.sequence.lattice.lattices import LatticeAlignment, node_events
from align.sequence.lattice_paths import LatticePaths
from align.sequence.recent import RecentSignals
from align.sequence.rough import rough_onsets
from align.sequence.search import best_path, is_long
from align.sequence.stretches import (
    MOST_OF_STRETCH,
    Stretch,
    aligned_stretches,
    cuts_at,
    joined_stretches,
)
from align.sequence.timed import TimedAligner
from align.sequence.times.placement import sureness_of
from align.terms import SegmentTerm
from align.types import Event, Example, Float64, IntArray, events_in_order

_NAMED = 5  # labels that a warning names


class CellScores(NamedTuple):
    """Scores of events [shape=(E, C)] and of the best sequence of any events [shape=(C,)].

    In cells of `seconds`.
    """

    table: Float64
    best: Float64
    seconds: float


class _Asked(NamedTuple):
    """Events that are to be found in a recording, and its file if any."""

    signal: Signal
    events: tuple[Event, ...]
    audio: str | None = None
    anchors: Anchors | None = None

    def held(self, decoded: tuple[Event, ...], place: IntArray) -> Held | None:
        """Return the windows of the events that are decoded; None without anchors."""
        return held_in_sequence(self.anchors, self.events, place, len(decoded), self.signal)


class SequenceAligner(TimedAligner):
    """Learn to align recordings with the events in them.

    Parameters
    ----------
    features : sequence of Feature
        The base functions; see `align.features`.
    learner : StructuredLearner, optional
        How the weights are learned; by default passive-aggressive (PA-I) in 20 epochs, of which
        the best hypothesis on the training set is taken.
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
        How onsets are placed between frames; see `align.sequence.times.refine`. The posterior,
        which also gives the confidence, cannot be had of general base functions; where there are
        some, the parabola is used.
    calibrate : bool
        Subtract the median signed error on the training set from every onset.
    correct : bool
        Learn a last, small move of each onset from the training set; see
        `align.sequence.times.correction`.
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
    habits_ : Habits or None
        By how much onsets move, as online learning and adapting found of the labeller.
    leaning_ : Leaning or None
        How onsets lean where the model is unsure, by online learning; see `align.sequence.online`.
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
    _recent: RecentSignals | None = None

    @one_thread()
    def _completed(self, example: Example) -> Example:
        """Return an example with the events that `_expand` puts in, at their best times."""
        given = tuple(example.events)
        if not given or example.onsets is None:
            return example
        decoded, place = self._expand(given)
        if decoded == given:
            return example
        name = example.name or NAMELESS
        signal = self._recent_signal(example.audio, example.rate, name)
        onsets = np.asarray(example.onsets, dtype=np.float64)
        onsets = with_room(onsets, place[:-1], len(decoded), signal)
        known = dict(enumerate(onsets.tolist()))
        held = held_in_sequence(known, given, place, len(decoded), signal)
        terms = terms_of(self.features_, signal, decoded)
        potentials, path = self._best_path(signal, decoded, terms, held)
        slopes = self._slopes(decoded)
        times = self.placement_.times(potentials, path.onsets, slopes=slopes).times
        onsets = self._placed(times, terms, decoded, signal, held)
        end = example.end if place[-1] >= len(decoded) else None
        return replace(example, events=decoded, onsets=onsets, end=end)

    # Alignment -------------------------------------------------------------------------------

    def _recent_signal(self, audio: Any, rate: int | None, name: str) -> Signal:
        """Return a recording, with what was computed of it where it was aligned just before."""
        if self._recent is None:
            self._recent = RecentSignals()
        return self._recent.same(self._signal(audio, rate, name), self.features_)

    def _suited(self, signal: Signal) -> "SequenceAligner":
        """Return the fitted aligner that suits a recording: this one, but for speech in noise."""
        return self

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
        times: Float64,
        terms: Mapping[str, Any],
        events: tuple[Event, ...],
        signal: Signal,
        held: Held | None,
    ) -> Float64:
        """Return corrected times in order, those that are held as they are known."""
        times = self._corrected(times, terms, events)
        return (
            in_order(times, signal.duration)
            if held is None
            else held.placed(times, signal.duration)
        )

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
        asked = self._asked(audio, events, rate, self._recent_signal)
        asked = asked._replace(anchors=Anchors.of(anchors, [str(event) for event in asked.events]))
        found = None
        if is_long(len(asked.events), asked.signal.n_frames):
            found = self._find_in_stretches(asked, progress)
        return self._with_new_labels(found or self._find_whole(asked))

    def taken_labels(self) -> Collection[str]:
        """Labels that were learned from, and of which `align` does not warn."""
        return self.labels_

    def _with_new_labels(self, found: Alignment) -> Alignment:
        """Return an alignment that warns of labels which features that are fitted never met."""
        taken = self.taken_labels()
        new = [label for label in dict.fromkeys(found.labels) if label not in taken]
        if not new or all(type(feature).fit is Feature.fit for feature in self.features_):
            return found
        named = ", ".join(map(repr, new[:_NAMED])) + ", ..." * (len(new) > _NAMED)
        told = f"no recording of the training set has {named}: what was learned knows nothing of "
        told += "it." if len(new) == 1 else "them."
        return replace(found, warnings=(*found.warnings, told))

    def _asked(
        self, audio: Any, events: Sequence[Event], rate: int | None, read: Callable[..., Signal]
    ) -> _Asked:
        """Return what is asked, of a recording as it is `read`; an error for no event to align."""
        name = _name_of(audio)
        given = events_in_order(events)
        if not given:
            raise DataError("there are no events to align; give at least one.", path=name)
        self._check_events(given, name)
        file = None if isinstance(audio, np.ndarray) else name
        return _Asked(read(lent(audio), rate, name), given, file)

    def _find_whole(self, asked: _Asked, most_cells: int | None = None) -> Alignment:
        """Return the alignment of a recording that is decoded at once."""
        signal, given = asked.signal, asked.events
        decoded, place = self._expand(given)
        if len(decoded) > signal.n_frames:
            raise DataError(
                f"{len(given)} events do not fit into {signal.duration:.3f} s of audio "
                f"({signal.n_frames} frames of {1000 * signal.hop:g} ms); "
                "check that the events belong to this recording.",
                path=signal.name,
            )
        held, suited = asked.held(decoded, place), self._suited(signal)
        extended = Extended(signal, signal)
        if held is None:
            extended = suited._with_outer_pauses(signal)
        padded, windows = extended.signal, held or extended.held(len(decoded))
        try:
            terms = terms_of(suited.features_, padded, decoded)
            potentials, path = suited._best_path(padded, decoded, terms, windows, most_cells)
        except ParameterError as error:
            raise DataError(str(error), path=signal.name) from error
        fits = fits_of(terms, path.onsets, padded.n_frames)
        slopes = suited._slopes(decoded)
        placed = suited.placement_.times(potentials, path.onsets, fits, slopes)
        times = suited._placed(placed.times, terms, decoded, padded, held)
        fit = suited._match(extended, decoded, terms, path.onsets)
        put_in = suited._free(decoded) & ~np.isin(np.arange(len(decoded)), place[:-1])
        times, inside = extended.within(times, put_in)
        ends = place[-1] >= len(decoded) or not inside[-1]
        return Alignment(
            events=given,
            onsets=times[place[:-1]],
            end=signal.duration if ends else float(times[place[-1]]),
            duration=signal.duration,
            **sureness_of(placed, times, place[:-1]),
            score=path.score,
            audio=asked.audio,
            rate=signal.own_rate,
            **fields_of(fit, place),
        )

    def _find_in_stretches(self, asked: _Asked, progress: Progress | None) -> Alignment | None:
        """Return the alignment of a long recording; None where there are no pauses to cut at."""
        signal, given = asked.signal, asked.events
        pauses = np.flatnonzero(self._free(given)[1:-1]) + 1
        begins = self._rough_times(asked, {}) if pauses.size else None
        if begins is None:
            return None
        cuts = cuts_at(
            begins[pauses], begins[pauses + 1], pauses.tolist(), signal.duration, signal.hop
        )

        def align(stretch: Stretch) -> Alignment:
            known = None
            if asked.anchors is not None:
                known = asked.anchors.within(stretch.first, stretch.stop, stretch.begin)
            own = given[stretch.first : stretch.stop]
            part = signal.part(stretch.begin, stretch.end)
            return self._find_whole(_Asked(part, own, None, known), MOST_OF_STRETCH)

        def speech(found: Alignment) -> tuple[float, float]:
            return float(found.onsets[1]), float(found.onsets[-1])

        found = aligned_stretches(cuts, len(given), signal.duration, align, speech, progress)
        return joined_stretches(found, given, signal, asked.audio)

    @one_thread()
    def rough_onsets(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        events: Sequence[Event],
        *,
        rate: int | None = None,
        costs: Mapping[Any, float] | None = None,
    ) -> Float64 | None:
        """Return roughly when each event of a long recording begins, to within a second or so.

        For recordings of minutes to hours, with little memory; see `align.sequence.stretches`.

        Parameters
        ----------
        audio, events, rate
            As in `align`.
        costs : mapping of Event to float, optional
            What is taken from the score where such an event lasts any time at all. All events may
            take none here.

        Returns
        -------
        np.ndarray [shape=(K,)] or None
            In seconds; None where no timing has a finite score.
        """
        self.check_fitted()
        return self._rough_times(self._asked(audio, events, rate, self._signal), costs or {})

    def cell_scores(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        events: Sequence[Event],
        name: str,
        *,
        cell: float,
        rate: int | None = None,
    ) -> CellScores | None:
        """Return what one base function says of events in each cell of a recording.

        Parameters
        ----------
        audio, rate
            As in `align`.
        events : sequence of Event, length E
            Whatever may sound, in no order.
        name : str
            A base function that sums over frames.
        cell : float
            Length of a cell in seconds, a frame or more. Frames behind the last whole one are
            left out.

        Returns
        -------
        CellScores or None
            None where the aligner has no such base function.

        Raises
        ------
        DataError
            If the recording cannot be read, or an event is unknown to a feature.
        ParameterError
            If the aligner is not fitted.
        """
        self.check_fitted()
        signal, given, *_ = self._asked(audio, events, rate, self._signal)
        term = terms_of(self._suited(signal).features_, signal, given).get(name)
        if not isinstance(term, SegmentTerm):
            return None
        size = max(1, round(cell / signal.hop))
        sums = np.diff(term.prefix[:, ::size], axis=1)
        table = np.where(term.rows[:, None] >= 0, sums[term.rows], 0.0).astype(np.float64)
        best = table.max(axis=0) if term.best is None else np.diff(term.best[::size])
        return CellScores(table, best.astype(np.float64), size * signal.hop)

    def _rough_times(self, asked: _Asked, costs: Mapping[Event, float]) -> Float64 | None:
        """Return the rough onsets of events, near anchors where there are some."""
        signal, (decoded, place) = asked.signal, self._expand(asked.events)
        held = asked.held(decoded, place)
        windows = np.tile(np.array([0, signal.n_frames]), (len(decoded), 1))
        if held is not None:
            windows = held.windows
        elif self._pins_start(decoded):
            windows[0] = 0, 1
        found = rough_onsets(self, signal, decoded, windows, costs)
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
        abrupt: bool = False,
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
        abrupt : bool
            Whether speech may begin with the recording, or end with it: silences of less than 10
            ms at its ends are left out, and a stop may as well begin with the recording as behind
            a silence. By default what the path has is kept. Not asked where there are anchors.

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
        paths = self.lattice_paths(
            audio, lattice, events=events, rate=rate, anchors=anchors, abrupt=abrupt
        )
        return paths.placed(paths.best())

    def lattice_paths(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        lattice: Lattice,
        *,
        events: Sequence[Event] | None = None,
        rate: int | None = None,
        anchors: GivenAnchors = None,
        near: Mapping[int, float] | None = None,
        weights: Mapping[str, float] | None = None,
        pauses: float = 1.0,
        noise: float | None = None,
        at_once: bool = False,
        abrupt: bool = False,
    ) -> LatticePaths:
        """Return what finds the paths of a lattice through a recording: the best, and others.

        Parameters
        ----------
        audio, lattice, events, rate, anchors, abrupt
            As in `align_lattice`, which returns the best path.
        near : mapping of int to float, optional
            Node to the time in seconds, right to a second or so, at which it begins if it occurs.
            Long recordings are searched around it; any part of the nodes will do.
        weights : mapping of str to float, optional
            Weights of some base functions, by name, that count instead of those learned.
        pauses : float
            How many times it counts what a pause scores less than the best events.
        noise : float, optional
            What a frame of spoken noise scores less than the best events, if not the usual.
        at_once : bool
            Search all of a long recording, not only around one path, whatever memory that takes.

        Returns
        -------
        LatticePaths

        Raises
        ------
        DataError, ParameterError
            As `align_lattice` does.
        """
        self.check_fitted()
        given = node_events(lattice, events)
        name = _name_of(audio)
        self._check_events(given, name)
        whole = self._recent_signal(audio, rate, name)
        expanded = self._expand_lattice(lattice, given)
        return LatticePaths(
            self,
            given,
            expanded,
            whole,
            held_in_lattice(anchors, expanded, whole),
            None if isinstance(audio, np.ndarray) else name,
            abrupt=abrupt,
            near=near or {},
            weights=weights or {},
            pauses=pauses,
            noise=noise,
            at_once=at_once,
        )


def _name_of(audio: Any) -> str:
    """Return what messages call a recording."""
    return os.fspath(audio) if isinstance(audio, str | os.PathLike) else NAMELESS
