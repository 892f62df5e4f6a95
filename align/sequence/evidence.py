"""Probabilities from a few numbers: a logistic function, fitted in training.

It says how sure the time of a note is, whether a note was played, and whether a word was said. The
numbers, the *evidence*, come from features that did not see the recording, so that what is found
in training holds for recordings that are new.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError
from align.types import BoolArray, Float64

_RIDGE = 1.0


@dataclass(frozen=True, eq=False)
class EvidenceModel:
    """A logistic function of evidence; the last weight of [shape=(F + 1,)] is the constant."""

    weights: Float64

    @classmethod
    def fit(
        cls, evidence: Sequence[Float64], hit: Sequence[BoolArray | Float64]
    ) -> "EvidenceModel":
        """Return the model whose weights fit the notes of some recordings, by Newton's method.

        For each recording the evidence [shape=(N_i, F)], and which notes were within the
        tolerance, or how probable that was.

        Examples
        --------
        >>> x = np.linspace(-1, 1, 200)[:, None]
        >>> model = EvidenceModel.fit([x], [x[:, 0] > 0])
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
            p = logistic(x @ w)
            slope = x.T @ (y - p) - ridge * w
            bend = (x * np.maximum(p * (1 - p), 1e-9)[:, None]).T @ x + np.diag(ridge)
            step = np.linalg.solve(bend, slope)
            w = w + step / max(1.0, float(np.abs(step).max()))  # never too far at once
            if np.abs(step).max() < 1e-8:
                break
        return cls(w)

    @classmethod
    def from_array(cls, weights: npt.NDArray[Any], name: str, size: int) -> Self:
        """Restore the model of `size` numbers that a file calls `name`, or raise ModelError."""
        if weights.shape != (size + 1,) or not np.isfinite(weights).all():
            raise ModelError(
                f"array {name!r} is of shape {weights.shape}, must be ({size + 1},) and finite."
            )
        return cls(np.asarray(weights, dtype=np.float64))

    @property
    def size(self) -> int:
        """How many numbers it takes."""
        return len(self.weights) - 1

    def __call__(self, evidence: Float64) -> Float64:
        """Return the confidence of notes [shape=(N,)], given their evidence [shape=(N, F)]."""
        return logistic(evidence @ self.weights[:-1] + self.weights[-1])


def logistic(x: Float64) -> Float64:
    """Return probabilities, given their log odds; beyond 30 these make no difference."""
    return 1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0)))


def log_odds(probability: Float64, least: float) -> Float64:
    """Return the log odds of probabilities, which are clipped to `least` and to one less this.

    Examples
    --------
    >>> log_odds(np.array([0.5, 1.0]), 0.01).round(2)
    array([0. , 4.6])
    """
    p = np.clip(probability, least, 1.0 - least)
    return np.log(p / (1.0 - p))
