"""Kernel passive-aggressive learners against linear ones, on USPS or another set.

::

    python recipes/kernel_usps/run.py FOLDER_OF_SETS
    python recipes/kernel_usps/run.py FOLDER_OF_SETS --sizes 100 300

All are PA-I, three epochs, the mean of three orders. The Gaussian kernel is used exactly, within a
budget of supports, and as features of two kinds (Nystrom, random Fourier), to which the linear
learner is applied. See the README beside this file.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from align.learners import KernelPA, PassiveAggressiveClassifier

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from recipe_outputs import add_output_options, new_figure, save_figure, write_numbers
from vector_sets import Set, read_set

EPOCHS, SEEDS = 3, (0, 1, 2)
SIZES = (100, 300, 1000)  # budgets, and numbers of features
RATES = 10.0 ** np.arange(-4, 2)  # C of the linear learner
GRID = [(sigma, C) for sigma in (5.0, 8.0, 12.0) for C in (0.1, 1.0, 10.0)]  # of the kernel


def linear(C: float, seed: int) -> PassiveAggressiveClassifier:
    return PassiveAggressiveClassifier(
        "pa1", C=C, conversion="average", epochs=EPOCHS, random_state=seed
    )


def gaussian(sigma: float, C: float, seed: int, **budget: Any) -> KernelPA:
    return KernelPA("gaussian", sigma=sigma, C=C, epochs=EPOCHS, random_state=seed, **budget)


def choose(data: Set) -> tuple[float, tuple[float, float]]:
    """Return C, and sigma and C of the kernel, best on a tenth of the training set held out."""
    order = np.random.default_rng(0).permutation(len(data.y))
    held, rest = order[: len(order) // 10], order[len(order) // 10 :]

    def score(model: Any) -> float:
        return float(model.fit(data.X[rest], data.y[rest]).score(data.X[held], data.y[held]))

    C = RATES[int(np.argmax([score(linear(C, 0)) for C in RATES]))]
    best = GRID[int(np.argmax([score(gaussian(*pair, 0)) for pair in GRID]))]
    return float(C), best


def compare(data: Set, sizes: Sequence[int]) -> dict[str, Any]:
    """Return for each learner its error in percent, supports or features, and seconds."""
    C, (sigma, kernel_C) = choose(data)
    gamma = 0.5 / sigma**2
    makers: dict[str, Callable[[int], Any]] = {
        "linear PA-I": lambda seed: linear(C, seed),
        "Gaussian PA-I": lambda seed: gaussian(sigma, kernel_C, seed),
    }
    for size in sizes:
        for removal in ("project", "smallest", "oldest"):
            # The mean predicts where there is one: what is removed would be missing from it.
            params = {"budget": size, "removal": removal}
            makers[f"  budget {size}, {removal}"] = lambda seed, params=params: gaussian(
                sigma, kernel_C, seed, **params
            )
    for size in sizes:
        # The features have norm about 1, as the kernel has: its C serves them too.
        makers[f"  Nystrom {size}"] = lambda seed, size=size: make_pipeline(
            Nystroem(gamma=gamma, n_components=size, random_state=seed), linear(kernel_C, seed)
        )
        makers[f"  Fourier {size}"] = lambda seed, size=size: make_pipeline(
            RBFSampler(gamma=gamma, n_components=size, random_state=seed), linear(kernel_C, seed)
        )
    # Batch machines of scikit-learn, for comparison; they draw nothing that matters.
    makers["LinearSVC"] = lambda seed: LinearSVC(C=C, random_state=seed)
    makers["SVC, Gaussian"] = lambda seed: SVC(C=kernel_C, gamma=gamma)
    table = {}
    for name, make in makers.items():
        errors, seconds = [], []
        for seed in SEEDS if "SVC" not in name else SEEDS[:1]:
            model = make(seed)
            begin = time.thread_time()
            model.fit(data.X, data.y)
            seconds.append(time.thread_time() - begin)
            errors.append(100.0 * (1.0 - model.score(data.X_test, data.y_test)))
        table[name] = {
            "error": float(np.mean(errors)),
            "deviation": float(np.std(errors)),
            "size": size_of(model),
            "seconds": min(seconds),  # the first run compiles
        }
    return {"C": C, "sigma": sigma, "kernel C": kernel_C, "table": table}


def size_of(model: Any) -> int:
    """Return how many vectors a score is a sum of."""
    if isinstance(model, KernelPA | SVC):
        return len(model.support_vectors_)
    last = model[-1] if hasattr(model, "steps") else model
    return int(last.coef_.shape[1])


def report(name: str, found: dict[str, Any]) -> str:
    """Return the table as text."""
    lines = [
        f"{name}: linear C = {found['C']:g}; kernel sigma = {found['sigma']:g}, "
        f"C = {found['kernel C']:g}",
        "",
        f"{'':<26}{'test error %':>14}{'+-':>8}{'vectors':>10}{'seconds':>10}",
    ]
    for learner, r in found["table"].items():
        numbers = f"{r['error']:>14.2f}{r['deviation']:>8.2f}{r['size']:>10}{r['seconds']:>10.2f}"
        lines.append(f"{learner:<26}{numbers}")
    return "\n".join(lines)


def plot(name: str, found: dict[str, Any], sizes: Sequence[int], path: Path) -> None:
    """Draw errors against the number of vectors."""
    table = found["table"]
    figure, axis = new_figure(figsize=(6.5, 4.5))
    kinds = [f"budget {{}}, {r}" for r in ("project", "smallest", "oldest")]
    for kind in (*kinds, "Nystrom {}", "Fourier {}"):
        errors = [table["  " + kind.format(size)]["error"] for size in sizes]
        axis.plot(sizes, errors, marker="o", label=kind.replace(" {}", ""))
    axis.axhline(table["linear PA-I"]["error"], color="black", linestyle="--", label="linear PA-I")
    exact = table["Gaussian PA-I"]
    axis.axhline(exact["error"], color="black", linestyle=":")
    axis.plot(exact["size"], exact["error"], "k*", markersize=11, label="all supports")
    axis.set(xscale="log", xlabel="supports, or features", ylabel="test error (%)", title=name)
    axis.set_ylim(bottom=0.0)
    axis.legend(fontsize="small")
    save_figure(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where the sets are, NAME.npz")
    parser.add_argument("--set", default="usps", metavar="NAME", help="usps")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, metavar="N")
    add_output_options(parser)
    options = parser.parse_args(arguments)
    found = compare(read_set(options.folder, options.set), options.sizes)
    print(report(options.set, found))
    write_numbers(found, options.json)
    if options.plot is not None:
        plot(options.set, found, options.sizes, options.plot)


if __name__ == "__main__":
    main()
