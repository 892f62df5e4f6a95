"""The stretch of a recording that an edit can change: what lies about it, up to a pause."""

from collections.abc import Sequence
from typing import NamedTuple

from align.studio.document import Document
from align.studio.segment import Segment, begins_word
from align.types import SILENCES

_SHORT = 20.0  # seconds of a recording that is one stretch
_REACH = 4.0  # seconds on either side of an edit
_FAR = 10.0  # seconds without a pause, after which a stretch ends between words


class Stretch(NamedTuple):
    """Segments of a document: the first, one past the last, and their seconds."""

    first: int
    stop: int
    begin: float
    end: float

    @classmethod
    def whole(cls, document: Document) -> "Stretch":
        """Return all of a document."""
        return cls(0, len(document.segments), 0.0, document.seconds)


def is_pause(label: str) -> bool:
    """Whether a label is that of silence; what is said between words is none."""
    return label in SILENCES and label != "spn"


def changed_places(new: Sequence[Segment], old: Sequence[Segment]) -> tuple[int, int]:
    """Return how many segments are the same at the beginning, and how many at the end.

    Labels, starts and what is set count, not how sure a start is.
    """
    rows = [[(s.id, s.label, s.start, s.fixed) for s in side] for side in (new, old)]
    most = min(map(len, rows))
    same = (k for k in range(most) if rows[0][k] != rows[1][k])
    head = next(same, most)
    alike = (k for k in range(most - head) if rows[0][-1 - k] != rows[1][-1 - k])
    return head, next(alike, most - head)


def stretch_about(document: Document, low: int, high: int) -> Stretch:
    """Return the stretch about the segments ``low .. high - 1``, which an edit has changed.

    It begins and ends with segments that the edit has left alone, if possible with a pause, or
    where the document does; no word is cut in two, not in a pause within it either.
    """
    rows, ends = document.segments, document.ends()
    if document.seconds <= _SHORT:
        return Stretch.whole(document)
    first, stop = 0, len(rows)
    near = rows[max(low - 1, 0)].start
    for k in range(low - 1, 0, -1):
        away = near - rows[k].start
        if begins_word(rows, k) and (away >= _FAR or (away >= _REACH and is_pause(rows[k].label))):
            first = k
            break
    near = ends[min(high, len(rows) - 1)]
    for k in range(high + 1, len(rows)):
        away = rows[k].start - near
        pause = is_pause(rows[k - 1].label)
        if begins_word(rows, k) and (away >= _FAR or (away >= _REACH and pause)):
            stop = k
            break
    begin = rows[first].start if first else 0.0
    return Stretch(first, stop, begin, rows[stop].start if stop < len(rows) else document.seconds)
