"""What a second ear says of words: how much less a text fits without each of them, and of gaps.

`align.speech.second_ear` compares sounds where the networks placed them. This looks itself, near
these places, for the best path through all words of a text, whose phones sound as they do between
their neighbours (`align.features.triphones`). Between two words there may be a pause, or anything
else, which costs something and in each frame a little more than the best phone; and any word may
be left out at a cost. So, for each word, there are two scores: of the best path that has it, and
of the best that has not. Their neighbours are placed anew in both: what was not said takes room
from words that were, and these are not to be doubted for it.

In noise and in rooms a text fits less with all of its words. How much is expected is told by how
much the phones of the ear differ in a frame, which is known without a text; where they hardly
differ, the ear should not be asked (`hears_words`).

The paths of all words are found at once: `E[t]`, the best of all that is before a word and ends
before frame t, is passed on from word to word, and the same is done backwards. How much frames
sound like states is worked out for some words after the other, so that a long text takes little.

In the same way it is found how much more a text fits if something else is said in the gap before a
word (`gap_ear`), and how well it fits as a whole (`text_ear`). There words may lie further from
where they were placed, as they do beside speech that is not in the text, and pauses around this
speech are no part of it.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from align._numba import compiled
from align.features.monophones import HOP, SCALE, monophone_scores, phone_names
from align.features.signal import Signal
from align.features.triphones import States, pause_states, senone_scores, states_of
from align.speech.second_ear import clearness
from align.types import Float32, Float64, IntArray

__all__ = ["Ways", "gap_ear", "hears_words", "text_ear", "word_ear"]

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
_MORE = 60.0  # of what they differ by something else
_NEVER = -1e30
_DIFFER = 3.1, 4.1  # how much phones differ, where words are heard a little, and well;
_USUAL = 2.7, 6.4  # how much less a text fits there without a word that was said,
_SIZE = 3.0  # and what this is divided by


_OTHER = States(np.zeros(1, dtype=np.intp), np.zeros(1), np.zeros(1))
"""Anything else, which is the first column of all sounds."""


class _Door(NamedTuple):
    """The best score of all before a word, if that ends before frame `first`, the next, ..."""

    first: int
    score: Float64


class _Exits(NamedTuple):
    """The same of what passes some states; `since` has the frames when they were entered."""

    first: int
    score: Float64
    since: IntArray


class _Gap(NamedTuple):
    """The doors in a gap: behind the words before it, a pause or none, something else, and all."""

    left: _Door
    quiet: _Door
    said: _Exits
    door: _Door


class _Sounds(NamedTuple):
    """The scores of states from frame `first` on, a column for each."""

    first: int
    scores: Float32

    def reversed(self, n_frames: int) -> "_Sounds":
        """Return them as they are in a recording of so many frames when time runs backwards."""
        first = n_frames - self.first - len(self.scores)
        return _Sounds(first, np.ascontiguousarray(self.scores[::-1]))


class _Word(NamedTuple):
    """The ways of a word, as states, the frames in which it may be, and how these sound.

    The sounds reach over the frames of both its neighbours, or to an end of the recording; with
    them there is a pause beside the word.
    """

    ways: list[States]
    first: int
    last: int
    sounds: _Sounds
    pause: States


def hears_words(signal: Signal) -> bool:
    """Return whether `word_ear` tells words that were said from others.

    Of 96 recordings of TIMIT all are heard, with white noise 20 dB below the speech all, 15 dB
    below four in ten, and 10 dB below none.
    """
    return clearness(signal) >= _DIFFER[0]


def word_ear(signal: Signal, words: Sequence[Ways], start: IntArray, stop: IntArray) -> Float64:
    """Return how much less a text scores without each word [shape=(W,)], less what is usual.

    Parameters
    ----------
    signal : Signal
        The recording.
    words : sequence of Ways, length W
        How each word may be said; one that may be said in no way is taken for anything else.
    start, stop : np.ndarray [shape=(W,), dtype=intp]
        The frames of the recording that each word has, nearly.

    Returns
    -------
    np.ndarray [shape=(W,)]
        The difference, which is clipped, by the root of the number of frames of 10 ms that the
        word has in the best path with it, since the sum of so many numbers spreads like this. What
        is usual of words that were said is 0, and the 1 in a hundred that fit worst are at -2.5.
        0 where a word may be said in no way.
    """
    if not len(words):
        return np.zeros(0)
    text = _heard(signal, words, start, stop, far=False)
    with_each, without, frames = text.compared()
    less = np.clip(with_each - without, _LEAST, _MOST) / np.sqrt(frames)
    less = (less - np.interp(clearness(signal), _DIFFER, _USUAL)) / _SIZE
    less[[not ways for ways in words]] = 0.0
    return less


def gap_ear(signal: Signal, words: Sequence[Ways], start: IntArray, stop: IntArray) -> Float64:
    """Return how much more a text scores if something else is said in each gap [shape=(W + 1,)].

    The first is that before the first word. Parameters are those of `word_ear`, of one word at
    least; all scores are those of `align.features.monophones.monophone_scores`.
    """
    return _heard(signal, words, start, stop, far=True).said_between()


def text_ear(signal: Signal, words: Sequence[Ways], start: IntArray, stop: IntArray) -> float:
    """Return what the best path through a text scores; parameters are those of `gap_ear`."""
    gaps, _ = _heard(signal, words, start, stop, far=True).walked()
    return float(gaps[-1].door.score[-1])


def _heard(
    signal: Signal, words: Sequence[Ways], start: IntArray, stop: IntArray, *, far: bool
) -> "_Text":
    """Return a text as it is heard; parameters are those of `word_ear` and `_Text.paused`."""
    loudest = monophone_scores(signal).max(axis=1)
    n_frames = len(loudest)
    first = np.clip(np.rint(start * (signal.hop / HOP)).astype(np.intp), 0, n_frames)
    last = np.clip(np.rint(stop * (signal.hop / HOP)).astype(np.intp), first, n_frames)
    other = loudest - np.float32(_ELSE)
    return _text(signal, _states(words, first, last), first, last, other, far=far)


def _states(words: Sequence[Ways], first: IntArray, last: IntArray) -> list[list[States]]:
    """Return the states of the ways of words, between their neighbours or pauses."""
    silent = phone_names().index("SIL")
    apart = np.append(first, last[-1:] + _TOGETHER + 1) - np.append(-_TOGETHER - 1, last)
    rows = []
    for k, ways in enumerate(words):
        before = words[k - 1][0][-1] if k and words[k - 1] else silent
        behind = words[k + 1][0][0] if k + 1 < len(words) and words[k + 1] else silent
        before = before if apart[k] <= _TOGETHER else silent
        behind = behind if apart[k + 1] <= _TOGETHER else silent
        rows.append([states_of(tuple(way), before, behind) for way in ways[:_WAYS]])
    return rows


def _text(
    signal: Signal,
    rows: Sequence[list[States]],
    first: IntArray,
    last: IntArray,
    other: Float32,
    *,
    far: bool,
) -> "_Text":
    """Return a text of words that were placed from frames `first` to `last`, nearly.

    `rows` are the states of the ways of each, and `other` how anything else sounds [shape=(T,)].
    If words may be `far` from there, something else may be said beside them, between pauses.
    """
    n_words, n_frames, pause = len(rows), len(other), pause_states()
    low, high = _near(first, last, n_frames, _FAR if far else _NEAR)
    words: list[_Word] = []
    while (k := len(words)) < n_words:
        stop = k + 1
        while stop < n_words and high[stop] - low[k] <= _AT_ONCE:
            stop += 1
        begin, end = low[k - 1] if k else 0, high[stop] if stop < n_words else n_frames
        senones = [own.senones for ways in rows[k:stop] for own in ways]
        used = np.unique(np.concatenate([pause.senones, *senones]))
        sounds = _sounds(signal, used, begin, end, other)
        for at in range(k, stop):
            ways = [_in_columns(own, used) for own in rows[at]]
            words.append(
                _Word(ways or [_OTHER], low[at], high[at], sounds, _in_columns(pause, used))
            )
    return _Text(words, n_frames, far)


def _sounds(signal: Signal, senones: IntArray, begin: int, end: int, other: Float32) -> _Sounds:
    """Return how frames `begin` to `end` sound: like anything else, and like some senones."""

    def compute() -> _Sounds:
        heard = senone_scores(signal, senones, begin, end)
        return _Sounds(begin, np.column_stack((other[begin:end], heard)))

    if end - begin < len(other):
        return compute()
    return signal.cached(("sounds", senones.tobytes()), compute)  # words and gaps ask for them


def _in_columns(states: States, senones: IntArray) -> States:
    """Return states by their columns of sounds: anything else, and some senones."""
    return states._replace(senones=1 + np.searchsorted(senones, states.senones))


def _near(
    first: IntArray, last: IntArray, n_frames: int, reach: int
) -> tuple[list[int], list[int]]:
    """Return from when to when words may be that were placed from `first` to `last`."""
    low = np.minimum.accumulate(np.maximum(first - reach, 0)[::-1])[::-1]
    high = np.maximum.accumulate(np.minimum(last + reach, n_frames))
    return low.tolist(), high.tolist()


class _Text(NamedTuple):
    """The words of a text, one at least, and how many frames there are.

    What is before a word is heard with the sounds of that word, behind the last with those of it.
    If `paused`, pauses may stand before and behind something else.
    """

    words: list[_Word]
    n_frames: int
    paused: bool

    def reversed(self) -> "_Text":
        """Return it as it is when time runs backwards."""
        n = self.n_frames
        turned = {id(word.sounds): word.sounds.reversed(n) for word in self.words}
        words = [
            _Word(
                [way.reversed() for way in word.ways],
                n - word.last,
                n - word.first,
                turned[id(word.sounds)],
                word.pause.reversed(),
            )
            for word in reversed(self.words)
        ]
        return self._replace(words=words)

    def walked(self) -> tuple[list[_Gap], list[list[_Exits]]]:
        """Return the gap before each word and that behind the last; and the exits of its ways."""
        words, n = self.words, self.n_frames
        low = [0, *(word.first for word in words)]
        high = [*(word.last for word in words), n]
        left = _Door(0, np.full(high[0] + 1, _NEVER))  # all words before, and nothing behind them
        left.score[0] = 0.0
        gaps, exits = [], []
        for k in range(len(words) + 1):
            gap = self._gap(words[min(k, len(words) - 1)], left, low[k], high[k])
            gaps.append(gap)
            if k == len(words):
                break
            left = _Door(low[k + 1], np.full(high[k + 1] - low[k + 1] + 1, _NEVER))
            _better(left, _Door(gap.door.first, gap.door.score - _LEFT_OUT))
            of_word = words[k]
            exits.append(
                [
                    _passed(of_word.sounds, own, gap.door, of_word.first, of_word.last)
                    for own in of_word.ways
                ]
            )
            for own_exits in exits[-1]:
                _better(left, own_exits)
        return gaps, exits

    def _gap(self, near: _Word, left: _Door, first: int, last: int) -> _Gap:
        """Return a gap within some frames beside a word, behind all that is `left` of it."""
        sounds = near.sounds
        quiet = _with(left, _passed(sounds, near.pause, left, first, last))
        before = quiet if self.paused else left
        entry = _Door(before.first, before.score - _BEGIN_ELSE)
        said = _passed(sounds, _OTHER, entry, first, last)
        door = _with(quiet, said)
        if self.paused:
            behind = _Door(said.first, said.score)
            _better(door, _passed(sounds, near.pause, behind, first, last))
        return _Gap(left, quiet, said, door)

    def said_between(self) -> Float64:
        """Return how much more all score if something else is said in each gap."""
        ahead, _ = self.walked()
        behind, _ = self.reversed().walked()
        more = np.zeros(len(ahead))
        for k, (gap, back) in enumerate(zip(ahead, reversed(behind), strict=True)):
            said, _ = _joined(gap.said, self._turned(back.quiet))
            not_said, _ = _joined(gap.quiet, self._turned(back.left))
            more[k] = said.max(initial=_NEVER) - not_said.max(initial=_NEVER)
        return np.clip(more, -_MORE, _MORE)

    def _turned(self, door: _Door) -> _Door:
        """Return a door of the text that runs backwards, by what is behind a frame."""
        return _Door(self.n_frames - door.first - len(door.score) + 1, door.score[::-1])

    def compared(self) -> tuple[Float64, Float64, IntArray]:
        """Return the scores with each word and without it, and how many frames it has."""
        ahead, exits = self.walked()
        behind, _ = self.reversed().walked()
        n_words = len(self.words)
        with_each, without = np.full(n_words, _NEVER), np.full(n_words, _NEVER)
        frames = np.ones(n_words, dtype=np.intp)
        for k in range(n_words):
            after = self._turned(behind[n_words - 1 - k].door)
            together, _ = _joined(ahead[k].door, after)
            without[k] = together.max(initial=_NEVER)
            for own in exits[k]:
                together, since = _joined(own, after)
                if together.max(initial=_NEVER) > with_each[k]:
                    t = int(together.argmax())
                    with_each[k] = together[t]
                    begin = own.since[since + t - own.first]
                    frames[k] = max(since + t - begin, 1)
        return with_each, without, frames


def _passed(sounds: _Sounds, states: States, entry: _Door, first: int, last: int) -> _Exits:
    """Return the exits of states that are entered by a door, within some frames."""
    score = np.full(last - first + 1, _NEVER)
    since = np.zeros(last - first + 1, dtype=np.intp)
    scores = sounds.scores[first - sounds.first :]
    _pass(scores, *states, entry.score, first - entry.first, first, score, since)
    return _Exits(first, score, since)


def _with(door: _Door, other: _Exits) -> _Door:
    """Return a door that is as good as the better one of two, where both have scores."""
    best = _Door(door.first, door.score.copy())
    _better(best, other)
    return best


def _better(door: _Door, other: _Door | _Exits) -> None:
    """Raise the scores of a door to others, where both have some."""
    low = max(door.first, other.first)
    high = min(door.first + len(door.score), other.first + len(other.score))
    if low < high:
        own = door.score[low - door.first : high - door.first]
        np.maximum(own, other.score[low - other.first : high - other.first], out=own)


def _joined(before: _Door | _Exits, after: _Door) -> tuple[Float64, int]:
    """Return the scores of what is before a frame and behind it, and the first such frame."""
    low = max(before.first, after.first)
    high = min(before.first + len(before.score), after.first + len(after.score))
    high = max(low, high)
    own = before.score[low - before.first : high - before.first]
    return own + after.score[low - after.first : high - after.first], low


@compiled()
def _pass(
    scores: Float32,
    columns: IntArray,
    stay: Float64,
    leave: Float64,
    entry: Float64,
    ahead: int,
    first: int,
    score: Float64,
    since: IntArray,
) -> None:
    """Pass states in turn from frame `first` on; entry[t + ahead] is that before frame first + t.

    scores[t] are those of frame first + t; score[t] is raised to that of leaving the states before
    it, if they were entered in frame since[t]. Of equals it is better to stay.
    """
    n = len(columns)
    value, begin = np.full(n, _NEVER), np.zeros(n, dtype=np.intp)
    for t in range(len(score) - 1):
        for k in range(n - 1, -1, -1):
            best = value[k] + stay[k]
            if k > 0:
                other, other_begin = value[k - 1] + leave[k - 1], begin[k - 1]
            else:
                at = t + ahead
                other = entry[at] if 0 <= at < len(entry) else _NEVER
                other_begin = first + t
            if other > best:
                best = other
                begin[k] = other_begin
            value[k] = best + scores[t, columns[k]] if best > 0.5 * _NEVER else _NEVER
        if value[n - 1] + leave[n - 1] > score[t + 1]:
            score[t + 1] = value[n - 1] + leave[n - 1]
            since[t + 1] = begin[n - 1]
