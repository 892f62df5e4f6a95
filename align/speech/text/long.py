"""Long recordings with a text: where they can be cut between words, before words are aligned.

The lattice of an hour of text is too much to decode at once. A first, rough pass knows one
pronunciation of each word, and a pause behind each (`SequenceAligner.rough_onsets`), in which
anything else may be said: music, another language, a passage that is not in the text. Words take
next to no time there where they were not said. Where it makes a pause long, recording and text are
cut; see `align.sequence.stretches` for the rest.
"""

from typing import NamedTuple

import numpy as np

from align.sequence.stretches import Cut, cuts_at
from align.speech.text.text_part import TextPart
from align.types import Float64

LONG = 60.0  # seconds; what is shorter is aligned at once
_NOISE = 30.0  # what anything else between words costs in the rough pass, where it lasts seconds


class RoughWords(NamedTuple):
    """Where to cut a recording, and roughly when each word begins, in seconds [shape=(W,)].

    The cuts have the number of the word behind them.
    """

    cuts: list[Cut]
    onsets: Float64


def rough_words(text: TextPart, silence: str, noise: str | None) -> RoughWords | None:
    """Return roughly where words are; None where that cannot be said.

    `silence` is the label of a pause and `noise` that of anything else between words, which may be
    within a pause; None where all is in the text.
    """
    part, words = text.part, text.words
    gap = [silence] if noise is None else [silence, noise, silence]
    events, starts = [*gap], []
    for word in words:
        starts.append(len(events))
        events += [*text.wording.entries[word].ways[0].phones, *gap]
    if len(words) < 2:
        return None
    costs = {} if noise is None else {noise: _NOISE}
    rate = part.recording.rate
    onsets = part.model.rough_onsets(part.samples, events, rate=rate, costs=costs)
    if onsets is None:
        return None
    at = np.array(starts, dtype=np.intp)
    # the pauses before each word but the first, and of those that something parts the longer one
    pauses = at[1:, None] - np.arange(len(gap), 0, -2)
    lengths = onsets[pauses + 1] - onsets[pauses]
    chosen = np.take_along_axis(pauses, lengths.argmax(axis=1)[:, None], axis=1)[:, 0]
    begins, ends, numbers = onsets[chosen], onsets[chosen + 1], range(1, len(words))
    cuts = cuts_at(begins, ends, numbers, part.seconds, part.model.hop_)
    return RoughWords(cuts, onsets[at])
