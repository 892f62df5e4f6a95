"""Memory that each thread keeps from one call to the next.

Fresh memory costs a page fault for every 4 KiB, which for tables that are written once takes
longer than filling them.
"""

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Workspace", "forget"]

_KEPT = 2**25  # bytes that a thread keeps at most
_ALIGNED = 128  # bytes; vectors never cross the lines of the cache

_local = threading.local()


class Workspace:
    """Arrays out of one block of bytes.

    Parameters
    ----------
    n_bytes : int
        Of all arrays, and 128 more for each of them.

    Notes
    -----
    What is in the arrays is not kept: the next workspace of the thread begins with the same bytes.
    """

    def __init__(self, n_bytes: int) -> None:
        block: npt.NDArray[np.uint8] | None = getattr(_local, "block", None)
        if block is None or block.size < n_bytes + _ALIGNED:
            block = np.empty(n_bytes + _ALIGNED, dtype=np.uint8)
            if n_bytes <= _KEPT:
                _local.block = block
        self._block = block
        self._used = -block.ctypes.data % _ALIGNED

    def take(self, size: int, dtype: Any) -> npt.NDArray[Any]:
        """Return an array of `size` items, filled with anything."""
        n_bytes = size * np.dtype(dtype).itemsize
        if self._used + n_bytes > self._block.size:
            raise MemoryError("the workspace is used up")
        array: npt.NDArray[Any] = self._block[self._used : self._used + n_bytes].view(dtype)
        self._used += -(-n_bytes // _ALIGNED) * _ALIGNED
        return array


def forget() -> None:
    """Give back what this thread keeps."""
    _local.__dict__.clear()
