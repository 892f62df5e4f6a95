"""How good a model is that learned from a few recordings.

::

    python recipes/timit/few.py CORPUS [--sizes N ...] [--draws D] [--json FILE]

CORPUS is a folder of speakers, such as NLTK's sample of TIMIT. The last three speakers are scored,
``sorted(speakers)[-3:]``; N recordings are drawn from the others, D times, with the seeds 0, 1 and
so on. A recording with a phone that the model has not heard cannot be aligned, and is not scored.
"""

import argparse
import json

import numpy as np

import align


def run(corpus: str, sizes: list[int], draws: int, output: str | None) -> None:
    """Train and score, and print a line for each size: means over the draws."""
    examples = align.read_corpus(corpus, kind="speech")
    speakers = sorted({str(example.group) for example in examples})
    scored = [example for example in examples if example.group in speakers[-3:]]
    others = [example for example in examples if example.group not in speakers[-3:]]
    rows = []
    for size in sizes:
        reports = []
        for seed in range(draws):
            order = np.random.default_rng(seed).permutation(len(others))[:size]
            model = align.SpeechAligner(random_state=seed).fit([others[i] for i in order])
            reports.append(model.evaluate(scored))
        row = {
            "recordings": size,
            **{
                f"within_{ms}_ms": _mean([r.within_ms[ms] for r in reports]) for ms in ("10", "20")
            },
            "mean_ms": _mean([r.mean_abs_ms for r in reports]),
            "scored": _mean([len(r.per_file) for r in reports]),
        }
        rows.append(row)
        print(row, flush=True)
    if output is not None:
        with open(output, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def _mean(values: list[float]) -> float:
    return round(float(np.mean(values)), 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--sizes", type=int, nargs="+", default=[6, 12, 24])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--json")
    given = parser.parse_args()
    run(given.corpus, given.sizes, given.draws, given.json)
