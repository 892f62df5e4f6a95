"""Align languages no model was trained on: leave-languages-out cross-validation on VoxAngeles.

::

    python recipes/voxangeles/run.py CORPUS [--timit FOLDER] [--made FOLDER] [--surroundings N]
                                     [--models DIR] [--jobs N]

CORPUS is the folder of VoxAngeles, one folder a language; see the README beside this file.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from learning import learned

import align
from align.corpus.ipa import to_ipa
from align.corpus.reading import Corpus
from align.evaluation.file_result import FileResult
from align.evaluation.report import Report

N_FOLDS = 4

PEERS = [
    ("Montreal Forced Aligner's published alignments", (53.7, 65.8, 75.5, 80.0), 36.1, 8.3),
    ("a probe: base letters, 6 epochs, no learned weights", (63.3, 75.2, 81.8, 86.3), 21.6, None),
]
"""Scored the same way: within 10, 20, 30, 40 ms, mean and median in ms."""


def unheard(languages: Sequence[str], fold: int) -> list[str]:
    """Return the languages of a fold."""
    return sorted(languages)[fold::N_FOLDS]


def fold_model(
    corpus: Corpus, extra: Sequence[align.Example], fold: int, options: argparse.Namespace
) -> align.SpeechAligner:
    """Train on the languages of the other folds, or load what an earlier run has trained."""
    path = options.models / f"without-fold-{fold}.align" if options.models else None
    if path is not None and path.exists():
        model: align.SpeechAligner = align.load(path)
        return model
    hidden = unheard(corpus.groups, fold)
    seen = [example for example in corpus if example.group not in hidden]
    begin = time.perf_counter()
    model = learned(
        [*seen, *extra],
        align.read_corpus(options.made, kind="speech") if options.made else (),
        surroundings=options.surroundings,
        n_jobs=options.jobs,
        random_state=options.seed,
    )
    print(f"fold {fold}: trained in {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        model.save(path)
    return model


def row(name: str, within: Sequence[float], mean: float, median: float | None) -> str:
    numbers = "  ".join(f"{value:5.1f}" for value in within)
    return f"{name:<52} {numbers}  mean {mean:.1f}" + (f" median {median:.1f}" if median else "")


def line(name: str, report: Report) -> str:
    within = [report.within_ms[t] for t in ("10", "20", "30", "40")]
    return row(name, within, report.mean_abs_ms, report.median_abs_ms)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--timit", type=Path, help="also train on this folder of TIMIT speakers")
    parser.add_argument("--made", type=Path, help="begin with what made_speech.py made")
    parser.add_argument("--models", type=Path, help="keep the models of the folds here")
    parser.add_argument("--folds", type=int, nargs="+", default=range(N_FOLDS))
    parser.add_argument("--surroundings", type=int, default=0, help="copies to learn rooms from")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    corpus = align.read_corpus(options.corpus, kind="speech")
    extra = to_ipa(align.read_corpus(options.timit)) if options.timit else []
    files: list[FileResult] = []
    scores, languages = [], {}
    for fold in options.folds:
        model = fold_model(corpus, extra, fold, options)
        of_fold: list[FileResult] = []
        for language in unheard(corpus.groups, fold):
            found, failed = model.results(corpus.subset([language]))
            assert not failed, failed
            languages[language] = Report.from_files(found, kind="speech")
            of_fold += found
        files += of_fold
        part = Report.from_files(of_fold, kind="speech")
        scores.append(part.within_ms["20"])
        print(line(f"fold {fold}", part), file=sys.stderr)
    report = model.report_of(files)
    print("\n% of boundaries within 10, 20, 30, 40 ms; languages the model was not trained on")
    for name, within, mean, median in PEERS:
        print(row(name, within, mean, median))
    print(line("Align, universal features", report))
    print(f"folds' deviation at 20 ms {np.std(scores):.1f}\n\n{report}\n")
    for language, one in sorted(languages.items()):
        print(line(language, one))
    if options.json:
        options.json.write_text(json.dumps(report.to_dict(), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
