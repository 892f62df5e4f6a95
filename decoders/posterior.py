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
Where scores are peaked, few of the terms of a sum matter; bounds on blocks of them tell which.
Where changes of length are scored, sums run over pairs of onsets instead
(`align.decoders.second_order`), in O(K W L**2).

References
----------
Sarawagi and Cohen, "Semi-Markov conditional random fields", NIPS 2004.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._windows import Windows, check_values, explain_unreachable, tighten
from align.decoders.second_order import problem_of, second_order_sums
from align.errors import ParameterError
from align.potentials import Potentials
from align.types import FloatArray, IntArray

__all__ = ["Posterior", "narrowed", "onset_posterior"]

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

    probability: npt.NDArray[np.float64]
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
        Other scores are present; a score is NaN or +inf; no timing meets the windows and the
        lengths, or none has a finite score; there are ratio scores and more than 2**27 pairs of
        an onset and a length.

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
    if potentials.general:
        raise ParameterError("onset_posterior cannot score general functions.")
    if not (temperature > 0.0 and math.isfinite(temperature)):
        raise ParameterError(f"temperature={temperature}, must be positive and finite.")
    if potentials.n_events == 0:
        raise ParameterError("onset_posterior needs at least one event.")
    onset = check_values(potentials)
    windows = tighten(potentials)
    probability = np.zeros(onset.shape)
    if potentials.ratio is not None and potentials.ratio.any():
        log_z = _over_pairs(potentials, 1.0 / temperature, probability)
    else:
        lengths = _lengths(potentials, int(windows.longest.max()), temperature)
        log_z = _forward_backward(
            onset, potentials.start, windows, lengths, 1.0 / temperature, probability
        )
    if log_z == -np.inf:
        raise explain_unreachable(potentials, windows)
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
    return Potentials(
        onset,
        potentials.n_frames,
        start=start,
        stop=stop,
        duration=potentials.duration,
        duration_row=potentials.duration_row,
        min_length=potentials.min_length,
        max_length=potentials.max_length,
        ratio=potentials.ratio,
        general=potentials.general,
        constant=potentials.constant,
        labels=potentials.labels,
    )


class _Lengths(NamedTuple):
    """Scores of lengths, divided by the temperature.

    Attributes
    ----------
    score : np.ndarray [shape=(R, L + 1), dtype=float64]
        As in `Potentials`.
    top : np.ndarray [shape=(R, L + 1), dtype=float64]
        Greatest of each length and those up to ``_BLOCK - 1`` longer.
    row : np.ndarray [shape=(K,), dtype=intp]
        Row of each event.
    flat : bool
        Whether lengths score nothing.
    """

    score: npt.NDArray[np.float64]
    top: npt.NDArray[np.float64]
    row: IntArray
    flat: bool


def _over_pairs(
    potentials: Potentials, inverse: float, probability: npt.NDArray[np.float64]
) -> float:
    """Fill the probabilities where there are ratio scores; return the log of the sum of all."""
    problem = problem_of(potentials)
    n_states = int(problem.offset[-1])
    if n_states > _MOST_STATES:
        raise ParameterError(
            f"onset_posterior would keep {n_states} pairs of onsets for the ratio scores, "
            f"{_MOST_STATES} at most; narrow the windows around a path first, see `narrowed`."
        )
    return second_order_sums(problem, inverse, probability)


def _lengths(potentials: Potentials, longest: int, temperature: float) -> _Lengths:
    if potentials.duration is None:
        nothing = np.zeros((1, longest + 1))
        return _Lengths(nothing, nothing, np.zeros(potentials.n_events, dtype=np.intp), True)
    assert potentials.duration_row is not None
    score = np.asarray(potentials.duration[:, : longest + 1], dtype=np.float64) / temperature
    top = score.copy()
    reach = 1  # of `top`, doubled until it is a block
    while reach < _BLOCK:
        top[:, :-reach] = np.maximum(top[:, :-reach], top[:, reach:])
        reach *= 2
    return _Lengths(score, top, potentials.duration_row, False)


