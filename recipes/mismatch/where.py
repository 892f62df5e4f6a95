"""Where text and recording disagree: true texts are spoiled, and what is listed is compared.

::

    python recipes/mismatch/where.py TIMIT [--models DIR] [--folds N ...] [--seed N] [--default]

Of each recording four texts: the true one; one to three words left out of it, so that they were
said but are not in it; one to five words of other recordings added; one word swapped for another.
``--default`` prints the weights of a model of words that were not said, fitted to all recordings;
those of `align.speech.text.checking.unspoken.DEFAULT` came from there. See the README beside it.
"""

import argparse
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
from run import FOLDS, fold_models

from align.speech.text import align_text, make_dictionary, read_transcript
from align.speech.text.learning.spoiling import unspoken_model
from align.speech.text.parts import Recording
from align.speech.text.pronouncing.lookup import Entry, look_up_all
from align.speech.text.reading.normalise import split_words
from align.speech.text.words import WordAligner

RATE = 16000
LONG = 0.3  # seconds of speech that is not in the text
NEAR = 0.05  # seconds

Span = tuple[float, float]


class Counts:
    """Of what was listed."""

    def __init__(self) -> None:
        self.words = self.right_doubted = self.true_words = self.true_doubted = 0
        self.true_untranscribed = self.texts = 0
        self.added: list[tuple[int, bool]] = []  # phones, found
        self.left_out: list[tuple[bool, bool]] = []  # found, edges near
        self.swapped: list[bool] = []
        self.edges: dict[str, list[float]] = {"true": [], "spoiled": []}
        self.sure: list[tuple[float, bool]] = []  # probability, right
        self.words_sure: list[tuple[float, bool]] = []  # the same of words, where some were added


def word_spans(path: Path) -> list[Span]:
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return [(int(a) / RATE, int(b) / RATE) for a, b, _ in rows]


def spans_of(found, said: Sequence[str]) -> list[Span | None]:
    """Return when each word of a text was said; None where a passage was left out."""
    names = zip(found.words.labels, found.words.intervals.tolist(), strict=True)
    timed = [(label, (span[0], span[1])) for label, span in names if label != "sil"]
    spans: list[Span | None] = [None] * len(said)
    same = SequenceMatcher(None, list(said), [label for label, _ in timed], autojunk=False)
    for a, b, n in same.get_matching_blocks():
        spans[a : a + n] = [span for _, span in timed[b : b + n]]
    return spans


def edges(
    found, said: Sequence[str], places: Sequence[int | None], truth: Sequence[Span]
) -> list[float]:
    """Return the errors of starts and ends of words that were said; one place for each word."""
    errors = []
    for span, place in zip(spans_of(found, said), places, strict=True):
        if place is not None and span is None:
            errors += [np.inf, np.inf]
        elif place is not None:
            errors += [abs(span[0] - truth[place][0]), abs(span[1] - truth[place][1])]
    return errors


def doubted_words(found, said: Sequence[str]) -> dict[int, float]:
    """Return the places of words in the text that are listed as unspoken, and how probably.

    A word is known by where it lies; passages that were left out lie between two words.
    """
    spans = spans_of(found, said)
    ends = [0.0 if span is None else span[1] for span in spans]
    latest = [0.0, *np.maximum.accumulate(ends).tolist()]
    starts = [late if span is None else span[0] for span, late in zip(spans, latest, strict=False)]
    doubted: dict[int, float] = {}
    for m in found.mismatches:
        if m.words:
            near = [
                (abs(starts[i] - m.start), i)
                for i in range(len(said) - len(m.words) + 1)
                if tuple(said[i : i + len(m.words)]) == tuple(m.words)
            ]
            first = min(near)[1]
            doubted |= dict.fromkeys(range(first, first + len(m.words)), m.probability)
    return doubted


def read_texts(examples, words_of) -> tuple[dict[Path, list[str]], dict[Path, list[Span]]]:
    """Return the words of each recording, and when each is said."""
    texts, truths = {}, {}
    for e in examples:
        path = Path(str(e.audio))
        raw = " ".join(u.text for u in read_transcript(path.with_suffix(".txt")))
        words = list(split_words(raw, language="en", known=words_of.__contains__))
        truth = word_spans(path.with_suffix(".wrd"))
        if len(words) == len(truth):  # else a compound has become several
            texts[path], truths[path] = words, truth
    return texts, truths


def recordings(folds, entries: dict[str, Entry]) -> Iterator[tuple[WordAligner, list[str]]]:
    """Yield what aligns the words of each recording, by a model that has not heard it."""
    words_of = make_dictionary()
    for model, examples in folds:
        texts, _ = read_texts(examples, words_of)
        every = sorted({word for words in texts.values() for word in words})
        entries.update(
            look_up_all(every, words_of, model.known_labels(), language="en", guess=False)
        )
        for path, words in texts.items():
            recording = Recording.read(path, None, model, str(path))
            yield WordAligner(model, recording, entries, judging=True), words


