"""Align made recordings of many instruments, and print how well each is found.

::

    python recipes/music/instruments.py MADE [--model piano] [--wrong]

MADE holds what `made.py` wrote of scores: the instruments of a piece are what follows the last
hyphen of its name. *Beside* are errors without their median over the piece, *shift*: where a note
of a slow instrument begins is a convention. *Unlike* and *doubted* are recordings that are said to
be of other instruments than the model learned, and of another score. With ``--wrong`` each
recording is aligned with a score of other music as well: of how many it is said then is *so*.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import align
from align.errors import AlignError
from align.evaluation.file_result import FileResult

HEADER = (
    "mean",
    "median",
    "50 ms",
    "100 ms",
    "worst",
    "shift",
    "beside",
    "sure",
    "match",
    "wrong",
)
COUNTS = {"unlike": "are unlike those", "doubted": "does not seem to be of this score"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("made")
    parser.add_argument("--model", default="piano")
    parser.add_argument("--wrong", action="store_true", help="align wrong scores as well")
    parser.add_argument("--output", help="a JSON file of the errors of every piece")
    arguments = parser.parse_args()
    examples = align.read_corpus(arguments.made, kind="music")
    found = measured(align.load(arguments.model), examples, arguments.wrong)
    if arguments.output:
        Path(arguments.output).write_text(json.dumps(found), encoding="utf-8")
    print_table(found)


def measured(
    model: align.MusicAligner, examples: Sequence[align.Example], wrong: bool
) -> dict[str, dict[str, Any]]:
    """Return, by piece, signed errors in ms, confidence, match and warnings."""
    out: dict[str, dict[str, Any]] = {}
    for example, other in zip(examples, wrong_scores(examples), strict=True):
        name = Path(example.name).parent.name
        try:
            alignment = model.align(example.audio, example.score)
        except AlignError as error:
            print(f"{name}: {error}")
            continue
        result = FileResult.of(example, alignment)
        error = 1000 * (result.predicted - result.true)
        with_other = model.align(example.audio, other.score) if wrong and other else None
        out[name] = {
            "errors": error.round(2).tolist(),
            "confidence": np.round(alignment.confidence[example.truth.index], 3).tolist(),
            "match": alignment.match,
            "wrong": with_other.match if with_other else None,
            "warnings": list(alignment.warnings),
            "warnings of wrong": list(with_other.warnings) if with_other else [],
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


def figures(error: np.ndarray, piece: dict[str, Any]) -> list[float]:
    size, shift = np.abs(error), float(np.median(error))
    within = [100 * np.mean(size <= ms) for ms in (50, 100)]
    beside = np.abs(error - shift).mean()
    sure = 100 * np.mean(piece["confidence"])
    matches = [np.nan if piece[key] is None else piece[key] for key in ("match", "wrong")]
    return [size.mean(), np.median(size), *within, size.max(), shift, beside, sure, *matches]


def row(rows: Sequence[Sequence[float]]) -> str:
    mean = np.mean(rows, axis=0)
    return "".join(f"{value:8.1f}" for value in mean[:-2]) + "".join(
        f"{value:8.2f}" for value in mean[-2:]
    )


def print_table(found: dict[str, dict[str, Any]]) -> None:
    """Print means over the pieces of each instrument, and over all."""
    by = defaultdict(list)
    warned: dict[tuple[str, str], int] = defaultdict(int)
    for name, piece in found.items():
        for key in (name.rpartition("-")[2], "all"):
            by[key].append(figures(np.array(piece["errors"]), piece))
            for count, words in COUNTS.items():
                warned[key, count] += words in " ".join(piece["warnings"])
            warned[key, "so"] += COUNTS["doubted"] in " ".join(piece["warnings of wrong"])
    counts = "".join(f"{name:>8}" for name in ("pieces", *COUNTS, "so"))
    print(f"\n{'':16}{counts}" + "".join(f"{name:>8}" for name in HEADER))
    for key in sorted(by, key=lambda name: (name == "all", name)):
        counts = "".join(f"{warned[key, name]:8}" for name in (*COUNTS, "so"))
        print(f"{key:16}{len(by[key]):8}{counts}" + row(by[key]))


if __name__ == "__main__":
    main()
