"""How probable it is that a word of a text was not said.

A function of evidence (`align.sequence.evidence`), for each word where the best path has it:

* how much more the text scores without the word, divided by the temperature of the model: asked
  only where the word fits badly, or the best path leaves it out;
* the log odds of its match, the mean over its phones;
* the logarithm of the number of its phones, alone and times these log odds.

It is learned in training, from texts that are spoiled: `align.speech.text.spoiling`.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from align.decoders import Lattice
from align.errors import AlignError
from align.sequence.anchors import Anchors
from align.sequence.evidence import EvidenceModel
from align.sequence.lattices import LatticeAlignment
from align.speech.text.lattice import WordLattice, only
from align.types import IntArray

__all__ = [
    "DEFAULT",
    "N_EVIDENCE",
    "AlignLattice",
    "AskedWords",
    "WordPath",
    "asked_words",
    "gain_of",
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
_HELD = 0.5  # and seconds by which the others may begin sooner or later
_MOST, _LONGEST = 12, 60.0  # words, and seconds, up to which each word is asked for


AlignLattice: TypeAlias = Callable[[Lattice, Anchors | None], LatticeAlignment]


class WordPath(NamedTuple):
    """A path of a lattice of words."""

    found: LatticeAlignment
    built: WordLattice

    def nodes(self, word: int, *, unspoken: bool) -> IntArray:
        """Return the nodes of a word: those that stand for it where it was not said, or others."""
        return np.flatnonzero((self.built.word == word) & (self.built.unspoken == unspoken))

    def skipped(self) -> IntArray:
        """Return the words that the path leaves out, in order."""
        nodes = self.found.nodes[self.built.unspoken[self.found.nodes]]
        return np.unique(self.built.word[nodes])

    def otherwise(self, drop: npt.ArrayLike, align: AlignLattice) -> LatticeAlignment:
        """Return the best path that has none of some nodes, which follow each other.

        It is this one but for the words about the nodes, which may be said in another way. In a
        text of half a minute that takes a quarter of the time of aligning all of it anew.
        """
        built, nodes, onsets = self.built, self.found.nodes, self.found.alignment.onsets
        # nodes are numbered in the order of the text
        first, last = np.min(drop), np.max(drop)
        words = built.word[nodes]
        before, after = words[(nodes < first) & (words >= 0)], words[(nodes > last) & (words >= 0)]
        low = max(before.max(initial=0) - (_BESIDE - 1), 0)
        high = after.min(initial=words.max()) + (_BESIDE - 1)
        near = np.flatnonzero((built.word >= low) & (built.word <= high))
        keep = np.zeros(built.lattice.n_nodes, dtype=bool)
        keep[nodes] = keep[near[0] : near[-1] + 1] = True
        keep[np.asarray(drop)] = False
        lattice, kept = only(built.lattice, keep)
        begins = (words >= 0) & np.append(True, np.diff(words) != 0)
        held = begins & ((nodes < near[0]) | (nodes > near[-1]))
        places = np.searchsorted(kept, nodes[held]).tolist()
        anchors = dict(zip(places, onsets[held].tolist(), strict=True))
        try:
            found = align(lattice, Anchors(anchors, tolerance=_HELD) if anchors else None)
        except AlignError:  # corrected times may leave no room between two words
            found = align(lattice, None)
        return found._replace(nodes=kept[found.nodes])


class AskedWords(NamedTuple):
    """The evidence of each word, and where it lies if it was not said.

    `evidence` [shape=(W, N_EVIDENCE)]; `places` [shape=(W, 2)] are seconds, NaN where the text
    without the word was not aligned.
    """

    evidence: Float64
    places: Float64


def asked_words(
    path: WordPath,
    whole: Callable[[], WordPath],
    n_words: int,
    temperature: float,
    align: AlignLattice,
) -> AskedWords | None:
    """Return the evidence of each of `n_words` on a path that may leave words out.

    `whole` returns the best path that has all of them, and is asked only where `path` has not.
    `align` aligns the same recording with another lattice, and anchors. None where the model knows
    no match.
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
    gain, places = np.full(n_words, -_FURTHEST), np.full((n_words, 2), np.nan)
    for word in skipped:
        places[word] = _place(path.found, path.nodes(word, unspoken=True))
    asked = np.union1d(np.flatnonzero(own < _FITS), skipped).tolist()
    if len(asked) <= _MOST and path.found.alignment.duration <= _LONGEST:
        for word in asked:
            said = bool(np.isnan(places[word, 0]))
            other = path.otherwise(path.nodes(word, unspoken=not said), align)
            less = gain_of(path.found, other) / temperature
            gain[word] = -less if said else less
            if said:
                places[word] = _place(other, path.nodes(word, unspoken=True))
    elif skipped.size:
        gain[skipped] = gain_of(path.found, whole().found) / temperature / skipped.size
    odds, many = _log_odds(own), np.log(phones)
    gain = np.clip(gain, -_FURTHEST, _FURTHEST) / _GAIN_SIZE
    return AskedWords(np.stack([gain, odds, many, odds * many], axis=1), places)


def gain_of(found: LatticeAlignment, other: LatticeAlignment) -> float:
    """Return how much more one path scores than another."""
    best, less = found.alignment.score, other.alignment.score
    assert best is not None
    assert less is not None
    return best - less


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


def _place(found: LatticeAlignment, nodes: IntArray) -> Float64:
    """Return the first second and the last of some nodes that are on a path."""
    times = found.alignment.intervals[np.isin(found.nodes, nodes)]
    return np.array([times[0, 0], times[-1, 1]])


def _log_odds(match: Float64) -> Float64:
    sure = np.clip(match, _LEAST, 1.0 - _LEAST)
    return np.asarray(np.log(sure / (1.0 - sure)))
