"""Print where the sound rises about chords that were placed early, well or late by `run.py`.

::

    python recipes/music/attacks.py CORPUS [--work DIR]

Energy of the sound, with low frequencies taken down, in windows of 8 ms every 2 ms, is laid over
each other for the chords of a set, once by where they were found and once by their truth. Of the
median of these curves the steepest rise within 10 ms is printed, in dB, and where it is. Where it
is steeper by the times found, and as near to them as in chords that were placed well, the truth is
not where the sound is.
"""

import argparse
from pathlib import Path

import numpy as np
from worst import Piece, read_sets

from align.music.performances.performance import read_signal

OFF = 0.015  # seconds, from which on a chord is early or late
FAR = 0.1  # seconds, beyond which it is not looked at
ABOUT = np.arange(-0.080, 0.081, 0.002)  # seconds
WINDOW = 0.008  # seconds
RISE = 5  # steps


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--work", default="music-work", help="where run.py kept the errors")
    arguments = parser.parse_args()
    for name, pieces in read_sets(arguments.corpus, Path(arguments.work)).items():
        true, late = zip(*(chords_of(piece) for piece in pieces), strict=True)
        at_truth = np.concatenate([curves(p, t) for p, t in zip(pieces, true, strict=True)])
        found = [t + e for t, e in zip(true, late, strict=True)]
        at_found = np.concatenate([curves(p, t) for p, t in zip(pieces, found, strict=True)])
        error = np.concatenate(late)
        print(f"\n{name}\n{'':24}{'chords':>8}{'error %':>9}{'by found':>18}{'by truth':>18}")
        for title, low, high in (
            ("early by 15 ms or more", -FAR, -OFF),
            ("within 15 ms", -OFF, OFF),
            ("late by 15 ms or more", OFF, FAR),
        ):
            own = (error > low) & (error <= high)
            if own.any():
                share = 100 * np.abs(error[own]).sum() / np.abs(error).sum()
                rises = steepest(at_found[own]) + steepest(at_truth[own])
                print(f"{title:24}{own.sum():8}{share:9.1f}{rises}")


def chords_of(piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    """Return when chords are played, and by how much their times were late [shape=(G,)] each."""
    written = np.array([piece.example.events[k].onset for k in piece.example.truth.index])
    chord = np.unique(written, return_inverse=True)[1]
    own = [np.flatnonzero(chord == g) for g in range(chord.max() + 1)]
    true = np.array([np.median(piece.true[k]) for k in own])
    return true, np.array([np.median(piece.errors[k]) for k in own])


def curves(piece: Piece, times: np.ndarray) -> np.ndarray:
    """Return levels about times, in dB relative to their mean [shape=(G, len(ABOUT))]."""
    signal = read_signal(piece.example.audio, highest_rate=22050)
    bright = np.diff(signal.samples.astype(np.float64), prepend=0.0)
    total = np.concatenate([[0.0], np.cumsum(np.square(bright))])
    middle = times[:, None] + ABOUT
    first, last = (
        np.clip((middle + side * WINDOW / 2) * signal.rate, 0, bright.size).astype(int)
        for side in (-1, 1)
    )
    level = 10 * np.log10((total[last] - total[first]) / np.maximum(last - first, 1) + 1e-10)
    return level - level.mean(axis=1, keepdims=True)


def steepest(levels: np.ndarray) -> str:
    """Return size and place of the steepest rise of the median of some curves."""
    median = np.median(levels, axis=0)
    rise = median[RISE:] - median[:-RISE]
    k = int(rise.argmax())
    place = 500 * (ABOUT[k] + ABOUT[k + RISE])
    return f"{rise[k]:7.1f} dB at {place:+4.0f}"


if __name__ == "__main__":
    main()
