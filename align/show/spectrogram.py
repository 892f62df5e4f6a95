"""The phonetician's spectrogram, for the eye.

Windows of 5 ms, so that glottal pulses and releases show as vertical lines, and pre-emphasis of
6 dB per octave.
"""

import numpy as np

from align.types import Float32, FloatArray

_WINDOW = 0.005  # seconds, of the Hann window; its main lobe is 800 Hz wide
_HIGHEST = 8000.0  # Hz; frequencies above are left out


def spectrogram(samples: FloatArray, rate: int, *, n_columns: int = 2000) -> tuple[Float32, float]:
    """Return a wide-band spectrogram in decibels, for the eye, and its upper edge in Hz.

    It has about `n_columns` at most, but windows overlap by at least half. The levels
    [shape=(n_bins, n_columns), dtype=float32] are below the loudest, pre-emphasised by 6 dB per
    octave; low frequencies first.

    Examples
    --------
    >>> time = np.arange(8000) / 8000
    >>> level, top = spectrogram(np.sin(2 * np.pi * 1000 * time), 8000)
    >>> int(level.mean(axis=1).argmax() * top / len(level)), top
    (1000, 4000.0)
    """
    x = np.diff(np.asarray(samples, dtype=np.float32), prepend=np.float32(0.0))
    n = max(16, round(_WINDOW * rate))
    n_fft = 1 << (4 * n - 1).bit_length()
    hop = max(1, n // 4, -(-x.size // n_columns))
    taper = np.hanning(n + 2)[1:-1].astype(np.float32)
    padded = np.pad(x, (n // 2, n))
    frames = np.lib.stride_tricks.sliding_window_view(padded, n)[: x.size : hop]
    n_bins = min(n_fft // 2, max(1, round(_HIGHEST / rate * n_fft)))
    power = np.empty((n_bins, len(frames)), dtype=np.float32)
    for first in range(0, len(frames), 512):  # bounds the memory of the transform
        block = np.fft.rfft(frames[first : first + 512] * taper, n_fft)[:, :n_bins]
        power[:, first : first + len(block)] = (block.real**2 + block.imag**2).T
    # The first row is left out of the reference: it holds drift and hum, not speech.
    loudest = max(float(power[1:].max(initial=0.0)), 1e-12)
    level = 10.0 * np.log10(np.maximum(power / loudest, 1e-9))
    return level.astype(np.float32), n_bins * rate / n_fft
