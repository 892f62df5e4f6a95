"""A recording without most of the echo of its room: weighted prediction error.

Late echo is a sum of what was said before. In each band of frequencies it can be predicted from
frames that lie some way back, and what cannot be predicted is left: the sound that comes straight,
and the first reflections, which belong to it. The last frames are left out of the prediction,
or speech itself, which is alike for a few hundredths of a second, would be taken away.

The weights of the prediction are those of least squares, in which loud frames count for less by
their own power: speech is as loud as it is by chance. In the source this is the power of the sound
without echo, which is found in several rounds, and soft frames count without a limit. Here one
round is enough, since no frame counts as softer than a tenth of the loudest: the softest hold
noise, and say nothing of the room.

References
----------
Nakatani, Yoshioka, Kinoshita, Miyoshi and Juang, "Speech dereverberation based on
variance-normalized delayed linear prediction", IEEE Transactions on Audio, Speech and Language
Processing 18, 2010.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from align.types import Float32

_WINDOW, _OVERLAP = 0.064, 4  # seconds, and how many windows lie over each other
_DELAY, _TAPS = 2, 6  # frames, from which on and how many of which predict the echo
_BLOCK = 10.0  # seconds, for each of which the weights are found anew: speakers move
_SOFTEST = 0.1  # power of a frame beside that of the loudest
_STEADY = 1e-9  # of the diagonal, beside its mean: silence has no echo to be predicted


def dereverberated(samples: Float32, rate: int) -> Float32:
    """Return a recording without what can be predicted from .03 to .13 s before.

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
    Of an echo half as strong, .05 s later, a third of the power is left.

    >>> noise = np.random.default_rng(0).standard_normal(32000).astype(np.float32)
    >>> dry = noise * (np.arange(32000) % 8000 < 1000)
    >>> wet = dry + 0.5 * np.concatenate((np.zeros(800, np.float32), dry[:-800]))
    >>> error = dereverberated(wet, 16000) - dry
    >>> bool((error**2).mean() < 0.5 * ((wet - dry) ** 2).mean())
    True
    """
    hop = max(1, round(_WINDOW * rate / _OVERLAP))
    size = _OVERLAP * hop
    # the squares of the windows that lie over each other add up to 1
    window = np.sin(np.pi * (np.arange(size, dtype=np.float32) + 0.5) / size)
    window *= np.float32(np.sqrt(2.0 / _OVERLAP))
    n_frames = -(-(samples.size + size) // hop) - 1  # the first and the last hold one hop of it
    n_blocks = max(1, round(n_frames * hop / (rate * _BLOCK)))
    edges = np.linspace(0, n_frames, n_blocks + 1).round().astype(int).tolist()
    found = np.zeros(n_frames * hop + size, dtype=np.float32)
    for first, stop in pairwise(edges):
        before = max(0, first - _DELAY - _TAPS + 1)  # what the first frame is predicted from
        bands = np.fft.rfft(_frames(samples, before, stop, hop) * window).T
        straight = _unpredicted(np.ascontiguousarray(bands, dtype=np.complex64), first - before)
        sound = np.fft.irfft(straight.T, size).astype(np.float32) * window
        for k, part in enumerate(sound, first):
            found[k * hop : k * hop + size] += part
    return found[size - hop :][: samples.size]


def _frames(samples: Float32, first: int, stop: int, hop: int) -> Float32:
    """Return some frames [shape=(stop - first, size)]; of frame 0 the last hop is the first."""
    size = _OVERLAP * hop
    begin, end = (first + 1) * hop - size, stop * hop
    own = samples[max(begin, 0) : end]
    around = max(-begin, 0), end - max(begin, 0) - own.size
    return np.lib.stride_tricks.sliding_window_view(np.pad(own, around), size)[::hop]


def _unpredicted(bands: npt.NDArray[np.complex64], first: int = 0) -> npt.NDArray[np.complex64]:
    """Return what earlier frames do not predict [shape=(F, T - first)], for bands (F, T)."""
    n_bands, n_frames = bands.shape
    silent = np.zeros((n_bands, _DELAY + _TAPS - 1), dtype=bands.dtype)
    padded = np.concatenate((silent, bands), axis=1)
    # row k is the recording _DELAY + _TAPS - 1 - k frames before
    earlier = np.stack([padded[:, k : k + n_frames] for k in range(_TAPS)], axis=1)[..., first:]
    own = bands[:, first:]
    power = own.real**2 + own.imag**2
    softest = _SOFTEST * power.max(axis=1, keepdims=True) + 1e-30
    weighed = earlier.conj() / np.maximum(power, softest)[:, None]
    # normal equations of each band [shape=(F, taps, taps)] and [shape=(F, taps, 1)]
    square = (weighed @ earlier.transpose(0, 2, 1)).astype(np.complex128)
    aim = (weighed @ own[..., None]).astype(np.complex128)
    steady = np.einsum("fkk->f", square).real / _TAPS * _STEADY + 1e-20
    predictor = np.linalg.solve(square + steady[:, None, None] * np.eye(_TAPS), aim)
    predicted = predictor.astype(np.complex64).transpose(0, 2, 1) @ earlier
    return np.asarray(own - predicted[:, 0])
