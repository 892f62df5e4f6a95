"""Mel-frequency cepstral coefficients with derivatives.

The coefficients of a frame are the orthonormal discrete cosine transform (DCT-II) of its log mel
energies ``m``::

    c[i] = s_i sqrt(2 / B) sum_b m[b] cos(pi i (b + 1/2) / B),    s_0 = sqrt(1/2), s_i = 1

Framing is that of `align.features.sound.spectra`; derivatives are those of
`align.features.sound.derivatives`.

References
----------
Davis and Mermelstein, "Comparison of parametric representations for monosyllabic word
recognition in continuously spoken sentences", IEEE Trans. ASSP 28, 1980.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.features.sound.derivatives import polynomial_derivatives
from align.features.sound.spectra import log_mel, normalised
from align.types import Float32


def mfcc(
    samples: npt.ArrayLike,
    rate: int,
    hop: float = 0.010,
    *,
    window: float = 0.025,
    n_mfcc: int = 13,
    n_mels: int = 40,
    preemphasis: float = 0.97,
    derivatives: int = 2,
    derivative_reach: float = 0.020,
    normalise_mean: bool = True,
    normalise_variance: bool = False,
    **mel_options: Any,
) -> Float32:
    """Return mel-frequency cepstral coefficients and their derivatives.

    Parameters
    ----------
    samples : array_like [shape=(n,)]
        Mono samples in [-1, 1].
    rate : int
        Sampling rate in Hz.
    hop : float
        Length of a frame in seconds; rounded to a whole number of samples.
    window : float
        Length of the analysis window in seconds.
    n_mfcc : int
        Number of coefficients, the 0th included.
    n_mels : int
        Number of mel bands, at least `n_mfcc`.
    preemphasis : float
        a of ``x[i] - a * x[i-1]``, applied before; 0 for none.
    derivatives : int
        How many derivatives to append.
    derivative_reach : float
        How far the fit of a derivative reaches to either side, in seconds; at least as many
        frames as the derivative needs.
    normalise_mean : bool
        Subtract the mean of each coefficient over the recording.
    normalise_variance : bool
        Divide each coefficient and derivative by its standard deviation over the recording.
    **mel_options
        `fmin`, `fmax`, `n_fft`, `mel_scale`, `mel_norm`, `floor` of `log_mel`.

    Returns
    -------
    np.ndarray [shape=(T, n_mfcc * (1 + derivatives)), dtype=float32]
        The coefficients, then their first derivatives, and so on; derivatives are per frame.

    Raises
    ------
    ParameterError
        For arguments out of range.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(0).normal(size=16000)
    >>> mfcc(noise, rate=16000).shape
    (100, 39)
    """
    mel = log_mel(
        samples,
        rate,
        hop,
        window=window,
        n_mels=n_mels,
        preemphasis=preemphasis,
        **mel_options,
    )
    return cepstra(
        mel,
        round(hop * rate) / rate,
        n_mfcc=n_mfcc,
        derivatives=derivatives,
        derivative_reach=derivative_reach,
        normalise_mean=normalise_mean,
        normalise_variance=normalise_variance,
    )


def cepstra(
    mel: Float32,
    hop: float,
    *,
    n_mfcc: int = 13,
    derivatives: int = 2,
    derivative_reach: float = 0.020,
    normalise_mean: bool = True,
    normalise_variance: bool = False,
) -> Float32:
    """Return cepstral coefficients from log mel energies.

    Parameters
    ----------
    mel : np.ndarray [shape=(T, n_mels), dtype=float32]
        Log mel energies.
    hop : float
        Length of a frame in seconds.
    n_mfcc, derivatives, derivative_reach, normalise_mean, normalise_variance
        As in `mfcc`.

    Returns
    -------
    np.ndarray [shape=(T, n_mfcc * (1 + derivatives)), dtype=float32]
    """
    n_mels = mel.shape[1]
    if not 1 <= n_mfcc <= n_mels:
        raise ParameterError(f"n_mfcc={n_mfcc}, must be in 1..n_mels={n_mels}.")
    if derivatives < 0:
        raise ParameterError(f"derivatives={derivatives}, must not be negative.")
    out = np.empty((len(mel), n_mfcc * (1 + derivatives)), dtype=np.float32)
    static = np.matmul(mel, _dct(n_mfcc, n_mels), out=np.empty((len(mel), n_mfcc), np.float32))
    out[:, :n_mfcc] = normalised(static, mean=normalise_mean)
    if derivatives:
        half = max(round(derivative_reach / hop), (derivatives + 1) // 2, 1)
        for n, values in enumerate(polynomial_derivatives(static, 2 * half + 1, derivatives), 1):
            out[:, n * n_mfcc : (n + 1) * n_mfcc] = values
    return normalised(out, mean=False, variance=normalise_variance)


@lru_cache(maxsize=32)
def _dct(n_out: int, n_in: int) -> Float32:
    """Orthonormal DCT-II, transposed [shape=(n_in, n_out)]."""
    b = np.arange(n_in)[:, None] + 0.5
    matrix = np.sqrt(2.0 / n_in) * np.cos(np.pi * np.arange(n_out) * b / n_in)
    matrix[:, 0] *= np.sqrt(0.5)
    out: Float32 = matrix.astype(np.float32)
    out.setflags(write=False)
    return out
