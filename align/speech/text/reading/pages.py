"""Lines of a transcript that a program wrote for the eye or the screen reader, and nobody said.

* Numbers of pages, alone on a line or as ``Page 2``, ``2 / 10``, ``- 2 -``: at least two, each by
  one more than the last, with lines of text between them. A number alone above all text is a
  heading, as of a stanza, and four digits alone are a year.
* Times in words, which YouTube's page puts below those in digits (``1:04`` and ``1 minute,
  4 seconds``), where they say the same.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

_WORD = r"(?:page|seite|pagina|p\u00e1gina|p\.|s\.)"
_PAGE = re.compile(
    rf"\s*(?:{_WORD}\s*)?[-\u2013\u2014]?\s*(?P<number>[0-9]{{1,4}})\s*[-\u2013\u2014]?"
    r"(?:\s*(?:/|of|von|de|sur|di|van)\s*[0-9]{1,4})?\s*",
    re.IGNORECASE,
)
_SHORTEST = 3  # lines of text between two numbers of pages
_LONGEST = 3  # digits of a number of a page that stands alone
_CLOCK = re.compile(r"\s*(?:([0-9]{1,2}):)?([0-9]{1,3}):([0-9]{2})\s*")
_IN_WORDS = re.compile(
    r"\s*(?:([0-9]+) hours?)?,?\s*(?:([0-9]+) minutes?)?,?\s*(?:([0-9]+) seconds?)?\s*"
)


def without_marks_of_pages(lines: Sequence[str]) -> list[str]:
    """Return the lines, empty where they only number a page or repeat a time.

    Examples
    --------
    >>> without_marks_of_pages(["0:03", "3 seconds", "so today"])
    ['0:03', '', 'so today']
    >>> without_marks_of_pages(["I waited", "3 seconds", "or so"])
    ['I waited', '3 seconds', 'or so']
    """
    marks = _numbers_of_pages(lines) | _times_in_words(lines)
    return ["" if n in marks else line for n, line in enumerate(lines)]


def _numbers_of_pages(lines: Sequence[str]) -> set[int]:
    filled = [n for n, line in enumerate(lines) if line.strip()]
    found = [
        (k, n, int(match["number"]))
        for k, n in enumerate(filled)
        if (match := _PAGE.fullmatch(lines[n]))
    ]
    in_order = all(
        after - before == 1 and second - first > _SHORTEST
        for (first, _, before), (second, _, after) in pairwise(found)
    )
    if len(found) < 2 or not in_order:
        return set()
    first = lines[found[0][1]].strip()
    is_heading = first.isdigit() and (found[0][0] == 0 or len(first) > _LONGEST)
    return set() if is_heading else {n for _, n, _ in found}


def _times_in_words(lines: Sequence[str]) -> set[int]:
    return {
        n + 1
        for n, (line, following) in enumerate(pairwise(lines))
        if (clock := _CLOCK.fullmatch(line))
        and (said := _IN_WORDS.fullmatch(following))
        and any(said.groups())
        and _seconds(clock.groups()) == _seconds(said.groups())
    }


def _seconds(parts: Sequence[str | None]) -> int:
    hours, minutes, seconds = (int(part or 0) for part in parts)
    return 3600 * hours + 60 * minutes + seconds
