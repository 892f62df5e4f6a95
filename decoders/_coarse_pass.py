"""The coarse pass of `align.decoders.decode_coarse_to_fine`: semi-Markov decoding of cells.

The kernels are those of `align.decoders.decode_semi_markov`. The table of onset scores is laid out
for a few events at a time, as the kernels come to them.
"""

import numpy as np
import numpy.typing as npt

from align.decoders._coarse_sources import Cells
from align.decoders._rows import best_by_rows, row_offsets
from align.decoders._windows import Windows
from align.decoders.semi_markov import _backtrack, _forward
from align.types import IntArray

__all__ = ["coarse_path"]

_ENOUGH = 2**28  # bytes of rows, unless memory is given
_TABLE = 2**25  # bytes of onset scores laid out at a time


def coarse_path(cells: Cells, max_memory: int | None) -> IntArray | None:
    """Find the best cell of each onset, never going backwards; None where no path has a score.

    Ties go to the path whose last onset is earliest, then the one before it, and so on.
    """
    windows = _tightened(cells)
    if (windows.first > windows.last).any():
        return None
    offset = row_offsets(windows.first, windows.last)
    found = np.empty(cells.onset_row.size, dtype=np.intp)
    widest = int(np.diff(offset).max())
    several = max(1, _TABLE // (8 * widest))

    def forward(low: int, high: int, best: npt.NDArray[np.float64]) -> None:
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
            for k in range(begin, end):
                _onset_row(cells, k, windows, table[k - first])
            _forward(
                table,
                part.first,
                part,
                cells.duration,
                cells.duration_row[first:end],
                offset[first : end + 1] - offset[first],
                begin - first,
                end - first,
                best[offset[first] - base : offset[end] - base],
            )

    def backtrack(
        low: int, high: int, after: int, best: npt.NDArray[np.float64]
    ) -> tuple[float, int]:
        rows = cells.duration, cells.duration_row
        score, at = _backtrack(windows, *rows, offset, low, high, after, best, found)
        return float(score), int(at)

    budget = max(_ENOUGH if max_memory is None else max_memory, _least(offset))
    score = best_by_rows(offset, cells.n_cells, forward, backtrack, budget)
    return None if score == -np.inf else found


def _onset_row(cells: Cells, k: int, windows: Windows, out: npt.NDArray[np.float64]) -> None:
    """Fill the onset scores of event `k`, scores of frames included, from its first cell on."""
    first, last = int(windows.first[k]), int(windows.last[k])
    n, column = last - first + 1, first - int(cells.shift[k])
    mine = cells.prefix[cells.prefix_row[k], first : last + 1]
    np.subtract(cells.onset[cells.onset_row[k], column : column + n], mine, out=out[:n])
    if k:
        out[:n] += cells.prefix[cells.prefix_row[k - 1], first : last + 1]


def _tightened(cells: Cells) -> Windows:
    """Return the cells each onset can take, all lengths considered; first > last where none."""
    least = np.concatenate(([0], np.cumsum(cells.shortest)))
    most = np.concatenate(([0], np.cumsum(cells.longest)))
    first = np.append(cells.first, cells.n_cells)
    last = np.append(cells.last, cells.n_cells)
    first = np.maximum.accumulate(first - least) + least
    last = np.minimum.accumulate(last - most) + most
    first = np.maximum.accumulate((first - most)[::-1])[::-1] + most
    last = np.minimum.accumulate((last - least)[::-1])[::-1] + least
    return Windows(
        first.astype(np.intp),
        last.astype(np.intp),
        np.maximum(cells.shortest, first[1:] - last[:-1]).astype(np.intp),
        np.minimum(cells.longest, last[1:] - first[:-1]).astype(np.intp),
    )


def _least(offset: IntArray) -> int:
    """Bytes of rows that checkpoints need."""
    return int(8 * np.diff(offset).max() * (2 * np.sqrt(offset.size) + 4))