def measure(model, examples, rng: np.random.Generator, counts: Counts) -> None:
    words_of = make_dictionary()
    texts, truths = read_texts(examples, words_of)
    vocabulary = sorted({word for words in texts.values() for word in words})

    def some(n: int) -> list[str]:
        return [vocabulary[i] for i in rng.integers(0, len(vocabulary), n)]

    for path, words in texts.items():
        truth, every = truths[path], list(range(len(words)))

        def aligned(said, path=path):
            return align_text(model, path, " ".join(said), dictionary=words_of)

        found = aligned(words)
        counts.texts += 1
        counts.true_words += len(words)
        counts.true_doubted += len(doubted_words(found, words))
        counts.true_untranscribed += sum(not m.words for m in found.mismatches)
        counts.edges["true"] += edges(found, words, every, truth)
        counts.sure += [(m.probability, False) for m in found.mismatches]

        n = int(rng.integers(1, min(4, len(words))))
        i = int(rng.integers(0, len(words) - n + 1))
        said = words[:i] + words[i + n :]
        found = aligned(said)
        start, end = truth[i][0], truth[i + n - 1][1]
        hits = [m for m in found.mismatches if not m.words and _overlap(m, start, end)]
        if end - start >= LONG:
            near = any(abs(m.start - start) < NEAR and abs(m.end - end) < NEAR for m in hits)
            counts.left_out.append((bool(hits), near))
        counts.edges["spoiled"] += edges(found, said, every[:i] + every[i + n :], truth)
        counts.sure += [(m.probability, m in hits) for m in found.mismatches]

        n, i = int(rng.integers(1, 6)), int(rng.integers(0, len(words) + 1))
        said = words[:i] + some(n) + words[i:]
        found = aligned(said)
        doubted = doubted_words(found, said)
        for place in range(i, i + n):
            counts.added.append((len(words_of[said[place]][0].phones), place in doubted))
        counts.words += len(words)
        counts.right_doubted += len(set(doubted) - set(range(i, i + n)))
        counts.words_sure += [(p, i <= place < i + n) for place, p in doubted.items()]
        places = [*every[:i], *[None] * n, *every[i:]]
        counts.edges["spoiled"] += edges(found, said, places, truth)

        i = int(rng.integers(0, len(words)))
        said = words[:i] + some(1) + words[i + 1 :]
        counts.swapped.append(i in doubted_words(aligned(said), said))


def _overlap(m, start: float, end: float) -> bool:
    return min(m.end, end) - max(m.start, start) > 0.5 * (end - start)


def table(c: Counts) -> str:
    added = [found for phones, found in c.added if phones >= 3]
    good, bad = (100 * np.mean(np.array(c.edges[k]) <= 0.02) for k in ("true", "spoiled"))
    listed, near = 100 * np.mean(np.array(c.left_out), axis=0)
    lines = [
        f"{c.texts} true texts: {c.true_doubted} of {c.true_words} words listed as unspoken, "
        f"{c.true_untranscribed} stretches as untranscribed",
        f"words added: {100 * np.mean([f for _, f in c.added]):.1f} % of {len(c.added)} listed, "
        f"of three phones or more {100 * np.mean(added):.1f} % of {len(added)}; beside them "
        f"{c.right_doubted} of {c.words} right ones",
        f"words left out, {LONG} s or more: {listed:.1f} % of {len(c.left_out)} listed, edges "
        f"within 50 ms {near:.1f} %",
        f"swapped words: {100 * np.mean(c.swapped):.1f} % of {len(c.swapped)} listed",
        f"word edges within 20 ms: true text {good:.1f} %, what is right in spoiled ones "
        f"{bad:.1f} %",
    ]
    for listed_where, pairs in (
        ("all mismatches of true texts, and where words were left out", c.sure),
        ("words listed as unspoken, where some were added", c.words_sure),
    ):
        lines.append(f"{listed_where}:")
        sure, right = np.array(pairs).T
        for low, high in ((0.5, 0.75), (0.75, 0.9), (0.9, 0.99), (0.99, 1.1)):
            some = (sure >= low) & (sure < high)
            if some.any():
                lines.append(
                    f"  probability {low} to {min(high, 1.0)}: {100 * right[some].mean():.0f} % "
                    f"of {some.sum()} right"
                )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("mismatch-models"))
    parser.add_argument("--folds", type=int, nargs="+", default=list(range(FOLDS)))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--default", action="store_true")
    options = parser.parse_args()
    counts = Counts()
    rng = np.random.default_rng(options.seed)
    folds = fold_models(options.corpus, options.models, options.folds)
    if options.default:
        entries: dict[str, Entry] = {}
        every = list(recordings(folds, entries))
        print(unspoken_model(every, sorted(entries), rng).weights.round(3).tolist())
        return
    for model, examples in folds:
        measure(model, examples, rng, counts)
    print(table(counts))


if __name__ == "__main__":
    main()
