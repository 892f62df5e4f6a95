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

Where changes of length are scored, the best onset of event k depends on those of events k + 1 and
k + 2, and the forward pass leaves a table of pairs for each event
(`align.decoders.second_order`); the search is the same.

References
----------
Lawler, "A procedure for computing the K best solutions to discrete optimization problems and its
application to the shortest path problem", Management Science 18, 1972.
Eppstein, "Finding the k shortest paths", SIAM Journal on Computing 28, 1998.
"""

import heapq

import numpy as np

from align._numba import compiled
from align.decoders._first_order import Tables, first_order_tables, forward
from align.decoders._rows import Row
from align.decoders._windows import explain_unreachable, has_ratio, refuse
from align.decoders.max_marginals import onset_max_marginals
from align.decoders.second_order import SecondOrder, decode_second_order, fits
from align.errors import ParameterError
from align.potentials import Path, Potentials
from align.types import Float64, IntArray


def decode_k_best(potentials: Potentials, k: int) -> list[Path]:
    """Find the k timings of highest score.

    Parameters
    ----------
    potentials : Potentials
        Onset, duration and ratio scores, windows and lengths; no general scores.
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
        `k` is not positive; general scores are present; there are ratio scores, and more than
        2**27 scores of pairs of onsets would be kept (see Notes); or as `decode` does.

    Notes
    -----
    Let W be the frames each onset can take and L the lengths each event can have. Time is that of
    `decode_semi_markov` and O(K L) for each timing found, memory 8 K W bytes. With ratio scores
    the first part is that of the envelopes of `decode_second_order`, O(K W L), and memory is
    8 K W L bytes, 1 GiB at most. Where that is not enough, lower `max_length`, or narrow
    the windows around the path of `decode` (`narrowed`): the timings are the best within those.

    The second best timing usually has one onset one frame away. To ask how sure an onset is
    beyond a tolerance, see `onset_max_marginals`.

    Examples
    --------
    >>> onset = np.array([[4.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 1.0]])
    >>> for path in decode_k_best(Potentials(onset, n_frames=4), 3):
    ...     print(path)
    Path(onsets=array([0, 2]), score=7.0)
    Path(onsets=array([0, 3]), score=5.0)
    Path(onsets=array([0, 1]), score=4.0)

    The same where the square of the change of length is subtracted:

    >>> ratio = np.array([[0.0, 0.0, 0.0], [-1.0, -1.0, 2.0]])
    >>> for path in decode_k_best(Potentials(onset, n_frames=4, ratio=ratio), 3):
    ...     print(path)
    Path(onsets=array([0, 2]), score=7.0)
    Path(onsets=array([1, 2]), score=2.0)
    Path(onsets=array([0, 3]), score=1.0)
    """
    if k < 1:
        raise ParameterError(f"k={k}, must be at least 1.")
    if k != int(k):
        raise ParameterError(f"k={k}, must be a whole number.")
    k = int(k)
    if potentials.n_events == 0:
        return [Path(np.empty(0, dtype=np.intp), potentials.constant)]
    refuse(potentials, "decode_k_best", "general")
    recursion = SecondOrder(potentials) if has_ratio(potentials) else _FirstOrder(potentials)
    score, frame = recursion.best()
    if score == -np.inf:
        raise explain_unreachable(potentials, recursion.windows)
    n_events = potentials.n_events
    heap = [_Found(recursion, score, n_events - 1, frame, np.zeros(n_events, dtype=np.intp))]
    paths: list[Path] = []
    while heap and len(paths) < k:
        found = heapq.heappop(heap)
        paths.append(Path(found.onsets, found.score + potentials.constant))
        for proposal in _proposals(found, k - len(paths)):
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
        As for `decode_k_best`, but for the number of scores kept.

    Notes
    -----
    Time and memory are those of `decode_k_best` for two timings. Where that would keep too many
    scores, `onset_max_marginals` and `decode` return: some five times the time, and memory of the
    order of ``sqrt(K) W L``.

    Examples
    --------
    >>> margin_to_second(Potentials(np.array([[4.0, 1.0, 3.5]]), n_frames=3))
    0.5
    """
    if not potentials.general and has_ratio(potentials) and not fits(potentials):
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

    __slots__ = ("_onsets", "at", "frame", "parent", "recursion", "score")

    def __init__(
        self,
        recursion: "_FirstOrder | SecondOrder",
        score: float,
        at: int,
        frame: int,
        parent: IntArray,
    ) -> None:
        self.recursion, self.score, self.at, self.frame = recursion, score, at, frame
        self.parent = parent
        self._onsets: IntArray | None = None

    @property
    def onsets(self) -> IntArray:
        if self._onsets is None:
            self._onsets = self.parent.copy()
            self._onsets[self.at] = self.frame
            self.recursion.follow(self.at, self._onsets)
        return self._onsets

    def __lt__(self, other: "_Found") -> bool:
        if self.score != other.score:
            return self.score > other.score
        mine, theirs = self.onsets, other.onsets
        differ = np.flatnonzero(mine != theirs)
        return bool(differ.size and mine[differ[-1]] < theirs[differ[-1]])


