"""How sure the time of a note is: a calibrated probability.

The confidence of a note is the probability that it was played within 50 ms of the time given. It
is a function of *evidence* (`align.sequence.evidence`): the network's probability of the note at
that time, the mean probability of the notes around, and which share of the note's probability in
its window lies near that time. It is fitted to notes of the training set as scored by networks
that were not trained on them; notes that were not played count as missed. All this assumes that
the recording is of the score. Where their match is poor, the aligner lowers the confidence.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align.types import Float64, FloatArray, IntArray

TOLERANCE = 0.050
"""Seconds; the confidence is that of an onset within them."""

_LEAST = 1e-3  # probabilities are clipped to this, and to one less this
_AROUND = 2  # chords either side that count as a note's surroundings


def network_evidence(
    near: npt.NDArray[np.floating], times: Float64, hop: float, group: IntArray
) -> Float64:
    """Return the evidence for each note's time [shape=(M, 3)], from the network's probabilities.

    `near` [shape=(M, 2 * R + 1)] is the probability that each note begins, in the frames about
    that of its chord; `times` [shape=(M,)] are in frames after that; `hop` is in seconds and
    `group` [shape=(M,)] the chord of each note.
    """
    reach = near.shape[1] // 2
    within = np.abs(np.arange(-reach, reach + 1) - times[:, None]) <= TOLERANCE / hop + 0.5
    peak = (near * within).max(axis=1)
    share = (near * within).sum(axis=1) / np.maximum(near.sum(axis=1), _LEAST)
    size = np.bincount(group)
    total = np.bincount(group, peak)
    around = (_summed(total)[group] - peak) / np.maximum(_summed(size)[group] - 1, 1)
    clipped = np.clip(peak, _LEAST, 1 - _LEAST)
    return np.stack([np.log(clipped / (1 - clipped)), around, share], axis=1)


def shape_evidence(onset: FloatArray, chosen: IntArray, group: IntArray) -> Float64:
    """Return how far the score of each chord stands out of its window, for its notes.

    Of weighted scores `onset` [shape=(G, W)], the `chosen` column of each chord and the chord of
    each note, `group` [shape=(M,)]; in standard deviations [shape=(M, 2)]: of the chord, and on
    average.
    """
    spread = onset.std(axis=1) + 1e-12
    away = (onset[np.arange(len(onset)), chosen] - onset.mean(axis=1)) / spread
    return np.stack([away[group], np.full(group.size, away.mean())], axis=1)


def _summed(values: npt.NDArray[Any]) -> Float64:
    """Sum over each chord and its neighbours [shape=(G,)]."""
    return np.convolve(values.astype(np.float64), np.ones(2 * _AROUND + 1), mode="full")[
        _AROUND : _AROUND + values.size
    ]
