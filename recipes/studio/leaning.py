"""How much languages differ in where sounds end: the deviation of `align.sequence.times.leaning`.

::

    python recipes/studio/leaning.py VOXANGELES --models DIR [--languages ace lad ...]

DIR holds the models of the folds, as ``recipes/voxangeles/run.py --models DIR`` keeps them; folds
without a model are left out. Each language is aligned by the model that has not heard it. For each
pair of classes, and each deviation from 2.5 to 60, the marginal likelihood says how probable the
onsets of all languages are where each has a slope of its own, drawn from a Gaussian around 0.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

import align
from align.corpus.reading import Corpus
from align.sequence.learning.problem import Case
from align.sequence.times.leaning import _SLOPES

N_FOLDS = 4
DEVIATIONS = (2.5, 5, 10, 20, 30, 40, 60)  # log odds per second


def curves_of(model: align.SpeechAligner, corpus: Corpus) -> dict:
    """Return how probable the onsets of a language are, for each pair and slope."""
    for example in corpus:
        try:
            item = model._parts(model._read_example(model._completed(example), "one"))[0]
        except align.AlignError:  # labels that do not increase
            continue
        own = model.features_
        model._learn_placement(Case(item, own, *model._problem(item, own)))
    return model.leaning_.curves


def gain(curves: list[np.ndarray], deviation: float) -> float:
    """Return the log of the marginal likelihood, against languages that do not differ."""
    prior = np.exp(-0.5 * (_SLOPES / deviation) ** 2)
    still = len(_SLOPES) // 2
    ratios = [np.exp(curve - curve[still]) @ prior / prior.sum() for curve in curves]
    return float(np.log(ratios).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--languages", nargs="+")
    options = parser.parse_args()

    corpus = align.read_corpus(options.corpus, kind="speech")
    pairs: dict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    for language in options.languages or corpus.groups:
        fold = corpus.groups.index(language) % N_FOLDS
        path = options.models / f"without-fold-{fold}.align"
        if path.exists():
            for pair, curve in curves_of(align.load(path), corpus.subset([language])).items():
                pairs[pair].append(curve)
    print(f"{'':<44}{'languages':>9}" + "".join(f"{d:>7g}" for d in DEVIATIONS))
    rows = [
        (pair, curves, [gain(curves, d) for d in DEVIATIONS]) for pair, curves in pairs.items()
    ]
    for pair, curves, gains in sorted(rows, key=lambda row: -max(row[2]))[:12]:
        print(f"{' -> '.join(pair):<44}{len(curves):>9}" + "".join(f"{g:>7.1f}" for g in gains))
    total = np.sum([gains for _, _, gains in rows], axis=0)
    print(f"{'all':<44}{'':>9}" + "".join(f"{g:>7.1f}" for g in total))


if __name__ == "__main__":
    main()
