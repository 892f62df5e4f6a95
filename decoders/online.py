"""Exact decoding of a stream: onsets are committed while the sound goes on.

The model is that of `align.decoders.semi_markov`, and paths may jump. With ``D_k(t)`` the best
score of a path whose last onset so far is that of event k at frame t::

    D_k(t) = onset_k(t) + max { start(k)                                    if the path begins here
                                D_{k-1}(t - d) + duration[row_{k-1}, d]     the next event
                                D_j(t - d) - skip,  j < k,  d >= pause      some are left out
                                D_j(t - d) - back,  j >= k, d >= pause }    some come again

A path may begin with event 0 at no cost, and with any other for `skip`. The last event of a path
has lasted so long already: it scores the best that any length from there on does, at least
``-back``.

A path through cell (j, s) is not better than another through (i, s'), whatever follows, if
``D_j(s) <= D_i(s') - back`` and the pause after s' is over: the next onset can be reached from
(i, s') for `back` at the most, and lengths score 0 at most. Such cells are left out, which loses
nothing. What all paths through the others have in common is a part of every best path, and
committed. Where the lag is reached, the onsets of the best path that are as old as that are
committed too, and cells that disagree with them are left out; only then may the answer differ from
that of decoding all at once.

Since all paths share what is committed, cells older than the last committed onset are forgotten.
A frame scores a window of events, which may move; no path has an onset of others there. Time and
memory follow the windows and the lag, not the length of the stream.

References
----------
Narasimhan, Viola and Shilman, "Online decoding of Markov models under latency constraints",
ICML 2006.
Šrámek, Brejová and Vinař, "On-line Viterbi algorithm for analysis of long biological sequences",
WABI 2007.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.errors import ParameterError, check_shape
from align.types import IntArray

_ROOM = 64  # frames that the tables have room for at first


class OnlineOnset(NamedTuple):
    """An onset that is committed: the event, and its frame."""

    event: int
    frame: int


class OnlineDecoder:
    """Decode columns of onset scores as they come.

    Parameters
    ----------
    duration : np.ndarray [shape=(R, L + 1)]
        Scores of lengths 0 .. L in frames, 0 at most; a longer one scores as L does. Length 0
        does not occur.
    rows : np.ndarray [shape=(K,), dtype=intp]
        Row of `duration` for each event.
    skip, back : float
        What it costs to leave events out, and to go back to an event, not less than `skip`;
        ``inf`` if paths do not jump.
    pause : int
        Frames from an onset to the first at which a path may jump; it may go on before.
    lag : int, optional
        Frames after which an onset is committed at the latest; None for no limit.

    Attributes
    ----------
    n_frames : int
        Columns decoded so far.

    Examples
    --------
    >>> onset = np.array([[0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]])
    >>> decoder = OnlineDecoder(np.zeros((1, 5)), np.zeros(2, dtype=np.intp))
    >>> for column in onset.T:
    ...     _ = decoder.push(column)
    >>> decoder.finish()
    [OnlineOnset(event=0, frame=1), OnlineOnset(event=1, frame=3)]
    """

    def __init__(
        self,
        duration: npt.NDArray[np.floating],
        rows: IntArray,
        *,
        skip: float = np.inf,
        back: float = np.inf,
        pause: int = 1,
        lag: int | None = None,
    ) -> None:
        if not 0 <= skip <= back:
            raise ParameterError(f"skip={skip}, back={back}, must be 0 <= skip <= back.")
        if pause < 1:
            raise ParameterError(f"pause={pause} frames, must be at least 1.")
        if lag is not None and lag < 1:
            raise ParameterError(f"lag={lag} frames, must be at least 1.")
        table = np.ascontiguousarray(duration, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] < 2 or not (table[:, 1:] <= 0).all():
            raise ParameterError(
                f"duration of shape {table.shape}, must be (R, L + 1), L > 0, and 0 at most."
            )
        n = len(rows)
        if n == 0:
            raise ParameterError("rows must hold the row of at least one event.")
        self._duration, self._skip, self._back, self._lag = table, float(skip), float(back), lag
        self._pause = pause
        survival = np.maximum.accumulate(table[:, ::-1], axis=1)[:, ::-1]
        self._survival = np.maximum(survival, -self._back)
        self._rows = np.zeros(n, dtype=np.intp)
        self.set_rows(rows)
        self.n_frames = 0
        self._root: OnlineOnset | None = None
        self._root_score = 0.0
        self._base = 0  # frame of the first row of the tables below
        self._score = np.full((_ROOM, n), -np.inf)
        self._before = np.full((_ROOM, n, 2), -1, dtype=np.int32)  # row and event before
        self._window = np.zeros((_ROOM, 2), dtype=np.int32)  # events that a row has cells of

    def set_rows(self, rows: IntArray) -> None:
        """Let lengths that end from now on score otherwise; the tempo may have changed.

        Parameters
        ----------
        rows : np.ndarray [shape=(K,), dtype=intp]
            Row of the duration scores for each event.

        Raises
        ------
        ParameterError
            There is not one row for each event, or a row that the scores do not have.
        """
        new = np.ascontiguousarray(rows, dtype=np.intp)
        check_shape("rows", new.shape, "(K,)", self._rows.shape)
        if new.min() < 0 or new.max() >= len(self._duration):
            raise ParameterError(f"rows must be in 0..{len(self._duration) - 1}.")
        self._rows = new

    def push(self, onset: npt.ArrayLike, first: int = 0) -> list[OnlineOnset]:
        """Decode one more frame, and return what is committed now.

        Parameters
        ----------
        onset : array_like [shape=(n,)]
            Score of events `first` .. `first` + n - 1 beginning in this frame; others do not.
        first : int
            The first event that is scored.

        Returns
        -------
        list of OnlineOnset
            In the order of time; often empty.

        Raises
        ------
        ParameterError
            If events are scored that are none, or a score is NaN.
        """
        column = np.ascontiguousarray(onset, dtype=np.float64)
        if column.ndim != 1 or not 0 <= first <= first + column.size <= self._rows.size:
            raise ParameterError(
                f"onset of shape {column.shape} from event {first}, must lie within the "
                f"{self._rows.size} events."
            )
        if np.isnan(column).any():
            raise ParameterError("onset must not hold NaN.")
        at = self.n_frames - self._base
        if at == len(self._score):
            self._score = np.concatenate([self._score, np.full_like(self._score, -np.inf)])
            self._before = np.concatenate([self._before, np.full_like(self._before, -1)])
            self._window = np.concatenate([self._window, np.zeros_like(self._window)])
        self._window[at] = first, first + column.size
        tables = self._score, self._before, self._window
        _step(
            *tables, at, column, self._duration, self._rows, self._skip, self._back, self._pause,
            *self._origin,
        )  # fmt: skip
        self.n_frames += 1
        horizon = -1 if self._lag is None else at - self._lag
        common = _common(
            *tables, at + 1, self._back, self._pause, *self._origin[1:], self._best(), horizon
        )
        found = self._commit((int(common[0]), int(common[1])))
        if self._lag is not None and self.n_frames - self._lag - self._base >= _ROOM // 2:
            # nothing is left alive up to the horizon, however long nothing begins
            self._forget(self.n_frames - self._lag)
        return found

    def finish(self, *, whole: bool = False) -> list[OnlineOnset]:
        """Return the rest of the best path.

        Parameters
        ----------
        whole : bool
            Look at those paths only that end with the last event.

        Returns
        -------
        list of OnlineOnset
            Those that were not committed before.

        Raises
        ------
        ParameterError
            No path ends with the last event.
        """
        last = self._rows.size - 1
        if not whole or (self._root is not None and self._root.event == last):
            return [] if whole else self._commit(self._best())
        used = self._score[: self.n_frames - self._base, last]
        if not used.size or used.max() == -np.inf:
            raise ParameterError("no path ends with the last event; there are too few frames.")
        return self._commit((int(used.argmax()), last))

    @property
    def last(self) -> OnlineOnset | None:
        """The last onset of the best path so far, which may still change; None before any."""
        row, event = self._best()
        return self._root if event < 0 else OnlineOnset(event, row + self._base)

    @property
    def _origin(self) -> tuple[int, int, float]:
        """Event, row and score of the root; event -1 in row -1 where nothing is committed."""
        if self._root is None:
            return -1, -1, 0.0
        return self._root.event, self._root.frame - self._base, self._root_score

    def _best(self) -> tuple[int, int]:
        used = self.n_frames - self._base
        row, event = _best(
            self._score, self._window, used, self._survival, self._rows, *self._origin
        )
        return int(row), int(event)

    def _commit(self, cell: tuple[int, int]) -> list[OnlineOnset]:
        """Commit the path up to a cell, which all later paths then share."""
        row, event = cell
        if event < 0:
            return []
        out, score = [], float(self._score[row, event])
        last = OnlineOnset(event, row + self._base)
        while event >= 0:
            out.append(OnlineOnset(event, row + self._base))
            row, event = (int(value) for value in self._before[row, event])
        self._forget(last.frame + 1)
        self._root, self._root_score = last, score
        return out[::-1]

    def _forget(self, frame: int) -> None:
        """Let the tables begin with a frame; what came from before it came from the root."""
        used, keep = self.n_frames - self._base, frame - self._base
        left = max(used - keep, 0)
        for table in (self._score, self._before, self._window):
            table[:left] = table[keep:used]
        self._score[left:used] = -np.inf
        self._before[:left, :, 0] -= keep
        gone = self._before[:left, :, 0] < 0
        self._before[:left][gone] = -1
        self._before[left:used] = -1
        self._base = frame


@compiled()
def _step(
    score: Any, before: Any, window: Any, at: int, onset: Any, duration: Any, rows: Any,
    skip: float, back: float, pause: int, root: int, root_row: int, root_score: float,
) -> None:  # fmt: skip
    """Write row `at` of the tables; `root` is the last event that was committed, or -1.

    Where nothing is committed, the root is the time before the first event, in which nothing is
    scored. Ties go to the next event, then to the longer length.
    """
    first, stop = window[at]
    longest = duration.shape[1] - 1
    # from the root
    for k in range(first, stop):
        score[at, k] = -np.inf
        if root < 0 or at - root_row >= pause:
            score[at, k] = root_score - (skip if k > root else back)
    if first <= root + 1 < stop:
        gain = 0.0 if root < 0 else duration[rows[root], min(at - root_row, longest)]
        score[at, root + 1] = max(score[at, root + 1], root_score + gain)
    # from each cell to its next event; of each event the best cell to jump from is kept
    low, high = rows.size, 0
    for s in range(at):
        low, high = min(low, window[s, 0]), max(high, window[s, 1])
    peak = np.full(max(high - low, 0), -np.inf)
    peak_row = np.full(max(high - low, 0), -1)
    for s in range(at):
        for j in range(window[s, 0], window[s, 1]):
            value = score[s, j]
            if at - s >= pause and value > peak[j - low]:
                peak[j - low], peak_row[j - low] = value, s
            if value > -np.inf and first <= j + 1 < stop:
                value += duration[rows[j], min(at - s, longest)]
                if value > score[at, j + 1]:
                    score[at, j + 1] = value
                    before[at, j + 1, 0] = s
                    before[at, j + 1, 1] = j
    # jumps: ahead from the best of the events before, back from the best of the others
    top = -1
    for k in range(first, stop):
        for j in range(low if k == first else max(low, k - 1), min(k, high)):
            if top < 0 or peak[j - low] > peak[top - low]:
                top = j
        if top >= 0 and peak[top - low] - skip > score[at, k]:
            score[at, k] = peak[top - low] - skip
            before[at, k, 0] = peak_row[top - low]
            before[at, k, 1] = top
    top = -1
    for k in range(stop - 1, first - 1, -1):
        for j in range(max(low, k), high if k == stop - 1 else min(k + 1, high)):
            if top < 0 or peak[j - low] > peak[top - low]:
                top = j
        if top >= 0 and peak[top - low] - back > score[at, k]:
            score[at, k] = peak[top - low] - back
            before[at, k, 0] = peak_row[top - low]
            before[at, k, 1] = top
    for k in range(first, stop):
        score[at, k] += onset[k - first]


@compiled()
def _best(
    score: Any, window: Any, used: int, survival: Any, rows: Any, root: int, root_row: int,
    root_score: float,
) -> tuple[int, int]:  # fmt: skip
    """Return row and event of the best cell, (-1, -1) where it is the root."""
    longest = survival.shape[1] - 1
    top, row, event = root_score, -1, -1
    if root >= 0:
        top += survival[rows[root], min(used - root_row, longest)]
    for s in range(used):
        for k in range(window[s, 0], window[s, 1]):
            value = score[s, k] + survival[rows[k], min(used - s, longest)]
            if value > top:
                top, row, event = value, s, k
    return row, event


@compiled()
def _common(
    score: Any, before: Any, window: Any, used: int, back: float, pause: int, root_row: int,
    root_score: float, best: Any, horizon: int,
) -> tuple[int, int]:  # fmt: skip
    """Leave out cells that cannot matter, and return the last one that all others come from.

    `horizon` is the last row whose onsets must be committed now, -1 where there is none: those of
    the best path are, and cells that disagree with them are left out as well.
    """
    top = root_score if used - root_row >= pause else -np.inf
    for s in range(used - pause + 1):
        for k in range(window[s, 0], window[s, 1]):
            top = max(top, score[s, k])
    # no path through these is better than one that jumps from the cell that scores most, of those
    # from which any next onset can be reached
    for s in range(used):
        for k in range(window[s, 0], window[s, 1]):
            if score[s, k] <= top - back and not (s == best[0] and k == best[1]):
                score[s, k] = -np.inf
    forced_row, forced_event = -1, -1
    if horizon >= 0:
        # the last onset of the best path up to the horizon
        forced_row, forced_event = best
        while forced_row > horizon:
            step = before[forced_row, forced_event]
            forced_row, forced_event = step[0], step[1]
        # a path that has another last onset up to the horizon is left out
        for s in range(used):
            for k in range(window[s, 0], window[s, 1]):
                if score[s, k] == -np.inf:
                    continue
                row, event = s, k
                while row > horizon:
                    step = before[row, event]
                    row, event = step[0], step[1]
                if row != forced_row or event != forced_event:
                    score[s, k] = -np.inf
    # while the root itself may go on, nothing after it is common to all
    if forced_event < 0 and root_score > top - back:
        return -1, -1
    # the last common cell: of two, the later goes back until they meet
    row, event = -2, -2
    for s in range(used):
        for k in range(window[s, 0], window[s, 1]):
            if score[s, k] == -np.inf:
                continue
            if row == -2:
                row, event = s, k
                continue
            a, b, c, d = row, event, s, k
            while a != c or b != d:
                if a > c or (a == c and a >= 0):
                    step = before[a, b]
                    a, b = step[0], step[1]
                else:
                    step = before[c, d]
                    c, d = step[0], step[1]
            row, event = a, b
            if event < 0:
                return -1, -1
    return (row, event) if event >= 0 else (-1, -1)
