"""How much frames sound like each phone of American English, by a second acoustic model.

The networks of this package learn from minutes of speech whose phones have their times. Beside
them stands a table of Gaussians, made from the acoustic model that comes with PocketSphinx, which
learned from a great deal of English without such times (``recipes/monophones``). It knows less of
*when* a phone begins, and is wrong about other things than the networks are: what both find
unlikely was hardly said (`align.speech.second_scores`).

Each of 42 phones has 16 Gaussians for the cepstra of a frame, for their differences over 40 ms,
and for the differences of these, with weights for each of its three states. The score of a phone
is that of its best state: the sum, over the three streams, of its best weighted Gaussian, times
0.4, since the streams and the frames are far from independent.

References
----------
Huggins-Daines et al., "PocketSphinx: a free, real-time continuous speech recognition system for
hand-held devices", ICASSP 2006.
"""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align._numba import compiled
from align.features.phones.articulatory import FEATURES, articulation
from align.features.sound.cepstra import cepstra
from align.features.sound.near_mean import without_near_mean
from align.features.sound.signal import Signal
from align.features.sound.sounding import frames_of, level_of
from align.features.sound.spectra import log_mel
from align.types import Float32, IntArray

HOP = 0.010
"""Length of a frame in seconds."""

SCALE = np.float32(0.4)
"""Of log likelihoods."""

_NO_SPEECH = "SIL", "+NSN+", "+SPN+"
_FLOOR = 1e-7  # of energies, of speech whose level is that of close speech
_LEVEL = 0.05
_HIGHEST = 6800.0  # Hz
_BLOCK = 64  # frames that are scored at a time
_MANNERS = slice(FEATURES.index("vowel"), FEATURES.index("click") + 1)
_PLACES = slice(FEATURES.index("labial"), FEATURES.index("glottal") + 1)  # from front to back


class Gaussians(NamedTuple):
    """Those of all phones, in three streams.

    Parameters
    ----------
    slopes : np.ndarray [shape=(3, 26, 16 * n)]
        What squares of numbers, and numbers, count for the first Gaussian of each phone, for the
        second, and so on.
    offsets : np.ndarray [shape=(3, 16 * n)]
        What is added.
    weights : np.ndarray [shape=(3, 3, 16, n)]
        The log weight of each in each of three states.
    """

    slopes: Float32
    offsets: Float32
    weights: Float32


class _Table(NamedTuple):
    """What the data file holds: Gaussians, and which phone symbols of the IPA sound like."""

    phones: tuple[str, ...]
    gaussians: Gaussians
    symbols: Mapping[str, int]


@lru_cache(maxsize=1)
def _table() -> _Table:
    with (files("align.data") / "monophones.npz").open("rb") as stream:
        kept: Mapping[str, npt.NDArray[Any]] = np.load(stream, allow_pickle=False)
        symbols = zip(kept["symbols"].tolist(), kept["columns"].tolist(), strict=True)
        return _Table(tuple(kept["phones"].tolist()), gaussians_of(kept), dict(symbols))


def gaussians_of(table: Mapping[str, npt.NDArray[Any]]) -> Gaussians:
    """Return Gaussians by their ``means`` and ``deviations`` [shape=(3, n, 16, 13)].

    And by their ``weights`` [shape=(3, n, 3, 16)].
    """
    means, deviations, weights = (
        table[name].astype(np.float64) for name in ("means", "deviations", "weights")
    )
    means, deviations = np.swapaxes(means, 1, 2), np.swapaxes(deviations, 1, 2)
    streams, size = len(means), means.shape[-1]
    precision = 1.0 / np.square(deviations)
    slopes = np.concatenate((-0.5 * precision, means * precision), axis=-1)
    offsets = -(np.log(deviations) + 0.5 * np.square(means) * precision).sum(axis=-1)
    return Gaussians(
        slopes.reshape(streams, -1, 2 * size).transpose(0, 2, 1).astype(np.float32),
        offsets.reshape(streams, -1).astype(np.float32),
        np.ascontiguousarray(weights.transpose(0, 2, 3, 1), dtype=np.float32),
    )


def english_phone(label: str) -> int | None:
    """Return the column of `monophone_scores` for a phone of ARPABET; None if it is none of them.

    Examples
    --------
    >>> english_phone("aa"), english_phone("ax")
    (2, None)
    """
    names, name = phone_names(), label.upper()
    return names.index(name) if name in names and name not in _NO_SPEECH else None


@lru_cache(maxsize=4096)
def monophone(symbol: str) -> int:
    """Return the column of `monophone_scores` for an IPA symbol.

    It is that of the symbol with the nearest articulation, of those that were met in speech of
    many languages: the phone that scores most where they are said. Raises DataError as
    `articulation` does.

    Examples
    --------
    >>> monophone("ʂ") == monophone("ʃ")
    True
    """
    known = _table().symbols
    differs = np.stack([articulation(s).vector for s in known]) - articulation(symbol).vector
    # A sound of the same manner is more alike than one of the same place. Of other places those
    # are more alike that are near each other, but for the lips, which no tongue is near.
    distance = np.abs(differs).sum(axis=1) + 0.5 * np.abs(differs[:, _MANNERS]).sum(axis=1)
    distance += 0.1 * np.abs(differs[:, _PLACES.start])
    distance += 0.01 * np.abs(np.cumsum(differs[:, _PLACES], axis=1)).sum(axis=1)
    return [*known.values()][int(distance.argmin())]


