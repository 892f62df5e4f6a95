"""The time map between score and recording, and how fast the score goes by.

Both are functions of the chords: when each stands in the score, and when it is played.
"""

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import Float64

_ENDS = 6  # chords whose tempo continues the time map beyond its ends


def mapped(values: npt.ArrayLike, x: Float64, y: Float64) -> Float64:
    """Return times on the other side of the map that takes chords at `x` to `y`.

    It is linear between chords, and beyond either end has the slope of the nearest `_ENDS` chords.
    All are seconds; `values` are of any shape, and those of the chords [shape=(G,)] increase
    strictly.
    """
    v = np.asarray(values, dtype=np.float64)
    if x.size == 0:
        return v.copy()
    if x.size == 1:
        shifted: Float64 = v - x[0] + y[0]
        return shifted
    k = min(_ENDS, x.size - 1)
    out = np.interp(v, x, y)
    before, after = (y[k] - y[0]) / (x[k] - x[0]), (y[-1] - y[-1 - k]) / (x[-1] - x[-1 - k])
    out = np.where(v < x[0], y[0] + (v - x[0]) * before, out)
    return np.where(v > x[-1], y[-1] + (v - x[-1]) * after, out)


def tempo_curve(played: Float64, scored: Float64, window: float) -> Float64:
    """Return the relative tempo at each chord [shape=(G,)]; see `align.MusicAlignment.tempo`."""
    if not 0 <= window < np.inf:
        raise ParameterError(f"window={window} s, must not be negative.")
    x, y, n = played, scored, played.size
    if n < 2:
        return np.full(n, np.nan)
    if window == 0:
        ratio = np.diff(y) / np.diff(x)
        return np.append(ratio, ratio[-1])
    at = np.arange(n)
    first = np.minimum(np.searchsorted(x, x - window), np.maximum(at - 1, 0))
    last = np.maximum(np.searchsorted(x, x + window, "right"), np.minimum(at + 2, n))
    relative = np.empty(n)
    for k in range(n):
        u = x[first[k] : last[k]] - x[k]
        u -= u.mean()
        relative[k] = u @ y[first[k] : last[k]] / (u @ u)
    return relative
