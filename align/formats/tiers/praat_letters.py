r"""Letters that Praat writes as a backslash and two signs, such as ``\sw`` for ə.

Whoever types IPA into a TextGrid types these, and Praat leaves them in the file until they are
converted to Unicode. The table, ``praat_letters.csv`` of `align.data`, is what Praat 6.1 makes of
every such pair, Hebrew left out.

References
----------
https://praat.org/manual/Special_symbols.html
"""

import csv
import re
from functools import lru_cache
from importlib.resources import files

_PAIR = re.compile(r"\\([^\\]{2})")


def from_praat(text: str) -> str:
    r"""Return a text of a TextGrid in Unicode; a backslash before anything else stays.

    Examples
    --------
    >>> from_praat(r"k\sw\:f"), from_praat(r"\bs"), from_praat(r"a\b")
    ('kəː', '\\', 'a\\b')
    """
    if "\\" not in text:
        return text
    return _PAIR.sub(lambda found: _letters().get(found[1], found[0]), text)


def to_praat(text: str) -> str:
    r"""Return a text so that `from_praat` gives it back: no backslash becomes part of a letter.

    Examples
    --------
    >>> to_praat("kə"), to_praat(r"C:\new"), to_praat(r"\swim")
    ('kə', 'C:\\new', '\\bsswim')
    """
    if "\\" not in text:
        return text
    return _PAIR.sub(lambda found: r"\bs" + found[1] if found[1] in _letters() else found[0], text)


@lru_cache(maxsize=1)
def _letters() -> dict[str, str]:
    table = files("align.data").joinpath("praat_letters.csv").read_text("utf-8")
    return {row["after_backslash"]: row["letter"] for row in csv.DictReader(table.splitlines())}
