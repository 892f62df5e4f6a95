"""What every reader of notation returns: a score as it is written, each bar once.

Places are quarters from the beginning. Readers find bar lines, time signatures and tempi; what the
bars are called, and when a quarter is in seconds, is worked out here for all of them.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from align.formats.scores.beats import Bar
from align.formats.scores.folded import FoldedNote
from align.formats.scores.note_rows import NoteRow
from align.formats.scores.ways import Signs
from align.types import Float64

_SAME = 1e-6  # of a beat: rounding
_QUARTER = 0.5  # seconds, where a score has no tempo


@dataclass(eq=False)
class TiedNote:
    """A note, in quarters, while it may still be tied to another: then it goes `into` that one."""

    start: Fraction
    end: Fraction
    pitch: int
    name: str
    grace: bool
    part: Hashable
    id: str = ""
    closing: bool = False
    into: "TiedNote | None" = None

    def folded(self, id: str, part: str) -> FoldedNote:
        """Return it with its identifier and the name of its part."""
        row = NoteRow(0.0, self.pitch, 0.0, id, self.grace, None, self.name, part)
        return FoldedNote(float(self.start), float(self.end), row, self.closing)


class Ties:
    """The notes that go on, by part, pitch and the place where they must be held."""

    def __init__(self) -> None:
        self._open: defaultdict[tuple[Hashable, int, Fraction], list[TiedNote]] = defaultdict(list)

    def joined(self, note: TiedNote, *, held: bool, goes_on: bool) -> TiedNote:
        """Return the note before, made longer by one that is `held` from there; else the note."""
        open_here = self._open[note.part, note.pitch, note.start]
        sounding = open_here.pop(0) if held and open_here else note
        sounding.end = note.end
        if goes_on:
            self._open[note.part, note.pitch, note.end].append(sounding)
        return sounding


class Written(NamedTuple):
    """A score as it is written; `tempi` are seconds of a quarter from each place on.

    `notices` are sentences on what the score contradicts itself in.
    """

    notes: list[FoldedNote]
    bars: list[Bar]
    signs: Signs
    tempi: dict[float, float]
    notices: tuple[str, ...] = ()


class Span(NamedTuple):
    """A bar from `start` to `end`; `name` is what the file calls it, if it does."""

    start: float
    end: float
    name: str | None = None


class Metre(NamedTuple):
    """A time signature of `n_beats` of a whole note divided by `unit`, from `start` on."""

    start: float
    n_beats: int
    unit: int


def counted_bars(spans: Sequence[Span], metres: Sequence[Metre]) -> list[Bar]:
    """Return the bars with their numbers and beats; none where the score has no metre.

    Examples
    --------
    >>> bars = counted_bars([Span(0, 1), Span(1, 4, "1")], [Metre(0, 3, 4)])
    >>> [(bar.number, bar.n_beats, bar.unit) for bar in bars]
    [(0, 1.0, 4), (1, 3.0, 4)]
    """
    metres = sorted(metres)
    if not metres or any(n < 1 or unit < 1 for _, n, unit in metres):
        return []
    at = [start for start, *_ in metres]
    timed = []
    for span in spans:
        place = max(0, int(np.searchsorted(at, span.start + _SAME, side="right")) - 1)
        _, n_beats, unit = metres[place]
        timed.append((span, (span.end - span.start) * unit / 4, n_beats, unit))
    full = [lasts > n_beats - _SAME for _, lasts, n_beats, _ in timed]
    bars: list[Bar] = []
    numbers = _numbers([span.name for span in spans], full)
    for number, (span, lasts, n_beats, unit) in zip(numbers, timed, strict=True):
        first = 1.0
        if bars and bars[-1].number == number:  # the rest of a bar with a repeat sign in it
            next_beat = bars[-1].first + bars[-1].n_beats
            first = next_beat if next_beat < n_beats + 1 - _SAME else 1.0
        bars.append(Bar(span.start, span.end, lasts, number, first, unit))
    return bars


def _numbers(names: Sequence[str | None], full: Sequence[bool]) -> list[int]:
    """Return the numbers of bars: those of the file, if they go up; a pick-up is 0.

    A bar that is not counted, as "X1", has the number of the bar before it; so has one without a
    name that goes on with a bar that is not `full`.
    """
    pick_up = bool(full) and not full[0]
    counted = [k + 1 - pick_up for k in range(len(names))]
    found = [re.match(r"\d{1,6}", name or "") for name in names]
    number = next((int(each[0]) - 1 for each in found if each), None)
    if number is None:
        return counted
    named: list[int] = []
    rest = True  # of the bar before, if one of the two is not full
    for k, each in enumerate(found):
        rest = not rest and not full[k - 1]
        if each:
            number = int(each[0])
        elif k > 0 and names[k] is None and not rest:
            number += 1
        named.append(number)
    if named != sorted(named):
        return counted
    return [number - named[0] if pick_up and named[0] == 1 else number for number in named]


def tempo_map(tempi: Mapping[float, float]) -> Callable[[Float64], Float64]:
    """Return the function from quarters to seconds, both [shape=(N,)].

    Before the first of the tempi it is that one; without any a quarter lasts half a second.

    Raises
    ------
    ValueError
        If a tempo is not positive.
    """
    if any(not 0 < seconds < np.inf for seconds in tempi.values()):
        raise ValueError("a tempo in it is not positive")
    at = np.array([0.0, *sorted(tempi)])
    rates = [tempi[place] for place in sorted(tempi)]
    rate = np.array([rates[0] if rates else _QUARTER, *rates])
    seconds = np.concatenate([[0.0], np.cumsum(np.diff(at) * rate[:-1])])

    def to_seconds(quarters: Float64) -> Float64:
        k = np.maximum(np.searchsorted(at, quarters + 1e-6, side="right") - 1, 0)
        result: Float64 = seconds[k] + (quarters - at[k]) * rate[k]
        return result

    return to_seconds
