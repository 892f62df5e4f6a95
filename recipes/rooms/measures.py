"""The measures of the published comparison: errors of matched labels, F1 of boundaries.

Phones are folded to TIMIT's 39 classes first: a closure is one phone with the release that
follows it, an unreleased one is its stop, and a glottal stop belongs to the phone before it.
"""

from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np

FOLD = dict(
    line.split(",")
    for line in (files("align.data") / "timit61_39.csv").read_text(encoding="utf-8").split()[1:]
)
STOPS = {"bcl": "b", "dcl": "d", "gcl": "g", "pcl": "p", "tcl": "t", "kcl": "k"}
AFTER = {"dcl": ("d", "jh"), "tcl": ("t", "ch")}


class Span(NamedTuple):
    """A label and when it begins and ends, in seconds."""

    label: str
    start: float
    end: float


def folded(spans: Sequence[Span]) -> list[Span]:
    """Return the phones of 39 classes; silences are left out."""
    out: list[Span] = []
    k = 0
    while k < len(spans):
        label, start, end = spans[k]
        following = spans[k + 1].label if k + 1 < len(spans) else ""
        if label in STOPS and following in AFTER.get(label, (STOPS[label],)):
            label, end, k = following, spans[k + 1].end, k + 1
        elif label in STOPS:
            label = STOPS[label]
        k += 1
        if label == "q":
            if out and out[-1].end == start:
                out[-1] = out[-1]._replace(end=end)
            continue
        label = FOLD.get(label, label)
        if label != "sil":
            out.append(Span(label, start, end))
    return out


def matched(true: Sequence[Span], found: Sequence[Span]) -> list[tuple[Span, Span]]:
    """Return pairs of the same label, by the fewest edits (substitutions count two)."""
    n, m = len(true), len(found)
    cost = np.zeros((n + 1, m + 1))
    cost[:, 0], cost[0, :] = np.arange(n + 1), np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            same = true[i - 1].label == found[j - 1].label
            # Of paths of as many edits the one whose pairs are near each other in time.
            far = 1e-3 * min(abs(true[i - 1].start - found[j - 1].start), 10.0)
            cost[i, j] = min(
                cost[i - 1, j] + 1,
                cost[i, j - 1] + 1,
                cost[i - 1, j - 1] + far if same else np.inf,
            )
    pairs = []
    i, j = n, m
    while i and j:
        if cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
        elif cost[i, j] == cost[i, j - 1] + 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((true[i], found[j]))
    return pairs[::-1]


def edges(spans: Sequence[Span]) -> np.ndarray:
    """Return all boundaries, each once [shape=(n,)], in seconds."""
    return np.unique(np.round([t for span in spans for t in (span.start, span.end)], 6))


def hits(true: np.ndarray, found: np.ndarray, tolerance: float = 0.02) -> int:
    """Return the greatest number of pairs no further apart than the tolerance, each used once."""
    i = j = count = 0
    while i < true.size and j < found.size:
        if abs(true[i] - found[j]) <= tolerance + 1e-9:
            count, i, j = count + 1, i + 1, j + 1
        elif true[i] < found[j]:
            i += 1
        else:
            j += 1
    return count


class Tally:
    """Errors and hits over many recordings."""

    def __init__(self) -> None:
        self.errors: list[float] = []
        self.counts = np.zeros(3)

    def add(self, true: Sequence[Span], found: Sequence[Span]) -> None:
        for a, b in matched(true, found):
            self.errors += [abs(a.start - b.start), abs(a.end - b.end)]
        one, other = edges(true), edges(found)
        self.counts += hits(one, other), one.size, other.size

    @property
    def mean_ms(self) -> float:
        """Mean error over both edges of matched labels, in milliseconds."""
        return 1000 * float(np.mean(self.errors))

    @property
    def f1(self) -> float:
        """Of boundaries at 20 ms."""
        return float(2 * self.counts[0] / (self.counts[1] + self.counts[2]))