def monophone_scores(signal: Signal) -> Float32:
    """Return how much each frame of 10 ms sounds like each phone [shape=(T, n_phones)].

    Log likelihoods but for a constant of each frame. A pause and two kinds of noise are among the
    phones.

    Examples
    --------
    >>> import numpy as np
    >>> tone = np.sin(np.arange(16000) * 0.1).astype(np.float32)
    >>> monophone_scores(Signal(tone, 16000)).shape
    (100, 42)
    """
    key = ("monophone scores",)
    return signal.cached(key, lambda: scores_of(signal, _table().gaussians))


def phone_names() -> tuple[str, ...]:
    """Return the names of the phones, as PocketSphinx has them, in the order of the columns.

    Examples
    --------
    >>> phone_names()[2:5]
    ('AA', 'AE', 'AH')
    """
    return _table().phones


def streams(signal: Signal) -> tuple[Float32, Float32, Float32]:
    """Return cepstra of frames, their differences, and the differences of these [shape=(T, 13)].

    They are computed once for a signal.
    """
    return signal.cached(("cepstra of monophones",), lambda: _streams(signal))


@one_thread()
def _streams(signal: Signal) -> tuple[Float32, Float32, Float32]:
    level = level_of(signal.samples, signal.sounding)
    mel = log_mel(
        signal.samples * np.float32(_LEVEL / max(level, 1e-6)),
        signal.rate,
        HOP,
        window=0.025625,
        n_mels=25,
        fmin=130.0,
        fmax=min(_HIGHEST, 0.5 * signal.rate),
        preemphasis=0.97,
        floor=_FLOOR,
        normalise_mean=True,
    )
    sound = frames_of(signal.sounding, len(mel), HOP)
    x = cepstra(
        without_near_mean(mel, HOP, sound), HOP, n_mfcc=13, derivatives=0, normalise_mean=False
    )
    frames = np.arange(len(x))

    def later(by: int) -> Float32:
        return x[np.clip(frames + by, 0, len(x) - 1)]

    return x, later(2) - later(-2), later(3) - later(-1) - later(1) + later(-3)


@one_thread()
def gaussians_of_phones(
    signal: Signal, phones: IntArray, first: int = 0, stop: int | None = None
) -> list[Float32]:
    """Return the values of the Gaussians of some phones, for each stream [shape=(P, 16, T)].

    In all frames, or from frame `first` to the one before `stop`.
    """
    table = _table().gaussians
    n_phones = table.weights.shape[-1]
    found = []
    for whole, slopes, offsets in zip(streams(signal), table.slopes, table.offsets, strict=True):
        stream = whole[first:stop]
        own = slopes.reshape(len(slopes), -1, n_phones)[:, :, phones].transpose(2, 1, 0)
        values = own.reshape(-1, len(slopes)) @ np.concatenate((stream * stream, stream), axis=1).T
        values = values.reshape(len(phones), -1, len(stream))
        values += offsets.reshape(-1, n_phones)[:, phones].T[:, :, None]
        found.append(values)
    return found


@one_thread()
def scores_of(signal: Signal, gaussians: Gaussians) -> Float32:
    """Return the scores of all phones in each frame [shape=(T, n_phones)]."""
    x = streams(signal)
    n_states, n_gaussians, n_phones = gaussians.weights.shape[1:]
    states = np.zeros((len(x[0]), n_states, n_phones), dtype=np.float32)
    for stream, slopes, offsets, weights in zip(x, *gaussians, strict=True):
        for first in range(0, len(x[0]), _BLOCK):
            part = stream[first : first + _BLOCK]
            scores = np.concatenate((part * part, part), axis=1) @ slopes
            scores += offsets
            _add_best(scores.reshape(-1, n_gaussians, n_phones), weights, states[first:])
    best: Float32 = SCALE * states.max(axis=1)
    return best


@compiled()
def _add_best(scores: Float32, weights: Float32, states: Float32) -> None:
    """Add the best weighted Gaussian of each phone to its states [shape=(T or more, 3, n)].

    Of `scores` [shape=(T, 16, n)] and `weights` [shape=(3, 16, n)]. The innermost loops are over
    phones, which lie side by side, so that several are done at once.
    """
    n_states, n_gaussians, n_phones = weights.shape
    best = np.empty(n_phones, dtype=np.float32)
    for t in range(scores.shape[0]):
        for s in range(n_states):
            for p in range(n_phones):
                best[p] = scores[t, 0, p] + weights[s, 0, p]
            for k in range(1, n_gaussians):
                for p in range(n_phones):
                    value = scores[t, k, p] + weights[s, k, p]
                    best[p] = value if value > best[p] else best[p]
            for p in range(n_phones):
                states[t, s, p] += best[p]
