"""The best path of a text that may depart from it, and the best one of the whole text."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from align.speech.text.checking.mismatch import departures_at
from align.speech.text.checking.unspoken import WordPath
from align.speech.text.lattice import Departures, WordLattice
from align.speech.text.model import PhoneAligner
from align.speech.text.parts import Part
from align.types import Float64, IntArray

__all__ = ["NO_WORDS", "Paths", "departing_paths"]

NO_WORDS: IntArray = np.zeros(0, dtype=np.intp)


class Paths(NamedTuple):
    """The best path that may depart from the text, and that of the whole text."""

    path: WordPath
    whole: Callable[[], WordPath]


def departing_paths(
    model: PhoneAligner,
    part: Part,
    lattice_of: Callable[[Departures], WordLattice],
    near: Float64 | None = None,
    unsaid: IntArray = NO_WORDS,
) -> Paths:
    """Return the paths of some words in a part of a recording.

    Words begin `near` some times in it, if given; those with the numbers `unsaid` were not said,
    on no path. Raises DataError where the words do not fit.
    """
    built = lattice_of(departures_at(model.placement_.temperature))
    known = None if near is None else built.beginning(near)
    paths = part.paths(model, built.lattice, near=known)
    never = np.flatnonzero(np.isin(built.word, unsaid) & ~built.unspoken)
    path = WordPath.best(built, paths, never if never.size else None)

    @cache
    def whole() -> WordPath:
        departures = np.flatnonzero(built.unspoken & ~np.isin(built.word, unsaid) | built.noise())
        if not np.isin(path.path.user, departures).any():
            return path
        return WordPath.best(built, paths, np.append(never, departures))

    return Paths(path, whole)
