"""Train and evaluate on TIMIT: speaker-disjoint folds of a sample, or the corpus's own split.

::

    python recipes/timit/run.py CORPUS [--features default thesis as-in-thesis] [--json FILE]

CORPUS is a folder of speakers, or the whole of TIMIT, with folders ``train`` and ``test`` in
either case and NIST SPHERE audio. See the README beside this file.
"""

import argparse
import itertools
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import align
from align.evaluation.file_result import FileResult
from align.evaluation.report import Report

CORE_TEST = frozenset(
    "mdab0 mwbt0 felc0 mtas1 mwew0 fpas0 mjmp0 mlnt0 fpkt0 mlll0 mtls0 fjlm0 "
    "mbpm0 mklt0 fnlp0 mcmj0 mjdh0 fmgd0 mgrt0 mnjm0 fdhc0 mjln0 mpam0 fmld0".split()
)

PEERS_SAMPLE = [
    ("PocketSphinx 5.1, given the same phones", (45.0, 75.0, 88.0, 93.0)),
    ("the thesis group's own C++ aligner", (64.3, 85.5, 91.5, 94.6)),
]
PEERS_CORE = [
    ("Table 9.1, discriminative", (79.7, 92.1, 96.2, 98.1)),
    ("Table 9.1, Brugnara et al.", (75.3, 88.9, 94.4, 97.1)),
    ("Table 9.1, Hosom", (float("nan"), 92.57, float("nan"), float("nan"))),
]
PEERS_TEST = [
    ("Table 9.1, discriminative", (80.0, 92.3, 96.4, 98.2)),
    ("Table 9.1, Brugnara et al.", (74.6, 88.8, 94.1, 96.8)),
]

Examples = Sequence[align.Example]


def without_dialect_sentences(examples: Examples) -> list[align.Example]:
    """Drop SA1 and SA2, which every speaker reads."""
    return [e for e in examples if not Path(e.name).stem.lower().startswith("sa")]


def speaker(example: align.Example) -> str:
    """Return the speaker's name, without the dialect region that may stand before it."""
    return Path(str(example.group)).name.lower().split("-")[-1]


def split_folder(corpus: Path, name: str) -> Path | None:
    """Return the folder `name` of the corpus, in either case."""
    found = [p for p in corpus.iterdir() if p.is_dir() and p.name.lower() == name]
    return found[0] if found else None


def folds(corpus: Path) -> Iterator[tuple[str, Examples, Examples]]:
    """Yield (name of the test set, training examples, test examples)."""
    train, test = split_folder(corpus, "train"), split_folder(corpus, "test")
    if train is not None and test is not None:
        seen = without_dialect_sentences(align.read_corpus(train, kind="speech"))
        whole = without_dialect_sentences(align.read_corpus(test, kind="speech"))
        yield "core test", seen, [e for e in whole if speaker(e) in CORE_TEST]
        yield "entire test", seen, whole
        return
    examples = without_dialect_sentences(align.read_corpus(corpus, kind="speech"))
    speakers = sorted({str(e.group) for e in examples})
    for f in range(4):
        held_out = set(speakers[f::4])
        yield (
            "cross-validation",
            [e for e in examples if e.group not in held_out],
            [e for e in examples if e.group in held_out],
        )


def untrained(features: str, **options: int) -> align.SpeechAligner:
    """Return an aligner with a set of features; "as-in-thesis" has the thesis's learner, too."""
    if features == "as-in-thesis":
        return align.SpeechAligner.as_in_thesis(**options)
    return align.SpeechAligner(features, **options)


def uniform(model: align.SpeechAligner) -> np.ndarray:
    """Weights a hand would set: 1 for every scaled base function, -1 for a change of rate."""
    return np.array([-1.0 if "rate" in name else 1.0 for name in model.base_functions_])


def pooled(reports: Sequence[list[FileResult]], model: align.SpeechAligner) -> Report:
    """Put the files of all folds into one report."""
    files = [one for fold in reports for one in fold]
    return model.report_of(files)


