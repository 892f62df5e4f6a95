"""The mean energies of the seconds around each frame of a long recording.

Networks learn from sentences, each without its own mean: what is left is the same whatever the
voice, the distance and the microphone. In a long recording these change on the way, and long
pauses pull the mean of the whole down.
"""

import numpy as np

from align._numba import compiled
from align.features.sound.sounding import with_neighbours
from align.types import BoolArray, Float32, IntArray

_NEAREST = 3.0  # seconds of sound, about as much as a sentence has
_SHORT = 10.0  # seconds of a recording that has one mean; sentences of training are shorter
_QUIET = -1.5  # log energy beside the mean of all; pauses are lower


def without_near_mean(x: Float32, hop: float, sound: BoolArray | None = None) -> Float32:
    """Return the energies of a long recording without the mean of the sound nearest to each frame.

    That is the mean of 3 s. Frames far below the mean of all, with none of sound near them, do not
    count. Recordings of up to 10 s stay as they are. Of a recording of which much is silence only
    frames of `sound` count; where these are of 10 s or less, they have one mean.

    Parameters
    ----------
    x : np.ndarray [shape=(T, n)]
        Log energies without their mean over time.
    hop : float
        Length of a frame in seconds.
    sound : np.ndarray [shape=(T,), dtype=bool], optional
        As `align.features.sound.sounding.sounding` finds it.

    Examples
    --------
    Two voices, the second one louder:

    >>> x = np.repeat(np.float32([-1.0, 1.0]), 1000)[:, None]
    >>> without_near_mean(x, 0.01)[[0, 500, 1500, 1999], 0].tolist()
    [0.0, 0.0, 0.0, 0.0]
    """
    n, short = round(_NEAREST / hop), round(_SHORT / hop)
    usual = np.zeros(x.shape[1], dtype=x.dtype) if sound is None else x[sound].mean(axis=0)
    if (len(x) if sound is None else sound.sum()) <= short:
        return x if sound is None else x - usual
    near = with_neighbours(x.mean(axis=1) > usual.mean() + _QUIET, hop)
    counted = np.flatnonzero(near if sound is None else near & sound)
    if len(counted) <= n:
        return x if sound is None else x - usual
    begin = np.clip(np.searchsorted(counted, np.arange(len(x))) - n // 2, 0, len(counted) - n)
    return _without_means(x, counted, begin, n)


@compiled()
def _without_means(x: Float32, counted: IntArray, begin: IntArray, n: int) -> Float32:
    """Take from each frame the mean of n of the `counted` frames, from number ``begin[t]`` on.

    That is the sum of all frames up to the last of them less the sum of those before the first;
    `begin` never falls, so both sums grow along the recording.
    """
    out = np.empty_like(x)
    before, up_to = np.zeros((2, x.shape[1]))
    first, stop = 0, 0
    for t in range(len(x)):
        while first < begin[t]:
            for c in range(x.shape[1]):
                before[c] += x[counted[first], c]
            first += 1
        while stop < begin[t] + n:
            for c in range(x.shape[1]):
                up_to[c] += x[counted[stop], c]
            stop += 1
        for c in range(x.shape[1]):
            out[t, c] = x[t, c] - (up_to[c] - before[c]) / n
    return out
