"""Aligned notes as files have them: what readers return, and what writers ask for.

Readers check what a file says of itself. Whether notes and times make an alignment, the class that
takes them decides (`align.MusicAlignment`).
"""

import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from align.errors import DataError
from align.files.names import StrPath
from align.formats.scores import Score, chords
from align.formats.scores.beats import Beats
from align.types import BoolArray, Float64, IntArray, Mismatch, Note, PlayedPassage, pitch_name


class NotesOfScore:
    """What a reader asks for where a file knows no score: the notes that its labels name.

    `NoteTimes` is one, and so is an alignment of music.
    """

    note_ids: tuple[str, ...]  # what the score calls them
    onsets: Float64  # seconds [shape=(N,)]; only their order counts
    durations: Float64  # length of each in score seconds [shape=(N,)]
    chord_of: IntArray  # chord of each [shape=(N,)]
    chord_score_onsets: Float64  # score time of each chord in seconds [shape=(G,)]
    duration: float | None  # length of the recording in seconds, where it is known
    audio: str | None  # the recording
    rate: int | None  # its sampling rate in Hz
    score_file: str | None
    beats: Beats | None  # bars and beats of the score, where it says them

    @property
    @abstractmethod
    def notes(self) -> tuple[Note, ...]:
        """The notes, length N, by onset and pitch."""

    @property
    @abstractmethod
    def pitches(self) -> IntArray:
        """MIDI number of each [shape=(N,)]."""


class TimedNotes(NotesOfScore):
    """What the writers of notes ask for; see `align.MusicAlignment`, which has it all."""

    chord_onsets: Float64
    end: float
    confidence: Float64 | None
    score: float | None
    match: float | None
    warnings: tuple[str, ...]
    repeats: str
    passages: tuple[PlayedPassage, ...]
    transposition: int
    tuning: float | None
    model: str
    unplayed: Float64 | None
    mismatches: tuple[Mismatch, ...]
    measured_offsets: Float64 | None
    offset_confidence: Float64 | None

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def score_onsets(self) -> Float64:
        """Score time of each note in seconds [shape=(N,)]."""

    @property
    @abstractmethod
    def offsets(self) -> Float64:
        """Where each note ends, in seconds of the recording [shape=(N,)]."""

    @property
    @abstractmethod
    def passage_of(self) -> IntArray:
        """In which passage each note is played [shape=(N,)]; -1 for none."""

    @property
    @abstractmethod
    def is_held(self) -> BoolArray:
        """Whether the recording holds each note [shape=(N,)]."""

    @abstractmethod
    def held(self) -> Self:
        """Return the notes that the recording holds; the times of others mean nothing."""

    @abstractmethod
    def to_performed(self, score_seconds: npt.ArrayLike) -> Float64:
        """Return seconds of the recording for score seconds."""

    @abstractmethod
    def tempo(self, window: float = 1.0) -> tuple[Float64, Float64, Float64]:
        """Return times, score times and relative tempo of the chords."""


