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

_MUCH = 3.0  # seconds of what is not in the text, from which on words may be anywhere


class Paths(NamedTuple):
    """The best path that may depart from the text, and that of the whole text.

    Words begin `near` some times, as far as they were searched only there.
    """

    path: WordPath
    whole: Callable[[], WordPath]
    near: Float64 | None = None


def departing_paths(
    model: PhoneAligner,
    part: Part,
    lattice_of: Callable[[Departures], WordLattice],
    near: Float64 | None = None,
    unsaid: IntArray = NO_WORDS,
) -> Paths:
    """Return the paths of some words in a part of a recording.

    Words begin `near` some times in it, if given, unless much else is said there; those with the
    numbers `unsaid` were not said, on no path. Raises DataError where the words do not fit.
    """
    built = lattice_of(departures_at(model.placement_.temperature))
    known = None if near is None else built.beginning(near)
    paths = part.paths(model, built.lattice, near=known)
    never = np.flatnonzero(np.isin(built.word, unsaid) & ~built.unspoken)
    drop = never if never.size else None
    path = WordPath.best(built, paths, drop)
    if near is not None and _seconds_of_others(path) >= _MUCH:
        paths = part.paths(model, built.lattice, at_once=True)
        path = WordPath.best(built, paths, drop)
        near = path.times(len(near))[:, 0]

    @cache
    def whole() -> WordPath:
        departures = np.flatnonzero(built.unspoken & ~np.isin(built.word, unsaid) | built.noise())
        if not np.isin(path.path.user, departures).any():
            return path
        return WordPath.best(built, paths, np.append(never, departures))

    return Paths(path, whole, near)


def _seconds_of_others(path: WordPath) -> float:
    """Return how long something is said on a path that is not in the text."""
    times = path.found.alignment.intervals[path.built.noise()[path.found.nodes]]
    return float((times[:, 1] - times[:, 0]).sum())
