"""Draw the worst notes of each set, from the errors that `run.py` has kept.

::

    python recipes/music/worst.py CORPUS [--work DIR] [-n 10] [-o FOLDER]

Every piece was aligned by an aligner that never saw it. FOLDER gets a picture for each set, with a
panel for each note: the levels of the semitone bands about it. Bars are the true times of notes of
the score, dots the times they were given; those of the note in question are thick. A note that is
not in the score shows as a band that begins where there is no bar.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from run import set_of

import align
from align.features.notes.note_levels import LOWEST_BAND, semitone_levels
from align.features.sound.signal import Signal
from align.music.performances.performance import read_signal
from align.types import pitch_name

BEFORE, AFTER = 0.8, 0.8  # seconds about the truth and the prediction
BELOW, ABOVE = 12, 26  # semitones about the note


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece, and where its notes were placed by an aligner that did not see it."""

    name: str
    example: align.Example
    true: np.ndarray
    found: np.ndarray

    @property
    def pitches(self) -> np.ndarray:
        return np.array([self.example.events[k].pitch for k in self.example.truth.index])

    @property
    def errors(self) -> np.ndarray:
        return self.found - self.true


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--work", default="music-work", help="where run.py kept the errors")
    parser.add_argument("-n", type=int, default=10, help="notes of each set")
    parser.add_argument("-o", "--output", default="worst-notes", help="folder for the pictures")
    arguments = parser.parse_args()
    output = Path(arguments.output)
    output.mkdir(parents=True, exist_ok=True)
    sets = read_sets(arguments.corpus, Path(arguments.work))
    if not sets:
        raise SystemExit(f"{arguments.work}: has no errors-default-*.json; run run.py first.")
    for name, pieces in sets.items():
        notes = worst(pieces, arguments.n)
        print(f"\n{name}\n{'':3} {'piece':30} {'note':4} {'true s':>9} {'error ms':>9}")
        for rank, (piece, k) in enumerate(notes, 1):
            print(
                f"{rank:3} {piece.name:30} {pitch_name(int(piece.pitches[k])):4} "
                f"{piece.true[k]:9.3f} {1000 * piece.errors[k]:9.1f}"
            )
        draw(notes, output / f"{name}.png")


def read_sets(corpus: str, work: Path) -> dict[str, list[Piece]]:
    """Return the pieces of each set that have been aligned."""
    errors = {}
    for path in sorted(work.glob("errors-default-*.json")):
        errors.update(json.loads(path.read_text(encoding="utf-8")))
    sets: dict[str, list[Piece]] = {}
    for example in align.read_corpus(corpus, kind="music"):
        name = Path(example.name).parent.name
        if name in errors:
            true = example.truth.performed
            found = true + 0.001 * np.array(errors[name]["errors"])
            sets.setdefault(set_of(example), []).append(Piece(name, example, true, found))
    return sets


def worst(pieces: list[Piece], n: int) -> list[tuple[Piece, int]]:
    """Return the notes of the largest errors, the largest first."""
    every = [(piece, int(k)) for piece in pieces for k in np.argsort(-np.abs(piece.errors))[:n]]
    return sorted(every, key=lambda note: -abs(note[0].errors[note[1]]))[:n]


def draw(notes: list[tuple[Piece, int]], path: Path) -> None:
    """Draw a panel for each note, two beside each other."""
    rows = -(-len(notes) // 2)
    figure = Figure(figsize=(18, 4.2 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, 2, squeeze=False).ravel()
    signals: dict[str, Signal] = {}
    for rank, (ax, (piece, k)) in enumerate(zip(axes, notes, strict=False), 1):
        if piece.name not in signals:
            signals[piece.name] = read_signal(piece.example.audio, highest_rate=22050)
        draw_note(ax, signals[piece.name], piece, k)
        ax.set_title(
            f"{rank}. {piece.name}, {pitch_name(int(piece.pitches[k]))} at {piece.true[k]:.2f} s, "
            f"{1000 * piece.errors[k]:+.0f} ms",
            fontsize=11,
        )
    figure.savefig(path, dpi=60)


def draw_note(ax: Axes, signal: Signal, piece: Piece, k: int) -> None:
    """Draw the levels about a note, all notes of the score, and the note itself."""
    times = sorted((piece.true[k], piece.found[k]))
    begin, end = max(times[0] - BEFORE, 0.0), min(times[1] + AFTER, signal.duration)
    first, last = int(begin / signal.hop), int(end / signal.hop)
    levels = semitone_levels(signal)[first:last]
    low = max(int(piece.pitches[k]) - BELOW, LOWEST_BAND)
    high = min(int(piece.pitches[k]) + ABOVE, LOWEST_BAND + levels.shape[1] - 1)
    ax.imshow(
        levels[:, low - LOWEST_BAND : high - LOWEST_BAND + 1].T,
        origin="lower",
        aspect="auto",
        cmap="magma",
        extent=(first * signal.hop, last * signal.hop, low - 0.5, high + 0.5),
    )
    near = (np.maximum(piece.true, piece.found) > begin) & (
        np.minimum(piece.true, piece.found) < end
    )
    for j in np.flatnonzero(near & (piece.pitches >= low) & (piece.pitches <= high)):
        width = 4 if j == k else 1.5
        ax.vlines(
            piece.true[j],
            piece.pitches[j] - 0.5,
            piece.pitches[j] + 0.5,
            colors="lime" if j == k else "white",
            lw=width,
        )
        ax.plot(
            piece.found[j], piece.pitches[j], "o", ms=2 * width, color="cyan", mec="black", mew=0.5
        )
    ax.set(xlim=(begin, end), ylim=(low - 0.5, high + 0.5), xlabel="s", ylabel="MIDI number")


if __name__ == "__main__":
    main()
