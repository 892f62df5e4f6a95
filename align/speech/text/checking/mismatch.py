"""Where text and sound disagree: words that were not said, and speech that is not in the text.

The lattice of a text may leave out any word, and have anything between two words, each at a cost
(`align.speech.text.lattice.Departures`); so its best path shows where that explains the sound
better. What else is said scores as spoken noise does (`align.features.phone_loop`): in each frame
somewhat less than the best sequence of any phones.

The probability that a word was not said is learned (`align.speech.text.checking.unspoken`). That
of something else comes from what the best path without it scores: divided by the temperature of
the model, the difference is the logarithm of their odds. All paths are exact. The tiers follow
only what is probable enough that true transcripts are nearly all aligned as if they were trusted.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.results.alignment import Alignment
from align.sequence.evidence import EvidenceModel
from align.speech.text.checking.passages import SURE
from align.speech.text.checking.unspoken import (
    PROBABLE,
    AskedWords,
    SecondEar,
    WordPath,
    asked_words,
)
from align.speech.text.lattice import Departures
from align.types import Float64, IntArray, Mismatch

__all__ = [
    "Judged",
    "departures_at",
    "is_another_text",
    "judged",
    "listed_words",
    "said_once",
]

_UNSPOKEN, _UNTRANSCRIBED = 8.0, 5.0  # log odds against; see docs/mismatch.md for what they give
_CERTAIN = 0.75  # probability of any, from which on tiers follow it,
_FOLLOWED = 0.5  # and seconds of what is not in the text: so much is seldom found by chance
_LONG = 0.3  # seconds of speech that is not in the text; beside it only certain words are listed
_SHORTEST = 0.1  # seconds of speech that is not in the text; less is not worth a word
_ANOTHER = (0.2, 0.3)  # shares of words and of seconds, from which on a text is another one


class Judged(NamedTuple):
    """The mismatches of a text, the numbers of the words of each, and those that tiers follow.

    Which words are `gone`, and `after` which words something else was said, -1 before all.
    """

    mismatches: list[Mismatch]
    numbers: list[IntArray]
    gone: IntArray
    after: IntArray


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
    second_ear: SecondEar | None = None,
) -> Judged:
    """Return the mismatches of a text in order; times are those of `path`.

    `whole`, `temperature` and `second_ear` are as in `asked_words`, and `model` says how probable
    it is that a word was not said. In front of the words with the numbers `gaps` others have been
    left out of the text, so that they do not follow the words before. Those with the numbers
    `unsaid` were surely not said.
    """
    asked = asked_words(path, whole, words, temperature, model, second_ear)
    if asked is None:
        return Judged([], [], unsaid, unsaid[:0])
    unspoken = model(asked.evidence)
    unspoken[unsaid] = SURE
    listed = unspoken >= np.where(_beside_others(path, len(words)), _CERTAIN, PROBABLE)
    listed[[k for k in range(len(words)) if k not in asked.unsaid]] = False
    found = list(listed_words(words, unspoken, listed, asked, gaps))
    numbers = np.split(np.flatnonzero(listed), np.cumsum([len(m.words) for m in found])[:-1])
    gone = np.flatnonzero(listed & (unspoken >= _CERTAIN))
    skipped = path.skipped()
    unsure = np.setdiff1d(skipped, gone)
    said = skipped[~listed[skipped]]
    stretches, followed = _untranscribed(path, said, unsure, temperature)
    both = [*zip(found, numbers, strict=False), *((m, unsaid[:0]) for m in stretches)]
    both.sort(key=lambda pair: pair[0].start)
    mismatches, numbers = [m for m, _ in both], [own for _, own in both]
    return Judged(mismatches, numbers, gone, path.built.words_before()[followed])


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


def is_another_text(mismatches: Sequence[Mismatch], n_words: int, found: Alignment) -> bool:
    """Whether much of a text was not said, and much else was."""
    unspoken = sum(len(m.words) for m in mismatches)
    seconds = sum(m.end - m.start for m in mismatches if not m.words)
    return unspoken >= _ANOTHER[0] * n_words and seconds >= _ANOTHER[1] * found.duration


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


def _untranscribed(
    path: WordPath, said: IntArray, unsure: IntArray, temperature: float
) -> tuple[list[Mismatch], list[int]]:
    """Return the stretches of something else on a path, and the nodes that tiers follow.

    Beside a word that the path leaves out, though it was said (`said`), something else is that
    word, said as it seldom is; beside one that may have been said (`unsure`) it may be.
    """
    built, nodes = path.built, path.found.nodes
    times = path.found.alignment.intervals
    left_out = built.unspoken[nodes]

    def beside(k: int, words: IntArray) -> bool:
        places = np.flatnonzero(left_out & np.isin(built.word[nodes], words))
        return bool((np.abs(places - k) <= 2).any())

    mismatches: list[Mismatch] = []
    followed: list[int] = []
    for k in np.flatnonzero(built.noise()[nodes]).tolist():
        if times[k, 1] - times[k, 0] < _SHORTEST or beside(k, said):
            continue
        node = int(nodes[k])
        odds = path.gain_over(path.otherwise([node]))
        sure = 1.0 / (1.0 + math.exp(-min(max(odds / temperature, 0.0), 50.0)))
        mismatches.append(
            Mismatch("untranscribed", float(times[k, 0]), float(times[k, 1]), (), sure)
        )
        certain = sure >= _CERTAIN or times[k, 1] - times[k, 0] >= _FOLLOWED
        if certain and not beside(k, unsure):
            followed.append(node)
    return mismatches, followed
