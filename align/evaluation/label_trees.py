"""The label files of a tree, and what is compared of each: phones, or the words above them."""

import itertools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from align.errors import DataError
from align.files.folders import walk
from align.files.kept import CONFIRMED_TABLE, QUALITY_TABLE
from align.files.names import comparable
from align.formats.files import read_labels, read_tiers
from align.formats.table import LABEL_FORMATS, label_format
from align.formats.tiers.labels import Labels
from align.formats.tiers.tier import WORDS
from align.types import SILENCE, SILENCES, Float64

_PREFERRED = (".phn", ".textgrid", ".lab", ".csv", ".tsv", ".json", ".ctm", ".wrd", ".txt")


class Found(NamedTuple):
    """Labels of a file as they are compared, when each begins, and where the last one ends."""

    labels: list[str]
    onsets: Float64
    end: float


@dataclass(frozen=True)
class Wanted:
    """What to read of the files of a tree.

    `tier` is the tier to read of TextGrids, by default the phones; one that is called ``words`` or
    ``word`` means words, which are compared without upper and lower case, and which ``.wrd`` files
    hold. The others are as in `align.evaluation.matching.evaluate_labels`.
    """

    tier: str | None = None
    phone_map: Mapping[str, str] = field(default_factory=dict)
    merge: bool = False
    rate: float | None = None
    encoding: str | None = None

    @property
    def words(self) -> bool:
        """Whether they are words."""
        return self.tier is not None and re.fullmatch("words?", self.tier, re.I) is not None

    def read(self, path: str) -> Found:
        """Read a file; DataError if it cannot be used."""
        read = self._labels(path)
        labels = []
        for label in read.labels:
            label = self.phone_map.get(label, label)
            quiet = label in SILENCES
            labels.append(SILENCE if quiet else label.casefold() if self.words else label)
        keep = np.ones(len(labels), dtype=bool)
        if self.merge:
            keep[1:] = [a != b for a, b in itertools.pairwise(labels)]
        kept = [label for label, k in zip(labels, keep.tolist(), strict=True) if k]
        return Found(kept, read.onsets[keep], read.end)

    def _labels(self, path: str) -> Labels:
        if self.words and label_format(path).read_tiers is not None:
            tiers = read_tiers(path, rate=self.rate, encoding=self.encoding)
            words = None if any(tier.name == self.tier for tier in tiers) else tiers.words()
            if words is not None and any(words.labels):
                return tiers.labels_of(words.whole(path))
        return read_labels(path, tier=self.tier, rate=self.rate, encoding=self.encoding)


def label_files(root: str | os.PathLike[str], words: bool = False) -> dict[str, str]:
    """Return the label files of a tree by their path from the top, without the suffix.

    Of several of one name the first of the usual order counts; of words, a ``.wrd`` file goes
    first and a ``.phn`` file not at all. DataError if there is no such tree.
    """
    top = os.fspath(root)
    if not os.path.exists(top):
        raise DataError("does not exist; check the name.", path=top)
    order = (".wrd", *(s for s in _PREFERRED if s != ".phn")) if words else _PREFERRED
    found: dict[str, tuple[int, str]] = {}
    for folder, _, names in walk(top):
        for name in names:
            suffix = os.path.splitext(name)[1]
            if suffix.lower() not in LABEL_FORMATS or name in (QUALITY_TABLE, CONFIRMED_TABLE):
                continue
            if words and label_format(name).tier != WORDS and suffix.lower() == ".phn":
                continue
            stem = name[: -len(label_format(name).suffix)]  # more than the last dot of _annot.json
            key = comparable(os.path.relpath(os.path.join(folder, stem), top).replace(os.sep, "/"))
            # Formats that join the table later come after the usual ones.
            rank = order.index(suffix.lower()) if suffix.lower() in order else len(order)
            if key not in found or rank < found[key][0]:
                found[key] = rank, os.path.join(folder, name)
    return {key: path for key, (_, path) in found.items()}
