"""Spoil recordings of music and their scores with a fixed seed, and count what is recognised.

::

    python recipes/mismatch/music.py CORPUS [--model piano] [--every N] [--only CASE ...]

CORPUS is a folder of sets of pieces, as of `recipes/music`. Pieces on which the constants of the
search were chosen (`CHOSEN_ON`) are left out. The bundled model was trained on all of CORPUS: its
figures are those of known pieces, and show what a case loses against the whole recording, not how
exact it is on new ones. A model that was trained without some pieces is given by ``--model``.
"""

import argparse
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
from scipy.signal import resample

import align
from align.features import read_audio
from align.types import Note

CHOSEN_ON = {
    "01-AchGottundHerr",
    "02-AchLiebenChristen",
    "bor_ps6_ENSTDkCl",
    "grieg_butterfly_ENSTDkCl",
    "mz_331_3_ENSTDkCl",
    "pathetique_2_ENSTDkAm",
    "ty_maerz_ENSTDkAm",
    "s01_bach_fugue846",
    "s05_beethoven_26_2",
    "s07_schubert_op90_3",
    "s09_chopin_op10_4",
}
PARTS = ("first half", "second half", "middle third", "inner part", "two parts", "cut", "repeated")
KEYS = ("transposed", "detuned")
CASES = ("whole", *PARTS, *KEYS, "applause", "talk", "another piece", "5 % wrong", "10 % wrong")
APPLAUSE = 15.0  # seconds before and after
ENDING = 15.0  # seconds of the music that is put between talk
CLOSE = (0.3, 1.0)  # seconds between talk and the first note, and the last note and talk


class Case(NamedTuple):
    """A recording, a score, when its notes are heard (NaN: they are not), and semitones."""

    name: str
    samples: np.ndarray
    notes: list[Note]
    onsets: np.ndarray
    semitones: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--model", default="piano")
    parser.add_argument("--every", type=int, default=1, help="of so many pieces, one")
    parser.add_argument("--only", nargs="+", choices=CASES, default=CASES)
    arguments = parser.parse_args()
    model = align.load(arguments.model)
    corpus = [
        example
        for example in align.read_corpus(arguments.corpus, kind="music")
        if Path(example.name).parent.name not in CHOSEN_ON
    ]
    rows: dict[str, list[tuple[float, float, bool, bool, bool]]] = {name: [] for name in CASES}
    for k in range(0, len(corpus), arguments.every):
        rng = np.random.default_rng(k)
        samples, rate = soundfile.read(corpus[k].audio, dtype="float32")
        for case in cases(corpus[k], corpus[k - 1], samples, rate, rng):
            if case.name not in arguments.only:
                continue
            found = model.align(case.samples, case.notes, rate=rate)
            error = np.abs(found.onsets - case.onsets)[np.isfinite(case.onsets)]
            right = float(np.mean(error <= 0.05)) if error.size else np.nan
            said = " ".join(found.warnings)
            rows[case.name].append(
                (
                    right,
                    found.match or 0.0,
                    "does not seem" in said,
                    bool(found.passages),
                    sounding(found) == round(case.semitones),
                )
            )
        print(corpus[k].name, flush=True)
    print_table(rows)


