"""Memory that each thread keeps from one call to the next.

Fresh memory costs a page fault for every 4 KiB, which for tables that are written once takes
longer than filling them.
"""

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["KEPT", "Workspace", "forget"]

KEPT = 2**25
"""Bytes that a thread keeps at most."""
_ALIGNED = 128  # bytes; vectors never cross the lines of the cache

_Bytes = npt.NDArray[np.uint8]

_local = threading.local()


class Workspace:
    """Arrays out of one block of bytes, one after the other, that nothing else has meanwhile.

    Parameters
    ----------
    n_bytes : int
        Of all arrays that are taken, and 128 more for each of them.
    """

    def __init__(self, n_bytes: int) -> None:
        block: _Bytes | None = _local.__dict__.pop("block", None)
        if block is None or block.size < n_bytes:
            block = None  # given back before more is asked for
            block = np.empty(n_bytes + _ALIGNED, dtype=np.uint8)
            block = block[-block.ctypes.data % _ALIGNED :]
        self._block = block
        self._used = 0

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, *_: object) -> None:
        if self._block.size <= KEPT:
            _local.block = self._block

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