@compiled()
def _forward_backward(
    onset: FloatArray,
    start: IntArray,
    windows: Windows,
    lengths: _Lengths,
    inverse: float,
    probability: npt.NDArray[np.float64],
) -> float:
    first, last = windows.first, windows.last
    shortest, longest = windows.shortest, windows.longest
    n_events = shortest.size
    n_frames = first[n_events]
    width = np.max(last - first) + 1
    forward = np.full((n_events, width), -np.inf)
    after = np.full(width, -np.inf)  # log sums over what follows event k, and then event k - 1
    here = np.full(width, -np.inf)
    tops = np.empty(width // _BLOCK + 1)
    for t in range(first[0], last[0] + 1):
        forward[0, t - first[0]] = onset[0, t - start[0]] * inverse
    for k in range(1, n_events):
        n_before, n = last[k - 1] - first[k - 1] + 1, last[k] - first[k] + 1
        before = forward[k - 1, :n_before]
        shift = first[k] - first[k - 1]
        if lengths.flat and longest[k - 1] >= last[k] - first[k - 1]:
            _running(before, shift - shortest[k - 1], forward[k, :n])
        else:
            row = lengths.row[k - 1]
            _block_tops(before, tops)
            for i in range(n):
                forward[k, i] = _log_sum(
                    before,
                    tops,
                    lengths.score[row],
                    lengths.top[row],
                    max(0, shift + i - longest[k - 1]),
                    min(n_before - 1, shift + i - shortest[k - 1]),
                    shift + i,
                    -1,
                )
        for i in range(n):
            forward[k, i] += onset[k, first[k] + i - start[k]] * inverse
    k = n_events - 1
    for t in range(first[k], last[k] + 1):
        length = n_frames - t
        if shortest[k] <= length <= longest[k]:
            after[t - first[k]] = lengths.score[lengths.row[k], length]
    log_z = -np.inf
    for i in range(last[k] - first[k] + 1):
        log_z = _log_add(log_z, forward[k, i] + after[i])
    if log_z == -np.inf:
        return log_z
    for k in range(n_events - 1, -1, -1):
        n = last[k] - first[k] + 1
        if k < n_events - 1:
            base, n_after = first[k + 1], last[k + 1] - first[k + 1] + 1
            for i in range(n_after):
                after[i] += onset[k + 1, base + i - start[k + 1]] * inverse
            shift = first[k] - base
            if lengths.flat and longest[k] >= last[k + 1] - first[k]:
                # the same sums, read from the end
                high = last[k + 1] - last[k]
                _running(after[:n_after][::-1], high - shortest[k], here[:n][::-1])
            else:
                row = lengths.row[k]
                _block_tops(after[:n_after], tops)
                for i in range(n):
                    here[i] = _log_sum(
                        after[:n_after],
                        tops,
                        lengths.score[row],
                        lengths.top[row],
                        max(0, shift + i + shortest[k]),
                        min(n_after - 1, shift + i + longest[k]),
                        shift + i,
                        1,
                    )
            after[:n] = here[:n]
        # by the sum of the row, not by log_z: that of large scores is rounded in its own way
        row_top, total = -np.inf, 0.0
        for i in range(n):
            row_top = max(row_top, forward[k, i] + after[i])
        for i in range(n):
            here[i] = math.exp(forward[k, i] + after[i] - row_top)
            total += here[i]
        for i in range(n):
            probability[k, first[k] + i - start[k]] = here[i] / total
    return log_z


@compiled()
def _log_add(a: float, b: float) -> float:
    if b > a:
        a, b = b, a
    return a if b == -np.inf else a + math.log1p(math.exp(b - a))


@compiled()
def _running(before: npt.NDArray[np.float64], shift: int, out: npt.NDArray[np.float64]) -> None:
    """``out[i]`` is the log sum of ``before[: i + shift + 1]``."""
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
def _block_tops(values: npt.NDArray[np.float64], tops: npt.NDArray[np.float64]) -> None:
    for b in range((values.size + _BLOCK - 1) // _BLOCK):
        top = -np.inf
        for i in range(b * _BLOCK, min(values.size, (b + 1) * _BLOCK)):
            top = max(top, values[i])
        tops[b] = top


@compiled()
def _log_sum(
    values: npt.NDArray[np.float64],
    tops: npt.NDArray[np.float64],
    lengths: npt.NDArray[np.float64],
    length_tops: npt.NDArray[np.float64],
    low: int,
    high: int,
    shift: int,
    sign: int,
) -> float:
    """Log of the sum of ``exp(values[i] + lengths[sign * (i - shift)])`` over low .. high.

    A block of values is left alone where it cannot hold the greatest term, and then where all its
    terms are so small beside the greatest that their sum is below the rounding of the total.
    """
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
