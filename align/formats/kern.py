"""What partitura leaves out of Kern: repeats, and endings by the labels of their sections.

``:|`` in a bar line closes a repeat, ``|:`` opens one. A section ``*>A1`` is the first ending of
section A, ``*>A2`` the second. Bar lines and labels are read in the first spine.
"""

import re
from collections.abc import Sequence
from typing import Any

__all__ = ["mend_kern"]

_ENDING = re.compile(r"\*>[A-Za-z]+(\d{1,2})$")


def mend_kern(data: bytes, parts: Sequence[Any], score: Any) -> None:
    """Add repeats and endings to the first part of a score.

    Parameters
    ----------
    data : bytes
        The file.
    parts : sequence of partitura.score.Part
        What partitura read; the first is changed.
    score : module
        ``partitura.score``.
    """
    tokens = [line.split("\t")[0].strip() for line in data.decode("utf-8", "replace").splitlines()]
    lines = [token for token in tokens if token.startswith("=")]
    # partitura makes a bar of each bar line, and one, number 0, of what stands before the first
    bars = [bar for part in parts[:1] for bar in part.measures if bar.number != 0 or bar.name]
    if not lines or len(bars) != len(lines):
        return
    part, end = parts[0], parts[0].last_point.t
    now = opened = part.first_point.t
    label = ""  # of the section that begins with the next notes
    ending: tuple[str, int] | None = None
    times = iter(bar.start.t for bar in bars)
    for token in tokens:
        if token.startswith("="):
            now = next(times)
            if ":|" in token and now > opened:
                part.add(score.Repeat(), opened, now)
            if ":|" in token or "|:" in token:
                opened = now
        elif token.startswith("*>") and "[" not in token:
            label = token
        elif label and token and token[0] not in "*!":
            if ending and now > ending[1]:
                part.add(score.Ending(ending[0]), ending[1], now)
            found = _ENDING.match(label)
            ending, label = (found[1], now) if found else None, ""
    if ending and end > ending[1]:
        part.add(score.Ending(ending[0]), ending[1], end)
