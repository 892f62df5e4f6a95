"""Learning a language from recordings and their texts: nobody has placed a word or a phone.

A model of the phones of any language aligns the texts, and its networks and lengths of phones go
on learning from what comes of that. It could learn its own mistakes; four things prevent that:

* the texts are aligned with all that people do to phones in fluent speech (`IpaRules`), by costs
  that are the same for every language: else it would learn phones that nobody said;
* numbers that may be read in several ways are read as they sound
  (`align.speech.text.verbalisation`);
* consonants that two words share (`align.speech.text.shared`) are one phone to learn,
  since no sound marks their border;
* it is done once, and weights, offset and corrections stay: a second round makes onsets vaguer.

The new model takes the same choices at the same costs when it aligns texts.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from align.errors import DataError, ParameterError, error_reason
from align.progress import Progress, no_report
from align.sequence.adapt import adapt_features
from align.sequence.base import Aligner
from align.speech.text.aligning import words_as_said
from align.speech.text.lattice import Realised, word_lattice
from align.speech.text.model import checked_model, model_labels
from align.speech.text.pronouncing.articulation import LOOSE, IpaRules
from align.speech.text.pronouncing.lookup import Given
from align.speech.text.pronouncing.vocabulary import Vocabulary
from align.speech.text.shared import is_shared
from align.types import SILENCE, Example

_Aligner = TypeVar("_Aligner", bound=Aligner)

_LEARNING_RATE = 1e-3
_FEWEST_STEPS, _MOST_STEPS = 60, 500  # one for each second of recordings


def adapt_to_texts(
    aligner: _Aligner,
    recordings: Sequence[Example],
    *,
    language: str,
    dictionary: "Given | Sequence[Given]" = None,
    steps: int | None = None,
    source: str = "",
    licence: str = "",
    progress: Progress | None = None,
) -> _Aligner:
    """Return a copy of an aligner, adapted to recordings of which only the texts are known.

    Parameters
    ----------
    aligner : SpeechAligner
        A model of the phones of any language, such as `speech-any`; it is not changed.
    recordings : sequence of Example
        Each with `text`; their events and onsets are not looked at.
    language : str
        Code of the language of the texts, such as ``de``.
    dictionary : Dictionary, path or several of them, optional
        Pronunciations; by default words are left to espeak-ng.
    steps : int, optional
        Updates of each network; by default one for each second, from 60 to 500.
    source : str
        What the aligner is called; kept in the new one, with its licence.
    licence : str
        Licence of these recordings, kept beside that of the aligner.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.

    Returns
    -------
    SpeechAligner
        A new aligner. Recordings that could not be used are in `problems_`, with the reason.

    Raises
    ------
    DataError
        Where no recording can be used.
    ParameterError
        Where the model has labels of its own instead of the IPA, or the language is unknown.

    Examples
    --------
    >>> import align
    >>> from align.speech.text import adapt_to_texts
    >>> adapt_to_texts(align.load("speech-en"), [], language="en")
    Traceback (most recent call last):
    ...
    align.errors.ParameterError: only a model of phones in the IPA learns from texts without times.
    """
    model: Any = checked_model(aligner)  # type: ignore[arg-type]
    if not model.takes_ipa:
        raise ParameterError("only a model of phones in the IPA learns from texts without times.")
    if steps is not None and steps < 1:
        raise ParameterError(f"steps={steps}, must be at least 1.")
    vocabulary = Vocabulary.of(dictionary, language)
    report = progress or no_report
    placed, problems = [], []
    for n, example in enumerate(recordings):
        name = example.name or f"recording {n + 1}"
        try:
            placed.append(_placed(model, example, vocabulary, name))
        except DataError as error:
            problems.append((name, error_reason(error, name)))
        report("aligning texts", n + 1, len(recordings))
    if not placed:
        about = f"; {problems[0][0]}: {problems[0][1]}" if problems else ""
        raise DataError(f"no recording can be learned from{about}")
    seconds = sum(seconds for _, seconds in placed)
    new = adapt_features(
        aligner,
        [example for example, _ in placed],
        steps=steps or int(min(max(_FEWEST_STEPS, seconds), _MOST_STEPS)),
        learning_rate=_LEARNING_RATE,
        source=source,
        licence=licence,
        progress=progress,
    )
    new.problems_ = [*problems, *new.problems_]
    changed: Any = new
    changed.realisations_ = dict(LOOSE)
    return new


def _placed(
    model: Any, example: Example, vocabulary: Vocabulary, name: str
) -> tuple[Example, float]:
    """Return a recording with the phones that the model finds in it, and its length in seconds."""
    if not vocabulary.words(example.text or ""):
        raise DataError("there is no text.", path=name)
    words = words_as_said(model, example.audio, example.text or "", vocabulary, rate=example.rate)
    entries = vocabulary.entries(words, model_labels(model), name)
    built = word_lattice(
        words,
        entries,
        silence=SILENCE,
        temperature=model.placement_.temperature,
        realised=Realised(IpaRules(), LOOSE),
    )
    found, nodes = model.align_lattice(example.audio, built.lattice, rate=example.rate)
    if found.warnings:
        raise DataError(found.warnings[0], path=name)
    labels, word = found.labels, built.word[nodes].tolist()
    own = [
        k
        for k in range(len(labels))
        if not (k and 0 <= word[k - 1] < word[k] and is_shared(labels[k - 1], labels[k]))
    ]
    onsets = found.onsets[own]
    learned = replace(example, events=tuple(labels[k] for k in own), onsets=onsets, end=None)
    return learned, found.duration
