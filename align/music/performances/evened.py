"""A recording whose faded ends and quiet stretches are as loud as the rest.

What lies 60 dB below the rest is silence to the levels (`align.features.sound.pitch`), though the
music may go on in it, as where a recording is faded out. The loudest band, at its highest within
some seconds, says how loud a stretch is. What it lacks beyond `_LEFT` of what is usual is given
back to the samples.
"""

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from align.features.notes.note_levels import semitone_levels, set_tuning, signal_tuning
from align.features.sound.signal import Signal
from align.types import Float32, Float64

_SECONDS = 3.0  # of which the loudest moment counts
_LEFT = 10.0  # decibels of a difference that stay
_FADED = 30.0  # decibels below the rest, with less than which a recording is left as it is
_MOST = 70.0  # decibels
_NEPER = 10.0 / np.log(10.0)  # decibels for one of a level


def evened(signal: Signal) -> Signal | None:
    """Return a recording with its quiet stretches made louder, None where it has none.

    Where its tuning was set, or its pitch drifts, that of the result is one for all of it.
    """
    lacking = _lacking(semitone_levels(signal).max(axis=1), round(_SECONDS / signal.hop))
    if lacking.max() < _FADED:
        return None
    gain = 10.0 ** (np.clip(lacking - _LEFT, 0.0, _MOST) / 20.0)
    at = (np.arange(signal.samples.size) / signal.hop_length) - 0.5
    louder = signal.samples * np.interp(at, np.arange(gain.size), gain)
    samples = louder.astype(np.float32)
    out = Signal(samples, signal.rate, signal.hop, signal.name, own_rate=signal.own_rate)
    set_tuning(out, signal_tuning(signal))
    return out


def _lacking(loudest: Float32, width: int) -> Float64:
    """Return by how many decibels each frame is below what is usual [shape=(T,)]."""
    energy = np.log(np.expm1(loudest.astype(np.float64)) + 1e-3)  # above the floor, or below it
    level = uniform_filter1d(maximum_filter1d(energy, width), width)
    lacking: Float64 = _NEPER * (np.percentile(level, 75) - level)
    return lacking
