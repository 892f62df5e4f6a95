"""Spoil scores and recordings with a fixed seed, and count what is found not to be played.

::

    python recipes/mismatch/notes.py CORPUS [--work DIR] [--seconds 60] [--write MODEL]

CORPUS is that of `recipes/music`. The first `--seconds` of each piece are aligned with the true
score and with spoiled ones: 5 and 10 % of the pitches wrong, and 5 and 10 % of notes added, which
are then left out of the recording. Eight seconds are cut from the recording (bars left out), or
eight seconds of another piece put in (extra music).

A piece is aligned with a network that was trained on the three other folds of four, as in
`recipes/follow` (kept in DIR), and the other weights of the bundled model; the logistic function
is fitted to the true and the spoiled scores of the other folds. ``--write`` writes the bundled
model with the function that is fitted to all pieces.
"""

import argparse
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

import align
from align.errors import AlignError
from align.features.sound.audio import read_audio
from align.music.checking.mismatches import LISTED, wrong_score
from align.music.performances.performance import make_performance, read_signal
from align.music.placing.unplayed import spoiled_score, true_onsets
from align.sequence.evidence import EvidenceModel

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "music"))
from networks import KeptNetwork
from run import dealt, timed_notes

N_FOLDS, RATE = 4, 22050
AT, LENGTH = 20.0, 8.0  # seconds
CASES = {
    "true score": (0.0, 0.0),
    "5 % wrong": (0.05, 0.0),
    "10 % wrong": (0.1, 0.0),
    "5 % left out": (0.0, 0.05),
    "10 % left out": (0.0, 0.1),
    "5 % of each": (0.05, 0.05),
}
FITTED_TO = ("true score", "5 % of each")
BINS = (0.0, 0.02, 0.1, 0.5, 0.9, 1.01)


class Notes(NamedTuple):
    """Notes of a score: their fold and case, the evidence, and which were not played."""

    fold: int
    case: str
    evidence: np.ndarray
    unplayed: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--work", type=Path, default=Path("follow-work"))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--write", type=Path, metavar="MODEL")
    asked = parser.parse_args()
    examples = dealt(align.read_corpus(asked.corpus, kind="music"), N_FOLDS)
    models = models_of(examples, asked.work)
    pieces = [first_of(example, asked.seconds) for example in examples]
    every: list[Notes] = []
    for number, (example, (samples, piece)) in enumerate(zip(examples, pieces, strict=True)):
        fold = fold_of(example)
        every += spoiled(models[fold], samples, piece, np.random.default_rng(number), fold)
    for fold, model in enumerate(models):
        model.unplayed_ = fitted([notes for notes in every if notes.fold != fold])
    print_notes(every, models)
    print_bars(examples, models, pieces)
    if asked.write:
        bundled = align.load("piano")
        bundled.unplayed_ = fitted(every)
        bundled.save(asked.write, licence=bundled.licence_)


def fold_of(example: align.Example) -> int:
    return int(str(example.group).split()[1])


def models_of(examples: list[align.Example], folder: Path) -> list[Any]:
    """Return the bundled model with the network of each fold."""
    timed = timed_notes(examples)
    models = []
    for fold in range(N_FOLDS):
        rest = [t for t, e in zip(timed, examples, strict=True) if fold_of(e) != fold]
        model = align.load("piano")
        model.features_[0].network = KeptNetwork(folder, random_state=0).fit(rest)
        models.append(model)
    return models


def first_of(example: align.Example, seconds: float) -> tuple[np.ndarray, align.Example]:
    """Return the beginning of a recording, and the notes that are played in it."""
    samples = read_audio(example.audio, RATE)[0][: round(seconds * RATE)]
    onsets = np.asarray(example.onsets)
    # comparisons with NaN are false: notes that were not played do not end the score
    n = int(np.flatnonzero(onsets < len(samples) / RATE - 0.5)[-1]) + 1
    score = example.score.take(np.arange(n))
    return samples, replace(example, events=score.notes, score=score, onsets=onsets[:n])


