"""How probable it is that a word of a text was not said.

A function of evidence (`align.sequence.evidence`), for each word where the best path has it:

* how much more the text scores without the word, divided by the temperature of the model; and
  this once more where it is more at all;
* the log odds of its match, the mean over its phones;
* the logarithm of the number of its phones, alone and times these log odds;
* whether it is a word that is mostly said weakly;
* the mean match of the two sounds before it and the two behind: where a word has no place, its
  neighbours lose theirs;
* on how many sides of it the text is departed from, where it is said: words that were not said,
  and speech that is not in the text, come together; and the same once more where the best path
  leaves the word out, since beside others it is left out sooner;
* second scores (`align.speech.second_scores`): the means of both numbers over the sounds of the
  word, less what is usual. Models of before have learned without them;
* how much less the text fits without the word by the second acoustic model
  (`align.speech.word_scores`), less what is usual. That model is of English, and of little use in
  noise: `DEFAULT`, which is taken there, and models of before have learned without it.

It is learned in training, from texts that are spoiled: `align.speech.text.learning.spoiling`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from align.sequence.evidence import EvidenceModel, log_odds
from align.sequence.lattice.lattices import LatticeAlignment
from align.sequence.lattice_paths import FoundPath, LatticePaths
from align.speech.text.lattice import WordLattice
from align.speech.text.pronouncing.realisation import is_function_word
from align.types import Float64, IntArray

__all__ = [
    "DEFAULT",
    "DEFAULT_IPA",
    "N_BEFORE",
    "N_EVIDENCE",
    "N_SOUNDS",
    "PROBABLE",
    "AskedWords",
    "PathScorer",
    "WordPath",
    "asked_words",
]


N_EVIDENCE = 12
"""Numbers for each word."""

N_SOUNDS = 11
"""Those of models that have learned from second scores of sounds, and not of words."""

N_BEFORE = 9
"""Those of models that have learned without second scores."""


class PathScorer(NamedTuple):
    """A second scorer that takes paths and words of a text; see `align.speech.second_scorer`.

    Parameters
    ----------
    of_events : callable
        Returns its scores of the events of a path [shape=(K, 2)].
    of_words : callable
        Returns its scores of words, given where they lie in seconds [shape=(W, 2)].
    can_score_words : bool
        Whether its scores of words mean anything in this recording.
    """

    of_events: Callable[[LatticeAlignment], Float64 | None]
    of_words: Callable[[Sequence[str], Float64], Float64]
    can_score_words: bool = True


DEFAULT = EvidenceModel(
    np.array(
        [2.182, 0.254, -1.67, -0.929, -0.736, -1.517, -0.53, 1.165, -1.163, -0.414, -0.353, 0.689]
    )
)
"""For models that learned none, since they were trained without texts or before there was one.

Fitted to the sample of TIMIT by four models that were not trained on the speakers
(`recipes/mismatch/where.py --default`).
"""

DEFAULT_IPA = EvidenceModel(
    np.array([1.06, -1.088, 0.0, -0.02, 0.18, 0.16, -1.18, 0.62, -0.2, 0.155, -0.51, -1.15, -5.33])
)
"""The same for models of phones in the IPA, which learn none, with second scores of words.

