"""What `align adapt` brings for languages that were not trained on, before and after a few words.

::

    python recipes/voxangeles/adapt.py CORPUS --models DIR [--languages ace lad ...]

DIR holds the models of the folds, as ``run.py --models DIR`` keeps them. Each language is aligned
by the model of the fold that left it out, and, in five folds over its words, by that model adapted
to the other four fifths.
"""

import argparse
import os
import sys
from pathlib import Path

import align
from align.sequence.adapt import compare

N_FOLDS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--languages", nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    corpus = align.read_corpus(options.corpus, kind="speech")
    languages = options.languages or corpus.groups
    for language in languages:
        fold = corpus.groups.index(language) % N_FOLDS
        model = align.load(options.models / f"without-fold-{fold}.align")
        print(f"{language}:\n{compare(model, corpus.subset([language]), n_jobs=options.jobs)}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
