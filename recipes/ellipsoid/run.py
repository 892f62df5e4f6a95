"""Ellipsoid learners against Perceptron, passive-aggressive and MIRA: errors and updates.

::

    python recipes/ellipsoid/run.py FOLDER_OF_SETS
    python recipes/ellipsoid/run.py FOLDER_OF_SETS --average
    python recipes/ellipsoid/run.py FOLDER_OF_SETS --sets usps libol_svmguide3

Three epochs, each in a new random order, the mean of three runs; after each epoch the error of the
last hypothesis (or of the mean of all) on the test set and the number of updates so far. Then the
role of b in IELLIP. Instances have norm at most 1, and every margin is 0.1. See the README beside
this file.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from align.learners import CELLIP, IELLIP, LabelRanker, PassiveAggressiveClassifier, Perceptron

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from recipe_outputs import add_output_options, new_figure, save_figure, write_numbers
from vector_sets import Set, read_set

SETS = (
    "usps", "letter", "shuttle", "isolet", "libol_svmguide3", "libol_glass", "libol_segment",
)  # fmt: skip
EPOCHS, MARGIN = 3, 0.1
INFLUENCES = (0.05, 0.1, 0.3, 0.5)  # c of IELLIP, which the source does not give
DECAYS = (0.1, 0.3, 0.6, 0.9)  # b of IELLIP
RATES = 10.0 ** np.arange(-4, 2)  # C of PA-I

# Norms are at most 1 already: `normalize` would make all of them 1.
SCALED: dict[str, Any] = {"gamma": MARGIN, "normalize": None}


def iellip(average: bool, b: float, c: float) -> IELLIP:
    return IELLIP(b=b, c=c, scale=0.1, average=average, **SCALED)


def learners(C: float, average: bool) -> dict[str, Callable[[], Any]]:
    """Return what is compared: the last hypothesis predicts, as published, or the mean."""
    conversion = "average" if average else "last"
    return {
        "Perceptron": lambda: Perceptron(ties="mistake", conversion=conversion),
        "PA-I": lambda: PassiveAggressiveClassifier(
            "pa1", C=C, margin=MARGIN, conversion=conversion
        ),
        "MIRA": lambda: LabelRanker("euclidean", "optimal", gamma=MARGIN, average=average),
        "CELLIP": lambda: CELLIP(a=0.5, average=average, **SCALED),
        **{f"IELLIP c={c:g}": lambda c=c: iellip(average, 0.3, c) for c in INFLUENCES},
    }


def scaled(data: Set) -> Set:
    """Scale all instances so that the largest training norm, constant included, is 1.

    With two classes z is ``y x``; with more, x stands in two blocks and counts twice.
    """
    copies = 2 if len(np.unique(data.y)) > 2 else 1
    largest = np.sqrt(copies * ((data.X**2).sum(axis=1).max() + 1.0))
    return Set(data.name, data.X / largest, data.y, data.X_test / largest, data.y_test)


def play(model: Any, data: Set, seed: int, rows: np.ndarray) -> tuple[list[float], list[int]]:
    """Return the test error in percent and the updates so far, after each epoch."""
    rng, classes = np.random.default_rng(seed), np.unique(data.y)
    errors, updates = [], []
    with warnings.catch_warnings():
        # CELLIP says that the data cannot be separated; the README says so too.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(EPOCHS):
            order = rng.permutation(rows)
            model.partial_fit(data.X[order], data.y[order], classes=classes)
            errors.append(100.0 * float(np.mean(model.predict(data.X_test) != data.y_test)))
            updates.append(int(model.n_updates_))
    return errors, updates


def mean_of_runs(make: Callable[[], Any], data: Set, seeds: range) -> dict[str, list[float]]:
    runs = [play(make(), data, seed, np.arange(len(data.y))) for seed in seeds]
    errors, updates = (np.array([run[i] for run in runs], dtype=float) for i in (0, 1))
    return {
        "errors": errors.mean(axis=0).tolist(),
        "deviation": errors.std(axis=0).tolist(),
        "updates": updates.mean(axis=0).tolist(),
    }


def choose_rate(data: Set, average: bool) -> float:
    """Return the C of PA-I with the fewest errors on a tenth of the training set, held out."""
    order = np.random.default_rng(0).permutation(len(data.y))
    held, rest = order[: len(order) // 10], order[len(order) // 10 :]
    part = Set(data.name, data.X, data.y, data.X[held], data.y[held])
    scores = [play(learners(C, average)["PA-I"](), part, 0, rest)[0][-1] for C in RATES]
    return float(RATES[int(np.argmin(scores))])


def study(data: Set, average: bool, seeds: range, only: Sequence[str]) -> dict[str, Any]:
    """Return errors and updates of every learner, and of IELLIP for each b; or of `only` some."""
    C = choose_rate(data, average) if not only or "PA-I" in only else np.nan
    makers = learners(C, average)
    results = {
        name: mean_of_runs(make, data, seeds)
        for name, make in makers.items()
        if not only or name in only
    }
    if only:
        return {"C": C, "learners": results}
    return {
        "C": C,
        "learners": results,
        # b + c must be less than 1.
        "decays": {
            f"{b:g}": mean_of_runs(lambda b=b: iellip(average, b, 0.05), data, seeds)
            for b in DECAYS
        },
    }


def table(name: str, results: dict[str, Any]) -> str:
    """Return errors and updates on a set as text."""
    heads = "".join(f"{f'epoch {e + 1}':>10}" for e in range(EPOCHS))
    lines = ["", f"{name:<18}{heads}{'+-':>8}{heads}   (test error %, updates)"]
    for learner, r in results["learners"].items():
        title = learner + (f" C={results['C']:g}" if learner == "PA-I" else "")
        errors = "".join(f"{e:>10.2f}" for e in r["errors"])
        updates = "".join(f"{u:>10.0f}" for u in r["updates"])
        lines.append(f"{title:<18}{errors}{r['deviation'][-1]:>8.2f}{updates}")
    return "\n".join(lines)


def role_of_b(found: dict[str, Any]) -> str:
    """Return what b does to IELLIP as text."""
    lines = ["", f"{'b, with c = 0.05':<18}" + "".join(f"{f'b = {b:g}':>14}" for b in DECAYS)]
    lines[-1] += "   (after epoch 3: error / MIRA's, updates / MIRA's)"
    for name, results in found.items():
        ratios = [relative(results, f"{b:g}") for b in DECAYS]
        lines.append(f"{name:<18}" + "".join(f"{f'{e:.2f}, {u:.2f}':>14}" for e, u in ratios))
    return "\n".join(lines)


def relative(results: dict[str, Any], b: str) -> tuple[float, float]:
    """Return error and updates of IELLIP after the last epoch, those of MIRA being 1."""
    mira, ours = results["learners"]["MIRA"], results["decays"][b]
    error = ours["errors"][-1] / mira["errors"][-1] if mira["errors"][-1] else np.nan
    return error, ours["updates"][-1] / mira["updates"][-1]


def plot(found: dict[str, Any], path: Path) -> None:
    """Draw errors against updates, one panel for each set and one for b."""
    n = len(found) + 1
    columns = min(4, n)
    rows = -(-n // columns)
    figure, grid = new_figure(rows, columns, figsize=(3.6 * columns, 3.4 * rows), squeeze=False)
    axes = list(grid.flat)
    names = list(learners(1.0, False))
    for axis in axes[n:]:
        axis.set_visible(False)
    for axis, (name, results) in zip(axes, found.items(), strict=False):
        for learner, r in results["learners"].items():
            color = f"C{names.index(learner)}"
            axis.plot(r["updates"], r["errors"], color=color, marker="o", label=learner)
        axis.set(title=name, xlabel="updates, after each epoch", xlim=(0, None), ylim=(0, None))
    last = axes[n - 1]
    for i, (name, results) in enumerate(found.items()):
        points = [relative(results, f"{b:g}") for b in DECAYS]
        last.plot([u for _, u in points], [e for e, _ in points], color=f"C{i}", label=name)
        for (error, updates), size in zip(points, (3, 5, 7, 9), strict=True):
            last.plot(updates, error, "o", color=f"C{i}", markersize=size)
    last.set(title="IELLIP, b = .1 (small) to .9 (large)", xlabel="updates / MIRA's")
    last.set_ylabel("error / MIRA's")
    last.legend(fontsize="x-small")
    for row in grid:
        if row[0] is not last:
            row[0].set_ylabel("test error (%)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=8)
    save_figure(figure, path, rect=(0.0, 0.13 / rows, 1.0, 1.0))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where the sets are, NAME.npz")
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="NAME", help="all seven")
    parser.add_argument("--average", action="store_true", help="predict with the mean hypothesis")
    parser.add_argument("--permutations", type=int, default=3, help="runs, seeds 0 and up")
    parser.add_argument(
        "--only", nargs="+", default=(), choices=learners(1.0, False), metavar="LEARNER",
        help="these learners, and not the role of b",
    )  # fmt: skip
    add_output_options(parser)
    options = parser.parse_args(arguments)
    if options.only and options.plot is not None:
        parser.error("--plot draws all learners; leave out --only.")
    seeds, found = range(options.permutations), {}
    for name in options.sets:
        found[name] = study(
            scaled(read_set(options.folder, name)), options.average, seeds, options.only
        )
        print(table(name, found[name]), flush=True)
    if not options.only:
        print(role_of_b(found))
    write_numbers(found, options.json)
    if options.plot is not None:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
