"""Make the bundled piece of music: score, performance, recording and truth.

The score is the first half of a minuet from the Notebook for Anna Magdalena Bach (BWV Anh. 114, by
Christian Petzold, who died in 1733), typed in from the public-domain text. The performance is
invented: phrases that swell and slow down at their ends, a melody that leads the bass, fingers
that are not quite together, one note of the left hand left out and one wrong note struck. It is
rendered by fluidsynth with FluidR3_GM (by Frank Wen, MIT licence; Debian package
``fluid-soundfont-gm``). Run it once, at development time::

    python recipes/demonstration/make_piece.py align/data/minuet
"""

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import mido
import numpy as np
import soundfile as sf
import soxr

RATE = 22050
TICKS = 480
SCORE_QUARTER = 0.5  # seconds: the score stands at 120 quarters a minute
QUARTER = 0.455  # seconds, as played on average
LEAD_IN = 0.6  # seconds before the first note
RENDER_RATE = 44100

# One bar on each line; a note is its name and length in quarters, a chord is joined by +.
RIGHT = """
D5:1 G4:.5 A4:.5 B4:.5 C5:.5 | D5:1 G4:1 G4:1 | E5:1 C5:.5 D5:.5 E5:.5 F#5:.5 | G5:1 G4:1 G4:1
C5:1 D5:.5 C5:.5 B4:.5 A4:.5 | B4:1 C5:.5 B4:.5 A4:.5 G4:.5 | F#4:1 G4:.5 A4:.5 B4:.5 G4:.5 | A4:3
D5:1 G4:.5 A4:.5 B4:.5 C5:.5 | D5:1 G4:1 G4:1 | E5:1 C5:.5 D5:.5 E5:.5 F#5:.5 | G5:1 G4:1 G4:1
C5:1 D5:.5 C5:.5 B4:.5 A4:.5 | B4:1 C5:.5 B4:.5 A4:.5 G4:.5 | A4:1 B4:.5 A4:.5 G4:.5 F#4:.5 | G4:3
"""
LEFT = """
G3+B3+D4:2 A3:1 | B3:3 | C4:3 | B3:3
A3:3 | G3:3 | D4:1 B3:1 G3:1 | D4:1 D3:.5 C4:.5 B3:.5 A3:.5
B3:2 A3:1 | G3:1 B3:1 G3:1 | C4:3 | B3:1 C4:.5 B3:.5 A3:.5 G3:.5
A3:2 F#3:1 | G3:2 B3:1 | C4:1 D4:1 D3:1 | G3:2 G2:1
"""
STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}


def pitch(name: str) -> int:
    return 12 * (int(name[-1]) + 1) + STEPS[name[0]] + name.count("#")


def notes(text: str) -> list[tuple[float, float, int]]:
    """Onset and length in quarters, and pitch, of the notes of a hand."""
    out, at = [], 0.0
    for bar in text.replace("\n", " | ").split("|"):
        begin = at
        for item in bar.split():
            names, length = item.split(":")
            out += [(at, float(length), pitch(name)) for name in names.split("+")]
            at += float(length)
        assert at - begin in (0.0, 3.0), bar
    return out


def played_beats(n_quarters: int, rng: np.random.Generator) -> np.ndarray:
    """When each half quarter is played, in seconds: phrases of four bars within eight."""
    half = np.arange(2 * n_quarters + 1) / 2
    phrase, period = (half % 12) / 12, (half % 24) / 24
    pace = 1.0 - 0.07 * np.sin(np.pi * phrase) + 0.05 * (phrase > 0.8)
    pace += 0.28 * np.clip((period - 0.86) / 0.14, 0, 1) ** 2
    pace += 0.25 * (half >= n_quarters - 3)
    pace *= np.exp(rng.normal(0, 0.025, half.size))
    steps = QUARTER / 2 * pace[:-1]
    return LEAD_IN + np.concatenate(([0.0], np.cumsum(steps)))


def write_score(path: Path) -> None:
    file = mido.MidiFile(type=1, ticks_per_beat=TICKS)
    head = mido.MidiTrack()
    head.append(mido.MetaMessage("track_name", name="Minuet in G, BWV Anh. 114, first half"))
    head.append(mido.MetaMessage("time_signature", numerator=3, denominator=4))
    head.append(mido.MetaMessage("key_signature", key="G"))
    head.append(mido.MetaMessage("set_tempo", tempo=round(SCORE_QUARTER * 1e6)))
    file.tracks.append(head)
    for name, text in (("right hand", RIGHT), ("left hand", LEFT)):
        events = []
        for onset, length, key in notes(text):
            begin, end = round(onset * TICKS), round((onset + length) * TICKS)
            events += [(begin, 1, key, "note_on", 64), (end, 0, key, "note_off", 0)]
        track, at = mido.MidiTrack(), 0
        track.append(mido.MetaMessage("track_name", name=name))
        for tick, _, key, kind, velocity in sorted(events):
            track.append(mido.Message(kind, note=key, velocity=velocity, time=tick - at))
            at = tick
        file.tracks.append(track)
    file.save(path)


