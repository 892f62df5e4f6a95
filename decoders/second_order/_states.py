"""States of the recursion: an onset of event k and the length that follows it.

State ``(t, d)`` of event k says that it begins at frame t and lasts d frames, so it ends at frame
``e = t + d``. The states of one event are a table [end ``first[k + 1] .. last[k + 1]``, length
``shortest[k] .. longest[k]``], so that the states from which an onset at frame e can go on lie
side by side. Places whose onset is outside its window hold anything and are not read.
"""

from typing import NamedTuple

import numpy as np

from align._numba import read_only
from align.decoders._windows import Windows, check_values, length_table, tighten
from align.potentials import Potentials
from align.types import Float64, FloatArray, IntArray


class Problem(NamedTuple):
    """What the kernels of the envelopes read.

    Attributes
    ----------
    onset : np.ndarray [shape=(K, W), dtype=float64]
        Scores of onsets, from frame ``start[k]`` on.
    start : np.ndarray [shape=(K,), dtype=intp]
    windows : Windows
        Frames and lengths to search.
    own : np.ndarray [shape=(K, L), dtype=float64]
    cross : np.ndarray [shape=(K,), dtype=float64]
        Scores of lengths and of their products, see `length_scores`.
    offset : np.ndarray [shape=(K + 1,), dtype=intp]
        Where the states of each event begin if all are laid out one after the other.
    """

    onset: FloatArray
    start: IntArray
    windows: Windows
    own: Float64
    cross: Float64
    offset: IntArray


def problem_of(potentials: Potentials) -> Problem:
    """Check potentials with at least one event, and lay them out for the envelopes."""
    return laid_out(potentials, check_values(potentials), tighten(potentials))


def laid_out(potentials: Potentials, onset: FloatArray, windows: Windows) -> Problem:
    """Lay potentials out; `onset` is as `check_values` returns it."""
    own, cross = length_scores(potentials, windows)
    return Problem(read_only(onset), potentials.start, windows, own, cross, state_offsets(windows))


def length_scores(potentials: Potentials, windows: Windows) -> tuple[Float64, Float64]:
    """Fold all scores of one length into a table; return it and the cross coefficients.

    `own` [shape=(K, L)] holds the score of event k lasting ``shortest[k] + i`` frames: its
    duration score, its part of its own ratio term and its part of the next event's; -inf beyond
    its longest length. `cross` [shape=(K,)] holds the coefficient of ``d_{k-1} d_k``.
    """
    n_events = potentials.n_events
    n_lengths = windows.longest - windows.shortest + 1
    length = windows.shortest[:, None] + np.arange(int(n_lengths.max()))
    valid = length <= windows.longest[:, None]
    duration, row = length_table(potentials, windows.longest)
    own = duration[row[:, None], np.minimum(length, duration.shape[1] - 1)]
    cross = np.zeros(n_events)
    if potentials.ratio is not None:
        square = potentials.ratio[:, 0].astype(np.float64)
        square[:-1] += potentials.ratio[1:, 1]
        own += square[:, None] * length.astype(np.float64) ** 2
        cross[:] = potentials.ratio[:, 2]
        cross[np.abs(cross) < np.finfo(np.float64).tiny] = 0.0  # kernels divide by it
    own[~valid] = -np.inf
    return own, cross


def state_offsets(windows: Windows) -> IntArray:
    """Return where the states of each event begin, all one after the other [shape=(K + 1,)]."""
    n_ends = windows.last[1:] - windows.first[1:] + 1
    n_states = n_ends * (windows.longest - windows.shortest + 1)
    return np.concatenate(([0], np.cumsum(n_states))).astype(np.intp)


def pointer_dtype(windows: Windows) -> np.dtype[np.unsignedinteger]:
    """Return the smallest type that counts the lengths any onset can follow."""
    n_lengths = np.minimum(
        windows.longest - windows.shortest, windows.last[:-1] - windows.first[:-1]
    )
    most = int(n_lengths.max())
    return np.dtype(np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32)
