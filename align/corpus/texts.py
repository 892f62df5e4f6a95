"""The words of a recording, from a transcript that lies beside it.

Of a recording ``kiwi.wav`` it is the tier ``words`` of its own TextGrid, ``kiwi.txt`` (TIMIT's two
sample numbers in front are left out) or ``kiwi.wrd``, the first that there is.
"""

import os
import re

from align.errors import DataError
from align.files.text import read_lines, read_text
from align.formats.textgrid import parse_textgrid
from align.formats.tiers import WORDS
from align.types import SILENCES

__all__ = ["SAMPLE_NUMBERS", "text_beside"]

SAMPLE_NUMBERS = re.compile(r"0 [0-9]{3,} (?=\S)")
"""What TIMIT writes in front of a text: its first and its last sample."""


def text_beside(audio: str, labels: str) -> str | None:
    """Return the words of a recording whose labels are known, or None.

    A transcript that cannot be read counts as none: the labels are what is learned from, the words
    only help.
    """
    stem = os.path.splitext(audio)[0]
    try:
        if labels.lower().endswith(".textgrid"):
            words = _words_tier(labels)
            if words:
                return words
        for suffix in (".txt", ".TXT", ".wrd", ".WRD"):
            if os.path.isfile(stem + suffix):
                return _read(stem + suffix) or None
    except DataError:
        pass
    return None


def _read(path: str) -> str:
    if path.lower().endswith(".wrd"):
        return " ".join(row.split(maxsplit=2)[-1] for _, row in read_lines(path))
    return SAMPLE_NUMBERS.sub("", read_text(path).strip(), count=1)


def _words_tier(path: str) -> str:
    for tier in parse_textgrid(read_text(path), path):
        if tier.kind == "interval" and tier.name.strip().lower() in (WORDS, "word"):
            return " ".join(label for label in tier.labels if label.strip() not in SILENCES)
    return ""
