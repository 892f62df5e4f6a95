"""Aligning speech with its phones."""

import copy
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align.decoders import Lattice
from align.errors import ModelError, ParameterError
from align.features import Feature, Signal, TimedSignal
from align.features.sound.steady import steady_noise
from align.features.sound.surroundings import KINDS
from align.files.model_file import arrays_of, nested
from align.formats.phone_map import PHONE_MAPS
from align.formats.tiers.labels import check_no_sentence
from align.progress import Progress
from align.results.alignment import Alignment
from align.sequence.aligner import SequenceAligner
from align.sequence.base import NAMELESS, Aligner
from align.sequence.evidence import EvidenceModel
from align.sequence.extended import Extended
from align.sequence.feature_terms import distinct
from align.sequence.fit import Fit
from align.sequence.lattice.lattices import ExpandedLattice
from align.sequence.learning.checkpoint import Checkpoint, checkpoint_of
from align.sequence.learning.parts import parts_of
from align.sequence.learning.problem import Case
from align.sequence.state import aligner_state, kept, restored
from align.sequence.times.placement import WINDOW
from align.sequence.times.sureness import Sureness
from align.speech.expansion import expanded_lattice, expanded_sequence
from align.speech.feature_sets import (
    check_saved,
    default_hop,
    named_features,
    named_or_own,
    takes_ipa,
)
from align.speech.label_classes import read_map
from align.speech.labels import PhoneLabels, TakenLabels
from align.speech.match import DEFAULTS, MatchModel, evidence_of, in_room
from align.speech.match.evidence import LEAST
from align.speech.mismatches import Candidate, learned_match
from align.speech.outer_pauses import with_outer_pauses
from align.speech.second_scorer import SecondScorer
from align.speech.sound_classifier import SoundClassifier, sound_of
from align.speech.surroundings import (
    Surroundings,
    moved_elsewhere,
    network_of,
    remove_echo_of,
)
from align.speech.text.model import PhoneAligner
from align.speech.text.pronouncing.realisation import checked_costs
from align.types import SPOKEN_NOISE, Event, Example, Float64, IntArray

if TYPE_CHECKING:
    from align.speech.text.tiers import TextAlignment

_DEFAULT_MAP = "timit48"