Fitted to two German speakers by models that were not trained on them (recipes/mismatch/where.md).
"""

PROBABLE = 0.5
"""Words of this probability are listed; those that cannot reach it are not asked for."""

_LEAST = 0.01  # matches are clipped to this, and to one less this
_FURTHEST, _GAIN_SIZE = 20.0, 10.0  # log odds, and what they are divided by
_SOUNDS = 2  # on either side of a word, whose match counts
_USUAL = -1.0, 3.3  # second scores of a sound that was said
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

    def begins(self, n_words: int) -> Float64:
        """Return when each word begins, in seconds on whole frames; NaN where it was not said."""
        on = np.flatnonzero(self.path.user >= 0)
        nodes = self.path.user[on]
        words = np.where(self.built.unspoken[nodes], -1, self.built.word[nodes])
        said, first = np.unique(words, return_index=True)
        times = np.full(n_words, np.nan)
        times[said[said >= 0]] = self.path.onsets[on[first[said >= 0]]] * self.paths.hop
        return times

    def times(self, n_words: int) -> Float64:
        """Return when each word begins and ends, in seconds [shape=(W, 2)].

        One that the path has not lies where the one before it ends.
        """
        nodes, intervals = self.found.nodes, self.found.alignment.intervals
        words = np.where(self.built.unspoken[nodes], -1, self.built.word[nodes])
        on = np.flatnonzero(words >= 0)
        times = np.full((n_words, 2), -np.inf)
        times[words[on[::-1]], 0] = intervals[on[::-1], 0]
        times[words[on], 1] = intervals[on, 1]
        ends = np.maximum.accumulate(np.append(0.0, times[:, 1]))
        without = np.isinf(times[:, 0])
        times[without] = ends[:-1][without, None]
        return times

    def departures_beside(self, n_words: int) -> Float64:
        """Return on how many sides of each word that is said the text is departed from."""
        built, passed = self.built, self.passed()
        departs = np.isin(passed, built.departures())
        words = np.where(departs, -1, built.word[passed])
        sides = np.zeros(n_words)
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
        moving = _MOVING / self.paths.hop
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
        found = self.paths.detour(search, keep, without, begin, end)
        return None if found is None else WordPath(found, built, self.paths)


class AskedWords(NamedTuple):
    """The evidence of each word [shape=(W, F)], and paths that leave out some of them.

    F is `N_EVIDENCE`, or what the model that asked has learned from.

    `unsaid` has the best of the paths that leave out a word, for each word that was asked for.
    `times` are those, in seconds, at which words can have second scores [shape=(W, 2)].
    """

    evidence: Float64
    unsaid: dict[int, WordPath]
    times: Float64 | None

    def place(self, word: int) -> Float64:
        """Return from when to when a word lies, in seconds, if it was not said [shape=(2,)]."""
        path = self.unsaid[word]
        times = path.found.alignment.intervals
        times = times[np.isin(path.found.nodes, path.nodes(word, unspoken=True))]
        return np.array([times[0, 0], times[-1, 1]])


def asked_words(
    path: WordPath,
    whole: Callable[[], WordPath],
    words: Sequence[str],
    temperature: float,
    model: EvidenceModel | None = None,
    path_scorer: PathScorer | None = None,
) -> AskedWords | None:
    """Return the evidence of each word on a path that may leave words out.

    `whole` returns the best path that has all of them, and is asked only where `path` has not.
    The `path_scorer` is used unless the `model` has learned without it. What the text scores
    without a word is asked of those that may then be `PROBABLE` to a `model`, or of all; of the
    others it is taken to be much less. None where no match is known.
    """
    n_words = len(words)
    fit = _fits(path, n_words)
    if fit is None:
        return None
    skipped = path.skipped()
    if skipped.size:
        other_fit = _fits(whole(), n_words)
        assert other_fit is not None
        fit[:, skipped] = other_fit[:, skipped]
    size = N_EVIDENCE if model is None else model.size
    second, times = np.zeros((3, n_words)), None
    if path_scorer is not None and size > N_BEFORE:
        second[:2] = _second(path, n_words, path_scorer)
        if skipped.size:
            second[:2, skipped] = _second(whole(), n_words, path_scorer)[:, skipped]
    if path_scorer is not None and (size > N_SOUNDS or path_scorer.can_score_words):
        times = path.times(n_words)
        if skipped.size:
            times[skipped] = whole().times(n_words)[skipped]
        if size > N_SOUNDS:
            second[2] = path_scorer.of_words(words, times)
    odds, many = log_odds(fit[0], _LEAST), np.log(np.maximum(fit[1], 1.0))
    weak = np.array([is_function_word(word) for word in words], dtype=np.float64)
    sides = path.departures_beside(n_words)
    gain = np.zeros(n_words)  # the most that a word may have which the path does not leave out

    def evidence() -> Float64:
        more, left_out = np.maximum(gain, 0.0), sides * (gain > 0.0)
        own = [gain, odds, many, odds * many, more, weak, fit[2], sides, left_out, *second]
        return np.stack(own[:size], axis=1)

    asked = np.ones(n_words, dtype=bool)
    if model is not None:
        asked = model(evidence()) >= PROBABLE
    gain[:] = -_FURTHEST
    unsaid: dict[int, WordPath] = dict.fromkeys(skipped.tolist(), path)
    for word in np.union1d(np.flatnonzero(asked), skipped).tolist():
        said = word not in unsaid
        other = path.otherwise(path.nodes(word, unspoken=not said))
        less = path.gain_over(other) / temperature
        gain[word] = -less if said else less
        if other is not None and said:
            unsaid[word] = other
        elif other is not None:
            sides[word] = other.departures_beside(n_words)[word]
    gain = np.clip(gain, -_FURTHEST, _FURTHEST) / _GAIN_SIZE
    return AskedWords(evidence(), unsaid, times)


def _second(path: WordPath, n_words: int, path_scorer: PathScorer) -> Float64:
    """Return the second scores of each word, less what is usual [shape=(2, W)].

    0 of words without a sound that it knows.
    """
    of_words = np.zeros((2, n_words))
    found, nodes = path_scorer.of_events(path.found), path.found.nodes
    if found is None:
        return of_words
    words = np.where(path.built.unspoken[nodes], -1, path.built.word[nodes])
    on = np.flatnonzero((words >= 0) & ~np.isnan(found[:, 0]))
    count = np.maximum(np.bincount(words[on], minlength=n_words), 1)
    for k, usual in enumerate(_USUAL):
        of_words[k] = np.bincount(words[on], found[on, k] - usual, n_words) / count
    return of_words


def _fits(path: WordPath, n_words: int) -> Float64 | None:
    """Return of each word its match, how many phones it has, and the match of what is beside it.

    The shape is (3, W). Words that are left out have 0 phones; those all of whose phones may be
    silent fit.
    """
    match, nodes = path.found.alignment.event_match, path.found.nodes
    if match is None:
        return None
    words = np.where(path.built.unspoken[nodes], -1, path.built.word[nodes])
    on = np.flatnonzero(words >= 0)
    phones = np.bincount(words[on], minlength=n_words).astype(np.float64)
    own = np.bincount(words[on], match[on], n_words)
    first, last = np.full(n_words, len(words)), np.full(n_words, -1)
    np.minimum.at(first, words[on], on)
    np.maximum.at(last, words[on], on)
    total = np.append(0.0, np.cumsum(match))
    low, high = np.maximum(first - _SOUNDS, 0), np.minimum(last + _SOUNDS + 1, len(match))
    said = phones > 0
    count = np.where(said, high - low - (last + 1 - first), 0)
    around = np.where(said, total[high] - total[low] - (total[last + 1] - total[first]), 0.0)
    return np.stack(
        [
            np.divide(own, phones, out=np.ones(n_words), where=said),
            phones,
            np.divide(around, count, out=np.ones(n_words), where=count > 0),
        ]
    )
