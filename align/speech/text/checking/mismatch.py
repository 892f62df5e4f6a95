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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.sequence.evidence import EvidenceModel
from align.speech.text.checking.strictness import CERTAIN, SURE
from align.speech.text.checking.unspoken import (
    PROBABLE,
    AskedWords,
    PathScorer,
    WordPath,
    asked_words,
)
from align.speech.text.lattice import Departures
from align.types import Float64, IntArray, Mismatch

__all__ = [
    "Gaps",
    "Judged",
    "Stretches",
    "departures_at",
    "found_first",
    "is_another_text",
    "judged",
    "listed_words",
    "placed_again",
    "said_once",
    "untranscribed",
]

_UNSPOKEN, _UNTRANSCRIBED = 8.0, 5.0  # log odds against; see docs/mismatch.md for what they give
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


class Judged(NamedTuple):
    """The words of a text that are listed, the numbers of those of each mismatch, and times.

    Which words are `gone`, so that tiers do not have them; and, as in `AskedWords`, when all are.
    """

    mismatches: list[Mismatch]
    numbers: list[IntArray]
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
            return cls(_UNTRANSCRIBED * temperature, 1.0 / temperature, CERTAIN)
        cost = temperature * (_UNTRANSCRIBED + _MORE - _EACH * better)
        return cls(cost.tolist(), _BOTH / temperature, _CERTAIN_TO_BOTH, _SHORTEST_TO_BOTH)

    def with_known(self, costs: Mapping[int, float], *, others: bool) -> "Gaps":
        """Return the same with what it costs in some gaps; in no `others` if it is not there."""
        own = self.cost if isinstance(self.cost, Sequence) else []
        rest = own if others else [math.inf] * len(own)
        return self._replace(cost=[costs.get(k, cost) for k, cost in enumerate(rest)])

    def might_pay(self, temperature: float) -> bool:
        """Whether something else costs clearly less in any gap than without second scores."""
        usual = (_UNTRANSCRIBED - _CLEARLY) * temperature
        return not isinstance(self.cost, float) and min(self.cost) < usual


def departures_at(temperature: float) -> Departures:
    """Return what departures cost in the scores of a model of this temperature."""
    return Departures(_UNSPOKEN * temperature, _UNTRANSCRIBED * temperature)


def judged(
    path: WordPath,
    whole: Callable[[], WordPath],
    words: Sequence[str],
    model: EvidenceModel,
    temperature: float,
    gaps: Collection[int],
    unsaid: IntArray,
    path_scorer: PathScorer | None = None,
    least: float = PROBABLE,
) -> Judged:
    """Return the words of a text that were not said, in order; times are those of `path`.

    `whole`, `temperature` and `path_scorer` are as in `asked_words`, and `model` says how probable
    it is that a word was not said. In front of the words with the numbers `gaps` others have been
    left out of the text, so that they do not follow the words before. Those with the numbers
    `unsaid` were surely not said. Words are listed from a probability of `least` on.
    """
    asked = asked_words(path, whole, words, temperature, model, path_scorer)
    if asked is None:
        return Judged([], [], unsaid, None)
    unspoken = model(asked.evidence)
    unspoken[unsaid] = SURE
    listed = unspoken >= np.where(_beside_others(path, len(words)), CERTAIN, least)
    listed[[k for k in range(len(words)) if k not in asked.unsaid]] = False
    found = list(listed_words(words, unspoken, listed, asked, gaps))
    numbers = np.split(np.flatnonzero(listed), np.cumsum([len(m.words) for m in found])[:-1])
    gone = np.flatnonzero(listed & (unspoken >= CERTAIN))
    return Judged(found, numbers[: len(found)], gone, asked.times)


def said_once(
    mismatches: Sequence[Mismatch], numbers: Sequence[IntArray], misplaced: IntArray
) -> list[Mismatch]:
    """Return mismatches without the words that are misplaced, which is said of them already.

    Examples
    --------
    >>> listed = [Mismatch("unspoken", 1.0, 2.0, ("the", "kiwi"), 0.6)]
    >>> said_once(listed, [np.array([3, 4])], np.array([4, 5, 6]))[0].words
    ('the',)
    >>> said_once(listed, [np.array([3, 4])], np.array([3, 4, 5]))
    []
    """
    left = []
    for mismatch, own in zip(mismatches, numbers, strict=True):
        kept = ~np.isin(own, misplaced)
        if kept.all():
            left.append(mismatch)
        elif kept.any():
            words = tuple(word for word, keep in zip(mismatch.words, kept, strict=True) if keep)
            left.append(replace(mismatch, words=words))
    return left


def _beside_others(path: WordPath, n_words: int) -> npt.NDArray[np.bool_]:
    """Return which words a path says beside a long stretch of speech that is not in the text.

    Words that were left out of a text explain such a stretch by themselves; where a word was
    said instead of another, the stretch is what the word leaves of it, and shorter.
    """
    built, nodes = path.built, path.found.nodes
    times = path.found.alignment.intervals
    others = built.noise()[nodes] & (times[:, 1] - times[:, 0] >= _LONG)
    words = np.where(built.unspoken[nodes], -1, built.word[nodes])
    beside = np.append(others[1:], False) | np.append(False, others[:-1])
    flags = np.zeros(n_words, dtype=bool)
    flags[words[beside & (words >= 0)]] = True
    return flags


def is_another_text(mismatches: Sequence[Mismatch], n_words: int, path: WordPath) -> bool:
    """Whether much of a text was not said, and much else was on a path."""
    unspoken = sum(len(m.words) for m in mismatches)
    times = path.found.alignment.intervals[path.built.noise()[path.found.nodes]]
    seconds = times[:, 1] - times[:, 0]
    said = seconds[seconds >= _SHORTEST].sum()
    whole = path.found.alignment.duration
    return bool(unspoken >= _ANOTHER[0] * n_words and said >= _ANOTHER[1] * whole)


def listed_words(
    words: Sequence[str],
    unspoken: Float64,
    listed: npt.NDArray[np.bool_],
    asked: AskedWords,
    gaps: Collection[int],
) -> Iterator[Mismatch]:
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
            yield Mismatch("unspoken", start, end, tuple(words[k] for k in some), sure)


def untranscribed(path: WordPath, gaps: Gaps) -> Stretches:
    """Return the stretches of something else on a path."""
    if not path.has_noise():
        return Stretches([], [], np.zeros(0, dtype=np.intp))
    nodes, times = path.found.nodes, path.found.alignment.intervals
    words = path.built.words_before()
    mismatches: list[Mismatch] = []
    behind: list[int] = []
    followed: list[int] = []
    for k in np.flatnonzero(path.built.noise()[nodes]).tolist():
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
    words = np.where(path.built.noise()[nodes], path.built.words_before()[nodes], -2)
    placed, left = [], []
    for m, word in zip(stretches.listed, stretches.behind, strict=True):
        own = times[words == word]
        if len(own):
            placed.append(replace(m, start=float(own[0, 0]), end=float(own[-1, 1])))
        else:
            left.append(m)
    left = [m for m in left if all(o.end <= m.start or m.end <= o.start for o in placed)]
    return sorted(placed + left, key=lambda m: m.start)
