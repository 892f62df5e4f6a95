"""Alignment as a structured prediction problem: phi, its scale, decoding and cost.

x is `BaseFunctions`, perhaps in windows; the truth is `Truth`, onsets in frames and which of them
count; a prediction is onsets in frames.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, sections 9.1 and
9.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from align.decoders import decode
from align.errors import ParameterError
from align.sequence.frames import spaced
from align.terms import BaseFunctions
from align.types import BoolArray, Float64, IntArray

if TYPE_CHECKING:
    from align.learners.structured.costs import OnsetCost


@dataclass(frozen=True, eq=False)
class Truth:
    """When events really begin.

    Parameters
    ----------
    frames : np.ndarray [shape=(K,), dtype=intp]
        Strictly increasing, within the windows. Where an onset is not known, any frame that keeps
        the order.
    known : np.ndarray [shape=(K,), dtype=bool]
        Which of them count.
    """

    frames: IntArray
    known: BoolArray

    @classmethod
    def whole(cls, frames: IntArray) -> "Truth":
        """Return a truth of which every onset is known."""
        return cls(frames, np.ones(len(frames), dtype=bool))

    @classmethod
    def within(
        cls, times: Float64, written: Float64, windows: IntArray, hop: float
    ) -> "Truth | None":
        """Return true times in frames, where some events did not occur or lie outside.

        `times` [shape=(K,)] are seconds, NaN where an event did not occur; it then stands between
        its neighbours in proportion to `written` [shape=(K,)], increasing seconds of the score.
        Events are looked for in `windows` [shape=(K, 2)], in frames of `hop` seconds. None where
        no event occurs in its window, or none could stand in all windows.

        Examples
        --------
        >>> windows = np.array([[0, 9], [1, 9], [2, 9]])
        >>> truth = Truth.within(np.array([0.2, np.nan, 0.6]), np.arange(3.0), windows, 0.1)
        >>> truth.frames, truth.known
        (array([2, 4, 6]), array([ True, False,  True]))
        """
        low, high = windows[:, 0], windows[:, 1]
        position = times / hop
        occurs = np.isfinite(position)
        known = occurs.copy()
        known[occurs] = (position[occurs] >= low[occurs]) & (position[occurs] < high[occurs])
        if not known.any():
            return None
        filled = np.interp(written, written[known], position[known])
        # half way between the least sequences from either side that do not decrease
        rising = 0.5 * (np.maximum.accumulate(filled) + np.minimum.accumulate(filled[::-1])[::-1])
        frames = spaced(np.clip(rising, low, high - 1), int(windows[-1, 1]))
        if (frames < low).any() or (frames >= high).any():
            return None
        return cls(frames, known & (np.abs(frames - position) <= 1.0))


class Case(NamedTuple):
    """A recording as the learner sees it.

    Parameters
    ----------
    item : TimedSignal or TimedPiece
        What was read of it.
    features : sequence of Feature or ChordFeature
        Features that it was not fitted to, as far as there are such.
    x : BaseFunctions
        What they give.
    y : Truth
        When its events really begin.
    """

    item: Any
    features: Sequence[Any]
    x: BaseFunctions
    y: Truth


@dataclass(frozen=True)
class AlignmentProblem:
    """What the structured learner sees.

    Parameters
    ----------
    cost_function : OnsetCost
        Cost of onsets in frames; one with a table may depend on their distance from the truth
        only.
    scale : np.ndarray [shape=(J,)]
        Each base function is divided by its scale.
    normalise : bool
        Divide phi by the number of events, so that long recordings do not outweigh short ones.
    share : bool
        Divide the cost by the number of onsets that count, where it is a sum over them.
    non_negative : np.ndarray [shape=(J,), dtype=bool], optional
        Base functions whose weights the learner keeps from falling below 0.
    """

    cost_function: "OnsetCost"
    scale: Float64
    normalise: bool = False
    share: bool = False
    non_negative: BoolArray | None = None

    def joint_feature(self, x: BaseFunctions, y: Truth | IntArray) -> Float64:
        """Return phi(x, y), scaled [shape=(J,)]."""
        return x.phi(y.frames if isinstance(y, Truth) else y) / self._divisor(x)

    def decode(self, w: Float64, x: BaseFunctions) -> IntArray:
        """Return the onsets that maximise <w, phi(x, .)>, exactly."""
        return decode(x.potentials(w / self._divisor(x))).onsets

    def loss_augmented_decode(self, w: Float64, x: BaseFunctions, y: Truth) -> IntArray:
        """Return the onsets that maximise <w, phi(x, .)> + cost(y, .), exactly."""
        potentials = x.potentials(w / self._divisor(x))
        onset = potentials.onset.copy()
        # only distances matter, so that all windows may begin at 0
        table = self.cost_function.onset_cost(
            (y.frames - potentials.start)[y.known], onset.shape[1]
        )
        onset[y.known] += table * self._unit(y)
        return decode(replace(potentials, onset=onset)).onsets

    def cost(self, y: Truth, y_hat: IntArray) -> float:
        """Return the cost of predicting `y_hat` where `y` is true."""
        return self.cost_function(y.frames[y.known], y_hat[y.known]) * self._unit(y)

    def _divisor(self, x: BaseFunctions) -> Float64:
        return self.scale * x.n_events if self.normalise else self.scale

    def _unit(self, y: Truth) -> float:
        return 1.0 / max(1, int(y.known.sum())) if self.share else 1.0


def base_function_scales(
    xs: Sequence[BaseFunctions], ys: Sequence[IntArray], random_state: int
) -> Float64:
    """Return how much base functions vary where true onsets move by 4 frames [shape=(J,)].

    Base functions come in units from probabilities to squared seconds; without this the largest
    would drown the rest.
    """
    rng = np.random.default_rng(random_state)
    differences = []
    for x, y in zip(xs, ys, strict=True):
        room = np.minimum(np.diff(y, append=x.n_frames), np.diff(y, prepend=-1)) - 1
        moved = y + np.rint(rng.uniform(-0.5, 0.5, y.size) * np.minimum(room, 8)).astype(np.intp)
        if x.windows is not None:
            moved = np.clip(moved, x.windows[:, 0], x.windows[:, 1] - 1)
        with np.errstate(over="ignore", invalid="ignore"):  # named below
            differences.append((x.phi(y) - x.phi(moved)) / np.sqrt(y.size))
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.sqrt(np.mean(np.square(differences), axis=0))
    if not np.isfinite(spread).all():
        name = xs[0].names[int(np.flatnonzero(~np.isfinite(spread))[0])]
        raise ParameterError(f"base function {name!r} is not finite on the training set.")
    largest = spread.max(initial=0.0)
    # A base function that never varies says nothing: its scale must only be harmless.
    return np.where(spread > 1e-9 * largest, spread, 1.0)