@dataclass(eq=False, repr=False)
class SpeechAligner(PhoneAligner):
    """Learn to align speech with its phones.

    Parameters
    ----------
    features : {"default", "universal", "thesis"} or sequence
        A named set, or a list of named sets and `Feature` objects.
    update : {"perceptron", "pa", "pa1", "pa2", "self-tuned"}
        How the structured learner moves its weights.
    loss : {"prediction", "maximal"}
        Whether the learner compares the truth with its prediction, or with the most dangerous
        alignment (loss-augmented decoding).
    C : float
        Aggressiveness of PA-I and PA-II.
    epochs : int
        Passes over the training set.
    conversion : {"last", "random", "average", "validation", "best"}
        How the sequence of weights becomes one hypothesis.
    cost : {"ramp", "tolerance", "graded", "absolute"} or callable
        See `SequenceAligner`.
    tolerance : float
        In seconds, for the tolerance and the graded cost.
    phone_map : str, path, mapping or None
        Map from labels to the phones that the classifiers distinguish: ``"timit48"``, a file or
        the map itself. Labels that are not in it stand for themselves. The universal features take
        a map to the International Phonetic Alphabet, such as ``"timit_ipa"``; with the default,
        labels are IPA already.
    hop : float, optional
        Length of a frame in seconds; by default 0.005, and 0.01 for the thesis's features.
    correct : bool, optional
        See `SequenceAligner`; by default for all features but the thesis's.
    language : str, optional
        Code of the language of the recordings' texts, such as ``de``: how its words are said is
        learned from them, as far as CMUdict or espeak-ng can pronounce them. By default English;
        for labels in the IPA, which may be of many languages, nothing is learned then.
    surroundings : int
        Copies of each recording in noise and in rooms that two more aligners are learned from,
        with the universal features one for rooms alone; recordings that sound so are aligned by
        them. 0 for none. Training takes three times as long.
    rate, normalise, n_folds, max_length_factor, refine, calibrate, n_jobs, random_state
        See `SequenceAligner`.

    Examples
    --------
    >>> SpeechAligner(features="thesis", conversion="last").get_params()["conversion"]
    'last'
    """

    kind: ClassVar[str] = "speech"
    match_: MatchModel | None = field(default=None, init=False)
    # Of phones that a dictionary says; `match_` for None.
    text_match_: MatchModel | None = field(default=None, init=False)
    # Of starts of words, whose phones were chosen.
    text_sureness_: Sureness | None = field(default=None, init=False)
    realisations_: Mapping[str, float] | None = field(default=None, init=False)
    unspoken_: EvidenceModel | None = field(default=None, init=False)
    # Recordings whose text was used, and was left out.
    _texts: tuple[int, int] | None = field(default=None, init=False)
    _known: PhoneLabels | None = field(default=None, init=False)
    sound_classifier_: SoundClassifier | None = field(default=None, init=False)
    _trained_for: Surroundings | None = field(default=None, init=False)
    # While it is trained.
    _fold_features: list[list[Feature]] | None = field(default=None, init=False)

    features: str | Sequence[str | Feature] = "default"  # type: ignore[assignment]  # names
    _: KW_ONLY
    update: str = "pa1"
    loss: str = "maximal"
    C: float = 0.05
    epochs: int = 4
    conversion: str = "average"
    cost: str | Callable[[IntArray, IntArray], float] = "ramp"
    tolerance: float = 0.01
    phone_map: str | os.PathLike[str] | Mapping[str, str] | None = "timit48"
    hop: float | None = None  # type: ignore[assignment]  # None means that of the feature set
    rate: int = 16000
    normalise: bool = False
    n_folds: int = 4
    max_length_factor: float = 1.2
    refine: str = "posterior"
    calibrate: bool = True
    correct: bool | None = None  # type: ignore[assignment]  # None means by the feature set
    language: str | None = None
    surroundings: int = 0
    n_jobs: int | None = None
    random_state: int = 0

    @classmethod
    def as_in_thesis(cls, **params: Any) -> Self:
        """Return an unfitted aligner with the features, the learner and the cost of the thesis.

        That is one pass of the self-tuned update with the prediction-based loss and the graded
        cost of one frame; the last hypothesis, and its best path on whole frames (section 9.5).

        Parameters
        ----------
        **params
            Other parameters, or other values of these.

        Returns
        -------
        SpeechAligner

        Examples
        --------
        >>> SpeechAligner.as_in_thesis(conversion="best").get_params()["update"]
        'self-tuned'
        """
        own = {"update": "self-tuned", "loss": "prediction", "cost": "graded", "epochs": 1}
        plain = {"conversion": "last", "refine": "none", "calibrate": False}
        return cls(**{"features": "thesis", **own, **plain, **params})

    # Other surroundings ----------------------------------------------------------------------

    def _fit(
        self,
        examples: Sequence[Example],
        validation: Sequence[Example] | None,
        progress: Progress | None,
        parts: Checkpoint | None,
        sample_weight: Sequence[float] | None = None,
    ) -> None:
        # or those of an earlier fit would be asked
        self.elsewhere_, self.sound_classifier_ = {}, None
        super()._fit(examples, validation, progress, parts, sample_weight)
        sounds: dict[str, list[Any]] = {}
        with ExitStack() as kept:  # checkpoints go when all are trained
            for kind in self._kinds() if self.surroundings else ():
                other = type(self)(**{**self.get_params(deep=False), "surroundings": 0})
                alone = len(self._kinds()) == 1
                other._trained_for = Surroundings(
                    kind, self.surroundings, self.random_state, self._fold_features, alone
                )
                folder = None if parts is None else f"{parts.folder}.{kind}"
                own = kept.enter_context(checkpoint_of(folder))
                other._fit(examples, validation, progress, own)
                if self.takes_ipa and self.text_match_ is not None:
                    other.text_match_ = in_room(self.text_match_)
                sounds.update(other._trained_for.sounds)
                other._trained_for = None
                self._ask_elsewhere(kind, other)
        self._fold_features = None
        if self.elsewhere_:
            self.sound_classifier_ = SoundClassifier.fitted(
                [sounds[kind] for kind in ("", *self.elsewhere_)]
            )
            self.training_["surroundings"] = [*self.elsewhere_]

    def _ask_elsewhere(self, kind: str, other: "SpeechAligner") -> None:
        """Let another aligner align what sounds like other surroundings.

        One for rooms learns from them as they sound, and aligns them without their echo: what is
        left of it is milder than what it knows. Learned without echo, it is worse.
        """
        self.elsewhere_ = {**self.elsewhere_, kind: other}
        remove_echo_of(kind, other.features_)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the features of the folds behind: other processes are given those they need."""
        return {**self.__dict__, "_fold_features": None}

    def _first_features(self) -> Sequence[Sequence[Any]] | None:
        return None if self._trained_for is None else self._trained_for.first

    def _weighed(
        self, items: list[Any], own: list[list[Any]]
    ) -> tuple[list[Any], list[list[Any]]]:
        if self._trained_for is None:
            self._fold_features = own if self.surroundings else None
            return items, own
        return self._trained_for.copies_of(items, own)

    def _check_labels(self, *problem: Any) -> None:
        if self._trained_for is None:  # others learn from copies of the same recordings
            super()._check_labels(*problem)

    def _check_own(self) -> None:
        super()._check_own()
        if self.language is not None:  # said before anything is trained
            from align.speech.text.pronouncing.lookup import look_up, make_dictionary

            look_up("a", make_dictionary(None, self.language), language=self.language)
        if self.surroundings < 0:
            raise ParameterError(f"surroundings={self.surroundings}, must not be negative.")
        if self.surroundings:
            Surroundings("noise", self.surroundings, 0).prepare(self._make_features())

    def _kinds(self) -> tuple[str, ...]:
        """Return the surroundings that others are learned for, where they are asked for."""
        return ("room",) if self.takes_ipa else KINDS

    def _suited(self, signal: Signal) -> SequenceAligner:
        """Return the aligner of the surroundings that a recording sounds like, or this one."""
        if self.sound_classifier_ is None:
            return self
        network = network_of(self.features_)
        # asked for again with every text that is tried on a recording
        key = ("sound", tuple(network.windows), network.n_mels)
        energies = signal.of_sound(network.energies(signal))
        sound = signal.cached(key, lambda: sound_of(energies))
        kind = self.sound_classifier_.kind(sound, min(len(energies) * signal.hop, signal.duration))
        suited: SequenceAligner = (self, *self.elsewhere_.values())[kind]
        return suited

    def _moved_elsewhere(self, kind: str, examples: Sequence[Example]) -> Sequence[Example]:
        def read(example: Example) -> Signal:
            return self._signal(example.audio, example.rate, example.name)

        other = self.elsewhere_[kind]
        return moved_elsewhere(
            examples, kind, self.random_state, read, lambda signal: self._suited(signal) is other
        )

    def _with_elsewhere(
        self, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Add the aligners of other surroundings to a state."""
        if self.sound_classifier_ is None:
            return header, arrays
        header["elsewhere"] = {}
        for kind, other in self.elsewhere_.items():
            header["elsewhere"][kind], own = aligner_state(other, "")
            arrays |= nested(f"{kind}.", own)
        return header, arrays | nested("hearing.", self.sound_classifier_.get_state())

    def _restore_elsewhere(
        self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> None:
        """Take back what `_with_elsewhere` added; models of before have none."""
        self.elsewhere_, self.sound_classifier_ = {}, None
        users = [f for f in self.features if not isinstance(f, str)]
        for kind, own in header.get("elsewhere", {}).items():
            if kind not in KINDS:
                raise ModelError(f"surroundings are {kind!r}, must be of {', '.join(KINDS)}.")
            state = arrays_of(f"{kind}.", arrays)
            self._ask_elsewhere(kind, restored(type(self), own, state, kind, users))
        if self.elsewhere_:
            state = arrays_of("hearing.", arrays)
            self.sound_classifier_ = SoundClassifier.from_state(state, 1 + len(self.elsewhere_))

    # Features and learner --------------------------------------------------------------------

    def _make_features(self) -> list[Feature]:
        made: list[Feature] = []
        for item in named_or_own(self.features):
            if isinstance(item, str):
                own = self._symbols(), self._phone_labels().classes, self.random_state
                made += named_features(item, *own)
            else:
                made.append(copy.deepcopy(item))
        if self._trained_for is not None:
            self._trained_for.prepare(made)
        return distinct(made)

    _make_learner = Aligner._make_learner  # by its own parameters, not a learner that is given

    def _frame_length(self) -> float:
        return default_hop(self.features) if self.hop is None else self.hop

    def _corrects(self) -> bool:
        return self.features != "thesis" if self.correct is None else self.correct

    def _window(self) -> float:
        # Half as wide for the thesis's features: no correction follows to bring onsets nearer.
        named: list[Any] = [self.features] if isinstance(self.features, str) else [*self.features]
        return 0.5 * WINDOW if named == ["thesis"] and not self._corrects() else WINDOW

    @property
    def takes_ipa(self) -> bool:
        """Whether labels are IPA, and need not have been met in training."""
        return takes_ipa(self.features)

    # Match -----------------------------------------------------------------------------------

    def _match(
        self,
        extended: Extended,
        events: tuple[Event, ...],
        terms: Mapping[str, Any],
        onsets: IntArray,
        *,
        chosen: bool = False,
    ) -> Fit | None:
        model = self.match_ if self.text_match_ is None or not chosen else self.text_match_
        if model is None:
            return None
        evidence = evidence_of(terms, onsets, extended, self._free(events))
        if evidence is None:
            return None
        candidate = Candidate(self, extended, events, self.features_)
        noises, astray = candidate.other_sounds(evidence, onsets)
        if model.asks_orders:
            at = candidate.frames_of(evidence, onsets)[noises]
            gap = candidate.order_gap(both_scorers=model.orders_by_both_scorers, noises=at)
            evidence = replace(evidence, order_gap=gap)
        if model.uses_second_scorer:
            evidence = candidate.by_second_scorer(evidence, onsets)
        evidence.parts[noises, 0] = 0.0  # such a pause counts as silent
        evidence.parts[astray, 0] = LEAST
        noise = np.array([str(event) == SPOKEN_NOISE for event in events])
        if noise.any() and not evidence.sounds.any():
            return None
        evidence.parts[noise, 0] = 0.0  # it may be any sound: nothing to compare with
        match = model.of_recording(evidence)
        warnings = model.warning(match, evidence.n_sounds())
        if match < 0.5:
            warnings = steady_noise(extended.own) or warnings
        return Fit(match, model.of_events(evidence), warnings)

    def _calibrate(self, cases: Sequence[Case], progress: Progress | None = None) -> None:
        super()._calibrate(cases, progress)
        items, features = [case.item for case in cases], [case.features for case in cases]
        if self._trained_for is not None and self._trained_for.kind == "room":
            for own in features:
                remove_echo_of("room", own)
            cases = [Case(item, own, *self._problem(item, own)) for item, own, *_ in cases]
        self.match_ = learned_match(self, cases, progress)
        self.realisations_ = self._texts = self.unspoken_ = self.text_sureness_ = None
        self.text_match_ = None
        if self.takes_ipa and self.match_ is not None:  # until there are texts to learn from
            others = ", not in rooms" if self.surroundings else ""
            self.text_match_ = DEFAULTS[f"universal, text{others}"]
        if self._trained_for is None and any(item.text for item in items):
            from align.speech.text.learning.said_numbers import with_numbers_as_said
            from align.speech.text.learning.training import costs_from_text

            items = with_numbers_as_said(self, items, features, progress)
            learned = costs_from_text(self, items, features, progress)
            if learned is not None:
                self.realisations_ = learned.costs or None
                self._texts = learned.used, learned.left_out
                self.text_sureness_ = learned.sureness
            if self.takes_ipa and self.language:
                from align.speech.text.learning.wrong_texts import learned_text_match

                self.text_match_ = learned_text_match(self, items, features) or self.text_match_
            elif not self.takes_ipa and (self.language or "en").startswith("en"):
                from align.speech.text.learning.spoiling import unspoken_from_text

                self.unspoken_ = unspoken_from_text(self, items, features)
            from align.speech.text.learning.lacking import warn_of_texts

            warn_of_texts(self, items)

    def _count(self, items: Sequence[TimedSignal]) -> dict[str, int]:
        used, left_out = self._texts or (0, 0)
        own = {"texts": used, "texts_left_out": left_out} if used or left_out else {}
        return {**super()._count(items), **own}

    def _get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        header, arrays = super()._get_state()
        header["match"] = None if self.match_ is None else self.match_.get_state()
        if self.text_match_ is not None:
            header["text_match"] = self.text_match_.get_state()
        if self.text_sureness_ is not None:
            header["text_sureness"] = list(self.text_sureness_)
        if self.realisations_:
            header["realisations"] = dict(self.realisations_)
        if self.unspoken_ is not None:
            arrays["unspoken"] = self.unspoken_.weights
        return self._with_elsewhere(header, arrays)

    def _set_state(
        self,
        header: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        features: list[Any],
    ) -> None:
        super()._set_state(header, arrays, features)
        if "match" not in header:  # models of before
            self.match_ = DEFAULTS["universal" if self.takes_ipa else "default"]
            self.text_match_ = DEFAULTS["universal, text"] if self.takes_ipa else None
        else:
            self.match_ = kept(header, "match", MatchModel.from_state)
            self.text_match_ = kept(header, "text_match", MatchModel.from_state)
        self.text_sureness_ = kept(
            header, "text_sureness", lambda numbers: Sureness(*map(float, numbers))
        )
        if not np.isfinite(self.text_sureness_ or 0.0).all():
            raise ModelError("its text_sureness is not finite.")
        self.realisations_ = kept(header, "realisations", checked_costs)
        self.unspoken_ = None  # models of before have none
        if "unspoken" in arrays:
            from align.speech.text.checking.unspoken import N_BEFORE, N_EVIDENCE, N_SOUNDS

            own = arrays["unspoken"]
            size = own.size - 1 if own.size - 1 in (N_BEFORE, N_SOUNDS) else N_EVIDENCE
            self.unspoken_ = EvidenceModel.from_array(own, "unspoken", size)
        self._restore_elsewhere(header, arrays)

    # Labels ----------------------------------------------------------------------------------

    def _symbols(self) -> Mapping[str, str]:
        """Label to the phone the classifiers know it by; labels not in it stand for themselves."""
        given = self.phone_map
        if given is None or (given == _DEFAULT_MAP and self.takes_ipa):
            return {}
        return given if isinstance(given, Mapping) else read_map(os.fspath(given))

    def _boundary_classes(self) -> Mapping[str, str]:
        return self._phone_labels().classes

    def _phone_labels(self) -> PhoneLabels:
        trained = getattr(self, "labels_", ())
        own = PhoneLabels(self._symbols(), trained, self.takes_ipa, self.knows_spoken_noise)
        last = self._known
        if last == own:  # and has made its tables
            return last
        self._known = own
        return own

    def _symbol(self, label: str) -> str:
        return self._phone_labels().symbol(label)

    def second_scorer(self, audio: Any, *, rate: int | None = None) -> SecondScorer:
        """Return a second scorer of a recording; see `align.speech.second_scorer`.

        Parameters
        ----------
        audio : path or np.ndarray [shape=(n,)]
            The recording; quick where it was aligned just before.
        rate : int, optional
            Sampling rate of samples in Hz.
        """
        name = NAMELESS if isinstance(audio, np.ndarray) else os.fspath(audio)
        signal = self._recent_signal(audio, rate, name)
        return SecondScorer(signal, self._phone_labels().sounds, english=not self.takes_ipa)

    def _unbounded(self, event: Event) -> bool:
        return self._phone_labels().is_unbounded(str(event))

    @property
    def knows_spoken_noise(self) -> bool:
        """Whether an event ``spn`` is taken for any stretch of sound: with a network of phones."""
        return any(feature.scores_noise for feature in getattr(self, "features_", ()))

    def known_labels(self) -> set[str]:
        """Labels that can be aligned: those trained on, and those that map to their phones."""
        return self._phone_labels().known()

    def taken_labels(self) -> Collection[str]:
        """Labels that `align` takes: also those that it spells otherwise, such as AE1 for ae."""
        return TakenLabels(self._phone_labels())

    def _read_example(self, example: Example, name: str, weight: float = 1.0) -> TimedSignal:
        if self.takes_ipa:  # whatever can be read as IPA can be learned from, and nothing else
            self._check_events(tuple(example.events), name)
        check_no_sentence([str(event) for event in example.events], name)
        return super()._read_example(example, name, weight)

    def _parts(self, item: TimedSignal) -> list[TimedSignal]:
        return parts_of(item, self._unbounded)

    def _check_events(self, events: tuple[Event, ...], name: str) -> None:
        self._phone_labels().check(events, name)

    def _with_new_labels(self, found: Alignment) -> Alignment:
        return found  # labels that say nothing are refused before

    def _expand(self, events: tuple[Event, ...]) -> tuple[tuple[Event, ...], IntArray]:
        return expanded_sequence(self._phone_labels().spelled(events))

    def _expand_lattice(self, lattice: Lattice, events: tuple[Event, ...]) -> ExpandedLattice:
        return expanded_lattice(lattice, self._phone_labels().spelled(events))

    def _sure_of_chosen(self, confidence: Float64) -> Float64:
        return confidence if self.text_sureness_ is None else self.text_sureness_.of(confidence)

    def _with_outer_pauses(self, signal: Signal) -> Extended:
        return with_outer_pauses(self.features_, signal, self._phone_labels().classes)

    def align_text(
        self, audio: str | os.PathLike[str] | npt.NDArray[Any], text: Any, **options: Any
    ) -> "TextAlignment":
        """Return when each word of a text, and each of its phones, was said.

        Parameters
        ----------
        audio : path or np.ndarray [shape=(n,)]
            The recording.
        text : str, sequence of str or of Utterance
            What is said in it, as a whole or sentence by sentence.
        **options
            See `align.speech.text.align_text`.

        Returns
        -------
        TextAlignment
        """
        from align.speech.text import align_text

        return align_text(self, audio, text, **options)

    def _saved_params(self) -> dict[str, Any]:
        named = [self.features] if isinstance(self.features, str) else self.features
        names = [name for name in named if isinstance(name, str)]
        # A model must not depend on a file that may not be there where it is used.
        bundled = isinstance(self.phone_map, str) and self.phone_map in PHONE_MAPS
        phones = self.phone_map if bundled else dict(self._symbols()) or None
        return {**super()._saved_params(), "features": names, "phone_map": phones}

    @classmethod
    def _with_features(cls, params: Mapping[str, Any], features: Sequence[Feature]) -> Self:
        check_saved(params)
        named = dict(params)
        return cls([*named.pop("features"), *features], **named)
