"""Small scores, performances and pieces of music that several tests share."""

from pathlib import Path

import mido
import numpy as np
import numpy.typing as npt
import soundfile

from align.results.music import MusicAlignment
from align.types import Note

RATE = 16000


def random_alignment(
    seed: int = 0, n_chords: int = 12, *, spread: float = 0.02, score_file: str | None = None
) -> MusicAlignment:
    """Chords of one to four notes at changing tempo, whose notes are not together."""
    rng = np.random.default_rng(seed)
    beats = np.concatenate(([0.0], np.cumsum(rng.choice([0.25, 0.5, 1.0], n_chords - 1))))
    played = 0.7 + np.concatenate(
        ([0.0], np.cumsum(np.diff(beats) * rng.uniform(0.6, 1.6, n_chords - 1)))
    )
    notes, onsets = [], []
    for beat, time in zip(beats, played, strict=True):
        pitches = sorted(rng.choice(np.arange(40, 90), rng.integers(1, 5), replace=False))
        for pitch in pitches:
            notes.append(Note(int(pitch), float(beat)))
            onsets.append(time + rng.uniform(-spread, spread))
    return MusicAlignment(
        notes,
        np.array(onsets),
        duration=float(played[-1]) + 2.0,
        confidence=rng.uniform(0, 1, len(notes)),
        match=0.75,
        audio="piece.wav",
        rate=RATE,
        score_file=score_file,
    )


def write_score(path: Path, notes: list[tuple[float, int]], *, quarter: float = 0.5) -> Path:
    """Write a MIDI file of notes (seconds, pitch), each a quarter of a second long."""
    file = mido.MidiFile(type=1, ticks_per_beat=480)
    track = mido.MidiTrack([mido.MetaMessage("set_tempo", tempo=round(quarter * 1e6))])
    events = []
    for onset, pitch in notes:
        begin, end = round(480 * onset / quarter), round(480 * (onset + 0.25) / quarter)
        events += [(begin, 1, pitch), (end, 0, pitch)]
    at = 0
    for tick, on, pitch in sorted(events):
        track.append(mido.Message("note_on", note=pitch, velocity=64 * on, time=tick - at))
        at = tick
    file.tracks.append(track)
    file.save(path)
    return path


def sound(played: list[tuple[float, int]], seconds: float) -> npt.NDArray[np.float64]:
    """Plucked tones at times."""
    out = np.zeros(int(seconds * RATE))
    for onset, pitch in played:
        first = int(onset * RATE)
        time = np.arange(min(out.size - first, RATE)) / RATE
        frequency = 440 * 2 ** ((pitch - 69) / 12)
        tone = sum(np.sin(2 * np.pi * h * frequency * time) / h for h in (1, 2, 3, 4))
        out[first : first + time.size] += 0.1 * tone * np.exp(-5 * time)
    return out


def write_piece(
    folder: Path, seed: int = 0, *, n_notes: int = 24, left_out: tuple[int, ...] = ()
) -> Path:
    """Write a piece folder: two voices, played slower than the score, some notes left out."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    score = [(0.25 * k, int(60 + rng.integers(0, 13))) for k in range(n_notes)]
    score += [(1.0 * k, int(43 + rng.integers(0, 8))) for k in range(n_notes // 4)]
    score.sort()
    played = [(0.5 + 1.3 * onset + rng.normal(0, 0.004), pitch) for onset, pitch in score]
    kept = [k for k in range(len(score)) if k not in left_out]
    write_score(folder / "score.mid", score)
    samples = sound([played[k] for k in kept], max(t for t, _ in played) + 1.5)
    soundfile.write(folder / "audio.wav", samples, RATE)
    lines = ["score_onset_s,pitch,performed_onset_s"]
    lines += [f"{score[k][0]:.6f},{score[k][1]},{played[k][0]:.6f}" for k in kept]
    (folder / "truth.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
