"""Utterances without times are aligned as one text; what comes of it is told by speaker.

Who speaks when is not known then, but the order is: the words of all of them follow each other.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from align.speech.text.reading.transcript import Utterance
from align.speech.text.rows import Row, Rows
from align.types import SILENCE

__all__ = ["Conversation"]


class Conversation(NamedTuple):
    """The utterances of a conversation, and the words of each."""

    said: Sequence[Utterance]
    split: Sequence[Sequence[str]]

    @classmethod
    def of(
        cls, said: Sequence[Utterance], split: Sequence[Sequence[str]]
    ) -> "Conversation | None":
        """Return it where there are several utterances, none of which has times."""
        untimed = all(u.start is None and u.end is None for u in said)
        return cls(said, split) if untimed and len(said) > 1 else None

    def as_one(self) -> tuple[Utterance, tuple[str, ...]]:
        """Return all as one utterance, and its words."""
        text = " ".join(utterance.text for utterance in self.said)
        return Utterance(text), tuple(word for words in self.split for word in words)

    def _turns(self) -> list[int]:
        """Return the number of the utterance of each word."""
        return [n for n, words in enumerate(self.split) for _ in words]

    def by_speaker(self, rows: Rows) -> dict[str, tuple[Rows, list[str]]]:
        """Return the rows and the words of each speaker, who is silent while others speak."""
        found: dict[str, tuple[Rows, list[str]]] = {}
        own: list[tuple[str, int]] = []  # speaker of each word, and its place among theirs
        for utterance, words in zip(self.said, self.split, strict=True):
            spoken = found.setdefault(utterance.speaker, ([], []))[1]
            own += [(utterance.speaker, len(spoken) + i) for i in range(len(words))]
            spoken += words
        found = {speaker: both for speaker, both in found.items() if both[1]}
        speaking = next(iter(found))
        for row in rows:
            if row.word >= 0:
                speaking = own[row.word][0]
            for speaker, (theirs, _) in found.items():
                if speaker != speaking:
                    theirs.append(Row(SILENCE, row.start, row.confidence, -1, None, row.around))
                elif row.word >= 0:
                    theirs.append(row._replace(word=own[row.word][1]))
                else:
                    theirs.append(row)
        return found

    def timed(self, rows: Rows) -> list[Utterance]:
        """Return the utterances that have rows, with the times of their first and last words."""
        turn_of = self._turns()
        span: dict[int, tuple[float, float]] = {}
        for row, after in pairwise(rows):
            if row.word >= 0:
                turn = turn_of[row.word]
                span[turn] = span.get(turn, (row.start, 0.0))[0], after.start
        return [replace(self.said[n], start=start, end=end) for n, (start, end) in span.items()]

    def speaker_at(self, rows: Rows, time: float) -> str:
        """Return who spoke last before a time."""
        turn_of = self._turns()
        before = [row.word for row in rows if row.word >= 0 and row.start <= time]
        return self.said[turn_of[before[-1]] if before else 0].speaker
