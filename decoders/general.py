"""Exact decoding of any function of three successive onsets, in O(K T L**2).

The state is a pair of onsets. With ``H_k(t, d)`` the best score of the terms of events ``0 .. k``
where event k begins at frame t and lasts d (J2: Fig. 9.1 of the thesis, with its boundaries)::

    H_k(t, d) = onset[k, t] + duration[row_k, d] + a d**2
                + max { H_{k-1}(t - d', d') + b d'**2 + c d' d + psi(k, t - d', t, t + d) : d' }

where a, b, c are the ratio coefficients of event k and psi is the weighted sum of the general
functions. Anything can be scored so, at L times the price of the second-order decoder.

The step from one event to the next is compiled once for each tuple of functions, which the
compiler then inlines; the weights are arguments, so that learning does not recompile.

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

from align._numba import compiled
from align.decoders._windows import Windows, explain_unreachable
from align.decoders.second_order import Problem, problem_of
from align.errors import ParameterError
from align.potentials import GeneralPotential, Path, Potentials
from align.types import Float64, IntArray


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
        As `decode` returns it, with its rule for ties.

    Raises
    ------
    ParameterError
        A general function is not compiled, cannot be, or returns NaN; or as `decode` does.

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
    if potentials.n_events == 0:
        return Path(np.empty(0, dtype=np.intp), potentials.constant)
    problem = problem_of(potentials)
    problem = problem._replace(offset=_state_offsets(problem.windows))
    onsets = np.empty(potentials.n_events, dtype=np.intp)
    score = _decode(potentials, functions, problem, weights, onsets)
    if score == -np.inf:
        raise explain_unreachable(potentials, problem.windows)
    return Path(onsets, score + potentials.constant)


def _decode(
    potentials: Potentials,
    functions: tuple[GeneralPotential, ...],
    problem: Problem,
    weights: Float64,
    onsets: IntArray,
) -> float:
    """Write the best onsets and return their score; say what is wrong with the functions."""
    windows, offset = problem.windows, problem.offset
    first, last, shortest, longest = windows
    dtype = np.uint16 if longest.max() < 2**16 else np.int32
    back = np.empty(int(offset[-1]), dtype=dtype)
    n_states = (last - first + 1)[:-1] * (longest - shortest + 1)
    before, here = np.zeros((2, int(n_states.max())))  # H of the event before, and of this one
    psi, advance = _kernels(functions)
    for k in range(onsets.size):
        try:
            t = advance(problem, weights, k, before, here, back[offset[k] : offset[k + 1]])
        except numba.core.errors.NumbaError as error:
            names = ", ".join(_name(function) for function in functions)
            raise ParameterError(
                f"numba cannot compile the general functions ({names}) for four integers: {error}"
            ) from error
        if t >= 0:
            frames = _find_wrong(psi, windows, weights, k, t)
            raise ParameterError(
                f"the general functions return NaN or +inf for {potentials.label(k)}, near "
                f"psi(k={k}, t_before={frames[0]}, t_onset={frames[1]}, t_after={frames[2]})."
            )
        before, here = here, before
    return _follow(problem, before, back, onsets)


def _state_offsets(windows: Windows) -> IntArray:
    """Return where the back-pointers of each event begin, in one flat array [shape=(K + 1,)].

    The first event has none.
    """
    n_onsets = windows.last[:-1] - windows.first[:-1] + 1
    n_states = n_onsets * (windows.longest - windows.shortest + 1)
    n_states[0] = 0
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


@compiled()
def _lengths_at(windows: Windows, k: int, t: int) -> tuple[int, int]:
    """Return the least length of event k that begins at frame t, and how many there are."""
    low = max(windows.shortest[k], windows.first[k + 1] - t)
    return low, min(windows.longest[k], windows.last[k + 1] - t) - low + 1


@compiled()
def _lengths_before(windows: Windows, k: int, t: int) -> tuple[int, int]:
    """Return the least and the greatest length before an onset of event k at frame t."""
    if k == 0:  # nothing lies before: one pass of the loops, with t_before = -1
        return 0, 0
    low = max(windows.shortest[k - 1], t - windows.last[k - 1])
    return low, min(windows.longest[k - 1], t - windows.first[k - 1])


@lru_cache(maxsize=32)
def _kernels(
    functions: tuple[GeneralPotential, ...],
) -> tuple[Callable[..., float], Callable[..., int]]:
    """Return psi and the step of the recursion, which are compiled at the first call."""
    psi = _weighted_sum(functions)

    @numba.njit(nogil=True)
    def best_before(
        problem: Problem,
        weights: Float64,
        before: Float64,
        k: int,
        t: int,
        top: Float64,
        arg: IntArray,
    ) -> int:
        """Fill the best score before and its length for each length of event k at frame t.

        Returns how often psi was NaN or +inf: a count costs less than to leave the loop.
        """
        # taken out of the tuple once: in the inner loop each access would count references
        windows = problem.windows
        low, n = _lengths_at(windows, k, t)
        top[:n] = -np.inf
        arg[:n] = 0
        d_low, d_high = _lengths_before(windows, k, t)
        n_wrong = 0
        # Lengths before outside, lengths after inside: the state before is read once, and the
        # inner loop runs over neighbours in memory. The longest comes first and a later one must
        # be better: of equal scores the greatest length wins, which is the earliest onset before.
        for e in range(d_high, d_low - 1, -1):
            value, t_before = 0.0, -1
            if k > 0:
                t_before = t - e
                columns = windows.longest[k - 1] - windows.shortest[k - 1] + 1
                row = (t_before - windows.first[k - 1]) * columns
                value = before[row + e - windows.shortest[k - 1]]
            if value == -np.inf:
                continue
            slope = problem.cross[k] * e
            for r in range(n):
                added = psi(weights, k, t_before, t, t + low + r)
                n_wrong += 0 if added < np.inf else 1
                total = value + slope * (low + r) + added
                better = total > top[r]
                top[r] = total if better else top[r]
                arg[r] = e if better else arg[r]
        return n_wrong

    @numba.njit(nogil=True)
    def advance(
        problem: Problem,
        weights: Float64,
        k: int,
        before: Float64,
        here: Float64,
        back: npt.NDArray[Any],
    ) -> int:
        """Fill H of event k and its pointers; return a frame where psi is no score, or -1."""
        windows, own = problem.windows, problem.own
        shortest = windows.shortest[k]
        n_lengths = windows.longest[k] - shortest + 1
        top, arg = np.empty(own.shape[1]), np.empty(own.shape[1], dtype=np.intp)
        for t in range(windows.first[k], windows.last[k] + 1):
            low, n = _lengths_at(windows, k, t)
            base = float(problem.onset[k, t - problem.start[k]])
            if base == -np.inf:
                top[:n] = -np.inf
                arg[:n] = 0
            elif best_before(problem, weights, before, k, t, top, arg) > 0:
                return t
            at = (t - windows.first[k]) * n_lengths + low - shortest
            for r in range(n):
                here[at + r] = top[r] + (base + own[k, low - shortest + r])
                if k > 0:
                    back[at + r] = arg[r]
        return -1

    return psi, advance


def _find_wrong(
    psi: Callable[..., float], windows: Windows, weights: Float64, k: int, t: int
) -> tuple[int, int, int]:
    """Return the first onset before and frame after for which psi is NaN or +inf at frame t."""
    low, n = _lengths_at(windows, k, t)
    d_low, d_high = _lengths_before(windows, k, t)
    befores = range(t - d_high, t - d_low + 1) if k > 0 else [-1]
    afters = range(t + low, t + low + n)
    return next(
        (u, t, v) for u in befores for v in afters if not psi(weights, k, u, t, v) < np.inf
    )


@compiled()
def _follow(problem: Problem, ends: Float64, back: npt.NDArray[Any], onsets: IntArray) -> float:
    """Write the best onsets and return their score; `ends` is H of the last event."""
    (first, last, shortest, longest), offset = problem.windows, problem.offset
    score = -np.inf
    k = onsets.size - 1
    for t in range(first[k], last[k] + 1):
        low, n = _lengths_at(problem.windows, k, t)
        if n > 0:  # one length: the last event ends with the recording
            total = ends[(t - first[k]) * (longest[k] - shortest[k] + 1) + low - shortest[k]]
            if total > score:  # ties: the earliest onset
                score, onsets[k] = total, t
    if score == -np.inf:  # there is no path, and pointers lead nowhere
        return score
    d = last[k + 1] - onsets[k]
    for k in range(onsets.size - 1, 0, -1):
        row = offset[k] + (onsets[k] - first[k]) * (longest[k] - shortest[k] + 1)
        d = int(back[row + d - shortest[k]])
        onsets[k - 1] = onsets[k] - d
    return score
