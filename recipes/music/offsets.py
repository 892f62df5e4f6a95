"""Where notes end: how often that is found, on pieces whose ends the model of ends has not seen.

::

    python recipes/music/offsets.py CORPUS [--work DIR] [--folds N]

CORPUS is a folder of pieces (see `align.corpus.pieces`), some of whose ``truth.csv`` have a column
``performed_offset_s``. The pieces are dealt to the folds in turn. The notes of a fold are placed
by a network that was trained on the other folds; the weights of the decoder, five numbers, are
those of all pieces. The ends of each piece are then found by a model that was fitted to those of
all other pieces. Networks are kept in DIR.

Beside what is found stand two ends that need no sound: the length in the score at the local tempo,
and the onset of the next chord, both at the onsets that were found.
"""

import argparse
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from networks import KeptNetwork
from run import RARE, dealt, set_of

import align
from align.music.calibration import placed_pieces
from align.music.performances.pieces import TimedPiece
from align.music.placing.end_evidence import end_candidates
from align.music.placing.ends import LEAST, chosen_ends, ends_model, right_ends
from align.music.placing.placement import PlacedNotes
from align.results.time_map import mapped

BINS = (0.0, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0)
WAYS = ("found", "found, p >= .5", "found or score", "score", "next chord")


class PlacingAligner(align.MusicAligner):
    """Keeps the training pieces and their notes, as placed by networks that did not see them."""

    def _calibrate(self, cases: Any, progress: Any = None) -> None:
        own = [self._functions(case.features) for case in cases]
        self.pieces_: list[TimedPiece] = [case.item for case in cases]
        self.placed_, errors = placed_pieces(self.pieces_, own, self._weights)
        self.offset_ = float(np.median([np.nanmedian(error) for error in errors]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--work", default="music-work", help="where networks are kept")
    parser.add_argument("--folds", type=int, default=4)
    arguments = parser.parse_args()
    examples = dealt(align.read_corpus(arguments.corpus, kind="music"), arguments.folds)
    if not any(e.truth.offsets(len(e.events)) is not None for e in examples):
        raise SystemExit(f"{arguments.corpus}: no truth.csv has a column performed_offset_s.")
    model = PlacingAligner(
        network=KeptNetwork(Path(arguments.work) / "networks", random_state=0),
        n_folds=arguments.folds,
    )
    model.fit(examples, sample_weight=[RARE.get(set_of(e), 1.0) for e in examples])
    known = [k for k, piece in enumerate(model.pieces_) if piece.ends is not None]
    rows = []
    for k in known:
        others = [j for j in known if j != k]
        fitted = ends_model(
            [model.pieces_[j] for j in others], [model.placed_[j] for j in others], model.offset_
        )
        piece = model.pieces_[k]
        found = ends_found(piece, model.placed_[k], model.offset_, fitted)
        rows.append((Path(piece.name).parent.name, found))
    print_tables(rows)


def ends_found(
    piece: TimedPiece, placed: PlacedNotes, offset: float, model: Any
) -> dict[str, np.ndarray]:
    """Return, of the notes whose end is known, when they begin and end, and the ends found."""
    performance = piece.performance
    onsets, chords = placed.notes - offset, placed.chords - offset
    made = end_candidates(performance, onsets, chords)
    found, sure = chosen_ends(made, model, onsets.size)
    written = mapped(performance.notes.ends, performance.chords.onsets, chords)
    ends = {
        "found": found,
        "found, p >= .5": np.where(sure >= LEAST, found, np.nan),
        "found or score": np.where(sure >= LEAST, found, written),
        "score": np.maximum(written, onsets),
        "next chord": np.append(chords[1:], performance.end)[performance.chords.group],
    }
    true = {"onset": piece.onsets, "true": piece.ends, "sure": sure}
    known = np.isfinite(piece.ends - piece.onsets)
    return {name: values[known] for name, values in {**true, **ends}.items()}


def figures(row: dict[str, np.ndarray], way: str) -> str:
    """Return percent known, of these right, within 50 and 100 ms, and mean and median in ms."""
    part = np.isfinite(row[way])
    error = np.abs(row[way] - row["true"])[part]
    right = right_ends(row[way], row["onset"], row["true"])[part]
    shares = (part.mean(), right.mean(), (error <= 0.05).mean(), (error <= 0.1).mean())
    values = [100 * share for share in shares] + [1000 * error.mean(), 1000 * np.median(error)]
    return "".join(f"{value:8.1f}" for value in values)


def print_tables(rows: list[tuple[str, dict[str, np.ndarray]]]) -> None:
    """Print the table of pieces, that of all notes, and how far the confidence can be trusted."""
    print(f"{'':44}{'notes':>8}{'right':>8}{'50 ms':>8}{'100 ms':>8}{'mean':>8}{'median':>8}")
    whole = {key: np.concatenate([row[key] for _, row in rows]) for key in rows[0][1]}
    for name, row in [*rows, (f"all {whole['true'].size} notes", whole)]:
        for way in WAYS:
            print(f"{name:28}{way:16}{figures(row, way)}")
    for way in WAYS:
        right = [right_ends(row[way], row["onset"], row["true"]) for _, row in rows]
        known = [np.isfinite(row[way]) for _, row in rows]
        mean = np.mean([r[k].mean() for r, k in zip(right, known, strict=True)])
        print(f"mean over pieces            {way:16}{100 * mean:16.1f}")
    right = right_ends(whole["found"], whole["onset"], whole["true"])
    for low, high in pairwise(BINS):
        part = (whole["sure"] >= low) & (whole["sure"] < (high if high < 1 else 2))
        if part.any():
            print(
                f"confidence {low:.2f}..{high:.2f}: {part.sum():5d} notes, "
                f"mean {whole['sure'][part].mean():.3f}, right {right[part].mean():.3f}"
            )


if __name__ == "__main__":
    main()
