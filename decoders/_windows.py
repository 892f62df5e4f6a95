"""Which frames each onset can take, and a clear error where there are none.

An onset must lie in its own window and within reach of its neighbours: ``y_{k+1} - y_k`` is
between the shortest and the longest length of event k, and the end sentinel is ``y_K = T``. The
frames that onset k can take, every other constraint met, form an interval. One pass forwards and
one backwards find all of them, because the constraints form a chain. Decoders search these
intervals only, and they are never empty.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.errors import ParameterError
from align.potentials import Potentials
from align.types import Float64, FloatArray, IntArray

_LARGEST = np.float64(1e300)  # a sum of many scores below it is finite


class Windows(NamedTuple):
    """The frames each onset can take, and the lengths each event can have.

    Attributes
    ----------
    first, last : np.ndarray [shape=(K + 1,), dtype=intp]
        First and last frame, both included, of each onset; T for the end sentinel K.
    shortest, longest : np.ndarray [shape=(K,), dtype=intp]
        Least and greatest length in frames, both included, that some choice of onsets attains.
    """

    first: IntArray
    last: IntArray
    shortest: IntArray
    longest: IntArray


def check_values(potentials: Potentials, *, single: bool = False) -> FloatArray:
    """Raise unless every score a decoder can read is below 1e300; return the onset table.

    The table [shape=(K, W)] is float64 and copied only if it is not contiguous or has another
    dtype. With `single` one of float32 stays so: decoders that keep less than such a table ask for
    it, the kernels of the others are compiled for float64 alone. Raises ParameterError for NaN in
    the onset, duration or ratio scores or the constant, and for numbers so large that a sum of
    scores may be none.
    """
    onset = np.asarray(potentials.onset)
    if onset.dtype != np.float64 and not (single and onset.dtype == np.float32):
        onset = onset.astype(np.float64)
    if onset.size and not onset.max() < _LARGEST:  # one pass, no temporary; NaN propagates
        for k, (start, stop) in enumerate(zip(potentials.start, potentials.stop, strict=True)):
            bad = np.flatnonzero(~(onset[k, : max(0, stop - start)] < _LARGEST))
            if bad.size:
                raise ParameterError(
                    f"{potentials.label(k)} has score {onset[k, bad[0]]} at frame "
                    f"{start + bad[0]}; scores must be below {_LARGEST}, or -inf to forbid a "
                    "frame."
                )
    duration = potentials.duration
    if duration is not None and duration.size and not duration.max() < _LARGEST:
        row, length = np.argwhere(~(duration < _LARGEST))[0]
        raise ParameterError(
            f"duration[{row}, {length}]={duration[row, length]}; scores must be below {_LARGEST}, "
            "or -inf to forbid a length."
        )
    if potentials.ratio is not None:
        small = np.abs(potentials.ratio) < _LARGEST / potentials.n_frames**2
        if not small.all():
            k, column = np.argwhere(~small)[0]
            raise ParameterError(
                f"ratio[{k}, {column}]={potentials.ratio[k, column]} of {potentials.label(k)}, "
                f"must be finite, and below {_LARGEST} times the square of any length."
            )
    if not math.isfinite(potentials.constant):
        raise ParameterError(f"constant={potentials.constant}, must be finite.")
    return np.ascontiguousarray(onset)


def refuse(potentials: Potentials, caller: str, *kinds: str, instead: str = "") -> None:
    """Raise `ParameterError` where scores are present that the caller cannot read.

    Parameters
    ----------
    potentials : Potentials
    caller : str
        What the message calls the function that was asked.
    *kinds : str
        Scores it cannot read: "duration", "ratio", "general". Tables of zeros do no harm.
    instead : str
        What the message says to do.
    """
    for kind in kinds:
        scores = getattr(potentials, kind)
        if kind == "general" and scores:
            raise ParameterError(f"{caller} cannot score general functions{instead}.")
        if kind != "general" and scores is not None and scores.any():
            raise ParameterError(f"{caller} cannot score {kind}{instead}.")


def has_ratio(potentials: Potentials) -> bool:
    """Return whether changes of length are scored, so that two onsets must be remembered."""
    return potentials.ratio is not None and bool(potentials.ratio.any())


def length_table(potentials: Potentials, longest: npt.ArrayLike) -> tuple[Float64, IntArray]:
    """Return the scores of lengths, and the row of each event; one row of zeros if none scores.

    Lengths up to the largest of `longest` can be asked for. The table [shape=(R, L + 1)] is
    float64, contiguous, and copied only if it has to be.
    """
    if potentials.duration is None or potentials.duration_row is None:
        zeros = np.zeros((1, int(np.max(longest)) + 1))
        return zeros, np.zeros(potentials.n_events, dtype=np.intp)
    duration = np.ascontiguousarray(potentials.duration, dtype=np.float64)
    return duration, potentials.duration_row


def check_memory(max_memory: int | None) -> None:
    """Raise `ParameterError` unless `max_memory` is None or positive."""
    if max_memory is not None and max_memory < 1:
        raise ParameterError(f"max_memory={max_memory}, must be positive (bytes), or None.")


def tighten(potentials: Potentials) -> Windows:
    """Return the frames each onset can take, of potentials of at least one event.

    Raises ParameterError where no choice of onsets meets the windows and the lengths; it names the
    first event at fault.

    Examples
    --------
    >>> windows = tighten(Potentials(np.zeros((3, 10)), n_frames=10))
    >>> windows.first.tolist(), windows.last.tolist()
    ([0, 1, 2, 10], [7, 8, 9, 10])
    """
    n_events, n_frames = potentials.n_events, potentials.n_frames
    if n_events > n_frames and potentials.min_length.all():
        raise ParameterError(
            f"{potentials.label(n_frames)} cannot begin: more events than frames "
            f"(K={n_events}, T={n_frames})."
        )
    windows, fault = tighten_limits(
        potentials.start, potentials.stop, potentials.min_length, potentials.max_length, n_frames
    )
    if fault >= 0:
        raise ParameterError(_explain_empty(potentials, fault, windows))
    return windows


@compiled()
def is_unbound(windows: Windows, k: int) -> bool:
    """Whether the longest length of event k lets each of its onsets meet each of the next."""
    return bool(windows.longest[k] >= windows.last[k + 1] - windows.first[k])


@compiled()
def tighten_limits(
    start: IntArray, stop: IntArray, min_length: IntArray, max_length: IntArray, n_frames: int
) -> tuple[Windows, int]:
    """Return the windows and -1, or them as they are where an event can have no length or frame.

    The number returned beside is that of the first such event, or K for the end sentinel. It is
    compiled because a dozen calls of NumPy would take as long as a small problem.
    """
    n_events = start.size
    first, last = np.empty(n_events + 1, np.intp), np.empty(n_events + 1, np.intp)
    shortest, longest = np.empty(n_events, np.intp), np.empty(n_events, np.intp)
    windows = Windows(first, last, shortest, longest)
    for k in range(n_events):
        first[k], last[k] = start[k], stop[k] - 1
        shortest[k] = min(min_length[k], n_frames + 1)  # sums must not overflow
        longest[k] = max_length[k]
    first[n_events] = last[n_events] = n_frames
    for k in range(n_events):
        if shortest[k] > longest[k]:
            return windows, k
    for k in range(n_events):
        first[k + 1] = max(first[k + 1], first[k] + shortest[k])
        last[k + 1] = min(last[k + 1], last[k] + longest[k])
    for k in range(n_events + 1):
        if first[k] > last[k]:
            return windows, k
    for k in range(n_events - 1, -1, -1):
        first[k] = max(first[k], first[k + 1] - longest[k])
        last[k] = min(last[k], last[k + 1] - shortest[k])
    for k in range(n_events):
        shortest[k] = max(shortest[k], first[k + 1] - last[k])
        longest[k] = min(longest[k], last[k + 1] - first[k])
    return windows, -1


def _explain_empty(potentials: Potentials, k: int, windows: Windows) -> str:
    """Say why event `k` has no length, or its onset is out of reach of those before it."""
    n_events, n_frames = potentials.n_events, potentials.n_frames
    label = potentials.label(min(k, n_events - 1))
    first, last, shortest, longest = windows
    if k < n_events and shortest[k] > longest[k]:
        return (
            f"{label} has min_length={potentials.min_length[k]} above "
            f"max_length={longest[k]}; raise max_length or lower min_length."
        )
    least = np.concatenate(([0], np.cumsum(shortest)))
    if least[-1] > n_frames:
        beyond = int(np.argmax(least > n_frames)) - 1
        return (
            f"{potentials.label(beyond)} does not fit: the shortest lengths of the {n_events} "
            f"events add up to {least[-1]} frames, the recording has {n_frames}; lower min_length."
        )
    if k == n_events:
        if last[k] < n_frames:
            return (
                f"{label} cannot last to the end of the recording, frame {n_frames}: the longest "
                f"lengths reach frame {last[k]} at most; raise max_length."
            )
        return (
            f"{label} cannot end with the recording, at frame {n_frames}: it begins at frame "
            f"{first[k - 1]} at the earliest and lasts at least {potentials.min_length[-1]}; "
            "widen the windows or lower min_length."
        )
    start, stop = int(potentials.start[k]), int(potentials.stop[k])
    if stop <= start:
        return f"{label} cannot begin: its window is empty (start={start}, stop={stop})."
    where = f"{label} cannot begin between frames {start} and {stop - 1}"
    if first[k] >= stop:
        return (
            f"{where}: the events before it end at frame {first[k]} at the earliest; widen its "
            "window or lower min_length."
        )
    return (
        f"{where}: the events before it end at frame {last[k]} at the latest; widen its window "
        "or raise max_length."
    )


def explain_unreachable(potentials: Potentials, windows: Windows) -> ParameterError:
    """Return the error that says why no timing has a finite score; names the first event.

    Parameters
    ----------
    potentials : Potentials
        Windows and lengths can be met, yet every timing scores -inf.
    windows : Windows
        What `tighten` returned.
    """
    first, last, shortest, longest = windows
    duration, row = length_table(potentials, longest)
    reached = np.ones(1)
    for k in range(potentials.n_events):
        begin, end = int(first[k]), int(last[k]) + 1
        at = slice(begin - int(potentials.start[k]), end - int(potentials.start[k]))
        finite = np.isfinite(potentials.onset[k, at])
        if not finite.any():
            return ParameterError(
                f"{potentials.label(k)} has score -inf at every frame it can begin at, "
                f"{begin} to {end - 1}: no timing has a finite score."
            )
        here = finite & (reached > 0) if k else finite
        if not here.any():
            return ParameterError(
                f"{potentials.label(k)} has score -inf wherever the events before it let it "
                "begin: no timing has a finite score."
            )
        low, high = int(shortest[k]), int(longest[k]) + 1
        allowed = np.isfinite(duration[row[k], low:high]) * 1.0
        if not allowed.any():
            return ParameterError(
                f"{potentials.label(k)} has score -inf at every length it can have, {low} to "
                f"{high - 1} frames: no timing has a finite score."
            )
        sums = np.zeros(int(last[k + 1]) + 1)
        spread = np.convolve(here * 1.0, allowed)[: sums.size - begin - low]
        sums[begin + low : begin + low + spread.size] = spread
        reached = np.rint(sums[int(first[k + 1]) :])
    if not reached.any():
        k = potentials.n_events - 1
        return ParameterError(
            f"{potentials.label(k)} cannot last to the end of the recording at a finite score."
        )
    return ParameterError("no timing has a finite score.")
