"""The best path of a text that may depart from it, and the best one of the whole text."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from align.speech.text.lattice import Departures
from align.speech.text.paths import WordPath
from align.speech.text.text_part import TextPart
from align.types import IntArray

NO_WORDS: IntArray = np.zeros(0, dtype=np.intp)

UNTRANSCRIBED = 5.0
"""Log odds against anything between two words; see docs/mismatch.md for what they give."""

_UNSPOKEN = 8.0  # log odds against a word that was left out
_MUCH = 3.0  # seconds of what is not in the text, from which on words may be anywhere


@dataclass(frozen=True, eq=False)
class DepartingPaths:
    """The best path that may depart from the text, and that of the whole text.

    Words of `text` begin near some times, as far as they were searched only there; those with the
    numbers `unsaid` were not said, on no path.
    """

    text: TextPart
    path: WordPath
    unsaid: IntArray

    @classmethod
    def of(cls, text: TextPart, unsaid: IntArray = NO_WORDS) -> Self:
        """Return the paths of some words, near their times unless much else is said there.

        Raises DataError where the words do not fit.
        """
        costs = Departures(_UNSPOKEN * text.temperature, UNTRANSCRIBED * text.temperature)
        paths = text.paths(costs, near=text.near)
        drop = _said(paths.built.said(), unsaid)
        path = paths.best(drop if drop.size else None)
        if text.near is not None and path.other_seconds.sum() >= _MUCH:
            path = text.paths_of(paths.built, at_once=True).best(drop if drop.size else None)
            text = replace(text, near=path.times()[:, 0])
        return cls(text, path, unsaid)

    @cached_property
    def whole(self) -> WordPath:
        """The best path that has all words, and nothing else."""
        built = self.path.built
        departures = np.flatnonzero(
            built.unspoken & ~np.isin(built.word, self.unsaid) | built.noise()
        )
        if not np.isin(self.path.path.user, departures).any():
            return self.path
        return self.path.paths.best(np.append(_said(built.said(), self.unsaid), departures))


def _said(words: IntArray, some: IntArray) -> IntArray:
    """Return the nodes of some words where these are said, given the word of each node."""
    return np.flatnonzero(np.isin(words, some))
