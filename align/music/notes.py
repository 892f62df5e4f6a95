"""Notes within their chord: when each is played, since players are not simultaneous.

A note's time is the median of its own posterior about the time of its chord: the network's
probability that it begins, plus a floor for notes that the network does not find, times a Laplace
prior of width s about the chord. The width is estimated from the recording. Where notes of high
probability lie within 2 to 4 ms of the mean of their chord, as on a mechanical piano, s is small
and all notes of a chord get nearly one time. In a quartet they scatter by 15 ms, s is large, and
each note is placed where its own probability is.
"""

import numpy as np
import numpy.typing as npt

from align.types import IntArray

__all__ = ["note_spread", "note_times"]

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]

_FLOOR = 0.01  # of the probability
_WIDE = 0.070  # seconds: prior with which scatter is measured
_CLEAR = 0.4  # probability from which on a note's time counts for the spread
_FEW = 10
_MECHANICAL = 0.0015  # seconds of scatter that are noise
_SLOPE = 8.0
_SPREADS = (0.003, 0.070)


def note_times(
    near: npt.NDArray[np.floating], chord: Float64, spread: float, hop: float
) -> Float64:
    """Return the time of each note after the frame of its chord [shape=(M,)], in frames.

    `near` [shape=(M, 2 * R + 1)] is the probability that each note begins, in the frames about
    that of its chord; `chord` [shape=(M,)] the time of the chord after its frame, in frames;
    `spread` is s, in seconds, as is `hop`.

    Examples
    --------
    >>> near = np.array([[0.0, 0.0, 0.0, 0.9, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    >>> note_times(near, np.zeros(2), 0.050, 0.010).round(1)
    array([1., 0.])
    """
    reach = near.shape[1] // 2
    x = np.arange(-reach, reach + 1)
    prior = np.exp(-np.abs(x - chord[:, None]) * (hop / spread))
    mass = np.cumsum((near + _FLOOR) * prior, axis=1)
    mass = np.concatenate([np.zeros((len(mass), 1)), mass], axis=1)
    mass /= mass[:, -1:]
    k = np.count_nonzero(mass < 0.5, axis=1) - 1  # the frame that holds the median
    n = np.arange(len(mass))
    share = (0.5 - mass[n, k]) / (mass[n, k + 1] - mass[n, k])
    median: Float64 = x[k] - 0.5 + share
    return median


def note_spread(
    near: npt.NDArray[np.floating], chord: Float64, group: IntArray, hop: float
) -> float:
    """Return the width of the prior that suits a recording: s in seconds, in 0.003..0.07.

    As in `note_times`; `group` [shape=(M,)] is the chord of each note.
    """
    wide = note_times(near, chord, _WIDE, hop)
    clear = near.max(axis=1) > _CLEAR
    count = np.bincount(group, clear)
    mean = np.bincount(group, clear * wide) / np.maximum(count, 1)
    use = clear & (count[group] > 1)
    if np.count_nonzero(use) < _FEW:
        scatter = 0.005
    else:
        size = count[group[use]]
        away = np.abs(wide - mean[group])[use] * np.sqrt(size / (size - 1)) * hop
        scatter = float(np.median(away))
    return float(np.clip(_SLOPE * (scatter - _MECHANICAL), *_SPREADS))
