"""Say what is left on quartets: how each voice begins, by its truth and by where it was placed.

::

    python recipes/music/voices.py CORPUS [--work DIR]

`run.py` has kept the errors of the set ``bach10`` in DIR. Of the chords of four notes each voice
is laid over itself: the levels of those of its first six harmonics that none of the first four of
another note of about that time is near, about the truth of each note and about its place. Printed
is when they rise most steeply. The last line is another way to place them: where the levels of the
note, and of the one before it in its voice, change most, within .15 s of where it was placed.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile

import align

VOICES = ("violin", "clarinet", "saxophone", "bassoon")
TUNING = 0.09  # semitones, of these recordings
HARMONICS, OTHERS, APART = 6, 4, 0.7  # and semitones
WINDOW, HOP, REACH = 0.05, 0.005, 0.15  # seconds
OFF, CLOSE = 0.040, 0.020  # seconds
BENT = 300.0  # dB squared, at 50 ms from where a note was placed


class Quartet(NamedTuple):
    samples: np.ndarray
    rate: int
    pitches: np.ndarray
    true: np.ndarray
    found: np.ndarray
    chords: list  # of the indices of four notes, the highest first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--work", default="music-work", help="where run.py kept the errors")
    arguments = parser.parse_args()
    quartets = read_quartets(arguments.corpus, Path(arguments.work))
    for v, voice in enumerate(VOICES):
        notes = [(q, n, chord[v]) for q in quartets for n, chord in enumerate(q.chords)]
        errors = np.array([q.found[k] - q.true[k] for q, _, k in notes])
        print(f"\n{voice}: {len(notes)} notes, mean {1e3 * np.abs(errors).mean():.1f} ms")
        groups = {
            "late": errors > OFF,
            "early": errors < -OFF,
            "close": np.abs(errors) < CLOSE,
        }
        for name, which in groups.items():
            chosen = [notes[i] for i in np.flatnonzero(which)]
            share = np.abs(errors[which]).sum() / np.abs(errors).sum()
            times = [steepest(chosen, where) for where in ("true", "found")]
            print(
                f"  {name:6} {len(chosen):3} notes, {100 * share:2.0f} % of the error; steepest "
                f"at {1e3 * times[0]:+4.0f} ms by the truth, {1e3 * times[1]:+4.0f} as placed"
            )
        changes = np.array([change(q, n, v) - q.true[k] for q, n, k in notes])
        known = np.isfinite(changes)
        changes = changes[known] - np.median(changes[known])
        half = 0.5 * (errors[known] + changes)
        print(
            f"  change: {known.sum()} notes, {1e3 * np.abs(changes).mean():.1f} ms where placed "
            f"{1e3 * np.abs(errors[known]).mean():.1f}, halfway {1e3 * np.abs(half).mean():.1f}"
        )


def read_quartets(corpus: str, work: Path) -> list[Quartet]:
    errors = {}
    for path in sorted(work.glob("errors-default-*.json")):
        errors.update(json.loads(path.read_text(encoding="utf-8")))
    quartets = []
    for example in align.read_corpus(corpus, kind="music"):
        name = Path(example.name).parent.name
        if errors.get(name, {}).get("set") != "bach10":
            continue
        truth = example.truth
        true = truth.performed
        by_onset = defaultdict(list)
        for row, note in enumerate(truth.index):
            by_onset[round(example.events[note].onset, 3)].append(row)
        pitches = np.array([example.events[k].pitch for k in truth.index])
        chords = [sorted(by_onset[t], key=lambda row: -pitches[row]) for t in sorted(by_onset)]
        samples, rate = soundfile.read(example.audio)
        found = true + 1e-3 * np.array(errors[name]["errors"])
        full = [chord for chord in chords if len(chord) == len(VOICES)]
        quartets.append(Quartet(samples, rate, pitches, true, found, full))
    return quartets


def free(q: Quartet, pitch: int, notes: list[int]) -> list[int]:
    """Return the harmonics of a pitch that none of the notes is near."""
    others = {int(q.pitches[k]) + 12 * np.log2(g) for k in notes for g in range(1, OTHERS + 1)}
    places = {h: pitch + 12 * np.log2(h) for h in range(1, HARMONICS + 1)}
    return [h for h, at in places.items() if all(abs(at - other) > APART for other in others)]


def levels(q: Quartet, pitch: int, harmonic: int, times: np.ndarray) -> np.ndarray:
    """Return the level of a harmonic, in dB, at least 30 below its highest."""
    f = 440 * 2 ** ((pitch + TUNING - 69) / 12) * harmonic
    n = round(WINDOW * q.rate) | 1
    shift = np.arange(n) - n // 2
    window = np.hanning(n) * np.exp(-2j * np.pi * f * shift / q.rate) / np.hanning(n).sum()
    index = np.rint(times[:, None] * q.rate).astype(int) + shift
    inside = (index >= 0) & (index < len(q.samples))
    x = np.where(inside, q.samples[np.clip(index, 0, len(q.samples) - 1)], 0.0)
    out = 20 * np.log10(np.abs(x @ window) + 1e-5)
    return np.maximum(out, out.max() - 30)


def near(q: Quartet, note: int, but: int | None = None) -> list[int]:
    away = q.found - q.found[note]
    return [k for k in np.flatnonzero((away > -1.0) & (away < 0.15)) if k not in (note, but)]


def steepest(notes: list, where: str) -> float:
    """Return when the mean of the free harmonics of notes rises most, in seconds."""
    times = np.arange(-0.2, 0.201, 0.01)
    curves = []
    for q, _, k in notes:
        pitch = int(q.pitches[k])
        for h in free(q, pitch, near(q, k)):
            curves.append(levels(q, pitch, h, getattr(q, where)[k] + times))
    if not curves:
        return np.nan
    rise = np.diff(np.mean([curve - curve.mean() for curve in curves], axis=0))
    return float(times[:-1][rise.argmax()] + 0.005)


def change(q: Quartet, n: int, voice: int) -> float:
    """Return where note and note before change most, by two levels for each harmonic."""
    k = q.chords[n][voice]
    before = q.chords[n - 1][voice] if n else None
    times = q.found[k] + np.arange(-REACH - 0.05, REACH + 0.05, HOP)
    others = near(q, k, before)
    asked = [(k, 1.0, before)]
    if before is not None and q.pitches[before] != q.pitches[k]:
        asked.append((before, -1.0, k))
    curves = [
        sign * levels(q, int(q.pitches[note]), h, times)
        for note, sign, beside in asked
        for h in free(q, int(q.pitches[note]), others + ([] if beside is None else [beside]))
    ]
    if not curves:
        return np.nan
    x = np.array(curves)
    size = np.arange(1, x.shape[1])
    first, total = np.cumsum(x, axis=1)[:, :-1], x.sum(axis=1, keepdims=True)
    gain = first**2 / size + (total - first) ** 2 / (x.shape[1] - size) - total**2 / x.shape[1]
    gain = np.where((total - first) / (x.shape[1] - size) > first / size, gain, 0.0).sum(axis=0)
    middle = times[1:] - HOP / 2
    gain -= BENT * ((middle - q.found[k]) / 0.05) ** 2
    gain[np.abs(middle - q.found[k]) > REACH] = -np.inf
    return float(middle[gain.argmax()])


if __name__ == "__main__":
    main()
