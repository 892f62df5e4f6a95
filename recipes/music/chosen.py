"""Print how often the model that `align music` takes by itself is the better one.

::

    python recipes/music/chosen.py --piano FILE ... --ensemble FILE ... --matches FILE

Files are what `instruments.py --output` wrote of made recordings, or the errors that `run.py` and
`ensemble.py` keep, of the same pieces by the two models; `--matches` is what `matches.py` wrote of
them. *By name* is the model for the instruments that made a recording, as if its score named
them; of real pieces no score names any. *By match* is what is taken where no score names any. A
piece where the two differ by less than 1 ms has no better one. *Nested* is as by match, with the
margin that has the least mean error on the pieces of all other files of `--piano`, where each is
of one fold; and the margins that were so.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from made import INSTRUMENTS

from align.formats.scores.instruments import program_instrument
from align.music.choosing import MARGIN

ALIKE = 1.0  # ms
MARGINS = np.arange(0.0, 0.03, 0.0025)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--piano", nargs="+", required=True)
    parser.add_argument("--ensemble", nargs="+", required=True)
    parser.add_argument("--matches", required=True)
    arguments = parser.parse_args()
    folds, ensemble = [read([path]) for path in arguments.piano], read(arguments.ensemble)
    matches = read([arguments.matches])
    rows: dict[str, list[tuple[float, ...]]] = {}
    margins = []
    for k, fold in enumerate(folds):
        others = [(p, n) for i, f in enumerate(folds) if i != k for n, p in f.items()]
        means = [
            np.mean([taken(p, ensemble[n], matches[n], margin) for p, n in others] or [0.0])
            for margin in MARGINS
        ]
        margins.append(float(MARGINS[int(np.argmin(means))]) if others else MARGIN)
        for name in sorted(set(fold) & set(ensemble)):
            one, other, match = fold[name], ensemble[name], matches[name]
            kind = name.rpartition("-")[2]
            of_both = mean_of(one), mean_of(other)
            by_name = of_both[kind in INSTRUMENTS and sustained(kind)]
            row = (*of_both, by_name)
            row += tuple(taken(one, other, match, margin) for margin in (MARGIN, margins[k]))
            for key in (one.get("set", kind), "all"):
                rows.setdefault(str(key), []).append(row)
    names = ["pieces", "piano", "ensemble"]
    names += [column for rule in ("by name", "by match", "nested") for column in (rule, "best")]
    print(f"{'':16}" + "".join(f"{name:>10}" for name in names))
    for key in sorted(rows, key=lambda key: (key == "all", key)):
        table = np.array(rows[key])
        mean = table.mean(axis=0)
        best = (table[:, 2:] <= table[:, :2].min(axis=1, keepdims=True) + ALIKE).sum(axis=0)
        line = f"{key:16}{len(table):10}{mean[0]:10.1f}{mean[1]:10.1f}"
        for value, n in zip(mean[2:], best, strict=True):
            line += f"{value:10.1f}{n:10}"
        print(line)
    print(f"margin {MARGIN:g}; nested {' '.join(f'{margin:g}' for margin in margins)}")


def mean_of(piece: dict[str, Any]) -> float:
    """Return the mean size of the errors of a piece in ms."""
    return float(np.abs(piece["errors"]).mean())


def taken(
    piano: dict[str, Any], ensemble: dict[str, Any], match: dict[str, float], margin: float
) -> float:
    """Return the mean error of the model that is taken by the matches, as by `align music`."""
    there = match["ensemble"] > match["piano"]
    return mean_of(ensemble if there and ensemble["match"] > piano["match"] + margin else piano)


def read(paths: list[str]) -> dict[str, dict[str, Any]]:
    """Return the pieces of some files by their names."""
    return {k: v for path in paths for k, v in json.loads(Path(path).read_bytes()).items()}


def sustained(kind: str) -> bool:
    """Whether any instrument of a set is bowed, blown or sung."""
    programs = {program for voice in INSTRUMENTS[kind] for program in voice}
    return any(program_instrument(program).sound == "sustained" for program in programs)


if __name__ == "__main__":
    main()
