"""Least processor times of calls, for benchmarks."""

import time

__all__ = ["least"]


def least(*calls, repeats=5):
    """Return the least seconds of each call, taken in turns: all see the same load."""
    for call in calls:
        call()
    found = [float("inf")] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            begin = time.thread_time()
            call()
            found[i] = min(found[i], time.thread_time() - begin)
    return found
