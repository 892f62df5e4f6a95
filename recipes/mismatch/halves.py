"""Recordings that hold a part of their text only: is that told, and are its words in place?

::

    python recipes/mismatch/halves.py TIMIT [--models DIR] [--folds N ...] [--seed N]

Five sentences of a speaker whom a model has not heard are read one after the other, and cut in the
middle of a sentence; the text is that of all five. See the README beside this file.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from long import RATE, Recording, Sentence, joined
from run import FOLDS, fold_models
from where import doubted_words, read_texts, spans_of

from align.features import read_audio
from align.speech.text import align_text, make_dictionary

SENTENCES = 5
DRAWS = 4  # of each speaker
NEAR = 0.02  # seconds


def cut(sentence: Sentence, *, said: int) -> list[Sentence]:
    """Return the halves of a sentence, of which only one was said."""
    k = len(sentence.words) // 2
    at = sentence.spans[k][0]
    parts = [
        Sentence(sentence.words[:k], sentence.spans[:k], sentence.samples[: round(RATE * at)]),
        Sentence(
            sentence.words[k:],
            tuple((a - at, b - at) for a, b in sentence.spans[k:]),
            sentence.samples[round(RATE * at) :],
        ),
    ]
    parts[1 - said] = replace(parts[1 - said], said=False)
    return parts


def unsaid(sentences: Sequence[Sentence]) -> list[Sentence]:
    return [replace(one, said=False) for one in sentences]


CASES: dict[str, Callable[[list[Sentence]], list[Sentence]]] = {
    "all": lambda own: own,
    "first half": lambda own: [*own[:2], *cut(own[2], said=0), *unsaid(own[3:])],
    "second half": lambda own: [*unsaid(own[:2]), *cut(own[2], said=1), *own[3:]],
    "middle": lambda own: [
        *unsaid(own[:1]), *cut(own[1], said=1), own[2], *cut(own[3], said=0), *unsaid(own[4:])
    ],
    "both ends": lambda own: [own[0], *cut(own[1], said=0), *unsaid(own[2:4]), own[4]],
    "a sentence skipped": lambda own: [*own[:2], *unsaid(own[2:3]), *own[3:]],
    "one sentence": lambda own: [*unsaid(own[:2]), own[2], *unsaid(own[3:])],
}  # fmt: skip


@dataclass
class Counts:
    """Of one case: recordings, those of a part, and those warned of; words; edges; matches."""

    recordings: int = 0
    in_parts: int = 0
    warned: int = 0
    unspoken: list[bool] = field(default_factory=list)  # of words not said: listed
    spoken: list[bool] = field(default_factory=list)  # of words said: listed
    dropped: int = 0  # words that are not in the tiers, though they were said
    passed: int = 0  # words that are not in the tiers
    edges: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)  # of the same words in the whole recording
    matches: list[float] = field(default_factory=list)

    def add(self, found, made: Recording, whole: list[list[float]]) -> list[list[float]]:
        """Count a recording; return how far the edges of each word are off, empty if not said.

        `whole` is that of the whole recording, or empty.
        """
        off: list[list[float]] = []
        times = spans_of(found, made.words)
        listed = doubted_words(found, made.words)
        self.recordings += 1
        self.in_parts += None in times
        self.warned += bool(found.warnings)
        self.matches.append(found.match)
        self.passed += times.count(None)
        for k, (own, true) in enumerate(zip(times, made.spans, strict=True)):
            off.append([])
            if true is None:
                self.unspoken.append(k in listed)
                continue
            self.spoken.append(k in listed)
            self.dropped += own is None
            off[k] = [np.inf, np.inf] if own is None else np.abs(np.subtract(own, true)).tolist()
            self.edges += off[k]
            self.whole += whole[k] if whole else off[k]
        return off

    def row(self, name: str) -> str:
        near, whole = (
            100 * np.mean(np.array(edges) <= NEAR) if edges else np.nan
            for edges in (self.edges, self.whole)
        )
        told = 100 * np.mean(self.unspoken) if self.unspoken else np.nan
        match = np.median(self.matches)
        return (
            f"{name:20s} {self.recordings:3d} recordings, of a part {self.in_parts:3d}, warned "
            f"{self.warned:3d}; not said: {told:5.1f} % listed, of {len(self.spoken)} said "
            f"{sum(self.spoken)}; of {self.passed} in passages {self.dropped} said; edges "
            f"{near:5.1f} %, in the whole {whole:5.1f} %; median match {match:.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("mismatch-models"))
    parser.add_argument("--folds", type=int, nargs="+", default=list(range(FOLDS)))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts = {name: Counts() for name in [*CASES, "other text"]}
    dictionary = make_dictionary()
    for f, (model, examples) in zip(
        options.folds, fold_models(options.corpus, options.models, options.folds), strict=True
    ):
        rng = np.random.default_rng(options.seed + f)
        texts, truths = read_texts(examples, dictionary)

        def align(made: Recording, words: Sequence[str], model=model):
            said = " ".join(words)
            return align_text(model, made.samples, said, dictionary=dictionary, rate=RATE)

        for speaker in sorted({path.parent for path in texts}):
            own = sorted(path for path in texts if path.parent == speaker)
            others = sorted(path for path in texts if path.parent != speaker)
            for draw in range(DRAWS):
                sentences = [
                    Sentence(
                        tuple(texts[own[i]]),
                        tuple(truths[own[i]]),
                        read_audio(str(own[i]), RATE)[0],
                    )
                    for i in rng.permutation(len(own))[:SENTENCES].tolist()
                ]
                whole: list[list[float]] = []
                for name, case in CASES.items():
                    parts = case(sentences)
                    made = joined(parts, {id(one.spans): 0 for one in parts}, draw)
                    off = counts[name].add(align(made, made.words), made, whole)
                    if name == "all":
                        whole = off
                        some = rng.permutation(len(others))[:SENTENCES].tolist()
                        words = [word for i in some for word in texts[others[i]]]
                        wrong = replace(made, words=words, spans=[None] * len(words))
                        counts["other text"].add(align(made, words), wrong, [])
        for name, counted in counts.items():
            print(f"to fold {f}", counted.row(name), flush=True)


if __name__ == "__main__":
    main()
