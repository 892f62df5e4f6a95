"""What aligning a text asks of a model."""

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from align.decoders import Lattice
from align.errors import ParameterError
from align.sequence.aligner import CellScores
from align.sequence.anchors import GivenAnchors
from align.sequence.evidence import EvidenceModel
from align.sequence.lattice_search import LatticePaths
from align.sequence.lattices import LatticeAlignment
from align.sequence.placement import Placement
from align.speech.text.pronouncing.arpabet import IpaLabels
from align.types import SPOKEN_NOISE, Float64

__all__ = ["PhoneAligner", "checked_model", "model_labels", "noise_sounds"]


class PhoneAligner(Protocol):
    """What is asked of an aligner of phones; `SpeechAligner` is one."""

    kind: ClassVar[str]
    rate: int
    hop_: float
    placement_: Placement
    realisations_: Mapping[str, float] | None
    unspoken_: EvidenceModel | None

    @property
    def takes_ipa(self) -> bool:
        """Whether labels are IPA, and need not have been met in training."""
        ...

    def known_labels(self) -> Collection[str]:
        """Labels that can be aligned."""
        ...

    def check_fitted(self) -> None:
        """Raise ParameterError where it is neither fitted nor loaded."""
        ...

    def align_lattice(
        self,
        audio: Any,
        lattice: Lattice,
        *,
        rate: int | None,
        anchors: GivenAnchors = None,
        abrupt: bool = False,
    ) -> LatticeAlignment:
        """Find which events of a lattice occur, and the time each begins."""
        ...

    def cell_scores(
        self, audio: Any, events: Sequence[str], name: str, *, cell: float, rate: int | None
    ) -> CellScores | None:
        """Return what a base function says of events in each cell of a recording."""
        ...

    def rough_onsets(
        self,
        audio: Any,
        events: Sequence[str],
        *,
        rate: int | None,
        costs: Mapping[str, float] | None = None,
    ) -> Float64 | None:
        """Return roughly when each event begins, in seconds, or None."""
        ...

    def second_ear(
        self, audio: Any, labels: Sequence[str], intervals: Float64, *, rate: int | None
    ) -> Float64 | None:
        """Return what a second ear says of events, in seconds."""
        ...

    def word_ear(
        self,
        audio: Any,
        ways: Sequence[Sequence[Sequence[str]]],
        times: Float64,
        *,
        rate: int | None,
    ) -> Float64:
        """Return what a second ear says of words, in seconds."""
        ...

    def hears_words(self, audio: Any, *, rate: int | None) -> bool:
        """Return whether it tells words that were said from others."""
        ...

    def lattice_paths(
        self,
        audio: Any,
        lattice: Lattice,
        *,
        rate: int | None,
        near: Mapping[int, float] | None = None,
        weights: Mapping[str, float] | None = None,
        pauses: float = 1.0,
        at_once: bool = False,
        abrupt: bool = False,
    ) -> LatticePaths:
        """Return what finds the best path of a lattice, and others."""
        ...


def checked_model(aligner: PhoneAligner | str) -> PhoneAligner:
    """Return a fitted aligner of phones: the one given, or that of a name or file."""
    model: Any = aligner
    if isinstance(aligner, str | os.PathLike):
        from align.models.file import load

        model = load(aligner)
    if getattr(model, "kind", "") != "speech":
        kind = getattr(model, "kind", type(model).__name__)
        raise ParameterError(f"a model of kind {kind!r} cannot align text, only one of speech.")
    checked: PhoneAligner = model
    checked.check_fitted()
    return checked


class _Labelled(Protocol):
    @property
    def takes_ipa(self) -> bool: ...
    def known_labels(self) -> Collection[str]: ...


def model_labels(model: _Labelled) -> Collection[str]:
    """Return the labels that pronunciations for a model may be spelled with."""
    return IpaLabels() if model.takes_ipa else model.known_labels()


def noise_sounds(model: PhoneAligner, silence: str | None) -> tuple[tuple[str, ...], ...]:
    """Return the labels that spoken noise may have: any sound, or a pause."""
    heard = [SPOKEN_NOISE] if getattr(model, "hears_noise", False) else []
    return tuple((label,) for label in (*heard, *([silence] if silence is not None else [])))
