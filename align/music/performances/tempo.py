"""Tempo of a performance: how long each chord should last, and how surely.

The local tempo of chord k is the time it took to play the chords around it over what the score
gives them, in performed seconds per score second; it is taken from an earlier answer, at first the
coarse alignment. A chord that lasts ``s_k`` seconds in the score is expected to last ``m_k = s_k``
times the mean of the tempo at both its ends, and a length of d frames scores the logarithm of a
Student-t density in the log ratio, up to a constant::

    psi(d) = -(nu + 1) / 2 * ln(1 + r**2 / (nu sigma_k**2)),   r = ln(d / m_k)
    sigma_k**2 = spread**2 + (jitter / m_k)**2

With ``nu = 1`` the tails are heavy: rubato costs in proportion to its size at first, and a
fermata, ten times as long as written, little more than one of three times. Short notes are
uncertain by `jitter` frames besides. The `spread` is the player's own, measured on the earlier
answer.
"""

from typing import NamedTuple

import numpy as np

from align.errors import ParameterError
from align.types import Float64

_SLOWEST, _FASTEST = 50.0, 0.05  # performed seconds per score second
_NEIGHBOURS = 3  # chords either side that a tempo is taken from at the least
_SHORTEST = 0.01  # seconds that any chord is expected to last at the least
_LONG_ENOUGH = 0.1  # seconds; of shorter lengths, the ratio is mostly jitter
_FEW = 20
_SPREADS = (0.05, 0.3)


class Tempo(NamedTuple):
    """What lengths are judged by.

    `times` [shape=(G,)] are seconds of the chords, increasing strictly, that the tempo is taken
    from; `spread` is that of log ratios of lengths to it.
    """

    times: Float64
    spread: float


def local_tempo(score_onsets: Float64, times: Float64, *, window: float = 8.0) -> Float64:
    """Return the tempo about each chord: performed per score seconds, in 0.05..50 [shape=(G,)].

    `times` [shape=(G,)] are performed seconds, never decreasing. `window` are performed seconds,
    half of them before the chord and half after it; wider where that holds fewer than three chords
    on a side. A single chord has 1.

    Examples
    --------
    >>> local_tempo(np.arange(4.0), 2.0 * np.arange(4.0))
    array([2., 2., 2., 2.])
    """
    n = score_onsets.size
    if times.shape != (n,) or n == 0:
        raise ParameterError(f"times.shape={times.shape}, must be (G,)=({n},), G > 0.")
    if n == 1:
        return np.ones(1)
    k = np.arange(n)
    first = np.minimum(np.searchsorted(times, times - window / 2), k - _NEIGHBOURS)
    last = np.maximum(np.searchsorted(times, times + window / 2), k + _NEIGHBOURS + 1) - 1
    first, last = np.maximum(first, 0), np.minimum(last, n - 1)
    played = times[last] - times[first]
    written = np.maximum(score_onsets[last] - score_onsets[first], 1e-3)
    tempo: Float64 = np.clip(played / written, _FASTEST, _SLOWEST)
    return tempo


def expected_lengths(score_onsets: Float64, tempo: Float64) -> Float64:
    """Return how many seconds each chord should last until the next [shape=(G,)], at least 0.01.

    `tempo` is `local_tempo`; the last chord, which nothing follows, has 1.
    """
    lengths = np.ones(score_onsets.size)
    lengths[:-1] = np.diff(score_onsets) * 0.5 * (tempo[:-1] + tempo[1:])
    return np.maximum(lengths, _SHORTEST)


def tempo_spread(score_onsets: Float64, times: Float64, *, default: float = 0.2) -> float:
    """Return how much lengths scatter about the local tempo, in 0.05..0.3.

    It is one and a half times the 68th percentile of the log ratio's distance from its median;
    `default` where fewer than 20 chords last longer than 0.1 s.
    """
    want = expected_lengths(score_onsets, local_tempo(score_onsets, times))[:-1]
    have = np.diff(times)
    use = (want > _LONG_ENOUGH) & (have > 0.02)
    if np.count_nonzero(use) < _FEW:
        return default
    ratio = np.log(have[use] / want[use])
    return float(np.clip(1.5 * np.percentile(np.abs(ratio - np.median(ratio)), 68), *_SPREADS))


def duration_table(
    lengths: Float64, spread: float, longest: int, *, nu: float = 1.0, jitter: float = 2.0
) -> Float64:
    """Return psi of the module's text for each length of each chord [shape=(G, L + 1)], at most 0.

    `lengths` [shape=(G,)] are expected, in frames, positive; `spread` that of the log ratio;
    `longest` L; `nu` the degrees of freedom; `jitter` by how many frames any length is uncertain.
    A length of 0 is taken as half a frame.

    Examples
    --------
    >>> duration_table(np.array([4.0]), 0.2, 8)[0].argmax()
    np.int64(4)
    """
    d = np.log(np.maximum(np.arange(longest + 1), 0.5))
    ratio = d - np.log(lengths)[:, None]
    scale = nu * (spread**2 + (jitter / lengths) ** 2)
    np.square(ratio, out=ratio)
    ratio /= scale[:, None]
    np.log1p(ratio, out=ratio)
    ratio *= -0.5 * (nu + 1.0)
    return ratio
