"""Passive-aggressive learners under noise, and the effect of C: PA, PA-I and PA-II in the plane.

::

    python recipes/noise_robustness/run.py
    python recipes/noise_robustness/run.py --examples 1000 --repetitions 3    # a quick look

Examples are uniform on the square [-1, 1]^2, labelled by a line through the origin, and then
disturbed: Gaussian noise on the instances, or labels turned over. See the README beside this file.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from align.learners import PassiveAggressiveClassifier

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from recipe_outputs import add_output_options, new_figure, save_figure, write_numbers

VARIANTS = {"PA": "pa", "PA-I": "pa1", "PA-II": "pa2"}  # as the paper calls the updates
INSTANCE_NOISE = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)  # standard deviations
LABEL_NOISE = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)  # shares turned over
RATES = 10.0 ** np.arange(-4, 2.5, 0.5)  # C
C_LEVELS = (0.0, 0.1, 0.2, 0.3)  # label noise of the second experiment
SMALL, LARGE = 0.001, 100.0
CURVE_LEVELS = (0.0, 0.2)  # label noise of the curves
DIRECTIONS, OFFSETS = 1800, 401  # of the fixed classifiers; each counts with both signs


def draw(
    rng: np.random.Generator, m: int, instance: float, label: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return examples, labels -1 and +1, and the unit vector behind them."""
    angle = rng.uniform(0.0, 2.0 * np.pi)
    w = np.array([np.cos(angle), np.sin(angle)])
    X = rng.uniform(-1.0, 1.0, (m, 2))
    y = np.where(X @ w >= 0.0, 1.0, -1.0)
    X = X + instance * rng.normal(size=X.shape)
    return X, np.where(rng.random(m) < label, -y, y), w


