"""Recordings that hold a part of their text only: is that told, and are its words in place?

::

    python recipes/mismatch/halves.py TIMIT [--models DIR] [--folds N ...] [--seed N]
    python recipes/mismatch/halves.py EMODB --german-model MODEL [--speakers NAME ...] [--seed N]

Five sentences of a speaker whom a model has not heard are read one after the other, and cut in the
middle of a sentence; the text is that of all five. See the README beside this file.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from long import RATE, Recording, Sentence, joined
from run import FOLDS, fold_models
from short import emodb
from where import doubted_words, read_texts, spans_of

from align import SpeechAligner, load
from align.features import read_audio
from align.speech.text import TextAlignment, align_text, make_dictionary
from align.speech.text.reading.normalise import split_words

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
            cut=True,
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


class Reading(NamedTuple):
    """Sentences that are read one after the other, and the words of as many others."""

    sentences: list[Sentence]
    other: list[str]
    draw: int


Align = Callable[[np.ndarray, Sequence[str]], TextAlignment]


def aligns(model: SpeechAligner, language: str) -> Align:
    """Return what aligns samples and words."""
    words_of = make_dictionary(language=language)

    def align(samples: np.ndarray, words: Sequence[str]) -> TextAlignment:
        said = " ".join(words)
        return align_text(model, samples, said, dictionary=words_of, language=language, rate=RATE)

    return align


def english(examples: Sequence[object], rng: np.random.Generator) -> Iterator[Reading]:
    """Yield readings of the speakers of TIMIT."""
    texts, truths = read_texts(examples, make_dictionary())
    for speaker in sorted({path.parent for path in texts}):
        own = sorted(path for path in texts if path.parent == speaker)
        others = sorted(path for path in texts if path.parent != speaker)
        for draw in range(DRAWS):
            sentences = [
                Sentence(
                    tuple(texts[own[i]]), tuple(truths[own[i]]), read_audio(str(own[i]), RATE)[0]
                )
                for i in rng.permutation(len(own))[:SENTENCES].tolist()
            ]
            some = rng.permutation(len(others))[:SENTENCES].tolist()
            yield Reading(sentences, [word for i in some for word in texts[others[i]]], draw)


def german(
    corpus: Path, speakers: Sequence[str] | None, rng: np.random.Generator
) -> Iterator[Reading]:
    """Yield readings of speakers of EmoDB: five of its ten sentences, and the other five."""
    every = []
    for one in emodb(corpus, speakers):
        words = split_words(" ".join(one.words), language="de")
        if len(words) == len(one.spans):
            every.append(one._replace(words=words))
    for speaker in sorted({one.audio.parent for one in every}):
        for draw in range(DRAWS):
            chosen = {}
            for i in rng.permutation(len(every)).tolist():
                if every[i].audio.parent == speaker:
                    chosen.setdefault(every[i].sentence, every[i])
            five, others = list(chosen.values())[:SENTENCES], list(chosen.values())[SENTENCES:]
            sentences = [
                Sentence(tuple(o.words), tuple(o.spans), read_audio(str(o.audio), RATE)[0])
                for o in five
            ]
            yield Reading(sentences, [word for o in others for word in o.words], draw)


def measure(counts: dict[str, Counts], align: Align, reading: Reading) -> None:
    """Count what is found in a reading, and in its parts."""
    whole: list[list[float]] = []
    for name, case in CASES.items():
        parts = case(reading.sentences)
        made = joined(parts, {id(one.spans): 0 for one in parts}, reading.draw)
        off = counts[name].add(align(made.samples, made.words), made, whole)
        if name == "all":
            whole = off
            wrong = replace(made, words=reading.other, spans=[None] * len(reading.other))
            counts["other text"].add(align(made.samples, reading.other), wrong, [])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("mismatch-models"))
    parser.add_argument("--folds", type=int, nargs="+", default=list(range(FOLDS)))
    parser.add_argument("--german-model", help="a name, or a file: the corpus is EmoDB")
    parser.add_argument("--speakers", nargs="+", help="of EmoDB; by default all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts = {name: Counts() for name in [*CASES, "other text"]}
    if options.german_model is not None:
        align = aligns(load(options.german_model), "de")
        rng = np.random.default_rng(options.seed)
        for reading in german(options.corpus, options.speakers, rng):
            measure(counts, align, reading)
    else:
        models = fold_models(options.corpus, options.models, options.folds)
        for f, (model, examples) in zip(options.folds, models, strict=True):
            align = aligns(model, "en")
            for reading in english(examples, np.random.default_rng(options.seed + f)):
                measure(counts, align, reading)
            for name, counted in counts.items():
                print(f"to fold {f}", counted.row(name), flush=True)
    for name, counted in counts.items():
        print(counted.row(name))


if __name__ == "__main__":
    main()
