"""Examples that are dicts: names of features to columns, and rounds with a row of few entries.

A row lies in buffers that are used again: what a round costs follows the entries of the dict, and
neither the number of features nor that of the examples before it.
"""

import math
import struct
from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import murmurhash3_32

from align._numba import compiled
from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.flat._linear_pass import play
from align.learners.flat._linear_scores import TILE
from align.learners.flat._round import ball_scale
from align.types import Float64

WORK = 3  # numbers of the work space that say which row is played

_MOST_CACHED = 2**20  # hashes that are kept, so that memory does not grow with the stream


class GrowingNames(dict[Hashable, int]):
    """Columns in the order in which names turn up; looking a name up gives it one."""

    def __missing__(self, name: Hashable) -> int:
        column = len(self)
        self[name] = column
        return column


class HashedNames(dict[Hashable, int]):
    """Columns and signs of names as scikit-learn's `FeatureHasher` has them.

    The column of a name whose sign is -1 is given as ``~column``.
    """

    def __init__(self, n_features: int) -> None:
        super().__init__()
        self.n_features = n_features

    def __missing__(self, name: Hashable) -> int:
        number = int(murmurhash3_32(str(name), seed=0))
        column = abs(number) % self.n_features
        place = column if number >= 0 else ~column
        if len(self) >= _MOST_CACHED:
            self.clear()
        self[name] = place
        return place


@lru_cache(maxsize=4096)
def _packer(n: int) -> Any:
    """Return what writes n numbers and n columns to memory, for few entries quicker than NumPy."""
    return struct.Struct(f"{n}d{n}i").pack_into


