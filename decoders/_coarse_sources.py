"""Where the scores of a long recording come from: potentials, or base functions with weights.

A source gives the scores of a coarse pass, and the potentials of any stretch of events in windows.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._windows import check_values
from align.errors import ParameterError
from align.potentials import Potentials
from align.terms import BaseFunctions, DurationTerm, OnsetTerm, RatioTerm, SegmentTerm, Term
from align.types import Float64, FloatArray, IntArray


class Cells(NamedTuple):
    """Scores of a coarse pass.

    Attributes
    ----------
    onset : np.ndarray [shape=(P, C), dtype=float32 or float64]
        Greatest score of an onset in each cell.
    onset_row, shift : np.ndarray [shape=(K,), dtype=intp]
        Row of each event, and the cell of its first column.
    prefix : np.ndarray [shape=(Q, C + 1), dtype=float64]
        Scores of all frames before the middle of each cell; row 0 is zero.
    prefix_row : np.ndarray [shape=(K,), dtype=intp]
        Row of each event.
    duration : np.ndarray [shape=(R, L + 1), dtype=float64]
        Score of each length 0 .. L in cells.
    duration_row : np.ndarray [shape=(K,), dtype=intp]
        Row of each event.
    first, last, shortest, longest : np.ndarray [shape=(K,), dtype=intp]
        First and last cell of each onset, and least and greatest length in cells, all included.
    n_cells : int
        Cell where the last event ends: that of frame T, so at most C.
    """

    onset: FloatArray
    onset_row: IntArray
    shift: IntArray
    prefix: Float64
    prefix_row: IntArray
    duration: Float64
    duration_row: IntArray
    first: IntArray
    last: IntArray
    shortest: IntArray
    longest: IntArray
    n_cells: int


class Source(ABC):
    """Scores of K events in T frames.

    Attributes
    ----------
    n_events, n_frames : int
        K and T.
    windows : np.ndarray [shape=(K, 2), dtype=intp]
        First frame of each onset, and one past its last.
    constant : float
        Added to all scores.
    shortest, longest : np.ndarray [shape=(K,), dtype=intp]
        Lengths of each event in frames.
    labels : tuple of str
        What messages call the events.
    """

    n_events: int
    n_frames: int
    windows: IntArray
    constant: float = 0.0
    shortest: IntArray
    longest: IntArray
    labels: tuple[str, ...]

    def factor_for(self, factor: int, most: int) -> int:
        """Return the least factor, from `factor` up, at which lengths are tried `most` times."""
        while factor < self.n_frames and self.states(factor) > most:
            factor += 1
        return factor

    def states(self, factor: int) -> float:
        """Return how many lengths are tried in cells of `factor` frames."""
        lengths = np.minimum(self.longest, self.n_frames)
        return -(-self.n_frames // factor) * float((lengths // factor + 2).sum())

    @abstractmethod
    def coarse(self, factor: int) -> Cells:
        """Return the scores at a rate lower by `factor`."""

    def _coarse_lengths(
        self, table: FloatArray | None, row: IntArray | None, factor: int
    ) -> tuple[Float64, IntArray]:
        """Return the greatest score of the lengths nearest to each number of cells.

        Where all of these are forbidden, it is the greatest of all lengths that can be so many
        cells: a length of d frames is ``d // factor`` cells, or one more where it is no multiple
        of the factor. So no timing of the frames is forbidden in cells.
        """
        n = -(-int(self.longest.max()) // factor) + 1
        if table is None or row is None:
            return np.zeros((1, n)), np.zeros(self.n_events, dtype=np.intp)
        cuts = np.maximum(np.arange(n) * factor - factor // 2, 0)
        cuts = np.minimum(cuts, table.shape[1] - 1)
        lengths = np.array(table, dtype=np.float64)
        if factor > 2:
            lengths[:, 0] = -np.inf  # no event lasts 0 frames
        score = np.maximum.reduceat(lengths, cuts, axis=1)
        lengths[:, 0] = -np.inf
        for cells in np.flatnonzero((score == -np.inf).any(axis=0)):
            possible = lengths[:, max(0, (cells - 1) * factor + 1) : (cells + 1) * factor]
            forbidden = score[:, cells] == -np.inf
            score[forbidden, cells] = possible.max(axis=1, initial=-np.inf)[forbidden]
        return score, row

    @abstractmethod
    def within(
        self, windows: IntArray, low: int = 0, high: int | None = None, end: int | None = None
    ) -> Potentials:
        """Return the potentials of events low .. high - 1, the last of which ends at `end`.

        Where `low` is not 0, frames are counted from the first one of event `low`; the order of
        times is kept, and scores of what does not change are left out. The caller adds it back.
        """


def source_of(x: Potentials | BaseFunctions, weights: npt.ArrayLike | None) -> Source:
    """Wrap potentials, or base functions and weights.

    Raises
    ------
    ParameterError
        Weights are missing, or there are some for potentials; general scores are present.
    """
    if isinstance(x, Potentials):
        if weights is not None:
            raise ParameterError("weights are for base functions; potentials have theirs.")
        return _OfPotentials(x)
    if weights is None:
        raise ParameterError("weights=None, must be given with base functions.")
    return _OfBaseFunctions(x, np.asarray(weights, dtype=np.float64))


def _no_general() -> ParameterError:
    return ParameterError(
        "decode_coarse_to_fine cannot score general functions, which would have to know where in "
        "the recording they are; use decode with windows."
    )


class _OfPotentials(Source):
    """A table of onset scores that is there as a whole."""

    def __init__(self, potentials: Potentials) -> None:
        if potentials.general:
            raise _no_general()
        self.potentials = potentials
        self.n_events, self.n_frames = potentials.n_events, potentials.n_frames
        self.windows = np.stack((potentials.start, potentials.stop), axis=1)
        self.constant = potentials.constant
        self.shortest, self.longest = potentials.min_length, potentials.max_length
        self.labels = potentials.labels

    def coarse(self, factor: int) -> Cells:
        p = self.potentials
        table = check_values(p, single=True)
        first, last = p.start // factor, np.maximum(p.stop - 1, p.start) // factor
        onset = np.full((self.n_events, int((last - first).max()) + 1), -np.inf)
        for k in range(self.n_events):
            scores = table[k, : p.stop[k] - p.start[k]]
            lead = int(p.start[k] - first[k] * factor)
            cuts = np.maximum(np.arange(last[k] - first[k] + 1) * factor - lead, 0)
            if scores.size:
                onset[k, : cuts.size] = np.maximum.reduceat(scores, cuts)
        return Cells(
            onset,
            np.arange(self.n_events),
            first,
            np.zeros((1, -(-self.n_frames // factor) + 1)),
            np.zeros(self.n_events, dtype=np.intp),
            *self._coarse_lengths(p.duration, p.duration_row, factor),
            first,
            last,
            p.min_length // factor,
            -(-p.max_length // factor),
            self.n_frames // factor,
        )

    def within(
        self, windows: IntArray, low: int = 0, high: int | None = None, end: int | None = None
    ) -> Potentials:
        p = self.potentials
        high = self.n_events if high is None else high
        events = slice(low, high)
        width = int((windows[:, 1] - windows[:, 0]).max(initial=0))
        column = windows[:, :1] - p.start[events, None] + np.arange(width)
        onset = np.take_along_axis(
            np.asarray(p.onset)[events], np.clip(column, 0, max(0, p.onset.shape[1] - 1)), axis=1
        )
        base = int(windows[0, 0]) if low else 0
        return Potentials(
            onset,
            (p.n_frames if end is None else end) - base,
            start=windows[:, 0] - base,
            stop=windows[:, 1] - base,
            duration=p.duration,
            duration_row=None if p.duration_row is None else p.duration_row[events],
            min_length=p.min_length[events],
            max_length=p.max_length[events],
            ratio=_ratio_of(p.ratio, low, high),
            constant=p.constant,
            labels=p.labels[low:high],
        )


def _ratio_of(ratio: FloatArray | None, low: int, high: int) -> FloatArray | None:
    if ratio is None or low == 0:
        return None if ratio is None else ratio[low:high]
    part = ratio[low:high].copy()
    part[:1] = 0.0
    return part


class _OfBaseFunctions(Source):
    """Tables with a row for each symbol: that of K events at T frames is never laid out."""

    def __init__(self, x: BaseFunctions, weights: FloatArray) -> None:
        if weights.shape != (len(x.terms),):
            raise ParameterError(f"{weights.size} weights for {len(x.terms)} base functions.")
        known = (OnsetTerm, SegmentTerm, DurationTerm, RatioTerm)
        for term, weight in zip(x.terms, weights, strict=True):
            if weight != 0.0 and not isinstance(term, known):
                raise _no_general()
        self.x, self.weights = x, weights
        self.n_events, self.n_frames = x.n_events, x.n_frames
        whole = np.tile(np.array([0, x.n_frames], dtype=np.intp), (x.n_events, 1))
        self.windows = whole if x.windows is None else np.asarray(x.windows, dtype=np.intp)
        longest = x.n_frames
        for term in x.terms:
            if isinstance(term, DurationTerm):
                longest = min(longest, term.table.shape[1] - 1)
        self.longest = np.minimum(x.n_frames if x.max_length is None else x.max_length, longest)
        self.longest = np.broadcast_to(self.longest, (x.n_events,))
        one = np.ones(x.n_events, dtype=np.intp)
        self.shortest = one if x.min_length is None else x.min_length
        self.labels = x.labels

    def _sums(
        self, kind: type[Any], width: int, values: Callable[[Any, int], FloatArray]
    ) -> tuple[Iterator[Float64], IntArray]:
        """Return what the terms of a kind score together, and which of these each event has.

        One row [shape=(width,)] for each distinct combination of rows, made as it is asked for:
        `values` returns what a row of one term scores.
        """
        given = zip(self.weights.tolist(), self.x.terms, strict=True)
        parts = [(weight, term) for weight, term in given if isinstance(term, kind) and weight]
        distinct, row = _distinct(parts, self.n_events)

        def total(rows: IntArray) -> Float64:
            out = np.zeros(width)
            for (weight, term), of_term in zip(parts, rows, strict=True):
                if of_term >= 0:
                    out += weight * values(term, of_term)
            return out

        return map(total, distinct), row

    def coarse(self, factor: int) -> Cells:
        n_cells = -(-self.n_frames // factor)
        cuts = np.arange(n_cells) * factor
        middle = np.minimum(np.arange(n_cells + 1) * factor + factor // 2, self.n_frames)
        n_lengths = int(self.longest.max()) + 1
        sums, onset_row = self._sums(OnsetTerm, self.n_frames, lambda term, row: term.table[row])
        onset = np.array([np.maximum.reduceat(frames, cuts) for frames in sums])
        sums, prefix_row = self._sums(
            SegmentTerm,
            n_cells + 1,
            lambda term, row: term.prefix[row, middle] - term.prefix[row, 0],  # of a part, not 0
        )
        prefix = np.array([np.zeros(n_cells + 1), *sums])
        sums, row = self._sums(
            DurationTerm, n_lengths, lambda term, row: term.table[row, :n_lengths]
        )
        table = np.array(list(sums))
        start, stop = self.windows.T
        first = start // factor
        return Cells(
            onset,
            onset_row,
            np.zeros(self.n_events, dtype=np.intp),
            prefix,
            prefix_row + 1,
            *self._coarse_lengths(table, row, factor),
            first,
            np.maximum(stop - 1, start) // factor,
            self.shortest // factor,
            -(-self.longest // factor),
            self.n_frames // factor,
        )

    def within(
        self, windows: IntArray, low: int = 0, high: int | None = None, end: int | None = None
    ) -> Potentials:
        high = self.n_events if high is None else high
        end = self.n_frames if end is None else end
        base = int(windows[0, 0]) if low else 0
        x, longest = self.x, np.minimum(self.longest[low:high], end - base)
        widest = int(longest.max(initial=1))
        part = replace(
            x,
            terms=[part_of(term, low, high, base, end, widest) for term in x.terms],
            n_events=high - low,
            n_frames=end - base,
            max_length=longest,
            min_length=None if x.min_length is None else x.min_length[low:high],
            windows=windows - base,
            labels=x.labels[low:high],
        )
        return part.potentials(self.weights)


def _distinct(parts: list[tuple[float, Any]], n_events: int) -> tuple[IntArray, IntArray]:
    """Distinct combinations of rows, and which of them each event has."""
    if not parts:
        return np.empty((1, 0), dtype=np.intp), np.zeros(n_events, dtype=np.intp)
    rows = np.stack([term.rows for _, term in parts], axis=1)
    distinct, row = np.unique(rows, axis=0, return_inverse=True)
    return distinct, row.reshape(-1).astype(np.intp)


def part_of(
    term: Term, low: int, high: int, base: int, end: int, widest: int | None = None
) -> Term:
    """Cut a base function to some events, frames and lengths; views, nothing is copied."""
    if isinstance(term, OnsetTerm):
        return OnsetTerm(term.table[:, base:end], term.rows[low:high])
    if isinstance(term, SegmentTerm):
        return SegmentTerm(term.prefix[:, base : end + 1], term.rows[low:high])
    if isinstance(term, DurationTerm):
        most = None if widest is None else widest + 1
        return DurationTerm(term.table[:, :most], term.rows[low:high])
    if isinstance(term, RatioTerm):
        gate = term.gate[low:high]
        if low:
            gate = gate.copy()
            gate[:1] = False
        return RatioTerm(term.scale[low:high], gate)
    return term
