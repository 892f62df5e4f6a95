"""German: each speaker of EmoDB, by a model that never heard him or her.

::

    python recipes/german/run.py EMODB --learn labels|transcripts|nothing [--models DIR]
    python recipes/german/run.py EMODB --learn labels|transcripts --new-texts [--made MADE]

EMODB has a folder for each speaker, with TextGrids (tiers ``words`` and ``phones``) and texts
beside the recordings; see the README. Of what the others said,

* ``labels`` learns a new model from phones that people placed, and from nothing else, or from
  MADE as well, which `recipes/voxangeles/made_speech.py` has made: networks begin with that;
* ``transcripts`` adapts ``speech-any`` to their texts: no times that people placed are used;
* ``nothing`` takes ``speech-any`` as it is, which has not heard German.

All speakers say the same ten sentences. With ``--new-texts`` each model learns from five of them,
one half or the other, and is tried on these and on the rest, said by the speaker it has not heard.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from praatio import textgrid

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from voxangeles.learning import learned

import align
from align.corpus import Corpus
from align.evaluation.file_result import FileResult
from align.evaluation.report import Report
from align.evaluation.scores import Score
from align.speech.text import adapt_to_texts, align_text

HOW = ("labels", "transcripts", "nothing")


def text_of(audio: Path) -> str:
    return audio.with_suffix(".txt").read_text(encoding="utf-8")


def text_number(example: align.Example) -> str:
    """Return which of the ten sentences is said, such as ``a01`` in ``03a01Fa.flac``."""
    return Path(str(example.audio)).stem[2:5]


def learned_from_labels(
    examples: Sequence[align.Example], options: argparse.Namespace
) -> align.SpeechAligner:
    """Return a model of phones in IPA that heard these recordings alone."""
    return learned(
        examples,
        align.read_corpus(options.made, kind="speech") if options.made else (),
        language="de",
        surroundings=options.surroundings,
        n_jobs=options.jobs,
        random_state=0,
    )


def learned_from_transcripts(
    examples: Sequence[align.Example], options: argparse.Namespace
) -> align.SpeechAligner:
    """Return speech-any, adapted to the texts of these recordings."""
    return adapt_to_texts(align.load("speech-any"), examples, language="de", source="speech-any")


def model_for(
    speaker: str,
    examples: Sequence[align.Example],
    options: argparse.Namespace,
    texts: Sequence[str] = (),
) -> align.SpeechAligner:
    """Return a model that did not learn from a speaker; what was trained is kept.

    With some `texts` it learned from no others.
    """
    if options.learn == "nothing":
        return align.load("speech-any")
    made = ["made"] * bool(options.made)
    path = options.models / f"{'-'.join([options.learn, *made, *texts])}-without-{speaker}.align"
    if not path.exists():
        others = [
            example
            for example in examples
            if example.group != speaker and (not texts or text_number(example) in texts)
        ]
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


class Errors:
    """Errors of phones that are given, and of starts and ends of words from text, in seconds."""

    def __init__(self) -> None:
        self.phones: list[FileResult] = []
        self.starts: list[float] = []
        self.ends: list[float] = []

    def add(self, model: align.SpeechAligner, examples: Sequence[align.Example]) -> None:
        """Add those of a model."""
        self.phones += model.results(examples)[0]
        for example in examples:
            audio = Path(str(example.audio))
            words = edges(model, audio)
            if words is None:
                print(f"{audio.name}: the text has another number of words")
                continue
            self.starts += words[0]
            self.ends += words[1]

    def extend(self, others: "Errors") -> None:
        """Add those of others."""
        self.phones += others.phones
        self.starts += others.starts
        self.ends += others.ends


def line(what: str, errors: Sequence[float] | Report) -> str:
    score = errors if isinstance(errors, Report) else Score.from_errors(np.array(errors))
    within = "  ".join(f"{score.within_ms[ms]:5.1f}" for ms in ("10", "20", "30", "50"))
    return (
        f"{what:<32}{score.boundaries:6d}  within 10/20/30/50 ms  {within}  "
        f"mean {score.mean_abs_ms:.1f}  median {score.median_abs_ms:.1f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--learn", choices=HOW, required=True)
    parser.add_argument("--models", type=Path, default=Path("german-models"))
    parser.add_argument("--made", type=Path, help="networks of labels begin with this folder")
    parser.add_argument("--new-texts", action="store_true", help="learn from half of the texts")
    parser.add_argument("--surroundings", type=int, default=0, help="copies to learn rooms from")
    parser.add_argument("--speakers", nargs="+", help="only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    corpus = align.read_corpus(options.corpus)
    speakers = options.speakers or sorted(corpus.groups)
    if options.new_texts:
        try_texts(corpus, speakers, options)
        return
    errors = Errors()
    for speaker in speakers:
        model, own = model_for(speaker, corpus, options), Errors()
        own.add(model, corpus.subset([speaker]))
        print(line(f"{speaker} phones", model.report_of(own.phones)))
        print(line(f"{speaker} word edges", [*own.starts, *own.ends]), flush=True)
        errors.extend(own)
    print(line("phones", model.report_of(errors.phones)))
    print(line("word starts", errors.starts))
    print(line("word starts and ends", [*errors.starts, *errors.ends]))


def try_texts(corpus: Corpus, speakers: Sequence[str], options: argparse.Namespace) -> None:
    """Print how well new voices are aligned in texts that were learned from, and in others."""
    numbers = sorted({text_number(example) for example in corpus})
    known, new = Errors(), Errors()
    for speaker in speakers:
        own = corpus.subset([speaker])
        for texts in (numbers[::2], numbers[1::2]):
            model = model_for(speaker, corpus, options, texts)
            known.add(model, [example for example in own if text_number(example) in texts])
            new.add(model, [example for example in own if text_number(example) not in texts])
    for what, errors in (("texts learned from", known), ("new texts", new)):
        print(line(f"phones, {what}", model.report_of(errors.phones)))
        print(line(f"word edges, {what}", [*errors.starts, *errors.ends]))


if __name__ == "__main__":
    main()
