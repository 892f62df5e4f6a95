"""Aligning music with its score: when every note of a recording is played.

A recording is aligned in four steps. A coarse pass (`align.music.coarse`) tells within a second
where each chord is, whatever the tempo of the score. The structured learner's weights and an exact
decoder then place all chords in windows about it (`align.music.decoding`). Each note is placed in
its chord (`align.music.notes`), and gets a calibrated confidence (`align.music.confidence`).

Two sets of base functions have names (`align.music.functions`):

``"default"``
    A small convolutional network that all pitches share scores the beginnings of notes; rises of
    energy at the harmonics with collisions discounted; the level after the onset; the coarse
    pass; lengths against the local tempo. Frames of 10 ms.
``"thesis"``
    The ten of the thesis, section 9.6.1: energies at three harmonics and their derivatives, and
    the change of tempo. Frames of 20 ms.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.6.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align._params import ParamsMixin, not_fitted_error
from align.errors import AlignError, DataError, ParameterError, error_reason
from align.evaluation.report import FileResult, Report
from align.features.note_network import NoteNetwork
from align.learners.costs import OnsetCost, RampCost, make_cost
from align.learners.structured import StructuredLearner
from align.learners.updates import make_update
from align.models.file import write_model
from align.music.finding import find_music
from align.music.functions import ChordFunctions, chosen_names, make_functions
from align.music.performance import Performance
from align.music.repeats import check_repeats
from align.music.state import music_state, restored_music
from align.music.training import fit_music
from align.results.music import MusicAlignment
from align.sequence.checkpoint import Checkpoint, checkpoint_of
from align.types import Example, IntArray, Note

if TYPE_CHECKING:
    from align.formats.scores import Score
    from align.music.confidence import ConfidenceModel

__all__ = ["MusicAligner"]

Progress = Callable[[str, int, int], None]

_NAMELESS = "recording"
_FREE = 0.005  # seconds by which an onset may be off at no cost, under the ramp


class MusicAligner(ParamsMixin):
    """Learn to align recordings of music with their scores.

    Parameters
    ----------
    features : {"default", "thesis"} or sequence of str
        A named set of base functions, or some of those of the default set by name: ``notes``,
        ``rise``, ``level``, ``coarse``, ``duration`` and ``tempo`` (psi_10 of the thesis, which
        the default leaves out); ``notes`` among them.
    cost : {"ramp", "absolute", "tolerance", "graded"} or OnsetCost or callable
        What a wrong alignment costs; see `align.learners.costs`. The ramp rises from 5 ms to
        `tolerance`, and is the mean over the chords. A function of a user's may depend on the
        errors of the onsets only.
    tolerance : float
        In seconds.
    update : {"pa1", "pa", "pa2", "perceptron", "self-tuned"}
        How the structured learner moves its weights.
    loss : {"maximal", "prediction"}
        Whether the learner compares the truth with the most dangerous alignment, or with its
        prediction.
    C : float
        Aggressiveness of PA-I and PA-II.
    epochs : int
        Passes over the training set.
    conversion : {"average", "last", "random", "validation", "best"}
        How the sequence of weights becomes one hypothesis.
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
        one way through the score after another, and keeps what fits best (`align.music.repeats`).
    n_jobs : int, optional
        Processes for training networks, as in joblib. The result does not depend on it.
    random_state : int
        Seed of whatever is random in training.

    Attributes
    ----------
    coef_ : np.ndarray [shape=(J,)]
        Weight of each base function, after division by `scale_` and the number of chords.
    scale_ : np.ndarray [shape=(J,)]
        How much each base function varies when the true onsets of the training set move a little.
    base_functions_ : list of str, length J
        Their names.
    functions_ : ChordFunctions
        The set of base functions, with the fitted network.
    offset_ : float
        Seconds subtracted from every onset.
    confidence_ : ConfidenceModel
        From evidence to the probability that a note is within 50 ms of its time.
    match_range_ : (float, float) or None
        What 95 % of the training recordings do not reach with the score of another piece, and what
        95 % of them reach with their own, as long as the latter is more. Below the middle, a
        recording is taken to be of another piece, and confidence falls until it is 0 at the
        lower end.
    learner_ : StructuredLearner
        The fitted learner with its traces; None in an aligner that was loaded.
    problems_ : list of (str, str)
        Recordings that could not be used, and why.
    training_ : dict
        How much the aligner was trained on.
    licence_ : str
        Licence of the training data, in an aligner that was loaded.

    Examples
    --------
    >>> MusicAligner(features="thesis", cost="absolute").get_params()["cost"]
    'absolute'
    """

    kind: ClassVar[str] = "music"
    licence_: str = ""
    learner_: StructuredLearner | None = None

    coef_: npt.NDArray[np.float64]
    scale_: npt.NDArray[np.float64]
    base_functions_: list[str]
    functions_: ChordFunctions
    offset_: float
    confidence_: "ConfidenceModel"
    match_range_: tuple[float, float] | None
    problems_: list[tuple[str, str]]
    training_: dict[str, Any]

    def __init__(
        self,
        features: str | Sequence[str] = "default",
        *,
        cost: str | OnsetCost | Callable[[IntArray, IntArray], float] = "ramp",
        tolerance: float = 0.05,
        update: str = "pa1",
        loss: str = "maximal",
        C: float = 100.0,
        epochs: int = 20,
        conversion: str = "average",
        n_folds: int = 4,
        network: NoteNetwork | None = None,
        rate: int = 22050,
        calibrate: bool = True,
        repeats: str = "auto",
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.features = features
        self.cost = cost
        self.tolerance = tolerance
        self.update = update
        self.loss = loss
        self.C = C
        self.epochs = epochs
        self.conversion = conversion
        self.n_folds = n_folds
        self.network = network
        self.rate = rate
        self.calibrate = calibrate
        self.repeats = repeats
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Parameters ------------------------------------------------------------------------------

    def _names(self) -> tuple[str, ...]:
        """Names of the base functions of the default set that are used; none for the thesis's."""
        return chosen_names(self.features)

    def _make_functions(self, network: NoteNetwork | None) -> ChordFunctions:
        """Return the set of base functions; `network` is that of the default set."""
        return make_functions(network, self._names())

    def _make_network(self) -> NoteNetwork | None:
        """Return an unfitted network, or None where the set has none."""
        import copy

        if not self._names():
            return None
        if self.network is not None:
            return copy.deepcopy(self.network)
        return NoteNetwork(seed=self.random_state)

    def _make_learner(self) -> StructuredLearner:
        return StructuredLearner(
            update=self.update,
            loss=self.loss,
            C=self.C,
            epochs=self.epochs,
            conversion=self.conversion,
            random_state=self.random_state,
        )

    def _make_cost(self) -> OnsetCost:
        if self.cost == "ramp":
            if not _FREE < self.tolerance < np.inf:
                raise ParameterError(
                    f"tolerance={self.tolerance} s, must be more than {_FREE} s for the ramp."
                )
            return RampCost(self.tolerance, _FREE)
        return make_cost(self.cost, tolerance=self.tolerance)

    def _check_params(self) -> None:
        """Raise ParameterError for what would otherwise fail only after networks are trained."""
        self._names()
        make_update(self.update, C=self.C, U=1.0)
        if self.loss == "maximal" and not self._make_cost().decomposes:
            raise ParameterError(
                f"loss='maximal' needs a cost that is a sum over the onsets, not {self.cost!r}; "
                "use loss='prediction'."
            )
        if self.n_folds < 1:
            raise ParameterError(
                f"n_folds={self.n_folds}, must be at least 1; 1 is for no cross-fitting."
            )
        if self.rate < 8000:
            raise ParameterError(f"rate={self.rate} Hz, must be at least 8000.")
        check_repeats(self.repeats)

    # Training --------------------------------------------------------------------------------

    def fit(
        self,
        examples: Sequence[Example],
        *,
        sample_weight: Sequence[float] | None = None,
        validation: Sequence[Example] | None = None,
        progress: Progress | None = None,
        checkpoint: "str | os.PathLike[str] | Checkpoint | None" = None,
    ) -> Self:
        """Learn from pieces whose note times are known.

        Parameters
        ----------
        examples : sequence of Example
            Events are the notes of the score; `onsets` are NaN where a note was not played. One
            that cannot be used is left out and named in `problems_`.
        sample_weight : sequence of float, optional
            How much each piece counts when the network is trained; by default 1. Raise it for
            instruments that are rare in the training set.
        validation : sequence of Example, optional
            For ``conversion="validation"``.
        progress : callable, optional
            Called with a stage, how much of it is done, and how much there is.
        checkpoint : path, optional
            As for `SequenceAligner.fit`: what is done is kept there while training lasts.

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
        self._check_params()
        if self.conversion == "validation" and validation is None:
            raise ParameterError(
                "conversion='validation' needs pieces to choose with; pass validation=."
            )
        if sample_weight is not None and len(sample_weight) != len(examples):
            raise ParameterError(
                f"sample_weight has {len(sample_weight)} numbers for {len(examples)} examples."
            )
        self.licence_ = ""
        self.problems_ = list(getattr(examples, "problems", []))
        with checkpoint_of(checkpoint) as parts:
            fit_music(self, examples, sample_weight, validation, progress, parts)
        return self

    # Alignment -------------------------------------------------------------------------------

    def align(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        score: "str | os.PathLike[str] | Score | Sequence[Note]",
        *,
        rate: int | None = None,
    ) -> MusicAlignment:
        """Find when each note of a score is played.

        Parameters
        ----------
        audio : path or np.ndarray [shape=(n,)]
            The recording: a file, or samples at `rate`.
        score : path, Score or sequence of Note
            The notes, in any order.
        rate : int, optional
            Sampling rate of `audio` in Hz, needed where `audio` is an array.

        Returns
        -------
        MusicAlignment
            Of the notes in the order of the score. `confidence` is the probability that a note
            was played within 50 ms of its time. Where the recording seems to hold but a part of
            the score, or to be of another, `warnings` say so.

        Raises
        ------
        DataError
            Where the audio or the score cannot be read, or the score cannot fit the recording.
        """
        self._check_fitted()
        return find_music(self, audio, score, rate)

    def _weights(self, performance: Performance) -> npt.NDArray[np.float64]:
        weights: npt.NDArray[np.float64] = self.coef_ / (self.scale_ * len(performance.chords))
        return weights

    def evaluate(self, examples: Sequence[Example], *, progress: Progress | None = None) -> Report:
        """Align pieces whose note times are known, and report the errors.

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
        results: list[FileResult] = []
        failed: list[tuple[str, str]] = list(getattr(examples, "problems", []))
        for n, example in enumerate(examples):
            name = example.name or f"{_NAMELESS} {n + 1}"
            try:
                if example.onsets is None or not np.isfinite(example.onsets).any():
                    raise DataError("it has no true note times to compare with.", path=name)
                begin = time.perf_counter()
                score = example.score or [n for n in example.events if isinstance(n, Note)]
                found = self.align(example.audio, score, rate=example.rate)
                elapsed = time.perf_counter() - begin
                results.append(FileResult.of(example, found, elapsed))
            except AlignError as error:
                failed.append((name, error_reason(error, name)))
            if progress is not None:
                progress("aligning", n + 1, len(examples))
        return Report.from_files(results, kind=self.kind, failed=failed)

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
        header, arrays = music_state(self, licence or self.licence_)
        write_model(path, self.kind, header, arrays)

    @classmethod
    def _from_model(
        cls,
        header: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        path: str,
        features: Sequence[Any] = (),
    ) -> Self:
        """Rebuild an aligner from a checked model file."""
        return restored_music(cls, header, arrays, path, features)

    def _check_fitted(self) -> None:
        if not hasattr(self, "coef_"):
            raise not_fitted_error(self)
