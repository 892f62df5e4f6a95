"""Draw the figures of the pages "How it works" and "Decoders", as small SVGs.

::

    python docs/figures/draw.py [FOLDER]

Needs the extra ``plot``. The dynamic programmes are run on a word of the bundled recording, the
second order on invented numbers; the learning curve is that of ``learning.csv``, which
`learning.py` measures.
"""

import csv
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import numpy.typing as npt

mpl.use("svg")
import matplotlib.pyplot as plt

import align
from align.cli.demonstration import recordings
from align.potentials import Potentials
from align.show.plot import save_plot

FIRST, LAST = 33, 40  # events of the excerpt
BLUE, ORANGE, GREY = "#0b62c4", "#d35400", "#8a8a8a"
STYLE = {
    "font.size": 9,
    "svg.hashsalt": "align",
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}


def excerpt() -> tuple[Potentials, list[str], npt.NDArray[np.intp], float]:
    """Return the scores of some phones around their true places, their labels and the truth."""
    example = next(one for one in recordings() if "kiwi" in one.name)
    aligner = align.load("speech-en")
    signal = aligner._signal(example.audio, None, example.name)
    functions = aligner._base_functions(signal, tuple(example.events))
    onset = functions.potentials(aligner._weights(functions)).onset
    frames = np.rint(example.onsets / aligner.hop_).astype(np.intp)
    first, last = frames[FIRST] - 8, frames[LAST] + 8
    labels = [str(event) for event in example.events[FIRST:LAST]]
    table = np.asarray(onset[FIRST:LAST, first:last], dtype=float)
    potentials = Potentials(table, n_frames=last - first)
    return potentials, labels, frames[FIRST:LAST] - first, aligner.hop_


def demonstration(folder: Path) -> None:
    """Draw the bundled sentence with aligned and true boundaries."""
    example = next(one for one in recordings() if "kiwi" in one.name)
    found = align.load("speech-en").align(example.audio, example.events)
    truth = align.Alignment(example.events, example.onsets, found.duration)
    save_plot(found, folder / "kiwi.png", truth, dpi=60, overwrite=True)


def monotone(folder: Path) -> None:
    """Draw the grid of events and frames, and the best way through it."""
    potentials, labels, truth, hop = excerpt()
    onsets = align.decoders.decode_monotone(potentials).onsets
    table = potentials.onset
    best = np.full(table.shape, -np.inf)
    best[0] = table[0]
    for k in range(1, len(labels)):
        best[k, 1:] = table[k, 1:] + np.maximum.accumulate(best[k - 1, :-1])
    shown = best - np.max(best, axis=1, keepdims=True)
    figure, axes = plt.subplots(figsize=(7, 2.8))
    ms = 1000 * hop
    edges = [-0.5 * ms, (table.shape[1] - 0.5) * ms, len(labels) - 0.5, -0.5]
    spread = np.percentile(shown[np.isfinite(shown)], 20)
    axes.imshow(shown, aspect="auto", extent=edges, cmap="Greys", vmin=spread, vmax=-spread / 3)
    k = np.arange(len(labels))
    axes.plot(onsets * ms, k, color=BLUE, lw=1, zorder=3)
    axes.scatter(onsets * ms, k, color=BLUE, s=22, zorder=4, label="best timing")
    axes.scatter(truth * ms, k, facecolor="none", edgecolor=ORANGE, s=70, zorder=4, label="truth")
    axes.set(xlabel="onset (ms)", ylabel="event", yticks=k, yticklabels=labels)
    axes.legend(loc="lower left", frameon=False)
    save(figure, folder / "monotone.svg")


