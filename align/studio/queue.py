"""Which recording is most worth a look, and the alignments of those that wait.

The confidence of a boundary is the probability that it is within the tolerance, so the sum of
1 - confidence over the boundaries that no person has set is how many of them are expected to be
off. For the order, what does not match its text or score counts as off, too; the match is no share
of errors, so it is shown by itself. That is what a look mends here. What it teaches is the more,
the less its labels and its speaker are known from recordings that were confirmed before. So the
worth of a recording is::

    what counts as off * novelty of its labels / sqrt(1 + confirmed of its group)

The novelty is the mean over its labels of 1 / sqrt(1 + how often the label was confirmed). Groups
are balanced: of two recordings as good, that of the speaker with fewer confirmed goes first.
"""

import json
import math
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from threading import Lock
from typing import NamedTuple

import numpy as np

from align.batch.tasks import Task
from align.errors import DataError
from align.studio.document import Document


def expected_errors(document: Document) -> float:
    """Return how many boundaries, or notes, are expected to be off, by their confidence.

    Examples
    --------
    >>> from align.results.alignment import Alignment
    >>> found = Alignment(["k", "iy"], [0.0, 0.1], duration=0.2, confidence=[0.9, 0.5])
    >>> expected_errors(Document.of(found))
    0.6
    """
    return round(sum(_doubts(document)), 4)


def _doubts(document: Document) -> list[float]:
    """Return 1 - confidence of each boundary that no person has set."""
    rows = [s for s in document.segments if s.is_played and not s.fixed]
    return [1.0 - s.confidence for s in rows if s.confidence is not None]


def _unlike(document: Document) -> float:
    """Return the expected errors, where what does not match its text or score counts as off."""
    doubts = _doubts(document)
    match = 1.0 if document.match is None else document.match
    return round(sum(doubts) + (1.0 - match) * (len(doubts) - sum(doubts)), 4)


def in_order(
    tasks: Mapping[str, Task],
    found: Mapping[str, Document | None],
    truths: Mapping[str, Document],
) -> list[str]:
    """Return the names of `found`, those that are most worth a look first.

    Parameters
    ----------
    tasks : mapping of str to Task
        All recordings; the group of each is balanced.
    found : mapping of str to Document or None
        Those that wait; None where one is not aligned yet. They come last, in their order.
    truths : mapping of str to Document
        Those that are confirmed.
    """
    labels = Counter(s.label for document in truths.values() for s in document.segments)
    groups = Counter(tasks[name].group for name in truths)

    def worth(name: str, document: Document) -> float:
        rows = document.segments
        novelty = float(np.mean([1.0 / np.sqrt(1.0 + labels[s.label]) for s in rows]))
        return _unlike(document) * novelty / math.sqrt(1.0 + groups[tasks[name].group])

    known = [(worth(name, d), name) for name, d in found.items() if d is not None]
    ordered = [name for _, name in sorted(known, key=lambda item: (-item[0], item[1]))]
    return [*ordered, *(name for name, document in found.items() if document is None)]


class Found(NamedTuple):
    """A recording as the model of a version found it, or why it could not; at first, neither.

    `revision` tells two documents apart, also those of two sessions.
    """

    document: Document | None = None
    version: int = 0
    why: str = ""
    revision: int = 0

    @classmethod
    def of(cls, document: Document, version: int) -> "Found":
        """Return what was found."""
        content = json.dumps(document.to_json(), sort_keys=True).encode()
        return cls(document, version, revision=zlib.crc32(content))


class Waiting:
    """The recordings as models found them, in memory; safe with threads.

    `find` aligns a task.
    """

    def __init__(self, tasks: Mapping[str, Task], find: Callable[[Task], Found]) -> None:
        self._tasks, self._find = tasks, find
        self._kept: dict[str, Found] = {}
        self._shown = ""
        self._one = Lock()

    def found(self, name: str) -> Found:
        """Return a recording as it was found last."""
        return self._kept.get(name, Found())

    def document(self, name: str) -> Document:
        """Return a recording as it was found last; DataError where that failed."""
        found = self._kept[name]
        if found.document is None:
            raise DataError(found.why, path=name)
        return found.document

    def find(self, name: str) -> None:
        """Align a recording that was not yet."""
        if name not in self._kept:
            self.align(name)

    def is_stale(self, name: str, version: int) -> bool:
        """Whether a recording is to be aligned by a model; not while it is shown."""
        if name not in self._kept:
            return True
        return self._kept[name].version != version and name != self._shown

    def view(self, name: str, version: int) -> None:
        """Align a recording that is shown, where it is not as the model of a version finds it."""
        if name not in self._kept or self._kept[name].version != version:
            self.align(name)
        self._shown = name
        self.document(name)

    def align(self, name: str) -> None:
        """Align a recording anew; what went wrong is kept."""
        with self._one:  # one at a time: two would only take twice as long
            self._kept[name] = self._find(self._tasks[name])
