"""Passages of a text that the recording does not have: half a recording, or a skipped paragraph.

One word or two that were not said are found by the lattice of the text itself, which may leave out
any word (`align.speech.text.checking.mismatch`). That costs something for each word; so of a text
that goes on for thirty words behind the end of the recording, most would rather be squeezed into
it. Here any number of words that follow each other is left out at one cost. The lattice is exact,
and small (`align.speech.text.lattice.Departures`).

A model learns its weights so that edges lie where they should, and for that it matters little how
well a phone fits the frames between them: with these weights a second of speech passes for a pause
sooner than its twelve phones are said. So here only frames and lengths count, not the edges, and
frames as observations of what was said do, of which some are one: then the score of
phones, divided by the temperature, is the logarithm of their probability, and speech that no word
explains costs what it should. When the words were said is asked once more, with all weights.

Of any text some words can be found in any recording. So passages are looked for only where the
whole text does not fit, and they count only where the words that are left fit well: all of the
recording is then explained by them. To models of the phones of any language some words fit well
enough nearly always; there what is found must also beat what is found of the same words in other
orders.
"""

import math
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from align.speech.text.checking.strictness import ONE_LANGUAGE, strictness_of
from align.speech.text.lattice import Departures
from align.speech.text.rows import Rows
from align.speech.text.text_part import TextPart
from align.types import IntArray, Mismatch

GOOD = 0.9
"""Match of a whole text, from which on no passage is looked for."""

LARGEST = 20_000.0
"""Words times seconds, up to which the lattice of all passages is small enough to search."""

_PASSAGE, _OUTER = 30.0, 15.0  # log odds against a passage; less so many at an end of the text
_ORDERS = 4  # other orders of the words, that a part is compared with,
_GAP = 14.0  # and by how much it must beat them, per second
_MOVED, _BETTER = 3, 0.05  # words that a passage is moved by at most; for so many log odds
_IN_NO_TIER = 4  # words of a passage, from which on their places would help nobody
_FEWEST = 3  # words that must be left, to say that the text is of this recording


def seems_a_part(match: float, mismatches: Sequence[Mismatch]) -> bool:
    """Whether it is worth looking for passages that were left out, given the match of the whole.

    A passage that is short against the rest lowers it little, but many of its words are listed.

    Examples
    --------
    >>> listed = Mismatch("unspoken", 0.0, 1.0, ("the", "lazy", "dog"), 0.8)
    >>> seems_a_part(0.95, []), seems_a_part(0.95, [listed]), seems_a_part(0.2, [])
    (False, True, True)
    """
    unspoken = sum(len(m.words) for m in mismatches if m.kind == "unspoken")
    return match < GOOD or unspoken >= ONE_LANGUAGE.shortest


class Said(NamedTuple):
    """The numbers of the words that a recording seems to have, and what their path scores.

    The score is the logarithm of a probability, per second of the recording.
    """

    words: IntArray
    score: float


def said_words(text: TextPart) -> Said | None:
    """Return the words that a recording seems to have.

    None where it seems to have all of them, or next to none, or where there are too many to look.
    """
    n_words, shortest = len(text.words), strictness_of(text.part.model).shortest
    if n_words < shortest + _FEWEST or n_words * text.part.seconds > LARGEST:
        return None
    said = _searched(text)
    return said if _FEWEST <= len(said.words) < n_words else None


def beats_other_orders(said: Said, text: TextPart) -> bool:
    """Whether what was found of some words fits far better than what is found of other orders.

    The same words in other orders have passages that fit by chance, as a text of another recording
    has.
    """
    n_words, rng = len(text.words), np.random.default_rng(0)
    orders = [np.arange(n_words)[::-1], *(rng.permutation(n_words) for _ in range(_ORDERS - 1))]
    scores = [_searched(text.of(order)).score for order in orders]
    return said.score - float(np.mean(scores)) >= _GAP


