"""How the words of a text may be said, in the labels of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from align.speech.text.lattice import Departures, Realised, WordLattice, realisations, word_lattice
from align.speech.text.model import PhoneAligner, model_labels, noise_sounds
from align.speech.text.pronouncing.articulation import AS_WRITTEN, IpaRules
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.pronouncing.realisation import Rules
from align.types import SILENCES, SPOKEN_NOISE

__all__ = ["Wording"]


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
