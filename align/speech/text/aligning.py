"""Aligning a recording with its text: words to phones, a lattice of them, its best path, tiers."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy.typing as npt

from align._blas import one_thread
from align.errors import DataError, ParameterError
from align.progress import Progress
from align.sequence.anchors import Anchors, GivenAnchors
from align.speech.text.anchored import word_anchors
from align.speech.text.bracketed import said_in_brackets
from align.speech.text.channels import on_own_channels
from align.speech.text.conversation import conversations_of
from align.speech.text.model import PhoneAligner, checked_model, model_labels
from align.speech.text.parts import NAMELESS, Recording, check_slack
from align.speech.text.pronouncing.dictionary import Pronunciation
from align.speech.text.pronouncing.lookup import Entry, Given
from align.speech.text.pronouncing.vocabulary import Vocabulary
from align.speech.text.reading.normalise import Reading
from align.speech.text.reading.transcript import TRANSCRIPT_SUFFIXES
from align.speech.text.reading.utterances import Utterance
from align.speech.text.slowness import SLOW, slower, times_as_long
from align.speech.text.tiers import TextAlignment
from align.speech.text.untimely import found_near_times
from align.speech.text.verbalisation import found_as_said
from align.speech.text.words import WordAligner
from align.types import SILENCE, SPOKEN_NOISE


@one_thread()
def align_text(
    aligner: PhoneAligner | str,
    audio: str | os.PathLike[str] | npt.NDArray[Any],
    text: str | Sequence[str | Utterance],
    *,
    dictionary: "Given | Sequence[Given]" = None,
    language: str = "en",
    guess: bool = True,
    tokens: Collection[str] = (),
    trust: bool = False,
    repair: bool = False,
    rate: int | None = None,
    anchors: GivenAnchors = None,
    slack: float = 0.0,
    channels: Mapping[str, int] | None = None,
    progress: Progress | None = None,
) -> TextAlignment:
    """Return when each word of a text, and each of its phones, was said.

    Parameters
    ----------
    aligner : SpeechAligner or str
        A fitted aligner, or the name or file of a model.
    audio : path or np.ndarray [shape=(n,)]
        The recording: a file, or samples at `rate`.
    text : str, sequence of str or of Utterance
        What is said in it, as a whole or sentence by sentence, or what
        `align.speech.text.read_transcript` returned. A number that may be read in several ways is
        read as it sounds, unless there are anchors.
    dictionary : Dictionary, path or "cmudict", or several of them, optional
        Pronunciations; of several the first that has a word counts. By default CMUdict for
        English; the words of other languages are then left to espeak-ng.
    language : str
        Code of the language of the text, such as ``en`` or ``de``.
    guess : bool
        Ask espeak-ng, where it is installed, for words that are not in the dictionary.
    tokens : collection of str
        Words of the text that stand for any stretch of sound, besides those of
        `align.speech.text.reading.normalise.spoken_noise`.
    trust : bool
        Take it that all of the text was said, and nothing else. By default words may be left out
        and other things said between them: `TextAlignment.mismatches`. Where there are anchors,
        and by models of the phones of any language, the text is trusted.
    repair : bool
        Leave words that were not said out of the tiers, and mark what was said besides as ``spn``.
        By default every word of the text stays in the tiers, but for passages that a recording of
        a part of it does not have, and what is not in the text is a silence.
    rate : int, optional
        Sampling rate of `audio` in Hz, needed where `audio` is an array.
    anchors : mapping of int to float, Anchors or AnchorTable, optional
        When words begin that are known: word of the text, counted from 0, to seconds; see
        `align.sequence.anchors`. The result has these times, and the best for all else.
    slack : float
        Seconds that an utterance may begin before its interval, and end behind it.
    channels : mapping of str to int, optional
        On which channel of a file each speaker of the text is, counted from 1; each is aligned
        alone, there.
    progress : callable, optional
        Called, of a long utterance, with a stage, how many seconds are done, and how many there
        are; and of numbers that may be read in several ways.

    Returns
    -------
    TextAlignment
        Its `words` and `phones` are alignments; silences are events called ``sil``.

    Raises
    ------
    DataError
        If the audio cannot be read, words have no pronunciation (all are named), phones are not
        those of the model, the text does not fit into the recording, an anchor is impossible, or
        the model has base functions that no lattice can be decoded with (the thesis's speaking
        rate).
    ParameterError
        If there is no dictionary, the language is unknown, or a speaker has no channel.

    Examples
    --------
    >>> from importlib.resources import files
    >>> from align.speech.text import Dictionary, align_text
    >>> words = Dictionary({"kiwi": ["k iy w iy"], "green": ["g r iy n"]})
    >>> align_text("speech-en", files("align.data") / "kiwi.flac", "", dictionary=words)
    Traceback (most recent call last):
    ...
    align.errors.ParameterError: text='', must hold at least one word.
    """
    model = checked_model(aligner)
    vocabulary = Vocabulary.of(dictionary, language, guess=guess, tokens=tokens)
    asked = _Asked(model, vocabulary, trust, repair, anchors, slack, progress)
    if channels is None:
        return asked.aligned(audio, text, rate)
    said = text if isinstance(text, str) else _utterances(text)
    return on_own_channels(asked.aligned, audio, said, channels)


@dataclass(frozen=True, eq=False)
class _Asked:
    """What every recording of a text is aligned with; the fields are as in `align_text`."""

    model: PhoneAligner
    vocabulary: Vocabulary
    trust: bool
    repair: bool
    anchors: GivenAnchors
    slack: float
    progress: Progress | None

    @cached_property
    def _known(self) -> Collection[str]:
        """Labels that pronunciations may be spelled with."""
        return model_labels(self.model)

    def aligned(
        self, audio: Any, text: str | Sequence[str | Utterance], rate: int | None = None
    ) -> TextAlignment:
        """Return when each word of a text was said in a recording."""
        said, slack, progress = _utterances(text), self.slack, self.progress
        readings = [self.vocabulary.read(u.text) for u in said]
        split = [reading.words for reading in readings]
        words = [word for own in split for word in own]
        if not words:
            shown = text if isinstance(text, str) else " ".join(u.text for u in said)
            raise ParameterError(f"text={shown[:60]!r}, must hold at least one word.")
        name = os.fspath(audio) if isinstance(audio, str | os.PathLike) else NAMELESS
        noise = [word for word in dict.fromkeys(words) if self.vocabulary.any_sound(word)]
        spoken = [word for word in words if word not in noise]
        entries = self.vocabulary.entries(spoken, self._known, name)
        entries |= {w: Entry(w, (Pronunciation((SPOKEN_NOISE,)),), "rule") for w in noise}
        other = self._others(readings)
        recording = Recording.read(audio, rate, self.model, name)
        conversations = conversations_of(list(zip(said, split, strict=True)))
        passages = [conversation.as_one() for conversation in conversations]
        held = word_anchors(self.anchors, passages, recording.duration, name)
        aligner = self._aligner(recording, other | entries, held)
        check_slack(slack, aligner.wording.silence)
        found = found_near_times(aligner, conversations, slack, progress)
        times = times_as_long(self.model, found.said.rows)
        if times > SLOW:
            aligner = replace(aligner, model=slower(self.model, times))
            found = found_near_times(aligner, conversations, slack, progress)
        unusual: Sequence[tuple[str, str]] = ()
        if other and held is None:
            verbalised = found_as_said(aligner, said, readings, found, slack, progress)
            found, unusual = verbalised.found, verbalised.unusual
            words = [word for own in verbalised.words for word in own]
            entries = {word: aligner.entries[word] for word in words}
        told = self.vocabulary.seems_foreign(words, entries), found.untimely, found.said.unsure
        warnings = tuple(one for one in told if one is not None)
        if noise and aligner.judging:
            warnings += said_in_brackets(aligner, found.said.spans, self._within_brackets)
        return TextAlignment(
            found.said.tiers(recording, warnings),
            tuple(word for word, entry in entries.items() if entry.source == "espeak"),
            tuple(sorted(found.mismatches, key=lambda m: m.start)),
            tuple(u for _, u in found.timed if u.start is not None and u.end is not None),
            tuple(unusual),
        )

    def _aligner(
        self, recording: Recording, entries: Mapping[str, Entry], held: Anchors | None
    ) -> WordAligner:
        """Return what aligns words of a recording, some of which may be held at known times."""
        model, language = self.model, self.vocabulary.language
        trusted = self.trust or held is not None or getattr(model, "match_", None) is None
        seeking = getattr(model, "knows_spoken_noise", False) and not trusted
        # phones of languages that were not learned are scored too vaguely to tell single words
        # from others' sound
        own = not model.takes_ipa or model.language == language.split("-")[0].lower()
        return WordAligner(model, recording, entries, seeking and own, seeking, self.repair, held)

    def _others(self, readings: Sequence[Reading]) -> dict[str, Entry]:
        """Return words of other readings of numbers, but those that have no pronunciation."""
        words = {w: None for r in readings for one in r.several for way in one.ways for w in way}
        found: dict[str, Entry] = {}
        for word in words:
            with suppress(DataError):
                found |= self.vocabulary.entries([word], self._known)
        return found

    def _within_brackets(self, text: str) -> list[Entry]:
        """Return how the words in brackets are said; none where one has no pronunciation."""
        inner = replace(self.vocabulary, tokens=()).words(text)
        try:
            ways = self.vocabulary.entries(inner, self._known)
        except DataError:
            return []
        return [ways[word] for word in inner]


@one_thread()
def words_as_said(
    aligner: PhoneAligner,
    audio: str | os.PathLike[str] | npt.NDArray[Any],
    text: str,
    vocabulary: Vocabulary,
    *,
    rate: int | None = None,
) -> tuple[str, ...]:
    """Return the words of a text, its numbers as they sound in a recording of it.

    All of the text is taken to be said. Numbers have their usual reading where it does not fit.

    Examples
    --------
    >>> import align
    >>> from importlib.resources import files
    >>> from align.speech.text import Dictionary
    >>> words = Vocabulary.of(Dictionary({"kiwi": ["k iy w iy"]}))
    >>> kiwi = files("align.data") / "kiwi.flac"
    >>> words_as_said(align.load("speech-en"), kiwi, "A kiwi.", words)  # there is no number
    ('A', 'kiwi')
    """
    reading = vocabulary.read(text)
    if not reading.several:
        return reading.words
    try:
        asked = _Asked(checked_model(aligner), vocabulary, True, False, None, 0.0, None)
        found = asked.aligned(audio, text, rate)
    except DataError:
        return reading.words
    if not found.verbalised:
        return reading.words
    return tuple(word for word in found.words.labels if word != SILENCE)


def _names_transcript(text: str) -> bool:
    """Return whether a text is the path of a file of a kind that holds transcripts."""
    return text.lower().endswith(TRANSCRIPT_SUFFIXES) and os.path.isfile(text)


def _utterances(text: str | Sequence[str | Utterance]) -> list[Utterance]:
    """Return what is said as utterances; strings have neither speaker nor times."""
    if isinstance(text, os.PathLike) or (isinstance(text, str) and _names_transcript(text)):
        raise ParameterError(
            f"text={os.fspath(text)!r} names a file; align.speech.text.read_transcript reads it."
        )
    if not isinstance(text, Iterable):
        raise ParameterError(f"text is a {type(text).__name__}, must be a text or Utterances.")
    every = [text] if isinstance(text, str) else list(text)
    said = [Utterance(one) if isinstance(one, str) else one for one in every]
    for one in said:
        if not isinstance(one, Utterance):
            raise ParameterError(f"text holds {one!r}, must be a text or hold Utterances.")
    return said
