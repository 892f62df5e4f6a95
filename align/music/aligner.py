"""Aligning music with its score: when every note of a recording is played.

A recording is aligned in four steps. A coarse pass (`align.music.performances.coarse`) finds
within a second where each chord is, whatever the tempo of the score. The structured learner's
weights and an exact decoder then place all chords in windows about it
(`align.music.placing.decoding`). Each note is placed in its chord (`align.music.placing.notes`),
and gets a calibrated confidence (`align.music.placing.confidence`).

Two sets of base functions have names, see `align.music.functions.chosen`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.6.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.errors import DataError, ModelError, ParameterError
from align.features import Feature
from align.features.notes.note_network import NoteNetwork
from align.features.sound.signal import Signal
from align.learners.structured.costs import OnsetCost, RampCost, make_cost
from align.music.calibration import Calibration, placed_pieces
from align.music.finding import best_part, read_music
from align.music.following import Follower, follower_of
from align.music.functions.chord_functions import ChordFeature, ChordFunctions
from align.music.functions.chosen import chosen_functions
from align.music.functions.default import DefaultFunctions
from align.music.learned import Learned
from align.music.matching import match_at
from align.music.performances.keys import check_key, shifts_of
from align.music.performances.performance import Performance, read_signal
from align.music.performances.pieces import TimedPiece, describe_piece, read_piece, score_of
from align.music.performances.repeats import check_repeats
from align.music.placing.decoding import find_chords, first_guess
from align.music.placing.placement import PlacedNotes, place_notes
from align.music.result import result_of
from align.music.state import set_state, state_of
from align.progress import Progress
from align.results.music import MusicAlignment
from align.sequence.base import Aligner
from align.sequence.evidence import EvidenceModel
from align.sequence.feature_terms import listed
from align.sequence.learning.checkpoint import Checkpoint, checkpoint_of
from align.sequence.learning.problem import Case, Truth
from align.sequence.times.placement import moved_offset
from align.terms import BaseFunctions
from align.types import Example, IntArray, Note

if TYPE_CHECKING:
    from align.formats.scores import Score

_FREE = 0.005  # seconds by which an onset may be off at no cost, under the ramp


@dataclass(eq=False, repr=False)
class MusicAligner(Aligner):
    """Learn to align recordings of music with their scores.

    Parameters
    ----------
    features : {"default", "thesis"} or sequence
        A named set of base functions, or a list of such a set, or of some base functions of the
        default set by name, and of `Feature` objects of your own. The names are ``notes``,
        ``rise``, ``level``, ``coarse``, ``duration`` and ``tempo`` (psi_10 of the thesis, which
        the default leaves out); ``notes`` must be among them. Your features see notes; see
        `align.music.functions.own`.
    cost : {"ramp", "absolute", "tolerance", "graded"} or OnsetCost or callable
        What a wrong alignment costs; see `align.learners.structured`. The ramp rises from 5 ms to
        `tolerance`, and is the mean over the chords. A function of a user's may depend on the
        errors of the onsets only.
    tolerance : float
        In seconds.
    update, loss, C, epochs
        As for `SpeechAligner`.
    conversion : str
        As for `SpeechAligner`; by default "best", the hypothesis after an epoch that costs least
        on the training set. With few pieces the mean of all hypotheses can be far worse.
    n_jobs, random_state
        As for `SequenceAligner`.
    n_folds : int
        Folds over the groups of the training set: the weights are learned on scores of networks
        that did not see the piece.
    network : NoteNetwork, optional
        Settings of the network; it is copied, not changed.
    rate : int
        Recordings of a higher sampling rate in Hz are resampled to this one.
    calibrate : bool
        Subtract the median signed error on the training set from every onset.
    repeats : str
        For scores read from a file in notation: which repeats are played. "all", "none", or a
        letter y or n for each in the order of playing; "auto" aligns the recording coarsely with
        one way through the score after another, and keeps what fits best
        (`align.music.performances.repeats`).
    transpose : int, optional
        Semitones by which recordings sound higher than their scores; by default a shift of up to
        a fifth, or of an octave, is found where the score does not match as it is written.
    tuning : float, optional
        A4 of the recordings in Hz; by default found between 400 and 466.
    offsets : bool
        Also find where each note ends, as far as the sound shows it; see
        `align.music.placing.ends`. It takes a model that was trained on pieces whose truth says
        it.

    Attributes
    ----------
    coef_ : np.ndarray [shape=(J,)]
        Weight of each base function, after division by `scale_` and the number of chords.
    scale_, base_functions_, learner_, problems_, training_, licence_
        As those of `SequenceAligner`.
    functions_ : ChordFunctions
        The set of base functions, with the fitted network.
    offset_ : float
        Seconds subtracted from every onset.
    confidence_ : EvidenceModel
        From evidence to the probability that a note is within 50 ms of its time.
    unplayed_ : EvidenceModel or None
        From evidence to the probability that a note was not played. None without a network, and
        in models of a version that did not learn it.
    ends_ : EvidenceModel or None
        From evidence to the probability that a note ends at a candidate. None where no truth said
        when notes end.
    match_range_ : (float, float) or None
        What 95 % of the training recordings do not reach with the score of another piece, and what
        95 % of them reach with their own, as long as the latter is more. Below the middle, a
        recording is taken to be of another piece, and confidence falls until it is 0 at the
        lower end.

    Examples
    --------
    >>> MusicAligner(features="thesis", cost="absolute").get_params()["cost"]
    'absolute'
    """

    kind: ClassVar[str] = "music"
    keeps_the_better: ClassVar[bool] = True
    adapt_steps: ClassVar[int] = 300
    adapt_rate: ClassVar[float] = 3e-3  # as in training: what does not help is given up
    normalise = True  # phi is a mean over the chords

    offset_: float = field(init=False)
    confidence_: EvidenceModel = field(init=False)
    unplayed_: EvidenceModel | None = field(init=False)
    ends_: EvidenceModel | None = field(init=False)
    match_range_: tuple[float, float] | None = field(init=False)

    features: str | Sequence[str | Feature] = "default"
    _: KW_ONLY
    cost: str | OnsetCost | Callable[[IntArray, IntArray], float] = "ramp"
    tolerance: float = 0.05
    update: str = "pa1"
    loss: str = "maximal"
    C: float = 100.0
    epochs: int = 20
    conversion: str = "best"
    n_folds: int = 4
    network: NoteNetwork | None = None
    rate: int = 22050
    calibrate: bool = True
    repeats: str = "auto"
    transpose: int | None = None
    tuning: float | None = None
    offsets: bool = False
    n_jobs: int | None = None
    random_state: int = 0

    @classmethod
    def as_in_thesis(cls, **params: Any) -> Self:
        """Return an unfitted aligner with the features, the learner and the cost of the thesis.

        That is twenty passes of the self-tuned update with the prediction-based loss and the mean
        absolute error as the cost; the hypothesis that costs least on the training set after a
        pass, and no offset (section 9.6).

        Parameters
        ----------
        **params
            Other parameters, or other values of these.

        Returns
        -------
        MusicAligner

        Examples
        --------
        >>> MusicAligner.as_in_thesis(epochs=5).get_params()["conversion"]
        'best'
        """
        own = {"update": "self-tuned", "loss": "prediction", "cost": "absolute"}
        plain = {"conversion": "best", "calibrate": False}
        return cls(**{"features": "thesis", **own, **plain, **params})

    # Features, learner and cost --------------------------------------------------------------

    def _make_features(self) -> list[ChordFeature]:
        network = self.network or NoteNetwork(random_state=self.random_state)
        return chosen_functions(self.features, network)

    def _make_cost(self) -> OnsetCost:
        if self.cost == "ramp":
            if not _FREE < self.tolerance < np.inf:
                raise ParameterError(
                    f"tolerance={self.tolerance} s, must be more than {_FREE} s for the ramp."
                )
            return RampCost(self.tolerance, _FREE)
        return make_cost(self.cost, tolerance=self.tolerance)

    def _shares_cost(self, cost: OnsetCost) -> bool:
        return isinstance(cost, RampCost)

    def _check_own(self) -> None:
        if self.rate < 8000:
            raise ParameterError(f"rate={self.rate} Hz, must be at least 8000.")
        check_repeats(self.repeats)
        check_key(self.transpose, self.tuning)

    @property
    def functions_(self) -> ChordFunctions:
        """The fitted base functions together."""
        return self._functions(self.features_)

    def _functions(self, features: Sequence[ChordFeature]) -> ChordFunctions:
        return ChordFunctions(features, self.base_functions_)

    # Training --------------------------------------------------------------------------------

    def fit(
        self,
        examples: Sequence[Example],
        y: None = None,
        *,
        sample_weight: Sequence[float] | None = None,
        validation: Sequence[Example] | None = None,
        progress: Progress | None = None,
        checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
    ) -> Self:
        """Learn from pieces whose note times are known.

        Parameters
        ----------
        examples : sequence of Example
            Events are the notes of the score; `onsets` are NaN where a note was not played. Where
            their `truth` says when notes ended, that is learned as well. One that cannot be used
            is left out and named in `problems_`.
        sample_weight : sequence of float, optional
            How much each piece counts when the network is trained; by default 1. Raise it for
            instruments that are rare in the training set.
        y, validation, progress, checkpoint
            As for `SequenceAligner.fit`.

        Returns
        -------
        self

        Raises
        ------
        DataError
            Where no example can be used.
        ParameterError
            Where a parameter is wrong; checked before any recording is read.
        """
        if sample_weight is not None and len(sample_weight) != len(examples):
            raise ParameterError(
                f"sample_weight has {len(sample_weight)} numbers for {len(examples)} examples."
            )
        with one_thread(), checkpoint_of(checkpoint) as parts:
            self._fit(examples, validation, progress, parts, sample_weight)
        return self

    def _read_example(self, example: Example, name: str, weight: float = 1.0) -> TimedPiece:
        return read_piece(example, name, weight, self.rate)

    def _describe(self, item: TimedPiece) -> list[Any]:
        return describe_piece(item)

    def _prepare(self, items: Sequence[TimedPiece], *, anew: bool) -> None:
        features = self._make_features() if anew else self.features_
        self.hop_ = ChordFunctions(features).signal(items[0].performance).hop

    def _problem(
        self, item: TimedPiece, features: Sequence[ChordFeature]
    ) -> tuple[BaseFunctions, Truth]:
        functions, performance = self._functions(features), item.performance
        try:
            x = first_guess(performance, functions)
        except ParameterError as error:
            if getattr(error, "__notes__", ()):  # `noted`: a feature of the user's own is wrong
                raise
            raise DataError(str(error), path=item.name) from error
        except DataError as error:
            raise DataError(error.message, path=item.name) from error
        assert x.windows is not None
        hop = functions.signal(performance).hop
        times = performance.chord_means(item.onsets)
        y = Truth.within(times, performance.chords.onsets, x.windows, hop)
        if y is None:
            raise DataError(
                "its notes are nowhere near where the score was found in the recording; is its "
                "truth that of another?",
                path=item.name,
            )
        return x, y

    def _count(self, items: Sequence[TimedPiece]) -> dict[str, int]:
        return {"notes": int(sum(np.isfinite(item.onsets).sum() for item in items))}

    def _calibrate(self, cases: Sequence[Case], progress: Progress | None = None) -> None:
        found = Calibration(
            [case.item for case in cases],
            [self._functions(case.features) for case in cases],
            self._weights,
            calibrate=self.calibrate,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            progress=progress,
        )
        self.offset_ = found.offset
        self.confidence_ = found.confidence
        self.unplayed_ = found.unplayed
        self.ends_ = found.ends
        self.match_range_ = found.match_range

    def _recalibrate(self, cases: Sequence[Case]) -> None:
        if self.calibrate:
            own = [self._functions(case.features) for case in cases]
            _, errors = placed_pieces([case.item for case in cases], own, self._weights)
            self.offset_ = moved_offset(self.offset_, [error - self.offset_ for error in errors])

    # Alignment -------------------------------------------------------------------------------

    def align(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        score: "str | os.PathLike[str] | Score | Sequence[Note]",
        *,
        rate: int | None = None,
        progress: Progress | None = None,
    ) -> MusicAlignment:
        """Return when each note of a score is played.

        Parameters
        ----------
        audio : path or np.ndarray [shape=(n,)]
            The recording: a file, or samples at `rate`.
        score : path, Score or sequence of Note
            The notes, in any order.
        rate : int, optional
            Sampling rate of `audio` in Hz, needed where `audio` is an array.
        progress : callable, optional
            Called with a stage, how much of it is done, and how much there is.

        Returns
        -------
        MusicAlignment
            Of the notes in the order of the score. `confidence` is the probability that a note
            was played within 50 ms of its time. Where the recording seems to hold but parts of
            the score, to sound in another key, or to be of another score, `warnings` say so.

        Raises
        ------
        DataError
            Where the audio or the score cannot be read, or the score cannot fit the recording.
        """
        self.check_fitted()
        return self._find(audio, score, rate, progress)

    def follow(
        self,
        score: "str | os.PathLike[str] | Score | Sequence[Note]",
        rate: int,
        *,
        lag: float = 0.3,
    ) -> Follower:
        """Return a follower of the score, for a performance that is being played.

        Parameters
        ----------
        score : path, Score or sequence of Note
            The notes, in any order. Of the repeats of a score in notation all are played, unless
            the parameter `repeats` says which.
        rate : int
            Sampling rate of the sound that is to come, in Hz.
        lag : float
            Seconds of sound after which a note is reported at the latest; 0.21 at the
            least.

        Returns
        -------
        Follower
            Feed it with blocks of sound. Keys are not looked for: where the sound is not in that
            of the score, the parameter `transpose` says by how much.

        Raises
        ------
        DataError
            Where the score cannot be read.
        ParameterError
            Where the lag is too short, or the model lacks the base functions that this needs.

        Examples
        --------
        See `align.music.following.Follower`.
        """
        self.check_fitted()
        return follower_of(self, score, rate, lag)

    @one_thread()
    def match(
        self, audio: Any, alignment: MusicAlignment, progress: Progress | None = None
    ) -> float | None:
        """Return how well the notes of an alignment, of any model, are found; see `match_at`."""
        self.check_fitted()
        signal = audio if isinstance(audio, Signal) else read_signal(audio, highest_rate=self.rate)
        named = [f for f in self.features_ if isinstance(f, DefaultFunctions)]
        return match_at(named[0].network, signal, alignment, progress) if named else None

    @one_thread()
    def _find(
        self, audio: Any, events: Any, rate: int | None, progress: Progress | None = None
    ) -> MusicAlignment:
        check_key(self.transpose, self.tuning)
        if self.offsets and self.ends_ is None:
            raise ModelError(
                "the model has not learned where notes end; train one on pieces whose truth.csv "
                "has a column performed_offset_s, or leave the offsets out."
            )
        whole = read_music(
            audio,
            events,
            rate,
            highest_rate=self.rate,
            repeats=self.repeats,
            transpose=self.transpose,
            tuning=self.tuning,
            progress=progress,
        )
        shifts = shifts_of(self.transpose, self.tuning)
        ends = self.ends_ if self.offsets else None
        learned = Learned(self.offset_, self.confidence_, self.match_range_, self.unplayed_, ends)
        file = os.fspath(audio) if isinstance(audio, str | os.PathLike) else None
        return result_of(best_part(whole, self._place, learned, shifts), learned, file)

    def _place(self, performance: Performance) -> tuple[PlacedNotes, float]:
        """Return the notes of a recording and its score, and the value of their timing."""
        functions = self.functions_
        try:
            found = find_chords(performance, functions, self._weights)
        except ParameterError as error:
            raise DataError(str(error), path=performance.signal.name) from error
        return place_notes(performance, functions, found), found.value

    # Evaluation and model files --------------------------------------------------------------

    def _events_of(self, example: Example) -> Any:
        return score_of(example)

    def _saved_params(self) -> dict[str, Any]:
        saved = super()._saved_params()
        saved.pop("network", None)  # its settings are its own state
        if not isinstance(self.features, str):
            saved["features"] = [name for name in self.features if isinstance(name, str)]
        return saved

    def _get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        return state_of(self)

    def _set_state(
        self,
        header: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        features: list[Any],
    ) -> None:
        self._check_own()
        self._make_cost()
        set_state(self, header, arrays, features)

    @classmethod
    def _with_features(cls, params: Mapping[str, Any], features: Sequence[Any]) -> Self:
        named = dict(params)
        if features:
            named["features"] = [*listed(named.get("features", "default")), *features]
        return cls(**named)
