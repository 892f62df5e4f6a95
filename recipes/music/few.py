"""Print how well networks of six pieces place the notes of all others, by their updates.

::

    python recipes/music/few.py CORPUS [--steps 1000 2000 4000] [--batch 32] [--subset 0 1]

CORPUS is that of `run.py`. A subset is two pieces of each of its sets, the next two for the next
subset. All weights but those of the network are those of ``piano``, which saw all pieces; the
offset is that of the pieces that are scored. So only the differences count.
"""

import argparse
import os
import time
from itertools import product

import numpy as np
from run import figures, set_of

import align
from align.features import NoteNetwork
from align.music.calibration import offset_of, placed_pieces
from align.music.functions.default import DefaultFunctions
from align.music.performances.pieces import read_piece


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--steps", nargs="+", type=int, default=[1000, 2000, 4000])
    parser.add_argument(
        "--batch", nargs="+", type=int, default=[32], help="stretches in an update"
    )
    parser.add_argument("--subset", nargs="+", type=int, default=[0, 1])
    arguments = parser.parse_args()
    examples = list(align.read_corpus(arguments.corpus, kind="music"))
    model = align.load("piano")
    pieces = [read_piece(e, e.name, 1.0, model.rate) for e in examples]
    for subset in arguments.subset:
        own = chosen(examples, subset)
        others = [i for i in range(len(examples)) if i not in own]
        notes = sum(int(np.isfinite(pieces[i].onsets).sum()) for i in own)
        for steps, batch in product(arguments.steps, arguments.batch):
            begin = time.process_time()
            network = NoteNetwork(steps=steps, batch=batch).fit([pieces[i].notes for i in own])
            spent = time.process_time() - begin
            functions = model._functions([DefaultFunctions(network, model.base_functions_)])
            _, late = placed_pieces(
                [pieces[i] for i in others], [functions] * len(others), model._weights
            )
            offset = offset_of(late)
            rows: dict[str, list[list[float]]] = {}
            for i, error in zip(others, late, strict=True):
                played = 1000 * (error[np.isfinite(error)] - offset)
                rows.setdefault(set_of(examples[i]), []).append(figures(played))
            line = f"subset {subset}, {notes} notes, {steps} x {batch} in {spent:.0f} s:"
            for name in sorted(rows):
                table = np.array(rows[name])
                mean, median = table[:, 0].mean(), np.median(table[:, 1])
                line += f"  {name} {mean:.1f} / {median:.1f} / {table[:, 3].mean():.1f}"
            print(line, flush=True)


def chosen(examples: list[align.Example], subset: int) -> list[int]:
    """Return which pieces make a subset."""
    order: dict[str, list[int]] = {}
    for i, example in enumerate(examples):
        order.setdefault(set_of(example), []).append(i)
    own = []
    for name, members in order.items():
        first = subset if name == "bach10" else 2 * subset  # four pieces only
        own += [members[(first + k) % len(members)] for k in range(2)]
    return own


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
