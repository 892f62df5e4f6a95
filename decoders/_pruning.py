"""Exact second-order decoding of the few states that can matter.

Let every ratio term ``Q_k(d', d) = a d**2 + b d'**2 + c d' d`` be concave: ``a <= 0``, ``b <= 0``
and ``4 a b >= c**2``, which holds where rows come from ``kappa (d_k / m_k - d_{k-1} /
m_{k-1})**2`` and kappa is not positive. Then its tangent at any two lengths ``(p', p)``::

    (2 a p + c p') d + (2 b p' + c p) d' - Q_k(p', p)

is never below it, and scores each length by itself. With tangents in place of the ratio terms, the
potentials are first order and score no timing lower than it deserves; a forward and a backward
pass bound every state (k, t, d). The second-order score of any path is a threshold: a state whose
bound is lower is on no best path. The search repeats:

1. the passes, with tangents at the lengths of the best path known (at first at zero lengths, which
   leaves the ratio out), over the frames that still matter;
2. if few states reach the score of that path, decode those: exact;
3. else decode the few of greatest bound, which improves the path. Where its score is at least the
   least bound among them, it is exact too.

All best paths survive, so ties are decided as without pruning. Thresholds are lowered by a bound
on the rounding of scores.

The gap between bounds and scores adds up over the events, and on pieces of music it exceeds what
any frame is worth. The passes over the first few events tell: if half the gap to be expected
would leave many of their frames, the search is not begun.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from align.decoders._first_order import Tables, backward, forward
from align.decoders._numba import compiled
from align.decoders._rows import row_offsets
from align.decoders._survivors import (
    States,
    best_of,
    count_frames,
    count_states,
    list_frames,
    list_states,
)
from align.decoders._windows import Windows
from align.types import FloatArray, IntArray, Potentials

__all__ = ["Pruned", "is_concave", "is_promising", "prune", "states_that_fit", "without_ratio"]

_ROUNDS = 4  # of tangents, before the envelope takes over
_BEAMS = (0.8,)  # thresholds tried, from the score known to the bound of all
_SHARE = 24  # decode the states that survive if they are fewer than one in this many
_STUCK = 0.5  # give up where a round leaves this share of the cells, and the same path
_SAMPLE = 24  # events that tell whether to begin
_FRAMES = 0.25  # do not, or not go on, if half the gap leaves this share of the frames
_MOST = 2**24  # states, unless memory is given
_EPS = float(np.finfo(np.float64).eps)


@dataclass
class Pruned:
    """What `prune` found.

    Attributes
    ----------
    score : float
        Of the best path known, without the constant; -inf where no timing has a finite score.
    onsets : np.ndarray [shape=(K,), dtype=intp]
        That path.
    exact : bool
        Whether it is the best of all.
    windows : Windows
        Frames and lengths that hold every best path, where it is not.
    n_states : int
        States that were decoded last.
    n_cells : int
        States there are.
    """

    score: float
    onsets: IntArray
    exact: bool
    windows: Windows
    n_states: int
    n_cells: int

    @property
    def fraction(self) -> float:
        """Share of the states that survive."""
        return self.n_states / max(1, self.n_cells)


def is_concave(ratio: FloatArray) -> bool:
    """Whether no ratio term exceeds its tangents.

    Parameters
    ----------
    ratio : np.ndarray [shape=(K, 3)]
        As in `Potentials`.

    Examples
    --------
    >>> is_concave(np.array([[0.0, 0, 0], [-1, -1, 2]])), is_concave(np.array([[-1.0, -1, 3]]))
    (True, False)
    """
    return bool(_is_concave(np.ascontiguousarray(ratio, dtype=np.float64)))


@compiled()
def _is_concave(ratio: npt.NDArray[np.float64]) -> bool:
    for k in range(ratio.shape[0]):
        a, b, c = ratio[k]
        if not (a <= 0.0 and b <= 0.0):
            return False
        if not abs(c) <= 2.0 * np.sqrt(-a) * np.sqrt(-b) * (1.0 + 4.0 * _EPS):  # a b can underflow
            return False
    return True


def is_promising(potentials: Potentials, onset: FloatArray, windows: Windows) -> bool:
    """Whether the first few events leave hope that `prune` drops most states of all.

    Where lengths score nothing, first-order scores tell little; where they do and events are few,
    trying costs little.
    """
    n = _SAMPLE
    if potentials.duration is None or potentials.n_events < 4 * n:
        return potentials.duration is not None
    assert potentials.ratio is not None
    plain = without_ratio(potentials, onset, windows)
    ratio = np.ascontiguousarray(potentials.ratio[:n], dtype=np.float64)
    sample = _first_events(plain, n + 1, int(windows.first[n + 1]))
    upto = np.empty(int(sample.offset[-1]))
    forward(sample, upto)
    row = upto[sample.offset[n] :]
    if row.max() == -np.inf:
        return True
    sample = _first_events(plain, n, int(windows.first[n] + row.argmax()))
    work = _Search(sample, ratio, 0)
    top = work.pass_both_ways(sample)
    gap = (top - _score(sample, ratio, work.first_order_path())) * potentials.n_events / n
    return work.share(top - gap / 2) <= _FRAMES


def states_that_fit(potentials: Potentials, windows: Windows, max_memory: int | None) -> int:
    """Return how many states `prune` may decode within `max_memory` bytes; 0 or less if none.

    Scores of each onset both ways take 16 bytes, its frame and places at most 36 where it
    survives, and each state 24.
    """
    if max_memory is None:
        return _MOST
    n_onsets = int((windows.last[:-1] - windows.first[:-1] + 1).sum())
    tangents = 8 * potentials.n_events * (int(windows.longest.max()) + 1)
    return min(_MOST, (max_memory - 52 * n_onsets - 2 * tangents) // 24)


def prune(
    potentials: Potentials,
    onset: FloatArray,
    windows: Windows,
    most: int = _MOST,
    share: float = _SHARE,
) -> Pruned:
    """Search for the best path by bounds.

    Parameters
    ----------
    potentials : Potentials
        At least one event; concave ratio terms.
    onset : np.ndarray [shape=(K, W)]
        What `check_values` returned.
    windows : Windows
        What `tighten` returned.
    most : int
        Never decode more states than that; each takes 24 bytes.
    share : float
        States are decoded if they are fewer than one in this many.

    Returns
    -------
    Pruned
    """
    assert potentials.ratio is not None
    ratio = np.ascontiguousarray(potentials.ratio, dtype=np.float64)
    n_cells = _n_cells(windows)
    found = Pruned(
        -np.inf, np.empty(potentials.n_events, dtype=np.intp), False, windows, n_cells, n_cells
    )
    plain = tables = without_ratio(potentials, onset, windows)
    constant = 0.0  # of the tangents
    work = _Search(plain, ratio, min(most, int(n_cells / share)))
    for attempt in range(_ROUNDS):
        top = work.pass_both_ways(tables)
        if attempt == 0:
            if top == -np.inf:
                return found
            found.onsets = work.first_order_path()
            found.score = float(_score(plain, ratio, found.onsets))
            halfway = (top + found.score) / 2
        elif top + constant == -np.inf:
            break
        slack = _slack(tables, ratio, abs(found.score) + abs(constant))
        if work.decode(found, found.score - slack - constant):
            found.exact = True
            return found
        known = found.score
        for part in _BEAMS:
            least = known + part * (top + constant - known)
            if work.decode(found, least - constant):
                if found.score - slack >= least:
                    found.exact = True
                    return found
                break
        least = found.score - slack - constant
        if found.score > known and work.decode(found, least):
            found.exact = True
            return found
        cells, found.windows = _n_cells(found.windows), work.narrowed(least)
        stuck = found.score == known and _n_cells(found.windows) > _STUCK * cells
        if stuck or (attempt == 0 and work.share(halfway) > _FRAMES):
            break
        constant, duration = _tangents(plain, ratio, found.onsets)
        tables = plain._replace(
            windows=found.windows,
            duration=duration,
            row=np.arange(potentials.n_events),
            flat=False,
            offset=row_offsets(found.windows.first, found.windows.last),
        )
    return found


class _Search:
    """Scores of every onset both ways, and the steps that use them."""

    def __init__(self, tables: Tables, ratio: npt.NDArray[np.float64], limit: int) -> None:
        self.plain = self.tables = tables
        self.limit = limit
        self.square = ratio[:, 0].copy()  # of d_k, in the terms of events k and k + 1
        self.square[:-1] += ratio[1:, 1]
        self.cross = ratio[:, 2].copy()
        self.before, self.after = np.empty((2, int(tables.offset[-1])))
        self.node = np.empty(tables.row.size + 2, dtype=np.intp)

    def pass_both_ways(self, tables: Tables) -> float:
        """Fill both scores of every onset; return the best score of all."""
        self.tables = tables
        forward(tables, self.before)
        backward(tables, self.after)
        row = slice(int(tables.offset[-2]), int(tables.offset[-1]))
        return float((self.before[row] + self.after[row]).max())

    def share(self, threshold: float) -> float:
        """Share of the frames with a finite score that reach a threshold."""
        total = self.before + self.after
        return float((total >= threshold).sum() / (total > -np.inf).sum())

    def first_order_path(self) -> IntArray:
        """Return the best path of the first-order scores."""
        onsets = np.empty(self.tables.row.size, dtype=np.intp)
        _backtrack(self.tables, self.before, onsets)
        return onsets

    def decode(self, found: Pruned, threshold: float) -> bool:
        """Decode the states that reach a threshold, unless they are many; keep a better path."""
        tables, node = self.tables, self.node
        frame, upto, since = self._frames(threshold)
        begin, finish = np.empty((2, frame.size + 1), dtype=np.intp)
        n = count_states(tables, threshold, self.limit, node, frame, upto, since, begin, finish)
        if n > self.limit:
            return False
        length, ending, back = np.empty((3, n), dtype=np.int32)
        states = States(node, frame, begin, length, finish, ending)
        list_states(tables, threshold, states, upto, since)
        onsets = np.empty(tables.row.size, dtype=np.intp)
        score = best_of(self.plain, states, self.square, self.cross, np.empty(n), back, onsets)
        found.n_states = n
        # the same path can score a little less here, where its terms are added otherwise
        if score >= found.score - 1e-12 * abs(found.score):
            found.score, found.onsets = float(score), onsets
        return True

    def narrowed(self, threshold: float) -> Windows:
        """Return the windows around the frames that reach a threshold."""
        frame, node = self._frames(threshold)[0], self.node
        first = frame[node[:-1]].astype(np.intp)
        last = frame[node[1:] - 1].astype(np.intp)
        shortest, longest = self.tables.windows.shortest, self.tables.windows.longest
        return Windows(
            first,
            last,
            np.maximum(shortest, first[1:] - last[:-1]),
            np.minimum(longest, last[1:] - first[:-1]),
        )

    def _frames(
        self, threshold: float
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """List the frames that reach a threshold, and their scores both ways; fill ``node``."""
        n = count_frames(self.tables, self.before, self.after, threshold, self.node)
        frame = np.empty(n, dtype=np.int32)
        upto, since = np.empty((2, n))
        list_frames(self.tables, self.before, self.after, threshold, frame, upto, since)
        return frame, upto, since


def without_ratio(potentials: Potentials, onset: FloatArray, windows: Windows) -> Tables:
    """Lay out what scores an onset or a length alone."""
    n_events = potentials.n_events
    if potentials.duration is None:
        duration = np.zeros((1, int(windows.longest.max()) + 1))
        row = np.zeros(n_events, dtype=np.intp)
    else:
        assert potentials.duration_row is not None
        duration = np.ascontiguousarray(potentials.duration, dtype=np.float64)
        row = potentials.duration_row
    flat = potentials.duration is None
    return Tables(
        onset,
        potentials.start,
        windows,
        duration,
        row,
        flat,
        row_offsets(windows.first, windows.last),
    )


def _first_events(tables: Tables, n: int, end: int) -> Tables:
    """Keep the first n events, the last of which ends at frame `end`."""
    first, last, shortest, longest = tables.windows
    windows = Windows(
        np.append(first[:n], end), np.append(last[:n], end), shortest[:n], longest[:n]
    )
    return tables._replace(
        onset=tables.onset[:n],
        start=tables.start[:n],
        windows=windows,
        row=tables.row[:n],
        offset=tables.offset[: n + 1],
    )


def _n_cells(windows: Windows) -> int:
    widths = windows.last[:-1] - windows.first[:-1] + 1
    return int((widths * (windows.longest - windows.shortest + 1)).sum())


def _tangents(
    plain: Tables, ratio: npt.NDArray[np.float64], onsets: IntArray
) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the sum of the constants of the tangents at a path, and duration scores with them."""
    here = np.diff(onsets, append=plain.windows.first[-1]).astype(np.float64)
    before = np.concatenate(([0.0], here[:-1]))
    a, b, c = ratio.T
    slope = 2 * a * here + c * before
    slope[:-1] += (2 * b * before + c * here)[1:]
    value = a * here**2 + b * before**2 + c * before * here
    n_lengths = int(plain.windows.longest.max()) + 1
    duration = plain.duration[plain.row, :n_lengths] + slope[:, None] * np.arange(n_lengths)
    return -float(value.sum()), duration


