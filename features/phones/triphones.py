"""How much frames sound like a phone of American English between two others.

A phone sounds as it does for what stands beside it: the *t* of *water* is not that of *stop*. The
acoustic model that comes with PocketSphinx (``recipes/monophones``) knows some 5,000 *senones*,
pieces of phones between neighbours that make the same difference. Each has weights of its own for
the Gaussians of its phone, which are those of `align.features.phones.monophones`. A word is then a
row of states, three for each phone, each with a senone and with what it costs to stay in it for
another frame, and to go on.

References
----------
Hwang and Huang, "Shared-distribution hidden Markov models for speech recognition", IEEE
Transactions on Speech and Audio Processing 1(4), 1993.
"""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align._numba import compiled
from align.features.phones.monophones import SCALE, gaussians_of_phones, phone_names
from align.features.sound.signal import Signal
from align.types import Float32, Float64, IntArray

_ALONE, _FIRST, _LAST, _INSIDE = 3, 1, 2, 0  # places of a phone in its word


class States(NamedTuple):
    """A row of them, which is passed from the first to the last [shape=(N,)].

    Parameters
    ----------
    senones : np.ndarray [shape=(N,), dtype=intp]
        What each sounds like.
    stay, leave : np.ndarray [shape=(N,)]
        What is added for another frame in it, and for leaving it.
    """

    senones: IntArray
    stay: Float64
    leave: Float64

    def reversed(self) -> "States":
        """Return them as they are passed when time runs backwards."""
        return States(self.senones[::-1].copy(), self.stay[::-1].copy(), self.leave[::-1].copy())


class _Table(NamedTuple):
    """What the data file holds.

    `first` has the first senone of each state of a phone [shape=(n, 3)], and `contexts` which of
    those that follow it is meant, by the place in the word, the phone before and the phone behind
    [shape=(n, 3, 4, n, n)].
    """

    first: IntArray
    contexts: npt.NDArray[np.uint8]
    weights: Float32
    phone: IntArray
    stay: Float64
    leave: Float64


@lru_cache(maxsize=1)
def _table() -> _Table:
    with (files("align.data") / "triphones.npz").open("rb") as stream:
        kept: Mapping[str, npt.NDArray[Any]] = np.load(stream, allow_pickle=False)
        weights = kept["weights"].astype(np.float32) * -kept["step"]
        return _Table(
            kept["first"].astype(np.intp),
            kept["contexts"],
            weights,
            kept["phone"].astype(np.intp),
            kept["stay"].astype(np.float64),
            kept["leave"].astype(np.float64),
        )


@lru_cache(maxsize=4096)
def states_of(phones: tuple[int, ...], before: int, behind: int) -> States:
    """Return the states of a word of `phones` between two others, columns of `monophone_scores`.

    Examples
    --------
    >>> from align.features.phones.monophones import phone_names
    >>> t, s, pause = (phone_names().index(name) for name in ("T", "S", "SIL"))
    >>> alone, cluster = states_of((t,), pause, pause), states_of((s, t), pause, pause)
    >>> len(cluster.senones), (alone.senones == cluster.senones[3:]).any()
    (6, np.False_)
    """
    table, n = _table(), len(phones)
    own = np.asarray(phones, dtype=np.intp)
    around = np.concatenate(([before], own, [behind]))
    place = np.full(n, _INSIDE)
    place[0], place[-1] = _FIRST, _LAST
    if n == 1:
        place[0] = _ALONE
    parts = np.arange(3)
    chosen = table.contexts[
        own[:, None], parts, place[:, None], around[:-2, None], around[2:, None]
    ]
    return States(
        (table.first[own] + chosen).ravel(), table.stay[own].ravel(), table.leave[own].ravel()
    )


@lru_cache(maxsize=1)
def pause_states() -> States:
    """Return the states of a pause."""
    pause = phone_names().index("SIL")
    return states_of((pause,), pause, pause)


@one_thread()
def senone_scores(
    signal: Signal, senones: IntArray, first: int = 0, stop: int | None = None
) -> Float32:
    """Return how much each frame of 10 ms sounds like some senones [shape=(T, N)].

    In the unit of `align.features.phones.monophones.monophone_scores`; of all frames, or from
    frame `first` to the one before `stop`.

    Examples
    --------
    >>> tone = np.sin(np.arange(16000) * 0.1).astype(np.float32)
    >>> senone_scores(Signal(tone, 16000), pause_states().senones).shape
    (100, 3)
    """
    table = _table()
    phones, column = np.unique(table.phone[senones], return_inverse=True)
    values = gaussians_of_phones(signal, phones, first, stop)
    scores = np.zeros((len(senones), values[0].shape[-1]), dtype=np.float32)
    for k, of_stream in enumerate(values):
        _add_best(of_stream, table.weights[senones, k], column.astype(np.intp), scores)
    scores *= SCALE
    return np.ascontiguousarray(scores.T)


@compiled()
def _add_best(values: Float32, weights: Float32, phone: IntArray, scores: Float32) -> None:
    """Add the best weighted Gaussian of each senone to its scores [shape=(N, T)].

    Of `values` [shape=(P, 16, T)], by the `phone` of each, and `weights` [shape=(N, 16)]. Frames
    lie side by side, so that several are done at once.
    """
    n_gaussians, n_frames = values.shape[1:]
    best = np.empty(n_frames, dtype=np.float32)
    for n in range(len(phone)):
        of_phone = values[phone[n]]
        for t in range(n_frames):
            best[t] = of_phone[0, t] + weights[n, 0]
        for k in range(1, n_gaussians):
            weight = weights[n, k]
            for t in range(n_frames):
                value = of_phone[k, t] + weight
                best[t] = value if value > best[t] else best[t]
        for t in range(n_frames):
            scores[n, t] += best[t]
