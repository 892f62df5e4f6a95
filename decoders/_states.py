"""States of the decoders that remember two onsets: an onset and the length that follows it.

State ``(t, d)`` of event k says that it begins at frame t and lasts d frames. The states of one
event are laid out as a table [onset ``first[k] .. last[k]``, length ``shortest[k] ..
longest[k]``]; the tables of `align.decoders._envelope` are wider.
"""

import numpy as np
import numpy.typing as npt

from align.decoders._envelope import TILE
from align.decoders._windows import Windows
from align.potentials import Potentials
from align.types import IntArray

__all__ = [
    "length_scores",
    "pointer_counts",
    "pointer_dtype",
    "pointer_offsets",
    "state_offsets",
    "table_offsets",
]


def length_scores(
    potentials: Potentials, windows: Windows
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Fold all scores of one length into a table; return it and the cross coefficients.

    Parameters
    ----------
    potentials : Potentials
        At least one event.
    windows : Windows
        What `tighten` returned.

    Returns
    -------
    own : np.ndarray [shape=(K, L), dtype=float64]
        Score of event k lasting ``shortest[k] + i`` frames: its duration score, its part of its
        own ratio term and its part of the next event's. -inf beyond its longest length.
    cross : np.ndarray [shape=(K,), dtype=float64]
        Coefficient of ``d_{k-1} d_k``.
    """
    n_events = potentials.n_events
    n_lengths = windows.longest - windows.shortest + 1
    length = windows.shortest[:, None] + np.arange(int(n_lengths.max()))
    valid = length <= windows.longest[:, None]
    if potentials.duration is None:
        own = np.zeros(length.shape)
    else:
        assert potentials.duration_row is not None
        top = potentials.duration.shape[1] - 1
        own = potentials.duration[potentials.duration_row[:, None], np.minimum(length, top)]
        own = own.astype(np.float64, copy=False)
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
    """Return where the back-pointers of each event begin, in one flat array [shape=(K + 1,)].

    The first event has none, and of the last only those of its best onset are ever needed.
    """
    n_states = (windows.last[:-1] - windows.first[:-1] + 1) * (
        windows.longest - windows.shortest + 1
    )
    n_states[0] = n_states[-1] = 0
    return np.concatenate(([0], np.cumsum(n_states))).astype(np.intp)


def table_offsets(windows: Windows) -> IntArray:
    """Return where the states of each event begin, all laid out one after the other for envelopes.

    Returns
    -------
    np.ndarray [shape=(K + 1,), dtype=intp]
    """
    n_onsets = windows.last[:-1] - windows.first[:-1] + 1
    n_states = n_onsets * (windows.longest - windows.shortest + 1 + 2 * TILE)
    return np.concatenate(([0], np.cumsum(n_states))).astype(np.intp)


def pointer_counts(windows: Windows) -> IntArray:
    """Return how many back-pointers envelopes have for each event [shape=(K,)]."""
    n_tiles = np.minimum(
        (windows.longest - windows.shortest) // TILE + 2,
        (windows.last[1:] - windows.first[1:]) // TILE + 1,
    )
    n: IntArray = (windows.last[:-1] - windows.first[:-1] + 1) * n_tiles * TILE
    return n


def pointer_offsets(windows: Windows) -> IntArray:
    """Return where the back-pointers of each event begin, in one flat array [shape=(K + 1,)].

    Those of envelopes; the first event has none, and of the last none are needed.
    """
    n_pointers = pointer_counts(windows)
    n_pointers[0] = n_pointers[-1] = 0
    return np.concatenate(([0], np.cumsum(n_pointers))).astype(np.intp)


def pointer_dtype(windows: Windows) -> np.dtype[np.unsignedinteger]:
    """Return the smallest type that tells the lines of any onset apart."""
    n_lines = np.minimum(
        windows.longest - windows.shortest, windows.last[:-1] - windows.first[:-1]
    )
    most = int(n_lines.max())
    return np.dtype(np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32)
