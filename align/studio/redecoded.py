"""Finding the times again about what a person has set or changed.

Only a stretch of the recording about an edit is decoded again, and of that only what the edit
makes a difference to is moved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from align.errors import AlignError, DataError
from align.results.alignment import Alignment
from align.studio.document import Document, warnings_of
from align.studio.segment import Segment
from align.studio.stretch import Stretch, changed_places, stretch_about
from align.types import Float64

_SAME = 0.001  # seconds between two starts that are one

Span = tuple[float, float]
"""Begin and end, in seconds of the recording."""


class Decoder(Protocol):
    """What finds times again: a model and a recording, or the seconds from `begin` to `end` of it.

    Times count from `begin`; without `span` all of the recording is meant.
    """

    def phones(
        self, labels: Sequence[str], anchors: Mapping[int, float], span: Span | None = None
    ) -> Alignment:
        """Return the alignment of phones, some of which begin at known times."""
        ...

    def text(self, text: str, span: Span | None = None) -> Document:
        """Return the document of a text."""
        ...


@dataclass(frozen=True)
class Within:
    """A decoder of a part of a recording, which is a recording to whoever asks it."""

    decoder: Decoder
    begin: float
    end: float

    def phones(
        self, labels: Sequence[str], anchors: Mapping[int, float], span: Span | None = None
    ) -> Alignment:
        """Return the alignment of phones; see `Decoder`."""
        return self.decoder.phones(labels, anchors, self._of(span))

    def text(self, text: str, span: Span | None = None) -> Document:
        """Return the document of a text; see `Decoder`."""
        return self.decoder.text(text, self._of(span))

    def _of(self, span: Span | None) -> Span:
        begin, end = span or (0.0, self.end - self.begin)
        return self.begin + begin, self.begin + end


def decoded(document: Document, before: Document, decoder: Decoder) -> Document:
    """Return the same segments, those about an edit that no person has set at their best times.

    What the edit makes no difference to stays where it is shown. Phones of a text are found as
    they are said, a stop without its release for example, but decoded as they are written from
    then on: so what is decoded of the document `before` the edit tells what the edit moves.
    """
    head, tail = changed_places(document.segments, before.segments)
    stretch = stretch_about(document, head, len(document.segments) - tail)
    try:
        return _decoded_in(stretch, document, before, decoder)
    except DataError:  # of a part there may be no timing, where there is one of the whole
        if stretch == Stretch.whole(document):
            raise
        return _decoded_in(Stretch.whole(document), document, before, decoder)


def _decoded_in(
    stretch: Stretch, document: Document, before: Document, decoder: Decoder
) -> Document:
    """Return the document with the segments of one stretch at their best times."""
    more = len(before.segments) - len(document.segments)
    rows = document.segments[stretch.first : stretch.stop]
    old = before.segments[stretch.first : stretch.stop + more]
    shown = {s.id: s.start for s in old}
    try:
        was = dict(zip(shown, _best(old, stretch, document, decoder)[0], strict=True))
    except AlignError:  # a script has given what cannot be decoded, and the edit mends it
        was = {}
    # the new one after it, since a decoder remembers the last one
    best, sure, found = _best(rows, stretch, document, decoder)
    kept = np.array([shown.get(s.id, at) for s, at in zip(rows, best, strict=True)])
    stays = np.array([not s.fixed and s.id in was for s in rows])
    stays &= np.abs([was.get(s.id, at) for s, at in zip(rows, best, strict=True)] - best) < _SAME
    while True:  # what stays may lie in the way of what moves, and then moves, too
        starts = np.where(stays, kept, best)
        crossed = np.flatnonzero(np.diff(starts) < _SAME)
        if not (stays[crossed] | stays[crossed + 1]).any():
            break
        stays[crossed] = stays[crossed + 1] = False
    segments = (
        *document.segments[: stretch.first],
        *(
            s if s.fixed or stay else replace(s, start=float(start), confidence=round(float(c), 4))
            for s, stay, start, c in zip(rows, stays, starts, sure, strict=True)
        ),
        *document.segments[stretch.stop :],
    )
    end, match, warnings = document.end, document.match, document.warnings
    if stretch.stop == len(document.segments) and end < document.seconds - 1e-9:
        end = stretch.begin + float(found.end)
    if stretch == Stretch.whole(document):
        match, warnings = found.match, warnings_of(found)
    end = max(end, segments[-1].start)
    return replace(document, segments=segments, end=end, match=match, warnings=warnings)


def _best(
    rows: Sequence[Segment], stretch: Stretch, document: Document, decoder: Decoder
) -> tuple[Float64, Float64, Alignment]:
    """Return the best starts of the segments of a stretch, how sure they are, and the alignment.

    What a person has set is held fast, and the start of a stretch.
    """
    begin = stretch.begin
    anchors = {k: s.start - begin for k, s in enumerate(rows) if s.fixed and (k or s.start > 0)}
    span = None if stretch == Stretch.whole(document) else (begin, stretch.end)
    if span is not None:
        anchors.pop(0, None)
    found = decoder.phones([segment.label for segment in rows], anchors, span)
    held = [s.fixed or (k == 0 and span is not None) for k, s in enumerate(rows)]
    starts = np.where(held, [s.start for s in rows], begin + found.onsets)
    sure = np.ones(len(rows)) if found.confidence is None else found.confidence
    return starts, sure, found
