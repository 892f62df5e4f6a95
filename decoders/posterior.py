"""How probable each onset is: forward-backward over all timings, in O(K W L).

Potentials define a distribution over timings, ``p(y) ~ exp(score(y) / temperature)``: a
semi-Markov conditional random field. With ``A_k(t)`` the log of the sum over the onsets before,
and ``B_k(t)`` over those after, of onset k at frame t,::

    A_0(t) = onset[0, t]
    A_k(t) = onset[k, t] + log sum_d exp( A_{k-1}(t - d) + duration[row_{k-1}, d] )
    B_{K-1}(t) = duration[row_{K-1}, T - t]
    B_k(t) = log sum_d exp( duration[row_k, d] + onset[k + 1, t + d] + B_{k+1}(t + d) )

every score divided by the temperature, the probability of onset k at t is
``exp(A_k(t) + B_k(t) - log Z)``. Sums are taken in the log domain: nothing underflows.
Where scores are peaked, few of the terms of a sum matter; bounds on blocks of them show which.
Where changes of length are scored, sums run over pairs of onsets instead
(`align.decoders.second_order`), in O(K W L**2).

References
----------
Sarawagi and Cohen, "Semi-Markov conditional random fields", NIPS 2004.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled, read_only
from align.decoders._windows import (
    Windows,
    check_values,
    explain_unreachable,
    has_ratio,
    is_unbound,
    length_table,
    refuse,
    tighten,
)
from align.errors import ParameterError
from align.potentials import Potentials
from align.types import Float64, FloatArray, IntArray

_BLOCK = 16  # frames of which the greatest score is known
_NEGLIGIBLE = -40.0  # exp of it is 4e-18: thousands of them are below the rounding of 1
_MOST_STATES = 2**27  # pairs of onsets, whose forward scores are kept: 1 GiB


class Posterior(NamedTuple):
    """The probability of each onset at each frame.

    Attributes
    ----------
    probability : np.ndarray [shape=(K, W), dtype=float64]
        Of event k beginning at frame ``start[k] + i``; each row sums to 1.
    start : np.ndarray [shape=(K,), dtype=intp]
        First frame of each row.
    log_partition : float
        Log of the sum over all timings of ``exp(score / temperature)``.
    """

    probability: Float64
    start: IntArray
    log_partition: float


def onset_posterior(potentials: Potentials, *, temperature: float = 1.0) -> Posterior:
    """Compute the probability of each onset at each frame of its window.

    Parameters
    ----------
    potentials : Potentials
        Onset, duration and ratio scores, windows and lengths; no general scores. K >= 1.
    temperature : float
        Every score is divided by it; positive. The higher, the less sure.

    Returns
    -------
    Posterior

    Raises
    ------
    ParameterError
        General scores are present; there are ratio scores and more than 2**27 pairs of an onset
        and a length; or as `decode` does.

    Notes
    -----
    Time is O(K W L), and with ratio scores O(K W L**2) and memory 8 bytes for each of the K W L
    pairs of an onset and a length: give windows of a few dozen frames then, see `narrowed`.

    Examples
    --------
    >>> table = np.array([[0.0, -np.inf, -np.inf], [0.0, 0.0, np.log(3.0)]])
    >>> onset_posterior(Potentials(table, n_frames=3)).probability[1].round(2)
    array([0.  , 0.25, 0.75])
    """
    refuse(potentials, "onset_posterior", "general")
    if not (temperature > 0.0 and 0.0 < 1.0 / temperature < math.inf):
        raise ParameterError(f"temperature={temperature}, must be positive and finite.")
    if potentials.n_events == 0:
        raise ParameterError("onset_posterior needs at least one event.")
    probability = np.zeros(potentials.onset.shape)
    with np.errstate(all="ignore"):  # numbers that are too large are reported below
        if has_ratio(potentials):
            log_z = _over_pairs(potentials, 1.0 / temperature, probability)
        else:
            log_z = _over_onsets(potentials, temperature, probability)
    if log_z == -np.inf:
        raise explain_unreachable(potentials, tighten(potentials))
    if not math.isfinite(log_z):
        raise ParameterError(f"temperature={temperature} is too small for these scores.")
    return Posterior(probability, potentials.start, log_z + potentials.constant / temperature)


def narrowed(potentials: Potentials, onsets: npt.ArrayLike, reach: int) -> Potentials:
    """Restrict windows to `reach` frames either side of given onsets.

    Parameters
    ----------
    potentials : Potentials
        At least one event; not changed.
    onsets : array_like [shape=(K,)]
        Frames, increasing: a path of the potentials.
    reach : int
        Frames either side, at least 0.

    Returns
    -------
    Potentials
        With onset table [shape=(K, 2 * reach + 1)].

    Raises
    ------
    ParameterError
        There is not one onset for each event, or `reach` is negative.

    Examples
    --------
    >>> small = narrowed(Potentials(np.zeros((2, 100)), n_frames=100), [10, 50], reach=2)
    >>> small.onset.shape, small.start
    ((2, 5), array([ 8, 48]))
    """
    y = np.asarray(onsets, dtype=np.intp)
    if y.shape != (potentials.n_events,):
        raise ParameterError(f"onsets.shape={y.shape}, must be ({potentials.n_events},).")
    if reach < 0:
        raise ParameterError(f"reach={reach}, must not be negative.")
    start = np.maximum(y - reach, potentials.start)
    stop = np.minimum(y + reach + 1, potentials.stop)
    columns = start[:, None] + np.arange(2 * reach + 1)
    source = np.clip(columns - potentials.start[:, None], 0, potentials.onset.shape[1] - 1)
    onset = np.take_along_axis(potentials.onset, source, axis=1)
    return replace(potentials, onset=onset, start=start, stop=stop)


class _Scores(NamedTuple):
    """What the kernels read; scores of lengths are divided by the temperature.

    Attributes
    ----------
    onset : np.ndarray [shape=(K, W), dtype=float64]
        As in `Potentials`, not divided yet.
    inverse : float
        One over the temperature.
    start : np.ndarray [shape=(K,), dtype=intp]
        First frame of each row of `onset`.
    windows : Windows
        Frames and lengths to sum over.
    length : np.ndarray [shape=(R, L + 1), dtype=float64]
        Score of each length.
    top : np.ndarray [shape=(R, L + 1), dtype=float64]
        Greatest of each length and those up to ``_BLOCK - 1`` longer.
    row : np.ndarray [shape=(K,), dtype=intp]
        Row of each event.
    flat : bool
        Whether lengths score nothing.
    """

    onset: FloatArray
    inverse: float
    start: IntArray
    windows: Windows
    length: Float64
    top: Float64
    row: IntArray
    flat: bool


def _over_pairs(potentials: Potentials, inverse: float, probability: Float64) -> float:
    """Fill the probabilities where there are ratio scores; return the log of the sum of all."""
    from align.decoders.second_order import problem_of, second_order_sums  # for these only

    problem = problem_of(potentials)
    n_states = int(problem.offset[-1])
    if n_states > _MOST_STATES:
        raise ParameterError(
            f"onset_posterior would keep {n_states} pairs of onsets for the ratio scores, "
            f"{_MOST_STATES} at most; narrow the windows around a path first, see `narrowed`."
        )
    return second_order_sums(problem, inverse, probability)


def _over_onsets(potentials: Potentials, temperature: float, probability: Float64) -> float:
    """Fill the probabilities where there are no ratio scores; return the log of the sum of all."""
    scores = _scores(potentials, temperature)
    width = int((scores.windows.last - scores.windows.first).max()) + 1
    upto, after = np.empty((potentials.n_events, width)), np.empty(width)
    _forward(scores, upto)
    _last_lengths(scores, after)
    n_last = int(scores.windows.last[-2] - scores.windows.first[-2]) + 1
    log_z = _log_partition(upto[-1, :n_last], after)
    if math.isfinite(log_z):
        _backward(scores, upto, after, probability)
    return float(log_z)


def _scores(potentials: Potentials, temperature: float) -> _Scores:
    onset, windows = check_values(potentials), tighten(potentials)
    duration, row = length_table(potentials, windows.longest)
    length = duration[:, : int(windows.longest.max()) + 1] / temperature
    top = length.copy()
    reach = 1  # of `top`, doubled until it is a block
    while reach < _BLOCK:
        top[:, :-reach] = np.maximum(top[:, :-reach], top[:, reach:])
        reach *= 2
    inverse, flat = 1.0 / temperature, potentials.duration is None
    return _Scores(read_only(onset), inverse, potentials.start, windows, length, top, row, flat)


@compiled()
def _forward(scores: _Scores, upto: Float64) -> None:
    """Fill A, [shape=(K, width)]: row k from frame ``first[k]`` on."""
    first, last = scores.windows.first, scores.windows.last
    tops = np.empty(upto.shape[1] // _BLOCK + 1)
    for k in range(scores.row.size):
        here = upto[k, : last[k] - first[k] + 1]
        if k == 0:  # nothing lies before the first event
            here[:] = 0.0
        else:
            before = upto[k - 1, : last[k - 1] - first[k - 1] + 1]
            _log_sums(scores, k - 1, before, first[k] - first[k - 1], -1, tops, here)
        for i in range(here.size):
            here[i] += scores.onset[k, first[k] + i - scores.start[k]] * scores.inverse


@compiled()
def _last_lengths(scores: _Scores, after: Float64) -> None:
    """Fill B of the last event: it lasts until the recording ends."""
    k = scores.row.size - 1
    windows = scores.windows
    after[:] = -np.inf
    for t in range(windows.first[k], windows.last[k] + 1):
        length = windows.first[k + 1] - t  # the end sentinel has one frame, T
        if windows.shortest[k] <= length <= windows.longest[k]:
            after[t - windows.first[k]] = scores.length[scores.row[k], length]


@compiled()
def _log_partition(upto: Float64, after: Float64) -> float:
    """Log of the sum over all timings, from A and B of the last event."""
    log_z = -np.inf
    for i in range(upto.size):
        log_z = _log_add(log_z, upto[i] + after[i])
    return log_z


@compiled()
def _backward(scores: _Scores, upto: Float64, after: Float64, probability: Float64) -> None:
    """Find B, last event first, and join it with A; `after` holds B of the last event."""
    first, last, start = scores.windows.first, scores.windows.last, scores.start
    tops = np.empty(after.size // _BLOCK + 1)
    here = np.empty(after.size)
    # Rows of B are needed once only, so one array serves all: it goes from event k + 1 to event k
    # by taking in the onset scores of event k + 1, and then the sums over the lengths of event k.
    for k in range(scores.row.size - 1, -1, -1):
        n = last[k] - first[k] + 1
        if k < scores.row.size - 1:
            follows = after[: last[k + 1] - first[k + 1] + 1]
            for i in range(follows.size):
                score = scores.onset[k + 1, first[k + 1] + i - start[k + 1]]
                follows[i] += score * scores.inverse
            _log_sums(scores, k, follows, first[k] - first[k + 1], 1, tops, here[:n])
            for i in range(n):
                after[i] = here[i]
        row = probability[k, first[k] - start[k] : last[k] - start[k] + 1]
        _normalised(upto[k, :n], after[:n], row)


@compiled()
def _normalised(upto: Float64, after: Float64, row: Float64) -> None:
    """Fill the probabilities of one onset."""
    # by the sum of the row, not by log Z: that of large scores is rounded in its own way
    top, total = -np.inf, 0.0
    for i in range(row.size):
        top = max(top, upto[i] + after[i])
    for i in range(row.size):
        row[i] = math.exp(upto[i] + after[i] - top)
        total += row[i]
    for i in range(row.size):
        row[i] /= total


@compiled()
def _log_sums(
    scores: _Scores,
    k: int,
    values: Float64,
    shift: int,
    step: int,
    tops: Float64,
    out: Float64,
) -> None:
    """``out[i]`` is the log sum of ``values[i + shift + step * d]`` and length d of event k.

    Forwards, ``step=-1``, the value lies d frames before; backwards, ``step=1``, d frames after.
    """
    shortest, longest = scores.windows.shortest[k], scores.windows.longest[k]
    if scores.flat and is_unbound(scores.windows, k):  # no length scores or binds: running sums
        if step < 0:
            _running(values, shift - shortest, out)
        else:  # the same sums, read from the end
            ahead = values.size - out.size - shift
            _running(values[::-1], ahead - shortest, out[::-1])
        return
    _block_tops(values, tops)
    length, top = scores.length[scores.row[k]], scores.top[scores.row[k]]
    for i in range(out.size):
        at = i + shift
        low = at - longest if step < 0 else at + shortest
        high = at - shortest if step < 0 else at + longest
        low, high = max(0, low), min(values.size - 1, high)
        out[i] = _log_sum(values, tops, length, top, low, high, at, step)


@compiled()
def _log_add(a: float, b: float) -> float:
    """``log(exp(a) + exp(b))``."""
    if b > a:
        a, b = b, a
    return a if b == -np.inf else a + math.log1p(math.exp(b - a))


@compiled()
def _running(before: Float64, shift: int, out: Float64) -> None:
    """``out[i]`` is the log sum of ``before[: i + shift + 1]``."""
    # The sum so far is kept beside the greatest term, and scaled when a greater one comes.
    top, total, j = -np.inf, 0.0, 0
    for i in range(out.size):
        while j < before.size and j <= i + shift:
            value = before[j]
            j += 1
            if value == -np.inf:
                continue
            if value > top:
                total = total * math.exp(top - value) + 1.0 if total > 0.0 else 1.0
                top = value
            else:
                total += math.exp(value - top)
        out[i] = top + math.log(total) if total > 0.0 else -np.inf


@compiled()
def _block_tops(values: Float64, tops: Float64) -> None:
    """Find the greatest value of each block."""
    for b in range((values.size + _BLOCK - 1) // _BLOCK):
        top = -np.inf
        for i in range(b * _BLOCK, min(values.size, (b + 1) * _BLOCK)):
            top = max(top, values[i])
        tops[b] = top


@compiled()
def _log_sum(
    values: Float64,
    tops: Float64,
    lengths: Float64,
    length_tops: Float64,
    low: int,
    high: int,
    shift: int,
    sign: int,
) -> float:
    """Log of the sum of ``exp(values[i] + lengths[sign * (i - shift)])`` over low .. high.

    A block of values is left alone where it cannot hold the greatest term, and then where all its
    terms are so small beside the greatest that their sum is below the rounding of the total.
    """
    # Two rounds over the same blocks: the greatest term first, then the sum relative to it, so
    # that no exponential overflows and the greatest is 1. The bound on a block is the greatest of
    # its values and of all lengths from its nearest frame on.
    top = -np.inf
    for step in range(2):
        total = 0.0
        b = low // _BLOCK
        while b * _BLOCK <= high:
            begin, stop = b * _BLOCK, b * _BLOCK + _BLOCK - 1
            least = begin - shift if sign > 0 else shift - stop
            bound = tops[b] + length_tops[max(0, least)]
            b += 1
            if step == 0:
                if bound > top:
                    for i in range(max(low, begin), min(high, stop) + 1):
                        top = max(top, values[i] + lengths[sign * (i - shift)])
            elif bound - top > _NEGLIGIBLE:
                for i in range(max(low, begin), min(high, stop) + 1):
                    x = values[i] + lengths[sign * (i - shift)] - top
                    if x > _NEGLIGIBLE:
                        total += math.exp(x)
        if top == -np.inf:
            return top
    return top + math.log(total)
