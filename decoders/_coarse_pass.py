"""The coarse pass of `align.decoders.decode_coarse_to_fine`: semi-Markov decoding of cells.

The kernels are those of `align.decoders._first_order`. The table of onset scores is laid out for a
few events at a time, as the kernels come to them.
"""

import numpy as np

from align._numba import compiled, read_only
from align.decoders._coarse_sources import Cells
from align.decoders._first_order import Tables, backtrack, forward
from align.decoders._rows import Row, best_by_rows, row_offsets
from align.decoders._windows import Windows, tighten_limits
from align.types import Float64, FloatArray, IntArray

_ENOUGH = 2**28  # bytes of rows, unless memory is given
_TABLE = 2**20  # bytes of onset scores laid out at a time, which the second-level cache holds


def coarse_path(cells: Cells, max_memory: int | None) -> IntArray | None:
    """Find the best cell of each onset, never going backwards; None where no path has a score.

    Ties go to the path whose last onset is earliest, then the one before it, and so on.
    """
    windows, fault = tighten_limits(
        cells.first, cells.last + 1, cells.shortest, cells.longest, cells.n_cells
    )
    if fault >= 0:
        return None
    offset = row_offsets(windows.first, windows.last)
    found = np.empty(cells.onset_row.size, dtype=np.intp)
    widest = int(np.diff(offset).max())
    several = max(1, _TABLE // (8 * widest))

    def fill(low: int, high: int, best: Row) -> None:
        base = int(offset[max(low - 1, 0)])
        for begin in range(low, high, several):
            end = min(high, begin + several)
            first = max(begin - 1, 0)  # whose row is there
            part = Windows(
                windows.first[first : end + 1],
                windows.last[first : end + 1],
                windows.shortest[first:end],
                windows.longest[first:end],
            )
            table = np.empty((end - first, widest))
            own = slice(first, end)
            _onset_rows(
                cells.onset,
                cells.onset_row[own],
                cells.shift[own],
                cells.prefix,
                cells.prefix_row[own],
                part,
                begin - first,
                table,
            )
            rows = cells.duration_row[first:end], False, offset[first : end + 1] - offset[first]
            tables = Tables(read_only(table), part.first, part, cells.duration, *rows)
            here = best[offset[first] - base : offset[end] - base]
            forward(tables, begin - first, end - first, here)

    nothing = read_only(np.empty((0, 0)))  # the way back reads lengths and rows, no onset scores
    rows = cells.duration_row, False, offset
    whole = Tables(nothing, windows.first, windows, cells.duration, *rows)

    def trace(low: int, high: int, end: int, best: Row) -> tuple[float, int]:
        return backtrack(whole, low, high, end, best, found)

    budget = max(_ENOUGH if max_memory is None else max_memory, _least(offset))
    score = best_by_rows(offset, cells.n_cells, fill, trace, budget)
    return None if score == -np.inf else found


@compiled()
def _onset_rows(
    onset: FloatArray,
    onset_row: IntArray,
    shift: IntArray,
    prefix: Float64,
    prefix_row: IntArray,
    windows: Windows,
    begin: int,
    out: Float64,
) -> None:
    """Fill the onset scores of events from `begin` on, scores of frames included.

    Each row begins with the first cell of its event. Nothing precedes event 0.
    """
    for k in range(begin, len(onset_row)):
        # no index that may be negative, which is looked at each time: so these are vector loops
        first, stop = windows.first[k], windows.last[k] + 1
        scores = onset[onset_row[k], first - shift[k] : stop - shift[k]]
        own = prefix[prefix_row[k], first:stop]
        row = out[k]
        if k:
            before = prefix[prefix_row[k - 1], first:stop]
            for i in range(stop - first):
                row[i] = scores[i] - own[i] + before[i]
        else:
            for i in range(stop - first):
                row[i] = scores[i] - own[i]


def _least(offset: IntArray) -> int:
    """Bytes of rows that checkpoints need."""
    return int(8 * np.diff(offset).max() * (2 * np.sqrt(offset.size) + 4))
