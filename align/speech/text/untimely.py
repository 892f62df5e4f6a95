"""The passages of a text near the times that they have, and anywhere where these do not fit.

Subtitles may be of another cut of a film, or of one that runs at another speed, so that they come
seconds or minutes too early or too late. Then their words are in the recording, in the same order,
but not near their times.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from align.errors import DataError
from align.progress import Progress
from align.speech.text.checking.strictness import SURE
from align.speech.text.conversation import LOOSE, Conversation
from align.speech.text.parts import Recording, followed, span_of
from align.speech.text.reading.utterances import Utterance
from align.speech.text.rows import (
    Fit,
    Piece,
    Rows,
    as_known,
    end_of_speech,
    fit_of,
    match_of,
    tiers_of,
)
from align.speech.text.tiers import SpeakerTiers
from align.speech.text.words import WordAligner
from align.types import Float64, Mismatch

UNSURE, _FEW = 0.55, 4  # a smaller share of so many words and more is probably right

_OFF = 1.5  # seconds by which an utterance begins beside its time; within LOOSE it is found
_OFTEN = 0.1  # share of the utterances that are so far off
_UNSAID = 0.05  # share of the words that were not said
_BETTER = 0.01  # of the mean match of the words
_FITS = 0.5  # mean match of what can only be found without times
_STEADY = 1.0  # seconds between the most and the least delay of what is late by one time


class Said:
    """Rows, words and fits of each speaker so far, in the order in which they were aligned."""

    def __init__(self) -> None:
        self._rows: dict[str, Rows] = {}
        self._words: dict[str, list[str]] = {}
        self._fits: dict[str, list[Fit]] = {}

    def counts(self, speakers: Sequence[str]) -> dict[str, int]:
        """Return how many words each of these speakers has said."""
        return {speaker: len(self._words.get(speaker, ())) for speaker in speakers}

    def end(self, speakers: Sequence[str]) -> float:
        """Return when the last of these speakers ended their last word, in seconds."""
        return max(end_of_speech(self._rows.get(speaker, [])) for speaker in speakers)

    @property
    def match(self) -> float | None:
        """How well all that was aligned fits, in [0, 1]; None where that is not known."""
        return match_of([fit for fits in self._fits.values() for fit in fits])

    @property
    def total_match(self) -> float:
        """How well all words match, each in [0, 1]; those that were not said match by 0."""
        total = 0.0
        for rows in self._rows.values():
            for word, own in groupby(rows, key=lambda row: row.word):
                fits = [row.match for row in own if word >= 0 and row.match is not None]
                total += float(np.mean(fits)) if fits else 0.0
        return total

    @property
    def rows(self) -> Rows:
        """The rows of all speakers, one after the other."""
        return [row for rows in self._rows.values() for row in rows]

    @property
    def spans(self) -> list[tuple[str, float, float]]:
        """The words of all speakers, one after the other, each with its start and end."""
        return [
            (self._words[speaker][own[0].word], own[0].start, after[0].start)
            for speaker, rows in self._rows.items()
            for own, after in pairwise([*g] for _, g in groupby(rows, key=lambda row: row.word))
            if own[0].word >= 0
        ]

    def of(self, speaker: str) -> tuple[list[str], dict[int, tuple[float, float]]]:
        """Return the words of a speaker, and start and end of those that have rows."""
        rows = self._rows.get(speaker, [])
        runs = [[*own] for _, own in groupby(rows, key=lambda row: row.word)]
        times = {own[0].word: (own[0].start, after[0].start) for own, after in pairwise(runs)}
        return self._words.get(speaker, []), times

    @property
    def unsure(self) -> str | None:
        """What is said where few of the words are probably right, and nothing else is.

        A match says how well sounds fit, and lists of words need several that move together:
        single words that are lost in noise, one here and one there, show in confidence alone.
        """
        sure = [
            next(own).confidence
            for rows in self._rows.values()
            for word, own in groupby(rows, key=lambda row: row.word)
            if word >= 0
        ]
        warned = any(fit.warnings for fits in self._fits.values() for fit in fits)
        if warned or len(sure) < _FEW or np.mean(sure) >= UNSURE:
            return None
        return (
            f"of {len(sure)} words probably only {round(sum(sure))} begin within 20 ms of where "
            "they were said: listen whether they can be heard, and look at the text."
        )

    def add(self, conversation: Conversation, rows: Rows, first: int, fits: Sequence[Fit]) -> None:
        """Add what was found of a passage; its first word in the rows has the number `first`."""
        before = self.counts(conversation.speakers)
        for speaker, (own, words) in conversation.by_speaker(rows, first, before).items():
            self._rows.setdefault(speaker, []).extend(own)
            self._words.setdefault(speaker, []).extend(words)
            self._fits.setdefault(speaker, []).extend(fits)

    def tiers(self, recording: Recording, warnings: tuple[str, ...]) -> dict[str, SpeakerTiers]:
        """Return the tiers of each speaker; `warnings` are of the whole text."""
        return {
            speaker: tiers_of(rows, self._words[speaker], recording, self._fits[speaker], warnings)
            for speaker, rows in self._rows.items()
        }


class Found(NamedTuple):
    """What was found of a text of `n_words` words, of which `n_beyond` have times beyond its end.

    `timed` are the utterances that were found, as the text gives them and with the times of their
    words; `untimely` is what is to be said of times that do not fit the recording.
    """

    said: Said
    mismatches: list[Mismatch]
    timed: list[tuple[Utterance, Utterance]]
    n_words: int
    n_beyond: int = 0
    untimely: str | None = None


def found_near_times(
    aligner: WordAligner,
    conversations: Sequence[Conversation],
    slack: float,
    progress: Progress | None,
) -> Found:
    """Return what was found of conversations; of loose times that do not fit, without them.

    That is where many utterances begin far from their times, words were not said or a passage does
    not fit, and the words match better without times. Raises DataError where neither works.
    """
    loose = aligner.anchors is None and all(own.loose for c in conversations for own in c.said)
    try:
        first = _found(aligner, conversations, slack, progress)
    except DataError:
        again = _found_anywhere(aligner, conversations, progress) if loose else None
        if again is None or (again.said.match or 0.0) < _FITS:
            raise
        return again
    if loose and _doubtful(first):
        again = _found_anywhere(aligner, conversations, progress)
        if again is not None and _better(again, first):
            return again
    return first


def _found_anywhere(
    aligner: WordAligner, conversations: Sequence[Conversation], progress: Progress | None
) -> Found | None:
    """Return what is found of all of the text in the order of its times; None for nothing."""
    turns = [turn for c in conversations for turn in c.turns]
    turns.sort(key=lambda turn: turn[0].start or 0.0)
    try:
        found = _found(aligner, [Conversation(turns, near=False)], 0.0, progress)
    except DataError:  # what is said of the text near its times counts
        return None
    return found._replace(untimely=_untimely(found)) if found.timed else None


def _found(
    aligner: WordAligner,
    conversations: Sequence[Conversation],
    slack: float,
    progress: Progress | None,
) -> Found:
    """Return what was found of conversations, each where its times say.

    What begins beyond the end of the recording is left out, where its times are loose and it is
    not all of the text.
    """
    recording = aligner.recording
    spoken = Said()
    timed: list[tuple[Utterance, Utterance]] = []
    parted = [c.parted(recording.duration) for c in conversations]
    inside = [c for c, _ in parted if c.turns] or conversations
    beyond = [] if inside is conversations else _unheard([c for _, c in parted], recording)
    mismatches = list(beyond)
    texts = [conversation.as_one() for conversation in inside]
    for conversation, (utterance, words), following in zip(
        inside, texts, followed([text for text, _ in texts]), strict=True
    ):
        if not words:
            timed += [(own, own) for own in conversation.said if not own.loose]
            continue
        speakers = conversation.speakers
        first = spoken.counts(speakers)[speakers[0]] if len(speakers) == 1 else 0
        about = LOOSE if utterance.loose and aligner.wording.silence is not None else 0.0
        reach = max(slack, about)
        span = span_of(
            utterance,
            recording.duration,
            recording.name,
            slack=reach,
            after=spoken.end(speakers) if reach else 0.0,
            following=following,
        )
        pieces = aligner.pieces(aligner.text(utterance, words, span, first), progress)
        rows, fits, here = _joined(pieces, conversation, first, aligner)
        spoken.add(conversation, rows, first, fits)
        mismatches += here
        timed += conversation.timed(rows, first)
    n_words = sum(len(c.words) for c in conversations)
    n_beyond = sum(len(m.words) for m in beyond)
    late = None
    if n_beyond:
        late = (
            f"{n_beyond} words of the text have times beyond the end of the recording "
            f"({recording.duration:.3f} s), and were left out."
        )
    return Found(spoken, mismatches, timed, n_words, n_beyond, late)


def _joined(
    pieces: Sequence[Piece], conversation: Conversation, first: int, aligner: WordAligner
) -> tuple[Rows, list[Fit], list[Mismatch]]:
    """Return the rows of a passage, how well each piece of it fits, and its mismatches by turns.

    Its first word has the number `first`.
    """
    rows: Rows = []
    fits: list[Fit] = []
    mismatches: list[Mismatch] = []
    last = aligner.recording.duration  # the part that was aligned may end a sample later
    for piece in pieces:
        rows += as_known(piece.rows, aligner.anchors)
        here = [
            replace(one, start=min(one.start, last), end=min(one.end, last))
            for m in piece.mismatches
            for one in conversation.by_turn(m, rows, first)
        ]
        mismatches += here
        fits.append(fit_of(piece.whole, piece.utterance, here))
    return rows, fits, mismatches


def _unheard(beyond: Sequence[Conversation], recording: Recording) -> list[Mismatch]:
    """Return the words of conversations beyond the end of a recording as mismatches."""
    words: dict[str, list[str]] = {}
    for conversation in beyond:
        for own, split in conversation.turns:
            words.setdefault(own.speaker, []).extend(split)
    end = recording.duration
    return [
        Mismatch("unspoken", end, end, tuple(own), SURE, speaker)
        for speaker, own in words.items()
        if own
    ]


def _delays(found: Found) -> Float64:
    """Return by how many seconds the times of the utterances lie behind their words."""
    return np.array([(told.start or 0.0) - (own.start or 0.0) for told, own in found.timed])


def _doubtful(found: Found) -> bool:
    """Whether it is likely that the times do not fit the recording."""
    unsaid = sum(len(m.words) for m in found.mismatches if m.kind == "unspoken")
    off = np.abs(_delays(found)) > _OFF
    rarely = unsaid <= _UNSAID * found.n_words and off.sum() <= _OFTEN * off.size
    return found.n_beyond > 0 or not rarely


def _better(again: Found, first: Found) -> bool:
    """Whether words match better in one result than in another, those not said by 0.

    That is by one in a hundred, or by the half of what was left out, if that is less.
    """
    more = again.said.total_match - first.said.total_match
    return more > min(_BETTER * first.n_words, 0.5 * first.n_beyond or np.inf)


def _untimely(found: Found) -> str:
    """Return what is to be said of times that do not fit."""
    low, middle, high = np.quantile(_delays(found), [0.1, 0.5, 0.9])
    if high - low < _STEADY:
        by = f"they are about {abs(middle):.1f} s too {'late' if middle > 0 else 'early'}"
    else:
        by = f"they are off by {low:+.1f} to {high:+.1f} s"
    return f"the times of the text do not fit the recording: {by}; its words were found without."
