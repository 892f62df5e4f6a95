"""How good a model is that learned from a few recordings.

::

    python recipes/timit/few.py CORPUS [--sizes N ...] [--draws D] [--speakers S] [--json FILE]

CORPUS is a folder of speakers, such as NLTK's sample of TIMIT. The last three speakers are scored,
``sorted(speakers)[-3:]``; N recordings are drawn from the others, D times, with the seeds 0, 1 and
so on; with ``--speakers``, of S speakers that are drawn first. A recording with a phone that the
model has not heard cannot be aligned, and is not scored.
"""

import argparse
import json

import numpy as np

import align


def run(
    corpus: str, sizes: list[int], draws: int, n_speakers: int | None, output: str | None
) -> None:
    """Train and score, and print a line for each size: means over the draws."""
    examples = align.read_corpus(corpus, kind="speech")
    speakers = sorted({str(example.group) for example in examples})
    scored = [example for example in examples if example.group in speakers[-3:]]
    others = [example for example in examples if example.group not in speakers[-3:]]
    rows = []
    for size in sizes:
        reports = []
        for seed in range(draws):
            rng = np.random.default_rng(seed)
            pool = others
            if n_speakers is not None:
                some = rng.permutation(speakers[:-3])[:n_speakers]
                pool = [example for example in others if example.group in some]
            order = rng.permutation(len(pool))[:size]
            model = align.SpeechAligner(random_state=seed).fit([pool[i] for i in order])
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
    return round(float(np.nanmean(values)), 1)  # there may be draws of which nothing is scored


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--sizes", type=int, nargs="+", default=[6, 12, 24])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--speakers", type=int)
    parser.add_argument("--json")
    given = parser.parse_args()
    run(given.corpus, given.sizes, given.draws, given.speakers, given.json)
