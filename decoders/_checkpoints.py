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

from align.decoders._envelope import TILE, Problem, advance, begin
from align.decoders._envelope_path import finish, follow
from align.decoders._states import pointer_dtype, table_offsets
from align.errors import ParameterError
from align.types import IntArray

__all__ = ["best_by_envelopes"]

_ENOUGH = 2**28  # bytes of back-pointers and checkpoints that are stored without being asked


def best_by_envelopes(problem: Problem, max_memory: int | None) -> tuple[float, IntArray]:
    """Find the best path; its score is -inf where there is none.

    Parameters
    ----------
    problem : Problem
        At least one event.
    max_memory : int or None
        Most bytes to allocate. None stores all back-pointers up to `_ENOUGH` bytes and keeps
        checkpoints beyond.

    Returns
    -------
    score : float
    onsets : np.ndarray [shape=(K,), dtype=intp]

    Raises
    ------
    ParameterError
        `max_memory` is not enough for the deepest halving.
    """
    search = _Trace(problem, np.diff(table_offsets(problem.windows))[:-1])
    n_events = search.onsets.size
    fixed = 2 * search.here.nbytes + problem.own.nbytes + 64 * n_events
    least = search.least(1, n_events - 1)
    if max_memory is None:
        budget = max(_ENOUGH, 2 * least)
    elif max_memory < fixed + least:
        raise ParameterError(
            f"max_memory={max_memory}, must be at least {fixed + least} bytes for these "
            "potentials; raise it, narrow the windows or lower max_length."
        )
    else:
        budget = max_memory - fixed
    return search.best(budget), search.onsets


class _Trace:
    """Decodes within a budget of bytes for pointers and checkpoints."""

    def __init__(self, problem: Problem, size: IntArray) -> None:
        self.problem, self.size = problem, size
        windows = problem.windows
        n_onsets = (windows.last[:-1] - windows.first[:-1] + 1)[:-1]
        self.n_lengths = (windows.longest - windows.shortest + 1)[:-1]
        self.held = 8 * n_onsets * self.n_lengths  # bytes of a checkpoint
        self.onsets = np.empty(problem.windows.shortest.size, dtype=np.intp)
        self.before, self.here = np.empty((2, int(size.max(initial=1))))
        self.dtype = pointer_dtype(problem.windows)
        self.length = 0  # of the event before the one traced last

    def pointers(self, low: int, high: int) -> int:
        """Bytes of the back-pointers of events low .. high - 1."""
        offset = self.problem.offset
        return self.dtype.itemsize * int(offset[high] - offset[low])

    def scratch(self, low: int, high: int) -> int:
        """Bytes of the back-pointers of any one of events low .. high - 1."""
        return self.dtype.itemsize * int(np.diff(self.problem.offset[low : high + 1]).max())

    def least(self, low: int, high: int) -> int:
        """Bytes that tracing events low .. high - 1 by halves takes at most."""
        if high <= low:
            return 0
        pointers = self.scratch(low, high)
        halvings = (high - low).bit_length() + 1
        return min(
            self.pointers(low, high),
            pointers + halvings * int(self.held[low - 1 : high - 1].max()),
        )

    def best(self, budget: int) -> float:
        """Fill the onsets and return their score."""
        last = self.onsets.size - 1
        whole = self.pointers(1, last) <= budget
        kept: list[npt.NDArray[np.float64]] = []
        pieces = [1, last]
        if last > 0:
            begin(self.problem, self.here)
        if last > 1:
            if whole:
                back = self.advance(1, last, True)
            else:
                pieces = self.cut(1, last, budget)
                kept = self.run(pieces)
                self.advance(pieces[-2], last, False)
        score, self.onsets[last], self.length = finish(self.problem, self.here)
        if score == -np.inf:
            return -np.inf  # pointers lead nowhere
        if last > 1:
            if whole:
                self.follow(1, last, back)
            else:
                self.trace(pieces, kept, budget - sum(states.nbytes for states in kept))
        if last > 0:
            self.onsets[0] = self.onsets[1] - self.length
        return float(score)

    def table(self, k: int) -> npt.NDArray[np.float64]:
        """View the states of event k as [onset, length]."""
        return self.here[: self.size[k]].reshape(-1, self.n_lengths[k] + 2 * TILE)

    def advance(self, low: int, high: int, keep: bool) -> npt.NDArray[Any]:
        """Go from the states of event low - 1 to those of high - 1, both in `here`."""
        n_bytes = self.pointers(low, high) if keep else self.scratch(low, high)
        back = np.empty(n_bytes // self.dtype.itemsize, dtype=self.dtype)
        if advance(self.problem, low, high, self.here, self.before, back, keep):
            self.here, self.before = self.before, self.here
        return back

    def run(self, pieces: list[int]) -> list[npt.NDArray[np.float64]]:
        """Go from the states before the first piece to those before the last; copy them all."""
        kept = []
        for low, high in pairwise(pieces):
            kept.append(self.table(low - 1)[:, TILE:-TILE].copy())
            if high != pieces[-1]:
                self.advance(low, high, False)
        return kept

    def cut(self, low: int, high: int, budget: int) -> list[int]:
        """Cut so that all checkpoints and the pointers of any piece fit, or else in halves."""
        scratch = self.scratch(low, high)
        for n in range(2, int(2 * np.sqrt(high - low)) + 2):
            cuts = [int(at) for at in np.unique(np.linspace(low, high, n + 1).astype(int))]
            held = sum(int(self.held[at - 1]) for at in cuts[:-1])
            if held + scratch <= budget:
                most = max(self.pointers(a, b) for a, b in pairwise(cuts))
                if held + most <= budget:
                    return cuts
        return [low, (low + high) // 2, high]

    def trace(self, pieces: list[int], kept: list[npt.NDArray[np.float64]], budget: int) -> None:
        """Fill the onsets of all pieces, the last first; empties `kept`."""
        for low, high in reversed(list(pairwise(pieces))):
            states = kept.pop()
            self.table(low - 1)[:] = -np.inf
            self.table(low - 1)[:, TILE:-TILE] = states
            budget += states.nbytes
            del states
            if high - low == 1 or self.pointers(low, high) <= budget:
                self.follow(low, high, self.advance(low, high, True))
            else:
                inner = self.cut(low, high, budget)
                held = self.run(inner)
                self.trace(inner, held, budget - sum(states.nbytes for states in held))

    def follow(self, low: int, high: int, back: npt.NDArray[Any]) -> None:
        """Fill onsets low .. high - 1 by their back-pointers."""
        self.length = follow(self.problem, low, high, back, self.length, self.onsets)
