"""Mixtures of what was learnt on shards: the weight of each shard, and what is kept of an epoch.

See `align.learners.ParameterMixing` for the algorithm and its bound.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from align.learners.parts.parameters import check_choice, check_whole
from align.types import Float64

__all__ = ["MIXES", "MixedEpoch", "check_mixing", "mixing_weights"]

Counts: TypeAlias = npt.NDArray[np.int64]

MIXES = ("uniform", "updates")


class MixedEpoch(NamedTuple):
    """What the shards did in an epoch.

    Attributes
    ----------
    mistakes, updates : np.ndarray [shape=(S,), dtype=int64]
        Of each shard.
    weights : np.ndarray [shape=(S,)]
        Mixing weights, which sum to 1.
    """

    mistakes: Counts
    updates: Counts
    weights: Float64


def mixing_weights(updates: npt.ArrayLike, mix: str) -> Float64:
    """Return the weight of each shard.

    Parameters
    ----------
    updates : array_like [shape=(S,)]
        Updates of each shard in the epoch.
    mix : {"uniform", "updates"}
        All alike, or by their share in the updates; without any, all alike.

    Returns
    -------
    np.ndarray [shape=(S,)]

    Examples
    --------
    >>> mixing_weights([1, 3], "updates")
    array([0.25, 0.75])
    """
    counts = np.asarray(updates, dtype=np.float64)
    if mix == "updates" and counts.sum() > 0.0:
        shares: Float64 = counts / counts.sum()
        return shares
    return np.full(counts.size, 1.0 / counts.size)


def check_mixing(n_shards: int, mix: str) -> None:
    """Raise ParameterError where the parameters of a mixture are out of range."""
    check_whole(n_shards, "n_shards")
    check_choice(mix, "mix", MIXES)
