"""From training recordings with text to what realisations cost, for `SpeechAligner.fit`.

And to how sure the starts of words are. The confidence of an onset takes its phones for granted;
from text they were chosen, and where they are not those that were said the onset may be off,
however sure it is. So a second correction is learned: how often words begin within 20 ms of where
they do on the path that agrees with the transcribers.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from align.errors import DataError, ParameterError
from align.features import Feature, TimedSignal
from align.progress import Progress, counted
from align.sequence.feature_terms import terms_of
from align.sequence.fit import fits_of
from align.sequence.lattice.on_lattice import lattice_scores, with_roles
from align.sequence.lattice_paths import averaged
from align.sequence.learning.crossfit import folds_of
from align.sequence.times.sureness import Sureness
from align.speech.text.lattice import Realised, realisations, word_lattice
from align.speech.text.learning.costs import (
    Spoken,
    agreement,
    found_and_true,
    learn_costs,
    spoken,
)
from align.speech.text.model import PhoneAligner, model_labels
from align.speech.text.pronouncing.articulation import IpaRules, sound_of
from align.speech.text.pronouncing.realisation import Rules
from align.speech.text.pronouncing.vocabulary import Vocabulary
from align.types import SILENCE, SILENCES, Event, Float64, IntArray

MOST = 1000
"""Recordings whose text is used, half a megabyte each; of more, so many are drawn."""

_NEAR = 0.02  # seconds; what confidence is about


class LearnedFromText(NamedTuple):
    """What realisations cost, and of how many recordings the text was used and was not.

    And how sure onsets are whose events were chosen, by their confidence as if they were given.
    """

    costs: dict[str, float]
    used: int
    left_out: int
    sureness: Sureness | None


class _Text(NamedTuple):
    """A recording to learn from: the word of each node of its lattice (-1 of none), and more."""

    spoken: Spoken
    words: IntArray
    events: tuple[Event, ...]
    item: TimedSignal
    features: Sequence[Feature]


def costs_from_text(
    aligner: PhoneAligner,
    items: Sequence[TimedSignal],
    features: Sequence[Sequence[Feature]],
    progress: Progress | None = None,
    **options: Any,
) -> LearnedFromText | None:
    """Return what realisations cost, learned from recordings that carry their text.

    `features` of each item did not see it; `options` are those of `learn_costs`. Words are looked
    up in CMUdict, and left to espeak-ng where the language is another than English. A recording is
    left out where a word has no pronunciation there. None where no recording has text, there is
    neither, the labels of the model are in the IPA and its language is not said, or they have no
    closures.
    """
    known = model_labels(aligner)
    with_text = [(item, own) for item, own in zip(items, features, strict=True) if item.text]
    if not with_text or not (aligner.language if aligner.takes_ipa else realisations(known)):
        return None
    language = aligner.language or "en"
    if len(with_text) > MOST:
        rng = np.random.default_rng(aligner.random_state)
        drawn = rng.choice(len(with_text), MOST, replace=False)
        with_text = [with_text[i] for i in np.sort(drawn)]
    try:
        vocabulary = Vocabulary.of(None, language, guess=not language.startswith("en"))
    except ParameterError:  # an extra, and a program
        return None
    found = [
        _spoken(aligner, item, own, vocabulary, known)
        for item, own in counted(with_text, progress, "learning from texts")
    ]
    usable = [one for one in found if one is not None]
    options = {"temperature": aligner.placement_.temperature, **options}

    def costs_of(texts: Sequence[_Text]) -> dict[str, float]:
        spoken_texts = [text.spoken for text in texts]
        return learn_costs(spoken_texts, random_state=aligner.random_state, **options)

    costs = costs_of(usable)
    judged: list[tuple[Float64, Float64]] = []
    for fold in folds_of([text.item.group for text in usable], aligner.n_folds):
        # What words cost that the recording itself taught would find its own choices too often.
        others = [text for i, text in enumerate(usable) if i not in fold]
        own = costs_of(others) if others else costs
        judged += [one for i in fold for one in _starts(aligner, usable[i], own)]
    sureness = Sureness.fitted([sure for sure, _ in judged], [right for _, right in judged])
    return LearnedFromText(costs, len(usable), len(with_text) - len(usable), sureness)


def _starts(
    aligner: PhoneAligner, text: _Text, costs: Mapping[str, float]
) -> Iterator[tuple[Float64, Float64]]:
    """Yield how sure starts of words are, and which are right; nothing without a posterior."""
    paths = found_and_true(text.spoken, costs)
    if paths is None:
        return
    found, true = paths
    events = tuple(text.events[v] for v in found.nodes)
    terms = terms_of(text.features, text.item.signal, events)
    potentials = text.spoken.scores.along(found.nodes)
    if aligner.normalise:
        potentials = averaged(potentials)
    fits = fits_of(terms, found.onsets, text.item.signal.n_frames)
    placed = aligner.placement_.times(potentials, found.onsets, fits)
    if placed.confidence is None:
        return
    times = aligner._corrected(placed.times, terms, events)
    own, theirs = (_firsts(text.words[path.nodes]) for path in (found, true))
    label = np.abs(text.item.onsets[:, None] - true.onsets[theirs]).argmin(axis=0)
    off = np.abs(times[own] - text.item.times[label])
    yield placed.confidence[own], (off <= _NEAR).astype(np.float64)


def _firsts(words: IntArray) -> IntArray:
    """Return where on a path each word begins, given the word of each event."""
    return np.unique(words, return_index=True)[1][int((words < 0).any()) :]


def _spoken(
    aligner: PhoneAligner,
    item: TimedSignal,
    features: Sequence[Feature],
    vocabulary: Vocabulary,
    known: Collection[str],
) -> _Text | None:
    """Return a recording to learn from; None where its text cannot be used."""
    words = vocabulary.words(item.text or "")
    try:
        entries = vocabulary.entries(words, known)
    except DataError:
        return None
    silence = next((label for label in SILENCES if label in known), None)
    if not words or silence is None:
        return None
    built = word_lattice(
        words,
        entries,
        silence=silence,
        temperature=aligner.placement_.temperature,
        realised=Realised(IpaRules() if aligner.takes_ipa else Rules(known), {}),
        recorded=True,
    )
    expanded = aligner._expand_lattice(built.lattice, built.lattice.labels)
    signal = item.signal
    pauses, drawn = (
        np.array([asked(event) for event in expanded.events])
        for asked in (aligner._draws_out, aligner._is_drawn_out)
    )
    roles, n_frames = with_roles(expanded.lattice, pauses, drawn), signal.n_frames
    events = tuple(expanded.events[v] for v in roles.origin)
    free = np.array([aligner._unbounded(event) for event in events])
    limits = np.where(free, n_frames, aligner._room(signal).longest)
    limits[roles.last] = n_frames

    @cache
    def terms(sequence: tuple[Event, ...]) -> Mapping[str, Any]:
        return terms_of(features, signal, sequence)

    weights = aligner.coef_ / aligner.scale_
    try:
        scores = lattice_scores(
            terms,
            dict(zip(aligner.base_functions_, weights, strict=True)),
            roles,
            events,
            limits,
            n_frames,
            pinned=aligner._pins_start(events),
        )
        scores.decode()
    except ParameterError:  # the text is too long for the recording, or no lattice can be scored
        return None
    if scores.segment is None:
        return None
    symbols = [_compared(aligner, str(event)) for event in events]
    labels = [_compared(aligner, str(event)) for event in item.events]
    agrees = agreement(symbols, labels, item.onsets, n_frames)
    given = expanded.given[roles.origin]
    words_of = np.where(given >= 0, built.word[given], -1)
    return _Text(spoken(scores, built, given, agrees), words_of, events, item, features)


def _compared(aligner: PhoneAligner, label: str) -> str:
    """Return what a label is compared by; all labels of silence are the same.

    In the IPA that is the kind of sound: dictionaries write broadly, transcribers narrowly.
    """
    if label in SILENCES or aligner._unbounded(label):
        return SILENCE
    if not aligner.takes_ipa:
        return aligner._symbol(label)
    sound = sound_of(label)
    return "vowel" if sound.manner == "schwa" else str(sound)
