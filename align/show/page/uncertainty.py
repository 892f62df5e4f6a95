"""Which events deserve a look first, and why.

Every event has an *uncertainty* in [0, 1]. Where the confidence of its onset is known, that is one
less it: a calibrated confidence has seen the lengths, and an order that also went by them found
fewer wrong boundaries. Where it is not known, what counts is the length:

* 0.9 and more where it is hard to believe: a phone shorter than 10 ms or longer than 0.6 s
  (silences may last);
* from 0.5 where it is unlike that of others with its label: with the robust deviation z of the
  logarithm from their median, `_UNUSUAL` or more, 0.5 + 0.04 z, at most 0.85.

A note that was probably not played is as uncertain as that is probable.

Where there is a reference with these labels, the uncertainty is at least 1 - exp(-d / 40 ms), for
an onset d from it. All that is odd is listed, whether it counts or not.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from align.types import Float64

SHORTEST, LONGEST = 0.010, 0.6
"""Seconds that a phone lasts; some 1 in 100 of TIMIT lie outside."""

_UNUSUAL = 3.5  # robust standard deviations
_TO_SIGMA = 1.4826
_ENOUGH = 8  # events with one label, to know what is usual
_LEAST_SPREAD = 0.15  # of the logarithm: lengths are multiples of a frame
_FAR = 0.040  # seconds from the reference
_PROBABLE = 0.5  # probability of not having been played that is worth a word
_NOTABLE = 0.005  # seconds from the reference that are worth a word


class Uncertain(NamedTuple):
    """An event that deserves a look: its number from 0, how much, in [0, 1], and why."""

    event: int
    value: float
    reason: str


def typical_lengths(
    labels: Sequence[Sequence[str]], intervals: Sequence[Float64]
) -> dict[str, tuple[float, float]]:
    """Median and robust deviation of the logarithm of the length of each label.

    Only of labels that occur `_ENOUGH` times. `intervals` [shape=(K, 2)] are in seconds.
    """
    lengths: dict[str, list[float]] = defaultdict(list)
    for names, times in zip(labels, intervals, strict=True):
        for name, length in zip(names, np.diff(times, axis=1)[:, 0].tolist(), strict=True):
            lengths[name].append(math.log(max(length, 1e-4)))
    typical = {}
    for name, logs in lengths.items():
        if len(logs) >= _ENOUGH:
            median = float(np.median(logs))
            spread = _TO_SIGMA * float(np.median(np.abs(np.array(logs) - median)))
            typical[name] = (median, max(spread, _LEAST_SPREAD))
    return typical


def most_uncertain(
    labels: Sequence[str],
    intervals: Float64,
    confidence: Sequence[float | None],
    reference: Float64 | None = None,
    *,
    typical: Mapping[str, tuple[float, float]] | None = None,
    with_lengths: bool = True,
    unplayed: Float64 | None = None,
) -> list[Uncertain]:
    """List the events of which there is something to say, the most uncertain first.

    `intervals` [shape=(K, 2)] are in seconds, `confidence` is how sure each onset is, `reference`
    [shape=(K,)] the true onsets in seconds, NaN where unknown; `typical` is what `typical_lengths`
    returned. Without `with_lengths` the ends of events mean nothing. `unplayed` [shape=(K,)] is
    the probability that each was not played.

    Examples
    --------
    >>> most_uncertain(["k", "iy"], np.array([[0.0, 0.1], [0.1, 0.105]]), [0.9, 0.5])[0]
    Uncertain(event=1, value=0.5, reason='confidence 0.50; lasts 5 ms')
    """
    from align.types import SILENCES

    found = []
    for k, (label, (start, end)) in enumerate(zip(labels, intervals.tolist(), strict=True)):
        reasons: list[tuple[float, str]] = []
        sure = confidence[k]
        if with_lengths and label not in SILENCES:
            odd = _of_length(label, end - start, (typical or {}).get(label))
            reasons += odd if sure is None else [(0.0, text) for _, text in odd]
        if reference is not None and math.isfinite(apart := start - float(reference[k])):
            value = 1 - math.exp(-abs(apart) / _FAR)
            if abs(apart) >= _NOTABLE:
                side = "after" if apart > 0 else "before"
                reasons.append((value, f"{abs(apart) * 1000:.0f} ms {side} the reference"))
        if sure is not None:
            reasons.append((1 - sure, f"confidence {sure:.2f}"))
        if unplayed is not None and unplayed[k] >= _PROBABLE:
            reasons.append((float(unplayed[k]), f"probably not played ({unplayed[k]:.2f})"))
        if reasons:
            reasons.sort(key=lambda item: -item[0])
            text = "; ".join(reason for _, reason in reasons)
            found.append(Uncertain(k, round(reasons[0][0], 4), text))
    found.sort(key=lambda one: (-one.value, one.event))
    return found


def _of_length(
    label: str, length: float, typical: tuple[float, float] | None
) -> list[tuple[float, str]]:
    """Say what is odd about the length of a phone, in seconds."""
    if length < SHORTEST:
        return [(1.0 - 0.1 * length / SHORTEST, f"lasts {length * 1000:.0f} ms")]
    if length > LONGEST:
        return [(1.0 - 0.1 * LONGEST / length, f"lasts {length:.2f} s")]
    if typical is None:
        return []
    median, spread = typical
    deviation = (math.log(length) - median) / spread
    if abs(deviation) < _UNUSUAL:
        return []
    ratio = length / math.exp(median)
    how = f"{ratio:.1f} times as long" if ratio > 1 else f"{1 / ratio:.1f} times as short"
    return [(min(0.85, 0.5 + 0.04 * abs(deviation)), f"{how} as is usual for {label}")]
