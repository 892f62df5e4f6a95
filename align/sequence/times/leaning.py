"""How early or late a labeller ends a sound that fades, learned from one onset after another.

A vowel dies away into silence for a tenth of a second: one labeller ends it with the voice,
another with its last trace. How many milliseconds lie between differs from word to word, so that
no move of all onsets says it (`align.sequence.times.habits`). A leaning says that each second
later is as much more probable, b in log odds, than the model p takes it to be::

    p_b(t)  ~  p(t) exp(b t)

It moves an onset far where the model is unsure, and hardly where it is sure. Each pair of classes,
before and after an onset, has its own b, which has the greatest

    log N(b; 0, DEVIATION^2)  +  sum_i  log( P_b(onset i is within _NEAR of where it is) + _SLIP )

over the onsets of the pair so far; older ones count less. It is looked for on a grid, so that a
pair needs no more than the sum at each value of it.

References
----------
Laird and Ware, "Random-effects models for longitudinal data", Biometrics 38, 1982: what differs
between labellers is estimated from many of them, and says how soon a new one is believed.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError
from align.types import Float64

DEVIATION = 20.0
"""How much languages differ, in log odds per second: by 23 of VoxAngeles, `recipes/studio`."""

_SLOPES = np.linspace(-100.0, 100.0, 21)  # log odds per second that are tried
_NEAR = 0.020  # seconds; nearer onsets are left where they are, and say no more than that
_SLIP = 0.01  # of onsets, that are anywhere
_KEPT = 48  # onsets of a pair; older ones are of models that have changed since


class Leaning:
    """Leanings of onsets, by the classes of the events before and after.

    Parameters
    ----------
    curves : mapping of (str, str) to array_like [shape=(21,)]
        Of each pair, the logarithm of how probable the onsets so far are, with each slope.

    Examples
    --------
    The model takes three times to be as probable; the onset is at the last one.

    >>> late = np.array([[0.0, 0.0, 0.0], [-0.06, -0.03, 0.0]])
    >>> even = np.full((2, 3), 1 / 3)
    >>> leaning = Leaning().after(even, late, ["vowel", "silence"])
    >>> leaning.slopes(["vowel", "silence"]).round(1)
    array([0. , 9.5])
    """

    def __init__(self, curves: Mapping[tuple[str, str], npt.ArrayLike] | None = None) -> None:
        self.curves = {
            pair: np.asarray(curve, dtype=np.float64) for pair, curve in (curves or {}).items()
        }

    def slopes(self, kinds: Sequence[str | None]) -> Float64:
        """Return the log odds per second of each event's onset [shape=(K,)]; the first has none.

        `kinds` has the class of each event.
        """
        found = {pair: _summit(curve) for pair, curve in self.curves.items()}
        return np.array([0.0, *(found.get(pair, 0.0) for pair in _pairs(kinds))])[: len(kinds)]

    def after(self, probability: Float64, late: Float64, kinds: Sequence[str | None]) -> Self:
        """Return the leanings after one more recording.

        Parameters
        ----------
        probability : np.ndarray [shape=(K, W)]
            Of each onset at W times, by a model that has not seen the recording, without leanings.
        late : np.ndarray [shape=(K, W)]
            Seconds from where the onset is to each of these times.
        kinds : sequence of str or None
            The class of each event.
        """
        curves = dict(self.curves)
        for pair, own, seconds in zip(_pairs(kinds), probability[1:], late[1:], strict=True):
            raised = own * np.exp(_SLOPES[:, None] * (seconds - seconds.mean()))
            share = raised[:, np.abs(seconds) <= _NEAR].sum(axis=1) / raised.sum(axis=1)
            curves[pair] = (1.0 - 1.0 / _KEPT) * curves.get(pair, 0.0) + np.log(share + _SLIP)
        return type(self)(curves)

    def get_state(self) -> list[list[Any]]:
        """Return what a model file must hold."""
        return [[*pair, curve.tolist()] for pair, curve in self.curves.items()]

    @classmethod
    def from_state(cls, state: Any) -> Self:
        """Rebuild leanings from `get_state`; ModelError where something is wrong."""
        own = cls({(str(a), str(b)): curve for a, b, curve in state})
        if any(c.shape != _SLOPES.shape or not np.isfinite(c).all() for c in own.curves.values()):
            raise ModelError(f"a leaning is not {len(_SLOPES)} finite numbers.")
        return own


def _pairs(kinds: Sequence[str | None]) -> list[tuple[str, str]]:
    """Return the classes before and after each onset but the first."""
    names = [str(kind) for kind in kinds]
    return list(pairwise(names))


def _summit(curve: Float64) -> float:
    """Return the slope that is most probable, between those tried by a parabola."""
    height = curve - 0.5 * (_SLOPES / DEVIATION) ** 2
    best = int(np.clip(np.argmax(height), 1, len(height) - 2))
    left, here, right = height[best - 1 : best + 2]
    bend = left - 2.0 * here + right
    step = np.clip(0.5 * (left - right) / bend, -1.0, 1.0) if bend < 0 else 0.0
    return float(_SLOPES[best] + step * (_SLOPES[1] - _SLOPES[0]))
