"""Recordings that begin or end in mid-speech, and with how little silence they do.

::

    python recipes/mismatch/ends.py TIMIT [--models DIR] [--folds N ...] [--seed N]

Sentences of speakers whom a model has not heard are cut where one word follows another without a
pause, and have the text of the words that are left; or all is left of the words, and little of the
silence beside them. See the README beside this file.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from run import FOLDS, fold_models
from where import RATE, Span, doubted_words, read_texts, spans_of

from align.features import read_audio
from align.speech.text import TextAlignment, align_text, make_dictionary
from align.types import SILENCE

DRAWS = 2  # cuts of each sentence and case
FEWEST = 3  # words that are left
SILENCES = (0.01, 0.03, 0.06, 0.1)  # seconds
NEAR = 0.02  # seconds


class Cut(NamedTuple):
    """Words ``first .. stop - 1`` of a sentence, in what is left of it between two times."""

    first: int
    stop: int
    begin: float
    end: float


@dataclass
class Counts:
    """Of one case: how far first starts, last ends and all other edges are off, in seconds.

    And how `sure` first starts are, all these edges in the whole recording, words listed as not
    said, and other stretches.
    """

    recordings: int = 0
    first: list[float] = field(default_factory=list)
    sure: list[float] = field(default_factory=list)
    last: list[float] = field(default_factory=list)
    inner: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    listed: int = 0
    stretches: int = 0

    def row(self, name: str) -> str:
        first, last, inner, whole = (
            100 * np.mean(np.array(off) <= NEAR) if off else np.nan
            for off in (self.first, self.last, self.inner, self.whole)
        )
        sure = 100 * np.mean(self.sure)
        return (
            f"{name:22s} {self.recordings:4d} recordings; first start {first:5.1f} % (confidence "
            f"{sure:5.1f}), last end {last:5.1f} %, other edges {inner:5.1f} %, in the whole "
            f"{whole:5.1f} %; {self.listed} words and {self.stretches} stretches listed"
        )


def cuts(
    spans: list[Span], duration: float, rng: np.random.Generator
) -> Iterator[tuple[str, Cut]]:
    """Yield the cuts of a sentence, and the names of their cases."""
    n = len(spans)
    yield "whole", Cut(0, n, 0.0, duration)
    joints = [k for k in range(1, n) if spans[k - 1][1] == spans[k][0]]
    begins = [k for k in joints if n - k >= FEWEST]
    ends = [k for k in joints if k >= FEWEST]
    both = [(a, b) for a in joints for b in joints if b - a >= FEWEST]
    for _ in range(DRAWS):
        if begins:
            k = begins[int(rng.integers(len(begins)))]
            yield "begins in mid-speech", Cut(k, n, spans[k][0], duration)
        if ends:
            k = ends[int(rng.integers(len(ends)))]
            yield "ends in mid-speech", Cut(0, k, 0.0, spans[k - 1][1])
        if both:
            a, b = both[int(rng.integers(len(both)))]
            yield "both", Cut(a, b, spans[a][0], spans[b - 1][1])
    for silence in SILENCES:
        begin, end = spans[0][0] - silence, spans[-1][1] + silence
        cut = Cut(0, n, max(begin, 0.0), min(end, duration))
        yield f"{1000 * silence:.0f} ms of silence", cut


def sure_of(found: TextAlignment) -> float:
    """Return how sure the start of the first word is."""
    first = next(k for k, label in enumerate(found.words.labels) if label != SILENCE)
    return float(found.words.confidence[first])


def measure(model, examples, rng: np.random.Generator, counts: dict[str, Counts]) -> None:
    """Count what is found of the sentences of some speakers."""
    words_of = make_dictionary()
    texts, truths = read_texts(examples, words_of)
    for path, words in texts.items():
        samples = read_audio(str(path), RATE)[0]
        whole = np.zeros((0, 2))
        for name, cut in cuts(truths[path], len(samples) / RATE, rng):
            own = slice(cut.first, cut.stop)
            part = samples[round(RATE * cut.begin) : round(RATE * cut.end)]
            said = words[own]
            found = align_text(model, part, " ".join(said), dictionary=words_of, rate=RATE)
            nowhere = (np.inf, np.inf)
            spans = np.array([span or nowhere for span in spans_of(found, said)]) + cut.begin
            off = np.abs(spans - np.array(truths[path][own]))
            whole = off if name == "whole" else whole
            counted = counts.setdefault(name, Counts())
            counted.recordings += 1
            counted.first.append(off[0, 0])
            counted.sure.append(sure_of(found))
            counted.last.append(off[-1, 1])
            counted.inner += off.ravel()[1:-1].tolist()
            counted.whole += whole[own].ravel().tolist()
            counted.listed += len(doubted_words(found, said))
            counted.stretches += sum(not m.words for m in found.mismatches)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("mismatch-models"))
    parser.add_argument("--folds", type=int, nargs="+", default=list(range(FOLDS)))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts: dict[str, Counts] = {}
    models = fold_models(options.corpus, options.models, options.folds)
    for f, (model, examples) in zip(options.folds, models, strict=True):
        measure(model, examples, np.random.default_rng(options.seed + f), counts)
    for name, counted in counts.items():
        print(counted.row(name))


if __name__ == "__main__":
    main()