@compiled()
def _slack(tables: Tables, ratio: npt.NDArray[np.float64], size: float) -> float:
    """Bound the rounding of the scores of a path that is not worse than one of score `size`.

    Its positive terms add up to ``upper`` at most, so its negative ones to ``upper + size``.
    """
    upper = _positive(tables)
    longest = tables.windows.longest
    terms = 0.0
    for k in range(longest.size):
        length = float(max(longest[k], longest[k - 1] if k > 0 else 0))
        terms += (abs(ratio[k, 0]) + abs(ratio[k, 1]) + abs(ratio[k, 2])) * length * length
    return 4.0 * _EPS * (tables.row.size + 8) * (2.0 * upper + size + terms)


@compiled()
def _positive(tables: Tables) -> float:
    """Sum of the greatest positive onset and duration scores of each event."""
    first, last, shortest, longest = tables.windows
    total = 0.0
    for k in range(tables.row.size):
        top = 0.0
        for score in tables.onset[k, first[k] - tables.start[k] : last[k] - tables.start[k] + 1]:
            top = max(top, score)
        total += top
        top = 0.0
        for score in tables.duration[tables.row[k], shortest[k] : longest[k] + 1]:
            top = max(top, score)
        total += top
    return total


@compiled()
def _score(tables: Tables, ratio: npt.NDArray[np.float64], onsets: IntArray) -> float:
    """Score a path as `Potentials.score` does, in float64, without the constant."""
    total, before = 0.0, 0.0
    n_events = onsets.size
    for k in range(n_events):
        after = onsets[k + 1] if k + 1 < n_events else tables.windows.first[n_events]
        length = after - onsets[k]
        total += tables.onset[k, onsets[k] - tables.start[k]]
        total += tables.duration[tables.row[k], length]
        d = float(length)
        total += ratio[k, 0] * d * d + ratio[k, 1] * before * before + ratio[k, 2] * before * d
        before = d
    return total


@compiled()
def _backtrack(tables: Tables, before: npt.NDArray[np.float64], onsets: IntArray) -> None:
    first, last, shortest, longest = tables.windows
    n_events = onsets.size
    after = first[n_events]
    for k in range(n_events - 1, -1, -1):
        low, high = max(first[k], after - longest[k]), min(last[k], after - shortest[k])
        top, at = -np.inf, low
        for t in range(low, high + 1):
            value = (
                before[tables.offset[k] + t - first[k]] + tables.duration[tables.row[k], after - t]
            )
            if value > top:
                top, at = value, t
        onsets[k] = after = at
