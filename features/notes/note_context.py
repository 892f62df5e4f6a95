"""Collisions in a score: where the partials of a note coincide with those of others.

Of each note and each of its first harmonics it is counted how many notes that begin with it, and
how many that may still sound, have one of their own first partials at that frequency: a rise of
energy there is then no proof of the note. A few more numbers hold whether the same key has just
been released, and how many notes begin together.
"""

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import Float32, Float64, IntArray

_HARMONICS = np.array([0, 12, 19, 24, 28, 31, 34, 36])  # semitones above the first
_PARTIALS = _HARMONICS[:5]  # those of other notes that are strong enough to matter

N_CONTEXT = 2 * _HARMONICS.size + 2
"""Numbers that describe the surroundings of a note."""

_TOGETHER = 0.03  # score seconds
_MEMORY = 4.0  # score seconds: what began before has faded
_SLACK = 0.02
_MOST = 1.5


def note_context(pitches: npt.ArrayLike, onsets: npt.ArrayLike, ends: npt.ArrayLike) -> Float32:
    """Return numbers that describe the surroundings of each note [shape=(N, N_CONTEXT)].

    `onsets` and `ends` [shape=(N,)] are score seconds, onsets never decreasing. For harmonics
    1..8: other notes of the chord with a partial there; the same of notes that began in the 4 s
    before and may still sound; 1 where the same pitch sounded until 50 ms before; a quarter of the
    number of other notes of the chord. At most 1.5 each, float32.

    Examples
    --------
    >>> context = note_context([60, 72], [0.0, 0.0], [1.0, 1.0])
    >>> context[1, :4], context[1, -1]  # harmonics 1 and 2 of 72 are 2 and 4 of 60
    (array([1., 1., 0., 0.], dtype=float32), np.float32(0.25))
    """
    pitch = np.asarray(pitches, dtype=np.intp)
    begin, end = np.asarray(onsets, dtype=np.float64), np.asarray(ends, dtype=np.float64)
    if not (pitch.ndim == 1 and pitch.shape == begin.shape == end.shape):
        raise ParameterError(
            f"pitches, onsets and ends have shapes {pitch.shape}, {begin.shape} and {end.shape}, "
            "must all be (N,)."
        )
    if (np.diff(begin) < 0).any():
        raise ParameterError("onsets must not decrease.")
    n, h = pitch.size, _HARMONICS.size
    out = np.zeros((n, N_CONTEXT))
    first = np.searchsorted(begin, begin - _MEMORY)
    last = np.searchsorted(begin, begin + _TOGETHER)
    # all pairs of a note and another that may matter to it
    count = last - first
    note = np.repeat(np.arange(n), count)
    other = np.arange(note.size) - np.repeat(np.cumsum(count) - count, count) + first[note]
    note, other = note[note != other], other[note != other]
    together = np.abs(begin[other] - begin[note]) < _TOGETHER
    held = ~together & (end[other] > begin[note] - _SLACK)
    meets = _meeting(pitch[other] - pitch[note])
    for which, column in ((together, 0), (held, h)):
        np.add.at(out[:, column : column + h], note[which], meets[which])
    for p in np.unique(pitch):
        k = np.flatnonzero(pitch == p)
        before = np.searchsorted(begin[k], begin[k] - 0.01) - 1
        sounded = end[k[np.maximum(before, 0)]] > begin[k] - 0.05
        out[k, -2] = (before >= 0) & sounded
    out[:, -1] = np.bincount(note[together], minlength=n) / 4
    return np.minimum(out, _MOST).astype(np.float32)


def _meeting(interval: IntArray) -> Float64:
    """Whether a note so many semitones higher has a partial at each harmonic [shape=(M, 8)]."""
    at = _HARMONICS[:, None] == interval[:, None, None] + _PARTIALS
    return np.asarray(at.any(axis=2), dtype=np.float64)
