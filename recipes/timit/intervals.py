"""How often onsets of speakers that a model has not heard lie within their 95 % intervals.

::

    python recipes/timit/intervals.py CORPUS [--models DIR] [--json FILE]

CORPUS is a folder of speakers, such as NLTK's sample of TIMIT. Models of four folds over the
speakers, ``sorted(speakers)[f::4]``, are trained as they always are, and kept in DIR. Every
boundary is counted but a first one at time 0. Beside the intervals that a model gives there are
those of its posterior as it is, without what was fitted in training.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

import align

FOLDS = 4
PLAIN = 0.025  # the tail on either side, were the posterior right
GROUPS = ((0.0, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01))  # of confidence


def rows_of(model: align.SpeechAligner, example: align.Example) -> npt.NDArray[np.float64]:
    """Return truth, confidence and interval of each boundary that counts [shape=(N, 4)]."""
    found = model.align(example.audio, example.events)
    true = np.asarray(example.onsets)
    assert found.onset_intervals is not None
    assert found.confidence is not None
    counted = slice(1 if true[0] == 0 else 0, None)
    return np.column_stack((true, found.confidence, found.onset_intervals))[counted]


def summary(rows: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return per cent of boundaries within their intervals, and how long those are."""
    true, _, low, high = rows.T
    length = 1000 * (high - low)
    return {
        "boundaries": len(rows),
        "within": round(100 * float(((low <= true) & (true <= high)).mean()), 1),
        "median_ms": round(float(np.median(length)), 1),
        "mean_ms": round(float(length.mean()), 1),
    }


def run(corpus: str, models: str, output: str | None) -> None:
    """Measure, and print a line for each fold, speaker and group of confidence."""
    examples = align.read_corpus(corpus, kind="speech")
    speakers = sorted({str(example.group) for example in examples})
    Path(models).mkdir(parents=True, exist_ok=True)
    parts: dict[str, list[npt.NDArray[np.float64]]] = {}
    for f in range(FOLDS):
        held_out = speakers[f::FOLDS]
        path = Path(models) / f"fold{f}.align"
        if not path.exists():
            heard = [speaker for speaker in speakers if speaker not in held_out]
            align.SpeechAligner().fit(examples.subset(heard)).save(path)
        model = align.load(path)
        fitted = model.placement_
        print(f"fold {f}: temperature {fitted.temperature:.3f}, tail {fitted.tail:.4f}")
        for example in examples:
            if example.group in held_out:
                model.placement_ = fitted
                rows = rows_of(model, example)
                for name in ("all", f"fold {f}", str(example.group)):
                    parts.setdefault(name, []).append(rows)
                model.placement_ = replace(fitted, tail=PLAIN)
                parts.setdefault("all, as the posterior is", []).append(rows_of(model, example))
    every = np.concatenate(parts["all"])
    for low, high in GROUPS:
        chosen = every[(every[:, 1] >= low) & (every[:, 1] < high)]
        parts[f"confidence {low:.2f} to {min(high, 1.0):.2f}"] = [chosen]
    found = {name: summary(np.concatenate(rows)) for name, rows in parts.items()}
    for name, values in found.items():
        print(
            f"{name:26s} {values['boundaries']:5.0f}  within {values['within']:5.1f} %  "
            f"median {values['median_ms']:5.1f} ms  mean {values['mean_ms']:5.1f} ms"
        )
    if output is not None:
        Path(output).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus")
    parser.add_argument("--models", default="fold-models")
    parser.add_argument("--json")
    options = parser.parse_args()
    run(options.corpus, options.models, options.json)
