"""What is asked of the words of an utterance, and what was found of those aligned at once."""

from collections.abc import Sequence
from typing import NamedTuple

from align.results.alignment import Alignment
from align.speech.text.reading.transcript import Utterance
from align.speech.text.rows import Rows
from align.types import Float64, Mismatch

__all__ = ["Asked", "Piece"]


class Asked(NamedTuple):
    """Words to align between two times, in seconds; the first has a number in its text.

    They begin `near` some times in the span, if given.
    """

    utterance: Utterance
    words: Sequence[str]
    span: tuple[float, float]
    first: int
    near: Float64 | None = None


class Piece(NamedTuple):
    """Words that were aligned at once.

    Their rows and mismatches, in seconds of the recording, the alignment of all of them, whose
    match counts, and the utterance, or the part of it, that they are.
    """

    rows: Rows
    mismatches: list[Mismatch]
    whole: Alignment
    utterance: Utterance
