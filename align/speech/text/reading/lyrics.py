"""Lyrics with times, ``.lrc``: the headers are not sung, and a refrain is written once.

::

    [ti:The kiwi]
    [offset:+500]
    [00:04.20]A kiwi walks
    [00:08.90][00:21.35]la la la
    [00:12.00]<00:12.00>it <00:12.40>sleeps

A line with several times is sung at each of them, so lines are put in the order of time. The times
themselves are left out, as those of conversations are, and with them what ``offset`` adds to all
of them; see `align.speech.text.reading.turns`.

References
----------
https://en.wikipedia.org/wiki/LRC_(file_format)
"""

import re
from collections.abc import Sequence

_HEADER = re.compile(
    r"\s*\[(?:ti|ar|al|au|lr|by|re|ve|la|length|offset|tool|id|#):[^\]\n]*\]\s*", re.IGNORECASE
)
_TIME = r"\[([0-9]{1,3}):([0-5]?[0-9](?:[.:,][0-9]{1,3})?)\]"
_TIMES = re.compile(rf"\s*((?:{_TIME}\s*)+)(.*)", re.DOTALL)
_FEWEST = 2  # lines with times


def sung_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines of lyrics as they are sung; lines of any other text as they are.

    Lyrics begin with a time, below their headers, and have headers or lines with several times.

    Examples
    --------
    >>> sung_lines(["[ti:Kiwi]", "[00:04.20]walks", "[00:01.00][00:09.00]la"])
    ['[00:01.00]la', '[00:04.20]walks', '[00:09.00]la']
    >>> sung_lines(["[00:04] Ann: [laughs] Well?", "[00:06] Bob: No."])
    ['[00:04] Ann: [laughs] Well?', '[00:06] Bob: No.']
    """
    bare = ["" if _HEADER.fullmatch(line) else line for line in lines]
    kept = [line for line in bare if line.strip()]
    found = [_TIMES.fullmatch(line) for line in kept]
    if sum(match is not None for match in found) < _FEWEST or found[0] is None:
        return list(lines)
    rows: list[tuple[float, str]] = []
    times = [""]
    for match, line in zip(found, kept, strict=True):
        times = [one.group() for one in re.finditer(_TIME, match[1])] if match else times
        rows.extend((_seconds(one), one + match[4] if match else line) for one in times)
    if len(rows) == len(kept):
        return bare
    return [line for _, line in sorted(rows, key=lambda row: row[0])]


def _seconds(time: str) -> float:
    minutes, seconds = time[1:-1].split(":", 1)
    return 60 * int(minutes) + float(re.sub("[:,]", ".", seconds))
