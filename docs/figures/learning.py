"""Measure how accuracy grows with the amount of training data, for the page "How it works".

::

    python docs/figures/learning.py CORPUS docs/figures/learning.csv

CORPUS is a folder of speakers, such as the sample of TIMIT that NLTK distributes. The speakers
``sorted(speakers)[0::4]`` are scored; of the others, 6, 12, 24, 48 and 72 sentences, dealt over
the speakers in turn, are trained on. `draw.py` draws the table.
"""

import csv
import sys
from itertools import zip_longest
from pathlib import Path

import align

SIZES = (6, 12, 24, 48, 72)


def main(corpus: str, output: str) -> None:
    """Train and score, and write a row for each model as soon as it is there."""
    examples = [
        example
        for example in align.read_corpus(corpus)
        if not Path(example.name).stem.lower().startswith("sa")
    ]
    speakers = sorted({str(example.group) for example in examples})
    test = [example for example in examples if example.group in speakers[0::4]]
    by_speaker = [
        [example for example in examples if example.group == speaker]
        for speaker in speakers
        if speaker not in speakers[0::4]
    ]
    train = [one for turn in zip_longest(*by_speaker) for one in turn if one is not None]
    rows = []
    for features in ("thesis", "default"):
        for size in SIZES:
            model = align.SpeechAligner(features, n_jobs=1).fit(train[:size])
            report = model.evaluate(test)
            seconds = model.training_["seconds"]
            row = [features, min(size, len(train)), f"{seconds:.0f}"]
            rows.append([*row, f"{report.within_ms['20']:.1f}", f"{report.mean_abs_ms:.1f}"])
            print(*rows[-1], flush=True)
            with open(output, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(["features", "sentences", "seconds", "within_20_ms", "mean_ms"])
                writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:3])
