"""Sound that has no voice in it: a cough, a beep, a door, a telephone, most music, rain.

Speech of more than a few sounds has a voice somewhere, whose period is 2.5 to 16 ms: there what is
heard is nearly the same one period later. Noise is not. A tone is, but a shorter time later, too.
How like it is to itself is the largest normalised correlation of 40 ms with what is so much later,
in the mean of three blocks, three of which in a row are a voice. Of two words of TIMIT in a row 1
of 82 has none, of three none of 68; of single words 10 of 92, the longest of .12 s.

What repeats itself may still be a telephone or an instrument. Where there is less than 1/300 of
the energy below 560 Hz, as in the tones of its keys, it is no voice. And partials of instruments
stay where they are while they last; those of a voice move, the more the higher they are. So the
fine structure of a spectrum, less its envelope, is compared with that of 80 ms later and of 80 ms
before: of a voice it mostly is another one. That is asked of .15 s and more. Where a text lacked
half of what five Germans say (249 recordings), at most 86 % of the blocks of that half were as
steady; of telephones, horns and instruments 96 % and more.

Where even the words of a recording have little voice, as in loud noise or a whisper, nothing can
be said; nor of instruments where the words are as steady, as a voice without any melody, or behind
one that plays all the time.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from align.types import BoolArray, Float64, IntArray

_BLOCK = 0.01  # seconds
_WINDOW = 0.04  # seconds that are compared with later ones
_PERIODS = 0.0024, 0.016  # seconds, from the shortest to the longest of a voice
_HIGHER = 0.1  # by how much the correlation is higher there than at shorter periods
_VOICED = 0.55  # correlation
_RUN = 3  # blocks that have it in a row
_SOFTER = 25.0  # dB below the voice of the words, from which on it is the hum of a recorder
_LEAST = 0.4  # share of the words that has a voice, below which nothing can be said
_EDGE, _CORE = 0.03, 0.04  # seconds at either end that may have the voice beside, and what is left
_FRAMES = 256  # blocks at a time
_FINE, _LATER = 0.064, 0.08  # seconds of a spectrum, and until the one it is compared with
_HIGHEST, _ENVELOPE = 4000.0, 250.0  # Hz that are compared, and width of what is their envelope
_LOW, _LEAST_LOW = 560.0, 10.0**-2.5  # Hz, and the share of the energy of a voice below it
_STEADY, _MOST_TONES = 0.75, 0.92  # correlation, and share of voiced blocks that are tones
_FEWEST, _SOME = 15, 200  # blocks, below which a voice may be as steady; and at most asked


def voiceless(
    samples: npt.NDArray[np.float32],
    rate: int,
    spans: Float64,
    words: Float64,
    *,
    tones: bool = True,
) -> BoolArray:
    """Return which parts of a recording have no voice, though its words have.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
        Mono samples.
    rate : int
        Sampling rate in Hz.
    spans, words : np.ndarray [shape=(N, 2)], [shape=(W, 2)]
        Where the parts, and what is surely said, begin and end in seconds.
    tones : bool
        Whether tones that repeat themselves as a voice does, of a telephone or an instrument,
        count as what they are.

    Returns
    -------
    np.ndarray [shape=(N,), dtype=bool]

    Examples
    --------
    A voice of 100 Hz for a second, a tone, and noise:

    >>> t = np.arange(16000)
    >>> sounds = (t % 160 < 20) - 0.125, np.sin(t), np.random.default_rng(0).normal(size=16000)
    >>> samples = np.concatenate(sounds).astype(np.float32)
    >>> spans = np.array([[0.2, 0.8], [1.2, 1.8], [2.2, 2.8], [0.5, 2.5]])
    >>> voiceless(samples, 16000, spans, np.array([[0.0, 1.0]])).tolist()
    [False, True, True, False]
    """
    like, level = _periodicity(samples, rate)
    hop = round(_BLOCK * rate)

    def blocks(begin: float, end: float) -> slice:
        first, stop = int(begin * rate) // hop, int(end * rate) // hop
        return slice(first, max(stop, first + 1))

    own = np.zeros(len(like), dtype=bool)
    for begin, end in words:
        own[blocks(begin, end)] = True
    voiced = like > _VOICED
    has_voice = bool(own.any() and voiced[own].mean() >= _LEAST)
    if has_voice:
        voiced &= level > np.median(level[own & voiced]) - _SOFTER
    edges = np.clip((spans[:, 1] - spans[:, 0] - _CORE) / 2, 0.0, _EDGE)
    run = np.ones(_RUN)

    def are_tones(blocks: BoolArray) -> bool:
        some = np.flatnonzero(blocks)
        some = some[:: -(-len(some) // _SOME)]
        return bool(_is_tone(samples, rate, some).mean() >= _MOST_TONES)

    @cache
    def words_are_tones() -> bool:
        said = own & voiced
        return said.sum() < _FEWEST or are_tones(said)

    def is_voiceless(begin: float, end: float) -> bool:
        here = np.zeros(len(voiced), dtype=bool)
        here[blocks(begin, end)] = True
        here &= voiced
        if np.convolve(here, run).max() < _RUN:
            return has_voice
        return tones and are_tones(here) and not words_are_tones()

    inner = zip(spans[:, 0] + edges, spans[:, 1] - edges, strict=True)
    return np.array([is_voiceless(*at) for at in inner], dtype=bool)


def _periodicity(samples: npt.NDArray[np.float32], rate: int) -> tuple[Float64, Float64]:
    """Return how like itself each block is, a period of a voice later, and its level in dB."""
    hop, n = round(_BLOCK * rate), round(_WINDOW * rate)
    shortest, longest = (round(period * rate) for period in _PERIODS)
    wide = n + longest
    n_blocks = max(1, -(-len(samples) // hop))
    size = 1 << (wide - 1).bit_length()
    like, level = np.zeros(n_blocks), np.zeros(n_blocks)
    for first in range(0, n_blocks, _FRAMES):
        n_own = min(_FRAMES, n_blocks - first)
        begin, length = first * hop + (hop - wide) // 2, (n_own - 1) * hop + wide
        heard = samples[max(begin, 0) : begin + length].astype(np.float64)
        left = max(-begin, 0)
        heard = np.pad(heard, (left, length - left - len(heard)))
        own = np.lib.stride_tricks.sliding_window_view(heard, wide)[::hop]
        own = own - own.mean(axis=1, keepdims=True)
        later = np.fft.rfft(own, size) * np.fft.rfft(own[:, :n], size).conj()
        power = np.cumsum(np.pad(own**2, ((0, 0), (1, 0))), axis=1)
        power = power[:, n:] - power[:, :-n] + 1e-12
        r = np.fft.irfft(later, size)[:, : longest + 1] / np.sqrt(power[:, :1] * power)
        # near 0 all is like itself; a period is behind the first change of sign
        r[np.minimum.accumulate(r, axis=1) >= 0.0] = 0.0
        voice, shorter = r[:, shortest:].max(axis=1), r[:, :shortest].max(axis=1)
        here = slice(first, first + n_own)
        like[here] = np.where(voice > shorter + _HIGHER, voice, 0.0)
        level[here] = 10.0 * np.log10(power[:, 0])
    around = np.pad(like, 1, mode="edge")
    return (around[:-2] + around[1:-1] + around[2:]) / 3.0, level


def _is_tone(samples: npt.NDArray[np.float32], rate: int, blocks: IntArray) -> BoolArray:
    """Return which blocks have partials that stay where they are, or no energy where voices do."""
    hop, n, later = round(_BLOCK * rate), round(_FINE * rate), round(_LATER / _BLOCK)
    every = np.unique(np.concatenate([blocks - later, blocks, blocks + later]))
    size = 1 << n.bit_length()
    highest, lowest, width = (round(f / rate * size) for f in (_HIGHEST, _LOW, _ENVELOPE))
    window, box = np.hanning(n), np.ones(width) / width
    fine, low = np.zeros((len(every), min(highest, size // 2 + 1))), np.zeros(len(every))
    padded = np.pad(samples, (n, n + hop))
    for k, block in enumerate(every):
        begin = int(np.clip(block * hop + (hop + n) // 2, 0, len(padded) - n))
        power = np.abs(np.fft.rfft(window * padded[begin : begin + n], size)) ** 2
        low[k] = power[:lowest].sum() / (power.sum() + 1e-12)
        spectrum = power[:highest] ** 0.25
        fine[k] = spectrum - np.convolve(spectrum, box, mode="same")
    fine /= np.linalg.norm(fine, axis=1, keepdims=True) + 1e-12
    own, after, before = (np.searchsorted(every, blocks + by) for by in (0, later, -later))
    like = (np.einsum("ij,ij->i", fine[own], fine[other]) for other in (after, before))
    steady = (np.maximum(*like) > _STEADY) & (len(blocks) >= _FEWEST)
    return np.asarray(steady | (low[own] < _LEAST_LOW))
