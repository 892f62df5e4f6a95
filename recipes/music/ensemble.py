"""Train the bundled model ``ensemble``, for instruments other than pianos, and score it.

::

    python recipes/music/ensemble.py CORPUS MADE align/data/ensemble.align [--work DIR] [--jobs N]

CORPUS is that of `run.py`, and MADE what `made.py` wrote of other scores; both are dealt to four
folds, all recordings of a score to the same. Networks learn from the real pieces first, as those
of ``piano`` (they are not trained again where DIR has them), and then from all, where quartets
count most and pianos least. The five weights are those of ``piano``. Offset, confidence and
what tells notes that were not played are fitted to placements by networks that did not see the
piece, and the range of matches to those of the real pieces; how well they find a piece is printed,
with the offset of the other folds. Networks and
errors are kept in DIR.

For soundfonts that are not in MADE see `instruments.py`.
"""

import argparse
import copy
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from make_bundled_model import LICENCE
from networks import MADE_WEIGHT, FurtherNetwork, music_of
from run import dealt, print_tables, rarity, set_of

import align
from align.features import NoteNetwork, TimedNotes
from align.features.notes.note_levels import note_levels
from align.files.atomic import atomic_write
from align.music.calibration import Calibration, offset_of
from align.music.functions.default import DefaultFunctions
from align.music.performances.pieces import TimedPiece, read_piece

N_FOLDS = 4
STEPS = 1500
"""Updates from all recordings, after those from the real ones."""
WEIGHT = {"bach10": 4.0, "disklavier": 0.3, "performed": 0.3}
"""How much the pieces of sets count in training; made ones count `MADE_WEIGHT`."""
OF_MADE = (
    "And on recordings made of scores of the corpus of music21 by the soundfonts FluidR3 and "
    "MuseScore_General (MIT licence)."
)
FIRST = "piano"
"""The model whose five weights are taken."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("made")
    parser.add_argument("model", help="where it is to be written")
    parser.add_argument("--work", default="music-work", help="where networks and errors are kept")
    parser.add_argument("--jobs", type=int, default=1, help="networks trained at the same time")
    parser.add_argument("--seed", type=int, default=0, help="of the networks")
    arguments = parser.parse_args()
    work = Path(arguments.work)
    examples = dealt(align.read_corpus(arguments.corpus, kind="music"), N_FOLDS)
    n_real = len(examples)
    examples += dealt_made(align.read_corpus(arguments.made, kind="music"))
    model = align.load(FIRST)
    pieces = [read_piece(e, e.name, weight(e), model.rate) for e in examples]
    first = {
        music_of(piece.notes): rarity(example)
        for piece, example in zip(pieces[:n_real], examples, strict=False)
    }
    kept = FurtherNetwork(work / "networks", first, STEPS, random_state=arguments.seed)
    whole, *of_folds = trained(pieces, kept, arguments.jobs)
    known = fitted(model, pieces, n_real, of_folds)
    model.features_ = [DefaultFunctions(whole, model.base_functions_)]
    model.training_ = {
        **model.training_,
        "recordings": len(pieces),
        "groups": N_FOLDS,
        "seconds": round(sum(piece.performance.signal.duration for piece in pieces), 1),
        "notes": int(sum(np.isfinite(piece.onsets).sum() for piece in pieces)),
    }
    model.save(arguments.model, licence=f"{LICENCE} {OF_MADE}")
    print(f"{arguments.model}: {model.training_}")
    print(f"offset {1000 * model.offset_:.1f} ms, range of matches {model.match_range_}")
    found = errors_of(examples, known)
    atomic_write(work / "errors-ensemble.json", json.dumps(found), overwrite=True)
    print_tables("default", found, whole=True)


def trained(pieces: Sequence[TimedPiece], kept: FurtherNetwork, n_jobs: int) -> list[NoteNetwork]:
    """Return a network of all pieces, and one without each fold."""
    for piece in pieces:  # before threads want them at the same time
        note_levels(piece.notes.signal)
    parts = [
        [piece.notes for piece in pieces if piece.group != f"fold {fold}"]
        for fold in (None, *range(N_FOLDS))
    ]

    def one(part: Sequence[TimedNotes]) -> NoteNetwork:
        return copy.deepcopy(kept).fit(part)

    return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(one)(part) for part in parts))


def fitted(
    model: align.MusicAligner,
    pieces: Sequence[TimedPiece],
    n_real: int,
    networks: Sequence[NoteNetwork],
) -> Calibration:
    """Fit what is learned on top of the networks, of which each did not see one fold."""
    functions = []
    for piece in pieces:
        own = networks[int(str(piece.group).split()[1])]
        functions.append(model._functions([DefaultFunctions(own, model.base_functions_)]))
    known = Calibration(pieces, functions, model._weights, calibrate=True)
    # chorales match each other's scores too well, and choirs their own too little, for a range
    real = Calibration(pieces[:n_real], functions[:n_real], model._weights, calibrate=True)
    model.offset_, model.match_range_ = known.offset, real.match_range
    model.confidence_, model.unplayed_ = known.confidence, known.unplayed
    return known


def errors_of(
    examples: Sequence[align.Example], known: Calibration
) -> dict[str, dict[str, object]]:
    """Return signed errors in ms of each piece, with the offset of the other folds."""
    found: dict[str, dict[str, object]] = {}
    for i, example in enumerate(examples):
        others = [
            e for e, x in zip(known.errors, examples, strict=True) if x.group != example.group
        ]
        late = known.errors[i] - offset_of(others)
        played = np.isfinite(late)
        sure = known.confidence(known.placed[i].evidence)
        found[Path(example.name).parent.name] = {
            "set": set_of(example),
            "errors": np.round(1000 * late[played], 2).tolist(),
            "confidence": np.round(sure[played], 3).tolist(),
            "match": known.placed[i].match,
            "speed": [np.nan, np.nan],
        }
    return found


def dealt_made(made: Sequence[align.Example]) -> list[align.Example]:
    """Return made recordings, their group being the fold of their score."""
    order = sorted(set(map(score_of, made)))
    return [
        replace(example, group=f"fold {order.index(score_of(example)) % N_FOLDS}")
        for example in made
    ]


def score_of(made: align.Example) -> str:
    """Return what a made recording was made of."""
    return Path(made.name).parent.name.rpartition("-")[0]


def weight(example: align.Example) -> float:
    """Return how much a piece counts in training."""
    return WEIGHT.get(set_of(example), MADE_WEIGHT)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
