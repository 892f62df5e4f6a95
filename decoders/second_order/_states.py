"""States of the recursion: an onset of event k and the length that follows it.

State ``(t, d)`` of event k says that it begins at frame t and lasts d frames, so it ends at frame
``e = t + d``. The states of one event are a table [end ``first[k + 1] .. last[k + 1]``, length
``shortest[k] .. longest[k]``], so that the states from which an onset at frame e can go on lie
side by side. Places whose onset is outside its window hold anything and are not read.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._length_scores import length_scores
from align.decoders._windows import Windows, check_values, tighten
from align.potentials import Potentials
from align.types import FloatArray, IntArray

__all__ = ["Problem", "pointer_dtype", "problem_of", "state_offsets"]


class Problem(NamedTuple):
    """What the kernels of the envelopes read.

    Attributes
    ----------
    onset : np.ndarray [shape=(K, W)]
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
    own: npt.NDArray[np.float64]
    cross: npt.NDArray[np.float64]
    offset: IntArray


def problem_of(potentials: Potentials) -> Problem:
    """Check potentials with at least one event, and lay them out for the envelopes."""
    onset = check_values(potentials)
    windows = tighten(potentials)
    own, cross = length_scores(potentials, windows)
    return Problem(onset, potentials.start, windows, own, cross, state_offsets(windows))


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
