"""What the k best alignments need where changes of length are scored, after one forward pass.

The states are those of `align.decoders.second_order`: ``H_k(t, d)`` is the best score of the terms
of events ``0 .. k`` where event k begins at frame t and lasts d. Once the onsets ``y_{k+1}`` and
``y_{k+2}`` are known, one coefficient is all that ties event k to what follows it, and onset t of
event k is worth ::

    H_k(t, y_{k+1} - t) + c_{k+1} (y_{k+1} - t) (y_{k+2} - y_{k+1})

so that its best, second best, ... onset is found among the at most L frames in reach. Of the last
event one length at each frame is possible, so its states are one row.

The forward pass is that of the envelope kernel (`align.decoders._envelope`), each table of which
is kept as it is: K W (L + 32) scores of 8 bytes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._envelope import TILE, Problem, advance, begin
from align.decoders._states import (
    length_scores,
    pointer_counts,
    pointer_dtype,
    pointer_offsets,
    table_offsets,
)
from align.decoders._windows import Windows, check_values, tighten
from align.errors import ParameterError
from align.potentials import Potentials
from align.types import FloatArray, IntArray

__all__ = ["SecondOrder", "fits"]

_MOST_STATES = 2**27  # whose forward scores are kept: 1 GiB

_Float64 = npt.NDArray[np.float64]


class _Tables(NamedTuple):
    """What the kernels read.

    Attributes
    ----------
    windows : Windows
        Frames and lengths to search.
    cross : np.ndarray [shape=(K,), dtype=float64]
        Coefficient of ``d_{k-1} d_k``.
    score : np.ndarray [shape=(offset[K - 1] + W,), dtype=float64]
        The states of all events but the last as `align.decoders._envelope` lays them out, one
        event after the other; then the score of each onset of the last event, which ends at T.
    offset : np.ndarray [shape=(K,), dtype=intp]
        Where the states of each event begin.
    """

    windows: Windows
    cross: _Float64
    score: _Float64
    offset: IntArray


def fits(potentials: Potentials) -> bool:
    """Whether the states of potentials with two events or more can all be kept."""
    return bool(table_offsets(tighten(potentials))[-2] <= _MOST_STATES)


class SecondOrder:
    """The forward pass over potentials with ratio scores, and the choices it leaves.

    Parameters
    ----------
    potentials : Potentials
        At least two events; ratio terms of either sign, no general scores.

    Raises
    ------
    ParameterError
        A score is NaN or +inf; no timing meets the windows and the lengths; more than 2**27
        scores would be kept.
    """

    def __init__(self, potentials: Potentials) -> None:
        onset = check_values(potentials)
        self.windows = windows = tighten(potentials)
        offset = table_offsets(windows)[:-1]
        if offset[-1] > _MOST_STATES:
            raise ParameterError(
                f"decode_k_best would keep {offset[-1]} scores of pairs of onsets for the ratio "
                f"scores, {_MOST_STATES} at most; lower max_length, or narrow the windows "
                "around the path of decode first, see `narrowed`."
            )
        own, cross = length_scores(potentials, windows)
        problem = Problem(onset, potentials.start, windows, own, cross, pointer_offsets(windows))
        score = np.empty(int(offset[-1] + windows.last[-2] - windows.first[-2] + 1))
        self._tables = _Tables(windows, cross, score, offset)
        back = np.empty(int(pointer_counts(windows).max()), dtype=pointer_dtype(windows))
        begin(problem, score[: offset[1]])
        for k in range(1, potentials.n_events - 1):
            before, here = score[offset[k - 1] : offset[k]], score[offset[k] : offset[k + 1]]
            advance(problem, k, k + 1, before, here, back, False)
        _finish(self._tables, onset, potentials.start, own)

    def best(self) -> tuple[float, int]:
        """Return the best score, without the constant, and the onset of the last event there."""
        score, t = _next(
            self._tables, self.windows.shortest.size - 1, self.windows.last[-1], 0, -1
        )
        return float(score), int(t)

    def follow(self, at: int, onsets: IntArray) -> None:
        """Give all events before `at` their best onsets."""
        _follow(self._tables, at, onsets)

    def deviate(self, onsets: IntArray, frame: IntArray, loss: _Float64) -> None:
        """Find the next worse onset of each of the first events, and what it costs."""
        _deviate(self._tables, onsets, frame, loss)


@compiled()
def _places(tables: _Tables, k: int, after: int) -> tuple[int, int]:
    """Where the score of event k from its first frame to `after` is, and the step to the next."""
    windows = tables.windows
    if k == windows.shortest.size - 1:
        return tables.offset[k], 1
    width = windows.longest[k] - windows.shortest[k] + 1 + 2 * TILE
    return tables.offset[k] + TILE + after - windows.first[k] - windows.shortest[k], width - 1


@compiled()
def _slope(tables: _Tables, k: int, length: int) -> float:
    """Score of each frame of event k that is due to the length of the next event."""
    return 0.0 if k == tables.windows.shortest.size - 1 else tables.cross[k + 1] * length


@compiled()
def _next(tables: _Tables, k: int, after: int, length: int, frame: int) -> tuple[float, int]:
    """Best onset of event k that is worse than `frame`, or of all where that is -1.

    Event k ends at `after`, and the next one lasts `length`. Of equal ones the earlier is the
    better.
    """
    first, last, shortest, longest = tables.windows
    begin, step = _places(tables, k, after)
    slope = _slope(tables, k, length)
    value = np.inf
    if frame >= 0:
        value = tables.score[begin + (frame - first[k]) * step] + slope * (after - frame)
    top, at = -np.inf, -1
    for t in range(max(first[k], after - longest[k]), min(last[k], after - shortest[k]) + 1):
        score = tables.score[begin + (t - first[k]) * step] + slope * (after - t)
        if score > top and (score < value or (score == value and t > frame)):
            top, at = score, t
    return top, at


@compiled()
def _finish(tables: _Tables, onset: FloatArray, start: IntArray, own: _Float64) -> None:
    """Fill the row of the last event."""
    first, last, shortest, _ = tables.windows
    k = shortest.size - 1
    for t in range(first[k], last[k] + 1):
        length = last[k + 1] - t
        top, _ = _next(tables, k - 1, t, length, -1)
        score = float(onset[k, t - start[k]]) + own[k, length - shortest[k]]
        tables.score[tables.offset[k] + t - first[k]] = score + top


@compiled()
def _follow(tables: _Tables, at: int, onsets: IntArray) -> None:
    """Give all events before `at` their best onsets."""
    for k in range(at - 1, -1, -1):
        end = tables.windows.last[k + 2] if k + 2 >= onsets.size else onsets[k + 2]
        _, onsets[k] = _next(tables, k, onsets[k + 1], end - onsets[k + 1], -1)


@compiled()
def _deviate(tables: _Tables, onsets: IntArray, frame: IntArray, loss: _Float64) -> None:
    """Next worse onset of each of the first events, the others staying, and what it costs."""
    first, last = tables.windows.first, tables.windows.last
    n_events = onsets.size
    for k in range(frame.size):
        after = last[n_events] if k + 1 >= n_events else onsets[k + 1]
        end = last[n_events] if k + 2 >= n_events else onsets[k + 2]
        begin, step = _places(tables, k, after)
        value = tables.score[begin + (onsets[k] - first[k]) * step]
        value += _slope(tables, k, end - after) * (after - onsets[k])
        score, frame[k] = _next(tables, k, after, end - after, onsets[k])
        loss[k] = value - score
