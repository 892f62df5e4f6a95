"""Artificial recordings for tests: each phone is a sound of its own, at known times."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import soundfile

RATE = 16000
PHONES = ("sil", "s", "aa", "iy", "m")


def sound(phone: str, n: int, rng: np.random.Generator, rate: int = RATE) -> np.ndarray:
    """Noise for s, two formants for vowels, a hum for m, near silence for sil, else a tone."""
    time = np.arange(n) / rate
    noise = rng.normal(size=n)
    tones = {"aa": (700, 1100), "iy": (300, 2300), "m": (250, 500)}
    if phone == "s":
        return 0.2 * np.diff(noise, prepend=0.0)
    if phone in tones:
        return 0.004 * noise + sum(0.2 * np.sin(2 * np.pi * f * time) for f in tones[phone])
    if phone == "sil":
        return 0.001 * noise
    pitch = 400 + crc32(phone.encode()) % 5000  # any other phone has a tone of its own
    return 0.004 * noise + 0.3 * np.sin(2 * np.pi * pitch * time)


def recording(
    phones: Sequence[str], rng: np.random.Generator, rate: int = RATE
) -> tuple[np.ndarray, np.ndarray]:
    """Samples, and the start sample of each phone followed by the end."""
    lengths = rng.integers(int(0.06 * rate), int(0.16 * rate), size=len(phones))
    parts = [sound(p, int(n), rng, rate) for p, n in zip(phones, lengths, strict=True)]
    return np.concatenate(parts), np.concatenate(([0], np.cumsum(lengths)))


def write_recording(
    stem: Path, phones: Sequence[str], seed: int, rate: int = RATE
) -> tuple[Path, Path]:
    """Write ``stem.wav`` and ``stem.phn``."""
    samples, edges = recording(phones, np.random.default_rng(seed), rate)
    stem.parent.mkdir(parents=True, exist_ok=True)
    audio, labels = stem.with_suffix(".wav"), stem.with_suffix(".phn")
    soundfile.write(audio, samples, rate)
    rows = zip(edges[:-1], edges[1:], phones, strict=True)
    labels.write_text("".join(f"{a} {b} {p}\n" for a, b, p in rows))
    return audio, labels


def random_phones(rng: np.random.Generator, n: int) -> list[str]:
    """Silence at either end, and no phone twice in a row."""
    phones = ["sil"]
    while len(phones) < n - 1:
        phones.append(str(rng.choice([p for p in PHONES[1:] if p != phones[-1]])))
    return [*phones, "sil"]


def write_corpus(folder: Path, speakers: Mapping[str, int] | None = None, seed: int = 0) -> Path:
    """Write a corpus: the number of recordings of each speaker."""
    rng = np.random.default_rng(seed)
    for speaker, count in (speakers or {"ann": 3, "bob": 3}).items():
        for i in range(count):
            phones = random_phones(rng, 9)
            write_recording(folder / speaker / f"u{i}", phones, int(rng.integers(1 << 30)))
    return folder
