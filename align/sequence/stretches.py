"""Long recordings: cut at pauses into stretches, which are aligned one by one.

A recording of an hour has a table of gigabytes, and changes on the way: speakers, distance, level.
So it is aligned in stretches of a minute or so, each as a recording of its own:

1. *Roughly.* `align.sequence.rough` says where everything is, to within a second.
2. *Cut.* Pauses among the events, where the rough path makes them long, are cut in the middle.
3. *Align.* Each stretch begins and ends with half a pause, and is decoded exactly.
4. *Check.* Where speech comes near a cut, or what is in a stretch does not fit into it, the rough
   path was wrong there: the stretches either side of the cut become one, and are aligned again.

Time and memory grow with the length of the recording, and not with its square.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from align.errors import DataError
from align.features import Signal
from align.progress import Progress
from align.results.alignment import Alignment
from align.types import Event, Float64

MOST_OF_STRETCH = 10**6  # cells of the onset table of a stretch; beyond, windows: they are faster

Found = TypeVar("Found")

_LEAST_PAUSE = 0.2  # seconds of a pause that is cut
_SHORTEST, _LONGEST = 15.0, 45.0  # seconds of a stretch, if pauses allow
_NEAR = 0.03  # seconds from a cut, where no speech should be


class Cut(NamedTuple):
    """A cut in the middle of a pause: number of the pause among the events, and its time."""

    event: int
    time: float


class Stretch(NamedTuple):
    """Events ``first .. stop - 1`` between two times in seconds; pauses at its ends are shared."""

    first: int
    stop: int
    begin: float
    end: float


def cuts_at(
    begins: Float64,
    ends: Float64,
    pauses: Sequence[int],
    duration: float,
    hop: float,
) -> list[Cut]:
    """Return where to cut a recording: in the longest pause of those that suit each stretch.

    Pauses begin and end at `begins` and `ends` [shape=(P,)], in seconds, in order, and have the
    numbers `pauses` among the events. Cuts are whole multiples of `hop` in the `duration`, both in
    seconds.

    Examples
    --------
    Pauses at 10, 20, 30 and 60 seconds; a stretch lasts 15 to 45 s, and so does the last one:

    >>> begins = np.array([10.0, 20.0, 30.0, 60.0])
    >>> cuts_at(begins, begins + [0.5, 0.3, 0.6, 0.4], [4, 9, 15, 30], 80.0, 0.005)
    [Cut(event=15, time=30.3), Cut(event=30, time=60.2)]
    """
    long = [
        (float(end - begin), Cut(k, round(float(begin + end) / 2 / hop) * hop))
        for k, begin, end in zip(pauses, begins, ends, strict=True)
        if end - begin >= _LEAST_PAUSE
    ]
    cuts: list[Cut] = []
    at, i = 0.0, 0
    while duration - at > _LONGEST:
        while i < len(long) and long[i][1].time < at + _SHORTEST:
            i += 1
        fit = [one for one in long[i:] if one[1].time <= at + _LONGEST] or long[i : i + 1]
        fit = [one for one in fit if duration - one[1].time >= _SHORTEST]
        if not fit:
            break
        cuts.append(max(fit)[1])
        at = cuts[-1].time
    return cuts


def aligned_stretches(
    cuts: Sequence[Cut],
    n_events: int,
    duration: float,
    align: Callable[[Stretch], Found],
    speech: Callable[[Found], tuple[float, float]],
    progress: Progress | None = None,
) -> list[tuple[Stretch, Found]]:
    """Return the stretches between cuts and their alignments, without the cuts that were wrong.

    `align` aligns the events of a stretch, and raises DataError where they do not fit; `speech`
    returns when, after the beginning of the stretch, what is said in it begins and ends. Where
    there is something to cut, `progress` is given seconds. Raises the DataError of `align` where
    there is no cut left to take away.
    """
    left = list(cuts)
    done: dict[Stretch, Found | DataError] = {}
    while True:
        edges = [Cut(0, 0.0), *left, Cut(n_events - 1, duration)]
        stretches = [Stretch(a.event, b.event + 1, a.time, b.time) for a, b in pairwise(edges)]
        wrong = set()
        for i, stretch in enumerate(stretches):
            if stretch not in done:
                try:
                    done[stretch] = align(stretch)
                except DataError as error:
                    done[stretch] = error
            if progress is not None and cuts:
                progress("aligning", round(stretch.end), round(duration))
            found = done[stretch]
            begin, end = 0.0, 0.0
            if not isinstance(found, DataError):
                begin, end = speech(found)
                end = stretch.end - stretch.begin - end
            wrong |= {i - 1} if begin < _NEAR else set()
            wrong |= {i} if end < _NEAR else set()
        wrong &= set(range(len(left)))
        if not wrong:
            break
        left = [cut for i, cut in enumerate(left) if i not in wrong]
    aligned = []
    for stretch in stretches:
        found = done[stretch]
        if isinstance(found, DataError):
            raise found
        aligned.append((stretch, found))
    return aligned


def joined_stretches(
    parts: Sequence[tuple[Stretch, Alignment]],
    events: tuple[Event, ...],
    signal: Signal,
    audio: str | None,
) -> Alignment:
    """Return the alignment of a recording, given those of its stretches.

    A pause that is shared begins where the stretch that ends with it says.
    """
    own = [slice(1 if i else 0, None) for i in range(len(parts))]
    matches = [part.match for _, part in parts if part.match is not None]
    seconds = [stretch.end - stretch.begin for stretch, _ in parts]
    last, end = parts[-1]

    def every(name: str, *, timed: bool = False) -> Float64 | None:
        columns = [getattr(part, name) for _, part in parts]
        if any(column is None for column in columns):
            return None
        begins = [at.begin if timed else 0.0 for at, _ in parts]
        whole = zip(columns, own, begins, strict=True)
        return np.concatenate([column[keep] + begin for column, keep, begin in whole])

    return Alignment(
        events=events,
        onsets=every("onsets", timed=True),  # type: ignore[arg-type]
        end=min(last.begin + end.end, signal.duration),
        duration=signal.duration,
        confidence=every("confidence"),
        onset_intervals=every("onset_intervals", timed=True),
        event_match=every("event_match"),
        match=float(np.average(matches, weights=seconds)) if len(matches) == len(parts) else None,
        score=float(np.sum([part.score for _, part in parts])),
        audio=audio,
        rate=signal.own_rate,
        warnings=tuple(
            f"from {at.begin:.1f} to {at.end:.1f} s: {text}"
            for at, part in parts
            for text in part.warnings
        ),
    )
