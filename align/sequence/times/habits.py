"""Where a labeller draws the line, learned from one corrected onset after another.

Between a vowel and a silence, or a stop and a vowel, each labeller has a habit, and each language
a way of its own; a model that comes from elsewhere is early or late there. An onset comes late by
what its labeller does at all onsets, after and before a class of events, and between two classes::

    late(l, r)  =  w + w_l + w_r + w_lr

with the w that are least squares of the last errors of each pair, each held back towards zero
(ridge regression): a pair that was seen once learns from those that are like it.

A person who leaves what is nearly right says little about the onsets that they leave: these seem
to have no error. Hence means, not medians: a fifth of the onsets moved by 30 ms is a habit, too.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from align.errors import ModelError
from align.types import Float64

_KEPT = 48  # errors of a pair; older ones are of models that have changed since
_NEAR = 0.060  # seconds; larger errors are mistakes, and teach nothing
_HELD = {"all": 8.0, "before": 16.0, "after": 16.0, "pair": 8.0}  # errors, against those seen

_Part = tuple[str, ...]


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
    array([0.   , 0.315])
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
            parts = _parts(str(kinds[k - 1]), str(kinds[k]))
            moves[k] = -sum(self._late.get(part, 0.0) for part in parts)
        return moves

    @cached_property
    def _late(self) -> dict[_Part, float]:
        """Seconds that each part of a habit adds."""
        row: dict[_Part, int] = {}
        for pair in self.errors:
            for part in _parts(*pair):
                row.setdefault(part, len(row))
        gram, target = np.diag([_HELD[part[0]] for part in row]), np.zeros(len(row))
        for pair, some in self.errors.items():
            own = [row[part] for part in _parts(*pair)]
            gram[np.ix_(own, own)] += len(some)
            target[own] += sum(some)
        late = np.linalg.solve(gram, target) if row else target
        return {part: float(late[i]) for part, i in row.items()}

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


def _parts(before: str, after: str) -> tuple[_Part, ...]:
    """Return what an onset between two classes is moved by, from the general to its own."""
    return ("all",), ("before", before), ("after", after), ("pair", before, after)
