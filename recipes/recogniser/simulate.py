"""What loose times are good for: words of TIMIT in segments with wrong edges.

::

    python recipes/recogniser/simulate.py TIMIT

Of each speaker all sentences are joined to one recording with 0.3 s of quiet between them. Its
JSON has the layout of Whisper's; the edges of the segments are moved by a normal deviation of
SPREAD seconds, as far as they do not cross. A segment is a sentence, or some six words of one, as
in subtitles. Printed is the share of words that begin within 20 and 50 ms of where TIMIT has them:
with each segment held to its times, with slack around these, and with segments aligned together,
as their times are loose.
"""

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import soundfile

import align
from align.speech.text import align_text, read_transcript

SPREADS = (0.0, 0.1, 0.3)  # seconds
WAYS = (("held", False, 0.0), ("slack 0.5", False, 0.5), ("together", True, 0.0))  # loose, slack
CUTS = {"sentences": 100, "six words": 6}
PAUSE = 0.3  # seconds
NEAR = (0.02, 0.05)  # seconds
SEED = 0


def joined(folder: Path) -> tuple[np.ndarray, int, list[list[tuple[str, float, float]]]]:
    """Return the sentences of a speaker as one recording, and the words of each."""
    parts, said, at, rate = [], [], 0, 16000
    quiet = np.random.default_rng(SEED)
    for path in sorted(folder.glob("*.wav")):
        samples, rate = soundfile.read(path, dtype="float64")
        rows = [
            row.split()
            for row in path.with_suffix(".wrd").read_text(encoding="utf-8").splitlines()
        ]
        said.append([(word, (at + int(a)) / rate, (at + int(b)) / rate) for a, b, word in rows])
        parts += [samples, 1e-4 * quiet.normal(size=round(PAUSE * rate))]
        at += len(samples) + len(parts[-1])
    return np.concatenate(parts), rate, said


def write_segments(path: Path, said: list, spread: float, end: float, seed: int) -> None:
    """Write the JSON of a recogniser that hears every word and misplaces its segments."""
    rng = np.random.default_rng(seed)
    edges = np.array([(words[0][1], words[-1][2]) for words in said]).ravel()
    edges = np.clip(edges + spread * rng.normal(size=edges.size), 0.0, end)
    edges = np.maximum.accumulate(edges).reshape(-1, 2)
    segments = [
        {"id": k, "start": a, "end": max(b, a + 0.2), "text": " " + " ".join(w for w, *_ in words)}
        for k, (words, (a, b)) in enumerate(zip(said, edges.tolist(), strict=True))
    ]
    path.write_text(json.dumps({"language": "en", "segments": segments}), encoding="utf-8")


def cut(said: list, most: int) -> list:
    """Return sentences in pieces of at most so many words."""
    return [words[i : i + most] for words in said for i in range(0, len(words), most)]


def near(found: align.Alignment, said: list) -> np.ndarray:
    """Return how many words are there, and how many begin within `NEAR` of their time."""
    true = [(word, start) for words in said for word, start, _ in words]
    rows = [row for row in zip(found.labels, found.onsets, strict=True) if row[0] != "sil"]
    assert len(rows) == len(true)
    off = np.array([abs(a[1] - b[1]) for a, b in zip(true, rows, strict=True)])
    return np.array([len(true), *(np.sum(off <= most) for most in NEAR)])


def main() -> None:
    folders = sorted(path for path in Path(sys.argv[1]).iterdir() if path.is_dir())
    speakers = [joined(folder) for folder in folders]
    model = align.load("speech-en")
    print("segments   spread  " + "  ".join(f"{name:>15}" for name, *_ in WAYS))
    for pieces, most in CUTS.items():
        for spread in SPREADS:
            shares = []
            for _, loose, slack in WAYS:
                counts = np.zeros(1 + len(NEAR))
                for k, (samples, rate, said) in enumerate(speakers):
                    seconds, own = len(samples) / rate, cut(said, most)
                    with tempfile.TemporaryDirectory() as folder:
                        path = Path(folder) / "talk.json"
                        write_segments(path, own, spread, seconds, SEED + k)
                        text = [replace(one, loose=loose) for one in read_transcript(path)]
                    found = align_text(model, samples, text, rate=rate, slack=slack)
                    counts += near(found.words, said)
                shares.append(" / ".join(f"{100 * n / counts[0]:.1f}" for n in counts[1:]) + " %")
            row = "  ".join(f"{share:>15}" for share in shares)
            print(f"{pieces:<10} {spread:.1f} s  {row}", flush=True)


if __name__ == "__main__":
    main()
