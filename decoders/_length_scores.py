"""Scores of a length and of its product with the next, for decoders that remember two onsets."""

import numpy as np
import numpy.typing as npt

from align.decoders._windows import Windows
from align.potentials import Potentials

__all__ = ["length_scores"]


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
