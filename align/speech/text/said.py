"""What was found of each speaker, passage by passage."""

from collections.abc import Sequence

from align.speech.text.conversation import Conversation
from align.speech.text.parts import Recording
from align.speech.text.rows import Fit, Rows, end_of_speech, tiers_of
from align.speech.text.tiers import SpeakerTiers

__all__ = ["Said"]


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
