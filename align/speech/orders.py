"""How much better the sounds of a text fit in their order than in others: its *order gap*.

Where few sounds were said, or in a language that the network was not trained on, no border holds
for the score of a text: it depends on the sounds, the voice and the room. The same sounds in other
orders have the same sounds, voice and room, so they are what a text is compared with here, as
voices are with those of other speakers where a speaker is to be verified. With the score s of the
best path of the text's n sounds, and the scores of the best paths of N random orders of them,
silences in their places, the gap is

    s - (mean of the scores of the N orders)

and grows with n where the text is right. Of a wrong text, whose order is no better than others, it
is about 0, and varies by the root of n.

Scores of a second acoustic model (`align.speech.second_scores`) may be added to each frame, as far
as they mean something. That model is wrong about other sounds than the networks are, so right
texts beat other orders more surely.

All paths are found by one kernel on frames of 15 ms with the base functions and weights of the
aligner, spectral distances left out: a path takes ``O(n T L)`` for T frames and lengths of L.

References
----------
Auckenthaler, Carey and Lloyd-Thomas, "Score normalization for text-independent speaker
verification systems", Digital Signal Processing 10, 2000.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.features import DurationFeature, Feature, NetworkConfidence
from align.sequence.extended import Extended
from align.sequence.feature_terms import terms_of
from align.speech.second_scores import SecondSums
from align.terms import DurationTerm, OnsetTerm, SegmentTerm
from align.types import BoolArray, Event, Float64, IntArray

_ORDERS, _FEWEST = 40, 8  # that a text is compared with; fewer where it is long
_WORK, _MOST_WORK = 5e6, 3e8  # steps of the kernel: some 10 ms where fewer will do; 0.6 s at most
_FRAME, _LONGEST = 0.015, 0.3  # seconds; sounds that are longer score as such
_TRIES = 3  # at an order that is not the text's own
_NOBODY = 1e3  # that a frame of a sound costs where nobody speaks
_SECOND = 0.1  # what the second score of a frame counts, where it means most;
_MORE = 0.77  # and by how much gaps of right texts grow with it

SumsOf: TypeAlias = Callable[[Sequence[str], Float64], SecondSums | None]
"""Returns the sums of second scores of some labels, up to some seconds of the recording."""


class Coarse(NamedTuple):
    """What the paths of S different events through T coarse frames are scored by.

    Parameters
    ----------
    prefix : np.ndarray [shape=(S, T + 1)]
        Sums of the scores of each event over the frames.
    onset : np.ndarray [shape=(Q, T)]
        Score of an onset at each frame, for some pairs of events.
    onset_row : np.ndarray [shape=(S, S), dtype=intp]
        Row of each pair: the event before and the one that begins.
    length : np.ndarray [shape=(R, L + 1)]
        Score of each length in frames, the last one of any that is longer.
    length_row : np.ndarray [shape=(S, S), dtype=intp]
        Row of each pair: the event and the one behind it.
    """

    prefix: Float64
    onset: Float64
    onset_row: IntArray
    length: Float64
    length_row: IntArray


def order_gap(
    features: Sequence[Feature],
    weights: Mapping[str, float],
    extended: Extended,
    events: Sequence[Event],
    silent: BoolArray,
    joined: BoolArray,
    second: SumsOf | None = None,
    noises: IntArray | None = None,
) -> float | None:
    """Return the order gap of some events; None where there are no other orders, or no room.

    With `second` scores the gap is less by as much as those of right texts are greater. In frames
    of `noises` [shape=(N, 2)] nobody speaks, whatever the order.
    `weights` are those of the base functions. `silent` [shape=(K,)] says which events are
    silences, and stay where they are; `joined` [shape=(K,)] which are never parted from the next
    one, as the closure of a stop.
    """
    labels = sorted({str(event) for event in events})
    place = {label: k for k, label in enumerate(labels)}
    own = np.array([place[str(event)] for event in events], dtype=np.intp)
    signal = extended.own
    step = max(1, round(_FRAME / signal.hop))
    n_frames, n_lengths = -(-signal.n_frames // step), round(_LONGEST / signal.hop / step)
    # What is in pauses that were added is the same in any order, but where these go on in the
    # recording, since there is a noise.
    at_start = noises is not None and bool((noises[:, 0] == 0).any())
    at_end = noises is not None and bool((noises[:, 1] == signal.n_frames).any())
    first = int(bool(extended.before) and bool(silent[0]) and not at_start)
    stop = len(own) - int(bool(extended.after) and bool(silent[-1]) and not at_end)
    own, silent, joined = own[first:stop], silent[first:stop], joined[first:stop]
    if silent.all():
        return None
    work = float(n_frames) * n_lengths * len(own)
    n = int(np.clip(_WORK / work, _FEWEST, _ORDERS))
    if n * work > _MOST_WORK or n_frames <= len(own):
        return None
    others = other_orders(own, silent, joined, n, np.random.default_rng(0))
    if not len(others):
        return None
    table = coarse(features, weights, extended, labels, step, n_lengths)
    at = np.minimum(np.arange(table.prefix.shape[1]) * step, signal.n_frames)
    sums = None if second is None else second(labels, at * signal.hop)
    if sums is not None:
        table = table._replace(prefix=table.prefix + _SECOND * sums.share * sums.sums)
    for start, end in () if noises is None else noises:
        there = (at[:-1] >= start) & (at[1:] <= end)
        said = np.setdiff1d(own, own[silent])
        table.prefix[said, 1:] -= np.cumsum(np.where(there, _NOBODY, 0.0))
    scores = best_scores(table, np.concatenate([own[None], others]), silent)
    grown = 1.0 if sums is None else 1.0 + _MORE * sums.share
    return float(scores[0] - scores[1:].mean()) / grown


def other_orders(
    own: IntArray, silent: BoolArray, joined: BoolArray, n: int, rng: np.random.Generator
) -> IntArray:
    """Return n random orders of events, or fewer [shape=(<= n, K)], none of them their own.

    Where most orders of alike sounds are their own, some draws find none.

    Examples
    --------
    >>> silent, joined = np.array([True, False, False]), np.zeros(3, dtype=bool)
    >>> found = other_orders(np.array([0, 1, 2]), silent, joined, 9, np.random.default_rng(0))
    >>> np.unique(found, axis=0)
    array([[0, 2, 1]])
    """
    starts = np.flatnonzero(~silent & ~np.append(False, joined[:-1] & ~silent[:-1]))
    units = [[int(k)] for k in starts]
    for unit in units:
        while joined[unit[-1]] and unit[-1] + 1 < len(own) and not silent[unit[-1] + 1]:
            unit.append(unit[-1] + 1)
    sounds = np.flatnonzero(~silent)
    found = []
    for _ in range(n):
        for _ in range(_TRIES):
            order = own.copy()
            order[sounds] = own[[k for u in rng.permutation(len(units)) for k in units[u]]]
            if not np.array_equal(order, own):  # with many alike sounds a few are not found
                found.append(order)
                break
    return np.array(found, dtype=np.intp).reshape(-1, len(own))


def coarse(
    features: Sequence[Feature],
    weights: Mapping[str, float],
    extended: Extended,
    labels: Sequence[str],
    step: int,
    n_lengths: int,
) -> Coarse:
    """Return what paths of events with some labels are scored by, on every `step`-th frame."""
    kept = [f for f in features if isinstance(f, NetworkConfidence | DurationFeature)]
    n = len(labels)
    # Each label before each other one: what depends on two neighbours is in the second of a pair
    # (onsets) or in the first (lengths).
    pairs = tuple(label for a in labels for b in labels for label in (a, b))
    terms = terms_of(kept, extended.signal, pairs)
    first, stop = extended.span
    at = np.minimum(np.arange(first, stop + step, step), stop)
    prefix = np.zeros((n, len(at)))
    onset, onset_row = np.zeros((1, len(at) - 1)), np.zeros((n, n), dtype=np.intp)
    length, length_row = np.zeros((1, n_lengths + 1)), np.zeros((n, n), dtype=np.intp)
    same = 2 * np.arange(n) * n
    for name, term in terms.items():
        weight = weights.get(name, 0.0)
        if isinstance(term, SegmentTerm):
            prefix += weight * term.prefix[term.rows[same]][:, at]
        elif isinstance(term, OnsetTerm):
            rows = term.rows[1::2].reshape(n, n)
            highest = _highest(term.table[:, first:stop], step)
            own = np.concatenate([weight * highest, np.zeros((1, len(at) - 1))])
            onset, onset_row = _added(onset, onset_row, own, rows)
        elif isinstance(term, DurationTerm):
            rows = term.rows[::2].reshape(n, n)
            lengths = np.minimum(np.arange(n_lengths + 1) * step, term.table.shape[1] - 1)
            own = np.concatenate([weight * term.table[:, lengths], np.zeros((1, n_lengths + 1))])
            length, length_row = _added(length, length_row, own, rows)
    return Coarse(prefix, onset, onset_row, length, length_row)


def _highest(table: npt.NDArray[Any], step: int) -> Float64:
    """Return the highest score about every `step`-th frame [shape=(Q, ceil(T / step))]."""
    n_frames = table.shape[1]
    wide = np.pad(table.astype(np.float64), ((0, 0), (step // 2, step)), mode="edge")
    shifted = np.stack([wide[:, k : k + n_frames : step] for k in range(step)])
    return np.asarray(shifted.max(axis=0))


def _added(
    one: Float64, one_row: IntArray, other: Float64, other_row: IntArray
) -> tuple[Float64, IntArray]:
    """Return the sums of rows of two tables for each pair, and which of them a pair has."""
    both = np.stack([one_row.ravel(), other_row.ravel()])
    rows, row = np.unique(both, axis=1, return_inverse=True)
    return one[rows[0]] + other[rows[1]], row.reshape(one_row.shape).astype(np.intp)


def best_scores(table: Coarse, orders: IntArray, silent: BoolArray) -> Float64:
    """Return the score of the best path of each order [shape=(N,)].

    `orders` [shape=(N, K)] hold numbers of events; `silent` [shape=(K,)] says which places have a
    length that is not scored.
    """
    return _best_scores(*table, np.ascontiguousarray(orders), silent)


@compiled(error_model="numpy")
def _best_scores(
    prefix: Float64,
    onset: Float64,
    onset_row: IntArray,
    length: Float64,
    length_row: IntArray,
    orders: IntArray,
    silent: BoolArray,
) -> Float64:
    n_orders, n_events = orders.shape
    n_frames, longest = prefix.shape[1] - 1, length.shape[1] - 1
    scores = np.empty(n_orders)
    ended = np.empty(n_frames + 1)  # best score of the events so far that end before a frame
    begun = np.empty(n_frames + 1)  # the same with the onset of the next, less what came before
    for i in range(n_orders):
        ended[:] = -np.inf
        ended[0] = 0.0
        for k in range(n_events):
            event = orders[i, k]
            for t in range(n_frames):
                begun[t] = ended[t] - prefix[event, t]
                if k > 0:
                    begun[t] += onset[onset_row[orders[i, k - 1], event], t]
            behind = orders[i, k + 1] if k + 1 < n_events else event
            row = length_row[event, behind]
            # Of onsets that are far enough before for a length that does not matter any more.
            far = 1 if silent[k] else longest
            long = -np.inf
            for t in range(n_frames + 1):
                if t >= far:
                    long = max(long, begun[t - far])
                ended[t] = long if silent[k] else long + length[row, longest]
            if not silent[k]:
                # Length by length, since the frames of one are compared in one stroke.
                for n in range(1, min(longest, n_frames + 1)):
                    more = length[row, n]
                    for t in range(n, n_frames + 1):
                        score = begun[t - n] + more
                        if score > ended[t]:
                            ended[t] = score
            for t in range(n_frames + 1):
                ended[t] += prefix[event, t]
        scores[i] = ended[n_frames]
    return scores
