"""The ways through a score: repeats, endings and leaps, as players read them.

Whoever plays goes on, but for the signs:

* At the end of a repeat one may go back, once; where it is listed several times, as often. Where
  endings stand, the choice is made before them: ending 1 and back, and so on, or at once to the
  last ending. An ending that stands alone at a repeat sign is left out the last time; where no
  sign ends it, its bracket says nothing. Where the numbers of endings side by side are not 1 to n,
  as where one has none, they count as they stand.
* *Da capo* leads back to the beginning, *dal segno* to the sign before it, once. Repeats may then
  be taken again.
* After such a leap, *to coda* leads to the coda behind it, and *fine* is the end. Where music
  follows that is no coda, as another movement, it is played then, and a leap in it leads to its
  own beginning.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_MOST_STRETCHES = 10_000
_LEAPS = ("da_capo", "dal_segno", "segno", "fine", "to_coda", "coda")


class Ending(NamedTuple):
    """A bracket over the times `numbers` of a repeat, from `start` to `end`."""

    start: float
    end: float
    numbers: frozenset[int]

    @classmethod
    def of(cls, start: float, end: float, text: str) -> "Ending":
        """Read the numbers of a bracket, as "1", "1, 2" or "1.-3."."""
        numbers = [int(number) for number in re.findall(r"\d{1,2}", text)]
        if "-" in text and len(numbers) == 2:
            numbers = list(range(numbers[0], numbers[1] + 1))
        return cls(start, end, frozenset(numbers))


@dataclass(frozen=True)
class Signs:
    """Where the signs of a score stand, from 0 to `end`, in any unit.

    Repeats are (start, end), listed twice for what is played three times; of *segno* and so on
    there may be several.
    """

    end: float
    repeats: Sequence[tuple[float, float]] = ()
    endings: Sequence[Ending] = ()
    da_capo: Sequence[float] = ()
    dal_segno: Sequence[float] = ()
    segno: Sequence[float] = ()
    fine: Sequence[float] = ()
    to_coda: Sequence[float] = ()
    coda: Sequence[float] = ()

    @property
    def count(self) -> int:
        """How many signs there are."""
        spans = len(self.repeats) + len(self.endings)
        return spans + sum(len(getattr(self, name)) for name in _LEAPS)

    def agrees(self, other: "Signs") -> bool:
        """Return whether another part, which has more signs, is led through in the same way.

        Programs write brackets and leaps into one part, and repeats into that one or into all.
        """
        within = all(
            _rounded(getattr(self, name)) <= _rounded(getattr(other, name))
            for name in ("repeats", "endings", *_LEAPS)
        )
        return within and (not self.repeats or _rounded(self.repeats) == _rounded(other.repeats))


def _rounded(signs: Sequence[Any]) -> set[Any]:
    """Return signs whose places may differ by rounding."""
    places = [sign[:2] if isinstance(sign, tuple) else (sign,) for sign in signs]
    return {tuple(round(float(place), 3) for place in sign) for sign in places}


def way_through(
    signs: Signs, taken: Sequence[bool] = ()
) -> tuple[list[tuple[float, float]], list[int]]:
    """Return the stretches of a score in the order in which they are played.

    Parameters
    ----------
    signs : Signs
        Of the score.
    taken : sequence of bool
        Of each choice, as they are met, whether the player goes back; choices beyond it are taken.

    Returns
    -------
    way : list of (start, end)
        Stretches between signs.
    choices : list of int
        For each choice that was met, how many of these stretches are before it.

    Raises
    ------
    ValueError
        Where repeats within repeats make more than 10,000 stretches.

    Examples
    --------
    >>> way_through(Signs(end=3.0, repeats=[(0.0, 2.0)]))
    ([(0.0, 2.0), (0.0, 2.0), (2.0, 3.0)], [1])
    >>> way_through(Signs(end=3.0, repeats=[(0.0, 2.0)]), [False])
    ([(0.0, 2.0), (2.0, 3.0)], [1])
    """
    walk = _Walk(signs, taken)
    while walk.at < signs.end:
        walk.step()
        if len(walk.way) > _MOST_STRETCHES:
            raise ValueError("its repeats never come to an end")
    return walk.way, walk.choices


class _Walk:
    """A player on the way."""

    def __init__(self, signs: Signs, taken: Sequence[bool]) -> None:
        self._signs, self._taken = signs, taken
        self.way: list[tuple[float, float]] = []
        self.choices: list[int] = []
        self.at = 0.0
        self._beginning = 0.0  # where da capo leads
        self._leapt_from: float | None = None
        self._gone_back: Counter[tuple[float, float]] = Counter()
        self._time: dict[float, int] = {}  # how often the endings at a place were reached
        self._groups = _groups(signs)
        ends = {ending.end for group in self._groups.values() for ending in group}
        self._repeats = Counter(r for r in signs.repeats if r[1] not in ends and r[0] < r[1])
        places = {0.0, signs.end, *(t for r in signs.repeats for t in r)}
        places |= {t for ending in signs.endings for t in ending[:2]}
        for marks in (signs.da_capo, signs.dal_segno, signs.segno, signs.fine):
            places |= set(marks)
        self._places = sorted(places | set(signs.to_coda) | set(signs.coda))

    def _choose(self) -> bool:
        self.choices.append(len(self.way))
        n = len(self.choices)
        return n > len(self._taken) or bool(self._taken[n - 1])

    def step(self) -> None:
        """Play up to the next sign, and go where it leads."""
        ending = self._ending()
        start = self.at if ending is None else ending.start
        if start >= self._signs.end:
            self.at = start
            return
        stop = next(place for place in self._places if place > start)
        self.way.append((start, stop))
        self.at = self._after(stop)

    def _ending(self) -> Ending | None:
        """Return the ending to play where endings begin here, which is chosen before them."""
        group = self._groups.get(self.at)
        if group is None:
            return None
        last = max((number for ending in group for number in ending.numbers), default=1)
        alone = len(group) == 1
        time = self._time.get(self.at, 0) + 1
        again = time < last + alone and self._choose()
        self._time[self.at] = time if again else 0
        if alone and not again:
            return group[0]._replace(start=group[0].end)  # it is left out
        wanted = time if again else last
        return next((ending for ending in group if wanted in ending.numbers), group[-1])

    def _after(self, place: float) -> float:
        """Return where to go on after `place`, up to which was played."""
        signs = self._signs
        for start, group in self._groups.items():
            if place in [ending.end for ending in group]:
                if self._time.get(start):
                    return max((s for s, end in signs.repeats if s <= start <= end), default=0.0)
                if place != group[-1].end:
                    return group[-1].end
        for repeat in sorted(self._repeats, reverse=True):  # the innermost first
            if repeat[1] == place:
                if self._gone_back[repeat] < self._repeats[repeat] and self._choose():
                    self._gone_back[repeat] += 1
                    return repeat[0]
                self._gone_back[repeat] = 0
        if self._leapt_from is not None:
            if place in signs.fine:
                return self._next_movement()
            if place in signs.to_coda:
                return next((coda for coda in signs.coda if coda >= place), place)
        elif place in signs.da_capo or place in signs.dal_segno:
            before = [sign for sign in signs.segno if sign < place]
            if place in signs.da_capo or before:
                self._leapt_from = place
                self._gone_back.clear()
                self._time.clear()
                return self._beginning if place in signs.da_capo else max(before)
        return place

    def _next_movement(self) -> float:
        """Return where music follows the leap that led here, unless it is the coda."""
        place = self._leapt_from
        if place is None or any(coda >= place for coda in self._signs.coda):
            return self._signs.end
        self._leapt_from, self._beginning = None, place
        return place


def _groups(signs: Signs) -> dict[float, list[Ending]]:
    """Return endings that follow each other, by where the first begins."""
    groups: dict[float, list[Ending]] = {}
    group: list[Ending] = []
    for ending in sorted(signs.endings):
        if not group or group[-1].end != ending.start or 1 in ending.numbers:
            group = groups.setdefault(ending.start, [])
        group.append(ending)
    led_back = {end for _, end in signs.repeats}
    return {
        start: _numbered(group)
        for start, group in groups.items()
        if len(group) > 1 or group[0].end in led_back
    }


def _numbered(group: Sequence[Ending]) -> list[Ending]:
    """Return endings side by side, with the numbers of their order where those written are wrong.

    Programs leave out the number of a first ending, or give it that of the second.
    """
    said = sorted(number for ending in group for number in ending.numbers)
    if said == [*range(1, len(said) + 1)] and all(e.numbers for e in group):
        return list(group)
    if len(group) == 1:
        return [group[0]._replace(numbers=frozenset(range(1, max(len(said), 1) + 1)))]
    return [ending._replace(numbers=frozenset({n})) for n, ending in enumerate(group, 1)]
