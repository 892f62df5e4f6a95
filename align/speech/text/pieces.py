"""Words of a text that are looked for in a part of a recording, and what was found of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align.results.alignment import Alignment
from align.speech.second_scorer import WaysOfWords
from align.speech.text.lattice import TRUSTED, Departures, WordLattice
from align.speech.text.parts import Part
from align.speech.text.paths import WordPaths
from align.speech.text.reading.transcript import Utterance
from align.speech.text.rows import Rows
from align.speech.text.wording import Wording
from align.types import Float64, Mismatch

__all__ = ["Piece", "TextPart"]


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

    def check_room(self) -> None:
        """Raise DataError where the words do not fit into the part."""
        self.part.check_room(self.words, self.wording.entries)

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


class Piece(NamedTuple):
    """Words that were aligned at once.

    Their rows and mismatches, in seconds of the recording, the alignment of all of them, whose
    match counts, and the utterance, or the part of it, that they are.
    """

    rows: Rows
    mismatches: list[Mismatch]
    whole: Alignment
    utterance: Utterance
