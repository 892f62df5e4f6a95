"""What was found of each speaker, passage by passage."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from align.speech.text.conversation import Conversation
from align.speech.text.parts import Recording
from align.speech.text.rows import Fit, Rows, end_of_speech, match_of, tiers_of
from align.speech.text.tiers import SpeakerTiers

__all__ = ["UNSURE", "Said"]

UNSURE, _FEW = 0.55, 4  # a smaller share of so many words and more is probably right


class Said:
    """Rows, words and fits of each speaker so far, in the order in which they were aligned."""

    def __init__(self) -> None:
        self._rows: dict[str, Rows] = {}
        self._words: dict[str, list[str]] = {}
        self._fits: dict[str, list[Fit]] = {}

    def counts(self, speakers: Sequence[str]) -> dict[str, int]:
        """Return how many words each of these speakers has said."""
        return {speaker: len(self._words.get(speaker, ())) for speaker in speakers}

    def end(self, speakers: Sequence[str]) -> float:
        """Return when the last of these speakers ended their last word, in seconds."""
        return max(end_of_speech(self._rows.get(speaker, [])) for speaker in speakers)

    @property
    def match(self) -> float | None:
        """How well all that was aligned fits, in [0, 1]; None where that is not known."""
        return match_of([fit for fits in self._fits.values() for fit in fits])

    @property
    def total_match(self) -> float:
        """How well all words match, each in [0, 1]; those that were not said match by 0."""
        total = 0.0
        for rows in self._rows.values():
            for word, own in groupby(rows, key=lambda row: row.word):
                fits = [row.match for row in own if word >= 0 and row.match is not None]
                total += float(np.mean(fits)) if fits else 0.0
        return total

    @property
    def unsure(self) -> str | None:
        """What is said where few of the words are probably right, and nothing else is.

        A match says how well sounds fit, and lists of words need several that move together:
        single words that are lost in noise, one here and one there, show in confidence alone.
        """
        sure = [
            next(own).confidence
            for rows in self._rows.values()
            for word, own in groupby(rows, key=lambda row: row.word)
            if word >= 0
        ]
        warned = any(fit.warnings for fits in self._fits.values() for fit in fits)
        if warned or len(sure) < _FEW or np.mean(sure) >= UNSURE:
            return None
        return (
            f"of {len(sure)} words probably only {round(sum(sure))} begin within 20 ms of where "
            "they were said: listen whether they can be heard, and look at the text."
        )

    def add(self, conversation: Conversation, rows: Rows, first: int, fits: Sequence[Fit]) -> None:
        """Add what was found of a passage; its first word in the rows has the number `first`."""
        before = self.counts(conversation.speakers)
        for speaker, (own, words) in conversation.by_speaker(rows, first, before).items():
            self._rows.setdefault(speaker, []).extend(own)
            self._words.setdefault(speaker, []).extend(words)
            self._fits.setdefault(speaker, []).extend(fits)

    def tiers(self, recording: Recording, warnings: tuple[str, ...]) -> dict[str, SpeakerTiers]:
        """Return the tiers of each speaker; `warnings` are of the whole text."""
        return {
            speaker: tiers_of(rows, self._words[speaker], recording, self._fits[speaker], warnings)
            for speaker, rows in self._rows.items()
        }
