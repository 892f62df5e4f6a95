"""Align several pieces that follow each other in one recording, with silence between them.

::

    python recipes/mismatch/concert.py CORPUS [--pieces N] [--model piano] [--one]

CORPUS is a folder of pieces, as of `recipes/music`. They are laid end to end, with 2 to 8 seconds
of next to nothing between them, and 4 seconds between the last and the first onset of their
scores, each of which keeps its own tempo. With ``--one`` the score is that of one piece, each in
its turn: all else in the recording is other music.
"""

import argparse

import numpy as np
import soundfile
import soxr

import align
from align.types import Note

RATE = 22050
NEAR = 0.05  # seconds
REST = 4.0  # seconds of the score between two pieces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--pieces", type=int, help="so many of them; by default all")
    parser.add_argument("--model", default="piano")
    parser.add_argument("--one", action="store_true", help="look for each piece alone")
    arguments = parser.parse_args()
    corpus = align.read_corpus(arguments.corpus, kind="music")
    pieces = list(corpus)[: arguments.pieces]
    samples, notes, onsets = concert(pieces)
    model = align.load(arguments.model)
    print(f"{len(samples) / RATE / 60:.1f} minutes, {len(notes)} notes")
    asked = [slice(None)]
    if arguments.one:
        ends = np.cumsum([len(piece.events) for piece in pieces]).tolist()
        asked = [slice(first, stop) for first, stop in zip([0, *ends], ends, strict=False)]
    errors = []
    for own in asked:
        found = model.align(samples, notes[own], rate=RATE)
        error = np.abs(found.onsets - onsets[own])[np.isfinite(onsets[own])]
        errors.append(error)
        near = 100 * np.mean(error <= NEAR)
        print(
            f"{len(error):>6} notes: match {found.match:.2f}, in parts: {bool(found.passages)}, "
            f"within 50 ms {near:.1f} %, mean error {1000 * error.mean():.1f} ms",
            flush=True,
        )
    print(f"within 50 ms of all: {100 * np.mean(np.concatenate(errors) <= NEAR):.1f} %")


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
