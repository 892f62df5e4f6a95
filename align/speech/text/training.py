"""From training recordings with text to what realisations cost, for `SpeechAligner.fit`."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from align.decoders import Lattice
from align.errors import DataError, ParameterError
from align.features import Feature, Signal, TimedSignal
from align.progress import counted
from align.sequence.base import Progress
from align.sequence.feature_terms import terms_of
from align.sequence.lattices import ExpandedLattice
from align.sequence.on_lattice import lattice_scores, with_roles
from align.sequence.placement import Placement
from align.sequence.search import Room
from align.speech.text.lattice import Realised, realisations, word_lattice
from align.speech.text.model import model_labels
from align.speech.text.pronouncing.articulation import IpaRules, sound_of
from align.speech.text.pronouncing.dictionary import Dictionary
from align.speech.text.pronouncing.learning import Spoken, agreement, learn_costs, spoken
from align.speech.text.pronouncing.lookup import look_up_all, make_dictionary
from align.speech.text.pronouncing.realisation import Rules
from align.speech.text.reading.normalise import split_words
from align.types import SILENCE, SILENCES, Event

__all__ = ["MOST", "LearnedFromText", "costs_from_text"]

MOST = 1000
"""Recordings whose text is used, half a megabyte each; of more, so many are drawn."""


class LearnedFromText(NamedTuple):
    """What realisations cost, and of how many recordings the text was used and was not."""

    costs: dict[str, float]
    used: int
    left_out: int


class _Aligner(Protocol):
    """What is asked of an aligner whose weights are learned."""

    base_functions_: list[str]
    coef_: npt.NDArray[np.float64]
    scale_: npt.NDArray[np.float64]
    placement_: Placement
    random_state: int
    language: str | None

    @property
    def takes_ipa(self) -> bool: ...
    def known_labels(self) -> Collection[str]: ...
    def _symbol(self, label: str) -> str: ...
    def _unbounded(self, event: Event) -> bool: ...
    def _draws_out(self, event: Event) -> bool: ...
    def _pins_start(self, events: tuple[Event, ...]) -> bool: ...
    def _room(self, signal: Signal) -> Room: ...
    def _expand_lattice(self, lattice: Lattice, events: tuple[Event, ...]) -> ExpandedLattice: ...


def costs_from_text(
    aligner: _Aligner,
    items: Sequence[TimedSignal],
    features: Sequence[Sequence[Feature]],
    progress: Progress | None = None,
    **options: Any,
) -> LearnedFromText | None:
    """Return what realisations cost, learned from recordings that carry their text.

    `features` of each item did not see it; `options` are those of `learn_costs`. Words are looked
    up in CMUdict, and left to espeak-ng where the language is another than English. A recording is
    left out where a word has no pronunciation there. None where no recording has text, there is
    neither, the labels of the model are in the IPA and its language is not said, or they have no
    closures.
    """
    known = model_labels(aligner)
    with_text = [(item, own) for item, own in zip(items, features, strict=True) if item.text]
    if not with_text or not (aligner.language if aligner.takes_ipa else realisations(known)):
        return None
    language = aligner.language or "en"
    if len(with_text) > MOST:
        rng = np.random.default_rng(aligner.random_state)
        drawn = rng.choice(len(with_text), MOST, replace=False)
        with_text = [with_text[i] for i in np.sort(drawn)]
    try:
        words = make_dictionary(None, language)
    except ParameterError:  # an extra, and a program
        return None
    found = [
        _spoken(aligner, item, own, words, known, language)
        for item, own in counted(with_text, progress, "learning from texts")
    ]
    usable = [one for one in found if one is not None]
    costs = learn_costs(
        usable,
        temperature=aligner.placement_.temperature,
        random_state=aligner.random_state,
        **options,
    )
    return LearnedFromText(costs, len(usable), len(with_text) - len(usable))


def _spoken(
    aligner: _Aligner,
    item: TimedSignal,
    features: Sequence[Feature],
    dictionary: Dictionary,
    known: Collection[str],
    language: str,
) -> Spoken | None:
    """Return a recording to learn from; None where its text cannot be used."""
    words = split_words(item.text or "", language=language, known=dictionary.__contains__)
    try:
        entries = look_up_all(
            words,
            dictionary,
            known,
            language=language,
            guess=not language.startswith("en"),
        )
    except DataError:
        return None
    silence = next((label for label in SILENCES if label in known), None)
    if not words or silence is None:
        return None
    built = word_lattice(
        words,
        entries,
        silence=silence,
        temperature=aligner.placement_.temperature,
        realised=Realised(IpaRules() if aligner.takes_ipa else Rules(known), {}),
    )
    expanded = aligner._expand_lattice(built.lattice, built.lattice.labels)
    signal = item.signal
    pauses = np.flatnonzero([aligner._draws_out(event) for event in expanded.events])
    roles, n_frames = with_roles(expanded.lattice, pauses), signal.n_frames
    events = tuple(expanded.events[v] for v in roles.origin)
    free = np.array([aligner._unbounded(event) for event in events])
    limits = np.where(free, n_frames, aligner._room(signal).longest)
    limits[roles.last] = n_frames

    @cache
    def terms(sequence: tuple[Event, ...]) -> Mapping[str, Any]:
        return terms_of(features, signal, sequence)

    weights = aligner.coef_ / aligner.scale_
    try:
        scores = lattice_scores(
            terms,
            dict(zip(aligner.base_functions_, weights, strict=True)),
            roles,
            events,
            limits,
            n_frames,
            pinned=aligner._pins_start(events),
        )
        scores.decode()
    except ParameterError:  # the text is too long for the recording, or no lattice can be scored
        return None
    if scores.segment is None:
        return None
    symbols = [_compared(aligner, str(event)) for event in events]
    labels = [_compared(aligner, str(event)) for event in item.events]
    agrees = agreement(symbols, labels, item.onsets, n_frames)
    return spoken(scores, built, expanded.given[roles.origin], agrees)


def _compared(aligner: _Aligner, label: str) -> str:
    """Return what a label is compared by; all labels of silence are the same.

    In the IPA that is the kind of sound: dictionaries write broadly, transcribers narrowly.
    """
    if label in SILENCES or aligner._unbounded(label):
        return SILENCE
    if not aligner.takes_ipa:
        return aligner._symbol(label)
    sound = sound_of(label)
    return "vowel" if sound.manner == "schwa" else str(sound)
