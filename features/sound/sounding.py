"""Where there is sound in a recording of which much is silence.

The level of a recording and the mean of its energies are taken over all of it, as in the sentences
and words that networks learned from, which have some tenths of a second of silence at their ends.
Where a recorder began early or ran on, or a list of words was said with pauses in between, silence
would change both, and what is said would sound like nothing that was learned: two seconds of it on
either side of a sentence cost 5 to 7 % of the boundaries. There they are those of the sound. Where
a quarter or more of a recording is digital silence, that does not count either.

The level of an instant is the mean log energy of 50 ms, after preemphasis; sound is what lies
above a third of the way from the softest tenth to the loudest. Most of the sentences and words of
TIMIT, EmoDB and VoxAngeles is near sound in this sense: of 1,669, 69 are not taken whole.
"""

import numpy as np

from align.types import BoolArray, Float32, Float64

_BLOCK = 0.01  # seconds
_INSTANT = 2  # blocks to either side whose level is the same instant's
_LOUDEST = 20  # blocks that make the loudest level; in long recordings a share of all,
_LOUDEST_SHARE = 0.003  # so that no bang decides
_SOFT = 0.1  # share of the blocks that are background at the least
_HIGH = 1.0 / 3.0  # of the way from these to the loudest
_LEAST_RISE = 1.0  # natural logarithm; in steady noise nothing rises so far
_NEAR = 0.85  # share of what is near sound below which the rest is left out
_DIGITAL = 0.25  # share of digital silence from which on it is left out
_FLOOR = 1e-6  # of the loudest energy: digital silence has a level, too
_BESIDE = 0.3  # seconds of silence on either side of sound that count with it, as in training


def sounding(samples: Float32, rate: int) -> BoolArray | None:
    """Return which blocks of a recording are sound, or near it; None where sound is not rare.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
        Mono samples.
    rate : int
        Sampling rate in Hz.

    Returns
    -------
    np.ndarray [shape=(ceil(n / rate / 0.01),), dtype=bool] or None

    Examples
    --------
    Half a second of sound in ten, with .3 s on either side:

    >>> samples = np.random.default_rng(0).normal(0.0, 0.001, 160000).astype(np.float32)
    >>> samples[64000:72000] *= 100
    >>> np.flatnonzero(sounding(samples, 16000))[[0, -1]].tolist()
    [369, 480]
    >>> sounding(samples[60000:76000], 16000) is None
    True
    """
    size = max(1, round(_BLOCK * rate))
    energy = _energies(samples, size)
    loudest = max(_LOUDEST, round(_LOUDEST_SHARE * len(energy)))
    if loudest >= len(energy):
        return None
    loud = np.partition(energy, -loudest)[-loudest]
    if loud <= 0.0:
        return None
    level = _near_mean(np.log(np.maximum(energy, _FLOOR * loud)), _INSTANT)
    high = np.partition(level, -loudest)[-loudest]
    recorded = energy > 0.0  # digital silence is no background
    soft = np.quantile(level[recorded], _SOFT)
    sound = level > soft + _HIGH * (high - soft)
    near = with_neighbours(sound, _BLOCK)
    if high - soft < _LEAST_RISE or near.mean() >= _NEAR:
        return None if recorded.mean() > 1.0 - _DIGITAL else recorded
    return near & recorded


def with_neighbours(sound: BoolArray, hop: float) -> BoolArray:
    """Return which frames of `hop` seconds are sound, or at most .3 s from it [shape=(T,)].

    Examples
    --------
    >>> with_neighbours(np.array([False, False, True, False, False]), 0.3).tolist()
    [False, True, True, True, False]
    """
    return _near_mean(sound.astype(np.float64), round(_BESIDE / hop)) > 0.0


def frames_of(
    blocks: BoolArray | None, n: int, hop: float, begin: float = 0.0
) -> BoolArray | None:
    """Return what `sounding` says of n frames of `hop` seconds, the first at `begin` [shape=(n,)].

    Examples
    --------
    >>> frames_of(np.array([False, True]), 4, 0.005)
    array([False, False,  True,  True])
    """
    if blocks is None:
        return None
    at = ((begin + hop * (0.5 + np.arange(n))) / _BLOCK).astype(np.intp)
    return blocks[np.clip(at, 0, len(blocks) - 1)]


def level_of(samples: Float32, blocks: BoolArray | None = None) -> float:
    """Return the root of the mean square of a recording, or of its sound [shape=(n,)].

    Examples
    --------
    >>> level_of(np.float32([0.0, 0.0, 3.0, -3.0]), np.array([False, True]))
    3.0
    """
    own = samples
    if blocks is not None:
        sound = blocks[np.arange(len(samples)) * len(blocks) // len(samples)]
        own = samples[sound]
    return float(np.sqrt(np.mean(np.square(own, dtype=np.float64))))


def _near_mean(x: Float64, reach: int) -> Float64:
    """Return the mean of each value and those up to `reach` to either side [shape=(T,)].

    Examples
    --------
    >>> _near_mean(np.array([0.0, 3.0, 6.0, 0.0]), 1).tolist()
    [1.5, 3.0, 3.0, 3.0]
    """
    sums = np.cumsum(np.append(0.0, x))
    t = np.arange(len(x))
    first, stop = np.maximum(t - reach, 0), np.minimum(t + reach + 1, len(x))
    return np.asarray((sums[stop] - sums[first]) / (stop - first), dtype=np.float64)


def _energies(samples: Float32, size: int) -> Float64:
    """Return the mean square of each block of `size` samples after preemphasis."""
    n = -(-len(samples) // size)
    energy = np.zeros(n)
    step = 6000 * size  # samples at a time: hours need no array of their own length
    for first in range(0, len(samples), step):
        own = samples[max(first - 1, 0) : first + step]
        own = own if first else np.append(own[:1], own)
        high = np.zeros(-(-(len(own) - 1) // size) * size, dtype=np.float32)
        high[: len(own) - 1] = own[1:] - np.float32(0.97) * own[:-1]
        blocks = high.reshape(-1, size)
        energy[first // size :][: len(blocks)] = np.einsum("ts,ts->t", blocks, blocks) / size
    return energy
