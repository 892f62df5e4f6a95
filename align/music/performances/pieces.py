"""A piece of the training set: recording, score, and when its notes were played."""

from dataclasses import dataclass

import numpy as np

from align.errors import DataError
from align.features.notes.timed_notes import TimedNotes
from align.features.sound.signal import Signal
from align.music.performances.performance import Performance, as_score, read_performance
from align.types import Example, Float64, Note

_AFTER = 1.0  # seconds after the recording in which a note may be said to be played


@dataclass(frozen=True, eq=False)
class TimedPiece:
    """A piece whose note times are known.

    `onsets` [shape=(M,)] are when each of its merged notes was played, in seconds, NaN where it
    was not; `weight` is how much it counts where networks are trained. `ends` [shape=(M,)] are
    when each note ended, NaN where that is not known; None where it is known of no note.
    """

    name: str
    group: str | None
    performance: Performance
    onsets: Float64
    weight: float = 1.0
    ends: Float64 | None = None

    @property
    def signal(self) -> Signal:
        """The recording, in frames of 10 ms."""
        return self.performance.signal

    @property
    def notes(self) -> TimedNotes:
        """What a network of notes is fitted to."""
        p = self.performance
        return TimedNotes(p.signal, p.notes.pitches, self.onsets, p.context, self.weight)


def score_of(example: Example) -> object:
    """Return the score of an example, or its notes where it has none."""
    return example.score or [note for note in example.events if isinstance(note, Note)]


def read_piece(example: Example, name: str, weight: float, highest_rate: int) -> TimedPiece:
    """Return a piece to learn from, for which messages say `name`.

    Events are notes in the order of the score, `onsets` NaN where one was not played. Recordings
    of a rate above `highest_rate`, in Hz, are resampled to it. Raises DataError where nothing is
    known, or recording and score cannot be read or cannot belong together.
    """
    if example.onsets is None or not np.isfinite(example.onsets).any():
        raise DataError("it has no true note times to learn from.", path=name)
    score = example.score
    if score is None:
        score = as_score([note for note in example.events if isinstance(note, Note)])
        if score.notes != example.events:
            raise DataError("its notes are not in order; sort by onset, then pitch.", path=name)
    performance = read_performance(
        example.audio, score, rate=example.rate, highest_rate=highest_rate
    )
    last, duration = np.nanmax(example.onsets), performance.signal.duration
    if last > duration + _AFTER:
        raise DataError(
            f"a note is played at {last:.3f} s, after the end of the recording at "
            f"{duration:.3f} s.",
            path=name,
        )
    ended = None if example.truth is None else example.truth.offsets(len(example.onsets))
    return TimedPiece(
        name,
        example.group,
        performance,
        performance.merged(example.onsets),
        weight,
        None if ended is None else performance.merged(ended),
    )


def describe_piece(piece: TimedPiece) -> list[object]:
    """Return what training takes from a piece, for checkpoints; all else follows from it."""
    p = piece.performance
    notes = [(note.pitch, note.onset) for note in p.notes.notes]
    about = [piece.name, piece.group, piece.weight, p.signal.rate, notes]
    return [*about, p.signal.samples, piece.onsets, piece.ends, p.context, p.coarse]
