"""Exact decoding of any function of three successive onsets, in O(K T L**2).

The state is a pair of onsets. With ``H_k(t, d)`` the best score of the terms of events ``0 .. k``
where event k begins at frame t and lasts d (Fig. 9.1 of the thesis, with its boundaries)::

    H_k(t, d) = onset[k, t] + duration[row_k, d] + a d**2
                + max { H_{k-1}(t - d', d') + b d'**2 + c d' d + psi(k, t - d', t, t + d) : d' }

where a, b, c are the ratio coefficients of event k and psi is the weighted sum of the general
functions. Anything can be scored so, at L times the price of the second-order decoder.

The kernel is compiled once for each tuple of functions, which the compiler then inlines; the
weights are arguments, so that learning does not recompile.

Conventions of time are those of `align.types`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, Figure 9.1.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from align.decoders._length_scores import length_scores
from align.decoders._windows import Windows, check_values, explain_unreachable, tighten
from align.errors import ParameterError
from align.potentials import GeneralPotential, Path, Potentials
from align.types import FloatArray, IntArray

__all__ = ["decode_general"]


def decode_general(potentials: Potentials) -> Path:
    """Find the best onsets where any function of three onsets is scored, in O(K T L**2) time.

    Parameters
    ----------
    potentials : Potentials
        Any scores. Its general functions ``psi(k, t_before, t_onset, t_after)`` take frames
        (``t_before`` is -1 for event 0), are compiled by `numba.njit`, have no effects, and
        return a score below +inf; -inf forbids.

    Returns
    -------
    Path
        Onsets [shape=(K,), dtype=intp] in frames and their score. Of the onsets that share the
        best score it is those whose last onset is earliest, then the one before it, and so on.

    Raises
    ------
    ParameterError
        A general function is not compiled, cannot be, or returns NaN; a score is NaN or +inf; no
        timing meets the windows and the lengths, or none has a finite score.

    Notes
    -----
    The first call with a tuple of functions compiles a kernel for it, which takes some seconds.

    Examples
    --------
    >>> import numba
    >>> @numba.njit
    ... def equal_lengths(k, t_before, t_onset, t_after):
    ...     return -abs((t_after - t_onset) - (t_onset - t_before)) if k > 0 else 0.0
    >>> onset = np.zeros((3, 9))
    >>> onset[0, 0] = 10.0
    >>> decode_general(Potentials(onset, n_frames=9, general=((1.0, equal_lengths),)))
    Path(onsets=array([0, 3, 6]), score=10.0)
    """
    functions = tuple(function for _, function in potentials.general)
    weights = np.array([weight for weight, _ in potentials.general], dtype=np.float64)
    for function in functions:
        _check_function(function)
    if not np.isfinite(weights).all():
        raise ParameterError(f"weights of general functions {weights.tolist()} must be finite.")
    n_events = potentials.n_events
    if n_events == 0:
        return Path(np.empty(0, dtype=np.intp), potentials.constant)
    onset = check_values(potentials)
    windows = tighten(potentials)
    own, cross = length_scores(potentials, windows)
    offset = _state_offsets(windows)
    dtype = np.uint16 if windows.longest.max() < 2**16 else np.int32
    back = np.empty(int(offset[-1]), dtype=dtype)
    onsets = np.empty(n_events, dtype=np.intp)
    bad = np.full(4, -2, dtype=np.intp)
    try:
        score = _kernel(functions)(
            onset, potentials.start, windows, own, cross, weights, offset, back, onsets, bad
        )
    except numba.core.errors.NumbaError as error:
        names = ", ".join(_name(function) for function in functions)
        raise ParameterError(
            f"numba cannot compile the general functions ({names}) for four integers: {error}"
        ) from error
    if bad[0] != -2:
        k, *frames = (int(value) for value in bad)
        raise ParameterError(
            f"the general functions return NaN or +inf for {potentials.label(k)}, near "
            f"psi(k={k}, t_before={frames[0]}, t_onset={frames[1]}, t_after={frames[2]})."
        )
    if score == -np.inf:
        raise explain_unreachable(potentials, windows)
    return Path(onsets, score + potentials.constant)


def _state_offsets(windows: Windows) -> IntArray:
    """Return where the back-pointers of each event begin, in one flat array [shape=(K + 1,)].

    The first event has none, and of the last only those of its best onset are ever needed.
    """
    n_states = (windows.last[:-1] - windows.first[:-1] + 1) * (
        windows.longest - windows.shortest + 1
    )
    n_states[0] = n_states[-1] = 0
    return np.concatenate(([0], np.cumsum(n_states))).astype(np.intp)


def _name(function: GeneralPotential) -> str:
    return getattr(function, "__name__", repr(function))


def _check_function(function: GeneralPotential) -> None:
    if not callable(function) or not (
        numba.config.DISABLE_JIT  # type: ignore[attr-defined]
        or isinstance(function, numba.core.dispatcher.Dispatcher)
    ):
        raise ParameterError(
            f"general function {_name(function)} is not compiled; decorate it with numba.njit."
        )


def _weighted_sum(functions: tuple[GeneralPotential, ...]) -> Callable[..., float]:
    """Return psi(weights, k, t_before, t_onset, t_after), the weighted sum of the functions."""
    if not functions:

        @numba.njit(nogil=True)
        def nothing(weights: Any, k: int, t_before: int, t_onset: int, t_after: int) -> float:
            return 0.0

        return nothing
    index = len(functions) - 1
    function, others = functions[-1], _weighted_sum(functions[:-1])

    @numba.njit(nogil=True)
    def psi(weights: Any, k: int, t_before: int, t_onset: int, t_after: int) -> float:
        rest = others(weights, k, t_before, t_onset, t_after)
        return rest + weights[index] * function(k, t_before, t_onset, t_after)  # type: ignore[no-any-return]

    return psi


@lru_cache(maxsize=32)
def _kernel(functions: tuple[GeneralPotential, ...]) -> Callable[..., float]:
    psi = _weighted_sum(functions)

    @numba.njit(nogil=True)
    def decode(
        onset: FloatArray,
        start: IntArray,
        windows: Windows,
        own: npt.NDArray[np.float64],
        cross: npt.NDArray[np.float64],
        weights: npt.NDArray[np.float64],
        offset: IntArray,
        back: npt.NDArray[Any],
        onsets: IntArray,
        bad: IntArray,
    ) -> float:
        first, last = windows.first, windows.last
        shortest, longest = windows.shortest, windows.longest
        n_events = onsets.size
        n_states = 1
        for k in range(n_events - 1):
            n_states = max(n_states, (last[k] - first[k] + 1) * (longest[k] - shortest[k] + 1))
        before, here = np.zeros(n_states), np.empty(n_states)
        top = np.empty(own.shape[1])
        arg = np.empty(own.shape[1], dtype=np.intp)
        score, d = -np.inf, 0
        for k in range(n_events):
            width = longest[k] - shortest[k] + 1
            for t in range(first[k], last[k] + 1):
                q_low = max(shortest[k], first[k + 1] - t)
                n = min(longest[k], last[k + 1] - t) - q_low + 1
                top[:n] = -np.inf
                arg[:n] = 0
                base = float(onset[k, t - start[k]])
                d_low = d_high = 0
                if k > 0:
                    d_low = max(shortest[k - 1], t - last[k - 1])
                    d_high = min(longest[k - 1], t - first[k - 1])
                n_wrong = 0
                for e in range(d_high, d_low - 1, -1):  # ties: the greatest, the earliest onset
                    value, t_before = 0.0, -1
                    if k > 0:
                        t_before = t - e
                        columns = longest[k - 1] - shortest[k - 1] + 1
                        value = before[(t_before - first[k - 1]) * columns + e - shortest[k - 1]]
                    if base == -np.inf or value == -np.inf:
                        continue
                    slope = cross[k] * e
                    for r in range(n):
                        added = psi(weights, k, t_before, t, t + q_low + r)
                        n_wrong += 0 if added < np.inf else 1
                        total = value + slope * (q_low + r) + added
                        better = total > top[r]
                        top[r] = total if better else top[r]
                        arg[r] = e if better else arg[r]
                if n_wrong > 0:
                    for e in range(d_high, d_low - 1, -1):
                        for r in range(n):
                            t_before = t - e if k > 0 else -1
                            if not psi(weights, k, t_before, t, t + q_low + r) < np.inf:
                                bad[0], bad[1], bad[2], bad[3] = k, t_before, t, t + q_low + r
                                return score
                at = (t - first[k]) * width + q_low - shortest[k]
                for r in range(n):
                    total = top[r] + (base + own[k, q_low - shortest[k] + r])
                    if k < n_events - 1:
                        here[at + r] = total
                        if k > 0:
                            back[offset[k] + at + r] = arg[r]
                    elif total > score:  # ties: the earliest onset
                        score, onsets[k], d = total, t, arg[r]
            before, here = here, before
        if score == -np.inf:
            return score  # no path: pointers lead nowhere
        for k in range(n_events - 2, -1, -1):
            onsets[k] = onsets[k + 1] - d
            if k > 0:
                width = longest[k] - shortest[k] + 1
                d = int(back[offset[k] + (onsets[k] - first[k]) * width + d - shortest[k]])
        return score

    return decode
