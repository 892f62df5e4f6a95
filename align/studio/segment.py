"""What a document is made of: phones and pauses, or notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Segment:
    """A phone, a pause or a note.

    Parameters
    ----------
    id : int
        Its number, which it keeps.
    label : str
        The phone; of a note, the name of its pitch.
    start : float
        Seconds.
    confidence : float, optional
        How sure the start is, in [0, 1].
    fixed : bool
        Whether a person has set the start.
    word : int, optional
        Of speech: the number of the word that it belongs to.
    note : mapping, optional
        Of music: ``end`` (seconds), ``pitch`` (MIDI number), ``score_onset`` and ``duration``
        (seconds of the score), ``note_id``, and ``played``.
    """

    id: int
    label: str
    start: float
    confidence: float | None = None
    fixed: bool = False
    word: int | None = None
    note: Mapping[str, Any] | None = None

    @property
    def is_played(self) -> bool:
        """Whether it is no note that was not played."""
        return self.note is None or bool(self.note["played"])


def begins_word(segments: Sequence[Segment], k: int) -> bool:
    """Whether a word, or a pause between words, begins with a segment that is not the first."""
    return segments[k].word is None or segments[k].word != segments[k - 1].word
