"""Print how often the model that `align music` takes by itself is the better one.

::

    python recipes/music/chosen.py --piano FILE [FILE ...] --ensemble FILE [FILE ...]

Files are what `instruments.py --output` wrote of made recordings, or the errors that `run.py` and
`ensemble.py` keep, of the same pieces by the two models. *By name* is the model for the
instruments that made a recording, as if its score named them; of real pieces no score names any.
*By match* is what is taken where no score names any. A piece where the two differ by less than 1
ms has no better one.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from made import INSTRUMENTS

import align
from align.formats.instruments import program_instrument

ALIKE = 1.0  # ms


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--piano", nargs="+", required=True)
    parser.add_argument("--ensemble", nargs="+", required=True)
    arguments = parser.parse_args()
    piano, ensemble = read(arguments.piano), read(arguments.ensemble)
    low, high = align.load("piano").match_range_
    border = 0.5 * (low + high)
    rows: dict[str, list[tuple[float, float, float, float]]] = {}
    for name in sorted(set(piano) & set(ensemble)):
        one, other = piano[name], ensemble[name]
        mean = [float(np.abs(piece["errors"]).mean()) for piece in (one, other)]
        kind = name.rpartition("-")[2]
        named = kind in INSTRUMENTS and sustained(kind)
        doubted = one["match"] < border and other["match"] > one["match"]
        row = (*mean, mean[named], mean[doubted])
        for key in (one.get("set", kind), "all"):
            rows.setdefault(str(key), []).append(row)
    names = ("pieces", "piano", "ensemble", "by name", "best", "by match", "best")
    print(f"{'':16}" + "".join(f"{name:>10}" for name in names))
    for key in sorted(rows, key=lambda key: (key == "all", key)):
        table = np.array(rows[key])
        mean = table.mean(axis=0)
        best = (table[:, 2:] <= table[:, :2].min(axis=1, keepdims=True) + ALIKE).sum(axis=0)
        print(
            f"{key:16}{len(table):10}{mean[0]:10.1f}{mean[1]:10.1f}{mean[2]:10.1f}{best[0]:10}"
            f"{mean[3]:10.1f}{best[1]:10}"
        )


def read(paths: list[str]) -> dict[str, dict[str, Any]]:
    """Return the pieces of some files by their names."""
    return {k: v for path in paths for k, v in json.loads(Path(path).read_bytes()).items()}


def sustained(kind: str) -> bool:
    """Whether any instrument of a set is bowed, blown or sung."""
    programs = {program for voice in INSTRUMENTS[kind] for program in voice}
    return any(program_instrument(program).sound == "sustained" for program in programs)


if __name__ == "__main__":
    main()
