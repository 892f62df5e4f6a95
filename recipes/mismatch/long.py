"""Long recordings whose text is not all that is said, or says what is not: what is listed.

::

    python recipes/mismatch/long.py TIMIT --music FOLDER --german EMODB [--models DIR]
                                    [--folds N ...] [--seed N] [--cases NAME ...]

Sentences of speakers that a model has not heard are read one after the other, twice over, with
pauses made of the silence before them. Then something is put into the recording, or left out of
it or of the text; see `CASES`. Edges are those of words that are said and in the text, compared
with the same words of the true text. See the README beside this file.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from run import FOLDS, fold_models
from where import doubted_words, read_texts, spans_of

from align.features import read_audio
from align.speech.text import TextAlignment, align_text, make_dictionary

RATE = 16000
PAUSES = (0.3, 1.2)  # seconds
PARAGRAPH = 6  # sentences
INSERTED = 45.0  # seconds
NEAR = 0.5  # seconds

Samples = npt.NDArray[np.float32]
Span = tuple[float, float]


@dataclass(frozen=True)
class Sentence:
    """Words, when each is said, and samples; `said` or not, and in the text (`written`) or not.

    What is no speech of the text has no words. What is `cut` begins within a sentence, and has no
    silence in front that a pause could be made of.
    """

    words: tuple[str, ...]
    spans: tuple[Span, ...]
    samples: Samples
    said: bool = True
    written: bool = True
    cut: bool = False

    def only(self, *, said: bool = True, written: bool = True) -> "Sentence":
        return Sentence(self.words, self.spans, self.samples, said, written)


@dataclass(frozen=True)
class Recording:
    """Samples, the words of the text and when each is said, and what is not in the text."""

    samples: Samples
    words: list[str]
    spans: list[Span | None]
    keys: list[tuple[int, int]]  # which word of which sentence
    foreign: list[Span]


Case = Callable[[list[Sentence], "Inserted"], list[Sentence]]


@dataclass(frozen=True)
class Inserted:
    """What may be put in."""

    music: Samples
    german: Samples


def no_text(samples: Samples) -> Sentence:
    return Sentence((), (), samples, written=False)


def paragraph(sentences: Sequence[Sentence]) -> slice:
    middle = len(sentences) // 2
    return slice(middle, middle + PARAGRAPH)


def put_in(sentences: list[Sentence], what: Sequence[Sentence]) -> list[Sentence]:
    at = paragraph(sentences).start
    return [*sentences[:at], *what, *sentences[at:]]


def changed(sentences: list[Sentence], where: slice, **what: bool) -> list[Sentence]:
    made = list(sentences)
    made[where] = [sentence.only(**what) for sentence in sentences[where]]
    return made


CASES: dict[str, Case] = {
    "true text": lambda own, _: own,
    "music": lambda own, more: put_in(own, [no_text(more.music)]),
    "German": lambda own, more: put_in(own, [no_text(more.german)]),
    "read twice": lambda own, _: put_in(
        own, [one.only(written=False) for one in own[paragraph(own)]]
    ),
    "not in the text": lambda own, _: changed(own, paragraph(own), written=False),
    "not said": lambda own, _: changed(own, paragraph(own), said=False),
    "text begins late": lambda own, _: changed(own, slice(PARAGRAPH), written=False),
    "text ends early": lambda own, _: changed(own, slice(-PARAGRAPH, None), written=False),
    "recording begins late": lambda own, _: changed(own, slice(PARAGRAPH), said=False),
    "recording ends early": lambda own, _: changed(own, slice(-PARAGRAPH, None), said=False),
}


def joined(sentences: Sequence[Sentence], numbers: dict[int, int], seed: int) -> Recording:
    """Return sentences read one after the other; `numbers` has the number of each, by its id."""
    rng = np.random.default_rng(seed)
    parts: list[Samples] = []
    made = Recording(np.zeros(0, np.float32), [], [], [], [])
    at = 0.0
    for one in sentences:
        pause = rng.uniform(*PAUSES)
        if one.said and not one.cut:
            quiet = one.samples[
                : max(400, round(RATE * one.spans[0][0]) - 400 if one.spans else 400)
            ]
            repeats = int(np.ceil(pause * RATE / (2 * len(quiet))))
            parts.append(
                np.tile(np.concatenate((quiet, quiet[::-1])), repeats)[: round(pause * RATE)]
            )
            at += len(parts[-1]) / RATE
        if one.written:
            made.words.extend(one.words)
            made.spans.extend((a + at, b + at) if one.said else None for a, b in one.spans)
            made.keys.extend((numbers[id(one.spans)], k) for k in range(len(one.words)))
        elif one.said:
            first = one.spans[0][0] if one.spans else 0.0
            last = one.spans[-1][1] if one.spans else len(one.samples) / RATE
            made.foreign.append((at + first, at + last))
        if one.said:
            parts.append(one.samples)
            at += len(one.samples) / RATE
    return Recording(np.concatenate(parts), made.words, made.spans, made.keys, made.foreign)


@dataclass
class Counts:
    """Of one case."""

    right: int = 0
    near: int = 0  # edges within 20 ms
    true_near: int = 0  # of the same edges in the true text
    unspoken: int = 0
    unspoken_listed: int = 0
    spoken_listed: int = 0
    spoken: int = 0
    foreign: float = 0.0
    foreign_listed: float = 0.0
    own_listed: float = 0.0  # seconds
    edges: int = 0
    edges_near: int = 0

    def row(self, name: str) -> str:
        def share(some: float, of: float) -> str:
            return f"{100 * some / of:5.1f} %" if of else "      -"

        unspoken = share(self.unspoken_listed, self.unspoken)
        foreign = share(self.foreign_listed, self.foreign)
        return (
            f"{name:22s} edges {share(self.near, self.right)} (true text "
            f"{share(self.true_near, self.right)})  not said: {unspoken} of {self.unspoken:4d} "
            f"words listed, of those said {self.spoken_listed:3d} of {self.spoken:5d}  not in the "
            f"text: {foreign} of {self.foreign:5.0f} s listed, edges {self.edges_near} of "
            f"{self.edges}, of the rest {self.own_listed:5.1f} s"
        )


def covered(span: Span, others: Sequence[Span]) -> float:
    """Return how many seconds of a span lie in others, which do not overlap."""
    return sum(max(0.0, min(span[1], b) - max(span[0], a)) for a, b in others)


def merged(spans: Sequence[Span], gap: float) -> list[Span]:
    """Return spans in order, those with less than a gap between them as one."""
    found: list[Span] = []
    for a, b in sorted(spans):
        if found and a - found[-1][1] <= gap:
            found[-1] = found[-1][0], max(b, found[-1][1])
        else:
            found.append((a, b))
    return found


def edges_of(found: TextAlignment, made: Recording) -> dict[tuple[int, int], tuple[bool, bool]]:
    """Return whether start and end of each word that was said are within 20 ms."""
    nowhere = (np.inf, np.inf)  # a word of a passage that was taken to be left out
    return {
        key: (abs(a - true[0]) <= 0.02, abs(b - true[1]) <= 0.02)
        for key, (a, b), true in zip(
            made.keys,
            [span or nowhere for span in spans_of(found, made.words)],
            made.spans,
            strict=True,
        )
        if true is not None
    }


def count(
    counts: Counts,
    found: TextAlignment,
    made: Recording,
    truth: dict[tuple[int, int], tuple[bool, bool]],
) -> None:
    for key, near in edges_of(found, made).items():
        counts.right += 2
        counts.near += sum(near)
        counts.true_near += sum(truth[key])
    listed = np.zeros(len(made.words), dtype=bool)
    listed[list(doubted_words(found, made.words))] = True
    gone = np.array([span is None for span in made.spans])
    counts.unspoken += int(gone.sum())
    counts.unspoken_listed += int((gone & listed).sum())
    counts.spoken += int((~gone).sum())
    counts.spoken_listed += int((~gone & listed).sum())
    others = [(m.start, m.end) for m in found.mismatches if not m.words]
    whole = merged(made.foreign, PAUSES[1] + 0.5)
    counts.foreign += sum(b - a for a, b in whole)
    counts.foreign_listed += sum(covered(span, others) for span in whole)
    counts.own_listed += sum(b - a - covered((a, b), whole) for a, b in others)
    ends = merged(others, PAUSES[1] + 0.5)
    for side in (0, 1):
        counts.edges += len(whole)
        counts.edges_near += sum(
            min((abs(span[side] - other[side]) for other in ends), default=np.inf) <= NEAR
            for span in whole
        )


def sentences_of(examples: Sequence[object], rng: np.random.Generator) -> Iterator[Sentence]:
    """Yield the sentences of speakers, one speaker after the other, twice."""
    texts, truths = read_texts(examples, make_dictionary())
    for _ in range(2):
        for speaker in sorted({path.parent for path in texts}):
            own = sorted(path for path in texts if path.parent == speaker)
            for i in rng.permutation(len(own)).tolist():
                samples = read_audio(str(own[i]), RATE)[0]
                yield Sentence(tuple(texts[own[i]]), tuple(truths[own[i]]), samples)


def loudness(samples: Samples) -> Samples:
    """Return samples at the level of the sentences, some 0.05 of full scale."""
    return (samples * (0.05 / np.sqrt(np.mean(samples**2)))).astype(np.float32)


def inserted(music: Path, german: Path, seed: int) -> Inserted:
    """Return music and German speech of some length, drawn with a seed."""
    rng = np.random.default_rng(seed)
    size = round(INSERTED * RATE)
    pieces = sorted(p for p in music.rglob("*") if p.suffix in (".wav", ".flac", ".ogg"))
    tune = read_audio(str(pieces[int(rng.integers(len(pieces)))]), RATE)[0]
    sentences = sorted(p for p in german.rglob("*") if p.suffix in (".wav", ".flac"))
    spoken = [read_audio(str(sentences[i]), RATE)[0] for i in rng.permutation(len(sentences))[:30]]
    return Inserted(
        loudness(np.resize(tune, size)),
        loudness(np.concatenate([loudness(one) for one in spoken])[:size]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--music", type=Path, required=True)
    parser.add_argument("--german", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path("mismatch-models"))
    parser.add_argument("--folds", type=int, nargs="+", default=list(range(FOLDS)))
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts = {name: Counts() for name in dict.fromkeys(["true text", *options.cases])}
    dictionary = make_dictionary()
    for f, (model, examples) in zip(
        options.folds, fold_models(options.corpus, options.models, options.folds), strict=True
    ):
        seed = options.seed + f
        own = list(sentences_of(examples, np.random.default_rng(seed)))
        numbers = {id(one.spans): i for i, one in enumerate(own)}
        more = inserted(options.music, options.german, seed)
        truth: dict[tuple[int, int], tuple[bool, bool]] = {}
        for name, counted in counts.items():
            made = joined(CASES[name](own, more), numbers, seed)
            found = align_text(
                model, made.samples, " ".join(made.words), dictionary=dictionary, rate=RATE
            )
            truth = truth or edges_of(found, made)
            count(counted, found, made, truth)
            print(f"fold {f}", counted.row(name), flush=True)
    for name, counted in counts.items():
        print(counted.row(name))


if __name__ == "__main__":
    main()
