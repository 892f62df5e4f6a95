"""Where a labeller draws the line, learned from one corrected onset after another.

Between a vowel and a silence, or a stop and a vowel, each labeller has a habit, and each language
a way of its own; a model that comes from elsewhere is early or late there. For each pair of
classes of the events before and after an onset, the last errors are kept, and onsets move by their
median, held back while they are few::

    m_(l,r)  =  - n / (n + n_0) * median of the last n errors
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError

__all__ = ["Habits"]

Float64 = npt.NDArray[np.float64]

_KEPT = 24  # errors of a pair; older ones are of models that have changed since
_PRIOR = 4.0  # errors, against which those seen are weighed
_NEAR = 0.060  # seconds; larger errors are mistakes, and teach nothing


class Habits:
    """The last errors of onsets, by the classes of the events before and after.

    Parameters
    ----------
    errors : mapping of (str, str) to sequence of float
        Seconds by which onsets come late where no habit is taken into account.

    Examples
    --------
    >>> habits = Habits().after(np.array([0.0, 0.52]), np.array([0.0, 0.50]), ["vowel", "stop"])
    >>> habits.moved(np.array([0.0, 0.32]), ["vowel", "stop"]).round(3)
    array([0.   , 0.316])
    """

    def __init__(self, errors: Mapping[tuple[str, str], Sequence[float]] | None = None) -> None:
        self.errors = {pair: tuple(some) for pair, some in (errors or {}).items()}

    def moved(self, times: Float64, kinds: Sequence[str | None]) -> Float64:
        """Return onsets in seconds [shape=(K,)] after the moves; the first one stays.

        `kinds` has the class of each event. The result is not sorted.
        """
        return times + self._moves(kinds)

    def _moves(self, kinds: Sequence[str | None]) -> Float64:
        moves = np.zeros(len(kinds))
        for k in range(1, len(kinds)):
            some = self.errors.get((str(kinds[k - 1]), str(kinds[k])))
            if some:
                moves[k] = -len(some) / (len(some) + _PRIOR) * float(np.median(some))
        return moves

    def after(self, found: Float64, truth: Float64, kinds: Sequence[str | None]) -> Self:
        """Return the habits after one more recording.

        `found` and `truth` [shape=(K,)] are seconds; what was found was moved by these habits.
        """
        errors = dict(self.errors)
        late = found - truth - self._moves(kinds)
        for k in range(1, len(kinds)):
            if abs(late[k]) <= _NEAR:
                pair = str(kinds[k - 1]), str(kinds[k])
                errors[pair] = (*errors.get(pair, ()), float(late[k]))[-_KEPT:]
        return type(self)(errors)

    def get_state(self) -> list[list[Any]]:
        """Return what a model file must hold."""
        return [[*pair, list(some)] for pair, some in self.errors.items()]

    @classmethod
    def from_state(cls, state: Any) -> Self:
        """Rebuild habits from `get_state`; ModelError where something is wrong."""
        errors = {(str(a), str(b)): tuple(map(float, some)) for a, b, some in state}
        if any(not abs(one) <= _NEAR for some in errors.values() for one in some):
            raise ModelError("an error of a habit is not finite, or too large.")
        return cls(errors)
