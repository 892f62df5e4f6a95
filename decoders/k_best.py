"""The k best alignments, in O(K T L + k K L): first the best, then one deviation at a time.

The forward pass of `align.decoders.decode_semi_markov` leaves, for each onset k and frame t, the
best score ``D_k(t)`` of all that lies before; so the best onset of event k, given that of event
k + 1, is known, and so are the second best, the third best, ... Every timing is then described
once by its last *deviations*: read from the last event backwards, it takes the best onsets all
along, except at some events where it takes a worse one. Each timing that is found proposes

* its own last deviation replaced by the next worse onset at the same event, and
* one more deviation, to the second best onset, at each of the events before.

A proposal scores at most what proposed it, so a heap yields all timings in order of score, each
once. This is Lawler's partition of the solutions, with the deviations of Eppstein.

References
----------
Lawler, "A procedure for computing the K best solutions to discrete optimization problems and its
application to the shortest path problem", Management Science 18, 1972.
Eppstein, "Finding the k shortest paths", SIAM Journal on Computing 28, 1998.
"""

import heapq

import numpy as np
import numpy.typing as npt

from align.decoders._first_order import Tables, first_order_tables, forward
from align.decoders._numba import compiled
from align.decoders._windows import explain_unreachable
from align.decoders.max_marginals import onset_max_marginals
from align.decoders.second_order import decode_second_order
from align.errors import ParameterError
from align.types import IntArray, Path, Potentials

__all__ = ["decode_k_best", "margin_to_second"]


def decode_k_best(potentials: Potentials, k: int) -> list[Path]:
    """Find the k timings of highest score.

    Parameters
    ----------
    potentials : Potentials
        Onset and duration scores, windows and lengths; no ratio or general scores.
    k : int
        Timings wanted, at least 1.

    Returns
    -------
    list of Path, length k or less
        Distinct timings with finite scores, the best first; fewer than k where there are no more.
        Of timings that share a score, those whose last onset is earlier come first, then so for
        the onset before it, and so on (up to the rounding of scores); the first is that of
        `decode`.

    Raises
    ------
    ParameterError
        Other scores are present; a score is NaN or +inf; no timing meets the windows and the
        lengths, or none has a finite score.

    Notes
    -----
    The second best timing usually has one onset one frame away. To ask how sure an onset is
    beyond a tolerance, see `onset_max_marginals`. Ratio scores are not offered: the same scheme
    needs the forward score of every pair of onsets, of which `decode_second_order` keeps none;
    `margin_to_second` and the max-marginals have them.

    Examples
    --------
    >>> onset = np.array([[4.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 1.0]])
    >>> for path in decode_k_best(Potentials(onset, n_frames=4), 3):
    ...     print(path)
    Path(onsets=array([0, 2]), score=7.0)
    Path(onsets=array([0, 3]), score=5.0)
    Path(onsets=array([0, 1]), score=4.0)
    """
    if k < 1:
        raise ParameterError(f"k={k}, must be at least 1.")
    if potentials.n_events == 0:
        return [Path(np.empty(0, dtype=np.intp), potentials.constant)]
    search = _Search(potentials)
    best = search.root()
    if best.score == -np.inf:
        raise explain_unreachable(potentials, search.tables.windows)
    heap: list[_Found] = [best]
    paths: list[Path] = []
    while heap and len(paths) < k:
        found = heapq.heappop(heap)
        paths.append(Path(found.onsets, found.score + potentials.constant))
        for proposal in search.proposals(found, k - len(paths)):
            heapq.heappush(heap, proposal)
    return paths


def margin_to_second(potentials: Potentials) -> float:
    """Return the score of the best timing less that of the second best.

    Parameters
    ----------
    potentials : Potentials
        Onset, duration and ratio scores, windows and lengths; no general scores.

    Returns
    -------
    float
        Not negative; +inf where there is one timing only.

    Raises
    ------
    ParameterError
        As for `decode_k_best`, but for ratio scores.

    Examples
    --------
    >>> margin_to_second(Potentials(np.array([[4.0, 1.0, 3.5]]), n_frames=3))
    0.5
    """
    if not potentials.general and potentials.ratio is not None and potentials.ratio.any():
        return _margin_by_onsets(potentials)
    paths = decode_k_best(potentials, 2)
    return paths[0].score - paths[1].score if len(paths) > 1 else float("inf")


