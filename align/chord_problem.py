"""Chords as a structured prediction problem, for the learner.

x is `BaseFunctions` in windows, the truth is `ChordTruth`: onsets in frames, and which chords were
played at all. A chord of which nothing was played, or whose truth lies outside its window, costs
nothing wherever it is placed; in phi of the truth it stands between its neighbours in proportion
to the score.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from align.chord_windows import spaced
from align.decoders import decode
from align.learners import OnsetCost
from align.types import BaseFunctions, IntArray

__all__ = ["ChordProblem", "ChordTruth"]

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ChordTruth:
    """When chords were really played.

    Parameters
    ----------
    frames : np.ndarray [shape=(G,), dtype=intp]
        Strictly increasing, within the windows.
    known : np.ndarray [shape=(G,), dtype=bool]
        Which of them count.
    """

    frames: IntArray
    known: npt.NDArray[np.bool_]

    @classmethod
    def of(
        cls, times: Float64, score_onsets: Float64, windows: IntArray, hop: float
    ) -> "ChordTruth | None":
        """Turn true times into frames.

        Parameters
        ----------
        times : np.ndarray [shape=(G,)]
            Seconds, NaN where a chord was not played.
        score_onsets : np.ndarray [shape=(G,)]
            Score seconds of the chords, increasing.
        windows : np.ndarray [shape=(G, 2), dtype=intp]
            Where they are looked for.
        hop : float
            Length of a frame in seconds.

        Returns
        -------
        ChordTruth or None
            None where no chord was played in its window, or none could stand in all windows.

        Examples
        --------
        >>> windows = np.array([[0, 9], [1, 9], [2, 9]])
        >>> truth = ChordTruth.of(np.array([0.2, np.nan, 0.6]), np.arange(3.0), windows, 0.1)
        >>> truth.frames, truth.known
        (array([2, 4, 6]), array([ True, False,  True]))
        """
        low, high = windows[:, 0], windows[:, 1]
        position = times / hop
        played = np.isfinite(position)
        known = played.copy()
        known[played] = (position[played] >= low[played]) & (position[played] < high[played])
        if not known.any():
            return None
        filled = np.interp(score_onsets, score_onsets[known], position[known])
        # half way between the least sequences from either side that do not decrease
        rising = 0.5 * (np.maximum.accumulate(filled) + np.minimum.accumulate(filled[::-1])[::-1])
        frames = spaced(np.clip(rising, low, high - 1), int(windows[-1, 1]))
        if (frames < low).any() or (frames >= high).any():
            return None
        return cls(frames, known & (np.abs(frames - position) <= 1.0))


@dataclass(frozen=True)
class ChordProblem:
    """What the structured learner sees.

    Parameters
    ----------
    cost_function : OnsetCost
        Cost of onsets in frames; may depend on their distance from the truth only.
    scale : np.ndarray [shape=(J,)]
        Each base function is divided by its scale and by the number of chords.
    share : bool
        Divide the cost by the number of chords that count, where it is a sum over them.
    """

    cost_function: OnsetCost
    scale: Float64
    share: bool = False

    def joint_feature(self, x: BaseFunctions, y: ChordTruth | IntArray) -> Float64:
        """Return phi(x, y), scaled [shape=(J,)]."""
        frames = y.frames if isinstance(y, ChordTruth) else y
        return x.phi(frames) / (self.scale * x.n_events)

    def decode(self, w: Float64, x: BaseFunctions) -> IntArray:
        """Return the onsets that maximise <w, phi(x, .)>, exactly."""
        return decode(x.potentials(w / (self.scale * x.n_events))).onsets

    def loss_augmented_decode(self, w: Float64, x: BaseFunctions, y: ChordTruth) -> IntArray:
        """Return the onsets that maximise <w, phi(x, .)> + cost(y, .), exactly."""
        potentials = x.potentials(w / (self.scale * x.n_events))
        width = potentials.onset.shape[1]
        # only distances matter, so that the windows may all begin at 0
        table = self.cost_function.onset_cost((y.frames - potentials.start)[y.known], width)
        onset = potentials.onset.copy()
        onset[y.known] += table * self._unit(y)
        return decode(replace(potentials, onset=onset)).onsets

    def cost(self, y: ChordTruth, y_hat: IntArray) -> float:
        """Return the cost of predicting `y_hat` where `y` is true."""
        return self.cost_function(y.frames[y.known], y_hat[y.known]) * self._unit(y)

    def _unit(self, y: ChordTruth) -> float:
        return 1.0 / max(1, int(y.known.sum())) if self.share else 1.0
