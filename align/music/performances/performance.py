"""A recording and its score, made ready to be aligned: chords, collisions, and the coarse pass."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import DataError, ParameterError
from align.features.notes.note_context import note_context
from align.features.notes.note_levels import PITCHES, semitone_levels
from align.features.sound.audio import audio_info, read_audio
from align.features.sound.clicks import without_clicks
from align.features.sound.signal import Signal
from align.formats.scores import Chords, Score, chords, distinct, read_score
from align.music.performances.coarse import coarse_alignment
from align.music.performances.repeats import FoldedScore, is_notation
from align.progress import Progress, of_stage
from align.types import Float32, Float64, IntArray, Note

HOP = 0.010
"""Seconds between frames of the signal."""

_DENSEST = 40.0  # chords in a second, faster than any player, or any music made by a machine
_SHORT = 0.2  # of the score's length; a performance five times faster than written is a fragment
_FULL_SCALE = 0.98  # of the largest sample: flat tops are clipped,
_BELOW = 0.96  # if they are
_TIMES = 3.0  # times as many as those between; of a pure tone, 2.4 times
_CLIPPED = 1e-3  # share of samples


@dataclass(frozen=True, eq=False)
class Performance:
    """A recording and its score.

    Parameters
    ----------
    signal : Signal
        In frames of 10 ms.
    score : Score
        As read, N notes.
    notes : Score
        With unisons merged, M notes, as they sound; see `align.formats.scores.distinct`.
    row : np.ndarray [shape=(N,), dtype=intp]
        Note of `notes` for each note of `score`.
    chords : Chords
        Of `notes`; G of them.
    context : np.ndarray [shape=(M, N_CONTEXT)]
        What the score says of collisions.
    coarse : np.ndarray [shape=(G,)]
        About when each chord is played, in seconds, never decreasing.
    end : float
        Where the sounding part of the recording ends, in seconds.
    cost : float
        Mean cost of the coarse alignment: the less, the better the score fits.
    path_cost : float
        Of its whole path, by which ways through one score are compared.
    shift : int
        Semitones by which `notes` are higher than `score`.
    warnings : tuple of str
        What the user should know.
    progress : callable, optional
        Called, while this is aligned, with a stage, how much of it is done, and how much there is.
    folded : FoldedScore, optional
        With its repeats still to be decided, where the recording is to show them.
    """

    signal: Signal
    score: Score
    notes: Score
    row: IntArray
    chords: Chords
    context: Float32
    coarse: Float64
    end: float
    cost: float
    path_cost: float
    shift: int = 0
    warnings: tuple[str, ...] = ()
    progress: Progress | None = None
    folded: FoldedScore | None = None

    @property
    def chord_of(self) -> IntArray:
        """Chord of each note of `score` [shape=(N,)]."""
        return self.chords.group[self.row]

    def merged(self, onsets: Float64) -> Float64:
        """Return the onset of each merged note [shape=(M,)], the mean of what is known of it.

        `onsets` [shape=(N,)] are seconds, NaN where a note was not played.
        """
        known = np.isfinite(onsets)
        count = np.bincount(self.row, known, len(self.notes))
        total = np.bincount(self.row, np.where(known, onsets, 0.0), len(self.notes))
        mean = np.full(len(self.notes), np.nan)
        np.divide(total, count, out=mean, where=count > 0)
        return mean

    def chord_means(self, onsets: Float64) -> Float64:
        """Return the median onset of each chord's notes [shape=(G,)], NaN where none is known.

        `onsets` [shape=(M,)] are seconds of merged notes, NaN where one was not played.
        """
        out = np.full(len(self.chords), np.nan)
        for g, members in enumerate(self.chords.members):
            played = onsets[members][np.isfinite(onsets[members])]
            if played.size:
                out[g] = np.median(played)
        return out


def as_score(
    score: str | os.PathLike[str] | Score | Sequence[Note], repeats: str = "all"
) -> Score:
    """Return a score, read from a file or made of notes in any order.

    `repeats` are for files in notation, as in
    `align.music.performances.repeats.FoldedScore.unfolded`. Raises ParameterError where `score`
    holds what is no note; DataError where the file cannot be read, or there is no note.
    """
    if isinstance(score, Score):
        return score
    if isinstance(score, str | os.PathLike):
        return FoldedScore(score).unfolded(repeats) if is_notation(score) else read_score(score)
    notes = list(score) if isinstance(score, Iterable) else [score]
    wrong = [note for note in notes if not isinstance(note, Note)]
    if wrong:
        raise ParameterError(f"score has {wrong[0]!r}, must be a file, a Score or Notes.")
    if not notes:
        raise DataError("the score has no notes; give at least one.")
    return Score.of(notes)


def read_performance(
    audio: str | os.PathLike[str] | npt.NDArray[Any],
    score: Score,
    *,
    rate: int | None = None,
    highest_rate: int = 22050,
) -> Performance:
    """Read a recording, and align it coarsely with a score.

    `audio` is a file, or samples at `rate`. Recordings of a rate above `highest_rate`, in Hz, are
    resampled to it; others stay as they are. Raises DataError where the recording cannot be read
    or is silent, a pitch is beyond the piano, or the score cannot fit into the recording.
    """
    return make_performance(read_signal(audio, rate=rate, highest_rate=highest_rate), score)


def make_performance(
    signal: Signal, score: Score, shift: int = 0, progress: Progress | None = None
) -> Performance:
    """Align a recording that has been read coarsely with a score; as `read_performance`.

    The score is taken `shift` semitones higher; a note that is then beyond the piano is taken an
    octave lower or higher. `progress` is called for this, and for what follows.
    """
    name = signal.name
    notes, row = sounding_notes(score, shift, name)
    grouped = chords(notes)
    if len(grouped) > _DENSEST * signal.duration:
        raise DataError(
            f"{len(grouped)} chords of the score cannot be played in {signal.duration:.1f} s; is "
            "the recording whole, and of this piece?",
            path=name,
        )
    try:
        level = semitone_levels(signal, of_stage(progress, "listening"))
        coarse = coarse_alignment(level, signal.hop, notes, grouped, progress=progress)
    except ParameterError as error:  # silent throughout
        raise DataError("the recording is silent; nothing can be aligned.", path=name) from error
    written = float(score.ends.max() - score.onsets[0])
    return Performance(
        signal,
        score,
        notes,
        row,
        grouped,
        note_context(notes.pitches, notes.onsets, notes.ends),
        coarse.times,
        coarse.end,
        coarse.cost,
        coarse.path_cost,
        shift,
        (*score.warnings, *_warnings(signal, coarse.end - coarse.begin, written)),
        progress,
    )


def sounding_notes(score: Score, shift: int = 0, name: str = "") -> tuple[Score, IntArray]:
    """Return the notes with unisons merged, as they sound, and the row of each note given.

    See `make_performance` for `shift`. Raises DataError where a pitch is beyond the piano.
    """
    low, high = PITCHES
    notes, row = distinct(score)
    if shift:
        notes = replace(notes, pitches=_moved(notes.pitches, shift), names=())
    beyond = notes.pitches[(notes.pitches < low) | (notes.pitches > high)]
    if beyond.size:
        raise DataError(
            f"the score has a note of pitch {beyond[0]}, which no piano has ({low}..{high}); is "
            "it of drums, or transposed?",
            path=score.path or name,
        )
    return notes, row


def read_signal(
    audio: str | os.PathLike[str] | npt.NDArray[Any],
    *,
    rate: int | None = None,
    highest_rate: int = 22050,
) -> Signal:
    """Read a recording in frames of 10 ms, at its own rate or the highest, whichever is lower.

    The clicks of old records are taken out.
    """
    if isinstance(audio, np.ndarray):
        wanted = None if rate is None else min(rate, highest_rate)
        name = "recording"
        samples, wanted = read_audio(audio, wanted, source_rate=rate, name=name)
    else:
        name, rate = os.fspath(audio), audio_info(audio).rate
        samples, wanted = read_audio(audio, min(rate, highest_rate))
    return Signal(without_clicks(samples, wanted), wanted, HOP, name, own_rate=rate)


def _moved(pitches: IntArray, shift: int) -> IntArray:
    """Return pitches `shift` semitones higher; those that leave the piano, in the next octave."""
    low, high = PITCHES
    moved = pitches + shift
    on_piano = (pitches >= low) & (pitches <= high)
    moved += np.where(on_piano & (moved < low), 12 * (1 + (low - 1 - moved) // 12), 0)
    moved -= np.where(on_piano & (moved > high), 12 * (1 + (moved - 1 - high) // 12), 0)
    return moved


def _warnings(signal: Signal, sounding: float, written: float) -> tuple[str, ...]:
    said = []
    if sounding < _SHORT * written:
        said.append(
            f"the recording sounds for {sounding:.1f} s and the score lasts {written:.1f} s; is "
            "the recording whole?"
        )
    size = np.abs(signal.samples) / max(float(np.abs(signal.samples).max()), 1e-30)
    flat = size >= _FULL_SCALE
    share = float(np.mean(flat[1:] & flat[:-1])) if size.size > 1 else 0.0
    between = np.count_nonzero((size >= _BELOW) & ~flat)
    if share > _CLIPPED and np.count_nonzero(flat) >= _TIMES * between:
        said.append(
            f"the recording is clipped ({100 * share:.1f} % of its samples); onsets of loud notes "
            "may be less exact."
        )
    return tuple(said)