def spoiled(
    model: Any, samples: np.ndarray, piece: align.Example, rng: np.random.Generator, fold: int
) -> list[Notes]:
    """Return the evidence of all notes of a piece, with its score and with spoiled ones."""
    signal, found = read_signal(samples, rate=RATE), []
    for case, (changed, added) in CASES.items():
        score, source = spoiled_score(piece.score, rng, changed=changed, added=added)
        try:
            whole = make_performance(signal, score)
        except AlignError:  # too dense
            continue
        placed, _ = model._place(whole)
        onsets = whole.merged(true_onsets(source, np.asarray(piece.onsets)))
        found.append(Notes(fold, case, placed.unplayed, np.isnan(onsets)))
    return found


def fitted(every: list[Notes]) -> EvidenceModel:
    chosen = [notes for notes in every if notes.case in FITTED_TO]
    return EvidenceModel.fit([n.evidence for n in chosen], [n.unplayed for n in chosen])


def print_notes(every: list[Notes], models: list[Any]) -> None:
    """Print what separates played and other notes, and the calibration."""
    sure: dict[str, np.ndarray] = {}
    gone: dict[str, np.ndarray] = {}
    warned: dict[str, float] = {}
    for case in CASES:
        chosen = [notes for notes in every if notes.case == case]
        every_sure = [models[n.fold].unplayed_(n.evidence) for n in chosen]
        sure[case] = np.concatenate(every_sure)
        warned[case] = float(np.mean([wrong_score(one) is not None for one in every_sure]))
        gone[case] = np.concatenate([n.unplayed for n in chosen])
    border = float(np.quantile(sure["true score"][~gone["true score"]], 1 - 1 / 200))
    print(f"one false alarm in 200 notes of true scores: from a probability of {border:.3f}")
    for case, p in sure.items():
        y = gone[case]
        print(
            f"{case:14} {y.sum():5} of {y.size}  area {roc_auc_score(y, p):.3f}  found "
            f"{100 * np.mean(p[y] > border):.1f} %  listed {100 * np.mean(p[y] >= LISTED):.1f} %  "
            f"false {100 * np.mean(p[~y] >= LISTED):.2f} %  pieces warned of {warned[case]:.0%}"
        )
    p, y = (np.concatenate([part[case] for case in FITTED_TO]) for part in (sure, gone))
    for low, high in pairwise(BINS):
        within = (p >= low) & (p < high)
        print(
            f"{low:.2f} to {min(high, 1.0):.2f}: {within.sum():6} notes, said "
            f"{100 * p[within].mean():.1f} %, were {100 * y[within].mean():.1f} %"
        )


def print_bars(
    examples: list[align.Example],
    models: list[Any],
    pieces: list[tuple[np.ndarray, align.Example]],
) -> None:
    """Print how much of what was cut and of what was put in is listed."""
    cut, kept, added, outside = [], [], [], []
    at, length = round(AT * RATE), round(LENGTH * RATE)
    for number, (samples, piece) in enumerate(pieces):
        onsets = np.asarray(piece.onsets)
        if len(samples) < 2 * at:
            continue
        model = models[fold_of(examples[number])]
        left_out = (onsets >= AT) & (onsets < AT + LENGTH)
        short = np.concatenate([samples[:at], samples[at + length :]])
        found = model.align(short, piece.score, rate=RATE)
        named = {note for m in found.mismatches for note in m.notes}
        listed = np.array([note in named for note in found.note_ids])
        cut.append(listed[left_out].mean())
        kept.append(listed[~left_out & np.isfinite(onsets)].mean())
        other = pieces[number - 1][0][:length]
        long = np.concatenate([samples[:at], other, samples[at:]])
        found = model.align(long, piece.score, rate=RATE)
        spans = [(m.start, m.end) for m in found.mismatches if m.kind == "unwritten"]
        end = AT + len(other) / RATE
        inside = sum(max(0.0, min(b, end) - max(a, AT)) for a, b in spans)
        added.append(inside / (end - AT))
        outside.append(sum(b - a for a, b in spans) - inside)
    print(f"8 s cut, {len(cut)} pieces: of the notes cut {100 * np.mean(cut):.1f} % listed,")
    most = float(np.mean(np.array(cut) >= 0.8))
    print(f"  in {most:.0%} of pieces most of them; of the others {100 * np.mean(kept):.2f} %")
    print(f"8 s put in: {100 * np.mean(added):.1f} % of these seconds listed,")
    print(f"  and {np.mean(outside):.1f} s of others in each piece")


if __name__ == "__main__":
    main()
