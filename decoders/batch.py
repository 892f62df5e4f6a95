"""Decoding of many recordings at once, in threads.

Kernels release Python's global lock, so threads decode side by side without copying potentials to
other processes. Each recording is decoded by one thread, as `decode` does it, so results do not
depend on the number of threads.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from align.decoders.dispatch import decode
from align.errors import ParameterError
from align.potentials import Path, Potentials


def decode_batch(
    potentials: Sequence[Potentials],
    *,
    n_threads: int | None = None,
    max_memory: int | None = None,
) -> list[Path]:
    """Find the onsets of highest score of each of many recordings.

    Parameters
    ----------
    potentials : sequence of Potentials
        Of each recording.
    n_threads : int, optional
        Threads that decode side by side; by default one for each processor this process may use.
    max_memory : int, optional
        Most bytes of arrays to allocate beside the potentials, for all threads together: each
        recording gets an equal share of it.

    Returns
    -------
    list of Path
        As `decode` returns them, in the order of `potentials`.

    Raises
    ------
    ParameterError
        What `decode` raises for the first recording that cannot be decoded, with its place in a
        note; or `n_threads` is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> tables = [np.eye(2, 3), np.eye(2, 3, 1)]
    >>> decode_batch([Potentials(table, n_frames=3) for table in tables], n_threads=2)
    [Path(onsets=array([0, 1]), score=2.0), Path(onsets=array([1, 2]), score=2.0)]
    """
    if n_threads is None:
        n_threads = _n_processors()
    if n_threads < 1:
        raise ParameterError(f"n_threads={n_threads}, must be at least 1.")
    n_threads = max(1, min(n_threads, len(potentials)))
    share = None if max_memory is None else max_memory // n_threads

    def one(place: int) -> Path:
        try:
            return decode(potentials[place], max_memory=share)
        except ParameterError as error:
            error.add_note(f"This is item {place} of the batch, counted from 0.")
            raise

    if n_threads == 1:
        return [one(place) for place in range(len(potentials))]
    with ThreadPoolExecutor(n_threads) as pool:
        jobs = [pool.submit(one, place) for place in range(len(potentials))]
        try:
            return [job.result() for job in jobs]
        except BaseException:
            for job in jobs:
                job.cancel()
            raise


def _n_processors() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
