"""Scores of words by the second acoustic model: how much less a text fits without each of them.

`align.speech.second_scores` compares sounds where the networks placed them. Here, near these
places, the best path through all words of a text is searched anew, with phones that sound as they
do between their neighbours (`align.features.phones.triphones`). Between two words there may be a
pause, or anything else, which costs something and in each frame a little more than the best phone;
and any word may be left out at a cost. So each word has two scores: of the best path with it, and
of the best path without it. Its neighbours are placed anew in both: a word that was not said takes
room from words that were, and their confidence must not fall for that.

In noise and in rooms a text fits less with all of its words. How much less is expected follows
from how much the scores of phones differ in a frame, which is known without a text. Where they
hardly differ, scores of words mean nothing (`can_score_words`).

The paths of all words are found at once: `E[t]`, the best of all that is before a word and ends
before frame t, is passed on from word to word, and the same is done backwards. How much frames
sound like states is worked out for some words after the other, so that a long text takes little.

In the same way it is found how much more a text fits if something else is said in the gap before a
word and in no other, and how well it fits as a whole (`text_scorer`). There words may lie
further from where they were placed, as they do beside speech that is not in the text, and pauses
around this speech are no part of it. All that is before a frame if words end there, and all behind
it if they begin there, is how well the text fits if they are said twice.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from align._numba import compiled
from align.features.phones.monophones import HOP, SCALE, monophone_scores, phone_names
from align.features.phones.triphones import States, pause_states, senone_scores, states_of
from align.features.sound.signal import Signal
from align.speech.second_scores import clearness
from align.types import Float32, Float64, IntArray

Ways: TypeAlias = Sequence[Sequence[int]]
"""How a word may be said: rows of columns of `monophone_scores`."""

_ELSE = 4.0 * float(SCALE)  # that a frame of anything else scores less than the best phone,
_BEGIN_ELSE = 10.0 * float(SCALE)  # what anything else costs,
_LEFT_OUT = 40.0 * float(SCALE)  # and a word that is left out
_AT_ONCE = 2000  # frames, of which all states of the words in them are compared at once
_NEAR = 60  # frames around where a word was placed,
_FAR = 75  # and where it may be that something else is said beside it
_TOGETHER = 5  # frames between words that sound as if there were none
_WAYS = 6  # in which a word may be said, at most
_MOST = 240.0  # of what the scores differ,
_LEAST = -120.0
_MORE = 60.0  # less by something else
_NEVER = -1e30
_DIFFER = 3.1, 4.1  # how much phones differ, where scores of words mean a little, and much;
_USUAL = 2.7, 6.4  # how much less a text fits there without a word that was said,
_SIZE = 3.0  # and what this is divided by

_TWICE = 14.0  # by how much a text must fit better if words are said twice
# odds, in logs, that words were said twice: for each unit by which that fits better than anything
# else there, and in all
_MORE_THAN_ELSE, _AGAINST = 0.22, 1.5
_SHARE = 0.75  # of that counts where the language is not English: there anything else fits better

_OTHER = States(np.full(1, -1), np.zeros(1), np.zeros(1))
"""Anything else, which stands in front of all senones."""

_Row: TypeAlias = tuple[States, IntArray]
"""The states of all ways of a word, one after the other, and where each way begins and ends."""


class _Gap(NamedTuple):
    """The best scores of all up to each frame in which a gap between words may be.

    They end with the words before it, a pause behind these or none, something else, or any of it.
    """

    left: Float64
    quiet: Float64
    said: Float64
    door: Float64


class _Exits(NamedTuple):
    """The same of each way of a word [shape=(N, T)]; `since` has the frames when it began."""

    score: Float64
    since: IntArray


class _Sounds(NamedTuple):
    """The scores of states from frame `first` on, a column for each; the first is anything else.

    The states of a `pause` are among them.
    """

    first: int
    scores: Float32
    pause: States

    def reversed(self, n_frames: int) -> "_Sounds":
        """Return them as they are in a recording of so many frames when time runs backwards."""
        first = n_frames - self.first - len(self.scores)
        return _Sounds(first, np.ascontiguousarray(self.scores[::-1]), self.pause.reversed())


class Again(NamedTuple):
    """The words from `first` up to `stop` were said, and then once more; how probably."""

    first: int
    stop: int
    probability: float


class _Word(NamedTuple):
    """The ways of a word, the frames in which it may be, and how these sound.

    Way i has the states from ``begins[i]`` on, up to ``begins[i + 1]``. The sounds reach over the
    frames of both neighbours of the word, or to an end of the recording.
    """

    states: States
    begins: IntArray
    first: int
    last: int
    sounds: _Sounds

    def reversed(self, n_frames: int, sounds: _Sounds) -> "_Word":
        """Return it as it is when time runs backwards; `sounds` are those of then."""
        begins = self.begins[-1] - self.begins[::-1]
        first, last = n_frames - self.last, n_frames - self.first
        return _Word(self.states.reversed(), begins, first, last, sounds)


def can_score_words(signal: Signal) -> bool:
    """Return whether scores of words that were said differ from those of others.

    They do in all of 96 recordings of TIMIT, with white noise 20 dB below the speech in all, 15 dB
    below in four of ten, and 10 dB below in none.
    """
    return clearness(signal) >= _DIFFER[0]


def word_scores(signal: Signal, words: Sequence[Ways], start: IntArray, stop: IntArray) -> Float64:
    """Return how much less a text scores without each word [shape=(W,)], less what is usual.

    `words` say how each word may be said, `start` and `stop` [shape=(W,)] which frames of the
    recording it has, nearly; one that may be said in no way is taken for anything else.

    The difference is clipped, and divided by the root of the number of frames of 10 ms that the
    word has in the best path with it, since the sum of so many numbers spreads like this. What is
    usual of words that were said is 0, and the 1 in a hundred that fit worst are at -2.5. It is 0
    where a word may be said in no way.
    """
    if not len(words):
        return np.zeros(0)
    text = text_scorer(signal, words, start, stop, far=False)
    with_each, without, frames = text.compared()
    less = np.clip(with_each - without, _LEAST, _MOST) / np.sqrt(frames)
    less = (less - np.interp(clearness(signal), _DIFFER, _USUAL)) / _SIZE
    less[[not ways for ways in words]] = 0.0
    return less


def text_scorer(
    signal: Signal, words: Sequence[Ways], start: IntArray, stop: IntArray, *, far: bool = True
) -> "TextScorer":
    """Return a text with its scores beside speech that is not in it.

    Parameters are those of `word_scores`, of one word at least. If words may be `far` from where
    they were placed, something else may be said beside them, between pauses.
    """
    loudest, pause = monophone_scores(signal).max(axis=1), pause_states()
    n_words, n_frames, other = len(words), len(loudest), loudest - np.float32(_ELSE)
    first = np.clip(np.rint(start * (signal.hop / HOP)).astype(np.intp), 0, n_frames)
    last = np.clip(np.rint(stop * (signal.hop / HOP)).astype(np.intp), first, n_frames)
    rows = _states(words, first, last)
    low, high = _near(first, last, n_frames, _FAR if far else _NEAR)
    scored: list[_Word] = []
    while (k := len(scored)) < n_words:
        behind = k + 1
        while behind < n_words and high[behind] - low[k] <= _AT_ONCE:
            behind += 1
        begin, end = low[k - 1] if k else 0, high[behind] if behind < n_words else n_frames
        senones = [own.senones for own, _ in rows[k:behind]]
        used = np.unique(np.concatenate([_OTHER.senones, pause.senones, *senones]))
        scores = _scores(signal, used[1:], begin, end, other)
        sounds = _Sounds(begin, scores, _in_columns(pause, used))
        for at, (own, begins) in enumerate(rows[k:behind], start=k):
            scored.append(_Word(_in_columns(own, used), begins, low[at], high[at], sounds))
    return TextScorer(scored, n_frames, far)


def _states(words: Sequence[Ways], first: IntArray, last: IntArray) -> list[_Row]:
    """Return the states of the ways of words, between their neighbours or pauses."""
    silent = phone_names().index("SIL")
    apart = np.append(first, last[-1:] + _TOGETHER + 1) - np.append(-_TOGETHER - 1, last)
    rows = []
    for k, ways in enumerate(words):
        before = words[k - 1][0][-1] if k and words[k - 1] else silent
        behind = words[k + 1][0][0] if k + 1 < len(words) and words[k + 1] else silent
        before = before if apart[k] <= _TOGETHER else silent
        behind = behind if apart[k + 1] <= _TOGETHER else silent
        rows.append(_row(tuple(map(tuple, ways[:_WAYS])), before, behind))
    return rows


@lru_cache(maxsize=4096)
def _row(ways: tuple[tuple[int, ...], ...], before: int, behind: int) -> _Row:
    """Return the states of the ways of a word between two phones, and where each way begins."""
    own = [states_of(way, before, behind) for way in ways] or [_OTHER]
    begins = np.cumsum([0, *(len(way.senones) for way in own)])
    return States(*map(np.concatenate, zip(*own, strict=True))), begins


def _scores(signal: Signal, senones: IntArray, begin: int, end: int, other: Float32) -> Float32:
    """Return the scores of frames `begin` to `end`: of anything else, and of some senones."""

    def compute() -> Float32:
        own = senone_scores(signal, senones, begin, end)
        return np.column_stack((other[begin:end], own))

    if end - begin < len(other):
        return compute()
    return signal.cached(("sounds", senones.tobytes()), compute)  # words and gaps ask for them


def _in_columns(states: States, senones: IntArray) -> States:
    """Return states by the places of theirs among some senones, which are columns of sounds."""
    return states._replace(senones=np.searchsorted(senones, states.senones))


def _near(
    first: IntArray, last: IntArray, n_frames: int, reach: int
) -> tuple[list[int], list[int]]:
    """Return from when to when words may be that were placed from `first` to `last`."""
    low = np.minimum.accumulate(np.maximum(first - reach, 0)[::-1])[::-1]
    high = np.maximum.accumulate(np.minimum(last + reach, n_frames))
    return low.tolist(), high.tolist()


@dataclass(frozen=True, eq=False)
class TextScorer:
    """The words of a text, one at least, and how many frames there are.

    What is before a word is scored with the sounds of that word, behind the last with those of it.
    If `paused`, pauses may stand before and behind something else. All scores are those of
    `align.features.phones.monophones.monophone_scores`.
    """

    words: list[_Word]
    n_frames: int
    paused: bool

    def fit(self) -> float:
        """Return what the best path scores."""
        gaps, _ = self.walked()
        return float(gaps[-1].door[-1])

    def in_gaps(self, known: Collection[int] = ()) -> Float64:
        """Return how much more it scores if something else is said in each gap [shape=(W + 1,)].

        And in no other gap, but for those where it is `known` that it may be; so gaps that are
        near each other can be compared. The first is that before the first word.
        """
        return np.clip(self.said_between(known), -_MORE, _MOST)

    def again(self, *, english: bool) -> Again | None:
        """Return the words that seem to be said twice, one copy behind the other.

        Those with which the text fits best; None where it does not. The probability follows from
        how much more it fits than with something else in their place. Fitted to words of TIMIT
        that were copied, and to texts that lack some (recipes/mismatch/where.md).
        """
        fit, again = self.said_again()
        more = again[2] - fit
        if more < _TWICE:
            return None
        begin, end = again[:2]
        other = self.said_between()[begin : end + 1].max()
        odds = _MORE_THAN_ELSE * (more - other * (1.0 if english else _SHARE)) - _AGAINST
        return Again(begin, end, 1.0 / (1.0 + math.exp(-min(odds, 50.0)))) if odds > 0.0 else None

    @cached_property
    def turned(self) -> "TextScorer":
        """It as it is when time runs backwards."""
        n = self.n_frames
        every = {id(word.sounds): word.sounds for word in self.words}  # words share them
        turned = {key: sounds.reversed(n) for key, sounds in every.items()}
        words = [word.reversed(n, turned[id(word.sounds)]) for word in reversed(self.words)]
        return replace(self, words=words)

    @cached_property
    def alone(self) -> tuple[list[_Gap], list[_Gap]]:
        """The gaps, and those when time runs backwards, if nothing else is said in any."""
        return self._gaps(())

    def _gaps(self, known: Collection[int]) -> tuple[list[_Gap], list[_Gap]]:
        """Return the same if something else may be said in some."""
        n_words = len(self.words)
        return self.walked(known)[0], self.turned.walked([n_words - k for k in known])[0]

    def walked(self, allowed: Collection[int] | None = None) -> tuple[list[_Gap], list[_Exits]]:
        """Return the gap before each word and that behind the last; and the exits of words.

        A gap may be in the frames of the words on both sides of it. What comes behind it has
        nothing else in the gap unless that is `allowed` there, as it is in all by default.
        """
        words, n = self.words, self.n_frames
        low = [0, *(word.first for word in words)]
        high = [*(word.last for word in words), n]
        left = np.full(high[0] + 1, _NEVER)
        left[0] = 0.0
        gaps, exits = [], []
        for k in range(len(words) + 1):
            word = words[min(k, len(words) - 1)]
            begin, scores, pause = word.sounds
            here = scores[low[k] - begin :]
            gap = _Gap(left, *_pass_gap(here, pause, left, _BEGIN_ELSE, self.paused))
            without = allowed is not None and k not in allowed
            gaps.append(gap._replace(door=gap.quiet) if without else gap)
            if k == len(words):
                break
            door = gaps[-1].door[word.first - low[k] :]
            own = _Exits(*_pass_word(scores[word.first - begin :], *word[:3], door))
            exits.append(own)
            left = np.full(high[k + 1] - word.first + 1, _NEVER)
            left[: len(door)] = np.maximum(door - _LEFT_OUT, own.score.max(axis=0))
        return gaps, exits

    def said_between(self, known: Collection[int] = ()) -> Float64:
        """Return how much more all score if something else is said in each gap.

        Elsewhere it is only said where that is `known`.
        """
        ahead, behind = self._gaps(known) if known else self.alone
        said = [
            _best(gap.said, back.quiet) for gap, back in zip(ahead, reversed(behind), strict=True)
        ]
        more: Float64 = np.array(said) - ahead[-1].door[-1]
        return more

    def said_again(self) -> tuple[float, tuple[int, int, float]]:
        """Return what the text scores, and which words said twice score most, and how much.

        The words from the first number up to the second.
        """
        ahead, behind = self.alone
        low = [0, *(word.first for word in self.words)]
        best = 0, 0, _NEVER
        for i, back in enumerate(reversed(behind[1:])):
            begun = back.left[::-1]  # the pause between both is in the other one
            for j in range(i + 1, len(low)):
                together = min(low[i] + len(begun) - low[j], len(ahead[j].quiet))
                if together <= 0:
                    break
                ended = ahead[j].quiet[:together] + begun[low[j] - low[i] :][:together]
                best = max(best, (i, j, float(ended.max())), key=lambda one: one[2])
        return float(ahead[-1].door[-1]), best

    def compared(self) -> tuple[Float64, Float64, IntArray]:
        """Return the scores with each word and without it, and how many frames it has."""
        ahead, exits = self.walked()
        behind, _ = self.turned.walked()
        n_words = len(self.words)
        with_each, without = np.full(n_words, _NEVER), np.full(n_words, _NEVER)
        frames = np.ones(n_words, dtype=np.intp)
        for k, (word, own) in enumerate(zip(self.words, exits, strict=True)):
            after = behind[n_words - 1 - k].door[::-1][: word.last - word.first + 1]
            without[k] = max((ahead[k].door[-len(after) :] + after).max(), _NEVER)
            together = own.score + after
            way, t = np.unravel_index(together.argmax(), together.shape)
            if together[way, t] > _NEVER:
                with_each[k] = together[way, t]
                frames[k] = max(word.first + t - own.since[way, t], 1)
        return with_each, without, frames


def _best(before: Float64, behind: Float64) -> float:
    """Return the best sum of what is before a frame, and what is behind it when time is turned."""
    return max(float((before + behind[::-1]).max()), _NEVER)


@compiled()
def _pass_gap(
    scores: Float32, pause: States, left: Float64, cost: float, paused: bool
) -> tuple[Float64, Float64, Float64]:
    """Pass a gap from its first frame on, behind the words that are `left` of it.

    Return what `_Gap` has beside these. Something else costs so much, and is between pauses or
    none if they are `paused`.
    """
    quiet, said = left.copy(), np.full(len(left), _NEVER)
    since, no_cost = np.empty(len(left), dtype=np.intp), np.zeros(1)
    _pass(scores, pause.senones, pause.stay, pause.leave, left, 0, quiet, since)
    entry = (quiet if paused else left) - cost
    _pass(scores, np.zeros(1, dtype=np.intp), no_cost, no_cost, entry, 0, said, since)
    door = np.maximum(quiet, said)
    if paused:
        _pass(scores, pause.senones, pause.stay, pause.leave, said, 0, door, since)
    return quiet, said, door


@compiled()
def _pass_word(
    scores: Float32, states: States, begins: IntArray, first: int, entry: Float64
) -> tuple[Float64, IntArray]:
    """Pass each way of a word from frame `first` on, and return its exits."""
    n_ways = len(begins) - 1
    score = np.full((n_ways, len(entry)), _NEVER)
    since = np.zeros((n_ways, len(entry)), dtype=np.intp)
    for i in range(n_ways):
        way = slice(begins[i], begins[i + 1])
        own = states.senones[way], states.stay[way], states.leave[way]
        _pass(scores, *own, entry, first, score[i], since[i])
    return score, since


@compiled()
def _pass(
    scores: Float32,
    columns: IntArray,
    stay: Float64,
    leave: Float64,
    entry: Float64,
    first: int,
    score: Float64,
    since: IntArray,
) -> None:
    """Pass states in turn from frame `first` on; entry[t] is that before frame first + t.

    scores[t] are those of frame first + t; score[t] is raised to that of leaving the states before
    it, if they were entered in frame since[t]. Of equals it is better to stay.
    """
    # State k has place k + 1, behind the entry. What was before the frame is kept apart from what
    # is behind it, so that no state waits for another, and the inner loop runs in vectors.
    # `_NEVER` stays what it is, whatever is added to it: it has no digits left for a score.
    n = len(columns)
    value, new = np.full(n + 1, _NEVER), np.full(n + 1, _NEVER)
    begin, new_begin = np.zeros(n + 1, dtype=np.intp), np.zeros(n + 1, dtype=np.intp)
    goes = np.zeros(n + 1)
    for k in range(n):
        goes[k + 1] = leave[k]
    for t in range(len(score) - 1):
        value[0], begin[0], here = entry[t], first + t, scores[t]
        for k in range(n):
            stays, comes = value[k + 1] + stay[k], value[k] + goes[k]
            enters = comes > stays
            new_begin[k + 1] = begin[k] if enters else begin[k + 1]
            new[k + 1] = (comes if enters else stays) + here[columns[k]]
        value, new, begin, new_begin = new, value, new_begin, begin
        if value[n] + goes[n] > score[t + 1]:
            score[t + 1], since[t + 1] = value[n] + goes[n], begin[n]
