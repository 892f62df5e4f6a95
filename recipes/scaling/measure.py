"""Measure what an hour of audio costs: features, decoding, training.

::

    python recipes/scaling/measure.py --speech CORPUS --music PIECES [--files N] [--train N ...]

Seconds are those of the processor, which other programs on the machine change less than the
clock's. Everything runs in one process and one thread.
"""

import argparse
import json
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import align
import align.music.aligner
import align.sequence.aligner
from align.features.sound.audio import audio_info

Part = tuple[object, str, str]  # a module or an object, a function of it, what it is called here


class Clock:
    """Seconds of the processor spent in functions, the time in inner ones not counted twice."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)

    def count(self, owner: object, function: str, name: str) -> None:
        """Count the time that a function of a module, or a method, takes."""
        inner = getattr(owner, function)

        def counted(*args, **kwargs):
            with self.counting(name):
                return inner(*args, **kwargs)

        setattr(owner, function, counted)

    @contextmanager
    def counting(self, name: str) -> Iterator[None]:
        begin, before = time.process_time(), sum(self.spent.values())
        yield
        inside = sum(self.spent.values()) - before
        self.spent[name] += time.process_time() - begin - inside


def hours(examples: list[align.Example]) -> float:
    return sum(audio_info(example.audio).duration for example in examples) / 3600


def aligning(
    model: object, examples: list[align.Example], parts: list[Part], run: Callable
) -> dict[str, float]:
    """Seconds an hour of audio takes, by part."""
    run(model, examples[0])  # compile
    clock = Clock()
    for owner, function, name in parts:
        clock.count(owner, function, name)
    with clock.counting("the rest"):
        for example in examples:
            run(model, example)
    total = hours(examples)
    by_part = {name: spent / total for name, spent in clock.spent.items()}
    return by_part | {"all": sum(by_part.values()), "audio_hours": total}


def speech_parts(model: object) -> list[Part]:
    return [
        (align.sequence.aligner, "terms_of", "features"),
        (model, "_best_path", "decoding"),
        (model, "_signal", "reading"),
    ]


def music_parts(model: object) -> list[Part]:
    return [(align.music.aligner, "read_music", "features"), (model, "_place", "decoding")]


def speech(corpus: Path, n: int) -> dict[str, float]:
    model = align.load("speech-en")
    examples = list(align.read_corpus(corpus))[:n]
    return aligning(model, examples, speech_parts(model), lambda m, e: m.align(e.audio, e.events))


def music(pieces: Path, n: int) -> dict[str, float]:
    model = align.load("piano")
    examples = list(align.read_corpus(pieces, kind="music"))[:n]
    return aligning(
        model, examples, music_parts(model), lambda m, e: m.align(e.audio, e.score.path)
    )


def training(corpus: Path, n_speakers: int) -> dict[str, float]:
    """Seconds of training by stage, on some speakers."""
    examples = align.read_corpus(corpus)
    part = examples.subset(examples.groups[:n_speakers])
    spent: dict[str, float] = defaultdict(float)
    last = [time.process_time()]

    def progress(stage: str, done: int, total: int) -> None:
        now = time.process_time()
        spent[stage] += now - last[0]
        last[0] = now

    begin = time.process_time()
    align.SpeechAligner(random_state=0, n_jobs=1).fit(part, progress=progress)
    spent["all"] = time.process_time() - begin
    return {"audio_hours": hours(list(part)), "recordings": len(part), **spent}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--speech", type=Path, metavar="CORPUS")
    parser.add_argument("--music", type=Path, metavar="PIECES")
    parser.add_argument("--files", type=int, default=40, help="recordings of speech to align")
    parser.add_argument("--pieces", type=int, default=3, help="pieces of music to align")
    parser.add_argument("--train", type=int, nargs="*", default=[], help="speakers to train on")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, object] = {}
    if given.speech:
        found["align speech"] = speech(given.speech, given.files)
        for n in given.train:
            found[f"train speech, {n} speakers"] = training(given.speech, n)
    if given.music:
        found["align music"] = music(given.music, given.pieces)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found["peak_mb"] = peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    text = json.dumps(found, indent=1)
    print(text)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
