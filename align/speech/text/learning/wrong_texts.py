"""The match of a text and a recording, learned from texts of a training corpus.

What a dictionary says is not what was said: right texts fit their recordings less well than right
phones do, where the dictionary is another's (espeak-ng's, for most languages) much less. So texts
have a match of their own, which is learned as that of phones: from the true text of each
recording, that of another, and one that is half wrong, all aligned by features that were not
fitted to the recording; and, since the words of a short text say less, from a piece of the
recording, of one to six words, with them and with as many words of another text. Half of the
recordings are moved elsewhere, where right texts fit less well: in noise or in a room, but not
where another aligner of the model will be asked.
"""

from collections.abc import Hashable, Sequence
from copy import copy
from typing import Any

import numpy as np

from align.errors import AlignError
from align.features import Feature, Signal, TimedSignal
from align.features.sound.surroundings import KINDS
from align.speech.match import MatchModel
from align.speech.mismatches import FEWEST, NOISE, SPOILED, Kinds, spoiled
from align.speech.surroundings import signal_elsewhere
from align.speech.text.aligning import align_text
from align.speech.text.pronouncing.vocabulary import Vocabulary
from align.speech.text.tiers import TextAlignment
from align.types import SILENCE, Event, Float32

_MOST = 120  # recordings; in each round four texts of one are aligned, and two of a piece of it
_ROUNDS = 3
_WORDS = 6  # of a piece, at most
_OTHERS = 20  # of whose recordings people in the background speak
_AS_IT_IS = None  # surroundings of a recording, beside `KINDS`


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
        vocabulary = Vocabulary.of(None, language)
        texts = [vocabulary.words(str(item.text)) for item, _ in with_text]
    except AlignError:  # an extra, and a program
        return None
    learner = TextMatches(aligner, vocabulary.dictionary, language, surroundings_of(aligner))
    rng = np.random.default_rng(aligner.random_state)
    people = [item.signal.samples for item, _ in with_text[:_OTHERS]]
    chosen = rng.permutation(len(texts))[:_MOST].tolist()
    for r in range(_ROUNDS):  # each moves a recording elsewhere, with other wrong texts
        for n, i in enumerate(chosen):
            item, own = with_text[i]
            learner.add(texts, i, n + r, item.signal, own, people, rng, item.group)
    return learner.fitted()


def surroundings_of(aligner: Any) -> tuple[str | None, ...]:
    """Return surroundings of recordings: half of them some that have no aligner of their own."""
    others = aligner._kinds() if aligner.surroundings else ()
    own = [kind for kind in KINDS if kind not in others]
    return (_AS_IT_IS,) * max(len(own), 1) + tuple(own)


class TextMatches:
    """Collects the evidence of right and wrong texts of recordings, for `learned_text_match`.

    Parameters
    ----------
    aligner : SpeechAligner
        Whose match it is.
    dictionary : Dictionary
        Of the language.
    language : str
        Code of the language of the texts.
    surroundings : sequence of (str or None)
        Where recordings are moved, in turn: to one of `align.features.sound.surroundings.KINDS`,
        or None as they are.
    both_scorers : bool
        Whether other orders of the sounds have second scores, too.
    """

    def __init__(
        self,
        aligner: Any,
        dictionary: Any,
        language: str,
        surroundings: Sequence[str | None],
        *,
        both_scorers: bool = False,
    ) -> None:
        self.aligner = aligner
        self.kinds = Kinds(aligner, orders=True, both_scorers=both_scorers)
        self.surroundings = surroundings
        self.whole: set[int] = set()  # recordings whose texts were aligned
        self.source: tuple[Hashable, Hashable] = None, 0  # speaker and recording
        self.options = {"dictionary": dictionary, "language": language, "trust": True}

    def add(
        self,
        texts: Sequence[tuple[str, ...]],
        i: int,
        n: int,
        signal: Signal,
        features: Sequence[Feature],
        people: Sequence[Float32],
        rng: np.random.Generator,
        speaker: Hashable = None,
    ) -> None:
        """Add a recording, that of text i, and a piece of it.

        How the text is spoiled, and where the recording is moved, goes round with `n`; `people`
        may speak in the background.
        """
        # By and by every way to spoil a text comes in all of them.
        kind = self.surroundings[(n + n // SPOILED) % len(self.surroundings)]
        moved = signal if kind is _AS_IT_IS else signal_elsewhere(signal, rng, people, kind)
        self.source = speaker, i
        found = self._add("right", moved, texts[i], features)
        if found is not None:
            self.whole.add(i)
            if n % NOISE == 0:
                self.kinds.add_noise(moved, self._events(found), features, rng)
        for wrong, words in spoiled(texts, i, n, rng):
            self._add(wrong, moved, words, features)
        if moved is not signal:  # where words lie is known better without noise
            found = self._aligned(signal, texts[i], features)
        size = int(rng.integers(1, _WORDS + 1))
        other = texts[int(rng.integers(len(texts)))]
        if found is None or size >= len(texts[i]) or size > len(other) or other == texts[i]:
            return
        spans = [
            span
            for label, span in zip(found.words.labels, found.words.intervals, strict=True)
            if label != SILENCE
        ]
        at = int(rng.integers(len(texts[i]) - size + 1))
        start, end = spans[at][0], spans[at + size - 1][1]
        samples = moved.samples[round(start * signal.rate) : round(end * signal.rate)]
        piece = Signal(samples, signal.rate, signal.hop, signal.name)
        self._add("right", piece, texts[i][at : at + size], features)
        at = int(rng.integers(len(other) - size + 1))
        self._add("wrong", piece, other[at : at + size], features)

    def fitted(self, **options: float) -> MatchModel | None:
        """Return the model, by options of `fitted_match`; None of too few recordings."""
        return self.kinds.fitted(**options) if len(self.whole) >= FEWEST else None

    def _add(
        self, kind: str, signal: Signal, words: Sequence[str], features: Sequence[Feature]
    ) -> TextAlignment | None:
        found = self._aligned(signal, words, features)
        if found is not None:
            self.kinds.add(kind, signal, self._events(found), features, self.source)
        return found

    def _events(self, found: TextAlignment) -> tuple[Event, ...]:
        events: tuple[Event, ...] = self.aligner._expand(tuple(found.phones.events))[0]
        return events

    def _aligned(
        self, signal: Signal, words: Sequence[str], features: Sequence[Feature]
    ) -> TextAlignment | None:
        """Return words aligned; None where nobody can say one, or there is no room for them."""
        model = copy(self.aligner)  # with features that were not fitted to the recording
        model.features_, model._recent = list(features), None
        model.match_ = model.text_match_ = None  # nobody asks, and orders take a while
        try:
            return align_text(
                model, signal.samples, " ".join(words), rate=signal.rate, **self.options
            )
        except AlignError:
            return None
