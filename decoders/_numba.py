"""How this package compiles its kernels."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

__all__ = ["compiled"]

_F = TypeVar("_F", bound=Callable[..., Any])
# of all that a kernel may be compiled from: others that it calls, and tables of numbers
_STAMP = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
).digest()


def compiled(**options: Any) -> Callable[[_F], _F]:
    """Compile a kernel that releases the GIL and, where a folder can be written, is cached.

    Parameters
    ----------
    **options
        Further options of `numba.njit`.

    Returns
    -------
    callable
        A decorator. With ``NUMBA_DISABLE_JIT=1`` it returns the plain Python function.

    Notes
    -----
    numba looks for a folder for its cache when it decorates, and refuses where neither the
    installed tree nor the user's home can be written; the kernel is then compiled anew in each
    process. A cached kernel is used as long as no file of this package has changed: numba itself
    looks at the file of the kernel only, and would go on with what others held before.
    """

    def decorate(function: _F) -> _F:
        try:
            kernel: _F = numba.njit(nogil=True, cache=True, **options)(function)
        except (RuntimeError, OSError) as error:
            if isinstance(error, RuntimeError) and "cannot cache" not in str(error):
                raise
            kernel = numba.njit(nogil=True, **options)(function)
        cached = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
        if cached is not None:
            cached._source_stamp = (cached._source_stamp, _STAMP)
        return kernel

    return decorate
