"""How long notes of a soundfont take to be heard, measured on notes that are played alone.

::

    python recipes/music/heard.py SOUNDFONT PROGRAM [PROGRAM ...]

prints, for programs of General MIDI from 0, the median over pitches at several borders.

Samples of strings, recorders and organs need 10 to 60 ms to speak. A note counts as heard when the
energy of 10 ms is within 15 dB of the loudest of its first .4 s: about where listeners hear tones
of slow attacks begin (Vos and Rasch 1981: 6 to 15 dB below). A piano's are heard 1 to 5 ms after
the key.
"""

import argparse
import functools
import subprocess
import tempfile
from pathlib import Path

import mido
import numpy as np
import soundfile

__all__ = ["SPARING", "delays"]

SPARING = ("-o", "synth.dynamic-sample-loading=1")
"""Options by which fluidsynth reads the samples of the instruments that play only."""

BELOW = 15.0
"""Decibels below its loudest, at which a note is heard."""
BORDERS = (6, 10, 15, 20)
RATE = 44100
VELOCITY = 80
KEYS = tuple(range(21, 109, 3))
EVERY, LASTS, LOOK = 1.5, 0.8, 0.4  # seconds
WINDOW, STEP = 0.010, 0.001  # seconds
SILENT = -80.0  # decibels; a key that has no sample


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("soundfont")
    parser.add_argument("program", nargs="+", type=int)
    arguments = parser.parse_args()
    print("program" + "".join(f"{below:7} dB" for below in BORDERS))
    for program in arguments.program:
        found = [1000 * delays(arguments.soundfont, program, below) for below in BORDERS]
        middle = [float(np.median(delay[36:97])) for delay in found]
        print(f"{program:7}" + "".join(f"{delay:10.0f}" for delay in middle), flush=True)


@functools.cache
def delays(soundfont: str, program: int, below: float = BELOW) -> np.ndarray:
    """Return seconds from key to sound for each MIDI pitch [shape=(128,)]."""
    samples = _alone(soundfont, program)
    energy = np.concatenate([[0.0], np.cumsum(np.square(samples))])
    known, found = [], []
    for k, key in enumerate(KEYS):
        struck = 0.5 + EVERY * k
        middle = struck + np.arange(-0.02, LOOK, STEP)
        first, last = (
            np.minimum((middle + side * WINDOW / 2) * RATE, samples.size).astype(int)
            for side in (-1, 1)
        )
        level = 10.0 * np.log10(energy[last] - energy[first] + 1e-12)
        if level.max() > SILENT:
            known.append(key)
            found.append(middle[np.argmax(level > level.max() - below)] - struck)
    if not known:
        return np.zeros(128)
    # neighbours may be other samples: a median of three, so that no single one stands out
    padded = np.pad(found, 1, mode="edge")
    smooth = np.median([padded[:-2], padded[1:-1], padded[2:]], axis=0)
    return np.interp(np.arange(128), known, np.maximum(smooth, 0.0))


def _alone(soundfont: str, program: int) -> np.ndarray:
    """Return samples of `KEYS`, one after the other, without reverberation."""
    track, clock = mido.MidiTrack(), 0
    track.append(mido.MetaMessage("set_tempo", tempo=1_000_000))
    track.append(mido.Message("program_change", program=program))
    for k, key in enumerate(KEYS):
        struck = round(1000 * (0.5 + EVERY * k))
        on = mido.Message("note_on", note=key, velocity=VELOCITY, time=struck - clock)
        clock = struck + round(1000 * LASTS)
        track += [on, mido.Message("note_off", note=key, time=clock - struck)]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.mid"), Path(folder, "out.wav")
        mido.MidiFile(ticks_per_beat=1000, tracks=[track]).save(source)
        command = ["fluidsynth", "-n", "-i", "-q", "-R", "0", "-C", "0", "-g", "0.5", *SPARING]
        command += ["-r", str(RATE), "-F", str(target), soundfont, str(source)]
        subprocess.run(command, check=True, capture_output=True)
        samples, _ = soundfile.read(target, dtype="float32", always_2d=True)
    return np.asarray(samples.mean(axis=1), dtype=np.float64)


if __name__ == "__main__":
    main()