def perform(rng: np.random.Generator) -> tuple[list[tuple[float, float, int, int]], list[tuple]]:
    """Begin, end, pitch and velocity of what is played, and the rows of the truth."""
    hands = [(0, note) for note in notes(RIGHT)] + [(1, note) for note in notes(LEFT)]
    hands.sort(key=lambda item: (item[1][0], item[1][2]))
    n_quarters = int(max(onset + length for _, (onset, length, _) in hands))
    beats = played_beats(n_quarters, rng)
    half = np.arange(beats.size) / 2
    left_out = next(i for i, (hand, note) in enumerate(hands) if hand == 1 and note[0] == 35.0)
    played, truth = [], []
    for i, (hand, (onset, length, key)) in enumerate(hands):
        begin = float(np.interp(onset, half, beats)) + rng.normal(0, 0.006)
        begin += -0.006 if hand == 0 else 0.012  # the melody leads
        end = float(np.interp(onset + length, half, beats))
        end = begin + (end - begin) * (0.93 if length > 0.5 else 0.85)
        arc = np.sin(np.pi * (onset % 12) / 12)
        loud = (62 if hand == 0 else 46) + 18 * arc + 6 * (onset % 3 == 0) + rng.normal(0, 3)
        if i == left_out:
            continue
        played.append((begin, end, key, int(np.clip(loud, 25, 105))))
        truth.append((onset * SCORE_QUARTER, key, begin, f"n{i}", 0))
    wrong = float(np.interp(31.5, half, beats))
    played.append((wrong, wrong + 0.12, pitch("C#5"), 40))  # beside the D5
    return sorted(played), truth


def render(played: list[tuple[float, float, int, int]], soundfont: Path) -> np.ndarray:
    """Let fluidsynth play, a millisecond being a tick."""
    file = mido.MidiFile(type=0, ticks_per_beat=1000)
    track = mido.MidiTrack([mido.MetaMessage("set_tempo", tempo=1_000_000)])
    events = [(round(1000 * b), 1, k, v) for b, _, k, v in played]
    events += [(round(1000 * e), 0, k, 0) for _, e, k, _ in played]
    at = 0
    for tick, on, key, velocity in sorted(events):
        kind = "note_on" if on else "note_off"
        track.append(mido.Message(kind, note=key, velocity=velocity, time=tick - at))
        at = tick
    file.tracks.append(track)
    with tempfile.TemporaryDirectory() as scratch:
        midi, wav = Path(scratch, "a.mid"), Path(scratch, "a.wav")
        file.save(midi)
        command = ["fluidsynth", "-ni", "-q", "-R", "1", "-C", "0", "-g", "0.8"]
        command += ["-r", str(RENDER_RATE), "-F", str(wav), str(soundfont), str(midi)]
        subprocess.run(command, check=True, capture_output=True)
        samples, _ = sf.read(wav)
    mono = soxr.resample(samples.mean(axis=1), RENDER_RATE, RATE)
    mono = mono[: int((max(end for _, end, _, _ in played) + 1.2) * RATE)]
    fade = int(0.5 * RATE)
    mono[-fade:] *= np.linspace(1, 0, fade)
    return 0.18 * mono / np.abs(mono).max()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    default = Path("/usr/share/sounds/sf2/FluidR3_GM.sf2")
    parser.add_argument("--soundfont", type=Path, default=default)
    parser.add_argument("--seed", type=int, default=1733)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    played, truth = perform(np.random.default_rng(options.seed))
    write_score(options.folder / "score.mid")
    samples = render(played, options.soundfont)
    sf.write(options.folder / "audio.flac", samples, RATE, subtype="PCM_16", compression_level=1.0)
    with open(options.folder / "truth.csv", "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        names = ("score_onset_s", "pitch", "performed_onset_s", "score_id", "grace")
        writer.writerow(names)
        for score, key, begin, name, grace in truth:
            writer.writerow([f"{score:.6f}", key, f"{begin:.6f}", name, grace])


if __name__ == "__main__":
    main()
