"""Recordings whose notes are known: what networks of notes are fitted to."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError, check_shape
from align.features.notes.note_context import N_CONTEXT
from align.features.notes.note_levels import PITCHES
from align.features.sound.signal import Signal
from align.types import Float32, Float64, IntArray


@dataclass(frozen=True, eq=False)
class TimedNotes:
    """A recording with its notes and when they were played: what the network is fitted to.

    Parameters
    ----------
    signal : Signal
        The recording, in frames of 10 ms.
    pitches : np.ndarray [shape=(N,), dtype=intp]
        MIDI numbers of the notes of the score.
    onsets : np.ndarray [shape=(N,)]
        When each was played, in seconds; NaN where it was left out.
    context : np.ndarray [shape=(N, N_CONTEXT), dtype=float32], optional
        `note_context` of the score; by default nothing collides.
    weight : float
        How much the piece counts, times the root of its number of notes.
    """

    signal: Signal
    pitches: IntArray
    onsets: Float64
    context: Float32 | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        n = len(self.pitches)
        check_shape("onsets", self.onsets.shape, "(N,)", (n,))
        checked_pitches(self.pitches)
        checked_context(self.context, n)
        if not 0 < self.weight < np.inf:
            raise ParameterError(f"weight={self.weight}, must be positive and finite.")
        if not np.isfinite(self.onsets).any():
            raise ParameterError("onsets must hold the time of at least one note.")


def checked_pitches(pitches: npt.ArrayLike) -> IntArray:
    """Return pitches [shape=(N,)] as integers, or raise ParameterError."""
    pitch = np.asarray(pitches, dtype=np.intp)
    low, high = PITCHES
    if pitch.ndim != 1 or (pitch.size and not low <= pitch.min() <= pitch.max() <= high):
        raise ParameterError(f"pitches must be (N,) and lie in {low}..{high}.")
    return pitch


def checked_context(context: Float32 | None, n: int) -> Float32 | None:
    """Return `note_context` of n notes, or raise ParameterError where it is not."""
    if context is not None:
        check_shape("context", context.shape, f"(N, {N_CONTEXT})", (n, N_CONTEXT))
    return context
