"""Aligning a recording with its text: words to phones, a lattice of them, its best path, tiers."""

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.sequence.anchors import GivenAnchors
from align.sequence.base import Progress
from align.sequence.lattices import LatticeAlignment
from align.sequence.stretches import Cut, Stretch, aligned_stretches
from align.speech.text.anchored import node_anchors, word_anchors
from align.speech.text.dictionary import Pronunciation
from align.speech.text.lattice import (
    TRUSTED,
    Departures,
    Realised,
    WordLattice,
    realisations,
    word_lattice,
)
from align.speech.text.long import LONG, cuts_between_words
from align.speech.text.lookup import Entry, Given, look_up_all, make_dictionary
from align.speech.text.mismatch import (
    Mismatch,
    departures_at,
    is_another_text,
    mismatches_of,
    word_matches,
)
from align.speech.text.normalise import split_words, spoken_noise
from align.speech.text.parts import Part, Recording, part_of
from align.speech.text.phone_aligner import PhoneAligner, model_labels, model_of
from align.speech.text.realisation import Rules
from align.speech.text.rows import (
    Rows,
    UtteranceFit,
    as_known,
    end_of_speech,
    fit_of,
    rows_of,
    tiers_of,
)
from align.speech.text.spans import check_slack, followed, span_of
from align.speech.text.tiers import TextAlignment
from align.speech.text.transcript import Utterance
from align.types import SILENCES, SPOKEN_NOISE

__all__ = ["align_text"]

_NAMELESS = "recording"


