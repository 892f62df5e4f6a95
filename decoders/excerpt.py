"""The stretch of a long sequence that a recording has: where it begins among the events, and ends.

Of a book one chapter was read. A recording is given as cells of time, with the score of each label
in each; the events of the sequence follow one another in the cells, from any event on up to any
later one, and cells before and after that no event explains score what anything else does. The
best such path is found in one pass over the cells that keeps, for each event, the best sum of a
path that is there, and where that path began:

========================  =========================================================
it was there              ``sum[k]`` of the cell before
it comes from the last    ``sum[k - 1]``, or from one or two further back, where those
                          between are passed over at a price (short phones, pauses)
it begins here            the sum of what anything else scores before
========================  =========================================================

So memory grows with the events alone, and time with events times cells.
"""

from typing import NamedTuple

import numpy as np

from align._numba import compiled
from align.errors import ParameterError
from align.types import BoolArray, Float64, FloatArray, IntArray


class Excerpt(NamedTuple):
    """Events ``first .. stop - 1`` in cells ``begin .. end - 1``, and what all cells score.

    `first` and `stop`, `begin` and `end` are equal where nothing of the sequence scores better
    than anything else.
    """

    first: int
    stop: int
    begin: int
    end: int
    score: float


def best_excerpt(
    table: FloatArray,
    rows: IntArray,
    other: FloatArray,
    passing: FloatArray,
    begins: BoolArray,
    ends: BoolArray,
) -> Excerpt:
    """Return the stretch of a sequence that explains the cells of a recording best.

    `table` [shape=(S, C)] has the score of each label in each cell, `rows` [shape=(K,)] the label
    of each event of the sequence, and `other` [shape=(C,)] what anything else scores in each cell,
    before the stretch and after it. To pass over an event within the stretch costs `passing`
    [shape=(K,)]; at most two are in succession. A stretch begins with one of `begins`, and ends
    with one of `ends` [shape=(K,)]. Raises ParameterError where the arrays do not belong together.

    Examples
    --------
    >>> table = np.log([[0.8, 0.1, 0.1, 0.2], [0.1, 0.8, 0.1, 0.3], [0.1, 0.1, 0.8, 0.1]])
    >>> every = np.ones(5, dtype=bool)
    >>> best_excerpt(
    ...     table, np.array([2, 0, 1, 2, 1]), np.full(4, -1.0), np.full(5, 9.0), every, every
    ... )[:4]
    (1, 4, 0, 3)
    """
    n_events, n_cells = len(rows), table.shape[1]
    sizes = {len(passing), len(begins), len(ends)}
    if sizes != {n_events} or len(other) != n_cells:
        raise ParameterError(
            f"rows, passing, begins, ends and other have {n_events}, {len(passing)}, "
            f"{len(begins)}, {len(ends)} and {len(other)} entries; the first four must have one "
            f"for each event, the last one for each of {n_cells} cells."
        )
    if n_events and not 0 <= int(rows.min()) <= int(rows.max()) < len(table):
        raise ParameterError(f"rows must be those of a table of {len(table)}.")
    before = np.append(0.0, np.cumsum(other, dtype=np.float64))
    return _search(
        np.ascontiguousarray(table.T, dtype=np.float64),
        np.ascontiguousarray(rows, dtype=np.intp),
        before,
        np.ascontiguousarray(passing, dtype=np.float64),
        np.ascontiguousarray(begins),
        np.ascontiguousarray(ends),
    )


@compiled()
def _search(
    table: Float64,
    rows: IntArray,
    before: Float64,
    passing: Float64,
    begins: BoolArray,
    ends: BoolArray,
) -> Excerpt:
    """Return the best stretch; `before` [shape=(C + 1,)] sums what anything else scores."""
    n_cells, n_events = table.shape[0], len(rows)
    # what a path has gathered that is at an event in the last cell, and where it began
    sums = np.full(n_events, -np.inf)
    first = np.zeros(n_events, dtype=np.int64)
    begin = np.zeros(n_events, dtype=np.int64)
    best = Excerpt(0, 0, 0, 0, float(before[n_cells]))
    for c in range(n_cells):
        rest = before[n_cells] - before[c + 1]
        # from the last event to the first, so that those in front are still of the cell before
        for k in range(n_events - 1, -1, -1):
            score, source = sums[k], k
            price = 0.0
            for back in range(1, min(k, 3) + 1):
                if back > 1:
                    price += passing[k - back + 1]
                if sums[k - back] - price > score:
                    score, source = sums[k - back] - price, k - back
            if begins[k] and before[c] > score:
                score = before[c]
                first[k], begin[k] = k, c
            elif source != k:
                first[k], begin[k] = first[source], begin[source]
            sums[k] = score + table[c, rows[k]]
            if ends[k] and sums[k] + rest > best.score:
                best = Excerpt(first[k], k + 1, begin[k], c + 1, float(sums[k] + rest))
    return best
