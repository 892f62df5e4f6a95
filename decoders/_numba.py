"""How this package compiles its kernels."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

__all__ = ["compiled"]

_F = TypeVar("_F", bound=Callable[..., Any])


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
    process.
    """

    def decorate(function: _F) -> _F:
        try:
            kernel: _F = numba.njit(nogil=True, cache=True, **options)(function)
        except (RuntimeError, OSError) as error:
            if isinstance(error, RuntimeError) and "cannot cache" not in str(error):
                raise
            kernel = numba.njit(nogil=True, **options)(function)
        return kernel

    return decorate
