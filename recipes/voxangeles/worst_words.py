"""Draw the worst boundaries in languages that the models were not trained on.

::

    python recipes/voxangeles/worst_words.py CORPUS PICTURES --models DIR [--languages ace lad ...]

DIR holds the models of the folds, as ``run.py --models DIR`` keeps them. PICTURES is a folder for
one picture of each boundary and ``worst.txt``, which lists them.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "timit"))
from worst import draw_one

import align

N_FOLDS = 4
N_WORST = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--languages", nargs="+")
    options = parser.parse_args()

    corpus = align.read_corpus(options.corpus, kind="speech")
    errors = []
    for language in options.languages or corpus.groups:
        fold = corpus.groups.index(language) % N_FOLDS
        model = align.load(options.models / f"without-fold-{fold}.align")
        for example in corpus.subset([language]):
            onsets = model.align(example.audio, example.events).onsets
            off = onsets - np.asarray(example.onsets)
            errors += [(abs(off[k]), off[k], k, example, onsets) for k in range(1, len(off))]
    errors.sort(key=lambda one: -one[0])
    options.pictures.mkdir(parents=True, exist_ok=True)
    lines = []
    for rank, (_, off, k, example, onsets) in enumerate(errors[:N_WORST], start=1):
        place = Path(example.name).relative_to(options.corpus)
        pair = " to ".join(example.events[i] or "silence" for i in (k - 1, k))
        lines.append(f"{rank}. {place}: {pair} at {example.onsets[k]:.3f} s, {1000 * off:+.0f} ms")
        draw_one(lines[-1], (example, onsets, k), options.pictures / f"worst-{rank:02d}.png")
    text = "\n".join(lines)
    (options.pictures / "worst.txt").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