def aligned(
    model: align.SpeechAligner, examples: Examples, sure: list[tuple[np.ndarray, np.ndarray]]
) -> list[FileResult]:
    """Align examples one by one in this process; add (confidence, error) of each to `sure`."""
    results = []
    for example in examples:
        begin = time.perf_counter()
        found = model.align(example.audio, example.events)
        elapsed = time.perf_counter() - begin
        labels = tuple(str(event) for event in example.events)
        if found.confidence is not None:
            sure.append((found.confidence[1:], (found.onsets - example.onsets)[1:]))
        results.append(
            FileResult(
                name=example.name,
                labels=labels,
                true=example.onsets,
                predicted=found.onsets,
                seconds=found.duration,
                elapsed=elapsed,
            )
        )
    return results


def calibration(sure: Sequence[tuple[np.ndarray, np.ndarray]]) -> str:
    """Table of how often a boundary is within 20 ms, by the confidence it was given."""
    confidence = np.concatenate([c for c, _ in sure])
    hit = np.abs(np.concatenate([e for _, e in sure])) <= 0.02
    lines = ["confidence    boundaries  mean confidence  within 20 ms"]
    edges = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]
    for low, high in itertools.pairwise(edges):
        here = (confidence >= low) & ((confidence < high) | (high == 1.0))
        if here.any():
            lines.append(
                f"{low:4.2f} to {high:4.2f}  {here.sum():10d}  {confidence[here].mean():15.2f}  "
                f"{100 * hit[here].mean():10.0f} %"
            )
    return "\n".join(lines)


def row(name: str, values: Sequence[float], rest: str = "") -> str:
    numbers = "  ".join("    -" if np.isnan(v) else f"{v:5.1f}" for v in values)
    return f"{name:<48} {numbers}  {rest}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--features", nargs="+", default=["default", "thesis"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    results: dict[tuple[str, str], list[list[FileResult]]] = {}
    fold_scores: dict[tuple[str, str], list[float]] = {}
    seconds: dict[str, list[float]] = {}
    sure: dict[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]] = {}
    models: dict[tuple[str, int], align.SpeechAligner] = {}
    for test_name, seen, unseen in folds(options.corpus):
        for features in options.features:
            key = (features, id(seen))
            if key not in models:
                begin = time.perf_counter()
                models[key] = untrained(
                    features, n_jobs=options.jobs, random_state=options.seed
                ).fit(seen)
                seconds.setdefault(features, []).append(time.perf_counter() - begin)
            model = models[key]
            learned = model.coef_
            for weights, name in ((learned, "learned"), (uniform(model), "uniform")):
                model.coef_ = weights
                place = (test_name, f"{features}, {name} weights")
                result = aligned(model, unseen, sure.setdefault(place, []))
                results.setdefault(place, []).append(result)
                score = Report.from_files(result, kind="speech").within_ms["20"]
                fold_scores.setdefault(place, []).append(score)
                print(f"{test_name}: {place[1]}: {score:.1f} % within 20 ms", file=sys.stderr)
            model.coef_ = learned

    peers = {"cross-validation": PEERS_SAMPLE, "core test": PEERS_CORE, "entire test": PEERS_TEST}
    written = {}
    for test_name in dict.fromkeys(name for name, _ in results):
        print(f"\n{test_name}: % of boundaries within 10, 20, 30, 40 ms")
        for name, values in peers[test_name]:
            print(row(name, values))
        for (where, name), files in results.items():
            if where != test_name:
                continue
            report = pooled(files, model)
            within = [report.within_ms[t] for t in ("10", "20", "30", "40")]
            spread = np.std(fold_scores[where, name])
            print(
                row(
                    name,
                    within,
                    f"mean {report.mean_abs_ms:.1f} median {report.median_abs_ms:.1f} "
                    f"bias {report.bias_ms:+.1f} ms, real-time factor "
                    f"{report.real_time_factor:.3f}, folds' deviation at 20 ms {spread:.1f}",
                )
            )
            written[f"{where}: {name}"] = report.to_dict()
            if "learned" in name:
                print(f"\n{report}\n")
                if sure[where, name]:
                    print(calibration(sure[where, name]), end="\n\n")
    for features, times in seconds.items():
        print(f"training with the {features} features: {np.mean(times):.0f} s a fold")
    if options.json:
        options.json.write_text(json.dumps(written, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
