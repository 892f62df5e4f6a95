"""How far a recording is above or below A4 = 440 Hz, and whether that changes as it goes on.

The peaks of its spectra between 180 and 2000 Hz are located by parabolas through the logarithm.
Each deviates by d semitones from the nearest pitch of A4 = 440 Hz; the mean of ``exp(2 pi i d)``,
weighted by the root of the height, has the tuning as its angle, and its length says how far the
peaks agree. Of a tape whose speed changes, or a choir that sinks, the angle turns: taken in a
window of some seconds and unwrapped, it is a curve, up to whole semitones.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.features.sound.mel import fft_length
from align.types import Float32, Float64, IntArray

_STEADY = 0.2  # mean of deviations as vectors: vibrato has .19 at most, 28 recordings .32 to .86
_AGREEMENT = 0.1  # of partials, below which they say nothing
_PARTIAL = 0.8  # semitones between peaks of one frame that belong to one partial
_BLOCK = 64  # frames transformed at a time: few enough to stay in the cache
_AROUND = 4.0  # seconds, standard deviation of the window in which a tuning is taken
_SHORTEST = 10.0  # seconds, of which a change can be said
_DRIFT = 0.25  # semitones; of 28 recordings none has more than .07
_BETTER = 1.2  # times the agreement with one tuning
_STEP = 0.02  # semitones: few tunings, for each of which there are bands


class _Peaks(NamedTuple):
    """Peaks of spectra: in which frame, semitones from A4, and height; and times of the frames."""

    frame: IntArray
    deviation: Float64
    height: Float32
    times: Float64


def estimate_tuning(samples: npt.ArrayLike, rate: int) -> float:
    """Return by how many semitones a recording is higher than A4 = 440 Hz, estimated.

    Where the peaks of its spectra hardly agree, as those of a voice or a violin with vibrato,
    those that lie close together count as one.

    Parameters
    ----------
    samples : array_like [shape=(n,)]
        Mono samples.
    rate : int
        Sampling rate in Hz.

    Returns
    -------
    float
        In [-0.5, 0.5]; 0 where there are too few peaks, or they do not agree. Deviations do not
        distinguish 415 Hz, a semitone lower, from 440 Hz: there the score is to be transposed.

    Examples
    --------
    >>> import numpy as np
    >>> tone = np.sin(2 * np.pi * 446 * np.arange(64000) / 16000)  # 0.23 semitones
    >>> round(estimate_tuning(tone, 16000), 1)
    0.2
    """
    peaks = _peaks(samples, rate)
    if peaks is None:
        return 0.0
    frame, deviation, height = peaks.frame, peaks.deviation, peaks.height
    tuning, agreement = _circular_mean(deviation, np.sqrt(height))
    if agreement >= _STEADY:
        return tuning
    # Vibrato spreads a partial over several peaks, by a semitone and more: one for each partial.
    new = np.concatenate(([True], (np.diff(frame) > 0) | (np.diff(deviation) > _PARTIAL)))
    partial, weight = np.cumsum(new) - 1, height.astype(np.float64)
    total = np.bincount(partial, weight)
    centre = np.bincount(partial, weight * deviation) / total
    tuning, agreement = _circular_mean(centre, np.sqrt(total))
    return tuning if agreement >= _AGREEMENT else 0.0


def estimate_drift(samples: npt.ArrayLike, rate: int, times: Float64) -> Float64 | None:
    """Return by how many semitones a recording is higher than A4 = 440 Hz at some times.

    Parameters
    ----------
    samples : array_like [shape=(n,)]
        Mono samples.
    rate : int
        Sampling rate in Hz.
    times : np.ndarray [shape=(N,)]
        Seconds.

    Returns
    -------
    np.ndarray [shape=(N,)] or None
        Continuous, its mean in [-0.5, 0.5]; None where one tuning does as well, or the peaks do
        not agree.

    Examples
    --------
    >>> import numpy as np
    >>> phase = 2 * np.pi * 440 * np.cumsum(np.linspace(1, 1.04, 320000)) / 16000
    >>> estimate_drift(np.sin(phase), 16000, np.array([5.0, 10.0, 15.0])).round(1)
    array([0.2, 0.3, 0.5])
    >>> estimate_drift(np.sin(2 * np.pi * 440 * np.arange(320000) / 16000), 16000, np.zeros(1))
    """
    peaks = _peaks(samples, rate)
    if peaks is None or np.ptp(peaks.times) < _SHORTEST:
        return None
    at, n = peaks.times, peaks.times.size
    weight = np.sqrt(peaks.height).astype(np.float64)
    turned = weight * np.exp(2j * np.pi * peaks.deviation)
    total = np.bincount(peaks.frame, weight, n)
    sums = np.bincount(peaks.frame, turned.real, n) + 1j * np.bincount(peaks.frame, turned.imag, n)
    window = np.exp(-0.5 * ((at - at[:, None]) / _AROUND) ** 2)
    local, most = window @ sums, window @ total
    known = np.flatnonzero(np.abs(local) >= _STEADY * np.maximum(most, 1e-3 * most.max()))
    if not known.size:
        return None
    # In applause and silence the angle is chance: there the curve is a straight line.
    own = np.unwrap(np.angle(local[known])) / (2.0 * np.pi)
    curve = np.interp(at, at[known], own)
    along = (sums * np.exp(-2j * np.pi * curve)).real.sum()
    if np.ptp(own) < _DRIFT or along < _BETTER * abs(sums.sum()):
        return None
    curve -= np.rint(np.average(curve, weights=total))
    drift: Float64 = _STEP * np.rint(np.interp(times, at, curve) / _STEP)
    return drift


def _peaks(samples: npt.ArrayLike, rate: int) -> _Peaks | None:
    """Return the peaks of at most 800 spectra; None where they are too few."""
    x = np.ascontiguousarray(samples, dtype=np.float32)
    n = fft_length(round(0.3 * rate))
    low, high = round(180 * n / rate), min(round(2000 * n / rate), n // 2)
    if x.size < n or high <= low:
        return None
    frames = np.lib.stride_tricks.sliding_window_view(x, n)[:: n // 2]
    every = len(frames) // 400 + 1  # enough for any recording
    frames = frames[::every]
    height = np.empty((len(frames), high - low + 2), dtype=np.float32)
    highest = np.empty((len(frames), 1), dtype=np.float32)
    hann = np.hanning(n).astype(np.float32)
    for begin in range(0, len(frames), _BLOCK):
        block = np.abs(np.fft.rfft(frames[begin : begin + _BLOCK] * hann, axis=1))
        height[begin : begin + _BLOCK] = block[:, low - 1 : high + 1]
        highest[begin : begin + _BLOCK, 0] = block.max(axis=1)
    middle = height[:, 1:-1]
    peak = (middle > height[:, :-2]) & (middle >= height[:, 2:])
    peak &= middle > np.maximum(0.05 * highest, 1e-3 * highest.max())
    frame, bin_ = np.nonzero(peak)
    if frame.size < 10:
        return None
    log = np.log(np.stack([height[frame, bin_ + k] for k in range(3)]).astype(np.float64) + 1e-9)
    shift = 0.5 * (log[0] - log[2]) / (log[0] - 2 * log[1] + log[2] - 1e-12)
    frequency = (bin_ + low + shift) * rate / n
    deviation = 12.0 * np.log2(frequency / 440.0)
    times = (np.arange(len(frames)) * every * (n // 2) + 0.5 * n) / rate
    return _Peaks(frame, deviation, middle[frame, bin_], times)


def _circular_mean(deviation: Float64, weight: npt.NDArray[np.floating]) -> tuple[float, float]:
    """Return the mean of deviations in semitones, in [-0.5, 0.5], and how far they agree."""
    total = (weight * np.exp(2j * np.pi * deviation)).sum()
    return float(np.angle(total) / (2.0 * np.pi)), float(abs(total) / weight.sum())
