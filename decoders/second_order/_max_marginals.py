"""Max-marginals where changes of length are scored, in O(K T L) time.

With ``F_k(t, d)`` the best score of the terms of events ``0 .. k`` where event k begins at frame t
and lasts d, and ``R_k(t + d, d)`` of those of the lengths of events ``k .. K-1`` and of the onsets
after onset k, the best timing that has onset k at frame t scores::

    M_k(t) = max { F_k(t, d) + R_k(t + d, d) - own_k(d) : d }

where ``own_k`` are the scores of the length of event k, which both count. F is the forward pass of
`align.decoders.second_order._envelopes`. R is the same pass over the same potentials with time and
events turned round: the product of two neighbouring lengths does not ask which is the first.

The states of every ``sqrt(K)``-th event are kept, and those between are found again: memory is of
the order of ``sqrt(K) W L``, and time three forward passes.
"""

from math import isqrt

import numpy as np

from align._numba import compiled, read_only
from align.decoders._windows import Windows
from align.decoders.second_order._envelopes import advance
from align.decoders.second_order._states import Problem, state_offsets
from align.types import Float64


def second_order_max_marginals(problem: Problem, n_frames: int, score: Float64) -> None:
    """Fill the best score with each onset at each frame, without the constant.

    Parameters
    ----------
    problem : Problem
        At least one event; ratio terms of either sign.
    n_frames : int
        T, where the last event ends.
    score : np.ndarray [shape=(K, W)]
        Filled within the windows.
    """
    windows, n_events = problem.windows, problem.cross.size
    forwards, backwards = _States(problem), _States(_turned(problem, n_frames))
    step = isqrt(n_events - 1) + 1
    kept = {}
    for k in range(n_events):
        forwards.go_to(k)
        if k % step == 0:
            kept[k] = forwards.here.copy()
    for low in range(n_events - 1 - (n_events - 1) % step, -1, -step):
        high = min(low + step, n_events)
        forwards.resume(low, kept.pop(low))
        block = []
        for k in range(low, high):
            forwards.go_to(k)
            block.append(forwards.here.copy())
        for k in range(high - 1, low - 1, -1):
            backwards.go_to(n_events - 1 - k)
            shift = windows.first[k] - problem.start[k]
            row = score[k, shift : shift + windows.last[k] - windows.first[k] + 1]
            _join(windows, k, problem.own[k], block.pop(), backwards.here, row)


class _States:
    """The states of one event after another."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.event = problem, -1
        self._here, self._other = np.empty((2, int(np.diff(problem.offset).max())))
        self._back = np.empty(0, dtype=np.uint8)  # no pointers are stored

    @property
    def here(self) -> Float64:
        """States of the event that was reached [end, length], flat."""
        k, offset = self.event, self.problem.offset
        return self._here[: offset[k + 1] - offset[k]]

    def go_to(self, k: int) -> None:
        """Reach event k from the one before it, unless it is reached."""
        if k != self.event:
            advance(self.problem, k, k + 1, self._here, self._other, self._back)
            self._here, self._other = self._other, self._here
            self.event = k

    def resume(self, k: int, states: Float64) -> None:
        """Go back to an event whose states were kept."""
        self._here[: states.size] = states
        self.event = k


def _turned(problem: Problem, n_frames: int) -> Problem:
    """Turn time and events round: boundary k at frame t becomes K - k at T - t.

    The last boundary begins the first event and scores nothing. The score of the first onset is
    left out: it would end the last event.
    """
    onset, start, windows, own, cross, _ = problem
    n_events = start.size
    turned = Windows(
        n_frames - windows.last[::-1],
        n_frames - windows.first[::-1],
        windows.shortest[::-1].copy(),
        windows.longest[::-1].copy(),
    )
    n_frames_each = turned.last - turned.first + 1
    scores = np.zeros((n_events, int(n_frames_each.max())), dtype=onset.dtype)
    for j in range(1, n_events):
        k = n_events - j
        shift = windows.first[k] - start[k]
        scores[j, : n_frames_each[j]] = onset[k, shift : shift + n_frames_each[j]][::-1]
    products = np.concatenate(([0.0], cross[:0:-1]))
    first = turned.first[:-1].copy()
    return Problem(
        read_only(scores), first, turned, own[::-1].copy(), products, state_offsets(turned)
    )


@compiled()
def _join(
    windows: Windows, k: int, own: Float64, upto: Float64, since: Float64, score: Float64
) -> None:
    """Best sum of both passes for each onset of event k.

    State ``(t, d)`` ends at frame ``t + d`` forwards, and backwards at frame t.
    """
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    width = longest[k] - shortest[k] + 1
    for i in range(score.size):
        t = first[k] + i
        top = -np.inf
        low = max(shortest[k], first[k + 1] - t)
        for d in range(low, min(longest[k], last[k + 1] - t) + 1):
            q = d - shortest[k]
            value = upto[(t + d - first[k + 1]) * width + q]
            if value > -np.inf:
                value += since[(last[k] - t) * width + q] - own[q]
                top = value if value > top else top
        score[i] = top
