"""Follow every piece with a network that never heard it: how many notes are reported in time.

::

    python recipes/follow/run.py CORPUS [--work DIR] [--seconds 60] [--lag 0.3] [--pieces 1 2 ...]

CORPUS is that of `recipes/music`. The pieces of each set are dealt to four folds in turn; a piece
is followed by a network that was trained on the other folds (two minutes each, kept in DIR), with
the weights and the offset of the bundled model. Notes of the first `--seconds` of the recording
are compared with the truth.

``--spoil`` follows performances that are not the score: ``repeat`` goes back by ten seconds after
20 s, ``cut`` leaves the next ten seconds out, and ``noise`` has noise in their place. Scored are
the notes from three seconds after the change on. ``--peer PYTHON`` runs matchmaker, installed in
an environment of its own (`pip install pymatchmaker`), on the same sound.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

import align
from align.features.sound.audio import read_audio
from align.music.following import Follower, Weights

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "music"))
from networks import KeptNetwork
from recipe_outputs import write_numbers
from run import dealt, set_of, timed_notes

N_FOLDS = 4
RATE = 22050
BLOCK = 221  # samples
CHANGE, LENGTH, AFTER = 20.0, 10.0, 3.0  # seconds
CHOSEN = (0, 3, 5, 12, 20, 26)  # pieces that the constants were chosen by


def networks(examples: Sequence[align.Example], folder: Path) -> list[KeptNetwork]:
    """Return the network of each fold, trained on the others."""
    timed = timed_notes(examples)
    found = []
    for fold in range(N_FOLDS):
        rest = [t for t, e in zip(timed, examples, strict=True) if e.group != f"fold {fold}"]
        found.append(KeptNetwork(folder, random_state=0).fit(rest))
    return found


def spoilt(samples: np.ndarray, onsets: np.ndarray, how: str | None) -> tuple[Any, Any, float]:
    """Return sound, times of the notes in it (NaN: not played), and from when notes count."""
    if how is None:
        return samples, onsets, 0.0
    at, length = round(CHANGE * RATE), round(LENGTH * RATE)
    times = onsets.copy()
    gone = (onsets >= CHANGE) & (onsets < CHANGE + LENGTH)
    if how == "repeat":
        times[onsets >= CHANGE - LENGTH] += LENGTH  # the last time counts
        return np.concatenate([samples[:at], samples[at - length :]]), times, CHANGE + AFTER
    times[gone] = np.nan
    if how == "cut":
        times[onsets >= CHANGE + LENGTH] -= LENGTH
        return np.concatenate([samples[:at], samples[at + length :]]), times, CHANGE + AFTER
    noise = 0.05 * np.random.default_rng(0).standard_normal(length).astype(np.float32)
    sound = np.concatenate([samples[:at], noise, samples[at + length :]])
    return sound, times, CHANGE + LENGTH + AFTER


def followed(
    follower: Follower, samples: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return when each note was heard, how late, how often, and the share of real time."""
    heard = np.full(len(follower.score), np.nan)
    late = heard.copy()
    begin = time.process_time()
    played = []
    for at in range(0, len(samples), BLOCK):
        played += follower.feed(samples[at : at + BLOCK])
    played += follower.finish()
    spent = time.process_time() - begin
    for chord in played:
        heard[list(chord.notes)] = chord.times
        late[list(chord.notes)] = chord.reported - np.array(chord.times)
    often = sum(len(chord.notes) for chord in played) / max(1, np.isfinite(heard).sum())
    return heard, late, often, spent * RATE / len(samples)


def peer_times(python: str, samples: np.ndarray, example: align.Example) -> np.ndarray:
    """Return when matchmaker says that each note is played."""
    with tempfile.TemporaryDirectory() as folder:
        sound = Path(folder) / "a.wav"
        soundfile.write(sound, samples, RATE)
        program = str(Path(__file__).with_name("matchmaker_times.py"))
        score = Path(str(example.audio)).with_name("score.mid")
        command = [python, program, str(sound), str(score)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True)
    rows = json.loads(done.stdout.splitlines()[-1])
    times = np.full(len(example.score), np.nan)
    waiting: dict[int, list[float]] = {}
    for pitch, at in rows:
        waiting.setdefault(pitch, []).append(at)
    for n in np.argsort(example.score.onsets, kind="stable"):
        of_pitch = waiting.get(int(example.score.pitches[n]))
        if of_pitch:
            times[n] = of_pitch.pop(0)
    return times


def row_of(heard: np.ndarray, times: np.ndarray, begin: float, end: float) -> dict[str, float]:
    """Return the figures of the notes that were played between two times."""
    counts = np.isfinite(times) & (times >= begin) & (times < end)
    error = np.abs(heard - times)[counts]
    missing = np.isnan(error)
    error = np.where(missing, np.inf, error)
    return {
        "notes": int(counts.sum()),
        "within 50 ms": round(100 * float(np.mean(error <= 0.05)), 1),
        "within 100 ms": round(100 * float(np.mean(error <= 0.1)), 1),
        "median ms": round(1000 * float(np.median(error)), 1),
        "never reported": round(100 * float(missing.mean()), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("corpus")
    parser.add_argument("--work", type=Path, default=Path("follow-work"))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--lag", type=float, default=0.3)
    parser.add_argument("--pieces", type=int, nargs="*", help="only these, counted from 0")
    parser.add_argument("--spoil", choices=["repeat", "cut", "noise"])
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()

    examples = dealt(align.read_corpus(asked.corpus, kind="music"), N_FOLDS)
    of_fold = networks(examples, asked.work)
    bundled = align.load("piano")
    named = dict(zip(bundled.base_functions_, bundled.coef_ / bundled.scale_, strict=True))
    weights = Weights(*(float(named[name]) for name in Weights._fields))
    rows: list[dict[str, Any]] = []
    for number, example in enumerate(examples):
        if asked.pieces is not None and number not in asked.pieces:
            continue
        network = of_fold[int(str(example.group).split()[1])]
        samples = read_audio(example.audio, RATE)[0][: round(asked.seconds * RATE)]
        sound, times, begin = spoilt(samples, np.asarray(example.onsets), asked.spoil)
        follower = Follower(
            network, weights, example.score, RATE, lag=asked.lag, offset=bundled.offset_
        )
        heard, late, often, share = followed(follower, sound)
        end = len(sound) / RATE - 0.5
        row = {"piece": number, "set": set_of(example), **row_of(heard, times, begin, end)}
        row["95 % reported in ms"] = round(1000 * float(np.nanquantile(late, 0.95)))
        row["reports of a note"] = round(often, 3)
        row["of real time"] = round(share, 3)
        if asked.peer:
            theirs = row_of(peer_times(asked.peer, sound, example), times, begin, end)
            row["peer"] = theirs["within 100 ms"]
            row["peer median ms"] = theirs["median ms"]
        rows.append(row)
        print(*(f"{key} {value}" for key, value in row.items()), sep="  ", flush=True)
    for title, part in (
        ("chosen by", [row for row in rows if row["piece"] in CHOSEN]),
        ("others", [row for row in rows if row["piece"] not in CHOSEN]),
    ):
        if part:
            keys = [key for key in part[0] if key not in ("piece", "set", "notes")]
            means = {key: round(float(np.mean([row[key] for row in part])), 3) for key in keys}
            print(f"mean of {len(part)} pieces, {title}:", means)
    write_numbers({"rows": rows}, asked.json)


if __name__ == "__main__":
    main()
