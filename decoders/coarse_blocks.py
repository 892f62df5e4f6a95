"""The coarse pass over a long recording whose base functions come a block of frames at a time.

Tables of an hour take gigabytes; pooled to cells of 40 ms they take some 100 MB.
Each block is pooled as it comes and may then be forgotten, see `align.decoders.coarse` for how;
where the events begin, to a cell, is found when all blocks are there.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from align.decoders._coarse_pass import coarse_path
from align.decoders._coarse_sources import Cells, part_of, source_of
from align.decoders.window_search import near_edges, search_in_windows
from align.errors import ParameterError
from align.terms import BaseFunctions, DurationTerm
from align.types import BoolArray, FloatArray, IntArray

# of a pass over all cells: a second or two; beyond, one in longer cells first
_MOST_STATES = 10**9
_POOLED = 4  # cells that are one in that
_BAND = 6  # onsets are looked for within this part of the recording of even spacing, at first
_REACH = 200  # cells either side of where the longer cells have an onset
_EDGE = 8  # nearer to the edge than this part of the reach is too near
_MOST_ROUNDS = 4
_MEMORY = 2**27  # bytes of rows


class CoarseBlocks:
    """Cells of a recording of K events, gathered from blocks of its frames.

    Parameters
    ----------
    factor : int
        Frames in a cell, at least 1.
    places : np.ndarray [shape=(K,), dtype=intp], optional
        Event of the blocks that each event scores as; by default they are the same.

    Raises
    ------
    ParameterError
        If the factor is less than 1.

    Examples
    --------
    >>> from align.terms import OnsetTerm
    >>> table = np.zeros((3, 3000))
    >>> table[np.arange(3), [0, 700, 2100]] = 1.0
    >>> blocks = CoarseBlocks(factor=10)
    >>> for first in (0, 1000, 2000):
    ...     term = OnsetTerm(table[:, first : first + 1000], np.arange(3))
    ...     blocks.add(BaseFunctions([term], ["onset"], 3, 1000), np.ones(1))
    >>> blocks.onsets(np.full(3, 3000))
    array([   0,  700, 2100])
    """

    def __init__(self, factor: int, places: IntArray | None = None) -> None:
        if factor < 1:
            raise ParameterError(f"factor={factor}, must be at least 1 frame.")
        self.factor = factor
        self.n_frames = 0
        self._places = places
        self._onset: list[npt.NDArray[Any]] = []
        self._prefix: list[npt.NDArray[Any]] = []
        self._lengths: tuple[BaseFunctions, FloatArray] | None = None
        self._rows: Cells | None = None

    def add(
        self,
        x: BaseFunctions,
        weights: FloatArray,
        first: int = 0,
        stop: int | None = None,
    ) -> None:
        """Add the frames that follow: those from `first` up to `stop` of a block.

        Parameters
        ----------
        x : BaseFunctions
            Of all events, in the frames of the block. Its windows do not count.
        weights : np.ndarray [shape=(J,)]
            Of the base functions.
        first, stop : int
            Frames of the block; the rest of it is only there for those at its ends to be right.

        Raises
        ------
        ParameterError
            A block but the last has no whole number of cells, or has general base functions.
        """
        stop = x.n_frames if stop is None else stop
        if self.n_frames % self.factor:
            raise ParameterError(
                f"a block of {self.factor}-frame cells follows one that ends at frame "
                f"{self.n_frames}, within a cell."
            )
        terms = [part_of(term, 0, x.n_events, first, stop) for term in x.terms]
        inner = replace(x, terms=terms, n_frames=stop - first, windows=None, max_length=None)
        cells = source_of(inner, weights).coarse(self.factor)
        self._onset.append(cells.onset.astype(np.float32))  # most of what is kept
        before = self._prefix[-1][:, -1:] if self._prefix else 0.0
        self._prefix.append(cells.prefix + before)
        self.n_frames += stop - first
        if self._lengths is None or self._rows is None:
            at = np.arange(x.n_events) if self._places is None else self._places
            lasting = [isinstance(term, DurationTerm) for term in x.terms]
            self._lengths = (
                replace(
                    inner,
                    terms=[
                        replace(term, rows=term.rows[at])
                        for term in terms
                        if isinstance(term, DurationTerm)
                    ],
                    names=[name for name, on in zip(x.names, lasting, strict=True) if on],
                    n_events=len(at),
                    labels=(),
                ),
                np.asarray(weights)[lasting],
            )
            self._rows = cells._replace(
                onset=np.empty((0, 0)),
                onset_row=cells.onset_row[at],
                prefix=np.empty((0, 0)),
                prefix_row=cells.prefix_row[at],
            )

    def onsets(
        self,
        longest: IntArray,
        windows: IntArray | None = None,
        rare: BoolArray | None = None,
        guess: IntArray | None = None,
    ) -> IntArray | None:
        """Return the first frame of the best cell of each onset [shape=(K,), dtype=intp].

        Parameters
        ----------
        longest : np.ndarray [shape=(K,), dtype=intp]
            Longest length of each event in frames.
        windows : np.ndarray [shape=(K, 2), dtype=intp], optional
            First frame of each onset, and one past its last; by default the whole recording.
        rare : np.ndarray [shape=(K,), dtype=bool], optional
            Events that take no time where a long recording is looked at in longer cells, in which
            nearly all that they could be scores better than what was said.
        guess : np.ndarray [shape=(K,), dtype=intp], optional
            Onsets in frames, near which a long recording is looked at, too. Better ones are found
            where longer events than before may be, and cells are long.

        Returns
        -------
        np.ndarray [shape=(K,), dtype=intp] or None
            None where no path has a score.

        Raises
        ------
        ParameterError
            If no block was added.
        """
        if self._lengths is None or self._rows is None:
            raise ParameterError("there is no block; add at least one.")
        lasting, weights = self._lengths
        if windows is None:
            windows = np.tile(np.array([0, self.n_frames], dtype=np.intp), (len(longest), 1))
        # a source of lengths alone, in the windows and frames of all blocks
        source = source_of(
            replace(lasting, max_length=longest, n_frames=self.n_frames, windows=windows), weights
        )
        if len(self._onset) > 1:  # the last column of a block is the first one of the next
            self._onset = [np.concatenate(self._onset, axis=1)]
            last = self._prefix.pop()
            self._prefix = [np.concatenate([*(one[:, :-1] for one in self._prefix), last], axis=1)]
        cells = source.coarse(self.factor)._replace(
            onset=self._onset[0],
            onset_row=self._rows.onset_row,
            prefix=self._prefix[0],
            prefix_row=self._rows.prefix_row,
        )
        if source.states(self.factor) <= _MOST_STATES:
            found = coarse_path(cells, _MEMORY)
        else:
            longer = _pooled(cells, source.coarse(_POOLED * self.factor))
            if rare is not None:
                longer = longer._replace(longest=np.where(rare, 0, longer.longest))
            evenly = np.linspace(0, longer.n_cells, source.n_events, dtype=np.intp)
            above = _path_near(longer, evenly, longer.n_cells // _BAND)
            guesses = [] if above is None else [_POOLED * above + _POOLED // 2]
            guesses += [] if guess is None else [guess // self.factor]
            every = [_path_near(cells, near, _REACH) for near in guesses]
            paths = [path for path in every if path is not None]
            found = max(paths, key=lambda path: _score(cells, path), default=None)
        return None if found is None else found * self.factor


def _pooled(cells: Cells, lengths: Cells) -> Cells:
    """Return cells `_POOLED` times as long, given what `lengths` knows of lengths of these."""
    n_cells = cells.onset.shape[1]
    middle = np.minimum(np.arange(0, n_cells + _POOLED, _POOLED) + _POOLED // 2, n_cells)
    return lengths._replace(
        onset=np.maximum.reduceat(cells.onset, np.arange(0, n_cells, _POOLED), axis=1),
        onset_row=cells.onset_row,
        prefix=cells.prefix[:, middle],
        prefix_row=cells.prefix_row,
    )


def _score(cells: Cells, onsets: IntArray) -> float:
    """Return the score of the onsets of all events, in cells."""
    ends = np.append(onsets[1:], cells.n_cells)
    own = cells.onset[cells.onset_row, onsets - cells.shift].sum(dtype=np.float64)
    frames = cells.prefix[cells.prefix_row, ends] - cells.prefix[cells.prefix_row, onsets]
    return float(own + (frames + cells.duration[cells.duration_row, ends - onsets]).sum())


def _path_near(cells: Cells, guess: IntArray, reach: int) -> IntArray | None:
    """Return the best path within `reach` cells of a guess, farther away where it needs that."""
    limits = np.stack((cells.first, cells.last + 1), axis=1)

    def around() -> IntArray:
        first = np.clip(guess - reach, limits[:, 0], limits[:, 1] - 1)
        stop = np.clip(guess + reach + 1, limits[:, 0] + 1, limits[:, 1])
        return np.stack((first, stop), axis=1)

    def path(windows: IntArray) -> IntArray:
        near = cells._replace(first=windows[:, 0].copy(), last=windows[:, 1] - 1)
        found = coarse_path(near, _MEMORY)
        if found is None:
            raise ParameterError("no timing has a finite score.")
        return found

    def widen(windows: IntArray, found: IntArray | None, near: Any) -> IntArray | None:
        nonlocal guess, reach
        if reach >= cells.n_cells:
            return None
        guess, reach = guess if found is None else found, 2 * reach
        return around()

    def near(found: IntArray, windows: IntArray) -> BoolArray:
        return near_edges(found, windows, limits, max(1, reach // _EDGE))

    try:
        return search_in_windows(around(), path, near, widen, most_rounds=_MOST_ROUNDS).found
    except ParameterError:
        return None
