"""Processes that work for this one end with it.

A worker of joblib that has lost the process it works for waits for ever, with all its memory, for
somebody to read its result.
"""

import os
import threading
import time
from functools import cache

_CHECK = 1.0  # seconds between looks at the parent


def end_with(parent: int) -> None:
    """Let this process end as soon as it is no longer a child of the process `parent`."""
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


@cache
def end_with_parent() -> None:
    """Let this process end with its parent, if it is a worker of joblib."""
    from multiprocessing import current_process  # here, as it takes a while to import

    if current_process().name.startswith("LokyProcess"):
        end_with(os.getppid())


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK)
    os._exit(1)
