"""What a layer of a network does beside its matrix products, each in one pass through memory.

Arrays are of B sequences of L frames each with C channels. numpy would go through memory once for
each of the operations that are here in one loop, which takes half as long as the products. Sums
are added in the order of frames, so that the bytes are those of numpy's.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.types import BoolArray


@compiled()
def beside(
    x: npt.NDArray[Any], mask: npt.NDArray[Any], dilation: int, out: npt.NDArray[Any]
) -> None:
    """Lay frames `dilation` apart side by side, into `out` [shape=(B, L, taps * C)].

    `x` and `mask` [shape=(B, L, C)] are multiplied; an empty mask is none. Frames beyond either
    end of a sequence are 0.
    """
    batch, length, channels = x.shape
    taps = out.shape[2] // channels
    for b in range(batch):
        for t in range(length):
            for tap in range(taps):
                at, first = t + (tap - taps // 2) * dilation, tap * channels
                if at < 0 or at >= length:
                    for c in range(channels):
                        out[b, t, first + c] = 0.0
                elif mask.size:
                    for c in range(channels):
                        out[b, t, first + c] = x[b, at, c] * mask[b, at, c]
                else:
                    for c in range(channels):
                        out[b, t, first + c] = x[b, at, c]


@compiled()
def add_rectified(
    h: npt.NDArray[Any], z: npt.NDArray[Any], bias: npt.NDArray[Any], on: BoolArray
) -> None:
    """Add what is positive of ``z + bias`` to `h` [shape=(B * L, C)]; `on` says where that is."""
    for row in range(h.shape[0]):
        for c in range(h.shape[1]):
            value = z[row, c] + bias[c]
            on[row, c] = value > 0.0
            h[row, c] += max(value, value * 0.0)


@compiled()
def slopes_where(
    slope: npt.NDArray[Any],
    on: BoolArray,
    out: npt.NDArray[Any],
    total: npt.NDArray[Any],
) -> None:
    """Write slopes [shape=(B * L, C)] into `out`, 0 where not `on`; `total` are their sums."""
    total[:] = 0.0
    for row in range(slope.shape[0]):
        for c in range(slope.shape[1]):
            value = slope[row, c] * on[row, c]
            out[row, c] = value
            total[c] += value


@compiled()
def add_back(
    taps: npt.NDArray[Any], mask: npt.NDArray[Any], dilation: int, slope: npt.NDArray[Any]
) -> None:
    """Add to slopes [shape=(B, L, C)] those of the three taps of `beside`."""
    batch, length, channels = slope.shape
    own = np.empty(channels, dtype=slope.dtype)
    for b in range(batch):
        for t in range(length):
            for c in range(channels):
                own[c] = taps[b, t, channels + c]
            if t + dilation < length:
                for c in range(channels):
                    own[c] += taps[b, t + dilation, c]
            if t >= dilation:
                for c in range(channels):
                    own[c] += taps[b, t - dilation, 2 * channels + c]
            if mask.size:
                for c in range(channels):
                    slope[b, t, c] += own[c] * mask[b, t, c]
            else:
                for c in range(channels):
                    slope[b, t, c] += own[c]
