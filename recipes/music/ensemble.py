"""Train networks for instruments other than pianos, and print how well they find quartets.

::

    python recipes/music/ensemble.py CORPUS MADE [--fold I ...] [--test OTHER] [--work DIR]

CORPUS is that of `run.py`, dealt to four folds, and MADE what `made.py` wrote of other scores. The
network of a fold learns from MADE and from the pieces of the other folds, where quartets count
most and pianos least, and is asked for the quartets of its own fold. All other weights are those
of `piano`. With ``--test`` the network of the first fold is asked for the made recordings of
another folder as well, which should be of other scores and other soundfonts; see `instruments.py`.
"""

import argparse
import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from instruments import measured, print_table
from networks import MADE_WEIGHT, KeptNetwork
from run import dealt, errors, figures, set_of, timed_notes

import align
from align.features import TimedNotes
from align.music.default_functions import DefaultFunctions
from align.music.pieces import read_piece

N_FOLDS = 4
WEIGHT, OTHERS = {"bach10": 4.0}, 0.3
"""How much the pieces of sets count in training."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("made")
    parser.add_argument("--fold", nargs="+", type=int, default=list(range(N_FOLDS)))
    parser.add_argument("--test", help="other made recordings, to be aligned as well")
    parser.add_argument("--work", default="music-work", help="where networks are kept")
    arguments = parser.parse_args()
    examples = dealt(align.read_corpus(arguments.corpus, kind="music"), N_FOLDS)
    made = [
        read_piece(example, example.name, MADE_WEIGHT, 22050).notes
        for example in align.read_corpus(arguments.made, kind="music")
    ]
    for fold in arguments.fold:
        name = f"fold {fold}"
        network = KeptNetwork(Path(arguments.work) / "networks", random_state=0)
        network.fit([*weighted([e for e in examples if e.group != name]), *made])
        model = align.load("piano")
        model.features_ = [DefaultFunctions(copy.deepcopy(network), model.base_functions_)]
        quartets = [e for e in examples if e.group == name and set_of(e) in WEIGHT]
        for piece, found in errors(model, quartets).items():
            row = figures(np.array(found["errors"]))
            print(f"{piece:32}" + "".join(f"{value:8.1f}" for value in row), flush=True)
        if arguments.test and fold == arguments.fold[0]:
            print_table(measured(model, align.read_corpus(arguments.test, kind="music"), False))


def weighted(examples: Sequence[align.Example]) -> list[TimedNotes]:
    """Return what a network is trained on, by how much its set counts."""
    return [
        replace(notes, weight=WEIGHT.get(set_of(example), OTHERS))
        for notes, example in zip(timed_notes(examples), examples, strict=True)
    ]


if __name__ == "__main__":
    main()
