"""A short sequence in which each event of a long one stands as it does there.

What a feature says of an event depends on the event before, on whether something follows that
`align.features.Feature.draws_out` names, and on whether it is the first or the last. An hour of
speech has some 60,000 phones, but few thousands that differ in this, and whoever asks features of
each minute what they say of all phones of the hour asks of these only.
"""

from collections.abc import Callable

import numpy as np

from align.types import Event, IntArray

__all__ = ["covering"]


def covering(
    events: tuple[Event, ...], draws_out: Callable[[Event], bool]
) -> tuple[tuple[Event, ...], IntArray]:
    """Return a sequence of no more events, and the place in it of each of these [shape=(K,)].

    Examples
    --------
    A pause draws out what precedes it; "a" after "b" is found once:

    >>> cover, place = covering(tuple("abababab.ab"), lambda event: event == ".")
    >>> "".join(cover), place.tolist()
    ('ababab.ab', [0, 1, 2, 1, 2, 1, 2, 5, 6, 7, 8])
    """
    n = len(events)
    drawn = [draws_out(event) for event in events]
    known: dict[tuple[Event, Event, bool], int] = {}
    places = list(range(n))
    for k in range(1, n - 1):
        places[k] = known.setdefault((events[k - 1], events[k], drawn[k + 1]), k)
    kept = np.zeros(n, dtype=bool)  # those that stand for some, and their neighbours
    stand = np.array(sorted({0, n - 1, *known.values()}), dtype=np.intp)
    for beside in (-1, 0, 1):
        kept[np.clip(stand + beside, 0, n - 1)] = True
    number = np.cumsum(kept) - 1
    return tuple(events[k] for k in np.flatnonzero(kept)), number[places]
