"""Long recordings, learned from in parts that are cut in their pauses.

Scores of a recording take memory as its length times its events: 14 minutes of speech, 6.5 GB. A
network and weights learn the same from its parts, each with a half of the pauses about it.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from align.features.base import TimedSignal
from align.types import Event

_LONG = 60.0  # seconds; shorter recordings are one part
_SHORTEST, _LONGEST = 10.0, 30.0  # seconds of a part, where there are pauses for it
_PAUSE = 0.1  # seconds of a pause that is cut


def parts_of(item: TimedSignal, is_pause: Callable[[Event], bool]) -> list[TimedSignal]:
    """Return the parts of a recording, cut in the middle of pauses; itself if it is short.

    Each is cut in the longest pause that makes it 10 to 30 s long, or else in the next one. The
    parts have no text, since nobody knows which of its words are in which part. Without a group
    they are one group: where there are other recordings, no part is scored by what has learned
    from another.

    Examples
    --------
    >>> from align.features import Signal
    >>> signal = Signal(np.zeros(70 * 100, dtype=np.float32), rate=100, hop=0.01)
    >>> onsets = np.array([0, 2000, 2050, 4000, 4500])
    >>> item = TimedSignal(signal, ["a", "sil", "b", "sil", "c"], onsets, 0.01 * onsets, 7000)
    >>> for part in parts_of(item, lambda event: event == "sil"):
    ...     print(part.events, part.onsets, part.end, part.signal.n_frames)
    ['a', 'sil'] [   0 2000] 2025 2025
    ['sil', 'b', 'sil'] [   0   25 1975] 2225 2225
    ['sil', 'c'] [  0 250] 2750 2750
    """
    signal = item.signal
    if signal.duration <= _LONG:
        return [item]
    lengths = item.lengths
    pauses = np.array([is_pause(event) for event in item.events]) & (
        lengths * signal.hop >= _PAUSE
    )
    pauses[[0, -1]] = False
    places = np.flatnonzero(pauses)
    middles = item.onsets[places] + lengths[places] // 2
    cuts = [0]
    while True:
        away = (middles - cuts[-1]) * signal.hop
        left = (signal.n_frames - middles) * signal.hop
        fits = (away >= _SHORTEST) & (left >= _SHORTEST)
        near = np.flatnonzero(fits & (away <= _LONGEST))
        if (signal.n_frames - cuts[-1]) * signal.hop <= _LONGEST or not fits.any():
            break
        next_one = int(np.flatnonzero(fits)[0])
        if near.size:
            next_one = int(near[np.argmax(lengths[places[near]])])
        cuts.append(int(middles[next_one]))
    if len(cuts) == 1:
        return [item]
    return [
        _part(item, begin, end, number)
        for number, (begin, end) in enumerate(zip(cuts, [*cuts[1:], signal.n_frames], strict=True))
    ]


def n_recordings(items: Iterable[Any]) -> int:
    """Return how many recordings items are, or their parts."""
    return sum(getattr(item, "part", 0) == 0 for item in items)


def recordings_of(items: Iterable[Any]) -> list[str]:
    """Return which recording each item is, or is a part of: names that are sorted as they are.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> recordings_of([SimpleNamespace(part=part) for part in (0, 0, 1, 2, 0)])
    ['000000001', '000000002', '000000002', '000000002', '000000003']
    """
    begins = [getattr(item, "part", 0) == 0 for item in items]
    return [f"{number:09}" for number in np.cumsum(begins).tolist()]


def _part(item: TimedSignal, begin: int, end: int, number: int) -> TimedSignal:
    """Return what lies between two frames; what crosses `begin` begins there."""
    hop = item.signal.hop
    first = int(np.searchsorted(item.onsets, begin, side="right")) - 1 if begin else 0
    stop = int(np.searchsorted(item.onsets, end, side="left"))
    onsets, times = item.onsets[first:stop] - begin, item.times[first:stop] - begin * hop
    if begin:
        onsets[0], times[0] = 0, 0.0
    return replace(
        item,
        signal=item.signal.part(begin * hop, end * hop),
        events=item.events[first:stop],
        onsets=onsets,
        times=times,
        end=min(item.end, end) - begin,
        group=item.group or item.signal.name,
        text=None,
        part=number,
    )
