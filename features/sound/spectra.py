"""Short-time spectra of a recording: power spectrum, mel filter bank, log mel energies.

Framing, throughout: frame t covers the samples ``[t * h, (t + 1) * h)``, where h is the hop in
samples; the T = ceil(n / h) frames cover the recording. The analysis window of frame t, whatever
its length, is centred on the middle of the frame, ``(t + 1/2) * h``. So representations with
windows of different lengths line up, and the boundary at onset ``y``, the sample ``y * h``, lies
midway between the centres of frames ``y - 1`` and ``y``. Beyond either end the recording is
continued by its mirror image, which, unlike zeros, does not look like an onset.

Windows are periodic Hann windows. The log mel energy of band b is
``ln(floor + sum_f M[b, f] |X_t[f]|**2)``. The floor is of the size of the rounding noise of
16-bit samples, so that digital silence is finite and close to a quiet recording.

References
----------
Davis and Mermelstein, "Comparison of parametric representations for monosyllabic word
recognition in continuously spoken sentences", IEEE Trans. ASSP 28, 1980.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.errors import ParameterError
from align.features.sound.mel import checked_filters, fft_length, sufficient_filters
from align.types import Float32

_BLOCK = 64  # frames transformed at a time: few enough to stay in the cache


def power_spectrum(
    samples: npt.ArrayLike,
    rate: int,
    hop: float = 0.010,
    *,
    window: float = 0.025,
    n_fft: int | None = None,
    preemphasis: float = 0.0,
) -> Float32:
    """Return the power spectrum of each frame.

    Parameters
    ----------
    samples : array_like [shape=(n,)]
        Mono samples in [-1, 1].
    rate : int
        Sampling rate in Hz.
    hop : float
        Length of a frame in seconds; rounded to a whole number of samples.
    window : float
        Length of the analysis window in seconds; rounded to a whole number of samples.
    n_fft : int, optional
        Length of the Fourier transform in samples, at least the window, which is padded with
        zeros; by default the smallest power of two that holds it.
    preemphasis : float
        a of ``x[i] - a * x[i-1]``, applied before; 0 for none.

    Returns
    -------
    np.ndarray [shape=(T, n_fft // 2 + 1), dtype=float32]
        ``|X_t[f]|**2`` at the frequencies ``f * rate / n_fft`` Hz.

    Raises
    ------
    ParameterError
        For samples that are not (n,), n > 0, or a hop, window or transform out of range.

    Examples
    --------
    >>> import numpy as np
    >>> tone = np.sin(2 * np.pi * 1000 * np.arange(1600) / 16000)
    >>> spectrum = power_spectrum(tone, rate=16000)
    >>> spectrum.shape, int(spectrum[5].argmax()) * 16000 / 512
    ((10, 257), 1000.0)
    """
    x, hop_length, length = _arguments(samples, rate, hop, window)
    size = fft_length(length) if n_fft is None else n_fft
    if size < length:
        raise ParameterError(f"n_fft={n_fft}, must be at least the window, {length} samples.")
    out = np.empty((math.ceil(x.size / hop_length), size // 2 + 1), dtype=np.float32)
    transform = _Power(length, size)
    for first, frames in _blocks(_preemphasised(x, preemphasis), hop_length, length):
        out[first : first + len(frames)] = transform(frames)
    return out


@one_thread()  # the products are small: threads that wait for each other took most of the time
def log_mel(
    samples: npt.ArrayLike,
    rate: int,
    hop: float = 0.010,
    *,
    window: float = 0.025,
    n_mels: int = 40,
    fmin: float = 0.0,
    fmax: float | None = None,
    n_fft: int | None = None,
    preemphasis: float = 0.0,
    mel_scale: str = "htk",
    mel_norm: str | None = None,
    floor: float = 1e-8,
    normalise_mean: bool = False,
    normalise_variance: bool = False,
) -> Float32:
    """Return the logarithm of the energy in mel bands.

    Parameters
    ----------
    samples, rate, hop, window, preemphasis
        As in `power_spectrum`.
    n_mels : int
        Number of bands.
    fmin, fmax : float
        Lowest and highest frequency of the filter bank in Hz; `fmax` is by default half the
        rate.
    n_fft : int, optional
        Length of the Fourier transform in samples; by default the smallest power of two that
        holds the window and leaves no band empty.
    mel_scale : {"htk", "slaney"}
        ``2595 log10(1 + f / 700)``, or linear below 1 kHz and logarithmic above.
    mel_norm : {None, "slaney"}
        Height 1 of each filter, or area 1 (in Hz).
    floor : float
        Added to every energy, positive.
    normalise_mean, normalise_variance : bool
        Subtract the mean of each band over the recording; divide by its standard deviation.

    Returns
    -------
    np.ndarray [shape=(T, n_mels), dtype=float32]
        Natural logarithms; finite.

    Raises
    ------
    ParameterError
        For arguments out of range, and bands so narrow that no frequency falls in them.

    Examples
    --------
    >>> import numpy as np
    >>> silence = log_mel(np.zeros(1600), rate=16000)
    >>> silence.shape, round(float(silence[0, 0]), 3)  # ln 1e-8
    ((10, 40), -18.421)
    """
    x, hop_length, length = _arguments(samples, rate, hop, window)
    if not (floor > 0 and math.isfinite(floor)):
        raise ParameterError(f"floor={floor}, must be positive.")
    bank = (n_mels, float(fmin), rate / 2 if fmax is None else float(fmax), mel_scale, mel_norm)
    if n_fft is None:
        filters = sufficient_filters(rate, length, *bank)
    else:
        if n_fft < length:
            raise ParameterError(f"n_fft={n_fft}, must be at least the window, {length} samples.")
        filters = checked_filters(rate, n_fft, *bank)
    size = 2 * (filters.shape[0] - 1) if n_fft is None else n_fft
    out = np.empty((math.ceil(x.size / hop_length), n_mels), dtype=np.float32)
    transform = _Power(length, size)
    for first, frames in _blocks(_preemphasised(x, preemphasis), hop_length, length):
        np.matmul(transform(frames), filters, out=out[first : first + len(frames)])
    out += np.float32(floor)
    np.log(out, out=out)
    return normalised(out, mean=normalise_mean, variance=normalise_variance)


def log_energy(
    samples: npt.ArrayLike,
    rate: int,
    hop: float = 0.010,
    *,
    window: float = 0.025,
    floor: float = 1e-10,
) -> Float32:
    """Return the logarithm of the mean square of each frame.

    Parameters
    ----------
    samples, rate, hop, window
        As in `power_spectrum`; the squares are weighted by the Hann window.
    floor : float
        Added to every mean square; 1e-10 is the rounding noise of 16-bit samples.

    Returns
    -------
    np.ndarray [shape=(T,), dtype=float32]
        Natural logarithms; 0 for a constant 1, about -23 for digital silence.

    Examples
    --------
    >>> import numpy as np
    >>> [round(float(e), 3) for e in log_energy(np.full(320, 0.5), rate=16000)]  # ln 0.25
    [-1.386, -1.386]
    """
    x, hop_length, length = _arguments(samples, rate, hop, window)
    weights = _hann(length)
    weights = weights / weights.sum()
    squares = np.square(x)
    out = np.empty(math.ceil(x.size / hop_length), dtype=np.float32)
    for first, frames in _blocks(squares, hop_length, length):
        out[first : first + len(frames)] = frames @ weights
    out += np.float32(floor)
    return np.log(out, out=out)


def normalised(x: Float32, *, mean: bool = True, variance: bool = False) -> Float32:
    """Shift and scale each column of `x` [shape=(T, D)], in place, to mean 0 and deviation 1.

    Columns whose standard deviation is below 0.001 are divided by that instead.
    """
    if mean:
        x -= x.mean(axis=0, dtype=np.float64).astype(np.float32)
    if variance:
        x /= np.maximum(x.std(axis=0, dtype=np.float64), 1e-3).astype(np.float32)
    return x


def _arguments(
    samples: npt.ArrayLike, rate: int, hop: float, window: float
) -> tuple[Float32, int, int]:
    """Check what all spectra share; return samples, hop and window in samples."""
    x = np.ascontiguousarray(samples, dtype=np.float32)
    if x.ndim != 1 or x.size == 0:
        raise ParameterError(f"samples.shape={x.shape}, must be (n,), n > 0.")
    lengths = []
    for name, seconds in (("hop", hop), ("window", window)):
        if not (math.isfinite(seconds) and round(seconds * rate) >= 1):
            raise ParameterError(f"{name}={seconds} s, must be at least one sample at {rate} Hz.")
        lengths.append(round(seconds * rate))
    return x, lengths[0], lengths[1]


def _preemphasised(x: Float32, amount: float) -> Float32:
    if amount == 0.0:
        return x
    if not 0.0 <= amount <= 1.0:
        raise ParameterError(f"preemphasis={amount}, must be in [0, 1].")
    out = np.empty_like(x)
    np.multiply(x[:-1], np.float32(-amount), out=out[1:])
    out[1:] += x[1:]
    out[0] = x[0] * np.float32(1.0 - amount)  # as if the first sample had been there before
    return out


def _blocks(x: Float32, hop_length: int, length: int) -> Any:
    """Yield (first frame, frames [shape=(at most _BLOCK, length)]), centred, mirrored at the ends.

    Every window lies in the padded samples: frame t begins at ``t * hop + (hop - length) // 2``.
    """
    n_frames = math.ceil(x.size / hop_length)
    start = (hop_length - length) // 2
    before = max(0, -start)
    after = max(0, (n_frames - 1) * hop_length + start + length - x.size)
    padded = np.pad(x, (before, after), mode="symmetric")
    windows = np.lib.stride_tricks.sliding_window_view(padded, length)
    frames = windows[max(0, start) :: hop_length]
    for first in range(0, n_frames, _BLOCK):
        yield first, frames[first : min(first + _BLOCK, n_frames)]


class _Power:
    """Power spectra of frames, in arrays that are allocated once: faster by half."""

    def __init__(self, length: int, n_fft: int) -> None:
        self._hann = _hann(length)
        self._windowed = np.zeros((_BLOCK, n_fft), dtype=np.float32)
        # numpy transforms float32 to complex64; its type stubs know only complex128
        self._spectrum: Any = np.empty((_BLOCK, n_fft // 2 + 1), dtype=np.complex64)
        self._squares = np.empty((2, _BLOCK, n_fft // 2 + 1), dtype=np.float32)

    def __call__(self, frames: Float32) -> Float32:
        """Transform frames [shape=(at most _BLOCK, length)]; the next call overwrites it."""
        n = len(frames)
        np.multiply(frames, self._hann, out=self._windowed[:n, : self._hann.size])
        spectrum = np.fft.rfft(self._windowed[:n], axis=1, out=self._spectrum[:n])
        real, imaginary = self._squares[:, :n]
        np.square(spectrum.real, out=real)
        np.square(spectrum.imag, out=imaginary)
        real += imaginary
        power: Float32 = real
        return power


@lru_cache(maxsize=64)
def _hann(length: int) -> Float32:
    """Periodic Hann window; of length 1 it is 1."""
    if length == 1:
        return np.ones(1, dtype=np.float32)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    return window.astype(np.float32)
