"""Long recordings made of sentences: what they cost, and what their length does to the accuracy.

::

    python recipes/scaling/long.py TIMIT --minutes 10 60 [--model speech-en] [--json FILE]

Sentences follow one another in an order drawn with a fixed seed, as often as it takes. Each row is
a process of its own: seconds of the processor, the share of the length of the recording, the
largest memory, and the share of onsets within 20 ms: of phones, given the phones, and of words,
given the text. The last row has the sentences one by one.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import align
from align.features import read_audio
from align.formats import read_labels
from align.speech.text import read_transcript
from align.types import SILENCE

RATE = 16000
NEAR = 0.02  # seconds


class Sentence:
    """Samples, phones, words and text of a file; times in seconds."""

    def __init__(self, path: Path) -> None:
        self.phones = read_labels(path.with_suffix(".phn"))
        self.words = read_labels(path.with_suffix(".wrd"))
        self.end = float(self.phones.intervals[-1][1])
        self.samples = read_audio(str(path), RATE)[0][: round(self.end * RATE)]
        self.text = read_transcript(path.with_suffix(".txt"))[0].text


def joined(sentences: Sequence[Sentence]) -> tuple[Any, list[str], Any, Any]:
    """Return samples, phones, and when phones and words begin, of sentences in a row."""
    labels: list[str] = []
    phones: list[float] = []
    words: list[float] = []
    at = 0.0
    for one in sentences:
        first = int(bool(labels))  # the silences of two sentences are one
        labels += one.phones.labels[first:]
        phones += [at + float(begin) for begin, _ in one.phones.intervals[first:]]
        words += [
            at + float(begin)
            for (begin, _), label in zip(one.words.intervals, one.words.labels, strict=True)
            if label != SILENCE
        ]
        at += one.end
    samples = np.concatenate([one.samples for one in sentences])
    return samples, labels, np.array(phones), np.array(words)


def errors(model: Any, sentences: Sequence[Sentence], given: str) -> Any:
    """Return the errors of all onsets but the first, in seconds, of sentences in a row."""
    samples, labels, phones, words = joined(sentences)
    if given == "phones":
        return np.abs(model.align(samples, labels, rate=RATE).onsets - phones)[1:]
    found = model.align_text(samples, " ".join(one.text for one in sentences), rate=RATE).words
    onsets = np.array(
        [t for t, label in zip(found.onsets, found.labels, strict=True) if label != SILENCE]
    )
    after = np.clip(np.searchsorted(onsets, words), 1, len(onsets) - 1)  # the nearest: a text has
    return np.minimum(np.abs(onsets[after] - words), np.abs(onsets[after - 1] - words))  # 'em, too


def measured(corpus: Path, model: str, minutes: float, given: str) -> dict[str, Any]:
    """Return what a recording of so many minutes costs; 0 for the sentences one by one."""
    every = [Sentence(path) for path in sorted(corpus.rglob("*.wav"))]
    aligner = align.load(model)
    errors(aligner, every[:1], given)  # compile
    chosen, seconds = [], 0.0
    rng = np.random.default_rng(0)
    while minutes and seconds < 60 * minutes:
        for i in rng.permutation(len(every)):
            chosen.append(every[i])
            seconds += every[i].end
            if seconds >= 60 * minutes:
                break
    before = time.process_time()
    if minutes:
        found = errors(aligner, chosen, given)
    else:
        found = np.concatenate([errors(aligner, [one], given) for one in every])
        seconds = sum(one.end for one in every)
    spent = time.process_time() - before
    return {
        "minutes": minutes or "one by one",
        "given": given,
        "onsets": len(found),
        "seconds": round(spent, 1),
        "of real time": round(spent / seconds, 4),
        "MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3),
        "within 20 ms": round(100 * float(np.mean(found <= NEAR)), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("corpus", type=Path, help="folders of .wav, .phn, .wrd and .txt")
    parser.add_argument("--minutes", type=float, nargs="+", default=[10.0, 60.0])
    parser.add_argument("--given", nargs="+", default=["phones", "text"])
    parser.add_argument("--model", default="speech-en")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if not any(asked.corpus.rglob("*.wav")):
        parser.error(f"{asked.corpus}: there is no .wav in it.")
    if asked.one:
        print(json.dumps(measured(asked.corpus, asked.model, asked.minutes[0], asked.given[0])))
        return
    rows = []
    for given in asked.given:
        for minutes in [*asked.minutes, 0.0]:
            own = ["--one", "--minutes", str(minutes), "--given", given, "--model", asked.model]
            done = subprocess.run(
                [sys.executable, __file__, str(asked.corpus), *own],
                check=True,
                capture_output=True,
                text=True,
            )
            rows.append(json.loads(done.stdout))
            print(*(f"{key} {value}" for key, value in rows[-1].items()), sep="  ", flush=True)
    if asked.json is not None:
        asked.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