class RowBuffer:
    """A row of few entries, in memory that is used again.

    Its n values come first and then its columns, with 32 bits each.
    """

    def __init__(self) -> None:
        self._resize(64)

    def _resize(self, size: int) -> None:
        self.memory = np.zeros(size + size // 2)
        self.size = size

    def entries(self, n: int) -> tuple[Float64, npt.NDArray[np.int32]]:
        """Return columns of n entries made signless, their values signed by them; copies."""
        values, places = self.memory[:n], self.memory[n:].view(np.int32)[:n]
        return np.where(places < 0, -values, values), np.where(places < 0, ~places, places)

    def fill(self, x: Mapping[Any, Any], names: Any, all_known: bool = True) -> int:
        """Write the entries of a dict; return their number.

        Unless all are known, a name that `names` gives None for is left out. A string is a
        category: ``{"a": "b"}`` stands for ``{"a=b": 1}``. Nothing is named unless all values are
        finite numbers.
        """
        try:
            clean = math.isfinite(sum(x.values()))
        except (AttributeError, OverflowError, TypeError):
            clean = False
        if not clean:
            x = _checked(x)
        found: Any = x.values()
        places: Any = map(names, x)
        if not all_known:
            places = list(places)
            if None in places:
                found = [v for v, place in zip(found, places, strict=True) if place is not None]
                places = [place for place in places if place is not None]
        n = len(found)
        if n > self.size:
            self._resize(2 * n)
        _packer(n)(self.memory, 0, *found, *places)
        return n


def _checked(x: Any) -> dict[Hashable, float]:
    """Return the numbers of a dict, categories as names of their own; refuse what is neither."""
    if not isinstance(x, Mapping):
        raise ParameterError(
            f"x is of type {type(x).__name__}, must be a dict of names of features and numbers."
        )
    found: dict[Hashable, float] = {}
    for name, value in x.items():
        if isinstance(value, str):
            name, value = f"{name}={value}", 1.0
        try:
            number = float(value)
        except (OverflowError, TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ParameterError(
                f"x[{name!r}]={value!r}, must be a finite number, or a string for a category."
            )
        found[name] = found.get(name, 0.0) + number  # a category may be named as a feature is
    return found


@compiled(error_model="numpy")
def _tidy(values: Any, columns: Any, n: int) -> int:
    """Sort the entries by column, add up those of one column, and drop zeros; return how many.

    That is the canonical CSR row without zeros, whose sums are then made in the same order. The
    sign of a hashed name is that of its column.
    """
    for i in range(n):
        if columns[i] < 0:
            columns[i], values[i] = ~columns[i], -values[i]
    ordered = True
    for i in range(1, n):
        if columns[i] <= columns[i - 1]:
            ordered = False
            break
    if not ordered:
        # A merge of equal columns must not depend on the way of sorting: both keep their order.
        if n > 48:
            order = np.argsort(columns[:n], kind="mergesort")
            moved, places = values[:n].copy(), columns[:n].copy()
            for i in range(n):
                values[i], columns[i] = moved[order[i]], places[order[i]]
        else:
            for i in range(1, n):
                column, value = columns[i], values[i]
                j = i
                while j > 0 and columns[j - 1] > column:
                    columns[j], values[j] = columns[j - 1], values[j - 1]
                    j -= 1
                columns[j], values[j] = column, value
    kept = 0
    i = 0
    while i < n:
        column, total = columns[i], values[i]
        i += 1
        while i < n and columns[i] == column:
            total += values[i]
            i += 1
        if total != 0.0:
            columns[kept], values[kept] = column, total
            kept += 1
    return kept


@compiled(error_model="numpy")
def play_row(
    row: Any, n: int, code: float, W: Any, late: Any, rule: Any, flags: Any, counts: Any,
    sums: Any, work: Any, log: Any,
) -> bool:  # fmt: skip
    """Play the round of one row; return whether the state is still finite.

    Each array that is handed over costs a good part of what a short row does, so what `play` wants
    for a chunk of one row is laid out in `work`.

    Parameters
    ----------
    row : array [shape=(1.5 n or more,)]
        The memory of a `RowBuffer`, which is put in order.
    code : float
        Number, sign, or code of the class.
    W, late, rule, flags, counts, sums, log
        As in `align.learners.flat._linear_pass.play`.
    work : array [shape=(WORK + d + BLOCK k + TILE or more,)]
        Work space.
    """
    values, columns = row[:n], row[n:].view(np.int32)
    n = _tidy(values, columns, n)
    flags[core.BY_FEATURE] = flags[core.STOP] = 0
    ends, order, y = work[:1].view(np.int32), work[1:2].view(np.int64), work[2:WORK]
    ends[0], ends[1], order[0], y[0] = 0, n, 0, code
    none = work[:0]
    relevant, tiles = none.view(np.bool_).reshape(0, 1), none.reshape(0, 0, TILE)
    play(
        values, columns, ends, y, relevant, none, order, W, tiles, late, rule, flags, counts,
        sums, work[WORK:], log,
    )  # fmt: skip
    return bool(math.isfinite(sums[core.SQUARE] + sums[core.LOSS]))


@compiled(error_model="numpy")
def score_row(
    row: Any, n: int, W: Any, late: Any, rule: Any, flags: Any, counts: Any, sums: Any,
    scores: Any,
) -> None:  # fmt: skip
    """Write the scores of one row.

    The weights are W times the scale; or the mean of those so far, which the late steps give entry
    by entry.
    """
    d, bias, rounds, prefix = flags[core.FEATURES], rule[core.BIAS], counts[0], sums[core.PREFIX]
    scale = ball_scale(sums[core.C], sums[core.SQUARE], rule[core.BOUND])
    values, columns = row[:n], row[n:].view(np.int32)
    n = _tidy(values, columns, n)
    for r in range(W.shape[0]):
        total = bias * W[r, d]
        for j in range(n):
            total += values[j] * W[r, columns[j]]
        if flags[core.AVERAGE] != 0 and rounds > 0:
            behind = bias * late[r, d]
            for j in range(n):
                behind += values[j] * late[r, columns[j]]
            scores[r] = (prefix * total - behind) / rounds
        else:
            scores[r] = scale * total
