"""What loose times are good for: words of TIMIT in segments with wrong edges.

::

    python recipes/recogniser/simulate.py TIMIT

Of each speaker all sentences are joined to one recording with 0.3 s of quiet between them. Its
JSON has the layout of Whisper's; the edges of the segments are moved by a normal deviation of
SPREAD seconds, as far as they do not cross. A segment is a sentence, or some six words of one, as
in subtitles. Printed is the share of words that begin within 20 and 50 ms of where TIMIT has them:
with each segment held to its times, with slack around these, and with segments aligned together,
as their times are loose. Then the same together where all times are of another cut or another
speed, as subtitles of a film may be.
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
MOVED = {  # time t of the recording, in seconds, in the transcript
    "3 s late": lambda t: t + 3.0,
    "10 s early": lambda t: max(t - 10.0, 0.0),
    "25 for 23.976": lambda t: t * 25 / 23.976,  # pictures a second
    "minute late": lambda t: t + 60.0,
}
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


def share(model, speakers: list, most: int, text_of, slack: float = 0.0) -> str:
    """Return the shares of words near their times, of pieces of at most so many words."""
    counts = np.zeros(1 + len(NEAR))
    for k, (samples, rate, said) in enumerate(speakers):
        text = text_of(cut(said, most), len(samples) / rate, SEED + k)
        counts += near(align_text(model, samples, text, rate=rate, slack=slack).words, said)
    return " / ".join(f"{100 * n / counts[0]:.1f}" for n in counts[1:]) + " %"


def transcript(said: list, spread: float, end: float, seed: int) -> list:
    """Return what a recogniser's JSON is read as."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "talk.json"
        write_segments(path, said, spread, end, seed)
        return read_transcript(path)


def main() -> None:
    folders = sorted(path for path in Path(sys.argv[1]).iterdir() if path.is_dir())
    speakers = [joined(folder) for folder in folders]
    model = align.load("speech-en")
    print("segments   spread  " + "  ".join(f"{name:>15}" for name, *_ in WAYS))
    for pieces, most in CUTS.items():
        for spread in SPREADS:
            shares = []
            for _, loose, slack in WAYS:

                def text_of(said, end, seed, spread=spread, loose=loose):
                    return [replace(u, loose=loose) for u in transcript(said, spread, end, seed)]

                shares.append(share(model, speakers, most, text_of, slack))
            row = "  ".join(f"{text:>15}" for text in shares)
            print(f"{pieces:<10} {spread:.1f} s  {row}", flush=True)
    for name, move in MOVED.items():

        def text_of(said, end, seed, move=move):
            said = transcript(said, 0.0, end, seed)
            return [replace(u, start=move(u.start), end=max(move(u.end), 0.2)) for u in said]

        row = share(model, speakers, CUTS["six words"], text_of)
        print(f"six words, {name:<14} {row:>15}", flush=True)


if __name__ == "__main__":
    main()
