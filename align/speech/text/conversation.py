"""Utterances that are aligned as one text; what comes of it is listed by speaker.

Of utterances without times only the order is known: the words of all of them follow each other.
Times that were made to read by, as of subtitles, or that a recogniser guessed, are *loose*: they
say about where to look, and which words stand beside each other, but no word begins or ends there.
Such utterances are aligned together up to a long pause. Of pieces of six words, each alone and
held to its times, 78.0 % of the words begin within 20 ms where the times are off by .1 s, and
91.1 % where they are exact; together 91.6 % either way (``recipes/recogniser``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from align.speech.text.reading.transcript import Utterance
from align.speech.text.rows import Row, Rows, begun_within
from align.types import MISPLACED, SILENCE, Mismatch

__all__ = ["LOOSE", "Conversation", "conversations_of"]

LOOSE = 2.0
"""Seconds by which speech may lie outside of a passage whose times are loose."""

_APART = 2 * LOOSE  # seconds without an utterance, between two passages
_AT_ONCE = 0.5  # seconds for which speakers overlap who do not only take turns


class Conversation(NamedTuple):
    """Utterances that are aligned as one text, and the words of each.

    With `near` they are looked for about their times, where these are loose; else anywhere.
    """

    said: Sequence[Utterance]
    split: Sequence[Sequence[str]]
    near: bool = True

    @property
    def speakers(self) -> list[str]:
        """Who speaks, in the order of the first words."""
        pairs = zip(self.said, self.split, strict=True)
        return list(dict.fromkeys(utterance.speaker for utterance, words in pairs if words))

    def parted(self, duration: float) -> "tuple[Conversation, Conversation]":
        """Return what may begin in a recording of some seconds, and what is beyond its end."""
        pairs = list(zip(self.said, self.split, strict=True))
        late = [self.near and own.loose and (own.start or 0.0) >= duration for own in self.said]
        inside, beyond = (
            [pair for pair, is_late in zip(pairs, late, strict=True) if is_late == side]
            for side in (False, True)
        )
        return self._of(inside), self._of(beyond)

    def _of(self, pairs: Sequence[tuple[Utterance, Sequence[str]]]) -> "Conversation":
        return Conversation([own for own, _ in pairs], [words for _, words in pairs], self.near)

    def as_one(self) -> tuple[Utterance, tuple[str, ...]]:
        """Return all as one utterance, and its words."""
        words = tuple(word for own in self.split for word in own)
        first = self.said[0]
        if len(self.said) == 1 and self.near:
            return first, words
        text = " ".join(utterance.text for utterance in self.said)
        if not first.loose or not self.near:
            return Utterance(text), words
        ends = [utterance.end for utterance in self.said if utterance.end is not None]
        return Utterance(text, first.start, max(ends), line=first.line, loose=True), words

    def _turns(self) -> list[int]:
        """Return the number of the utterance of each word."""
        return [n for n, words in enumerate(self.split) for _ in words]

    def by_speaker(
        self, rows: Rows, first: int, before: Mapping[str, int]
    ) -> dict[str, tuple[Rows, list[str]]]:
        """Return the rows and the words of each speaker, who is silent while others speak.

        `first` is the number of the first word in the rows, and `before` how many words each has
        said before: theirs are counted from there.
        """
        found: dict[str, tuple[Rows, list[str]]] = {name: ([], []) for name in self.speakers}
        own: list[tuple[str, int]] = []  # speaker of each word, and its place among theirs
        for utterance, words in zip(self.said, self.split, strict=True):
            spoken = found[utterance.speaker][1] if words else []
            place = before.get(utterance.speaker, 0) + len(spoken)
            own += [(utterance.speaker, place + i) for i in range(len(words))]
            spoken += words
        speaking = next(iter(found))
        for row in rows:
            if row.word >= 0:
                speaking = own[row.word - first][0]
            for speaker, (theirs, _) in found.items():
                if speaker != speaking:
                    theirs.append(Row(SILENCE, row.start, row.confidence, -1, None, row.around))
                elif row.word >= 0:
                    theirs.append(row._replace(word=own[row.word - first][1]))
                else:
                    theirs.append(row)
        return found

    def timed(self, rows: Rows, first: int) -> list[tuple[Utterance, Utterance]]:
        """Return the utterances, each also with its exact times, of its first and last word."""
        if len(self.said) == 1 and not self.said[0].loose:
            return [(self.said[0], self.said[0])]
        turn_of = self._turns()
        span: dict[int, tuple[float, float]] = {}
        for row, after in pairwise(rows):
            if row.word >= 0:
                turn = turn_of[row.word - first]
                span[turn] = span.get(turn, (row.start, 0.0))[0], after.start
        return [
            (self.said[n], replace(self.said[n], start=start, end=end, loose=False))
            for n, (start, end) in span.items()
        ]

    def by_turn(self, run: Mismatch, rows: Rows, first: int) -> list[Mismatch]:
        """Return a mismatch with its speaker; of misplaced words each speaker's, one by one."""
        speaker = self.speaker_at(rows, first, run.start)
        if run.kind != MISPLACED or len(self.speakers) < 2:
            return [replace(run, speaker=speaker)]
        words = [word for own in self.split for word in own]
        turn_of, wanted = self._turns(), list(run.words)
        found: list[tuple[str, float, list[str]]] = []
        for word in begun_within(rows, [run]).tolist():
            if wanted and words[word - first] == wanted[0]:
                speaker = self.said[turn_of[word - first]].speaker
                if not found or found[-1][0] != speaker:
                    start = next(row.start for row in rows if row.word == word)
                    found.append((speaker, start, []))
                found[-1][2].append(wanted.pop(0))
        if wanted:  # words have moved since
            return [replace(run, speaker=speaker)]
        ends = [*(start for _, start, _ in found[1:]), run.end]
        return [
            replace(run, start=start, end=end, words=tuple(own), speaker=speaker)
            for (speaker, start, own), end in zip(found, ends, strict=True)
        ]

    def speaker_at(self, rows: Rows, first: int, time: float) -> str:
        """Return who spoke last before a time."""
        turn_of = self._turns()
        before = [row.word for row in rows if row.word >= 0 and row.start <= time]
        return self.said[turn_of[before[-1] - first] if before else 0].speaker


