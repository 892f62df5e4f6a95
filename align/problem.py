"""Alignment as a structured prediction problem: phi, decoding and cost, for the learner."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from align.decoders import decode
from align.learners import OnsetCost
from align.types import BaseFunctions, IntArray

__all__ = ["AlignmentProblem"]


@dataclass(frozen=True)
class AlignmentProblem:
    """What the structured learner sees: x is `BaseFunctions`, y is onsets in frames.

    Parameters
    ----------
    cost_function : OnsetCost
        Cost of predicted onsets, both in frames.
    scale : np.ndarray [shape=(J,)]
        Each base function is divided by its scale.
    normalise : bool
        Divide phi by the number of events, so that long recordings do not outweigh short ones.
    """

    cost_function: OnsetCost
    scale: npt.NDArray[np.float64]
    normalise: bool = False

    def joint_feature(self, x: BaseFunctions, y: IntArray) -> npt.NDArray[np.float64]:
        """Return phi(x, y), scaled [shape=(J,)]."""
        return x.phi(y) / self._divisor(x)

    def decode(self, w: npt.NDArray[np.float64], x: BaseFunctions) -> IntArray:
        """Return the onsets that maximise <w, phi(x, .)>, exactly."""
        return decode(x.potentials(w / self._divisor(x))).onsets

    def loss_augmented_decode(
        self, w: npt.NDArray[np.float64], x: BaseFunctions, y: IntArray
    ) -> IntArray:
        """Return the onsets that maximise <w, phi(x, .)> + cost(y, .), exactly."""
        potentials = x.potentials(w / self._divisor(x))
        table = self.cost_function.onset_cost(y, x.n_frames)
        return decode(potentials.add_onset_cost(table)).onsets

    def cost(self, y: IntArray, y_hat: IntArray) -> float:
        """Return the cost of predicting `y_hat` where `y` is true."""
        return self.cost_function(y, y_hat)

    def _divisor(self, x: BaseFunctions) -> npt.NDArray[np.float64]:
        return self.scale * x.n_events if self.normalise else self.scale
