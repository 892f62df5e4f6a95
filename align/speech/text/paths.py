"""The paths of words through a part of a recording: the best, and others beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.sequence.lattice.lattices import LatticeAlignment
from align.sequence.lattice_paths import FoundPath, LatticePaths
from align.speech.text.lattice import WordLattice
from align.types import BoolArray, Float64, IntArray

_BESIDE = 2  # words on either side of what is asked for that may be said in another way,
_MOVING = 0.5  # and seconds around them within which others may begin sooner or later


class WordPaths(NamedTuple):
    """The lattice of some words, and what finds its paths through a part of a recording."""

    built: WordLattice
    search: LatticePaths

    def best(self, drop: IntArray | None = None) -> "WordPath":
        """Return the best path, which passes none of the nodes to `drop`."""
        return WordPath(self.search.best(drop), self)

    def weighed(self, factors: Mapping[str, float], path: FoundPath) -> "WordPaths | None":
        """Return the paths near one if base functions weigh more; None where one is unknown."""
        search = self.search.weighed(factors, path)
        return None if search is None else self._replace(search=search)

    def numbered(self, words: IntArray) -> "WordPaths":
        """Return the same if word k of the lattice has the number ``words[k]`` in its text."""
        own = self.built.word
        return self._replace(built=replace(self.built, word=np.where(own < 0, -1, words[own])))


@dataclass(frozen=True, eq=False)
class WordPath:
    """A path of a lattice of words through a recording, and what finds others."""

    path: FoundPath
    paths: WordPaths

    @property
    def built(self) -> WordLattice:
        """The lattice that it is a path of."""
        return self.paths.built

    @property
    def n_words(self) -> int:
        """How many words the text has."""
        return int(self.built.word.max()) + 1

    @cached_property
    def found(self) -> LatticeAlignment:
        """The alignment of the path."""
        return self.paths.search.placed(self.path)

    @cached_property
    def words(self) -> IntArray:
        """Which word each event is of [shape=(K,)]; -1 of none, and where one is left out."""
        return self.built.said()[self.found.nodes]

    @cached_property
    def others(self) -> BoolArray:
        """Which events are anything that is not in the text [shape=(K,)]."""
        return self.built.noise()[self.found.nodes]

    @property
    def other_seconds(self) -> Float64:
        """How long each of these is [shape=(M,)]."""
        times = self.found.alignment.intervals[self.others]
        return times[:, 1] - times[:, 0]

    def passed(self) -> IntArray:
        """Return the nodes of the path in order, those of two sounds twice.

        Unlike those of `found` they are known before their times are.
        """
        return self.path.user[self.path.user >= 0]

    def has_noise(self) -> bool:
        """Return whether anything that is not in the text is said."""
        return bool(self.built.noise()[self.passed()].any())

    def nodes(self, word: int, *, unspoken: bool) -> IntArray:
        """Return the nodes of a word: those that stand for it where it was not said, or others."""
        return np.flatnonzero((self.built.word == word) & (self.built.unspoken == unspoken))

    def skipped(self) -> IntArray:
        """Return the words that the path leaves out, in order."""
        passed = self.passed()
        return np.unique(self.built.word[passed[self.built.unspoken[passed]]])

    def begins(self) -> Float64:
        """Return when each word begins, in seconds on whole frames; NaN where it was not said."""
        on = np.flatnonzero(self.path.user >= 0)
        said, first = np.unique(self.built.said()[self.path.user[on]], return_index=True)
        times = np.full(self.n_words, np.nan)
        times[said[said >= 0]] = self.path.onsets[on[first[said >= 0]]] * self.paths.search.hop
        return times

    def times(self) -> Float64:
        """Return when each word begins and ends, in seconds [shape=(W, 2)].

        One that the path has not lies where the one before it ends.
        """
        intervals, on = self.found.alignment.intervals, np.flatnonzero(self.words >= 0)
        times = np.full((self.n_words, 2), -np.inf)
        times[self.words[on[::-1]], 0] = intervals[on[::-1], 0]
        times[self.words[on], 1] = intervals[on, 1]
        ends = np.maximum.accumulate(np.append(0.0, times[:, 1]))
        without = np.isinf(times[:, 0])
        times[without] = ends[:-1][without, None]
        return times

    def departures_beside(self) -> Float64:
        """Return on how many sides of each word that is said the text is departed from."""
        passed = self.passed()
        departs, words = np.isin(passed, self.built.departures()), self.built.said()[passed]
        sides = np.zeros(self.n_words)
        for here, beside in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
            at = words[here][departs[beside]]
            sides[at[at >= 0]] += 1.0
        return sides

    def gain_over(self, other: "WordPath | None") -> float:
        """Return how much more this path scores than another, or than none."""
        return np.inf if other is None else self.path.score - other.path.score

    def otherwise(self, drop: npt.ArrayLike) -> "WordPath | None":
        """Return the best path that has none of some nodes, which follow each other.

        It is this one but for the words about the nodes, which may be said in another way. None
        where there is no room for one.
        """
        built, search = self.built, self.path
        on = np.flatnonzero(search.user >= 0)
        nodes, onsets = search.user[on], search.onsets[on]
        # nodes are numbered in the order of the text
        dropped = np.asarray(drop)
        first, last = dropped.min(), dropped.max()
        words = built.word[nodes]
        before, after = words[(nodes < first) & (words >= 0)], words[(nodes > last) & (words >= 0)]
        low = max(before.max(initial=0) - (_BESIDE - 1), 0)
        high = after.min(initial=words.max()) + (_BESIDE - 1)
        near = np.flatnonzero((built.word >= low) & (built.word <= high))
        if low == 0:  # and the pauses in front
            near = np.append(0, near)
        begins = (words >= 0) & np.append(True, np.diff(words) != 0)
        moving = _MOVING / self.paths.search.hop
        inside = np.flatnonzero((nodes >= near[0]) & (nodes <= near[-1]))
        begin = end = None
        keep = np.zeros(built.lattice.n_nodes, dtype=bool)
        keep[near[0] : near[-1] + 1] = True
        if inside.size:
            here = begins & (onsets <= onsets[inside[0]] - moving) & (nodes < near[0])
            begin = int(nodes[np.flatnonzero(here)[-1]]) if here.any() else None
            here = begins & (onsets >= onsets[inside[-1]] + moving) & (nodes > near[-1])
            end = int(nodes[np.flatnonzero(here)[0]]) if here.any() else None
        without = np.zeros(built.lattice.n_nodes, dtype=bool)
        without[np.asarray(drop)] = True
        found = self.paths.search.detour(search, keep, without, begin, end)
        return None if found is None else WordPath(found, self.paths)
