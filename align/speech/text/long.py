"""Long recordings with a text: where they can be cut between words, before words are aligned.

The lattice of an hour of text is too much to decode at once. A first, rough pass knows one
pronunciation of each word, and a pause behind each (`SequenceAligner.rough_onsets`). Where it
makes a pause long, recording and text are cut; see `align.sequence.stretches` for the rest.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from align.sequence.stretches import Cut, cuts_at
from align.speech.text.lookup import Entry

__all__ = ["LONG", "RoughAligner", "cuts_between_words"]

LONG = 60.0  # seconds; what is shorter is aligned at once


class RoughAligner(Protocol):
    """What is asked of an aligner of phones."""

    hop_: float

    def rough_onsets(
        self, audio: Any, events: Sequence[str], *, rate: int | None
    ) -> npt.NDArray[np.float64] | None:
        """Return roughly when each event begins, in seconds, or None."""
        ...


def cuts_between_words(
    model: RoughAligner,
    samples: npt.NDArray[np.float32],
    rate: int,
    words: Sequence[str],
    entries: Mapping[str, Entry],
    silence: str,
) -> list[Cut]:
    """Return where to cut a recording, and the number of the word behind each cut.

    `samples` [shape=(n,)] are at `rate` Hz; `silence` is the label of a pause.
    """
    events, pauses = [silence], []
    for word in words:
        events += [*entries[word].ways[0].phones, silence]
        pauses.append(len(events) - 1)
    between = np.array(pauses[:-1], dtype=np.intp)
    onsets = model.rough_onsets(samples, events, rate=rate) if between.size else None
    if onsets is None:
        return []
    numbers = range(1, len(words))
    return cuts_at(onsets[between], onsets[between + 1], numbers, len(samples) / rate, model.hop_)
