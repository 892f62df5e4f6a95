"""The thesis's protocol: each piece of a set aligned by what was learned from the others.

::

    python recipes/music/thesis.py SET [--folds N] [--work DIR] [--only ROW ...]

SET is a folder of pieces, such as ``CORPUS/disklavier``; `--folds` learns N times, each time from
all pieces but every N-th. Rows: the ten base functions with our learner, and with its best
hypothesis; what leads from it to the thesis's, each step with those before it: the
prediction-based loss, the self-tuned update, the mean absolute error, the last hypothesis; the
thesis's own learner (`MusicAligner.as_in_thesis`), without the offset and with it; our learner on
logarithms of the energies, with usual lengths, and on frames of 10 ms; and a hidden Markov model
with mixtures of 7 Gaussians (`ghmm.py`), which has logarithms and lengths, too.
Signed errors are kept in DIR, and a run that was stopped goes on.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from ghmm import GaussianAligner
from run import errors, figures

import align
from align.features import PitchEnergy
from align.formats import atomic_write
from align.music.functions.default import DefaultFunctions
from align.music.functions.thesis import ThesisFunctions


class Logarithms(ThesisFunctions):
    energy: ClassVar[PitchEnergy] = PitchEnergy(log=True)


class WithLengths(ThesisFunctions):
    """With how usual each length is at the tempo of the coarse alignment, as the mixtures have."""

    names = (*ThesisFunctions.names, "duration")

    tempo_terms = DefaultFunctions.tempo_terms


class ShortFrames(ThesisFunctions):
    hop = 0.010


class Varied(align.MusicAligner):
    """Our learner on base functions that are not quite the thesis's."""

    functions: type[ThesisFunctions] = ThesisFunctions

    def _make_features(self) -> list[Any]:
        return [self.functions()]


class OnLogarithms(Varied):
    functions = Logarithms


class OnLengths(Varied):
    functions = WithLengths


class OnShortFrames(Varied):
    functions = ShortFrames


# From our learner to the thesis's, which takes the best hypothesis ("thesis-offset").
MEAN = {"conversion": "average", "n_jobs": 1}
STEPS: dict[str, dict[str, Any]] = {"prediction": {"loss": "prediction", **MEAN}}
STEPS["self-tuned"] = {**STEPS["prediction"], "update": "self-tuned"}
STEPS["absolute"] = {**STEPS["self-tuned"], "cost": "absolute"}

ROWS: dict[str, Callable[[], Any]] = {
    "ours": lambda: align.MusicAligner("thesis", **MEAN),
    "ours-best": lambda: align.MusicAligner("thesis", n_jobs=1),
    "prediction": lambda: align.MusicAligner("thesis", **STEPS["prediction"]),
    "self-tuned": lambda: align.MusicAligner("thesis", **STEPS["self-tuned"]),
    "absolute": lambda: align.MusicAligner("thesis", **STEPS["absolute"]),
    "last": lambda: align.MusicAligner.as_in_thesis(calibrate=True, conversion="last", n_jobs=1),
    "thesis": lambda: align.MusicAligner.as_in_thesis(n_jobs=1),
    "thesis-offset": lambda: align.MusicAligner.as_in_thesis(calibrate=True, n_jobs=1),
    "logarithms": lambda: OnLogarithms(**MEAN),
    "lengths": lambda: OnLengths(**MEAN),
    "10-ms": lambda: OnShortFrames(**MEAN),
    "ghmm-7": lambda: GaussianAligner(7),
}


def left_out(
    make: Callable[[], Any], examples: Sequence[align.Example], n_folds: int, path: Path
) -> Any:
    """Return the errors of each piece, learned without it; those in the file are there already."""
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for i in range(n_folds):
        test = examples[i::n_folds]
        if any(Path(example.name).parent.name not in found for example in test):
            model = make().fit([e for j, e in enumerate(examples) if j % n_folds != i])
            found.update(errors(model, test))
            atomic_write(path, json.dumps(found), overwrite=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", help="a folder of pieces")
    parser.add_argument("--work", type=Path, default=Path("music-work"))
    parser.add_argument("--folds", type=int, help="by default as many as there are pieces")
    parser.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    examples = list(align.read_corpus(options.set, kind="music"))
    table: dict[str, dict[str, list[float]]] = {}
    for row in options.only:
        path = options.work / f"left-out{options.folds or ''}-{row}.json"
        found = left_out(ROWS[row], examples, options.folds or len(examples), path)
        table[row] = {name: figures(np.array(piece["errors"])) for name, piece in found.items()}
        values = np.array(list(table[row].values()))
        shares = " ".join(f"{v:6.1f}" for v in values[:, 2:].mean(axis=0))
        bias = np.mean([np.median(piece["errors"]) for piece in found.values()])
        print(
            f"{row:14} mean {values[:, 0].mean():6.1f}, median {np.median(values[:, 1]):5.1f} ms, "
            f"within 25, 50, 100 ms {shares} %, mean of the median signed errors {bias:+.1f} ms",
            flush=True,
        )
    print("\nmean error of each piece, ms\n" + " " * 28 + "".join(f"{row:>15}" for row in table))
    for name in dict.fromkeys(name for rows in table.values() for name in rows):
        cells = (
            f"{table[row][name][0]:15.1f}" if name in table[row] else " " * 15 for row in table
        )
        print(f"{name:28}" + "".join(cells))


if __name__ == "__main__":
    main()
