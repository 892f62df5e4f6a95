"""Notes within their chord: when each is played, since players are not simultaneous.

Where the network says of a note that it begins at frame x with probability q, the weight of x is

    odds(q) prior(x - chord) + missed laplace(x - chord)

The odds are q / (1 - q), and the second term is of notes that the network does not find, which
stay with their chord. The prior has two parts: a Laplace density of width s about the time of the
chord, and with a small share a wide one, of notes that are rolled, played long before the melody,
or in another order than written. Notes of one key are struck in their order, one after another:
the frames that weigh most together are found by the exact decoder, one key after another. The
time of a note is the median of the weights about its frame.

The width s is estimated from the recording, of the notes that the network is sure of. Where nine
in ten of them lie within 5 ms of the mean of their chord, as on a mechanical piano, s is small,
and all notes of a chord get nearly one time. Where they scatter by more than 11 ms, as players
do, s is large, and each note is placed where its own probability is.
"""

import numpy as np
import numpy.typing as npt

from align.decoders import decode
from align.potentials import Potentials
from align.types import Float64, IntArray

APART = 0.06
"""Seconds, sooner than which no key is struck again: it takes as long to come up."""

_FAR = 0.05  # share of notes that are played far from their chord
_FAR_WIDTH = 0.25  # seconds
_MISSED = 0.03  # odds of a note that the network does not find
_ODDS = 50.0  # at most
_ABOUT = 0.07  # seconds about the best frame, of which the median is taken
_SURE = 0.7  # probability from which on the time of a note in a pair counts for the spread,
_ENOUGH = 40  # or so many notes in the surest pairs, however unsure the network is of all
_FEW = 10
_NEAR = 0.08  # seconds from its chord within which it does
_MOST = 0.9  # share of these notes
_SCATTER = (0.005, 0.011)  # seconds, of a mechanical piano, and of players
_SPREADS = (0.003, 0.100)
_UNKNOWN = 0.012


def note_times(
    near: npt.NDArray[np.floating],
    chord: Float64,
    spread: float,
    hop: float,
    *,
    frames: IntArray | None = None,
    keys: IntArray | None = None,
) -> Float64:
    """Return the time of each note after the frame of its chord [shape=(M,)], in frames.

    `near` [shape=(M, 2 * R + 1)] is the probability that each note begins, in the frames about
    that of its chord; `chord` [shape=(M,)] the time of the chord after its frame, in frames;
    `spread` is s, in seconds, as is `hop`. Where `frames` [shape=(M,)], those of the chords, and
    `keys` [shape=(M,)] are given, notes of one key keep their order, in which they are given.

    Examples
    --------
    >>> near = np.array([[0.0, 0.0, 0.0, 0.9, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    >>> note_times(near, np.zeros(2), 0.050, 0.010).round(1)
    array([1., 0.])
    """
    weight = _weights(near, chord, spread, hop)
    if frames is None or keys is None:
        best = weight.argmax(axis=1)
    else:
        best = _in_order(weight, frames, keys, round(APART / hop))
    reach, about = near.shape[1] // 2, round(_ABOUT / hop)
    column = np.arange(near.shape[1])
    mass = np.cumsum(weight * (np.abs(column - best[:, None]) <= about), axis=1)
    mass = np.concatenate([np.zeros((len(mass), 1)), mass], axis=1)
    mass /= mass[:, -1:]
    k = np.count_nonzero(mass < 0.5, axis=1) - 1  # the frame that holds the median
    n = np.arange(len(mass))
    share = (0.5 - mass[n, k]) / (mass[n, k + 1] - mass[n, k])
    median: Float64 = column[k] - reach - 0.5 + share
    return median


def _weights(near: npt.NDArray[np.floating], chord: Float64, spread: float, hop: float) -> Float64:
    """Return the weight of each frame for each note, as in the text of the module."""
    reach = near.shape[1] // 2
    away = np.abs(np.arange(-reach, reach + 1) - chord[:, None]) * hop
    close = np.exp(-away / spread) / spread
    far = np.exp(-away / _FAR_WIDTH) / _FAR_WIDTH
    probability = near.astype(np.float64)
    odds = probability / np.maximum(1.0 - probability, 1.0 / _ODDS)
    return odds * ((1.0 - _FAR) * close + _FAR * far) + _MISSED * close


def _in_order(weight: Float64, frames: IntArray, keys: IntArray, apart: int) -> IntArray:
    """Return the best column for each note [shape=(M,)], those of one key being in order."""
    score = np.log(np.maximum(weight, 1e-30))
    # frame 0 is the first column of a window that begins with the recording: none is negative
    first = np.asarray(frames, dtype=np.intp)
    n_frames = int(first.max(initial=0)) + weight.shape[1]
    best = np.empty(len(first), dtype=np.intp)
    for key in np.unique(keys):
        own = np.flatnonzero(keys == key)
        # nearer than their chords they may be where those are, so that there is always an answer
        wait = np.clip(np.append(np.diff(first[own]), 1), 1, apart)
        found = decode(Potentials(score[own], n_frames, start=first[own], min_length=wait))
        best[own] = found.onsets - first[own]
    return best


def note_spread(
    near: npt.NDArray[np.floating], chord: Float64, group: IntArray, hop: float
) -> float:
    """Return the width of the prior that suits a recording: s in seconds, in 0.003..0.1.

    As in `note_times`; `group` [shape=(M,)] is the chord of each note.
    """
    times = note_times(near, chord, _SPREADS[1], hop)
    reach, n = near.shape[1] // 2, np.arange(len(near))
    column = np.clip(np.rint(times).astype(np.intp) + reach, 1, 2 * reach - 1)
    sure = near[n[:, None], column[:, None] + np.arange(-1, 2)].max(axis=1)
    pair = _of_pairs(np.where(np.abs(times - chord) * hop <= _NEAR, sure, 0.0), group)
    border = min(_SURE, np.sort(pair)[-min(_ENOUGH, len(pair))])
    clear = (pair > 0.0) & (pair >= border)
    if clear.sum() < _FEW:
        return _UNKNOWN
    count = np.bincount(group, clear)
    mean = np.bincount(group, clear * times) / np.maximum(count, 1)
    size = count[group[clear]]
    away = np.abs(times - mean[group])[clear] * np.sqrt(size / (size - 1)) * hop
    low, high = _SCATTER
    human = float(np.clip((np.quantile(away, _MOST) - low) / (high - low), 0.0, 1.0))
    machine, players = _SPREADS
    return float(machine ** (1.0 - human) * players**human)


def _of_pairs(sure: npt.NDArray[np.floating], group: IntArray) -> npt.NDArray[np.floating]:
    """Return how sure each note and some other of its chord are, 0 for a note alone."""
    order = np.lexsort((-sure, group))
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    second = np.append(sure[order], 0.0)[first + 1]
    other = np.where(np.bincount(group) > 1, second, 0.0)[group]
    return np.asarray(np.minimum(sure, other))
