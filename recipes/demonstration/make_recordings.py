"""Synthesise the bundled recordings with flite, whose phone times are known exactly.

Needs the command ``flite`` (Debian package ``flite``, version 2.2) with the voices ``slt`` and
``rms``. Run it once, at development time::

    python recipes/demonstration/make_recordings.py align/data
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import soundfile as sf

from align.results.alignment import Alignment

SENTENCES = {
    "north-wind": (
        "slt",
        "The north wind and the sun were arguing one day about which of them was stronger.",
    ),
    "kiwi": ("rms", "A quick brown fox jumps over the lazy dog, while a kiwi watches."),
}


def synthesise(voice: str, text: str, wav: Path) -> list[tuple[float, str]]:
    """Write `wav`, and return (end in seconds, phone) of each segment."""
    command = ["flite", "-voice", voice, "-psdur", "-t", text, "-o", str(wav)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    pairs = [segment.rsplit(":", 1) for segment in printed.split()]
    return [(float(end), "sil" if phone == "pau" else phone) for phone, end in pairs]


def main(folder: Path) -> None:
    for name, (voice, text) in SENTENCES.items():
        with tempfile.TemporaryDirectory() as scratch:
            wav = Path(scratch, "speech.wav")
            segments = synthesise(voice, text, wav)
            samples, rate = sf.read(wav, dtype="int16")
        sf.write(folder / f"{name}.flac", samples, rate, subtype="PCM_16")
        onsets = [0.0, *(end for end, _ in segments[:-1])]
        duration = len(samples) / rate
        truth = Alignment(
            events=tuple(phone for _, phone in segments),
            onsets=onsets,
            end=duration,
            duration=duration,
        )
        truth.to_textgrid(folder / f"{name}.TextGrid", overwrite=True)
        (folder / f"{name}.txt").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