def conversations_of(
    said: Sequence[Utterance], split: Sequence[Sequence[str]]
) -> list[Conversation]:
    """Return which utterances are aligned together, those with loose times in order of time.

    Where speakers overlap, no order of their words is right: each utterance is aligned alone.
    """
    if all(utterance.start is None and utterance.end is None for utterance in said):
        return [Conversation(said, split)]
    pairs = list(zip(said, split, strict=True))
    if not all(utterance.loose for utterance in said):
        return [Conversation([utterance], [words]) for utterance, words in pairs]
    pairs.sort(key=lambda pair: pair[0].start or 0.0)
    if _at_once([utterance for utterance, _ in pairs]):
        return _alone(pairs)
    found: list[tuple[list[Utterance], list[Sequence[str]]]] = []
    end = 0.0
    for utterance, words in pairs:
        assert utterance.start is not None
        assert utterance.end is not None
        if not found or utterance.start - end >= _APART:
            found.append(([], []))
        found[-1][0].append(utterance)
        found[-1][1].append(words)
        end = max(end, utterance.end)
    return [Conversation(*both) for both in found]


def _at_once(said: Sequence[Utterance]) -> bool:
    """Whether two of the speakers of utterances, in order of time, speak at once."""
    ends: dict[str, float] = {}
    for utterance in said:
        others = [end for speaker, end in ends.items() if speaker != utterance.speaker]
        if utterance.start is not None and utterance.start < max(others, default=0.0) - _AT_ONCE:
            return True
        ends[utterance.speaker] = max(ends.get(utterance.speaker, 0.0), utterance.end or 0.0)
    return False


def _alone(pairs: Sequence[tuple[Utterance, Sequence[str]]]) -> list[Conversation]:
    """Return utterances held to their times, as one where those of a speaker overlap."""
    found: dict[str, list[tuple[Utterance, tuple[str, ...]]]] = {}
    for utterance, words in pairs:
        theirs = found.setdefault(utterance.speaker, [])
        own, split = replace(utterance, loose=False), tuple(words)
        if theirs and (own.start or 0.0) < (theirs[-1][0].end or 0.0):
            before, its = theirs.pop()
            end = max(before.end or 0.0, own.end or 0.0)
            own, split = replace(before, text=f"{before.text} {own.text}", end=end), its + split
        theirs.append((own, split))
    return [Conversation([own], [split]) for theirs in found.values() for own, split in theirs]
