"""Results that do not depend on how many threads multiply matrices.

BLAS, to which numpy and scipy hand their matrix products, splits large ones among the cores of the
machine. A sum that is split is rounded in another order, and the last digits of the result change
with the number of threads; joblib gives its processes fewer threads than the main process has. So
the same training would end in another model with two processes than with one, and a training that
is resumed on another machine in another than one that was not interrupted.

Whatever learns or aligns therefore runs within `one_thread`: the outermost function of an aligner,
each function that is sent to another process, and networks, also where they are used alone. The
products are small; more threads gain little, and many recordings are better spread over processes.

What is not promised: the same digits on another processor, or with another build of BLAS, whose
kernels add in another order. Apple's Accelerate takes no limit (its threads cannot be set).
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from align._workers import end_with_parent


class _Limit:
    """The limit of this process: who is within it, and the numbers of threads to go back to.

    The number of threads of a BLAS belongs to the process, so only the last thread that leaves
    may put it back. That of OpenMP, which some builds of BLAS use, belongs to each thread.
    threadpoolctl's own `threadpool_limits` is not enough: of several threads it obeys the first,
    and that one puts the number back when it leaves, while others are still inside.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._own = threading.local()
        self._libraries: list[Any] = []
        self._n_modules = -1
        self._n_inside = 0
        self._before: dict[str, tuple[Any, int]] = {}

    def enter(self) -> None:
        with self._lock:
            own = self._own.__dict__
            own["depth"] = own.get("depth", 0) + 1
            self._n_inside += own["depth"] == 1
            for library in self._found():
                of_thread = "openmp" in (library.user_api, getattr(library, "threading_layer", ""))
                before = own.setdefault("before", {}) if of_thread else self._before
                n_threads = library.get_num_threads()
                before.setdefault(library.filepath, (library, n_threads))
                if n_threads != 1:  # as it mostly is inside: setting it takes longer than asking
                    _set(library, 1)

    def leave(self) -> None:
        with self._lock:
            own = self._own.__dict__
            own["depth"] -= 1
            if own["depth"]:
                return
            self._n_inside -= 1
            _put_back(own.get("before", {}))
            if not self._n_inside:
                _put_back(self._before)

    def _found(self) -> list[Any]:
        """Return the libraries that are loaded: numpy's BLAS, and scipy's own, when it comes.

        Looking for them takes a millisecond, so this waits until a module has been imported.
        """
        if len(sys.modules) != self._n_modules:
            from threadpoolctl import ThreadpoolController

            self._libraries = ThreadpoolController().lib_controllers
            self._n_modules = len(sys.modules)
        return self._libraries


def _put_back(before: dict[str, tuple[Any, int]]) -> None:
    for library, n_threads in before.values():
        _set(library, n_threads)
    before.clear()


def _set(library: Any, n_threads: int) -> None:
    """Set a number of threads, whichever thread has set one before, and let others do so."""
    release = getattr(library, "clear_controlling_thread", lambda force: None)
    release(force=True)
    library.set_num_threads(n_threads)
    release(force=True)


_LIMIT = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """Run the body, or the function it decorates, with one thread in each BLAS library.

    It may be nested, and entered by several threads at once; the numbers of threads of before are
    back when the last has left. A library that is loaded inside is limited when `one_thread` is
    entered the next time. A process of joblib that comes here ends with the one it works for.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     product = np.ones((2, 2)) @ np.ones((2, 2))
    """
    end_with_parent()
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()