def fewest_errors(X: np.ndarray, y: np.ndarray) -> int:
    """Return the fewest errors of a line, over a grid of directions and offsets."""
    angles = np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    reach = np.sqrt((X**2).sum(axis=1).max())
    fewest = len(y)
    for block in np.array_split(angles, max(1, len(angles) * len(y) // 400_000)):
        along = np.stack([np.cos(block), np.sin(block)], axis=1) @ X.T
        cell = np.ceil((along + reach) / (2.0 * reach) * (OFFSETS - 1)).astype(np.intp)
        cell += OFFSETS * np.arange(len(block))[:, None]
        sums = np.bincount(cell.ravel(), np.tile(y, len(block)), OFFSETS * len(block))
        below = sums.reshape(len(block), OFFSETS).cumsum(axis=1)  # of the labels below an offset
        errors = (y < 0.0).sum() + below  # where all above is +1, and all below -1
        fewest = min(fewest, int(errors.min()), len(y) - int(errors.max()))
    return fewest


def mistakes(X: np.ndarray, y: np.ndarray, variant: str, C: float) -> np.ndarray:
    """Return whether the learner was wrong, for each round."""
    model = PassiveAggressiveClassifier(VARIANTS[variant], C=C, record=True)
    return model.partial_fit(X, y, classes=[-1.0, 1.0]).trace_.cost


def pa2_bound(X: np.ndarray, y: np.ndarray, w: np.ndarray, C: float) -> float:
    """Return the bound on the mistakes of PA-II, at the best of some multiples of w."""
    R2 = (X**2).sum(axis=1).max() + 1.0  # the constant feature counts
    scores = y * (X @ w)
    return min(
        (R2 + 0.5 / C) * (s**2 + 2.0 * C * (np.maximum(0.0, 1.0 - s * scores) ** 2).sum())
        for s in 10.0 ** np.arange(-3.0, 3.1, 0.25)
    )


def noise_experiment(m: int, repetitions: int, C: float) -> dict[str, Any]:
    """Return error rates in percent for each kind and level of noise."""
    found: dict[str, Any] = {}
    for kind, levels in (("instance", INSTANCE_NOISE), ("label", LABEL_NOISE)):
        table: dict[str, list[float]] = {name: [] for name in ("best fixed", *VARIANTS)}
        for level in levels:
            rates = np.zeros((repetitions, len(table)))
            for seed in range(repetitions):
                noise = {"instance": 0.0, "label": 0.0, kind: level}
                X, y, _ = draw(np.random.default_rng(seed), m, **noise)
                rates[seed, 0] = fewest_errors(X, y) / m
                rates[seed, 1:] = [mistakes(X, y, v, C).mean() for v in VARIANTS]
            for name, rate in zip(table, rates.mean(axis=0), strict=True):
                table[name].append(100.0 * float(rate))
        found[kind] = {"levels": list(levels), **table}
    return found


def rate_experiment(m: int, repetitions: int) -> dict[str, Any]:
    """Return error rates in percent for each C and level of label noise, and curves of two C."""
    found: dict[str, Any] = {"C": RATES.tolist(), "levels": list(C_LEVELS)}
    for variant in list(VARIANTS)[1:]:
        rates = np.zeros((len(C_LEVELS), len(RATES)))
        for i, level in enumerate(C_LEVELS):
            for seed in range(repetitions):
                X, y, _ = draw(np.random.default_rng(seed), m, 0.0, level)
                rates[i] += [mistakes(X, y, variant, C).mean() for C in RATES]
        found[variant] = (100.0 * rates / repetitions).tolist()
    bounds = np.zeros((len(C_LEVELS), len(RATES)))
    curves = {(C, level): np.zeros(m) for level in CURVE_LEVELS for C in (SMALL, LARGE)}
    for seed in range(repetitions):
        for i, level in enumerate(C_LEVELS):
            X, y, w = draw(np.random.default_rng(seed), m, 0.0, level)
            bounds[i] += [pa2_bound(X, y, w, C) / m for C in RATES]
        for (C, level), curve in curves.items():
            X, y, _ = draw(np.random.default_rng(seed), m, 0.0, level)
            curve += np.cumsum(mistakes(X, y, "PA-I", C)) / np.arange(1, m + 1)
    found["PA-II bound"] = (100.0 * bounds / repetitions).tolist()
    found["curves"] = {
        f"C = {C:g}, noise {level:g}": (100.0 * curve / repetitions).tolist()
        for (C, level), curve in curves.items()
    }
    return found


def report(noise: dict[str, Any], rates: dict[str, Any]) -> str:
    """Return the tables as text."""
    lines = []
    for kind, found in noise.items():
        names = [name for name in found if name != "levels"]
        lines += ["", f"{kind + ' noise':<16}" + "".join(f"{name:>12}" for name in names)]
        for i, level in enumerate(found["levels"]):
            lines.append(f"{level:<16g}" + "".join(f"{found[name][i]:>12.2f}" for name in names))
    for name in ("PA-I", "PA-II", "PA-II bound"):
        heads = "".join(f"{f'noise {level:g}':>12}" for level in rates["levels"])
        lines += ["", f"{name + ', C':<16}{heads}"]
        for j, C in enumerate(rates["C"]):
            lines.append(f"{C:<16.2g}" + "".join(share(row[j]) for row in rates[name]))
    m = len(next(iter(rates["curves"].values())))
    points = [t for t in (10, 30, 100, 300, 1000, 2000, 4000) if t <= m]
    lines += ["", f"{'PA-I, examples':<22}" + "".join(f"{t:>8}" for t in points)]
    for name, curve in rates["curves"].items():
        lines.append(f"{name:<22}" + "".join(f"{curve[t - 1]:>8.2f}" for t in points))
    return "\n".join(lines)


def share(value: float) -> str:
    """Format a percentage; a bound above 100 % says nothing."""
    return f"{value:>12.2f}" if value <= 100.0 else f"{'-':>12}"


def plot(noise: dict[str, Any], rates: dict[str, Any], path: Path) -> None:
    """Draw the two panels of noise and the two of C."""
    figure, axes = new_figure(2, 2, figsize=(10, 7.5))
    heads = ("instance noise (standard deviation)", "label noise (share turned over)")
    for axis, found, head in zip(axes[0], noise.values(), heads, strict=True):
        for variant, marker in zip(VARIANTS, "os^", strict=True):
            excess = np.subtract(found[variant], found["best fixed"])
            axis.plot(found["levels"], excess, label=variant, marker=marker, markersize=4)
        axis.set(xlabel=head, ylabel="errors more than the best line (%)")
        axis.set_ylim(bottom=0.0)
        axis.legend()
    axis = axes[1, 0]
    for i, level in enumerate(rates["levels"]):
        for variant, style in (("PA-I", "-"), ("PA-II", "--")):
            label = f"label noise {level:g}" if variant == "PA-I" else None
            axis.plot(rates["C"], rates[variant][i], style, color=f"C{i}", label=label)
    axis.set(xscale="log", xlabel="C", ylabel="errors (%), PA-I solid, PA-II dashed", ylim=(0, 65))
    axis.legend(fontsize="small")
    axis = axes[1, 1]
    for i, (name, curve) in enumerate(rates["curves"].items()):
        style = "-" if i < 2 else "--"
        axis.plot(np.arange(1, len(curve) + 1), curve, style, color=f"C{i % 2}", label=name)
    axis.set(xscale="log", xlabel="examples", ylabel="errors of PA-I so far (%)")
    axis.set(xlim=(5, len(curve)), ylim=(0, 60))
    axis.legend(fontsize="small")
    save_figure(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--examples", type=int, default=4000, help="in each stream")
    parser.add_argument("--repetitions", type=int, default=10, help="streams, seeds from 0")
    parser.add_argument("--C", type=float, default=SMALL, help="of PA-I and PA-II under noise")
    add_output_options(parser)
    options = parser.parse_args(arguments)
    noise = noise_experiment(options.examples, options.repetitions, options.C)
    rates = rate_experiment(options.examples, options.repetitions)
    print(report(noise, rates))
    write_numbers({"noise": noise, "rates": rates}, options.json)
    if options.plot is not None:
        plot(noise, rates, options.plot)


if __name__ == "__main__":
    main()
