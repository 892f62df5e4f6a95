"""Texts of training recordings whose numbers are read as they sound.

What is learned from texts - how words are said, how well they fit, which were not said - would
else be learned of *one hundred and one* where *one oh one* was said.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from align.errors import AlignError
from align.features import Feature, TimedSignal
from align.progress import Progress, counted
from align.speech.text.aligning import words_as_said
from align.speech.text.pronouncing.vocabulary import Vocabulary


def with_numbers_as_said(
    aligner: Any,
    items: Sequence[TimedSignal],
    features: Sequence[Sequence[Feature]],
    progress: Progress | None = None,
) -> list[TimedSignal]:
    """Return recordings; the texts with numbers that may be read in several ways have words.

    `features` of each item did not see it. Where there is no dictionary of the language of the
    aligner, and a text has words that nobody can say, all stays as it is.
    """
    items = list(items)
    try:
        vocabulary = Vocabulary.of(None, aligner.language or "en")
        asked = [n for n, item in enumerate(items) if vocabulary.read(item.text or "").several]
    except AlignError:  # an extra, and a program
        return items
    for n in counted(asked, progress, "reading numbers"):
        signal = items[n].signal
        model = copy(aligner)
        model.features_, model._recent = list(features[n]), None
        model.match_ = model.text_match_ = None  # nobody asks
        words = words_as_said(
            model, signal.samples, str(items[n].text), vocabulary, rate=signal.rate
        )
        items[n] = replace(items[n], text=" ".join(words))
    return items
