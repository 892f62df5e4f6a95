"""Other readings that stand behind the usual one while a text is prepared.

Where `align.speech.text.reading.normalise` writes a unit, a date or a telephone out, it knows what
else is said of it, and the words that come of the text are counted much later. So the others go
with the usual words through all that follows, between signs which no text has.
"""

import re
from collections.abc import Iterable

_BEGIN, _NEXT, _END, _SPACE = "\2", "\3", "\4", "\5"
SIGNS = (2, 3, 4, 5)
"""Code points that stand for others; a text has none of them before."""

_OTHERS = re.compile(f"{_BEGIN}([^{_END}]*){_END}")


def with_others(usual: str, others: Iterable[str]) -> str:
    """Return the usual words of something, with its other readings behind them.

    All are words, none has digits. An empty one says that the usual words may be left out.

    Examples
    --------
    >>> text = with_others("ten kilograms", ["ten kilos"]) + ", at most"
    >>> text.split()[-3].startswith("kilograms"), without_others(text)
    (True, ('ten kilograms, at most', [['ten kilograms', 'ten kilos']]))
    """
    every = [" ".join(way.replace("-", " ").split()) for way in (usual, *others)]
    if len(set(every)) < 2:
        return usual
    return f"{usual.rstrip()}{_BEGIN}{_NEXT.join(every).replace(' ', _SPACE)}{_END}"


def without_others(text: str) -> tuple[str, list[list[str]]]:
    """Return a text in its usual reading, and all readings of parts of it, the usual one first."""
    found = [match.replace(_SPACE, " ").split(_NEXT) for match in _OTHERS.findall(text)]
    return _OTHERS.sub("", text), found