def best_places(said: IntArray, n_words: int, fit_of: Callable[[IntArray], float]) -> IntArray:
    """Return the words that were said, with each passage where the words that are left fit best.

    The search goes by frames and lengths alone, and takes a short word within a passage for one
    beside it. So each passage is moved, by up to three words, if the rest of the text fits clearly
    better then, and made shorter at either end as long as it fits better at all.

    Parameters
    ----------
    said : np.ndarray [shape=(n,), dtype=intp]
        The numbers of the words.
    n_words : int
        Of the text.
    fit_of : callable
        Takes such numbers, returns the log odds that these words are of the recording.

    Examples
    --------
    >>> best_places(np.array([0, 1, 4, 5]), 6, lambda said: np.isin(said, [0, 3, 4, 5]).sum())
    array([0, 3, 4, 5])
    """
    passages = [(run[0], run[-1] + 1) for run in _runs(np.setdiff1d(np.arange(n_words), said))]

    def left_by(k: int, passage: tuple[int, int]) -> IntArray:
        """Return the words that are said where the passage with number `k` is another one."""
        missing = [range(*other) for other in (*passages[:k], passage, *passages[k + 1 :])]
        return np.setdiff1d(np.arange(n_words), np.concatenate(missing))

    fit = fit_of(said)
    for k, (first, stop) in enumerate(passages):
        low = passages[k - 1][1] + 1 if k else 0  # a word lies between two passages
        high = passages[k + 1][0] - 1 if k + 1 < len(passages) else n_words
        furthest = range(max(low - first, -_MOVED), min(high - stop, _MOVED) + 1)
        tried = [(first + step, stop + step) for step in furthest if step]
        best = max(((fit_of(left_by(k, one)), one) for one in tried), default=(-math.inf, (0, 0)))
        if best[0] < fit + _BETTER:
            best = fit, (first, stop)
        for begins, ends in ((1, 0), (0, -1)):
            while best[1][1] - best[1][0] > 1:
                shorter = best[1][0] + begins, best[1][1] + ends
                if (other := fit_of(left_by(k, shorter))) <= best[0]:
                    break
                best = other, shorter
        fit, passages[k] = best
    return left_by(0, passages[0]) if passages else said


def _runs(numbers: IntArray) -> list[list[int]]:
    """Return numbers in order as runs of those that follow each other."""
    pairs = enumerate(numbers.tolist())
    return [[n for _, n in run] for _, run in groupby(pairs, key=lambda pair: pair[1] - pair[0])]


def _searched(text: TextPart) -> Said:
    part, temperature = text.part, text.temperature
    strictness = strictness_of(part.model)
    departures = Departures(
        passage=_PASSAGE * temperature,
        outer=_OUTER * temperature,
        shortest=strictness.shortest,
    )
    weights = {
        "network.phone": temperature * part.model.hop_ / strictness.observation,
        "network.boundary": 0.0,
        "network.transition": 0.0,
    }
    with part.named():
        # where words are that may be left out, no path says beforehand
        paths = text.paths(departures, weights=weights, pauses=strictness.pauses, at_once=True)
        path = paths.best()
    on = path.built.word[path.passed()]
    return Said(np.unique(on[on >= 0]), path.path.score / temperature / part.seconds)


def with_short_passages(said: IntArray, n_words: int) -> IntArray:
    """Return the words that were said, and those of passages that are short enough for tiers.

    Examples
    --------
    >>> with_short_passages(np.array([0, 1, 5, 6]), 12).tolist()
    [0, 1, 2, 3, 4, 5, 6]
    """
    edges = np.array([-1, *said.tolist(), n_words])
    short = [range(a + 1, b) for a, b in pairwise(edges.tolist()) if b - a <= _IN_NO_TIER]
    return np.union1d(said, np.array([k for run in short for k in run], dtype=np.intp))


def within_the_text(rows: Rows, said: IntArray) -> Rows:
    """Return rows whose words are numbered in the text, from those of the words that were said."""
    return [r if r.word < 0 else r._replace(word=int(said[r.word])) for r in rows]


def passages_left_out(
    words: Sequence[str], said: IntArray, rows: Rows, first: int, sure: float
) -> list[Mismatch]:
    """Return the passages of a text that were left out, given the rows of the rest of it.

    The last row is the end of the recording. Each passage lies between the words beside it, and
    is `sure` with that probability.
    """
    missing = np.setdiff1d(np.arange(len(words)), said)
    found = []
    for own in _runs(missing):
        before = [i for i, row in enumerate(rows) if 0 <= row.word < first + own[0]]
        after = [i for i, row in enumerate(rows) if row.word > first + own[-1]]
        start = rows[before[-1] + 1].start if before else rows[0].start
        end = rows[after[0]].start if after else rows[-1].start
        passage = tuple(words[k] for k in own)
        found.append(Mismatch("unspoken", start, end, passage, sure))
    return found