def align_text(
    aligner: PhoneAligner | str,
    audio: str | os.PathLike[str] | npt.NDArray[Any],
    text: str | Sequence[Utterance],
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
    progress: Progress | None = None,
) -> TextAlignment:
    """Return when each word of a text, and each of its phones, was said.

    Parameters
    ----------
    aligner : SpeechAligner or str
        A fitted aligner, or the name or file of a model.
    audio : path or np.ndarray [shape=(n,)]
        The recording: a file, or samples at `rate`.
    text : str or sequence of Utterance
        What is said in it, or what `align.speech.text.read_transcript` returned.
    dictionary : Dictionary, path or "cmudict", or several of them, optional
        Pronunciations; of several the first that has a word counts. By default CMUdict for
        English; the words of other languages are then left to espeak-ng.
    language : str
        Code of the language of the text, such as ``en`` or ``de``.
    guess : bool
        Ask espeak-ng, where it is installed, for words that are not in the dictionary.
    tokens : collection of str
        Words of the text that stand for any stretch of sound, besides those of
        `align.speech.text.normalise.spoken_noise`.
    trust : bool
        Take it that all of the text was said, and nothing else. By default words may be left out
        and other things said between them: `TextAlignment.mismatches`. Where there are anchors,
        the text is trusted.
    repair : bool
        Leave words that were not said out of the tiers, and mark what was said besides as ``spn``.
        By default every word of the text stays in the tiers, and what is not in it is a silence.
    rate : int, optional
        Sampling rate of `audio` in Hz, needed where `audio` is an array.
    anchors : mapping of int to float, Anchors or AnchorTable, optional
        When words begin that are known: word of the text, counted from 0, to seconds; see
        `align.sequence.anchors`. The result has these times, and the best for all else.
    slack : float
        Seconds that an utterance may begin before its interval, and end behind it.
    progress : callable, optional
        Called, of a long utterance, with a stage, how many seconds are done, and how many there
        are.

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
        If there is no dictionary, or the language is unknown.

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
    model = model_of(aligner)
    known = model_labels(model)
    words_of = make_dictionary(dictionary, language, guess=guess)
    said = [Utterance(text)] if isinstance(text, str) else list(text)
    name = _NAMELESS if isinstance(audio, np.ndarray) else os.fspath(audio)
    split = [
        split_words(u.text, language=language, known=words_of.__contains__, tokens=tokens)
        for u in said
    ]
    if not any(split):
        shown = text if isinstance(text, str) else " ".join(u.text for u in said)
        raise ParameterError(f"text={shown[:60]!r}, must hold at least one word.")
    every = dict.fromkeys(word for words in split for word in words)
    noise = [word for word in every if word not in words_of and spoken_noise(word, tokens)]
    entries = look_up_all(
        [word for word in every if word not in noise],
        words_of,
        known,
        language=language,
        guess=guess,
        path=name,
    )
    recording = Recording.read(audio, rate, model, name)
    held = word_anchors(anchors, said, split, recording.duration, name)
    silence = next((label for label in SILENCES if label in known), None)
    check_slack(slack, silence)
    alternatives = realisations(known, entries)
    costs, realised = model.realisations_, None
    if costs and alternatives:
        realised, alternatives = Realised(Rules(known), costs), {}
    alternatives[SPOKEN_NOISE] = _sounds(model, silence)
    entries.update((w, Entry(w, (Pronunciation((SPOKEN_NOISE,)),), "rule")) for w in noise)
    temperature = model.placement_.temperature
    rows: dict[str, Rows] = {}
    fits: dict[str, list[UtteranceFit]] = {}
    spoken: dict[str, list[str]] = {}
    mismatches: list[Mismatch] = []
    trusted = trust or held is not None or getattr(model, "match_", None) is None
    judging = getattr(model, "hears_noise", False) and not trusted
    for utterance, words, following in zip(said, split, followed(said), strict=True):
        if not words:
            continue
        speaker = utterance.speaker
        before = spoken.setdefault(speaker, [])
        above = rows.setdefault(speaker, [])
        after = end_of_speech(above) if slack else 0.0
        span = span_of(
            utterance, recording.duration, name, slack=slack, after=after, following=following
        )

        def aligned(
            stretch: Stretch,
            utterance: Utterance = utterance,
            every: Sequence[str] = words,
            spoken_before: int = len(before),
            begin: float = span[0],
        ) -> _Piece:
            """Align the words between two cuts."""
            words = every[stretch.first : stretch.stop - 1]
            first = spoken_before + stretch.first
            within = begin + stretch.begin, begin + stretch.end
            part = part_of(model, recording, utterance, within, words, entries)

            def lattice_of(departures: Departures) -> WordLattice:
                return word_lattice(
                    words,
                    entries,
                    silence=silence,
                    temperature=temperature,
                    alternatives=alternatives,
                    realised=realised,
                    departures=departures,
                )

            if judging:
                found = _judged(model, part, words, lattice_of)
            else:
                # anchors are of one speaker only, whose words are all that there are
                built, of_nodes = node_anchors(held, lattice_of(TRUSTED), first, within, name)
                whole = part.align(model, built.lattice, of_nodes)
                found = _Found(whole, built, [], whole)
            return _Piece(found, rows_of(found.path, found.built, part.begin, first, repair), part)

        cuts: list[Cut] = []
        if span[1] - span[0] > LONG and silence is not None:
            samples = recording.between(*span)
            cuts = cuts_between_words(model, samples, recording.rate, words, entries, silence)
        pieces = aligned_stretches(
            cuts, len(words) + 1, span[1] - span[0], aligned, _Piece.speech, progress
        )
        for stretch, piece in pieces:
            above += as_known(piece.rows, held)
            at = piece.part.begin
            here = [
                replace(m, start=m.start + at, end=m.end + at, speaker=speaker)
                for m in piece.found.mismatches
            ]
            mismatches += here
            stretched = utterance
            if len(pieces) > 1:
                stretched = replace(utterance, start=at, end=at + stretch.end - stretch.begin)
            fits.setdefault(speaker, []).append(
                fit_of(piece.found.whole.alignment, stretched, here)
            )
        before += words
    return TextAlignment(
        {
            speaker: tiers_of(rows[speaker], spoken[speaker], recording, fits[speaker])
            for speaker in rows
        },
        tuple(word for word, entry in entries.items() if entry.source == "espeak"),
        tuple(sorted(mismatches, key=lambda m: m.start)),
    )


class _Found(NamedTuple):
    """The path that counts, its lattice, its mismatches, and the path that has none."""

    path: LatticeAlignment
    built: WordLattice
    mismatches: list[Mismatch]
    whole: LatticeAlignment


def _judged(
    model: PhoneAligner,
    part: Part,
    words: Sequence[str],
    lattice_of: Callable[[Departures], WordLattice],
) -> _Found:
    """Align words that may be left out, with others between them.

    Where no departure pays, the path is that of the whole text. Else the match is still that of
    the whole text; where it is low and the text seems to be another one, no part of it is told
    from the rest.
    """
    temperature = model.placement_.temperature
    built = lattice_of(departures_at(temperature))
    path = part.align(model, built.lattice)
    if not built.departing(path.nodes).size:
        return _Found(path, built, [], path)
    plain = lattice_of(TRUSTED)
    whole = part.align(model, plain.lattice)
    fit = word_matches(whole, plain, len(words))
    mismatches, sure = mismatches_of(
        path, built, words, whole, fit, temperature, lambda lattice: part.align(model, lattice)
    )
    if whole.alignment.warnings and is_another_text(mismatches, len(words), path.alignment):
        return _Found(whole, plain, [], whole)
    if sure is None:
        return _Found(whole, plain, mismatches, whole)
    return _Found(sure, built, mismatches, whole)


class _Piece(NamedTuple):
    """Words that were aligned, their rows, and the part of the recording they were found in."""

    found: _Found
    rows: Rows
    part: Part

    def speech(self) -> tuple[float, float]:
        """Return when the first word begins and the last one ends, in seconds of the part."""
        said = [k for k, row in enumerate(self.rows) if row.word >= 0]
        first, last = self.rows[said[0]], self.rows[said[-1] + 1]
        return first.start - self.part.begin, last.start - self.part.begin


def _sounds(model: PhoneAligner, silence: str | None) -> tuple[tuple[str, ...], ...]:
    """Return the labels that spoken noise may have: any sound, or a pause."""
    heard = [SPOKEN_NOISE] if getattr(model, "hears_noise", False) else []
    return tuple((label,) for label in (*heard, *([silence] if silence is not None else [])))
