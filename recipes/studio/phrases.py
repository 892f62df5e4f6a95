"""Cut pieces of music into parts of some seconds, each a recording of its own with its score.

::

    python recipes/studio/phrases.py CORPUS PARTS [--seconds 4]

CORPUS is a folder of pieces, as of `recipes/music`; PARTS gets a folder for each part. A part
begins where as many notes begin together as ever do in the piece, after all notes before. Its
recording begins a quarter of a second before the first of them is played, and ends where the next
part begins.
"""

import argparse
import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile

import align
from align.files.atomic import atomic_write
from align.formats.scores import chords

BEFORE = 0.25
"""Seconds of a recording before its first note."""
APART = 0.02
"""Seconds by which a recording ends before the first note of the next one."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("parts", type=Path)
    parser.add_argument("--seconds", type=float, default=4.0, help="of a part, at the least")
    arguments = parser.parse_args()
    for example in align.read_corpus(arguments.corpus, kind="music"):
        samples, rate = soundfile.read(str(example.audio))
        name = Path(example.name).parent.name
        for k, (own, begin, end) in enumerate(parts_of(example, arguments.seconds)):
            folder = arguments.parts / f"{name}-{k:02}"
            folder.mkdir(parents=True, exist_ok=True)
            first, stop = round(begin * rate), None if end is None else round(end * rate)
            soundfile.write(folder / "audio.flac", samples[first:stop], rate)
            write_score(folder, example, own, first / rate)


def parts_of(
    example: align.Example, seconds: float
) -> Iterator[tuple[np.ndarray, float, float | None]]:
    """Yield the notes of each part, and when its recording begins and ends (None: as the whole).

    A last part is half of `seconds` long at the least.
    """
    group, times = chords(example.score).group, np.asarray(example.onsets)
    played, together = np.isfinite(times), np.bincount(group)
    early, late = np.full(together.size, np.inf), np.full(together.size, -np.inf)
    np.minimum.at(early, group[played], times[played])
    np.maximum.at(late, group[played], times[played])
    before, end = np.maximum.accumulate(late), times[played].max()
    first = [0]
    for g in np.flatnonzero((together == together.max()) & np.isfinite(early)).tolist():
        long = early[g] - early[first[-1]] >= seconds and end - early[g] >= 0.5 * seconds
        if long and before[g - 1] < early[g] - APART:
            first.append(g)
    for k, g in enumerate(first):
        last = k + 1 == len(first)
        own = np.flatnonzero((group >= g) & (last or group < first[min(k + 1, len(first) - 1)]))
        stop = None if last else float(early[first[k + 1]]) - APART
        yield own, 0.0 if k == 0 else max(float(early[g]) - BEFORE, 0.0), stop


def write_score(folder: Path, example: align.Example, own: np.ndarray, begin: float) -> None:
    """Write the score and the truth of some notes; the score begins with the first of them."""
    score, rows, truth = example.score, io.StringIO(), io.StringIO()
    table, played = csv.writer(rows, lineterminator="\n"), csv.writer(truth, lineterminator="\n")
    table.writerow(["onset_s", "pitch", "duration_s", "id"])
    played.writerow(["score_onset_s", "pitch", "performed_onset_s", "id"])
    start = score.onsets[own[0]]
    for i in own.tolist():
        onset, pitch = f"{score.onsets[i] - start:.6f}", int(score.pitches[i])
        table.writerow([onset, pitch, f"{score.durations[i]:.6f}", score.ids[i]])
        if np.isfinite(example.onsets[i]):
            heard = f"{example.onsets[i] - begin:.6f}"
            played.writerow([onset, pitch, heard, score.ids[i]])
    atomic_write(folder / "score.csv", rows.getvalue(), overwrite=True)
    atomic_write(folder / "truth.csv", truth.getvalue(), overwrite=True)


if __name__ == "__main__":
    main()
