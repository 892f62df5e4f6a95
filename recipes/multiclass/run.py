"""Multiclass passive-aggressive learners against scikit-learn: errors, curves and speed.

::

    python recipes/multiclass/run.py FOLDER_OF_SETS
    python recipes/multiclass/run.py FOLDER_OF_SETS --sets usps letter --no-batch

Three tables: test error after three epochs, over three permutations; mistakes of the first pass,
and what C does to them; examples per second of one pass. See the README beside this file.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from align.learners import LabelRanker, PassiveAggressiveClassifier, Perceptron

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from recipe_outputs import add_output_options, new_figure, save_figure, write_numbers
from vector_sets import Set, read_set

SETS = ("usps", "letter", "isolet", "shuttle", "mnist")
EPOCHS, SEEDS = 3, (0, 1, 2)
RATES = 10.0 ** np.arange(-4, 2)  # C
POINTS = 60  # of a learning curve

# Percent: scikit-learn SGD pa1, LinearSVC, and averaged PA of an earlier run of the same protocol.
REFERENCE = {
    "usps": (10.9, 9.7, 8.5),
    "letter": (41.6, 30.4, 26.3),
    "isolet": (6.0, 5.4, 4.6),
    "shuttle": (6.9, 7.7, 2.4),
    "mnist": (9.0, 8.3, 7.8),
}
TUNED = ("PA-I", "PA-II", "MIRA")
LEARNERS: dict[str, Callable[[float], Any]] = {
    "Perceptron": lambda C: Perceptron(),
    "PA": lambda C: PassiveAggressiveClassifier("pa"),
    "PA-I": lambda C: PassiveAggressiveClassifier("pa1", C=C),
    "PA-II": lambda C: PassiveAggressiveClassifier("pa2", C=C),
    # PA-I against all wrong classes at once; the margin of MIRA is 1 / C.
    "MIRA": lambda C: LabelRanker("euclidean", "optimal", gamma=1.0, c=1.0 / C),
}


def averaged(C: float, seed: int) -> PassiveAggressiveClassifier:
    return PassiveAggressiveClassifier(
        "pa1", C=C, conversion="average", epochs=EPOCHS, random_state=seed
    )


def sgd(seed: int) -> SGDClassifier:
    return SGDClassifier(
        loss="hinge", penalty=None, learning_rate="pa1", eta0=0.01,
        max_iter=EPOCHS, tol=None, random_state=seed,
    )  # fmt: skip


def choose_rate(data: Set) -> float:
    """Return the C of the fewest errors on a tenth of the training set, held out."""
    order = np.random.default_rng(0).permutation(len(data.y))
    held, rest = order[: len(order) // 10], order[len(order) // 10 :]
    scores = [
        averaged(C, 0).fit(data.X[rest], data.y[rest]).score(data.X[held], data.y[held])
        for C in RATES
    ]
    return float(RATES[int(np.argmax(scores))])


def test_errors(data: Set, batch: bool) -> dict[str, Any]:
    """Return test errors in percent after three epochs, the mean of three permutations."""
    C = choose_rate(data)

    def error(model: Any) -> float:
        return 100.0 * (1.0 - model.fit(data.X, data.y).score(data.X_test, data.y_test))

    found: dict[str, Any] = {"C": C}
    for name, make in (("SGD pa1", sgd), ("averaged PA-I", lambda seed: averaged(C, seed))):
        each = [error(make(seed)) for seed in SEEDS]
        found[name] = float(np.mean(each))
        found[name + " deviation"] = float(np.std(each))
    if batch:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found["LinearSVC"] = error(LinearSVC(random_state=0))
    return found


def first_pass(model: Any, data: Set, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of examples, and the percentage of mistakes up to there."""
    order = np.random.default_rng(seed).permutation(len(data.y))
    ends = np.linspace(0, len(order), POINTS + 1).astype(int)[1:]
    classes, counts = np.unique(data.y), []
    for rows in np.split(order, ends[:-1]):
        model.partial_fit(data.X[rows], data.y[rows], classes=classes)
        counts.append(model.n_mistakes_)
    return ends, 100.0 * np.array(counts) / ends


def online(data: Set) -> dict[str, Any]:
    """Return the sweep over C of the mistakes of the first pass, and curves at the best C."""
    sweep = {
        name: [float(first_pass(LEARNERS[name](C), data, 0)[1][-1]) for C in RATES]
        for name in TUNED
    }
    found: dict[str, Any] = {"sweep": sweep, "curves": {}, "C": {}}
    for name, make in LEARNERS.items():
        C = float(RATES[int(np.argmin(sweep[name]))]) if name in sweep else 1.0
        runs = [first_pass(make(C), data, seed) for seed in SEEDS]
        found["examples"] = runs[0][0].tolist()
        found["curves"][name] = np.mean([rates for _, rates in runs], axis=0).tolist()
        found["C"][name] = C
    return found


