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

References
----------
Sarawagi and Cohen, "Semi-Markov conditional random fields", NIPS 2004.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders._numba import compiled
from align.decoders._windows import Windows, check_values, explain_unreachable, tighten
from align.errors import ParameterError
from align.types import FloatArray, IntArray, Potentials

__all__ = ["Posterior", "narrowed", "onset_posterior"]


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
        Onset and duration scores, windows and lengths; no ratio or general scores. K >= 1.
    temperature : float
        Every score is divided by it; positive. The higher, the less sure.

    Returns
    -------
    Posterior

    Raises
    ------
    ParameterError
        Other scores are present; a score is NaN or +inf; no timing meets the windows and the
        lengths, or none has a finite score.

    Examples
    --------
    >>> table = np.array([[0.0, -np.inf, -np.inf], [0.0, 0.0, np.log(3.0)]])
    >>> onset_posterior(Potentials(table, n_frames=3)).probability[1].round(2)
    array([0.  , 0.25, 0.75])
    """
    if potentials.ratio is not None and potentials.ratio.any():
        raise ParameterError("onset_posterior cannot score ratio.")
    if potentials.general:
        raise ParameterError("onset_posterior cannot score general functions.")
    if not (temperature > 0.0 and math.isfinite(temperature)):
        raise ParameterError(f"temperature={temperature}, must be positive and finite.")
    if potentials.n_events == 0:
        raise ParameterError("onset_posterior needs at least one event.")
    onset = check_values(potentials)
    windows = tighten(potentials)
    row: IntArray
    if potentials.duration is None:
        duration = np.zeros((1, int(windows.longest.max()) + 1))
        row = np.zeros(potentials.n_events, dtype=np.intp)
    else:
        assert potentials.duration_row is not None
        duration = np.asarray(potentials.duration, dtype=np.float64) / temperature
        row = potentials.duration_row
    probability = np.zeros(onset.shape)
    log_z = _forward_backward(
        onset, potentials.start, windows, duration, row, 1.0 / temperature, probability
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


@compiled()
def _forward_backward(
    onset: FloatArray,
    start: IntArray,
    windows: Windows,
    duration: npt.NDArray[np.float64],
    row: IntArray,
    inverse: float,
    probability: npt.NDArray[np.float64],
) -> float:
    first, last = windows.first, windows.last
    shortest, longest = windows.shortest, windows.longest
    n_events = row.size
    n_frames = first[n_events]
    width = 0
    for k in range(n_events):
        width = max(width, last[k] - first[k] + 1)
    forward = np.full((n_events, width), -np.inf)
    after = np.full(width, -np.inf)  # log sums over what follows event k, and then event k - 1
    here = np.full(width, -np.inf)
    for t in range(first[0], last[0] + 1):
        forward[0, t - first[0]] = onset[0, t - start[0]] * inverse
    for k in range(1, n_events):
        scores, base = duration[row[k - 1]], first[k - 1]
        for t in range(first[k], last[k] + 1):
            low = max(base, t - longest[k - 1])
            high = min(last[k - 1], t - shortest[k - 1])
            top = -np.inf
            for s in range(low, high + 1):
                top = max(top, forward[k - 1, s - base] + scores[t - s])
            if top == -np.inf:
                continue
            total = 0.0
            for s in range(low, high + 1):
                total += math.exp(forward[k - 1, s - base] + scores[t - s] - top)
            forward[k, t - first[k]] = top + math.log(total) + onset[k, t - start[k]] * inverse
    k = n_events - 1
    log_z = -np.inf
    for t in range(first[k], last[k] + 1):
        length = n_frames - t
        if shortest[k] <= length <= longest[k]:
            after[t - first[k]] = duration[row[k], length]
    top = -np.inf
    for i in range(last[k] - first[k] + 1):
        top = max(top, forward[k, i] + after[i])
    if top == -np.inf:
        return log_z
    total = 0.0
    for i in range(last[k] - first[k] + 1):
        total += math.exp(forward[k, i] + after[i] - top)
    log_z = top + math.log(total)
    for k in range(n_events - 1, -1, -1):
        if k < n_events - 1:
            scores, base = duration[row[k]], first[k + 1]
            for i in range(last[k + 1] - base + 1):
                after[i] += onset[k + 1, base + i - start[k + 1]] * inverse
            for t in range(first[k], last[k] + 1):
                low = max(base, t + shortest[k])
                high = min(last[k + 1], t + longest[k])
                top = -np.inf
                for s in range(low, high + 1):
                    top = max(top, after[s - base] + scores[s - t])
                here[t - first[k]] = top
                if top == -np.inf:
                    continue
                total = 0.0
                for s in range(low, high + 1):
                    total += math.exp(after[s - base] + scores[s - t] - top)
                here[t - first[k]] = top + math.log(total)
            for i in range(last[k] - first[k] + 1):
                after[i] = here[i]
        for i in range(last[k] - first[k] + 1):
            probability[k, first[k] + i - start[k]] = math.exp(forward[k, i] + after[i] - log_z)
    return log_z
