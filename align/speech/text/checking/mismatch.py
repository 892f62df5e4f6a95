"""Where text and sound disagree: words that were not said, and speech that is not in the text.

The lattice of a text may leave out any word, and have anything between two words, each at a cost
(`align.speech.text.lattice.Departures`); so its best path shows where that explains the sound
better. What else is said scores as spoken noise does (`align.features.phones.phone_loop`): in each
frame somewhat less than the best sequence of any phones.

The probability that a word was not said is learned (`align.speech.text.checking.unspoken`). Where
something else was said is asked once more, of the words that were said. The difference to what the
best path without it scores, divided by the temperature of the model, is the logarithm of the odds.
A second scorer, where there is one (`align.speech.word_scores`), changes what it costs in each gap
between two words. All paths are exact. The tiers follow only what is probable enough that true
transcripts are nearly all aligned as if they were trusted.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from align.sequence.evidence import EvidenceModel
from align.speech.text.checking.departing import UNTRANSCRIBED, DepartingPaths
from align.speech.text.checking.strictness import CERTAIN, SURE
from align.speech.text.checking.unspoken import PROBABLE, AskedWords, asked_words
from align.speech.text.paths import WordPath
from align.types import BoolArray, Float64, IntArray, Mismatch

_FOLLOWED = 0.5  # seconds of what is not in the text: so much is seldom found by chance
_LONG = 0.3  # seconds of speech that is not in the text; beside it only certain words are listed
_SHORTEST = 0.1  # seconds of speech that is not in the text; less is not worth a word
_ANOTHER = (0.2, 0.3)  # shares of words and of seconds, from which on a text is another one
# Where what is not in the text has a second score: log odds more against it, log odds for
# each unit by which the text fits better with it, and what the sum of both counts. Fitted to
# gaps with and without left out words of TIMIT (recipes/mismatch/where.md).
_MORE, _EACH, _BOTH = 1.7, 0.25, 0.7
_CLEARLY = 2.0  # log odds less against it in any gap, from which on the text is asked once more
_CERTAIN_TO_BOTH = 0.5  # probability of it, from which on tiers follow it
_APART = (
    1.5  # seconds from one stretch of it to the next, from which on they are looked for at once,
)
_BESIDE = 2  # and gaps on either side in which one of them may have been said instead
_SHORTEST_TO_BOTH = 0.06  # seconds of it that are worth a word


class Listed(NamedTuple):
    """A mismatch, and the numbers of its words."""

    mismatch: Mismatch
    words: IntArray


class Judged(NamedTuple):
    """The words of a text that are listed, and those that are `gone`: tiers do not have them.

    Words lie at `times`, as in `AskedWords`.
    """

    listed: list[Listed]
    gone: IntArray
    times: Float64 | None


class Stretches(NamedTuple):
    """What is said that is not in the text, and the word `behind` which each stretch lies.

    The word is -1 in front of the first one. `followed` has the nodes that tiers follow.
    """

    listed: list[Mismatch]
    behind: list[int]
    followed: IntArray


class Gaps(NamedTuple):
    """What it costs that something else is said in gaps between words, and how sure that is.

    `cost` is that of `Departures`, in any gap or in each; what the best path scores more than
    another counts `odds` times for the logarithm of the odds. What is `shortest` seconds or longer
    is listed, and from the probability `certain` on tiers follow.
    """

    cost: float | Sequence[float]
    odds: float
    certain: float
    shortest: float = _SHORTEST

    @classmethod
    def at(cls, temperature: float, better: Float64 | None) -> "Gaps":
        """Return those of a model of a temperature.

        `better` is by how much the second score of the text is better if something else is said in
        each gap [shape=(W + 1,)]; None if it cannot say.

        Examples
        --------
        >>> Gaps.at(1.0, None).cost, Gaps.at(1.0, np.array([0.0, 4.0])).cost
        (5.0, [6.7, 5.7])
        """
        if better is None:
            return cls(UNTRANSCRIBED * temperature, 1.0 / temperature, CERTAIN)
        cost = temperature * (UNTRANSCRIBED + _MORE - _EACH * better)
        return cls(cost.tolist(), _BOTH / temperature, _CERTAIN_TO_BOTH, _SHORTEST_TO_BOTH)

    def with_known(self, costs: Mapping[int, float], *, others: bool) -> "Gaps":
        """Return the same with what it costs in some gaps; in no `others` if it is not there."""
        own = self.cost if isinstance(self.cost, Sequence) else []
        rest = own if others else [math.inf] * len(own)
        return self._replace(cost=[costs.get(k, cost) for k, cost in enumerate(rest)])

    def might_pay(self, temperature: float) -> bool:
        """Whether something else costs clearly less in any gap than without second scores."""
        usual = (UNTRANSCRIBED - _CLEARLY) * temperature
        return not isinstance(self.cost, float) and min(self.cost) < usual


def judged(
    paths: DepartingPaths, model: EvidenceModel, gaps: Collection[int], least: float = PROBABLE
) -> Judged:
    """Return the words of a text that were not said, in order; times are those of its path.

    `model` says how probable it is that a word was not said. In front of the words with the
    numbers `gaps` others have been left out of the text, so that they do not follow the words
    before. Words are listed from a probability of `least` on.
    """
    asked = asked_words(paths, model)
    if asked is None:
        return Judged([], paths.unsaid, None)
    words = paths.text.words
    unspoken = model(asked.evidence)
    unspoken[paths.unsaid] = SURE
    listed = unspoken >= np.where(_beside_others(paths.path), CERTAIN, least)
    listed[[k for k in range(len(words)) if k not in asked.unsaid]] = False
    gone = np.flatnonzero(listed & (unspoken >= CERTAIN))
    return Judged(list(listed_words(words, unspoken, listed, asked, gaps)), gone, asked.times)


def said_once(listed: Sequence[Listed], misplaced: IntArray) -> list[Mismatch]:
    """Return mismatches without the words that are misplaced, which is said of them already.

    Examples
    --------
    >>> one = Mismatch("unspoken", 1.0, 2.0, ("the", "kiwi"), 0.6)
    >>> said_once([Listed(one, np.array([3, 4]))], np.array([4, 5, 6]))[0].words
    ('the',)
    >>> said_once([Listed(one, np.array([3, 4]))], np.array([3, 4, 5]))
    []
    """
    left = []
    for mismatch, own in listed:
        kept = ~np.isin(own, misplaced)
        if kept.all():
            left.append(mismatch)
        elif kept.any():
            words = tuple(word for word, keep in zip(mismatch.words, kept, strict=True) if keep)
            left.append(replace(mismatch, words=words))
    return left


def _beside_others(path: WordPath) -> BoolArray:
    """Return which words a path says beside a long stretch of speech that is not in the text.

    Words that were left out of a text explain such a stretch by themselves; where a word was
    said instead of another, the stretch is what the word leaves of it, and shorter.
    """
    others = path.others.copy()
    others[others] = path.other_seconds >= _LONG
    beside = np.append(others[1:], False) | np.append(False, others[:-1])
    flags = np.zeros(path.n_words, dtype=bool)
    flags[path.words[beside & (path.words >= 0)]] = True
    return flags


def is_another_text(listed: Sequence[Listed], n_words: int, path: WordPath) -> bool:
    """Whether much of a text was not said, and much else was on a path."""
    unspoken = sum(len(one.words) for one in listed)
    seconds = path.other_seconds
    said = seconds[seconds >= _SHORTEST].sum()
    whole = path.found.alignment.duration
    return bool(unspoken >= _ANOTHER[0] * n_words and said >= _ANOTHER[1] * whole)


def listed_words(
    words: Sequence[str],
    unspoken: Float64,
    listed: BoolArray,
    asked: AskedWords,
    gaps: Collection[int],
) -> Iterator[Listed]:
    """Yield the words that are listed; those that follow each other are one mismatch."""
    n_gaps = np.cumsum([k in gaps for k in range(len(words))])
    for (is_listed, _), run in groupby(
        range(len(words)), key=lambda k: (bool(listed[k]), int(n_gaps[k]))
    ):
        some = list(run)
        if is_listed:
            places = np.array([asked.place(word) for word in some])
            start, end = float(places[:, 0].min()), float(places[:, 1].max())
            sure = float(unspoken[some].mean())
            found = Mismatch("unspoken", start, end, tuple(words[k] for k in some), sure)
            yield Listed(found, np.array(some))


def untranscribed(path: WordPath, gaps: Gaps) -> Stretches:
    """Return the stretches of something else on a path."""
    if not path.has_noise():
        return Stretches([], [], np.zeros(0, dtype=np.intp))
    nodes, times = path.found.nodes, path.found.alignment.intervals
    words = path.built.words_before()
    mismatches: list[Mismatch] = []
    behind: list[int] = []
    followed: list[int] = []
    for k in np.flatnonzero(path.others).tolist():
        start, end = times[k].tolist()
        if end - start < gaps.shortest:
            continue
        node = int(nodes[k])
        odds = path.gain_over(path.otherwise([node])) * gaps.odds
        sure = 1.0 / (1.0 + math.exp(-min(max(odds, 0.0), 50.0)))
        mismatches.append(Mismatch("untranscribed", start, end, (), sure))
        behind.append(int(words[node]))
        if sure >= gaps.certain or end - start >= _FOLLOWED:
            followed.append(node)
    return Stretches(mismatches, behind, np.array(followed, dtype=np.intp))


def found_first(path: WordPath, noise: IntArray) -> IntArray:
    """Return nodes of something else that a path has, of those near each other only one.

    They are among `noise`, which stand for it. The one is that with which alone the text scores
    most. What is said in one gap may often have been said in the next as well; once the first is
    known, others are to be looked for again.
    """
    if not np.isin(path.passed(), noise).any():
        return np.zeros(0, dtype=np.intp)
    nodes, times = path.found.nodes, path.found.alignment.intervals
    on = np.flatnonzero(np.isin(nodes, noise))
    apart = np.flatnonzero(times[on[1:], 0] - times[on[:-1], 1] > _APART) + 1
    first: list[int] = []
    for near in np.split(nodes[on], apart):
        low, high = np.searchsorted(noise, near[[0, -1]]) if len(near) else (0, 0)
        others = noise[max(low - _BESIDE, 0) : high + _BESIDE + 1]

        def alone(node: int, others: IntArray = others) -> float:
            found = path.otherwise(others[others != node])
            return -math.inf if found is None else found.path.score

        first += near.tolist() if len(near) < 2 else [max(near.tolist(), key=alone)]
    return np.array(first, dtype=np.intp)


def placed_again(stretches: Stretches, path: WordPath) -> list[Mismatch]:
    """Return stretches of something else where a path has them, which begins each with a sound.

    Those that it has not stay where they were, unless another lies there now.
    """
    nodes, times = path.found.nodes, path.found.alignment.intervals
    words = np.where(path.others, path.built.words_before()[nodes], -2)
    placed, left = [], []
    for m, word in zip(stretches.listed, stretches.behind, strict=True):
        own = times[words == word]
        if len(own):
            placed.append(replace(m, start=float(own[0, 0]), end=float(own[-1, 1])))
        else:
            left.append(m)
    left = [m for m in left if all(o.end <= m.start or m.end <= o.start for o in placed)]
    return sorted(placed + left, key=lambda m: m.start)