def _proposals(found: _Found, wanted: int) -> list[_Found]:
    """Return those deviations from a timing that can be among the `wanted` best."""
    if wanted == 0:
        return []
    size = found.at + 1
    frame, loss = np.empty(size, dtype=np.intp), np.empty(size)
    found.recursion.deviate(found.onsets, frame, loss)
    at = np.flatnonzero(loss < np.inf)
    if at.size > wanted:  # those that tie with the last one wanted are kept
        at = at[loss[at] <= np.partition(loss[at], wanted - 1)[wanted - 1]]
    return [
        _Found(found.recursion, found.score - float(loss[i]), int(i), int(frame[i]), found.onsets)
        for i in at
    ]


class _FirstOrder:
    """The forward pass over onset and duration scores, and the choices it leaves.

    Methods are those of `SecondOrder`.
    """

    def __init__(self, potentials: Potentials) -> None:
        self._tables = first_order_tables(potentials)
        self.windows = self._tables.windows
        self._best = np.empty(int(self._tables.offset[-1]))
        forward(self._tables, 0, potentials.n_events, self._best)

    def best(self) -> tuple[float, int]:
        tables, end = self._tables, int(self.windows.last[-1])
        score, t = _next(tables, self._best, tables.row.size - 1, end, np.inf, -1)
        return float(score), int(t)

    def follow(self, at: int, onsets: IntArray) -> None:
        _follow(self._tables, self._best, at, onsets)

    def deviate(self, onsets: IntArray, frame: IntArray, loss: Float64) -> None:
        _deviate(self._tables, self._best, onsets, frame, loss)


@compiled()
def _next(
    tables: Tables, best: Row, k: int, after: int, value: float, frame: int
) -> tuple[float, int]:
    """Best onset of event k, given the one after it, that is worse than `value` at `frame`.

    Of equal ones the earlier is the better; so what is worse than an onset has a lower score, or
    the same at a later frame. This is what puts the timings of a tie into one order.
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
def _follow(tables: Tables, best: Row, at: int, onsets: IntArray) -> None:
    """Give all events before `at` their best onsets."""
    for k in range(at - 1, -1, -1):
        _, onsets[k] = _next(tables, best, k, onsets[k + 1], np.inf, -1)


@compiled()
def _deviate(tables: Tables, best: Row, onsets: IntArray, frame: IntArray, loss: Float64) -> None:
    """Next worse onset of each of the first events, and what it costs.

    The events after it stay; those before it move to what is then best for them. ``best`` holds
    the score of that already, so no event before it is looked at here.
    """
    for k in range(frame.size):
        after = tables.windows.last[tables.row.size] if k == tables.row.size - 1 else onsets[k + 1]
        t = onsets[k]
        value = (
            best[tables.offset[k] + t - tables.windows.first[k]]
            + tables.duration[tables.row[k], after - t]
        )
        score, frame[k] = _next(tables, best, k, after, value, t)
        loss[k] = value - score