def envelope(folder: Path) -> None:
    """Draw states as lines in the length to come, and their upper envelope."""
    lengths = np.arange(1, 61)
    before = np.array([10, 16, 24, 34, 46])
    score = np.array([0.0, 1.4, 2.1, 1.3, -0.6])
    kappa, mean = -3.0, 25.0
    change = -2 * lengths * before[:, None] + before[:, None] ** 2  # what depends on both
    lines = score[:, None] + kappa * change / mean**2
    figure, axes = plt.subplots(figsize=(7, 2.8))
    heights = lines[:, -1].copy()
    for i in range(1, len(heights)):  # so that no number is printed over another
        heights[i] = max(heights[i], heights[i - 1] + 1.6)
    for line, d, height in zip(lines, before, heights, strict=True):
        axes.plot(lengths, line, color=GREY, lw=0.8)
        axes.annotate(f"{d} before", (60.6, height), color=GREY, va="center", fontsize=8)
    axes.plot(lengths, lines.max(axis=0), color=BLUE, lw=2.2, label="upper envelope")
    axes.set(xlabel="length of the event to come (frames)", ylabel="best score so far")
    axes.set(xlim=(0, 67))
    axes.legend(loc="upper left", frameon=False)
    save(figure, folder / "envelope.svg")


def second_order(folder: Path) -> None:
    """Draw the breakpoints of an envelope, and a bound between knots, of invented numbers."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8))
    lengths = np.arange(1, 61)
    before = np.array([10, 16, 24, 34, 46])
    score = np.array([0.0, 1.4, 2.1, 1.3, -0.6])
    lines = score[:, None] + 6.0 * (lengths - 25) * before[:, None] / 25.0**2
    best = lines.argmax(axis=0)
    breaks = np.flatnonzero(np.diff(best)) + 1
    left.plot(lengths, lines.T, color=GREY, lw=0.8)
    left.plot(lengths, lines.max(axis=0), color=BLUE, lw=2.2, label="upper envelope")
    left.scatter(lengths[breaks], lines.max(axis=0)[breaks], color=BLUE, s=22, label="breakpoints")
    left.set(xlabel="length d of the event (frames)", ylabel="best score up to d")
    left.legend(loc="upper left", frameon=False)

    kappa, knots = 0.004, np.array([5, 12, 17, 20, 23, 28, 37, 55])
    d = np.arange(1.0, 61.0)
    rest = 0.6 * np.sin(d / 2.1) + 0.5 * np.cos(d / 5.3)  # what follows a length d
    x = np.linspace(knots[0], knots[-1], 400)
    follows = (rest - kappa * (d - x[:, None]) ** 2).max(axis=1)
    at_knots = (rest - kappa * (d - knots[:, None]) ** 2).max(axis=1)
    i = np.clip(np.searchsorted(knots, x) - 1, 0, knots.size - 2)
    past, ahead = x - knots[i], knots[i + 1] - x
    bound = np.interp(x, knots, at_knots) + kappa * past * ahead
    right.plot(x, follows, color=BLUE, lw=2.2, label="what can follow")
    right.plot(x, bound, color=ORANGE, lw=1, label="its bound")
    right.scatter(knots, at_knots, color=ORANGE, s=22, zorder=3, label="knots")
    right.set(xlabel="length d' of the event before (frames)", ylabel="best score from here on")
    right.legend(loc="lower center", frameon=False)
    save(figure, folder / "second-order.svg")


def learning(folder: Path) -> None:
    """Draw how the share of boundaries within 20 ms grows with the training set."""
    with open(Path(__file__).with_name("learning.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    figure, axes = plt.subplots(figsize=(7, 2.8))
    for name, colour in (("default", BLUE), ("thesis", ORANGE)):
        mine = [row for row in rows if row["features"] == name]
        sizes = [int(row["sentences"]) for row in mine]
        shares = [float(row["within_20_ms"]) for row in mine]
        axes.plot(sizes, shares, "o-", color=colour, label=f'features="{name}"', ms=4)
        for size, share in zip(sizes, shares, strict=True):
            axes.annotate(
                f"{share:.0f}", (size, share), (0, 6 if name == "default" else -13),
                textcoords="offset points", ha="center", fontsize=8, color=colour,
            )  # fmt: skip
    axes.set(xscale="log", xticks=sizes, xticklabels=sizes, xlabel="sentences to train on")
    axes.minorticks_off()
    axes.set(ylabel="% within 20 ms", ylim=(60, 100))
    axes.legend(loc="lower right", frameon=False)
    save(figure, folder / "learning.svg")


def save(figure: "plt.Figure", path: Path) -> None:
    """Write a picture that is the same bytes each time."""
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    print(path, f"{path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent
    with mpl.rc_context(STYLE):
        for draw in (demonstration, monotone, envelope, second_order, learning):
            draw(target)
