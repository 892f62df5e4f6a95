"""A document of words and phones, and a decoder that shares out the time: for tests of edits."""

from itertools import pairwise

import numpy as np

from align.results.alignment import Alignment
from align.studio.document import Document
from align.studio.segment import Segment

SECONDS = 2.0


def a_document(next_id: int = 20) -> Document:
    """``sil [k iy] sil [w iy]``, a quarter of a second each but the last."""
    rows = [("sil", None), ("k", 10), ("iy", 10), ("sil", None), ("w", 11), ("iy", 11)]
    segments = tuple(
        Segment(k, label, 0.25 * k, 0.5, word=word) for k, (label, word) in enumerate(rows)
    )
    return Document("speech", SECONDS, segments, SECONDS, {10: "key", 11: "we"}, next_id, 0.9)


def a_long_document() -> Document:
    """Return forty words of two phones in a minute, with a pause behind every fifth."""
    segments, words, at, number = [Segment(0, "sil", 0.0)], {}, 0.5, 1000
    for k in range(40):
        words[100 + k] = f"w{k}"
        for i in range(2):
            segments.append(Segment(2 * k + i + 1, f"w{k}{i}", at + 0.6 * i, 0.5, word=100 + k))
        at += 1.2
        if k % 5 == 4:
            segments.append(Segment(500 + k, "sil", at))
            at += 1.0
    return Document("speech", at, tuple(segments), at, words, number, 0.9)


class TrueDecoder:
    """Knows where words of `a_long_document` are; others share the time between them evenly."""

    def __init__(self):
        self.asked = []
        self._true = {s.label: s.start for s in a_long_document().segments if s.label != "sil"}

    def phones(self, labels, anchors, span=None):
        """Return an alignment with these labels."""
        begin, end = span or (0.0, a_long_document().seconds)
        self.asked.append((begin, end))
        known = {0: 0.0, len(labels): end - begin}
        for k, label in enumerate(labels):
            once = labels.count(label) == 1
            if once and label in self._true and 0 <= self._true[label] - begin < end - begin:
                known[k] = self._true[label] - begin
        onsets = _shared({**known, **anchors}, len(labels))
        return Alignment(labels, onsets, end - begin, confidence=np.full(len(labels), 0.5))

    def text(self, text, span=None):
        """Return a document whose words have two phones each, without pauses."""
        labels = ["sil"] + [f"{word}{i}" for word in text.split() for i in range(2)]
        found = self.phones(labels, {}, span)
        segments = tuple(
            Segment(k, label, start, word=None if k == 0 else 900 + (k - 1) // 2)
            for k, (label, start) in enumerate(zip(labels, found.onsets.tolist(), strict=True))
        )
        names = {900 + k: word for k, word in enumerate(text.split())}
        return Document("speech", found.duration, segments, found.duration, names, 2000)


def _shared(known, n):
    onsets = np.zeros(n + 1)
    for (a, start), (b, end) in pairwise(sorted(known.items())):
        onsets[a : b + 1] = np.linspace(start, end, b - a + 1)
    return onsets[:-1]


class EvenDecoder:
    """Divides the time between what is known evenly."""

    def phones(self, labels, anchors, span=(0.0, SECONDS)):
        """Return an alignment with these labels."""
        begin, end = span or (0.0, SECONDS)
        onsets = _shared({0: 0.0, **anchors, len(labels): end - begin}, len(labels))
        return Alignment(labels, onsets, end - begin, confidence=np.full(len(labels), 0.5))

    def text(self, text, span=None):
        """Return a document whose words have two phones each."""
        words = text.split()
        segments = tuple(
            Segment(
                2 * k + i, f"{word}{i}", (2 * k + i) * SECONDS / (2 * len(words)), word=100 + k
            )
            for k, word in enumerate(words)
            for i in range(2)
        )
        names = {100 + k: word for k, word in enumerate(words)}
        return Document("speech", SECONDS, segments, SECONDS, names, 200)
