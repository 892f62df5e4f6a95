"""How sure the time of a note is: a calibrated probability.

The confidence of a note is the probability that it was played within 50 ms of the time given. It
is a logistic function of a few numbers, the *evidence*: the network's probability of the note at
that time, the mean probability of the notes around, and which share of the note's probability in
its window lies near that time. The weights maximise the likelihood, with a small ridge, on notes
of the training set as scored by networks that were not trained on them; notes that were not played
count as missed. All this assumes that the recording is of the score. Where their match is poor,
the aligner lowers the confidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import FloatArray, IntArray

__all__ = ["TOLERANCE", "ConfidenceModel", "network_evidence", "shape_evidence"]

Float64 = npt.NDArray[np.float64]

TOLERANCE = 0.050
"""Seconds; the confidence is that of an onset within them."""

_RIDGE = 1.0
_LEAST = 1e-3  # probabilities are clipped to this, and to one less this
_AROUND = 2  # chords either side that count as a note's surroundings


@dataclass(frozen=True, eq=False)
class ConfidenceModel:
    """A logistic function of evidence; the last weight of [shape=(F + 1,)] is the constant."""

    weights: Float64

    @classmethod
    def fit(
        cls, evidence: Sequence[Float64], hit: Sequence[npt.NDArray[np.bool_]]
    ) -> "ConfidenceModel":
        """Return the model whose weights fit the notes of some recordings, by Newton's method.

        For each recording the evidence [shape=(N_i, F)], and which notes were within the
        tolerance.

        Examples
        --------
        >>> x = np.linspace(-1, 1, 200)[:, None]
        >>> model = ConfidenceModel.fit([x], [x[:, 0] > 0])
        >>> model(np.array([[-1.0], [1.0]])).round(1)
        array([0., 1.])
        """
        if len(evidence) != len(hit) or not evidence:
            raise ParameterError(f"evidence of {len(evidence)} recordings, hits of {len(hit)}.")
        x = np.concatenate(evidence)
        x = np.concatenate([x, np.ones((len(x), 1))], axis=1)
        y = np.concatenate(hit).astype(np.float64)
        w = np.zeros(x.shape[1])
        ridge = np.full(w.size, _RIDGE)
        ridge[-1] = 1e-3
        for _ in range(30):
            p = _logistic(x @ w)
            slope = x.T @ (y - p) - ridge * w
            bend = (x * np.maximum(p * (1 - p), 1e-9)[:, None]).T @ x + np.diag(ridge)
            step = np.linalg.solve(bend, slope)
            w = w + step / max(1.0, float(np.abs(step).max()))  # never too far at once
            if np.abs(step).max() < 1e-8:
                break
        return cls(w)

    def __call__(self, evidence: Float64) -> Float64:
        """Return the confidence of notes [shape=(N,)], given their evidence [shape=(N, F)]."""
        return _logistic(evidence @ self.weights[:-1] + self.weights[-1])


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


def _logistic(x: Float64) -> Float64:
    out: Float64 = 1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0)))
    return out
