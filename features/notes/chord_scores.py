"""Scores of a chord beginning at each frame of its window.

A chord is a set of notes that the score begins together; `group` is the chord of each note. A
table has a row for each chord, whose first column is frame ``start[g]`` of the recording; scores
of the notes of a chord are added up and divided by the root of their number, since they
are not independent.

``note_scores``   ln(1 + q / floor), with q the probability that the note begins (`NoteNetwork`),
                  smeared over a few frames, as players are not simultaneous. Never below 0: a note
                  that was not played scores 0, and does not move its neighbours.
``rise_scores``   half-wave rectified rise of the level at the note's harmonics, each discounted by
                  the number of partials of other notes that fall on it.
``level_scores``  level at the first harmonics just after the onset: 0 in silence.
"""

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.features.notes.note_levels import level_columns, note_levels
from align.features.sound.signal import Signal
from align.types import Float32, Float64, IntArray

SMEAR_REACH = 6
"""Frames either side over which probabilities are smeared."""

_MOST = 1.5  # a smeared probability counts no more
_HARMONICS = np.array([0, 12, 19, 24, 28, 31])  # semitones above the first
_STRENGTH = 0.75 ** np.arange(_HARMONICS.size)
_STEP = 2  # frames before and after an onset between which the level rises
_AFTER = 4  # frames after an onset at which the level is looked at
_LOUD = 14.0


def smeared(probability: npt.NDArray[np.floating], width: float) -> Float64:
    """Return rows [shape=(N, W)] convolved with ``exp(-abs(t) / width)``, 1.5 at most.

    `probability` [shape=(N, W + 2 * SMEAR_REACH)] is not negative; `width` is in frames, 0 for
    none.
    """
    steps = np.arange(-SMEAR_REACH, SMEAR_REACH + 1)
    kernel = np.exp(-np.abs(steps) / width) if width > 0 else (steps == 0).astype(float)
    n = probability.shape[1] - 2 * SMEAR_REACH
    if n < 1:
        raise ParameterError(
            f"probability.shape={probability.shape}, must be wider than {2 * SMEAR_REACH}."
        )
    total = np.zeros((len(probability), n))
    for k, weight in enumerate(kernel):
        total += weight * probability[:, k : k + n]
    return np.minimum(total, _MOST)


def sum_over_chords(notes: npt.NDArray[np.floating], group: IntArray) -> Float64:
    """Return the sum of the rows of each chord's notes, over the root of their number.

    Of N notes [shape=(N, W)] and G chords [shape=(G, W)]; `group` [shape=(N,)] counts from 0,
    never decreases and leaves none out.

    Examples
    --------
    >>> sum_over_chords(np.array([[1.0], [3.0], [4.0], [2.0], [2.0], [2.0]]), [0, 1, 2, 2, 2, 2])
    array([[1.],
           [3.],
           [5.]])
    """
    number = np.asarray(group, dtype=np.intp)
    steps = np.diff(number, prepend=0)
    if number.shape != (len(notes),) or ((steps != 0) & (steps != 1)).any():
        raise ParameterError("group must hold the chord of each note: from 0, in steps of 0 or 1.")
    first = np.flatnonzero(np.diff(number, prepend=-1))
    total = np.add.reduceat(notes, first, axis=0, dtype=np.float64)
    return np.asarray(total / np.sqrt(np.bincount(number))[:, None])


def note_scores(
    probability: npt.NDArray[np.floating],
    group: IntArray,
    *,
    smear: float = 2.0,
    floor: float = 0.02,
) -> Float64:
    """Return scores of chords [shape=(G, W)] by the probabilities of their notes, not negative.

    `probability` [shape=(N, W + 2 * SMEAR_REACH)] is that each note begins; column `SMEAR_REACH`
    is the first frame of the chord's window. `smear` is in frames; below `floor` a note says
    nothing.
    """
    return sum_over_chords(np.log1p(smeared(probability, smear) / floor), group)


def rise_scores(
    signal: Signal,
    pitches: IntArray,
    group: IntArray,
    start: IntArray,
    width: int,
    collisions: Float32,
) -> Float64:
    """Return scores of chords [shape=(G, W)] by the rise of energy at their notes' harmonics.

    `signal` is in frames of 10 ms; `pitches` and `group` [shape=(N,)] are MIDI number and chord of
    each note, `start` [shape=(G,)] the first frame of each chord's window, W its width, and
    `collisions` [shape=(N, at least 6)] the partials of other notes at each harmonic
    (`align.features.notes.note_context`). Rises of the level between two frames before and after,
    seen through short windows: weighted means over the harmonics.
    """
    _, short, _ = note_levels(signal)
    frames = np.arange(-_STEP, width + _STEP) + start[:, None]
    inside = np.clip(frames, 0, len(short) - 1)
    silent = (frames < 0) | (frames >= len(short))
    weight = _STRENGTH / (1.0 + collisions[:, : _HARMONICS.size])
    weight /= _STRENGTH.sum()
    out = np.zeros((len(pitches), width))
    for row, pitch, g, w in zip(out, pitches, group, weight, strict=True):
        level = short[inside[g][:, None], level_columns(int(pitch), _HARMONICS)]
        level[silent[g]] = 0.0
        rise = np.maximum(level[2 * _STEP :] - level[: -2 * _STEP], 0.0)
        row[:] = rise @ w
    return sum_over_chords(out, group)


def level_scores(
    signal: Signal, pitches: IntArray, group: IntArray, start: IntArray, width: int
) -> Float64:
    """Return scores of chords by the level at the first harmonics, 40 ms after the onset.

    As in `rise_scores`; 0 in silence; about 1 for a loud note alone.
    """
    long, _, _ = note_levels(signal)
    frames = np.arange(width) + start[:, None] + _AFTER
    inside = np.clip(frames, 0, len(long) - 1)
    silent = (frames < 0) | (frames >= len(long))
    out = np.zeros((len(pitches), width))
    for row, pitch, g in zip(out, pitches, group, strict=True):
        level = long[inside[g][:, None], level_columns(int(pitch), _HARMONICS[:3])]
        row[:] = level.mean(axis=1) / _LOUD
        row[silent[g]] = 0.0
    return sum_over_chords(out, group)
