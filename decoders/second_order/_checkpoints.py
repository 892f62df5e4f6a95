"""The best path by envelopes, in bounded memory.

Back-pointers of all states take K W L places. Where that is too much, the states of some events
are kept instead (*checkpoints*), and the pointers between two of them are found when the path gets
there, by running that part again: twice the time, and of the order of ``sqrt(K) W L`` memory.
Where even that is too much, parts are halved over and again: one checkpoint for each of
``log2(K)`` halvings, and as many passes.

References
----------
Grice, Hughey and Speck, "Reduced space sequence alignment", Computer Applications in the
Biosciences 13, 1997, for checkpoints.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from align.decoders.second_order._envelopes import advance, best_end, follow
from align.decoders.second_order._states import Problem, pointer_dtype
from align.errors import ParameterError
from align.types import Float64, IntArray

_ENOUGH = 2**28  # bytes of back-pointers and checkpoints that are stored without being asked


def best_by_envelopes(
    problem: Problem, max_memory: int | None, taken: int = 0
) -> tuple[float, IntArray]:
    """Return the score of the best path, -inf where there is none, and its onsets [shape=(K,)].

    By default all back-pointers are stored up to `_ENOUGH` bytes, and checkpoints beyond. Raises
    ParameterError where `max_memory` bytes, of which so many are `taken` already, are not enough
    for the deepest halving.
    """
    n_events = problem.cross.size
    size = int(np.diff(problem.offset).max())
    fixed = taken + 16 * size + problem.own.nbytes + 64 * n_events
    search = _Search(problem)
    least = search.least(1, n_events)
    if max_memory is None:
        budget = max(_ENOUGH, 2 * least)
    elif max_memory < fixed + least:
        raise ParameterError(
            f"max_memory={max_memory}, must be at least {fixed + least} bytes for these "
            "potentials; raise it, narrow the windows or lower max_length."
        )
    else:
        budget = max_memory - fixed
    return search.best(size, budget), search.onsets


class _Search:
    """Decodes within a budget of bytes for pointers and checkpoints."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.onsets = np.empty(problem.cross.size, dtype=np.intp)
        self.dtype = pointer_dtype(problem.windows)
        self.length = 0  # of the event before the first onset that is known
        self.score = np.nan  # until the last event is reached
        self.here = self.other = np.empty(0)

    def pointers(self, low: int, high: int) -> int:
        """Bytes of the back-pointers of events low .. high - 1."""
        offset = self.problem.offset
        return self.dtype.itemsize * int(offset[high] - offset[low])

    def checkpoints(self, low: int, high: int) -> IntArray:
        """Bytes of the states of each of events low .. high - 1."""
        return 8 * np.diff(self.problem.offset[low : high + 1])

    def least(self, low: int, high: int) -> int:
        """Bytes that tracing events low .. high - 1 by halves takes at most."""
        if high <= low:
            return 0
        one = max(self.pointers(k, k + 1) for k in range(low, high))
        halvings = (high - low).bit_length() + 1
        halved = one + halvings * int(self.checkpoints(low - 1, high - 1).max())
        return min(self.pointers(low, high), halved)

    def best(self, size: int, budget: int) -> float:
        """Fill the onsets and return their score; `size` is that of the largest table."""
        self.here, self.other = np.empty((2, size))
        none = self.advance(0, 1, False)
        self.trace(1, self.onsets.size, budget)
        if self.score > -np.inf:
            self.follow(0, 1, none)
        return self.score

    def advance(self, low: int, high: int, keep: bool) -> npt.NDArray[Any]:
        """Go from the states of event low - 1 to those of high - 1, both in `here`."""
        n_bytes = self.pointers(low, high) if keep else 0
        back = np.empty(n_bytes // self.dtype.itemsize, dtype=self.dtype)
        if advance(self.problem, low, high, self.here, self.other, back):
            self.here, self.other = self.other, self.here
        return back

    def follow(self, low: int, high: int, back: npt.NDArray[Any]) -> None:
        """Fill onsets low .. high - 1 by their back-pointers."""
        self.length = follow(self.problem, low, high, back, self.length, self.onsets)

    def run(self, pieces: list[int]) -> list[Float64]:
        """Go from the states before the first piece to those before the last; copy them all."""
        kept = []
        for low, high in pairwise(pieces):
            n_states = self.problem.offset[low] - self.problem.offset[low - 1]
            kept.append(self.here[:n_states].copy())
            if high != pieces[-1]:
                self.advance(low, high, False)
        return kept

    def cut(self, low: int, high: int, budget: int) -> list[int]:
        """Cut so that all checkpoints and the pointers of any piece fit, or else in halves."""
        for n in range(2, int(2 * np.sqrt(high - low)) + 2):
            cuts = [int(at) for at in np.unique(np.linspace(low, high, n + 1).astype(int))]
            held = sum(int(self.checkpoints(at - 1, at)[0]) for at in cuts[:-1])
            if held + max(self.pointers(a, b) for a, b in pairwise(cuts)) <= budget:
                return cuts
        return [low, (low + high) // 2, high]

    def trace(self, low: int, high: int, budget: int) -> None:
        """Fill onsets low .. high - 1 from the states before them, which are in `here`."""
        if high - low <= 1 or self.pointers(low, high) <= budget:
            back = self.advance(low, high, True)
            if high == self.onsets.size:
                self.score, self.length = best_end(self.problem, self.here)
            if self.score > -np.inf:  # or pointers lead nowhere
                self.follow(low, high, back)
            return
        pieces = self.cut(low, high, budget)
        kept = self.run(pieces)
        budget -= sum(states.nbytes for states in kept)
        for begin, end in reversed(list(pairwise(pieces))):
            states = kept.pop()
            self.here[: states.size] = states
            budget += states.nbytes
            del states
            self.trace(begin, end, budget)
            if self.score == -np.inf:
                return
