"""What the k best alignments need where changes of length are scored, after one forward pass.

With ``H_k(t, d)`` as in `align.decoders.second_order`, and once the onsets ``y_{k+1}`` and
``y_{k+2}`` are known, one coefficient is all that ties event k to what follows it, and onset t of
event k is worth ::

    H_k(t, y_{k+1} - t) + c_{k+1} (y_{k+1} - t) (y_{k+2} - y_{k+1})

so that its best, second best, ... onset is found among the at most L frames in reach. The forward
pass is that of `align.decoders.second_order._envelopes`; the states of all events are kept: K W L
scores of 8 bytes.
"""

from typing import NamedTuple

import numpy as np

from align._numba import compiled
from align.decoders._windows import Windows, tighten
from align.decoders.second_order._envelopes import advance
from align.decoders.second_order._states import problem_of, state_offsets
from align.errors import ParameterError
from align.potentials import Potentials
from align.types import Float64, IntArray

_MOST_STATES = 2**27  # whose forward scores are kept: 1 GiB


class _Tables(NamedTuple):
    """What the kernels read: the states of all events lie one after the other in `score`."""

    windows: Windows
    cross: Float64
    offset: IntArray
    score: Float64


def fits(potentials: Potentials) -> bool:
    """Whether the states of potentials with one event or more can all be kept."""
    return bool(state_offsets(tighten(potentials))[-1] <= _MOST_STATES)


class SecondOrder:
    """The forward pass over potentials with ratio scores, and the choices it leaves.

    Parameters
    ----------
    potentials : Potentials
        At least one event; ratio terms of either sign, no general scores.

    Raises
    ------
    ParameterError
        A score is NaN or +inf; no timing meets the windows and the lengths; more than 2**27
        scores would be kept.
    """

    def __init__(self, potentials: Potentials) -> None:
        problem = problem_of(potentials)
        self.windows, offset = problem.windows, problem.offset
        if offset[-1] > _MOST_STATES:
            raise ParameterError(
                f"decode_k_best would keep {offset[-1]} scores of pairs of onsets for the ratio "
                f"scores, {_MOST_STATES} at most; lower max_length, or narrow the windows "
                "around the path of decode first, see `narrowed`."
            )
        score = np.empty(int(offset[-1]))
        none, before = np.empty(0, dtype=np.uint8), np.empty(0)
        for k in range(potentials.n_events):
            here = score[offset[k] : offset[k + 1]]
            advance(problem, k, k + 1, before, here, none)
            before = here
        self._tables = _Tables(problem.windows, problem.cross, offset, score)

    def best(self) -> tuple[float, int]:
        """Return the best score, without the constant, and the onset of the last event there."""
        k, end = self.windows.shortest.size - 1, self.windows.last[-1]
        score, t = _next(self._tables, k, end, 0.0, -1)
        return float(score), int(t)

    def follow(self, at: int, onsets: IntArray) -> None:
        """Give all events before `at` their best onsets."""
        _follow(self._tables, at, onsets)

    def deviate(self, onsets: IntArray, frame: IntArray, loss: Float64) -> None:
        """Find the next worse onset of each of the first events, and what it costs."""
        _deviate(self._tables, onsets, frame, loss)


@compiled()
def _slope(tables: _Tables, k: int, onsets: IntArray) -> tuple[int, float]:
    """Where event k ends, and the score of each of its frames that the next length gives it."""
    n_events, last, cross = onsets.size, tables.windows.last, tables.cross
    if k == n_events - 1:
        return last[n_events], 0.0
    end = last[n_events] if k == n_events - 2 else onsets[k + 2]
    return onsets[k + 1], cross[k + 1] * (end - onsets[k + 1])


@compiled()
def _next(tables: _Tables, k: int, after: int, slope: float, frame: int) -> tuple[float, int]:
    """Best onset of event k, which ends at `after`, that is worse than `frame`.

    Of all onsets where that is -1. Of equal ones the earlier is the better.
    """
    (first, last, shortest, longest), _, offset, score = tables
    row = offset[k] + (after - first[k + 1]) * (longest[k] - shortest[k] + 1) - shortest[k]
    value = np.inf
    if frame >= 0:
        value = score[row + after - frame] + slope * (after - frame)
    top, at = -np.inf, -1
    for t in range(max(first[k], after - longest[k]), min(last[k], after - shortest[k]) + 1):
        total = score[row + after - t] + slope * (after - t)
        if total > top and (total < value or (total == value and t > frame)):
            top, at = total, t
    return top, at


@compiled()
def _follow(tables: _Tables, at: int, onsets: IntArray) -> None:
    """Give all events before `at` their best onsets."""
    for k in range(at - 1, -1, -1):
        after, slope = _slope(tables, k, onsets)
        _, onsets[k] = _next(tables, k, after, slope, -1)


@compiled()
def _deviate(tables: _Tables, onsets: IntArray, frame: IntArray, loss: Float64) -> None:
    """Next worse onset of each of the first events, the others staying, and what it costs."""
    (first, _, shortest, longest), _, offset, score = tables
    for k in range(frame.size):
        after, slope = _slope(tables, k, onsets)
        row = offset[k] + (after - first[k + 1]) * (longest[k] - shortest[k] + 1) - shortest[k]
        value = score[row + after - onsets[k]] + slope * (after - onsets[k])
        worse, frame[k] = _next(tables, k, after, slope, onsets[k])
        loss[k] = value - worse
