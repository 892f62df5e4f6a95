"""Energies at musical pitches: the quarter-tone bands of the thesis, and semitone bands.

Pitches are MIDI numbers, 69 is A4; ``f(p) = 440 * 2**((p - 69) / 12)`` Hz. (The thesis prints 57
for 69, which is an octave off for MIDI.) Two representations:

*Quarter-tone bands* (`band_energies`): the energy of a frame between a quarter tone below and
above each of the first harmonics, ``[h f 2**(-1/24), h f 2**(1/24)]``, added up over the bins of
its Fourier transform. Frames and windows are those of `align.features.sound.spectra`.

*Semitone bands* (`semitone_bands`): one band for each of `N_BANDS` pitches from `LOWEST_BAND` up,
a Gaussian in frequency about the pitch, seen through a Hann window that is fitted to it: long at
low pitches, which are close to each other, short at high ones. Row t is centred on the time
``t * hop`` itself, where an onset in frame t lies, and what is beyond the recording is silence.
`log_level` turns energies into levels between 0 (silence) and about 14 (loud)::

    level = ln(E / reference + 1e-6) - ln 1e-6

whose reference is the loudness of the recording. The floor, 60 dB below it, makes digital silence
and noise the same. How far a recording is above or below 440 Hz: `align.features.sound.tuning`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.6.1.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.errors import ParameterError
from align.features.sound.mel import fft_length
from align.features.sound.spectra import power_spectrum
from align.types import Float32, Float64

LOWEST_BAND = 21
"""Pitch of the first semitone band: the lowest key of a piano."""

N_BANDS = 99
"""Number of semitone bands; the last, 119, is at 7.9 kHz."""

LONG_WINDOWS = ((45, 0.200), (57, 0.140), (74, 0.090), (120, 0.060))
"""Window in seconds of all pitches below the first number, and not below the one before."""

SHORT_WINDOWS = ((120, 0.032),)
"""One short window for all pitches: sharp in time, blurred in pitch."""

_WIDTH = 0.7 * (2.0 ** (0.5 / 12.0) - 1.0)  # of a band over its frequency: 0.7 quarter tones
_FLOOR = 1e-6
_BLOCK = 64  # frames transformed at a time: few enough to stay in the cache


def pitch_frequency(
    pitch: npt.ArrayLike, *, tuning: float = 0.0, reference: float = 440.0
) -> Float64:
    """Return the frequency of pitches in Hz.

    Parameters
    ----------
    pitch : array_like
        MIDI numbers; fractions are allowed.
    tuning : float
        Semitones by which everything is higher.
    reference : float
        Frequency of A4 (69) in Hz.

    Returns
    -------
    np.ndarray [shape as `pitch`]

    Examples
    --------
    >>> pitch_frequency([69, 60]).round(4)
    array([440.    , 261.6256])
    """
    number = np.asarray(pitch, dtype=np.float64)
    return np.asarray(reference * 2.0 ** ((number + tuning - 69.0) / 12.0), dtype=np.float64)


def band_energies(
    samples: npt.ArrayLike,
    rate: int,
    hop: float = 0.020,
    *,
    pitches: Sequence[int],
    n_harmonics: int = 3,
    window: float = 0.100,
    n_fft: int | None = None,
    tuning: float = 0.0,
) -> Float32:
    """Return the energy a quarter tone each side of the first harmonics of pitches.

    Parameters
    ----------
    samples : array_like [shape=(n,)]
        Mono samples in [-1, 1].
    rate : int
        Sampling rate in Hz.
    hop : float
        Length of a frame in seconds; the thesis has 20 ms.
    pitches : sequence of int, length P
        MIDI numbers.
    n_harmonics : int
        Bands at 1, 2 ... `n_harmonics` times the frequency.
    window : float
        Length of the analysis window in seconds, centred in the frame. The source does not say;
        0.1 s distinguishes semitones from about middle C up.
    n_fft : int, optional
        Length of the Fourier transform; by default the smallest power of two of at least twice
        the window.
    tuning : float
        Semitones by which the recording is higher than 440 Hz.

    Returns
    -------
    np.ndarray [shape=(P, n_harmonics, T), dtype=float32]
        Sums of ``|X_t[f]|**2`` over the bins within each band, ends included. A band narrower
        than a bin, in which none lies, has the bin nearest its centre; a band whose centre is
        above half the rate is 0.

    Examples
    --------
    >>> import numpy as np
    >>> tone = np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)
    >>> energy = band_energies(tone, 16000, pitches=[68, 69, 70])
    >>> energy.shape, int(energy[:, 0, 25].argmax())
    ((3, 3, 50), 1)
    """
    if n_harmonics < 1:
        raise ParameterError(f"n_harmonics={n_harmonics}, must be at least 1.")
    if n_fft is None:
        n_fft = fft_length(2 * max(1, round(window * rate)))
    spectrum = power_spectrum(samples, rate, hop, window=window, n_fft=n_fft)
    step = rate / n_fft
    edge = 2.0 ** (1.0 / 24.0)
    out = np.zeros((len(pitches), n_harmonics, len(spectrum)), dtype=np.float32)
    for row, f0 in zip(out, pitch_frequency(np.asarray(pitches), tuning=tuning), strict=True):
        for h, band in enumerate(row, start=1):
            centre = h * float(f0)
            if centre > rate / 2:
                break
            first, last = math.ceil(centre / edge / step), math.floor(centre * edge / step)
            if first > last:
                first = last = round(centre / step)
            spectrum[:, first : last + 1].sum(axis=1, out=band)
    return out


@one_thread()  # as log_mel: threads bring nothing here, and wait for each other where all are busy
def semitone_bands(
    samples: npt.ArrayLike,
    rate: int,
    hop: float = 0.010,
    *,
    windows: Sequence[tuple[int, float]] = LONG_WINDOWS,
    tuning: float | Float64 = 0.0,
    progress: Callable[[float], None] | None = None,
) -> Float32:
    """Return the energy in semitone bands, with windows fitted to the pitch.

    Parameters
    ----------
    samples
        As in `band_energies`.
    rate : int
        Sampling rate in Hz. Bands above half of it are 0.
    hop : float
        Time between rows in seconds; rounded to a whole number of samples.
    windows : sequence of (int, float)
        As `LONG_WINDOWS`: a pitch, and the window in seconds of the bands below it.
    tuning : float or np.ndarray [shape=(T,)]
        Semitones by which the recording is higher than 440 Hz: all of it, or each row.
    progress : callable, optional
        Called with the share that is done, in [0, 1].

    Returns
    -------
    np.ndarray [shape=(T, N_BANDS), dtype=float32]
        Row t is centred on ``t * hop``; T = ceil(n / hop in samples). A sine of amplitude a in
        the middle of a wide band is of the order of ``a**2 / 4``, whatever the window.

    Examples
    --------
    >>> import numpy as np
    >>> tone = np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)
    >>> bands = semitone_bands(tone, 16000)
    >>> bands.shape, LOWEST_BAND + int(bands[50].argmax())
    ((100, 99), 69)
    """
    x = np.ascontiguousarray(samples, dtype=np.float32)
    if x.ndim != 1 or x.size == 0:
        raise ParameterError(f"samples.shape={x.shape}, must be (n,), n > 0.")
    step = round(hop * rate)
    if step < 1:
        raise ParameterError(f"hop={hop} s, must be at least one sample at {rate} Hz.")
    ends = [end for end, _ in windows]
    if not windows or ends != sorted(set(ends)) or ends[-1] < LOWEST_BAND + N_BANDS:
        raise ParameterError(
            f"windows={windows}, must rise in pitch and reach {LOWEST_BAND + N_BANDS}."
        )
    out = np.zeros((math.ceil(x.size / step), N_BANDS), dtype=np.float32)
    low = LOWEST_BAND
    report = progress or (lambda share: None)
    for before, (end, seconds) in enumerate(windows):
        if round(seconds * rate) < 2:
            raise ParameterError(f"window={seconds} s, must be two samples or more at {rate} Hz.")
        high = min(end, LOWEST_BAND + N_BANDS)
        if high > low:
            part = out[:, low - LOWEST_BAND : high - LOWEST_BAND]
            size = round(seconds * rate)
            for done in _fill_bands(part, x, rate, step, size, low, tuning):
                report((before + done) / len(windows))
            low = high
    return out


def _fill_bands(
    out: Float32,
    x: Float32,
    rate: int,
    step: int,
    length: int,
    low: int,
    tuning: float | Float64,
) -> Iterator[float]:
    """Write the bands of pitches from `low` on to `out`, seen through one window.

    Yields the share that is done.
    """
    size, high = _fast_length(length), low + out.shape[1]
    tunings = np.broadcast_to(tuning, len(out))
    hann = np.hanning(length + 2)[1:-1]
    hann = (hann / hann.sum()).astype(np.float32)
    padded = np.pad(x, (length // 2, length))
    frames = np.lib.stride_tricks.sliding_window_view(padded, length)[::step]
    windowed = np.zeros((_BLOCK, size), dtype=np.float32)
    # numpy transforms float32 to complex64; its type stubs know only complex128
    spectrum: Any = np.empty((_BLOCK, size // 2 + 1), dtype=np.complex64)
    for begin in range(0, len(out), _BLOCK):
        n = min(_BLOCK, len(out) - begin)
        here = round(float(tunings[begin + n // 2]), 4)  # hardly changes within a block
        weights, first, last = _filters(rate, size, length, low, high, here)
        np.multiply(frames[begin : begin + n], hann, out=windowed[:n, :length])
        np.fft.rfft(windowed[:n], axis=1, out=spectrum[:n])
        used = spectrum[:n, first:last]
        power = np.square(used.real)
        power += np.square(used.imag)
        out[begin : begin + n] = power @ weights
        yield (begin + n) / len(out)


@lru_cache(maxsize=32)
def _filters(
    rate: int, size: int, length: int, low: int, high: int, tuning: float
) -> tuple[Float32, int, int]:
    """Weights of the bins of each band, each of sum 1, and the range of bins they need."""
    frequencies = np.arange(size // 2 + 1) * rate / size
    centre = pitch_frequency(np.arange(low, high), tuning=tuning)
    # Gaussian in frequency, not much narrower than what the window resolves
    width = np.maximum(centre * _WIDTH, 0.5 * rate / length)
    weights = np.exp(-0.5 * ((frequencies[:, None] - centre) / width) ** 2)
    weights[weights < 1e-3] = 0.0
    weights[:, centre > 0.995 * frequencies[-1]] = 0.0
    weights /= np.maximum(weights.sum(axis=0), 1e-9)
    used = np.flatnonzero(weights.any(axis=1))
    first, last = (int(used[0]), int(used[-1]) + 1) if used.size else (0, 1)
    return weights[first:last].astype(np.float32), first, last


def _fast_length(n: int) -> int:
    """Smallest product of 2, 3 and 5 that is at least `n`, for the Fourier transform."""
    best = 1 << (n - 1).bit_length()
    for five in (1, 5, 25, 125):
        for three in (1, 3, 9, 27, 81):
            rest = -(-n // (five * three))
            best = min(best, five * three << max(rest - 1, 0).bit_length())
    return best


def reference_level(loudest: Float32) -> float:
    """Return what counts as loud in a recording.

    `loudest` [shape=(T,)] is the energy of the loudest band of each frame.
    """
    return max(float(np.percentile(loudest, 95)), 1e-4 * float(loudest.max())) + 1e-12


def log_level(energy: Float32, reference: float | None = None) -> Float32:
    """Return energies as levels above the floor of the recording.

    Parameters
    ----------
    energy : np.ndarray [shape=(T, D)]
        Energies in bands, not negative.
    reference : float, optional
        The energy that counts as loud, where `energy` is but a part of a recording.

    Returns
    -------
    np.ndarray [shape=(T, D), dtype=float32]
        ``ln(E / reference + 1e-6) - ln 1e-6``: 0 is silence, 13.8 as loud as the loudest band of
        a loud frame. The reference is the 95th percentile over frames of the loudest band, or
        40 dB below the loudest of all where most of the recording is silent.

    Examples
    --------
    >>> import numpy as np
    >>> [round(float(x), 2) for x in log_level(np.array([[0.0, 1e-6, 1.0]], dtype=np.float32))[0]]
    [0.0, 0.69, 13.82]
    """
    if reference is None:
        reference = reference_level(energy.max(axis=1))
    level = energy * np.float32(1.0 / (reference * _FLOOR))
    return np.asarray(np.log1p(level, out=level), dtype=np.float32)
