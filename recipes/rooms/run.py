"""From phones and from text, in quiet and in six kinds of worse sound; folds over speakers.

::

    python recipes/rooms/run.py CORPUS --music FOLDER --people FOLDER [--models DIR] [--seed N]
                                  [--surroundings 0]

CORPUS is a folder of speakers with ``.wav``, ``.phn``, ``.wrd`` and ``.txt`` files, such as
NLTK's sample of TIMIT; the other folders hold recordings of music and of people, for what is heard
behind the speech. See the README beside this file.
"""

import argparse
import json
import time
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from conditions import RATE, Condition, behind, mp3, noise, room, telephone
from measures import Span, Tally, folded

import align
from align.features import read_audio
from align.speech.text import align_text, read_transcript

FOLDS = 4
FOUR = ("room", "noise", "music", "people")  # whose mean the published figures are


def sounds(folder: Path, most: int = 60) -> list[np.ndarray]:
    """Read recordings of a folder, spread over it."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix in (".wav", ".flac", ".mp3"))
    paths = paths[:: max(1, len(paths) // most)][:most]
    return [read_audio(path, RATE)[0][: 60 * RATE].astype(float) for path in paths]


def conditions(music: Path, people: Path) -> dict[str, Condition | None]:
    return {
        "clean": None,
        "room": room,
        "noise": noise,
        "music": behind(sounds(music), 1),
        "people": behind(sounds(people), 6),
        "telephone": telephone,
        "mp3": mp3,
    }


def models(corpus: Path, folder: Path, jobs: int, only: list[int] | None, surroundings: int):
    """Yield a model and the recordings of the speakers it has not heard."""
    speakers = sorted(path.name for path in corpus.iterdir() if path.is_dir())
    folder.mkdir(parents=True, exist_ok=True)
    for f in only or range(FOLDS):
        held_out = speakers[f::FOLDS]
        path = folder / f"fold{f}.align"
        if not path.exists():
            examples = align.read_corpus(corpus, kind="speech")
            train = examples.subset([s for s in speakers if s not in held_out])
            align.SpeechAligner(surroundings=surroundings, n_jobs=jobs).fit(train).save(path)
        yield align.load(path), [w for s in held_out for w in sorted((corpus / s).glob("*.wav"))]


def spans(path: Path) -> list[Span]:
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return [Span(label.lower(), int(a) / 16000, int(b) / 16000) for a, b, label in rows]


def found_spans(alignment) -> list[Span]:
    rows = zip(alignment.labels, alignment.intervals.tolist(), strict=True)
    return [Span(str(label).lower(), a, b) for label, (a, b) in rows]


class Scores:
    """Of one condition."""

    def __init__(self) -> None:
        self.given: list[float] = []
        self.sure: list[float] = []
        self.starts: list[float] = []
        self.sure_starts: list[float] = []
        self.word_edges: list[float] = []
        self.phones, self.words = Tally(), Tally()
        self.seconds = np.zeros(3)

    def row(self) -> dict[str, float]:
        within = 100 * np.mean(np.abs(self.given) <= 0.02)
        return {
            "given20": float(within),
            "confidence": 100 * float(np.mean(self.sure)),
            "edges20": 100 * float(np.mean(np.abs(self.word_edges) <= 0.02)),
            "starts20": 100 * float(np.mean(np.abs(self.starts) <= 0.02)),
            "starts_confidence": 100 * float(np.mean(self.sure_starts)),
            "starts_ms": 1000 * float(np.mean(np.abs(self.starts))),
            "phones_ms": self.phones.mean_ms,
            "phones_f1": self.phones.f1,
            "words_ms": self.words.mean_ms,
            "words_f1": self.words.f1,
        }


def score(model, path: Path, samples: np.ndarray, into: Scores, skip_given: bool) -> None:
    """Align one recording from phones and from text."""
    true = spans(path.with_suffix(".phn"))
    begin = time.process_time()
    if not skip_given:
        found = model.align(samples, [s.label for s in true], rate=RATE)
        into.given += [t - s.start for t, s in zip(found.onsets[1:], true[1:], strict=True)]
        into.sure += found.confidence[1:].tolist()
    middle = time.process_time()
    text = align_text(model, samples, read_transcript(path.with_suffix(".txt")), rate=RATE)
    into.seconds += middle - begin, time.process_time() - middle, samples.size / RATE
    into.phones.add(folded(true), folded(found_spans(text.phones)))
    true_words = spans(path.with_suffix(".wrd"))
    words: list[Span] = []
    k = 0
    found_words = zip(found_spans(text.words), text.words.confidence.tolist(), strict=True)
    for word, sure in ((w, sure) for w, sure in found_words if w.label != "sil"):
        # A compound of the text may be several words of the truth.
        parts = 1 if true_words[k].label == word.label else 1 + word.label.count("-")
        last = true_words[k + parts - 1]
        words.append(Span(word.label, true_words[k].start, last.end))
        into.starts.append(word.start - words[-1].start)
        into.sure_starts.append(sure)
        into.word_edges += [word.start - words[-1].start, word.end - words[-1].end]
        k += parts
    if k != len(true_words):
        raise SystemExit(f"{path}: the text has other words than the truth.")
    into.words.add(words, [w for w in found_spans(text.words) if w.label != "sil"])


def table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Return a table in Markdown."""
    lines = [
        "| | phones given, 20 ms | confidence | word edges, 20 ms | word starts, 20 ms | "
        "confidence | mean | phones, mean | F1 | words, mean | F1 |",
        "|---|" + "---|" * 10,
    ]
    for name, r in rows.items():
        lines.append(
            f"| {name} | {r['given20']:.1f} % | {r['confidence']:.1f} % | {r['edges20']:.1f} % | "
            f"{r['starts20']:.1f} % | {r['starts_confidence']:.1f} % | "
            f"{r['starts_ms']:.1f} ms | {r['phones_ms']:.1f} ms | "
            f"{r['phones_f1']:.3f} | {r['words_ms']:.1f} ms | {r['words_f1']:.3f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--music", type=Path, required=True)
    parser.add_argument("--people", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path("rooms-models"))
    parser.add_argument("--folds", type=int, nargs="+", help="Only these of the four.")
    parser.add_argument("--surroundings", type=int, default=2, help="0 for a model without.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", help="Only these conditions.")
    parser.add_argument("--text-only", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    kinds = conditions(options.music, options.people)
    if options.only:
        kinds = {name: kinds[name] for name in options.only}
    scores = {name: Scores() for name in kinds}
    trained = models(
        options.corpus, options.models, options.jobs, options.folds, options.surroundings
    )
    for model, recordings in trained:
        for path in recordings:
            clean = read_audio(path, RATE)[0].astype(float)
            for name, condition in kinds.items():
                # The same sound for a recording, whichever conditions and folds are asked for.
                rng = np.random.default_rng(
                    [options.seed, zlib.crc32(f"{name} {path.stem} {path.parent.name}".encode())]
                )
                samples = clean if condition is None else condition(clean, rng)
                score(model, path, samples.astype(np.float32), scores[name], options.text_only)
    rows = {name: one.row() for name, one in scores.items()}
    four = [rows[name] for name in FOUR if name in rows]
    if len(four) == len(FOUR):
        rows["mean of the four"] = {k: float(np.mean([r[k] for r in four])) for k in four[0]}
    print(table(rows))
    seconds = sum(one.seconds for one in scores.values())
    print(
        f"\nphones {seconds[0] / seconds[2]:.4f}, text {seconds[1] / seconds[2]:.4f} of real time"
    )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
