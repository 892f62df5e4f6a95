"""A second scorer of one recording, which takes the labels of a model.

It is an acoustic model of English phones (`align.features.phones.monophones`,
`align.features.phones.triphones`), which labels resemble more or less. How it scores sounds stands
in `align.speech.second_scores`, and words and what lies between them in
`align.speech.word_scores`.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np

from align.errors import DataError
from align.features import Signal
from align.features.phones.monophones import english_phone, monophone
from align.speech.second_scores import second_scores
from align.speech.word_scores import (
    Again,
    TextScorer,
    Ways,
    can_score_words,
    text_scorer,
    word_scores,
)
from align.types import Float64, IntArray

WaysOfWords: TypeAlias = Sequence[Sequence[Sequence[str]]]
"""For each word the ways in which it may be said, as labels of a model."""


class SecondScorer:
    """A second scorer of one recording.

    Parameters
    ----------
    signal : Signal
        The recording.
    sounds : callable
        Returns what labels sound like, in the IPA; None for what is no sound.
    english : bool
        Whether labels may be names of English phones, which are then known by them.
    """

    def __init__(
        self,
        signal: Signal,
        sounds: Callable[[Sequence[str]], list[str | None]],
        *,
        english: bool,
    ) -> None:
        self._signal, self._sounds, self._english = signal, sounds, english
        self._last: tuple[WaysOfWords, Float64, TextScorer] | None = None
        self._known: dict[str, int | None] = {}  # the phones of labels that it was asked for

    @cached_property
    def can_score_words(self) -> bool:
        """Whether its scores of words mean anything: not in loud noise."""
        return can_score_words(self._signal)

    def of_events(self, labels: Sequence[str], intervals: Float64) -> Float64 | None:
        """Return its scores of events; see `align.speech.second_scores`.

        Parameters
        ----------
        labels : sequence of str, length K
            What each event is.
        intervals : np.ndarray [shape=(K, 2)]
            Start and end of each in seconds.

        Returns
        -------
        np.ndarray [shape=(K, 2)] or None
            NaN for silences, closures of stops, and what is no IPA; None where all are such.
        """
        start, stop = np.rint(intervals / self._signal.hop).astype(np.intp).T
        return second_scores(self._signal, self._sounds(labels), start, stop)

    def of_words(self, ways: WaysOfWords, times: Float64) -> Float64:
        """Return its scores of words; see `align.speech.word_scores`.

        Parameters
        ----------
        ways : WaysOfWords, length W
            How each word may be said.
        times : np.ndarray [shape=(W, 2)]
            When each begins and ends, nearly, in seconds.

        Returns
        -------
        np.ndarray [shape=(W,)]
            Less what is usual; 0 of words that it does not know.
        """
        return word_scores(*self._asked(ways, times))

    def of_gaps(self, ways: WaysOfWords, times: Float64, known: Collection[int] = ()) -> Float64:
        """Return how much more a text fits if something else is said in a gap [shape=(W + 1,)].

        In the gap before each word, and behind the last, and in no other but those where it is
        `known` that it may be. Other parameters are those of `of_words`.
        """
        return self._text(ways, times).in_gaps(known)

    def said_again(self, ways: WaysOfWords, times: Float64) -> Again | None:
        """Return the words that seem to be said twice; parameters are those of `of_words`."""
        return self._text(ways, times).again(english=self._english)

    def of_text(self, ways: WaysOfWords, times: Float64) -> float:
        """Return how well a text fits; parameters are those of `of_words`."""
        return self._text(ways, times).fit()

    def _text(self, ways: WaysOfWords, times: Float64) -> TextScorer:
        """Return a text with its scores. The last one is kept, as it is used several times."""
        last = self._last
        if last is None or last[0] != ways or not np.array_equal(last[1], times):
            last = ways, times, text_scorer(*self._asked(ways, times))
        self._last = last
        return last[2]

    def _asked(
        self, ways: WaysOfWords, times: Float64
    ) -> tuple[Signal, Sequence[Ways], IntArray, IntArray]:
        """Return the arguments of `align.speech.word_scores`."""
        start, stop = np.rint(times / self._signal.hop).astype(np.intp).T
        labels = dict.fromkeys(label for own in ways for way in own for label in way)
        new = [label for label in labels if label not in self._known]
        self._known.update(zip(new, self._columns(new), strict=True))
        column = {label: own for label in labels if (own := self._known[label]) is not None}
        known = [
            [[column[label] for label in way] for way in own if way and column.keys() >= {*way}]
            for own in ways
        ]
        return self._signal, known, start, stop

    def _columns(self, labels: Sequence[str]) -> list[int | None]:
        """Return the phones that labels sound like; None of what is no sound."""
        columns = []
        for label, sound in zip(labels, self._sounds(labels), strict=True):
            own = english_phone(label) if self._english else None
            if own is None:
                try:
                    own = None if sound is None else monophone(sound)
                except DataError:
                    pass
            columns.append(own)
        return columns
