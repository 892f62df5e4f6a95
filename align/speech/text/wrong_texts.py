"""The match of a text and a recording, learned from texts of a training corpus.

What a dictionary says is not what was said: right texts fit their recordings less well than right
phones do, where the dictionary is another's (espeak-ng's, for most languages) much less. So texts
have a match of their own, which is learned as that of phones: from the true text of each
recording, that of another, and one that is half wrong, all aligned by features that did not hear
the recording. Half of the recordings are heard as they would be in noise or in a room, where right
texts fit less well.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import AlignError
from align.features import Feature, Signal, TimedSignal
from align.features.surroundings import KINDS, elsewhere
from align.speech.match import MatchModel
from align.speech.mismatches import FEWEST, NOISE, Kinds, spoiled
from align.speech.text.aligning import align_text
from align.speech.text.lookup import make_dictionary
from align.speech.text.normalise import split_words

__all__ = ["learned_text_match"]

_MOST = 120  # recordings; the text of each is aligned three times
_OTHERS = 20  # of whose recordings people in the background speak


def learned_text_match(
    aligner: Any, items: Sequence[TimedSignal], features: Sequence[Sequence[Feature]]
) -> MatchModel | None:
    """Return the match model of texts, learned from the recordings that carry theirs.

    `features` of each item did not see it. None where there are fewer than eight texts whose words
    the dictionary of the language has, or espeak-ng can guess.
    """
    language = aligner.language or "en"
    with_text = [(item, own) for item, own in zip(items, features, strict=True) if item.text]
    try:
        dictionary = make_dictionary(None, language)
        texts = [
            split_words(str(item.text), language=language, known=dictionary.__contains__)
            for item, _ in with_text
        ]
    except AlignError:  # an extra, and a program
        return None
    rng = np.random.default_rng(aligner.random_state)
    kinds = Kinds(aligner, backwards=aligner.takes_ipa)
    people = [item.signal.samples for item, _ in with_text[:_OTHERS]]
    for n, i in enumerate(rng.permutation(len(texts))[:_MOST].tolist()):
        item, own = with_text[i]
        model = copy(aligner)  # as it is, but with features that did not hear the recording
        model.features_, model._recent = list(own), None
        signal = item.signal if n // 2 % 2 == 0 else _elsewhere(item.signal, rng, people, n)
        for kind, words in [("right", texts[i]), *spoiled(texts, i, n, rng)]:
            try:
                found = align_text(
                    model, signal.samples, " ".join(words), rate=signal.rate,
                    dictionary=dictionary, language=language, trust=True,
                )  # fmt: skip
            except AlignError:  # nobody can say a word, or the recording has no room for them
                continue
            events = aligner._expand(tuple(found.phones.events))[0]
            kinds.add(kind, signal, events, own)
            if kind == "right" and n % NOISE == 0:
                kinds.add_noise(signal, events, own, rng)
    return kinds.fitted() if len(kinds.found["right"]) >= FEWEST else None


def _elsewhere(
    signal: Signal, rng: np.random.Generator, people: Sequence[npt.NDArray[np.float32]], n: int
) -> Signal:
    """Return a recording as it would be heard in noise, or where `n` is odd in a room."""
    samples = elsewhere(signal.samples, signal.rate, rng, people, KINDS[n % len(KINDS)])
    return Signal(samples, signal.rate, signal.hop, signal.name)
