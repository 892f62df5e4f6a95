"""Recordings without the clicks of old records.

A scratch or a speck of dust lasts less than three milliseconds and holds all frequencies, as the
beginning of a note does. While it lasts, the waveform bends twenty times as sharply as usual: the
bend is the second difference of the samples, and what is usual is its median in 30 ms. Where the
waveform bends twice as much behind it, something begins there, such as a note of a synthesiser.
All others become straight lines, where there is one in each second or more: in 28 recordings of
music of .5 to 3 minutes there are at most three.

Impulses that follow each other as fast as the waves of a low tone are that tone, and stay.
"""

import numpy as np

from align.types import Float32

_BLOCK = 0.03  # seconds in which the usual bend is taken,
_EVERY = 4  # from every so many samples
_TIMES = 20.0  # as sharp as usual, or more
_SOFTEST = 2e-4  # of the loudest sample: bends as usual in silence
_APART = 0.001  # seconds between two clicks
_LONGEST = 0.003  # seconds
_BESIDE = 2  # samples on either side that a click bends as well
_RISE = 2.0  # how much more the waveform may bend behind a click,
_NEAR = 0.01  # within so many seconds
_MOST = 100  # clicks in a second
_FEWEST = 1  # in a second of the whole recording


def without_clicks(samples: Float32, rate: int) -> Float32:
    """Return a recording without its clicks, itself where it has none.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
        Mono samples.
    rate : int
        Sampling rate in Hz.

    Returns
    -------
    np.ndarray [shape=(n,), dtype=float32]

    Examples
    --------
    >>> tone = np.sin(np.arange(16000) * 0.05).astype(np.float32)
    >>> scratched = tone.copy()
    >>> scratched[[5000, 5002, 9000]] += 0.3
    >>> bool(np.allclose(without_clicks(scratched, 16000), tone, atol=0.02))
    True
    >>> without_clicks(tone, 16000) is tone
    True
    """
    if samples.size < 3:
        return samples
    size = round(_BLOCK * rate)
    bend = np.zeros(-(-samples.size // size) * size, dtype=np.float32)
    bend[1 : samples.size - 1] = np.abs(np.diff(samples, 2))
    blocks = bend.reshape(-1, size)
    usual = np.median(blocks[:, ::_EVERY], axis=1)
    beside = np.pad(usual, 1)
    usual = np.maximum(usual, np.maximum(beside[:-2], beside[2:]))
    least = _SOFTEST * float(np.abs(samples).max())
    sharp = np.flatnonzero(blocks > _TIMES * np.maximum(usual, least)[:, None])
    if not sharp.size:
        return samples
    between = np.flatnonzero(np.diff(sharp) > _APART * rate)
    first = sharp[np.append(0, between + 1)]
    last = sharp[np.append(between, sharp.size - 1)]
    short = last - first <= _LONGEST * rate
    first, last = first[short], last[short]
    steps = np.arange(_BESIDE + 1, round(_NEAR * rate), 2)
    before = np.median(bend[np.maximum(first[:, None] - steps, 0)], axis=1)
    behind = np.median(bend[np.minimum(last[:, None] + steps, bend.size - 1)], axis=1)
    half = rate // 2  # of the second about each click that lies within the recording
    centre = np.clip(first, half, max(samples.size - half, half))
    about = np.searchsorted(first, centre + half) - np.searchsorted(first, centre - half)
    clicks = (about <= _MOST) & (behind <= _RISE * before)
    if np.count_nonzero(clicks) < _FEWEST * samples.size / rate:
        return samples
    smooth = samples.copy()
    for start, stop in zip(first[clicks], last[clicks], strict=True):
        left, right = max(start - _BESIDE, 0), min(stop + _BESIDE, samples.size - 1)
        smooth[left : right + 1] = np.linspace(samples[left], samples[right], right - left + 1)
    return smooth
