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
from typing import NamedTuple, TypeAlias

from align.speech.text.reading.utterances import Utterance
from align.speech.text.rows import Row, Rows, begun_within
from align.types import MISPLACED, SILENCE, Mismatch

LOOSE = 2.0
"""Seconds by which speech may lie outside of a passage whose times are loose."""

_APART = 2 * LOOSE  # seconds without an utterance, between two passages
_AT_ONCE = 0.5  # seconds for which speakers overlap who do not only take turns

Spoken: TypeAlias = tuple[Utterance, Sequence[str]]
"""An utterance and its words."""


class Conversation(NamedTuple):
    """Utterances that are aligned as one text, and the words of each.

    With `near` they are looked for about their times, where these are loose; else anywhere.
    """

    turns: Sequence[Spoken]
    near: bool = True

    @property
    def said(self) -> list[Utterance]:
        """The utterances."""
        return [utterance for utterance, _ in self.turns]

    @property
    def words(self) -> tuple[str, ...]:
        """The words of all."""
        return tuple(word for _, own in self.turns for word in own)

    @property
    def speakers(self) -> list[str]:
        """Who speaks, in the order of the first words."""
        return list(dict.fromkeys(own.speaker for own, words in self.turns if words))

    def parted(self, duration: float) -> "tuple[Conversation, Conversation]":
        """Return what may begin in a recording of some seconds, and what is beyond its end."""
        late = [self.near and own.loose and (own.start or 0.0) >= duration for own in self.said]
        inside, beyond = (
            [turn for turn, is_late in zip(self.turns, late, strict=True) if is_late == side]
            for side in (False, True)
        )
        return self._replace(turns=inside), self._replace(turns=beyond)

    def as_one(self) -> Spoken:
        """Return all as one utterance, and its words."""
        said, words = self.said, self.words
        first = said[0]
        if len(said) == 1 and self.near:
            return first, words
        text = " ".join(utterance.text for utterance in said)
        if not first.loose or not self.near:
            return Utterance(text), words
        ends = [utterance.end for utterance in said if utterance.end is not None]
        return Utterance(text, first.start, max(ends), line=first.line, loose=True), words

    def _turns(self) -> list[int]:
        """Return the number of the utterance of each word."""
        return [n for n, (_, words) in enumerate(self.turns) for _ in words]

    def by_speaker(
        self, rows: Rows, first: int, before: Mapping[str, int]
    ) -> dict[str, tuple[Rows, list[str]]]:
        """Return the rows and the words of each speaker, who is silent while others speak.

        `first` is the number of the first word in the rows, and `before` how many words each has
        said before: theirs are counted from there.
        """
        found: dict[str, tuple[Rows, list[str]]] = {name: ([], []) for name in self.speakers}
        own: list[tuple[str, int]] = []  # speaker of each word, and its place among theirs
        for utterance, words in self.turns:
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
        said, turn_of = self.said, self._turns()
        if len(said) == 1 and not said[0].loose:
            return [(said[0], said[0])]
        span: dict[int, tuple[float, float]] = {}
        for row, after in pairwise(rows):
            if row.word >= 0:
                turn = turn_of[row.word - first]
                span[turn] = span.get(turn, (row.start, 0.0))[0], after.start
        return [
            (said[n], replace(said[n], start=start, end=end, loose=False))
            for n, (start, end) in span.items()
        ]

    def by_turn(self, run: Mismatch, rows: Rows, first: int) -> list[Mismatch]:
        """Return a mismatch with its speaker; of misplaced words each speaker's, one by one."""
        speaker = self.speaker_at(rows, first, run.start)
        if run.kind != MISPLACED or len(self.speakers) < 2:
            return [replace(run, speaker=speaker)]
        words, turn_of, wanted = self.words, self._turns(), list(run.words)
        found: list[tuple[str, float, list[str]]] = []
        for word in begun_within(rows, [run]).tolist():
            if wanted and words[word - first] == wanted[0]:
                speaker = self.turns[turn_of[word - first]][0].speaker
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
        return self.turns[turn_of[before[-1] - first] if before else 0][0].speaker


def conversations_of(turns: Sequence[Spoken]) -> list[Conversation]:
    """Return which utterances are aligned together, those with loose times in order of time.

    Where speakers overlap, no order of their words is right: each utterance is aligned alone.
    """
    if all(utterance.start is None and utterance.end is None for utterance, _ in turns):
        return [Conversation(turns)]
    if not all(utterance.loose for utterance, _ in turns):
        return [Conversation([turn]) for turn in turns]
    turns = sorted(turns, key=lambda turn: turn[0].start or 0.0)
    if _at_once([utterance for utterance, _ in turns]):
        return _alone(turns)
    found: list[list[Spoken]] = []
    end = 0.0
    for utterance, words in turns:
        assert utterance.start is not None
        assert utterance.end is not None
        if not found or utterance.start - end >= _APART:
            found.append([])
        found[-1].append((utterance, words))
        end = max(end, utterance.end)
    return list(map(Conversation, found))


def _at_once(said: Sequence[Utterance]) -> bool:
    """Whether two of the speakers of utterances, in order of time, speak at once."""
    ends: dict[str, float] = {}
    for utterance in said:
        others = [end for speaker, end in ends.items() if speaker != utterance.speaker]
        if utterance.start is not None and utterance.start < max(others, default=0.0) - _AT_ONCE:
            return True
        ends[utterance.speaker] = max(ends.get(utterance.speaker, 0.0), utterance.end or 0.0)
    return False


def _alone(turns: Sequence[Spoken]) -> list[Conversation]:
    """Return utterances held to their times, as one where those of a speaker overlap."""
    found: dict[str, list[tuple[Utterance, tuple[str, ...]]]] = {}
    for utterance, words in turns:
        theirs = found.setdefault(utterance.speaker, [])
        own, split = replace(utterance, loose=False), tuple(words)
        if theirs and (own.start or 0.0) < (theirs[-1][0].end or 0.0):
            before, its = theirs.pop()
            end = max(before.end or 0.0, own.end or 0.0)
            own, split = replace(before, text=f"{before.text} {own.text}", end=end), its + split
        theirs.append((own, split))
    return [Conversation([turn]) for theirs in found.values() for turn in theirs]
