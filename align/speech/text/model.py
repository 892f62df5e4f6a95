"""What aligning a text asks of a model."""

import os
from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from align.errors import ParameterError
from align.sequence.aligner import SequenceAligner
from align.sequence.evidence import EvidenceModel
from align.speech.second_scorer import SecondScorer
from align.speech.text.pronouncing.arpabet import IpaLabels
from align.types import SPOKEN_NOISE


class PhoneAligner(SequenceAligner):
    """What is asked of an aligner of phones beyond one of any events; `SpeechAligner` is one."""

    kind: ClassVar[str]
    language: str | None
    realisations_: Mapping[str, float] | None
    unspoken_: EvidenceModel | None

    @property
    @abstractmethod
    def takes_ipa(self) -> bool:
        """Whether labels are IPA, and need not have been met in training."""

    @abstractmethod
    def known_labels(self) -> Collection[str]:
        """Return the labels that can be aligned."""

    @abstractmethod
    def second_scorer(self, audio: Any, *, rate: int | None) -> SecondScorer:
        """Return a second scorer of a recording."""

    @abstractmethod
    def _symbol(self, label: str) -> str:
        """Return the phone that the classifiers know a label by."""


def checked_model(aligner: PhoneAligner | str) -> PhoneAligner:
    """Return a fitted aligner of phones: the one given, or that of a name or file."""
    model: Any = aligner
    if isinstance(aligner, str | os.PathLike):
        from align.models.loading import load

        model = load(aligner)
    if getattr(model, "kind", "") != "speech":
        kind = getattr(model, "kind", type(model).__name__)
        raise ParameterError(f"a model of kind {kind!r} cannot align text, only one of speech.")
    checked: PhoneAligner = model
    checked.check_fitted()
    return checked


def model_labels(model: PhoneAligner) -> Collection[str]:
    """Return the labels that pronunciations for a model may be spelled with."""
    return IpaLabels() if model.takes_ipa else model.known_labels()


def noise_sounds(model: PhoneAligner, silence: str | None) -> tuple[tuple[str, ...], ...]:
    """Return the labels that spoken noise may have: any sound, or a pause."""
    noise = [SPOKEN_NOISE] if getattr(model, "knows_spoken_noise", False) else []
    return tuple((label,) for label in (*noise, *([silence] if silence is not None else [])))


def distinct_sounds(model: PhoneAligner) -> tuple[str, ...]:
    """Return a label of each sound of one language that a model distinguishes; no pauses."""
    if model.takes_ipa:
        return ()
    symbols = {model._symbol(label) for label in model.known_labels()}
    return tuple(sorted(symbol for symbol in symbols if not model._unbounded(symbol)))