def speed(data: Set) -> dict[str, float]:
    """Return examples per second of one pass, the best of some, dense and CSR."""
    classes, found = np.unique(data.y), {}
    for form, X in (("dense", data.X), ("CSR", sp.csr_array(data.X))):
        makers = {
            "PA-I": lambda: PassiveAggressiveClassifier("pa1", C=0.01, conversion="average"),
            "SGD pa1": lambda: sgd(0).set_params(shuffle=False),
            "SGD mean": lambda: sgd(0).set_params(shuffle=False, average=True),
        }
        for name, make in makers.items():
            times = []
            for _ in range(6 if name == "PA-I" else 2):  # the first compiles, or warms up
                begin = time.thread_time()
                make().partial_fit(X, data.y, classes=classes)
                times.append(time.thread_time() - begin)
            found[f"{name} {form}"] = len(data.y) / min(times)
    return found


def report(found: dict[str, Any]) -> str:
    """Return the tables as text."""
    heads = ("C", "averaged PA-I", "+-", "SGD pa1", "+-", "LinearSVC", "reference: SGD, SVC, PA")
    lines = ["", "test error %    " + "".join(f"{h:>15}" for h in heads[:-1]) + f"   {heads[-1]}"]
    for name, results in found.items():
        e = results["errors"]
        values = [e["averaged PA-I"], e["averaged PA-I deviation"], e["SGD pa1"]]
        values += [e["SGD pa1 deviation"], e.get("LinearSVC", np.nan)]
        known = ", ".join(str(v) for v in REFERENCE.get(name, ()))
        row = "".join(f"{v:>15.2f}" for v in values)
        lines.append(f"{name:<16}{e['C']:>15g}{row}   {known}")
    lines += ["", "first pass %    " + "".join(f"{h:>22}" for h in LEARNERS)]
    for name, results in found.items():
        o = results["online"]
        cells = [
            f"{curve[-1]:.2f}" + (f" (C={o['C'][learner]:g})" if learner in TUNED else "")
            for learner, curve in o["curves"].items()
        ]
        lines.append(f"{name:<16}" + "".join(f"{cell:>22}" for cell in cells))
    names = next(iter(found.values()))["speed"]
    lines += ["", "examples/s      " + "".join(f"{name:>15}" for name in names)]
    lines[-1] += f"{'times pa1':>20}{'times mean':>20}"
    for name, results in found.items():
        s = results["speed"]
        row = "".join(f"{v:>15,.0f}" for v in s.values())
        for peer in ("SGD pa1", "SGD mean"):  # dense and CSR
            times = (f"{s[f'PA-I {f}'] / s[f'{peer} {f}']:.1f}" for f in ("dense", "CSR"))
            row += f"{', '.join(times):>20}"
        lines.append(f"{name:<16}{row}")
    return "\n".join(lines)


def plot(found: dict[str, Any], path: Path) -> None:
    """Draw for each set the curves of the first pass, and the effect of C on them."""
    figure, axes = new_figure(2, len(found), figsize=(3.6 * len(found), 6.5), squeeze=False)
    for (upper, lower), (name, results) in zip(axes.T, found.items(), strict=True):
        o = results["online"]
        for i, (learner, curve) in enumerate(o["curves"].items()):
            upper.plot(o["examples"], curve, color=f"C{i}", label=learner)
            if learner in TUNED:
                lower.plot(RATES, o["sweep"][learner], color=f"C{i}", marker="o", markersize=4)
            else:
                lower.axhline(curve[-1], color=f"C{i}", linestyle=":")
        last = [curve[-1] for curve in o["curves"].values()]
        upper.set(
            title=name, xlabel="examples", xscale="log", ylim=(0, min(100.0, 4.5 * max(last)))
        )
        swept = [value for values in o["sweep"].values() for value in values]
        lower.set(xlabel="C", xscale="log", ylim=(0, 1.15 * max(last + swept)))
    axes[0, 0].set_ylabel("mistakes so far (%)")
    axes[1, 0].set_ylabel("mistakes of the first pass (%)")
    axes[0, 0].legend(fontsize="small")
    save_figure(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where the sets are, NAME.npz")
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="NAME", help="all five")
    parser.add_argument("--no-batch", action="store_true", help="leave out LinearSVC")
    add_output_options(parser)
    options = parser.parse_args(arguments)
    found = {}
    for name in options.sets:
        data = read_set(options.folder, name)
        print(f"{name}: {len(data.y)} examples ...", file=sys.stderr)
        found[name] = {
            "errors": test_errors(data, not options.no_batch),
            "online": online(data),
            "speed": speed(data),
        }
    print(report(found))
    write_numbers(found, options.json)
    if options.plot is not None:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
