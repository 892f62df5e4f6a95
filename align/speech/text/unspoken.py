"""How probable it is that a word of a text was not said.

A function of evidence (`align.sequence.evidence`), for each word where the best path has it:

* how much more the text scores without the word, divided by the temperature of the model: asked
  only where the word fits badly, or the best path leaves it out;
* the log odds of its match, the mean over its phones;
* the logarithm of the number of its phones, alone and times these log odds.

It is learned in training, from texts that are spoiled: `align.speech.text.spoiling`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from align.sequence.evidence import EvidenceModel
from align.sequence.lattice_search import FoundPath, LatticePaths
from align.sequence.lattices import LatticeAlignment
from align.speech.text.lattice import WordLattice
from align.types import IntArray

__all__ = [
    "DEFAULT",
    "N_EVIDENCE",
    "AskedWords",
    "WordPath",
    "asked_words",
]

Float64 = npt.NDArray[np.float64]

N_EVIDENCE = 4
"""Numbers for each word."""

DEFAULT = EvidenceModel(np.array([1.232, -0.242, -0.429, -1.129, -0.265]))
"""For models that learned none, since they were trained without texts or before there was one.

Fitted to the sample of TIMIT by four models that had not heard the speakers
(`recipes/mismatch/where.py --default`).
"""

_FITS = 0.5  # match of a word, from which on nothing is asked
_LEAST = 0.01  # matches are clipped to this, and to one less this
_FURTHEST, _GAIN_SIZE = 20.0, 10.0  # log odds, and what they are divided by
_BESIDE = 2  # words on either side of what is asked for that may be said in another way,
_MOVING = 0.5  # and seconds around them within which others may begin sooner or later


@dataclass(frozen=True, eq=False)
class WordPath:
    """A path of a lattice of words through a recording, and what finds others."""

    path: FoundPath
    built: WordLattice
    paths: LatticePaths

    @cached_property
    def found(self) -> LatticeAlignment:
        """The alignment of the path."""
        return self.paths.placed(self.path)

    @classmethod
    def best(cls, built: WordLattice, paths: LatticePaths, drop: IntArray | None = None) -> Self:
        """Return the best path, which passes none of the nodes to `drop`."""
        return cls(paths.best(drop), built, paths)

    def nodes(self, word: int, *, unspoken: bool) -> IntArray:
        """Return the nodes of a word: those that stand for it where it was not said, or others."""
        return np.flatnonzero((self.built.word == word) & (self.built.unspoken == unspoken))

    def skipped(self) -> IntArray:
        """Return the words that the path leaves out, in order."""
        user = self.path.user[self.path.user >= 0]
        return np.unique(self.built.word[user[self.built.unspoken[user]]])

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
        first, last = np.min(drop), np.max(drop)
        words = built.word[nodes]
        before, after = words[(nodes < first) & (words >= 0)], words[(nodes > last) & (words >= 0)]
        low = max(before.max(initial=0) - (_BESIDE - 1), 0)
        high = after.min(initial=words.max()) + (_BESIDE - 1)
        near = np.flatnonzero((built.word >= low) & (built.word <= high))
        begins = (words >= 0) & np.append(True, np.diff(words) != 0)
        moving = _MOVING / self.paths.hop
        inside = np.flatnonzero((nodes >= near[0]) & (nodes <= near[-1]))
        begin = end = None
        if inside.size:
            here = begins & (onsets <= onsets[inside[0]] - moving) & (nodes < near[0])
            begin = int(nodes[np.flatnonzero(here)[-1]]) if here.any() else None
            here = begins & (onsets >= onsets[inside[-1]] + moving) & (nodes > near[-1])
            end = int(nodes[np.flatnonzero(here)[0]]) if here.any() else None
        keep = np.zeros(built.lattice.n_nodes, dtype=bool)
        keep[None if begin is None else near[0] : None if end is None else near[-1] + 1] = True
        without = np.zeros(built.lattice.n_nodes, dtype=bool)
        without[np.asarray(drop)] = True
        found = self.paths.detour(search, keep, without, begin, end)
        return None if found is None else WordPath(found, built, self.paths)


class AskedWords(NamedTuple):
    """The evidence of each word [shape=(W, N_EVIDENCE)], and paths that leave out some of them.

    `unsaid` has the best of the paths that leave out a word, for each word that was asked for.
    """

    evidence: Float64
    unsaid: dict[int, WordPath]

    def place(self, word: int) -> Float64:
        """Return from when to when a word lies, in seconds, if it was not said [shape=(2,)]."""
        path = self.unsaid[word]
        times = path.found.alignment.intervals
        times = times[np.isin(path.found.nodes, path.nodes(word, unspoken=True))]
        return np.array([times[0, 0], times[-1, 1]])


def asked_words(
    path: WordPath, whole: Callable[[], WordPath], n_words: int, temperature: float
) -> AskedWords | None:
    """Return the evidence of each of `n_words` on a path that may leave words out.

    `whole` returns the best path that has all of them, and is asked only where `path` has not.
    None where the model knows no match.
    """
    own, phones = _fits(path, n_words)
    if own is None:
        return None
    skipped = path.skipped()
    if skipped.size:
        own_whole, phones_whole = _fits(whole(), n_words)
        assert own_whole is not None
        own[skipped], phones[skipped] = own_whole[skipped], phones_whole[skipped]
    own, phones = np.nan_to_num(own, nan=1.0), np.maximum(phones, 1.0)  # all phones may be silent
    gain = np.full(n_words, -_FURTHEST)
    unsaid: dict[int, WordPath] = dict.fromkeys(skipped.tolist(), path)
    for word in np.union1d(np.flatnonzero(own < _FITS), skipped).tolist():
        said = word not in unsaid
        other = path.otherwise(path.nodes(word, unspoken=not said))
        less = path.gain_over(other) / temperature
        gain[word] = -less if said else less
        if said and other is not None:
            unsaid[word] = other
    odds, many = _log_odds(own), np.log(phones)
    gain = np.clip(gain, -_FURTHEST, _FURTHEST) / _GAIN_SIZE
    return AskedWords(np.stack([gain, odds, many, odds * many], axis=1), unsaid)


def _fits(path: WordPath, n_words: int) -> tuple[Float64 | None, Float64]:
    """Return the match of each word, NaN where it is left out, and the number of its phones."""
    match, nodes = path.found.alignment.event_match, path.found.nodes
    words = np.where(path.built.unspoken[nodes], -1, path.built.word[nodes])
    phones = np.bincount(words[words >= 0], minlength=n_words).astype(np.float64)
    if match is None:
        return None, phones
    total = np.bincount(words[words >= 0], match[words >= 0], n_words)
    with np.errstate(invalid="ignore"):
        return total / phones, phones


def _log_odds(match: Float64) -> Float64:
    sure = np.clip(match, _LEAST, 1.0 - _LEAST)
    return np.asarray(np.log(sure / (1.0 - sure)))
