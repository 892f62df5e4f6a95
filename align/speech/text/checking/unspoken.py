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

from typing import NamedTuple

import numpy as np

from align.sequence.evidence import EvidenceModel, log_odds
from align.speech.second_scorer import SecondScorer
from align.speech.text.checking.departing import DepartingPaths
from align.speech.text.paths import WordPath
from align.speech.text.pronouncing.realisation import is_function_word
from align.types import Float64

N_EVIDENCE = 12
"""Numbers for each word."""

N_SOUNDS = 11
"""Those of models that have learned from second scores of sounds, and not of words."""

N_BEFORE = 9
"""Those of models that have learned without second scores."""


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


def asked_words(paths: DepartingPaths, model: EvidenceModel | None = None) -> AskedWords | None:
    """Return the evidence of each word of a text on a path that may leave words out.

    Second scores are asked for unless the `model` has learned without them. What the text scores
    without a word is asked of those that may then be `PROBABLE` to a `model`, or of all; of the
    others it is taken to be much less. None where no match is known.
    """
    text, path, scorer = paths.text, paths.path, paths.text.part.second_scorer
    n_words = len(text.words)
    fit = _fits(path)
    if fit is None:
        return None
    skipped = path.skipped()
    if skipped.size:
        other_fit = _fits(paths.whole)
        assert other_fit is not None
        fit[:, skipped] = other_fit[:, skipped]
    size = N_EVIDENCE if model is None else model.size
    second, times = np.zeros((3, n_words)), None
    if size > N_BEFORE:
        second[:2] = _second(path, scorer)
        if skipped.size:
            second[:2, skipped] = _second(paths.whole, scorer)[:, skipped]
    if size > N_SOUNDS or scorer.can_score_words:
        times = path.times()
        if skipped.size:
            times[skipped] = paths.whole.times()[skipped]
        if size > N_SOUNDS:
            second[2] = scorer.of_words(text.ways, times)
    odds, many = log_odds(fit[0], _LEAST), np.log(np.maximum(fit[1], 1.0))
    weak = np.array([is_function_word(word) for word in text.words], dtype=np.float64)
    sides = path.departures_beside()
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
        less = path.gain_over(other) / text.temperature
        gain[word] = -less if said else less
        if other is not None and said:
            unsaid[word] = other
        elif other is not None:
            sides[word] = other.departures_beside()[word]
    gain = np.clip(gain, -_FURTHEST, _FURTHEST) / _GAIN_SIZE
    return AskedWords(evidence(), unsaid, times)


def _second(path: WordPath, scorer: SecondScorer) -> Float64:
    """Return the second scores of each word, less what is usual [shape=(2, W)].

    0 of words without a sound that it knows.
    """
    n_words = path.n_words
    of_words = np.zeros((2, n_words))
    found = scorer.of_events(path.found.alignment.labels, path.found.alignment.intervals)
    if found is None:
        return of_words
    on = np.flatnonzero((path.words >= 0) & ~np.isnan(found[:, 0]))
    words = path.words[on]
    count = np.maximum(np.bincount(words, minlength=n_words), 1)
    for k, usual in enumerate(_USUAL):
        of_words[k] = np.bincount(words, found[on, k] - usual, n_words) / count
    return of_words


def _fits(path: WordPath) -> Float64 | None:
    """Return of each word its match, how many phones it has, and the match of what is beside it.

    The shape is (3, W). Words that are left out have 0 phones; those all of whose phones may be
    silent fit.
    """
    match, n_words = path.found.alignment.event_match, path.n_words
    if match is None:
        return None
    on = np.flatnonzero(path.words >= 0)
    words = path.words[on]
    phones = np.bincount(words, minlength=n_words).astype(np.float64)
    own = np.bincount(words, match[on], n_words)
    first, last = np.full(n_words, len(match)), np.full(n_words, -1)
    np.minimum.at(first, words, on)
    np.maximum.at(last, words, on)
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