def _margin_by_onsets(potentials: Potentials) -> float:
    """Return the same from max-marginals: the second best differs from the best at some onset."""
    found = onset_max_marginals(potentials)
    best = decode_second_order(potentials)
    score = found.score.copy()
    score[np.arange(potentials.n_events), best.onsets - found.start] = -np.inf
    second = float(score.max())
    return max(0.0, best.score - second)


class _Found:
    """A timing: that of `parent` from event `at + 1` on, `frame` at event `at`, the best before.

    Sorts by score; a timing is written out only where scores are equal or it is one of the best.
    """

    __slots__ = ("_onsets", "at", "frame", "parent", "score", "search")

    def __init__(
        self, search: "_Search", score: float, at: int, frame: int, parent: IntArray
    ) -> None:
        self.search, self.score, self.at, self.frame = search, score, at, frame
        self.parent = parent
        self._onsets: IntArray | None = None

    @property
    def onsets(self) -> IntArray:
        if self._onsets is None:
            self._onsets = self.parent.copy()
            self._onsets[self.at] = self.frame
            _follow(self.search.tables, self.search.best, self.at, self._onsets)
        return self._onsets

    def __lt__(self, other: "_Found") -> bool:
        if self.score != other.score:
            return self.score > other.score
        mine, theirs = self.onsets, other.onsets
        differ = np.flatnonzero(mine != theirs)
        return bool(differ.size and mine[differ[-1]] < theirs[differ[-1]])


class _Search:
    """The forward pass, and the deviations it allows."""

    def __init__(self, potentials: Potentials) -> None:
        self.tables = first_order_tables(potentials, "decode_k_best")
        self.best = np.empty(int(self.tables.offset[-1]))
        forward(self.tables, self.best)

    def root(self) -> _Found:
        """Return the best timing."""
        n_events = self.tables.row.size
        end = int(self.tables.windows.last[-1])
        score, frame = _next(self.tables, self.best, n_events - 1, end, np.inf, -1)
        return _Found(self, score, n_events - 1, frame, np.zeros(n_events, dtype=np.intp))

    def proposals(self, found: _Found, wanted: int) -> list[_Found]:
        """Return those deviations from a timing that can be among the `wanted` best."""
        if wanted == 0:
            return []
        size = found.at + 1
        frame, loss = np.empty(size, dtype=np.intp), np.empty(size)
        _deviate(self.tables, self.best, found.onsets, frame, loss)
        at = np.flatnonzero(loss < np.inf)
        if at.size > wanted:  # those that tie with the last one wanted are kept
            at = at[loss[at] <= np.partition(loss[at], wanted - 1)[wanted - 1]]
        return [
            _Found(self, found.score - float(loss[i]), int(i), int(frame[i]), found.onsets)
            for i in at
        ]


@compiled()
def _next(
    tables: Tables,
    best: npt.NDArray[np.float64],
    k: int,
    after: int,
    value: float,
    frame: int,
) -> tuple[float, int]:
    """Best onset of event k, given the one after it, that is worse than `value` at `frame`.

    Of equal ones the earlier is the better.
    """
    first = tables.windows.first[k]
    low = max(first, after - tables.windows.longest[k])
    high = min(tables.windows.last[k], after - tables.windows.shortest[k])
    top, at = -np.inf, -1
    for t in range(low, high + 1):
        score = best[tables.offset[k] + t - first] + tables.duration[tables.row[k], after - t]
        if score > top and (score < value or (score == value and t > frame)):
            top, at = score, t
    return top, at


@compiled()
def _follow(
    tables: Tables,
    best: npt.NDArray[np.float64],
    at: int,
    onsets: IntArray,
) -> None:
    """Give all events before `at` their best onsets."""
    for k in range(at - 1, -1, -1):
        _, onsets[k] = _next(tables, best, k, onsets[k + 1], np.inf, -1)


@compiled()
def _deviate(
    tables: Tables,
    best: npt.NDArray[np.float64],
    onsets: IntArray,
    frame: IntArray,
    loss: npt.NDArray[np.float64],
) -> None:
    """Next worse onset of each of the first events, the others staying, and what it costs."""
    for k in range(frame.size):
        after = tables.windows.last[tables.row.size] if k == tables.row.size - 1 else onsets[k + 1]
        t = onsets[k]
        value = (
            best[tables.offset[k] + t - tables.windows.first[k]]
            + tables.duration[tables.row[k], after - t]
        )
        score, frame[k] = _next(tables, best, k, after, value, t)
        loss[k] = value - score
