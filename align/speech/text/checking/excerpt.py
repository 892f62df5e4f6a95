"""The part of a long text that a recording has: a chapter of a book, a paragraph of an article.

The lattice of a text that is much longer than its recording is too large to search, and most of
its words do not fit. But where a recording begins and ends in the text is found without times:
the phones that a text is made of follow one another in cells of the recording
(`align.decoders.excerpt`), and where the text is right they score far better than anywhere else.

Frames count as observations of phones, of which those of 25 ms are one: then the score of phones
is the logarithm of their probability. What no phone of the text explains scores a little less than
the best sequence of any phones. Chance finds something in any text, and as much in a text that is
read backwards: a stretch must be far better than that.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from align.decoders.excerpt import Excerpt, best_excerpt
from align.speech.text.checking.strictness import strictness_of
from align.speech.text.lattice import Realisations, realisations
from align.speech.text.model import model_labels
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.text_part import TextPart
from align.types import SPOKEN_NOISE, BoolArray, Float32, Float64, IntArray

_CELL = 0.02  # seconds
_OTHER = 1.5  # nats, that an observation of anything else scores less than the best phones
_PASSING = 2.0  # nats, of a phone that is passed over
_SURE = 8.0  # nats per second, by which a stretch must beat what chance finds
_PROBE = 60.0  # seconds at either end of a recording, that say where it begins and ends
_PACE = 5.0  # words per second
_FASTEST = 40.0  # phones and pauses per second
_FEWEST = 5  # words beside the excerpt, from which on it is worth looking


class _Cells(NamedTuple):
    """Scores of labels [shape=(S, C)] and of anything else [shape=(C,)], and seconds of all."""

    table: Float64
    other: Float64
    seconds: float

    def backwards(self) -> "_Cells":
        """Return the recording from its end to its beginning."""
        return _Cells(self.table[:, ::-1], self.other[::-1], self.seconds)


class _Chain(NamedTuple):
    """The phones of a text one after the other, with a pause behind each word.

    A stretch may begin or end with a pause, which counts to the word behind it.
    """

    rows: IntArray  # which label each is
    word: IntArray  # and of which word it is
    pause: BoolArray
    begins: BoolArray
    ends: BoolArray

    def backwards(self) -> "_Chain":
        """Return the text from its last phone to its first; so are its words counted."""
        pause = self.pause[::-1]
        word = self.word.max() - 1 - self.word[::-1] + pause
        return _Chain(self.rows[::-1], word, pause, self.ends[::-1], self.begins[::-1])

    def head(self, n: int) -> "_Chain":
        """Return its first phones and pauses."""
        rows, word, pause, begins, ends = self
        return _Chain(rows[:n], word[:n], pause[:n], begins[:n], ends[:n])

    def best(self, cells: _Cells, most: float = np.inf) -> Excerpt:
        """Return the best stretch of it, or of those behind at most so many of its words."""
        begins, passing = self.begins & (self.word < most), np.where(self.pause, 0.0, _PASSING)
        return best_excerpt(cells.table, self.rows, cells.other, passing, begins, self.ends)


def excerpt_of(asked: TextPart, silence: str) -> range:
    """Return the numbers of the words that a recording seems to have, one stretch of the text.

    All of them where nothing says otherwise; at either end none or at least five are left out. Of
    the ways in which a word may be said the first counts; `silence` is the label of a pause.
    """
    model, samples, rate = asked.part.model, asked.part.samples, asked.part.recording.rate
    words, entries = asked.words, asked.wording.entries
    observation = strictness_of(model).observation
    labels, text = _chain_of(words, entries, silence, realisations(model_labels(model), entries))

    def cells_of(part: Float32) -> _Cells | None:
        found = model.cell_scores(part, labels, "network.phone", cell=_CELL, rate=rate)
        if found is None:
            return None
        scale = model.hop_ / observation  # each frame counts as that much of an observation
        other = scale * found.best - _OTHER * found.seconds / observation
        return _Cells(scale * found.table, other, found.seconds * len(other))

    size = round(_PROBE * rate)
    begin = cells_of(samples if len(samples) <= 2 * size else samples[:size])
    end = begin if len(samples) <= 2 * size else cells_of(samples[-size:])
    if begin is None or end is None:
        return range(len(words))
    first = _left_out(begin, text, text.backwards())
    stop = len(words) - _left_out(end.backwards(), text.backwards(), text)
    return range(first, stop) if first < stop else range(len(words))


def _chain_of(
    words: Sequence[str],
    entries: Mapping[str, Entry],
    silence: str,
    alternatives: Realisations,
) -> tuple[list[str], _Chain]:
    """Return the labels that a text has, and its phones among them."""
    spoken: list[list[str]] = []
    for word in words:
        phones = entries[word].ways[0].phones
        ways = [alternatives.get(phone, ((phone,),))[0] for phone in phones]
        known = [label for way in ways for label in way if label != SPOKEN_NOISE]
        spoken.append(known or [silence])
    lengths = np.array([len(phones) + 1 for phones in spoken])
    labels = sorted({silence, *(label for phones in spoken for label in phones)})
    number = {label: k for k, label in enumerate(labels)}
    rows = [number[label] for phones in spoken for label in (*phones, silence)]
    last = np.cumsum(lengths) - 1
    pause, begins, ends = np.zeros((3, len(rows)), dtype=bool)
    pause[last] = True
    begins[last - lengths + 1] = ends[last - 1] = True
    numbers = np.repeat(np.arange(len(words)), lengths) + pause
    return labels, _Chain(np.array(rows), numbers, pause, begins | pause, ends | pause)


def _left_out(cells: _Cells, text: _Chain, other_way: _Chain) -> int:
    """Return how many words at the beginning of the text a recording begins behind."""
    # what clearly begins as the text does needs no search of all of it
    begun = text.head(round(_FASTEST * cells.seconds)).best(cells, _FEWEST)
    if begun.score > cells.other.sum() + 2 * _SURE * cells.seconds:
        return 0
    found = text.best(cells)
    if found.first == found.stop:
        return 0
    first = int(text.word[found.first])
    # what nothing explains in front may be words that are hardly audible
    most = _FEWEST + _PACE * cells.seconds * found.begin / len(cells.other)
    least = found.score - _SURE * cells.seconds
    if first < most or max(text.best(cells, most).score, other_way.best(cells).score) > least:
        return 0
    return first
