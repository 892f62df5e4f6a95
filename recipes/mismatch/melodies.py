"""Make sung melodies, write their scores in other keys, and count what is recognised.

::

    python recipes/mismatch/melodies.py [--melodies N] [--first SEED]

A melody of 24 notes walks up and down a major scale, in two rhythms and a wandering tempo. It is
sung by a source of harmonics through the formants of *a*, with a vibrato of .4 or .7 semitones,
slides of 30 ms into every second note, and a little noise. Its score stands in the key that is
sung, or by -7 to 7 semitones or an octave higher. No recording is needed; nobody has sung.
"""

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

from align.music.choosing import align_music

RATE = 16000
SCALE = (0, 2, 4, 5, 7, 9, 11)
NOTES = 24
SHIFTS = (0, *(k for k in range(-7, 8) if k), -12, 12)
FORMANTS = ((700, 110), (1200, 120), (2600, 160), (3300, 200))  # Hz, and their widths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--melodies", type=int, default=4)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    rows = defaultdict(list)
    for seed in range(arguments.first, arguments.first + arguments.melodies):
        pitches, onsets, times, samples = melody(np.random.default_rng(seed))
        for shift in SHIFTS:
            found = aligned(samples, pitches - shift, onsets)
            near = float(np.mean(np.abs(found.onsets - times) <= 0.05))
            sure = float(np.mean(found.confidence))
            kind = "in its key" if shift == 0 else "an octave" if abs(shift) == 12 else "a key"
            right = found.transposition == shift or (kind == "an octave" and near > 0.8)
            rows[kind].append((near, sure, right, bool(found.warnings)))
    print("| score | scores | notes within 50 ms | confidence | found | without a warning |")
    for kind, values in rows.items():
        near, sure, right, warned = np.array(values, dtype=float).T
        print(
            f"| {kind} | {len(values)} | {100 * near.mean():.1f} % | {sure.mean():.2f} "
            f"| {right.mean():.2f} | {1 - warned.mean():.2f} |"
        )


def melody(rng):
    """Return pitches, onsets in the score and as sung, and the sound."""
    degrees = [int(rng.integers(-2, 5))]
    while len(degrees) < NOTES:
        step = int(rng.choice([-3, -2, -1, 1, 2, 3], p=[0.05, 0.1, 0.35, 0.35, 0.1, 0.05]))
        if -5 <= degrees[-1] + step <= 7:
            degrees.append(degrees[-1] + step)
    root = int(rng.integers(50, 66))
    pitches = np.array([root + 12 * (d // 7) + SCALE[d % 7] for d in degrees])
    lengths = rng.choice([0.4, 0.8], NOTES, p=[0.75, 0.25])
    onsets = np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
    wander = 1.1 + 0.15 * np.sin(np.arange(NOTES) / 3 + rng.uniform(0, 6))
    bounds = 0.7 + np.concatenate([[0.0], np.cumsum(lengths * wander)])
    samples = sung(pitches, bounds, float(rng.choice([0.4, 0.7])), rng)
    return pitches, onsets, bounds[:-1], samples


def sung(pitches, bounds, vibrato, rng):
    """Return a voice that sings pitches between bounds, in seconds."""
    n = round((bounds[-1] + 1.0) * RATE)
    height, loud = np.zeros(n), np.zeros(n)
    for k, pitch in enumerate(pitches.tolist()):
        first, stop = (round(bounds[k + j] * RATE) for j in (0, 1))
        t = np.arange(stop - first) / RATE
        below = pitches[k - 1] - pitch if k % 2 and k else 0
        slide = below * np.exp(-t / 0.03)
        shake = vibrato * np.sin(2 * np.pi * 5.5 * t) * np.minimum(1, t / 0.25)
        height[first:stop], loud[first:stop] = pitch + slide + shake, 1.0
    loud = np.convolve(loud, np.hanning(800) / 400, "same")
    f0 = 440 * 2 ** ((height - 69) / 12) * (height > 0)
    phase = 2 * np.pi * np.cumsum(f0) / RATE
    x = sum(np.sin(h * phase) / h * (h * f0 < 7000) for h in range(1, 60))
    for centre, width in FORMANTS:
        r = np.exp(-np.pi * width / RATE)
        x = lfilter([1 - r], [1, -2 * r * np.cos(2 * np.pi * centre / RATE), r * r], x)
    x *= loud / np.abs(x).max()
    return (0.5 * x + 1e-4 * rng.standard_normal(n)).astype(np.float32)


def aligned(samples, pitches, onsets):
    with tempfile.TemporaryDirectory() as folder:
        score = Path(folder, "score.csv")
        rows = (f"{a:.3f},{b}\n" for a, b in zip(onsets.tolist(), pitches.tolist(), strict=True))
        score.write_text("onset,pitch\n" + "".join(rows), encoding="utf-8")
        return align_music(samples, str(score), rate=RATE).alignment


if __name__ == "__main__":
    main()
