"""Words of a text: how they may be said, and the part of a recording they are looked for in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from align.speech.second_scorer import WaysOfWords
from align.speech.text.lattice import (
    TRUSTED,
    Departures,
    Realised,
    WordLattice,
    realisations,
    word_lattice,
)
from align.speech.text.model import PhoneAligner, model_labels, noise_sounds
from align.speech.text.parts import Part
from align.speech.text.paths import WordPaths
from align.speech.text.pronouncing.articulation import AS_WRITTEN, IpaRules
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.pronouncing.realisation import Rules
from align.types import SILENCES, SPOKEN_NOISE, Float64


@dataclass(frozen=True, eq=False)
class Wording:
    """A model, and the pronunciations of all words of a text."""

    model: PhoneAligner
    entries: Mapping[str, Entry]

    @cached_property
    def silence(self) -> str | None:
        """The label of pauses; None where the model knows none."""
        known = model_labels(self.model)
        return next((label for label in SILENCES if label in known), None)

    @cached_property
    def _spoken(self) -> tuple[Mapping[str, Sequence[tuple[str, ...]]], Realised | None]:
        """How words are said: `alternatives` and `realised` as `word_lattice` takes them."""
        known, costs = model_labels(self.model), self.model.realisations_
        alternatives = realisations(known, self.entries)
        realised = None
        if self.model.takes_ipa:
            realised = Realised(IpaRules(every=bool(costs)), costs or AS_WRITTEN)
        elif costs and alternatives:
            realised, alternatives = Realised(Rules(known), costs), {}
        alternatives[SPOKEN_NOISE] = noise_sounds(self.model, self.silence)
        return alternatives, realised

    def ways(self, words: Sequence[str]) -> list[list[tuple[str, ...]]]:
        """Return in which ways each word may be said."""
        return [[way.phones for way in self.entries[word].ways] for word in words]

    def lattice(self, words: Sequence[str], departures: Departures) -> WordLattice:
        """Return the lattice of some words, given what departures cost."""
        alternatives, realised = self._spoken
        return word_lattice(
            words,
            self.entries,
            silence=self.silence,
            temperature=self.model.placement_.temperature,
            alternatives=alternatives,
            realised=realised,
            departures=departures,
        )


@dataclass(frozen=True, eq=False)
class TextPart:
    """Words of a text, how they may be said, and the part of a recording they are looked for in.

    The first word has a number in its text. They begin `near` some times, in seconds from the
    beginning of the part, if given.
    """

    wording: Wording
    part: Part
    words: Sequence[str]
    first: int = 0
    near: Float64 | None = None

    @property
    def temperature(self) -> float:
        """What scores are divided by that are then logarithms of odds."""
        return self.wording.model.placement_.temperature

    @property
    def ways(self) -> WaysOfWords:
        """In which ways each word may be said."""
        return self.wording.ways(self.words)

    def of(self, numbers: npt.ArrayLike) -> "TextPart":
        """Return some of the words, by their numbers among these."""
        own = np.asarray(numbers, dtype=np.intp)
        near = None if self.near is None else self.near[own]
        return replace(self, words=[self.words[k] for k in own.tolist()], near=near)

    def within(
        self, span: tuple[float, float], words: slice, near: Float64 | None = None
    ) -> "TextPart":
        """Return some words between two times, which are then those of their utterance."""
        utterance = replace(self.part.utterance, start=span[0], end=span[1])
        part = replace(self.part, utterance=utterance, span=span)
        return TextPart(self.wording, part, self.words[words], self.first + words.start, near)

    def paths(
        self, departures: Departures = TRUSTED, near: Float64 | None = None, **options: Any
    ) -> WordPaths:
        """Return the paths of the words, given what departures cost.

        They are searched `near` the times at which words begin, if given; `options` are those of
        `PhoneAligner.lattice_paths`.
        """
        built = self.wording.lattice(self.words, departures)
        known = None if near is None else built.beginning(near)
        return self.paths_of(built, near=known, **options)

    def paths_of(self, built: WordLattice, **options: Any) -> WordPaths:
        """Return the paths of a lattice of the words; see `PhoneAligner.lattice_paths`."""
        samples, rate = self.part.samples, self.part.recording.rate
        search = self.part.model.lattice_paths(
            samples, built.lattice, rate=rate, abrupt=True, **options
        )
        return WordPaths(built, search)
