"""A document of words and phones, and a decoder that shares out the time: for tests of edits."""

from itertools import pairwise

import numpy as np

from align.results.alignment import Alignment
from align.studio.document import Document, Segment

SECONDS = 2.0


def a_document(next_id: int = 20) -> Document:
    """``sil [k iy] sil [w iy]``, a quarter of a second each but the last."""
    rows = [("sil", None), ("k", 10), ("iy", 10), ("sil", None), ("w", 11), ("iy", 11)]
    segments = tuple(
        Segment(k, label, 0.25 * k, 0.5, word=word) for k, (label, word) in enumerate(rows)
    )
    return Document("speech", SECONDS, segments, SECONDS, {10: "key", 11: "we"}, next_id, 0.9)


class EvenDecoder:
    """Divides the time between what is known evenly."""

    def phones(self, labels, anchors):
        """Return an alignment with these labels."""
        known = {0: 0.0, **anchors, len(labels): SECONDS}
        onsets = np.zeros(len(labels) + 1)
        for (a, start), (b, end) in pairwise(sorted(known.items())):
            onsets[a : b + 1] = np.linspace(start, end, b - a + 1)
        return Alignment(labels, onsets[:-1], SECONDS, confidence=np.full(len(labels), 0.5))

    def text(self, text):
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
