"""Align made recordings of many instruments, and print how well each is found.

::

    python recipes/music/instruments.py MADE [--model piano]

MADE holds what `made.py` wrote of scores: the instruments of a piece are what follows the last
hyphen of its name. *Beside the shift of the piece* are errors without their median over the
piece: where a note of a slow instrument begins is a convention. *Of one voice* in the score of
another piece is the match of each recording with the score of the next one of other music.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import align
from align.errors import AlignError
from align.evaluation.report import FileResult

HEADER = ("mean", "median", "50 ms", "100 ms", "worst", "shift", "beside", "match", "wrong")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("made")
    parser.add_argument("--model", default="piano")
    parser.add_argument("--output", help="a JSON file of the errors of every piece")
    arguments = parser.parse_args()
    examples = align.read_corpus(arguments.made, kind="music")
    found = measured(align.load(arguments.model), examples)
    if arguments.output:
        Path(arguments.output).write_text(json.dumps(found), encoding="utf-8")
    print_table(found)


def measured(
    model: align.MusicAligner, examples: Sequence[align.Example]
) -> dict[str, dict[str, object]]:
    """Return, by piece, signed errors in ms, match, that of a wrong score, and warnings."""
    out: dict[str, dict[str, object]] = {}
    for example, other in zip(examples, wrong_scores(examples), strict=True):
        name = Path(example.name).parent.name
        try:
            alignment = model.align(example.audio, example.score)
        except AlignError as error:
            print(f"{name}: {error}")
            continue
        result = FileResult.of(example, alignment)
        error = 1000 * (result.predicted - result.true)
        out[name] = {
            "errors": error.round(2).tolist(),
            "match": alignment.match,
            "wrong": model.align(example.audio, other.score).match if other else None,
            "warnings": list(alignment.warnings),
        }
        print(f"{name:44}" + row([figures(error, out[name])]), flush=True)
        for text in alignment.warnings:
            print(f"    {text}")
    return out


def wrong_scores(examples: Sequence[align.Example]) -> list[align.Example | None]:
    """Return, for each recording, an example of other music."""
    music = [Path(example.name).parent.name.rpartition("-")[0] for example in examples]
    out: list[align.Example | None] = []
    for i in range(len(examples)):
        others = [k % len(music) for k in range(i + 1, i + len(music))]
        out.append(next((examples[k] for k in others if music[k] != music[i]), None))
    return out


def figures(error: np.ndarray, piece: dict[str, object]) -> list[float]:
    size, shift = np.abs(error), float(np.median(error))
    within = [100 * np.mean(size <= ms) for ms in (50, 100)]
    beside = np.abs(error - shift).mean()
    matches = [np.nan if piece[key] is None else piece[key] for key in ("match", "wrong")]
    return [size.mean(), np.median(size), *within, size.max(), shift, beside, *matches]


def row(rows: Sequence[Sequence[float]]) -> str:
    mean = np.mean(rows, axis=0)
    return "".join(f"{value:8.1f}" for value in mean[:-2]) + "".join(
        f"{value:8.2f}" for value in mean[-2:]
    )


def print_table(found: dict[str, dict[str, object]]) -> None:
    """Print means over the pieces of each instrument, and over all."""
    by = defaultdict(list)
    warned: dict[str, int] = defaultdict(int)
    for name, piece in found.items():
        for key in (name.rpartition("-")[2], "all"):
            by[key].append(figures(np.array(piece["errors"]), piece))
            texts = [str(text) for text in piece["warnings"]]  # type: ignore[attr-defined]
            warned[key] += any("seem" in text for text in texts)
    print(f"\n{'':16}{'pieces':>7}{'doubted':>8}" + "".join(f"{name:>8}" for name in HEADER))
    for key in sorted(by, key=lambda name: (name == "all", name)):
        print(f"{key:16}{len(by[key]):7}{warned[key]:8}" + row(by[key]))


if __name__ == "__main__":
    main()
