"""Boosting as a primal-dual game on svmguide3, beside scikit-learn's AdaBoostClassifier.

::

    python recipes/boosting_svmguide3/run.py FOLDER_OF_SETS

Decision stumps, ten random halves of the set: training error, the loss that bounds it, the bound
of the theory on that loss, and test error after some numbers of rounds, for each variant of the
game. See the README beside this file.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from align.learners import AdaBoost

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from recipe_outputs import add_output_options, new_figure, save_figure, write_numbers
from vector_sets import read_examples

VARIANTS = ("uncapped", "capped", "known-edge", "gentle")
PEER = "scikit-learn"
ROUNDS, SPLITS = (10, 50, 200), 10


def halves(m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(seed).permutation(m)
    return order[: m // 2], order[m // 2 :]


def curves(X: np.ndarray, y: np.ndarray, edge: float, splits: int) -> dict[str, Any]:
    """Return for each variant its curves over the rounds, the mean of the splits."""
    T = max(ROUNDS)
    found: dict[str, Any] = {
        name: {key: np.zeros(T) for key in ("training", "loss", "bound", "test")}
        | {"seconds": 0.0, "edges": np.zeros(T)}
        for name in (*VARIANTS, PEER)
    }
    for seed in range(splits):
        train, test = halves(len(y), seed)
        for name, sums in found.items():
            begin = time.thread_time()
            if name == PEER:
                stump = DecisionTreeClassifier(max_depth=1, random_state=seed)
                model: Any = AdaBoostClassifier(stump, n_estimators=T, random_state=seed)
            else:
                model = AdaBoost(T, variant=name, edge=edge)
            model.fit(X[train], y[train])
            sums["seconds"] += (time.thread_time() - begin) / splits
            for key, rows in (("training", train), ("test", test)):
                stages = model.staged_decision_function(X[rows])
                wrong = [float(np.mean((scores >= 0.0) != (y[rows] > 0))) for scores in stages]
                sums[key] += 100.0 * extend(wrong, T) / splits
            if name != PEER:
                bounds = [model.loss_bound(t) for t in range(1, len(model.edges_) + 1)]
                sums["loss"] += extend(model.training_losses_, T) / splits
                sums["bound"] += extend(bounds, T) / splits
                sums["edges"] += extend(model.edges_, T) / splits
    return found


def extend(values: Any, T: int) -> np.ndarray:
    """Repeat the last value where a game ended early."""
    values = np.asarray(values, dtype=np.float64)
    return np.concatenate([values, np.full(T - len(values), values[-1])])


def report(found: dict[str, Any], edge: float) -> str:
    """Return the table as text."""
    heads = "".join(f"{f'T = {T}':>10}" for T in ROUNDS)
    lines = [f"g = {edge:g} for capped and known-edge", "", f"{'':<30}{heads}"]
    for name, r in found.items():
        for key, title in (("training", "training error %"), ("test", "test error %")):
            row = "".join(f"{r[key][T - 1]:>10.2f}" for T in ROUNDS)
            lines.append(f"{name:<13}{title:<17}{row}")
        if name != PEER:
            for key, title in (("loss", "loss"), ("bound", "bound on it")):
                row = "".join(f"{r[key][T - 1]:>10.4f}" for T in ROUNDS)
                lines.append(f"{name:<13}{title:<17}{row}")
    lines += ["", "seconds of a fit"]
    lines += [f"{name:<13}{r['seconds']:.3f}" for name, r in found.items()]
    return "\n".join(lines)


def plot(found: dict[str, Any], path: Path) -> None:
    """Draw errors, and losses with their bounds, against the rounds."""
    figure, axes = new_figure(1, 3, figsize=(13, 4.2))
    T = np.arange(1, max(ROUNDS) + 1)
    for i, (name, r) in enumerate(found.items()):
        style = {"color": "black", "linestyle": "--"} if name == PEER else {"color": f"C{i}"}
        for axis, key in zip(axes[:2], ("training", "test"), strict=True):
            axis.plot(T, r[key], label=name, **style)
        if name != PEER:
            axes[2].plot(T, r["loss"], color=f"C{i}", label=name)
            axes[2].plot(T, r["bound"], color=f"C{i}", linestyle=":")
    axes[0].set(xlabel="rounds", ylabel="training error (%)", xscale="log", ylim=(0, None))
    axes[1].set(xlabel="rounds", ylabel="test error (%)", xscale="log", ylim=(0, None))
    axes[2].set(xlabel="rounds", ylabel="loss (solid), its bound (dotted)", ylim=(0, 1.02))
    axes[0].legend(fontsize="small")
    save_figure(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where libol_svmguide3.npz is")
    parser.add_argument("--set", default="libol_svmguide3", metavar="NAME", help="of two classes")
    parser.add_argument("--edge", type=float, default=0.05, help="g of capped and known-edge")
    parser.add_argument("--splits", type=int, default=SPLITS, help="random halves, seeds from 0")
    add_output_options(parser)
    options = parser.parse_args(arguments)
    X, y = read_examples(options.folder, options.set)
    found = curves(X, np.where(y == y.max(), 1, -1), options.edge, options.splits)
    print(report(found, options.edge))
    if options.json is not None:
        numbers = {
            name: {k: v if k == "seconds" else v.tolist() for k, v in r.items()}
            for name, r in found.items()
        }
        write_numbers(numbers, options.json)
    if options.plot is not None:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
