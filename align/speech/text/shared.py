"""Consonants that two words share: *am Mittwoch*, *es soweit*, *this seems*.

Where a word ends with the consonant that the next begins with, people say one, which lasts longer,
and nothing in the sound says where the one word ends. Who labels it puts the border into the
middle; a model that must find two beginnings takes the most likely frame of many that are not.
"""

from itertools import pairwise

from align.speech.text.pronouncing.articulation import sound_of
from align.speech.text.rows import Row, Rows

_MANNERS = frozenset({"nasal", "lateral", "fricative", "stop"})


def is_shared(last: str, first: str) -> bool:
    """Return whether the last phone of a word and the first of the next are said as one.

    That is, whether manner and place are the same: in front of a /z/ an /s/ has no end either.

    Examples
    --------
    >>> is_shared("m", "m"), is_shared("s", "z"), is_shared("m", "n"), is_shared("a", "a")
    (True, True, False, False)
    """
    sound = sound_of(last)
    return sound.manner in _MANNERS and sound == sound_of(first)


def with_shared_borders(rows: Rows) -> Rows:
    """Return rows in which words that share a consonant part in the middle of it.

    Examples
    --------
    >>> rows = [Row("m", 0.1, 1.0, 0), Row("m", 0.12, 1.0, 1), Row("i", 0.2, 1.0, 1)]
    >>> [round(row.start, 3) for row in with_shared_borders(rows)]
    [0.1, 0.15, 0.2]
    """
    moved = list(rows)
    for k, (before, row) in enumerate(pairwise(rows), start=1):
        if (
            0 <= before.word < row.word
            and k + 1 < len(rows)
            and is_shared(before.label, row.label)
        ):
            moved[k] = _in_the_middle(before, row, rows[k + 1])
    return moved


def _in_the_middle(before: Row, row: Row, after: Row) -> Row:
    """Return the row of the second consonant; anywhere in the two its start is as likely."""
    around = None if row.around is None else (before.start, after.start)
    return row._replace(start=(before.start + after.start) / 2, around=around)
