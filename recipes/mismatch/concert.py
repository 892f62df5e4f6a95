"""Align several pieces that follow each other in one recording, with silence between them.

::

    python recipes/mismatch/concert.py CORPUS [--pieces N] [--model piano]

CORPUS is a folder of pieces, as of `recipes/music`. They are laid end to end, with 2 to 8 seconds
of next to nothing between them, and 4 seconds between the last and the first onset of their
scores, each of which keeps its own tempo.
"""

import argparse

import numpy as np
import soundfile
import soxr

import align
from align.types import Note

RATE = 22050
REST = 4.0  # seconds of the score between two pieces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--pieces", type=int, help="so many of them; by default all")
    parser.add_argument("--model", default="piano")
    arguments = parser.parse_args()
    corpus = align.read_corpus(arguments.corpus, kind="music")
    samples, notes, onsets = concert(list(corpus)[: arguments.pieces])
    found = align.load(arguments.model).align(samples, notes, rate=RATE)
    error = np.abs(found.onsets - onsets)[np.isfinite(onsets)]
    print(f"{len(samples) / RATE / 60:.1f} minutes, {len(notes)} notes, match {found.match:.2f}")
    print(f"in parts: {bool(found.passages)}; mean error {1000 * error.mean():.1f} ms")
    for limit in (0.05, 0.1):
        print(f"within {1000 * limit:.0f} ms: {100 * np.mean(error <= limit):.1f} %")


def concert(pieces: list[align.Example]) -> tuple[np.ndarray, list[Note], np.ndarray]:
    """Return samples, notes, and when these are played: seconds, NaN where they are not."""
    rng = np.random.default_rng(1)
    parts: list[np.ndarray] = []
    notes: list[Note] = []
    onsets: list[np.ndarray] = []
    played, written = 0.0, 0.0
    for piece in pieces:
        samples, rate = soundfile.read(piece.audio, dtype="float32")
        samples = soxr.resample(samples, rate, RATE)
        notes += [Note(n.pitch, n.onset + written) for n in piece.events]
        onsets.append(piece.onsets + played)
        hush = 3e-4 * rng.standard_normal(round(rng.uniform(2.0, 8.0) * RATE))
        parts += [samples, hush.astype(np.float32)]
        played += (len(samples) + len(hush)) / RATE
        written = max(note.onset for note in notes) + REST
    return np.concatenate(parts), notes, np.concatenate(onsets)


if __name__ == "__main__":
    main()