def cases(
    example: align.Example,
    other: align.Example,
    x: np.ndarray,
    rate: int,
    rng: np.random.Generator,
) -> Iterator[Case]:
    """Yield all cases of a piece; `other` is another."""
    notes, onsets, seconds = list(example.events), example.onsets, len(x) / rate
    begin = rng.uniform(0.1, 0.5)
    spans = {
        "first half": [(0.0, 0.5)],
        "second half": [(0.5, 1.0)],
        "middle third": [(1 / 3, 2 / 3)],
        "inner part": [(begin, begin + 0.3)],
        "two parts": [(0.1, 0.35), (0.6, 0.9)],
        "cut": [(0.0, 0.4), (0.65, 1.0)],
        "repeated": [(0.0, 0.5), (0.3, 1.0)],
    }
    yield Case("whole", x, notes, onsets)
    for name, parts in spans.items():
        pieces = [x[round(a * len(x)) : round(b * len(x))] for a, b in parts]
        heard, start = np.full(len(notes), np.nan), 0.0
        for a, b in parts:
            within = (onsets >= a * seconds) & (onsets < b * seconds)  # the last playing counts
            heard[within] = onsets[within] - a * seconds + start
            start += (b - a) * seconds
        yield Case(name, np.concatenate(pieces), notes, heard)
    shift = int(rng.choice([-7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7]))
    tuned = 12 * np.log2(rng.uniform(400, 466) / 440)
    for name, semitones in (("transposed", float(shift)), ("detuned", tuned)):
        n = round(len(x) / 2 ** (semitones / 12))
        y = resample(x, n).astype(np.float32)
        yield Case(name, y, notes, onsets * n / len(x), semitones)
    claps = applause(rate, rng) * np.sqrt(np.mean(x**2))
    yield Case("applause", np.concatenate([claps, x, claps]), notes, onsets + APPLAUSE)
    yield Case("talk", *between_talk(x, rate, onsets, notes))
    yield Case("another piece", x, list(other.events), np.full(len(other.events), np.nan))
    for name, share in (("5 % wrong", 0.05), ("10 % wrong", 0.1)):
        wrong = rng.random(len(notes)) < share
        moved = rng.choice([-3, -2, -1, 1, 2, 3], len(notes))
        spoilt = [
            Note(int(np.clip(note.pitch + m * w, 21, 108)), note.onset)
            for note, m, w in zip(notes, moved, wrong, strict=True)
        ]
        yield Case(name, x, spoilt, np.where(wrong, np.nan, onsets))


def applause(rate: int, rng: np.random.Generator) -> np.ndarray:
    """Return many short bursts of noise, with a mean power of 1."""
    n = round(APPLAUSE * rate)
    strokes = np.zeros(n)
    strokes[rng.integers(0, n, round(60 * APPLAUSE))] = rng.exponential(size=round(60 * APPLAUSE))
    loud = np.convolve(strokes, np.exp(-np.arange(round(0.03 * rate)) / (0.008 * rate)))[:n]
    out = loud * rng.normal(size=n)
    return (out / np.sqrt(np.mean(out**2))).astype(np.float32)


def between_talk(
    x: np.ndarray, rate: int, onsets: np.ndarray, notes: list[Note]
) -> tuple[np.ndarray, list[Note], np.ndarray]:
    """Return the end of a recording between talk as loud, its notes, and when they are heard."""
    talk, _ = read_audio(files("align.data") / "north-wind.flac", rate)
    talk = talk * np.sqrt(np.mean(x**2) / np.mean(talk**2))
    last, written = np.nanmax(onsets), np.array([note.onset for note in notes])
    own = np.flatnonzero(written >= written[onsets >= last - ENDING].min())
    first = max(round((np.nanmin(onsets[own]) - CLOSE[0]) * rate), 0)
    music = x[first : round((last + CLOSE[1]) * rate)]
    samples = np.concatenate([talk, music, talk]).astype(np.float32)
    return samples, [notes[i] for i in own], onsets[own] + (len(talk) - first) / rate


def sounding(found: align.MusicAlignment) -> int:
    """Return by how many semitones a recording is found to be higher."""
    return round(found.transposition + 12 * float(np.log2((found.tuning or 440.0) / 440.0)))


def print_table(rows: dict[str, list[tuple[float, float, bool, bool, bool]]]) -> None:
    """Print a line for each case, and what separates right from wrong pieces."""
    print(f"{'':16}{'n':>4}{'50 ms %':>9}{'match':>7}{'part %':>8}{'key %':>7}{'other %':>9}")
    for name, found in rows.items():
        if found:
            near, match, other, part, key = np.array(found, dtype=float).T
            shown = (np.nanmean(near) if np.isfinite(near).any() else np.nan, match.mean())
            print(
                f"{name:16}{len(found):4}{100 * shown[0]:9.1f}{shown[1]:7.2f}"
                f"{100 * part.mean():8.0f}{100 * key.mean():7.0f}{100 * other.mean():9.0f}"
            )
    parts = [row for name in PARTS for row in rows[name]]
    if parts:
        told = np.mean([row[3] and not row[2] for row in parts])
        print(f"parts recognised: {100 * told:.1f} % of {len(parts)}")
    right, wrong = (
        np.array([row[1] for row in rows[name]]) for name in ("whole", "another piece")
    )
    if right.size and wrong.size:
        area = np.mean(right[:, None] > wrong) + 0.5 * np.mean(right[:, None] == wrong)
        print(f"area under the curve, right against wrong pieces, by the match: {area:.3f}")


if __name__ == "__main__":
    main()
