"""Print what the errors of `run.py` are made of: a table of kinds of notes for each set.

::

    python recipes/music/kinds.py CORPUS [--work DIR]

Every piece was aligned by an aligner that never saw it. A row says which share of the notes is of
a kind, which share of the sum of all errors they have, their mean and median error in ms, and by
how much they are late in the median; pieces count the same. Kinds overlap. The last rows take from
each piece its own median error: what is left would be left if the truth of a recording were off by
a constant; from each note of a chord the median error of the others: what is left are notes that
are apart in truth or in ours; and from each voice of chords of four the median error that it has
in the other pieces, and in the piece itself: what an offset for each instrument would bring.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from worst import Piece, read_sets

ROLLED = 0.05  # seconds between the first and the last note of a chord
SOON = 0.3  # seconds in which a key is struck again
VOICES = ("highest of four", "second of four", "third of four", "lowest of four")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--work", default="music-work", help="where run.py kept the errors")
    arguments = parser.parse_args()
    for name, pieces in read_sets(arguments.corpus, Path(arguments.work)).items():
        kinds = [kinds_of(piece) for piece in pieces]
        errors = np.concatenate([1000 * piece.errors for piece in pieces])
        weight = np.concatenate([np.full(p.errors.size, 1 / p.errors.size) for p in pieces])
        mean = np.average(np.abs(errors), weights=weight)
        print(f"\n{name}: {len(pieces)} pieces, mean {mean:.1f} ms")
        print(f"{'':34}{'notes %':>9}{'error %':>9}{'mean':>8}{'median':>8}{'late':>8}")
        for kind in kinds[0]:
            print_row(kind, np.concatenate([own[kind] for own in kinds]), errors, weight)
        even = np.concatenate([1000 * (p.errors - np.median(p.errors)) for p in pieces])
        of_each = np.average(np.abs(even), weights=weight)
        print(f"{'without the median of each piece':34}{'':18}{of_each:8.1f}")
        own = np.concatenate([1000 * beside_others(piece) for piece in pieces])
        known = np.isfinite(own)
        of_chords = np.average(np.abs(own[known]), weights=weight[known])
        print(f"{'without that of the others':34}{'':18}{of_chords:8.1f}")
        before, others, own_offsets = beside_voices(pieces, kinds)
        print(f"{'chords of four':34}{'':18}{before:8.1f}")
        print(f"{'without that of a voice elsewhere':34}{'':18}{others:8.1f}")
        print(f"{'without that of a voice':34}{'':18}{own_offsets:8.1f}")


def beside_others(piece: Piece) -> np.ndarray:
    """Return errors less the median of the other notes of the chord, NaN for a note alone."""
    written = np.array([piece.example.events[k].onset for k in piece.example.truth.index])
    out = np.full(written.size, np.nan)
    for onset in np.unique(written):
        chord = np.flatnonzero(written == onset)
        if chord.size > 1:
            errors = piece.errors[chord]
            out[chord] = [e - np.median(np.delete(errors, k)) for k, e in enumerate(errors)]
    return out


def beside_voices(
    pieces: Sequence[Piece], kinds: Sequence[dict[str, np.ndarray]]
) -> tuple[float, float, float]:
    """Return the mean error in ms of chords of four, and without the medians of their voices.

    The first medians are those of the other pieces, the second those of the piece.
    """
    errors = [
        [1000 * piece.errors[own[voice]] for voice in VOICES]
        for piece, own in zip(pieces, kinds, strict=True)
    ]
    rows = []
    for i, voices in enumerate(errors):
        if not voices[0].size:
            continue
        others = [
            np.concatenate([other[v] for k, other in enumerate(errors) if k != i])
            for v in range(len(VOICES))
        ]
        moved = (np.zeros(len(VOICES)), [np.median(e) for e in others], map(np.median, voices))
        sizes = [
            np.concatenate([np.abs(e - m) for e, m in zip(voices, medians, strict=True)])
            for medians in moved
        ]
        rows.append([size.mean() for size in sizes])
    before, elsewhere, here = np.mean(rows, axis=0) if rows else np.full(3, np.nan)
    return float(before), float(elsewhere), float(here)


def kinds_of(piece: Piece) -> dict[str, np.ndarray]:
    """Return which notes of a piece are of each kind [shape=(N,)]."""
    size = np.abs(piece.errors)
    written = np.array([piece.example.events[k].onset for k in piece.example.truth.index])
    chord = np.unique(written, return_inverse=True)[1]
    first, last = np.full(chord.max() + 1, np.inf), np.full(chord.max() + 1, -np.inf)
    np.minimum.at(first, chord, piece.true)
    np.maximum.at(last, chord, piece.true)
    of_chord = np.array([np.median(piece.errors[chord == g]) for g in range(chord.max() + 1)])
    since = np.full(size.size, np.inf)
    for pitch in np.unique(piece.pitches):
        own = np.flatnonzero(piece.pitches == pitch)
        own = own[np.argsort(piece.true[own])]
        since[own[1:]] = np.diff(piece.true[own])
    members = np.bincount(chord)[chord]
    order = np.lexsort((-piece.pitches, chord))
    rank = np.empty(size.size, dtype=np.intp)
    rank[order] = np.arange(size.size) - np.searchsorted(chord[order], chord[order])
    voices = {name: (members == len(VOICES)) & (rank == v) for v, name in enumerate(VOICES)}
    alone = members == 1
    beside = np.abs(piece.errors - of_chord[chord])
    return {
        "within 10 ms": size <= 0.01,
        "10 to 25 ms": (size > 0.01) & (size <= 0.025),
        "25 to 50 ms": (size > 0.025) & (size <= 0.05),
        "50 to 100 ms": (size > 0.05) & (size <= 0.1),
        "over 100 ms": size > 0.1,
        "alone": alone,
        "in a chord that is together": ~alone & ((last - first)[chord] <= ROLLED),
        "in a rolled chord (over 50 ms)": ~alone & ((last - first)[chord] > ROLLED),
        "the same key .3 s before": since <= SOON,
        **voices,
        "below A2": piece.pitches < 45,
        "from C5 up": piece.pitches >= 72,
        "all of the chord off by 20 ms": (np.abs(of_chord[chord]) > 0.02) & (beside <= 0.02),
        "20 ms beside its chord's error": beside > 0.02,
    }


def print_row(kind: str, chosen: np.ndarray, errors: np.ndarray, weight: np.ndarray) -> None:
    """Print shares of the notes and of the errors, mean and median, and how late they are."""
    size = np.abs(errors)
    if not chosen.any():
        return
    notes = 100 * weight[chosen].sum() / weight.sum()
    share = 100 * (weight * size)[chosen].sum() / (weight * size).sum()
    mean = np.average(size[chosen], weights=weight[chosen])
    late = np.median(errors[chosen])
    median = np.median(size[chosen])
    print(f"{kind:34}{notes:9.1f}{share:9.1f}{mean:8.1f}{median:8.1f}{late:8.1f}")


if __name__ == "__main__":
    main()
