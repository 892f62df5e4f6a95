"""The words of a recording, from a transcript that lies beside it.

Of a recording ``kiwi.wav`` it is the tier of words of its own TextGrid or other file of tiers,
``kiwi.txt`` (TIMIT's two sample numbers in front are left out) or ``kiwi.wrd``, the first that
there is.
"""

import os
import re
import unicodedata
from collections.abc import Iterable

from align.errors import DataError
from align.files.text import read_lines, read_text
from align.formats.files import read_tiers
from align.formats.table import label_format
from align.types import SILENCES

SAMPLE_NUMBERS = re.compile(r"\A0 [0-9]{3,} (?=\S)")
"""What TIMIT writes in front of a text: its first and its last sample."""


def text_beside(audio: str, labels: str) -> str | None:
    """Return the words of a recording whose labels are known, or None.

    A transcript that cannot be read counts as none: the labels are what is learned from, the words
    only help.
    """
    folder, name = os.path.split(os.path.splitext(audio)[0])
    ways = dict.fromkeys([name, *(unicodedata.normalize(form, name) for form in ("NFC", "NFD"))])
    suffixes = (".txt", ".TXT", ".wrd", ".WRD")
    beside = [os.path.join(folder, way + suffix) for suffix in suffixes for way in ways]
    for path in (labels, *beside):
        try:
            words = _tier_of_words(path) if path == labels else _read(path)
        except DataError:
            continue
        if words:
            return words
    return None


def _read(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    if path.lower().endswith(".wrd"):
        return _without_pauses(row.split(maxsplit=2)[-1] for _, row in read_lines(path))
    return SAMPLE_NUMBERS.sub("", read_text(path).strip(), count=1)


def _tier_of_words(path: str) -> str:
    if label_format(path).holds != "tiers":
        return ""
    words = read_tiers(path).words()
    labels = () if words is None else words.whole(path).labels
    return _without_pauses(labels)


def _without_pauses(labels: Iterable[str]) -> str:
    return " ".join(label for label in labels if label.strip() not in SILENCES)
