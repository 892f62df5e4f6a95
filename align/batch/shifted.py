"""Whether recordings fit the texts of their neighbours, as where a table is off by one row.

Some recordings whose own text does not fit are aligned with that of the next recording, and with
that of the one before. Where most fit one of them and few the other, all are probably shifted.
Which recording is next is a matter of their names, where 9 comes before 10.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from align.batch.tasks import Task

UNLIKE = 0.5
"""Match, below which a text does not fit its recording."""

_FIRST, _SOME = 3, 8  # recordings that are asked first, and where these seem shifted
_NEIGHBOURS = {1: "next recording", -1: "recording before"}

Fits = Callable[[Sequence[Task]], Sequence[bool]]
"""Says which recordings fit what they are to be aligned with."""


def shifted(tasks: Sequence[Task], unlike: Collection[str], fits: Fits) -> str:
    """Return what is to be said of texts that seem shifted by one; nothing if they are not.

    `unlike` are the names of tasks whose text does not fit.

    Examples
    --------
    >>> tasks = [Task(f"take{n}", f"take{n}.wav", f"take{n}.txt") for n in range(1, 13)]
    >>> said = {f"take{n}.wav": f"take{n + 1}.txt" for n in range(1, 13)}
    >>> def fits(tasks):
    ...     return [said[task.audio] == task.source for task in tasks]
    >>> print(shifted(tasks, [task.name for task in tasks], fits)[:44])
    The texts of this corpus seem shifted by one
    >>> shifted(tasks, ["take3"], fits)
    ''
    """
    ordered = sorted(tasks, key=lambda task: _in_order(task.name))
    places = [k for k in range(1, len(ordered) - 1) if ordered[k].name in unlike]
    if len(places) < _FIRST:
        return ""
    n_some = min(_SOME, len(places))
    chosen = [places[k * len(places) // n_some] for k in range(n_some)]
    # the first ones lie apart, since only a part of the corpus may be shifted
    chosen.sort(key=chosen[:: n_some // _FIRST][:_FIRST].__contains__, reverse=True)
    found: dict[int, list[bool]] = {by: [] for by in _NEIGHBOURS}
    for some in (chosen[:_FIRST], chosen[_FIRST:]):
        for by, own in found.items():
            own += fits([replace(ordered[k], source=ordered[k + by].source) for k in some])
        by, other = sorted(found, key=lambda by: -sum(found[by]))
        n, n_fit = len(found[by]), sum(found[by])
        if 4 * n_fit < (2 if n == _FIRST else 3) * n or 4 * sum(found[other]) > n:
            return ""
    k = chosen[found[by].index(True)]
    return (
        f"The texts of this corpus seem shifted by one: of {n} recordings that were tried, "
        f"{n_fit} fit the text of the {_NEIGHBOURS[by]} ({ordered[k].name} that of "
        f"{ordered[k + by].name}), and not their own; look at the table that they come from."
    )


def _in_order(name: str) -> list[tuple[int, str]]:
    """Return what names are sorted by, with numbers in them as numbers."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]
