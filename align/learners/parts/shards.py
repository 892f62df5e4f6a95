"""Iterative parameter mixing: shards of examples, and the mixture of what was learned on each.

See `align.learners.ParameterMixing` for the algorithm and its bound.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from align.learners.parts.parameters import check_choice, check_whole
from align.types import Float64, IntArray

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


def deal(n: int, n_shards: int, rng: np.random.Generator, shuffle: bool) -> list[IntArray]:
    """Return which of n examples each shard gets; fewer examples than shards make fewer shards."""
    dealt = rng.permutation(n) if shuffle else np.arange(n)
    return np.array_split(dealt, min(n_shards, n))


def shard_orders(
    shards: Sequence[IntArray], rng: np.random.Generator, shuffle: bool
) -> list[IntArray]:
    """Return the order in which each shard goes through its own examples in the next epoch."""
    return [rng.permutation(len(part)) if shuffle else np.arange(len(part)) for part in shards]


def mix_shards(done: Sequence[Any], mix: str) -> tuple[Float64, Float64, MixedEpoch]:
    """Return the mixed weights of an epoch, the sum of all its hypotheses, and its counts.

    Each shard that is `done` has `weights` after the epoch, the `mean` of its hypotheses, and
    `counts` of its rounds, mistakes and updates.
    """
    counts = np.array([shard.counts for shard in done], dtype=np.int64)
    mu = mixing_weights(counts[:, 2], mix)
    mixed = np.sum([m * shard.weights for m, shard in zip(mu, done, strict=True)], axis=0)
    total = np.sum([shard.counts[0] * shard.mean for shard in done], axis=0)
    return mixed, total, MixedEpoch(counts[:, 1], counts[:, 2], mu)


def check_mixing(n_shards: int, mix: str) -> None:
    """Raise ParameterError where the parameters of a mixture are out of range."""
    check_whole(n_shards, "n_shards")
    check_choice(mix, "mix", MIXES)
