"""German: each speaker of EmoDB, by a model that never heard him or her.

::

    python recipes/german/run.py EMODB --learn labels|transcripts|nothing [--models DIR]

EMODB has a folder for each speaker, with TextGrids (tiers ``words`` and ``phones``) and texts
beside the recordings; see the README. Of what the others said,

* ``labels`` learns a new model from phones that people placed, and from nothing else;
* ``transcripts`` adapts ``speech-any`` to their texts: no times that people placed are used;
* ``nothing`` takes ``speech-any`` as it is, which has not heard German.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from praatio import textgrid

import align
from align.evaluation.report import FileResult, Report, Score
from align.speech.text import adapt_to_texts, align_text

HOW = ("labels", "transcripts", "nothing")


def text_of(audio: Path) -> str:
    return audio.with_suffix(".txt").read_text(encoding="utf-8")


def learned_from_labels(
    examples: Sequence[align.Example], options: argparse.Namespace
) -> align.SpeechAligner:
    """Return a model of phones in IPA that heard these recordings alone."""
    return align.SpeechAligner(
        "universal",
        language="de",
        surroundings=options.surroundings,
        n_jobs=options.jobs,
        random_state=0,
    ).fit(examples)


def learned_from_transcripts(
    examples: Sequence[align.Example], options: argparse.Namespace
) -> align.SpeechAligner:
    """Return speech-any, adapted to the texts of these recordings."""
    return adapt_to_texts(align.load("speech-any"), examples, language="de", source="speech-any")


def model_for(
    speaker: str, examples: Sequence[align.Example], options: argparse.Namespace
) -> align.SpeechAligner:
    """Return a model that did not learn from a speaker; what was trained is kept."""
    if options.learn == "nothing":
        return align.load("speech-any")
    path = options.models / f"{options.learn}-without-{speaker}.align"
    if not path.exists():
        others = [example for example in examples if example.group != speaker]
        learn = learned_from_labels if options.learn == "labels" else learned_from_transcripts
        begin = time.perf_counter()
        model = learn(others, options)
        print(f"{path}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        model.save(path)
    return align.load(path)


def edges(model: align.SpeechAligner, audio: Path) -> tuple[list[float], list[float]] | None:
    """Return found less true starts and ends of the words; None where their number differs."""
    grid = textgrid.openTextgrid(str(audio.with_suffix(".TextGrid")), includeEmptyIntervals=False)
    true = [(word.start, word.end) for word in grid.getTier("words").entries]
    words = align_text(model, audio, text_of(audio), language="de").words
    pairs = zip(words.labels, words.intervals.tolist(), strict=True)
    found = [times for word, times in pairs if word and word != "sil"]
    if len(found) != len(true):
        return None
    both = list(zip(found, true, strict=True))
    return [a[0] - b[0] for a, b in both], [a[1] - b[1] for a, b in both]


def line(what: str, errors: Sequence[float] | Report) -> str:
    score = errors if isinstance(errors, Report) else Score.from_errors(np.array(errors))
    within = "  ".join(f"{score.within_ms[ms]:5.1f}" for ms in ("10", "20", "30", "50"))
    return (
        f"{what:<22}{score.boundaries:6d}  within 10/20/30/50 ms  {within}  "
        f"mean {score.mean_abs_ms:.1f}  median {score.median_abs_ms:.1f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--learn", choices=HOW, required=True)
    parser.add_argument("--models", type=Path, default=Path("german-models"))
    parser.add_argument("--surroundings", type=int, default=0, help="copies to learn rooms from")
    parser.add_argument("--speakers", nargs="+", help="only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    corpus = align.read_corpus(options.corpus)
    phones: list[FileResult] = []
    starts: list[float] = []
    ends: list[float] = []
    for speaker in options.speakers or sorted(corpus.groups):
        model = model_for(speaker, corpus, options)
        own = corpus.subset([speaker])
        found = model.results(own)[0]
        words = [edges(model, Path(str(example.audio))) for example in own]
        kept = [pair for pair in words if pair is not None]
        begun, ended = ([e for pair in kept for e in pair[k]] for k in (0, 1))
        print(line(f"{speaker} phones", model.report_of(found)))
        print(line(f"{speaker} word edges", [*begun, *ended]), flush=True)
        phones, starts, ends = [*phones, *found], [*starts, *begun], [*ends, *ended]
        if len(kept) < len(words):
            print(f"{speaker}: {len(words) - len(kept)} texts have another number of words")
    print(line("phones", model.report_of(phones)))
    print(line("word starts", starts))
    print(line("word starts and ends", [*starts, *ends]))


if __name__ == "__main__":
    main()