@dataclass(frozen=True, eq=False)
class NoteTimes(NotesOfScore):
    """Notes of a score and when each was played, as a file has them.

    Parameters
    ----------
    events : sequence of Note, length N
        The notes, by onset and pitch.
    onsets : np.ndarray [shape=(N,)]
        When each was played, in seconds.
    durations : np.ndarray [shape=(N,)]
        Length of each in score seconds.
    note_ids : tuple of str, length N
        What the score calls them.
    chord_of : np.ndarray [shape=(N,), dtype=intp]
        Chord of each note, counted from 0.
    chord_score_onsets : np.ndarray [shape=(G,)]
        Score time of each chord in seconds.
    path : str, optional
        Where they were read.
    duration, end, confidence, score, audio, rate, chord_onsets, match, warnings, score_file
        Of `align.MusicAlignment`, where the file or the score has them.
    repeats : str
        Which repeats of the score were taken.
    beats : Beats, optional
        Bars and beats of the score.
    passages, transposition, tuning, unplayed, mismatches, measured_offsets, offset_confidence
        Of `align.MusicAlignment`, where the file has them.
    model : str
        Which bundled model was taken, where the file says it.
    """

    events: tuple[Note, ...]
    onsets: Float64
    durations: Float64
    note_ids: tuple[str, ...]
    chord_of: IntArray
    chord_score_onsets: Float64
    path: str | None = None
    duration: float | None = None
    end: float | None = None
    confidence: Float64 | None = None
    score: float | None = None
    audio: str | None = None
    rate: int | None = None
    chord_onsets: Float64 | None = None
    match: float | None = None
    warnings: tuple[str, ...] = ()
    score_file: str | None = None
    repeats: str = ""
    beats: Beats | None = None
    passages: tuple[PlayedPassage, ...] = ()
    transposition: int = 0
    tuning: float | None = None
    unplayed: Float64 | None = None
    mismatches: tuple[Mismatch, ...] = ()
    measured_offsets: Float64 | None = None
    offset_confidence: Float64 | None = None
    model: str = ""

    def __len__(self) -> int:
        return len(self.events)

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes, length N."""
        return self.events

    @property
    def pitches(self) -> IntArray:
        """MIDI number of each note [shape=(N,)]."""
        return np.array([note.pitch for note in self.events], dtype=np.intp)


def notes_of_score(
    score: Score,
    onsets: Float64 | None = None,
    *,
    path: StrPath | None = None,
    duration: float | None = None,
) -> NoteTimes:
    """Return the notes of a score at times in seconds, by default as it has them."""
    grouped = chords(score)
    unique = len(set(score.ids)) == len(score)
    return NoteTimes(
        score.notes,
        score.onsets if onsets is None else onsets,
        score.durations,
        score.ids if unique else tuple(f"n{k}" for k in range(len(score))),
        grouped.group,
        grouped.onsets,
        None if path is None else os.fspath(path),
        duration,
        score_file=score.path,
        repeats=score.repeats,
        beats=score.beats,
    )


def notes_played(
    notes: NotesOfScore, keep: IntArray, onsets: Float64, path: StrPath, duration: float | None
) -> NoteTimes:
    """Return the notes `keep`, increasing indices, played at `onsets` in seconds.

    The recording lasts `duration` seconds, by default as long as that of `notes`, and at least to
    the last onset. Where neither is known, nor is its length: the last note may sound on.
    """
    chords_left, chord_of = np.unique(notes.chord_of[keep], return_inverse=True)
    known = notes.duration if duration is None else duration
    return NoteTimes(
        tuple(notes.notes[k] for k in keep),
        onsets,
        notes.durations[keep],
        tuple(notes.note_ids[k] for k in keep),
        chord_of,
        notes.chord_score_onsets[chords_left],
        os.fspath(path),
        None if known is None else float(max(known, onsets.max(initial=0.0))),
        audio=notes.audio,
        rate=notes.rate,
        score_file=notes.score_file,
        beats=notes.beats,
    )


def notes_by_pitch(
    rows: Sequence[tuple[int, float]], notes: NotesOfScore, path: StrPath, duration: float | None
) -> NoteTimes:
    """Return notes of a score as a file has them: pitches, and onsets in seconds.

    Those of a pitch correspond in order of time. Raises DataError where the file has other notes.
    """
    times = np.empty(notes.pitches.size)
    in_file = np.array([pitch for pitch, _ in rows], dtype=np.intp)
    for pitch in np.union1d(notes.pitches, in_file).tolist():
        own = np.flatnonzero(notes.pitches == pitch)
        played = sorted(onset for this, onset in rows if this == pitch)
        if own.size != len(played):
            raise DataError(
                f"has {len(played)} notes of pitch {pitch_name(pitch)}, the score {own.size}; it "
                "must keep the notes of its score.",
                path=os.fspath(path),
            )
        times[own[np.argsort(notes.onsets[own], kind="stable")]] = played
    return notes_played(notes, np.arange(times.size), times, path, duration)
