"""Long recordings: a pass at a low frame rate, then windows around it at the full rate.

The table of K events at T frames grows with the square of a recording's length. Here it is never
laid out:

1. *Coarse pass.* Frames are taken in cells of `factor`: frame t, and the end T as well, is in
   cell ``t // factor``. A length of d frames is then ``d / factor`` cells, rounded down or up, and
   limits of length are rounded away from one another: every timing of the frames is one of the
   cells. The score of an onset in a cell is the greatest of its frames, that of a length in cells
   is the greatest of the lengths it may stand for, and scores of frames add up from cell to cell.
   Events may share a cell; ratio scores are left out. Semi-Markov decoding of cells takes
   O(K T L / factor**2) time and of the order of ``sqrt(K) T / factor`` memory.
2. *Windows.* Every onset may move `reach` frames either side of its cell; the potentials of these
   windows are decoded exactly, to any order.
3. *Check.* An optimum that comes near the edge of a window, which the recording or the caller did
   not set, says that the window was too narrow. Such events are decoded again with their
   neighbours in windows twice as wide, and again until none comes near an edge; then all windows
   are centred on the new path, and all is decoded again. The score never falls from one round to
   the next. Where edges are still reached after some rounds, all windows are doubled.

The result is the best timing within the windows it is returned with, and is inside all of them.
That there is none better with an onset further away is made likely, not proven.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._coarse_pass import coarse_path
from align.decoders._coarse_sources import Source, source_of
from align.decoders._windows import check_memory, tighten
from align.decoders.dispatch import decode
from align.decoders.window_search import near_edges, search_in_windows
from align.errors import ParameterError
from align.potentials import Path, Potentials
from align.terms import BaseFunctions
from align.types import BoolArray, IntArray

_MOST_ROUNDS = 20
_ROUNDS = 4  # at one reach, before all windows are doubled
_SPAN = 4  # what is within so many times the reach of an event near an edge is decoded again
_MOST_STATES = 10**11  # of the coarse pass: ten to thirty seconds
_EDGE = 8  # nearer to the edge than this part of the reach is too near
_MOST_TABLE = 2**30  # bytes of the onset scores of all windows


class CoarseToFine(NamedTuple):
    """What `decode_coarse_to_fine` returns.

    Attributes
    ----------
    onsets : np.ndarray [shape=(K,), dtype=intp]
        In frames.
    score : float
        Of these onsets.
    potentials : Potentials
        Those of the last windows, for what follows decoding.
    rounds : int
        How often all windows were decoded.
    near_edge : np.ndarray [shape=(K,), dtype=bool]
        Onsets that are still near the edge of their window. There are none, but where the search
        was given up after 20 rounds.
    """

    onsets: IntArray
    score: float
    potentials: Potentials
    rounds: int
    near_edge: BoolArray

    @property
    def path(self) -> Path:
        """Onsets and score as `decode` returns them."""
        return Path(self.onsets, self.score)


def decode_coarse_to_fine(
    x: Potentials | BaseFunctions,
    weights: npt.ArrayLike | None = None,
    *,
    factor: int = 10,
    reach: int = 200,
    max_memory: int | None = None,
) -> CoarseToFine:
    """Find the best onsets of a long recording, in time and memory linear in its length.

    Parameters
    ----------
    x : Potentials or BaseFunctions
        Onset, duration and ratio scores; no general ones. Base functions, which hold a row for
        each symbol, need no table of K times T.
    weights : array_like [shape=(J,)], optional
        Of the base functions.
    factor : int
        Frames in a cell of the coarse pass, at least; more where it would have to try more than
        1e11 lengths.
    reach : int
        Frames that an onset may move either side of where the coarse pass has it, at first.
    max_memory : int, optional
        Most bytes for each of the coarse pass and the decoders, as in `decode`; the potentials of
        the windows come on top. By default 256 MiB for the coarse pass.

    Returns
    -------
    CoarseToFine

    Raises
    ------
    ParameterError
        As `decode` does; general scores are present; `factor` or `reach` is not positive.

    Notes
    -----
    Where the coarse pass is off by less than `reach`, the result is that of `decode`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> onset = rng.normal(size=(30, 3000))
    >>> onset[np.arange(30), 100 * np.arange(30)] += 20
    >>> found = decode_coarse_to_fine(Potentials(onset, n_frames=3000), reach=50)
    >>> bool((found.onsets == 100 * np.arange(30)).all()), found.potentials.onset.shape
    (True, (30, 110))
    """
    for name, value in (("factor", factor), ("reach", reach)):
        if value < 1:
            raise ParameterError(f"{name}={value}, must be at least 1 frame.")
    check_memory(max_memory)
    source = source_of(x, weights)
    if source.n_events == 0:
        none = source.within(np.empty((0, 2), dtype=np.intp))
        return CoarseToFine(
            np.empty(0, dtype=np.intp), source.constant, none, 0, np.empty(0, dtype=bool)
        )
    factor = source.factor_for(factor, _MOST_STATES)
    cells = coarse_path(source.coarse(factor), max_memory)
    if cells is None:
        raise _explain(source)
    wide = int(_MOST_TABLE / (16 * source.n_events))  # the greatest reach
    reach = min(reach, source.n_frames)
    search = _Search(source, cells * factor, factor, reach, wide, max_memory)
    found = search_in_windows(
        search.windows, search.decode, search.near, search.widen, most_rounds=_MOST_ROUNDS
    )
    potentials, path = found.found
    return CoarseToFine(path.onsets, path.score, potentials, found.rounds, found.near)


class _Search:
    """Windows around a path: those of stretches that touch an edge are searched on their own."""

    def __init__(
        self,
        source: Source,
        first: IntArray,
        factor: int,
        reach: int,
        wide: int,
        max_memory: int | None,
    ) -> None:
        self.source, self.first, self.factor = source, first, factor
        self.reach, self.wide, self.max_memory = reach, wide, max_memory
        self.rounds = 0
        self.windows = _around(first, source, reach, reach + factor)

    def decode(self, windows: IntArray) -> tuple[Potentials, Path]:
        potentials = self.source.within(windows)
        return potentials, decode(potentials, max_memory=self.max_memory)

    def near(self, found: tuple[Potentials, Path], windows: IntArray) -> BoolArray:
        margin = max(1, self.reach // _EDGE)
        return near_edges(found[1].onsets, windows, self.source.windows, margin)

    def widen(
        self,
        windows: IntArray,
        found: tuple[Potentials, Path] | None,
        near: BoolArray | None,
    ) -> IntArray | None:
        if found is None or near is None:  # no timing fits around the coarse path
            if self.reach >= min(self.wide, self.source.n_frames):
                return None
            self.reach *= 2
            return _around(self.first, self.source, self.reach, self.reach + self.factor)
        self.rounds += 1
        onsets = found[1].onsets.copy()
        for events in _stretches(onsets, near, 2 * _SPAN * self.reach):
            _improve(self.source, onsets, events, self.reach, self.max_memory)
        if self.rounds % _ROUNDS == 0 and self.reach < self.wide:
            self.reach *= 2
        return _around(onsets, self.source, self.reach, self.reach + 1)


def _explain(source: Source) -> ParameterError:
    """Say why there is no timing, where even the coarse pass finds none."""
    start, stop = source.windows.T
    width = int((stop - start).max())
    nothing = np.broadcast_to(np.zeros(1), (source.n_events, width))  # takes no memory
    tighten(
        Potentials(
            nothing,
            source.n_frames,
            start=start,
            stop=stop,
            min_length=source.shortest,
            max_length=source.longest,
            labels=source.labels,
        )
    )
    return ParameterError("no timing has a finite score.")


def _around(onsets: IntArray, source: Source, before: int, after: int) -> IntArray:
    """Windows around onsets, within those of the problem [shape=(K, 2)]."""
    start = np.clip(onsets - before, source.windows[:, 0], source.windows[:, 1] - 1)
    stop = np.clip(onsets + after, source.windows[:, 0] + 1, source.windows[:, 1])
    return np.stack(
        (np.minimum.accumulate(start[::-1])[::-1], np.maximum.accumulate(stop)), axis=1
    )


def _stretches(onsets: IntArray, near: BoolArray, apart: int) -> list[IntArray]:
    """Events near an edge, in groups that are more than `apart` frames from one another."""
    events = np.flatnonzero(near)
    return np.split(events, np.flatnonzero(np.diff(onsets[events]) > apart) + 1)


def _improve(
    source: Source, onsets: IntArray, events: IntArray, reach: int, max_memory: int | None
) -> None:
    """Decode events and those around again in wider and wider windows; writes `onsets`.

    What is further away than `_SPAN` times the reach stays where it is.
    """
    n_events, n_frames = source.n_events, source.n_frames
    begin, end = int(events[0]), int(events[-1])
    while True:
        reach = min(2 * reach, n_frames)
        low = int(np.searchsorted(onsets, onsets[begin] - _SPAN * reach))
        high = int(np.searchsorted(onsets, onsets[end] + _SPAN * reach, side="right"))
        first, last = max(0, low - 2), min(n_events, high + 2)  # whose ratio terms change
        around = _around(onsets, source, reach, reach + 1)[first:last]
        # windows must not go backwards from those that stay
        floor = int(onsets[low - 1]) if low > 0 else 0
        ceiling = int(onsets[high]) + 1 if high < n_events else n_frames
        moving = slice(low - first, high - first)
        around = np.clip(around, floor, ceiling)
        for side in (slice(None, low - first), slice(high - first, None)):
            stay = onsets[first:last][side]
            around[side] = np.stack((stay, stay + 1), axis=1)
        until = int(onsets[last]) if last < n_events else n_frames
        try:
            potentials = source.within(around, first, last, until)
            found = decode(potentials, max_memory=max_memory).onsets[moving]
            onsets[low:high] = found + (around[0, 0] if first > 0 else 0)
        except ParameterError:  # what stays where it is leaves no room for the lengths between
            if low == 0 and high == n_events:
                raise
            continue
        given = source.windows[low:high]
        limit = np.stack(
            (np.maximum(given[:, 0], floor), np.minimum(given[:, 1], ceiling)), axis=1
        )
        near = low + np.flatnonzero(
            near_edges(onsets[low:high], around[moving], limit, max(1, reach // _EDGE))
        )
        if not near.size:
            return
        begin, end = min(begin, int(near[0])), max(end, int(near[-1]))
