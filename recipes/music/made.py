"""Make recordings with known note times: scores played by free soundfonts.

::

    python recipes/music/made.py CORPUS MADE --soundfont FILE [FILE ...] [--copies 2] [--seed 0]
    python recipes/music/made.py CORPUS MADE --soundfont FILE [FILE ...] --scores FOLDER

Every piece of CORPUS (folders of sets of pieces, as for `run.py`) is played again at its true
times: copies of even numbers of piano music by pianos, all others by other instruments. A note
lasts as long as in the score, in the tempo of the performance. With ``--scores``, the MIDI files
of a folder are played as well, with a tempo that wanders, chords that are not quite together,
wrong and missing notes.

A made piece is a folder in MADE in the layout of CORPUS; its name begins with that of the piece
it was made of, so that folds can keep both on one side. It needs ``fluidsynth`` on the path, and
soundfonts (in Debian fluidsynth, fluid-soundfont-gm, timgm6mb-soundfont and
musescore-general-soundfont).
"""

import argparse
import csv
import io
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import mido
import numpy as np
import scipy.signal
import soundfile

import align
from align.errors import AlignError
from align.files.atomic import atomic_write
from align.formats.scores import Score, read_score

RATE = 22050
LONGEST = 75.0
"""Seconds of a made recording: a window of the piece that begins anywhere."""

PIANOS = (0, 0, 1, 3)
OTHERS = (
    (6,),  # harpsichord
    (24,),  # guitar
    (19,),  # church organ
    (48,),  # strings
    (52,),  # choir
    (40, 40, 41, 42),  # string quartet
    (40, 71, 65, 70),  # violin, clarinet, saxophone, bassoon
    (68, 71, 69, 70),  # oboe, clarinet, English horn, bassoon
    (64, 65, 66, 67),  # saxophones
    (56, 56, 60, 57),  # trumpets, horn, trombone
    (73, 68, 71, 70),  # flute, oboe, clarinet, bassoon
    (74, 41, 42, 43),  # recorder, viola, cello, double bass
)
"""General MIDI programs from 0, the highest voice first; one for all where there is only one."""


@dataclass(frozen=True)
class Played:
    """A score as it is played: seconds of its notes, NaN where left out, and their loudness."""

    score: Score
    onsets: np.ndarray
    ends: np.ndarray
    loudness: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("made")
    parser.add_argument("--soundfont", nargs="+", required=True)
    parser.add_argument("--scores", help="a folder of MIDI files to be played as well")
    parser.add_argument("--copies", type=int, default=2, help="of each piece of CORPUS")
    parser.add_argument("--pianos", action="store_true", help="leave out all other instruments")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    made = Path(arguments.made)
    for name, piano, played in performances(arguments):
        if (made / name / "truth.csv").exists() or (arguments.pianos and not piano):
            continue  # made by a run that was stopped, or not wanted
        rng = np.random.default_rng([arguments.seed, *name.encode()])
        try:
            make(made / name, played, piano, arguments.soundfont, rng)
        except AlignError as error:
            print(f"{name}: {error}")


def performances(arguments: argparse.Namespace) -> Iterator[tuple[str, bool, Played]]:
    """Yield a name, whether it is music for a piano, and a performance."""
    for example in align.read_corpus(arguments.corpus, kind="music"):
        folder = Path(example.name).parent
        score = read_score(folder / "score.mid")
        for copy in range(arguments.copies):
            rng = np.random.default_rng([arguments.seed, copy, len(score)])
            piano = folder.parent.name != "bach10" and copy % 2 == 0
            yield f"{folder.name}-{copy}", piano, as_performed(score, example.onsets, rng)
    for path in sorted(Path(arguments.scores).glob("*.mid")) if arguments.scores else ():
        score = read_score(path)
        rng = np.random.default_rng([arguments.seed, len(score)])
        yield path.stem, bool(rng.random() < 0.2), as_drawn(score, rng)


# Performances ------------------------------------------------------------------------------------


def as_performed(score: Score, onsets: np.ndarray, rng: np.random.Generator) -> Played:
    """Return a score at known times [shape=(N,)]; notes end by the tempo about them."""
    known = np.isfinite(onsets)
    times, chord = np.unique(score.onsets[known], return_inverse=True)
    place = np.bincount(chord, onsets[known]) / np.bincount(chord)
    place = np.maximum.accumulate(place)
    # beyond the last onset at the mean tempo
    tempo = (place[-1] - place[0]) / max(times[-1] - times[0], 1e-3)
    times = np.append(times, times[-1] + 60.0)
    place = np.append(place, place[-1] + 60.0 * tempo)
    written = score.onsets + score.durations * rng.uniform(0.7, 1.0)
    ends = np.maximum(np.interp(written, times, place), onsets + 0.05)
    return Played(score, onsets, ends, loudness(score, rng))


def as_drawn(score: Score, rng: np.random.Generator) -> Played:
    """Return a score in a tempo that wanders, with chords that are not quite together."""
    beats = np.arange(0.0, score.onsets[-1] + 61.0, 0.5)
    drift = np.zeros(beats.size)
    for i in range(1, beats.size):
        drift[i] = 0.97 * drift[i - 1] + rng.normal(0.0, 0.035)
    length = 0.5 * np.exp(drift) * rng.uniform(0.8, 1.5)
    length *= np.where(rng.random(beats.size) < 0.02, 1.6, 1.0)  # now and then one waits
    place = 0.3 + np.concatenate([[0.0], np.cumsum(length)[:-1]])
    onsets = np.interp(score.onsets, beats, place) + rng.normal(0.0, 0.012, len(score))
    onsets[rng.random(len(score)) < 0.01] = np.nan
    return as_performed(score, np.maximum(onsets, 0.1), rng)


def loudness(score: Score, rng: np.random.Generator) -> np.ndarray:
    """Return velocities [shape=(N,)]: they wander, and the highest note of a chord stands out."""
    times, chord = np.unique(score.onsets, return_inverse=True)
    wave = np.zeros(times.size)
    for i in range(1, times.size):
        wave[i] = 0.98 * wave[i - 1] + rng.normal(0.0, 2.5)
    highest = np.zeros(times.size)
    np.maximum.at(highest, chord, score.pitches)
    level = rng.uniform(45, 80) + wave[chord] + rng.normal(0.0, 7.0, len(score))
    level += np.where(score.pitches == highest[chord], 10.0, 0.0)
    return np.clip(level, 18, 120).astype(int)


# Sound -------------------------------------------------------------------------------------------


def make(
    folder: Path,
    played: Played,
    piano: bool,
    soundfonts: Sequence[str],
    rng: np.random.Generator,
) -> None:
    """Write a window of a performance, played by a soundfont and recorded in a room."""
    sounding = np.flatnonzero(np.isfinite(played.onsets))
    last = float(played.onsets[sounding].max())
    first = rng.uniform(0.0, max(0.0, last - LONGEST))
    inside = played.onsets[sounding]
    kept = sounding[(inside >= first) & (inside < first + LONGEST)]
    score = played.score
    since = score.onsets[kept].min()
    between = (score.onsets >= since) & (score.onsets <= score.onsets[kept].max())
    onsets = played.onsets[kept] - first + 0.5
    ends = np.minimum(played.ends[kept] - first, LONGEST + 1.0) + 0.5
    program = (int(rng.choice(PIANOS)),) if piano else OTHERS[int(rng.integers(len(OTHERS)))]
    voice = voices(score.onsets[kept], score.pitches[kept], len(program))
    extra = wrong_notes(onsets, ends, score.pitches[kept], rng)
    midi = performance_midi(
        np.append(onsets, extra[0]),
        np.append(ends, extra[1]),
        np.append(score.pitches[kept], extra[2]),
        np.append(played.loudness[kept], np.full(len(extra[0]), 50)),
        np.append(voice, np.zeros(len(extra[0]), dtype=int)),
        program,
        pedal=piano and rng.random() < 0.6,
    )
    samples = synthesised(midi, str(rng.choice(list(soundfonts))), rng)
    samples = recorded(samples, rng)
    # played faster and higher by up to 30 cents, as another tuning
    speed = 2.0 ** (rng.normal(0.0, 0.12) / 12.0)
    rate = round(RATE * speed)
    folder.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate, format="FLAC", subtype="PCM_16")
    atomic_write(folder / "audio.flac", stream.getvalue(), overwrite=True)
    times = np.full(len(score), np.nan)
    times[kept] = onsets * RATE / rate
    write_piece(folder, score, times, np.flatnonzero(between), since)


def voices(onsets: np.ndarray, pitches: np.ndarray, n: int) -> np.ndarray:
    """Return a voice for each note, 0 the highest: by rank in a chord, else by pitch."""
    edges = np.quantile(pitches, np.arange(n - 1, 0, -1) / n) if n > 1 else np.empty(0)
    voice = np.searchsorted(-edges, -pitches, side="left")
    for time in np.unique(onsets) if n > 1 else ():
        chord = np.flatnonzero(onsets == time)
        if chord.size >= n:
            rank = np.argsort(np.argsort(-pitches[chord], kind="stable"), kind="stable")
            voice[chord] = np.minimum(rank, n - 1)
    return np.minimum(voice, n - 1)


def wrong_notes(
    onsets: np.ndarray, ends: np.ndarray, pitches: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return onsets, ends and pitches of notes that no score has: one in a hundred."""
    chosen = rng.choice(len(onsets), len(onsets) // 100, replace=False)
    begin = onsets[chosen] + rng.normal(0.0, 0.05, chosen.size)
    length = np.maximum(ends[chosen] - onsets[chosen], 0.05)
    pitch = np.clip(pitches[chosen] + rng.choice([-2, -1, 1, 2, 3], chosen.size), 21, 108)
    return np.maximum(begin, 0.05), np.maximum(begin, 0.05) + length, pitch


def performance_midi(
    onsets: np.ndarray,
    ends: np.ndarray,
    pitches: np.ndarray,
    loudness: np.ndarray,
    voice: np.ndarray,
    program: Sequence[int],
    pedal: bool,
) -> bytes:
    """Return a MIDI file of a millisecond's resolution."""
    ends = ends.copy()
    for key in np.unique(pitches):  # a key is released before it is struck again
        own = np.flatnonzero(pitches == key)
        own = own[np.argsort(onsets[own], kind="stable")]
        ends[own[:-1]] = np.minimum(ends[own[:-1]], onsets[own[1:]] - 0.01)
    ends = np.maximum(ends, onsets + 0.02)
    events = [
        (0.0, 0, mido.Message("program_change", channel=c, program=p))
        for c, p in enumerate(program)
    ]
    for begin, end, key, level, c in zip(onsets, ends, pitches, loudness, voice, strict=True):
        on = mido.Message("note_on", channel=int(c), note=int(key), velocity=int(level))
        events.append((float(begin), 2, on))
        events.append((float(end), 1, mido.Message("note_off", channel=int(c), note=int(key))))
    if pedal:  # changed about every second, just after an onset
        at = np.unique(onsets.round(3))
        for time in at[:: max(1, round(at.size / max(at[-1], 1.0)))]:
            for wait, value in ((0.02, 0), (0.08, 127)):
                message = mido.Message("control_change", control=64, value=value)
                events.append((float(time) + wait, 3, message))
    events.sort(key=lambda event: event[:2])
    track, clock = mido.MidiTrack(), 0
    track.append(mido.MetaMessage("set_tempo", tempo=1_000_000))
    for time, _, message in events:
        tick = round(1000 * time)
        track.append(message.copy(time=max(tick - clock, 0)))
        clock = max(clock, tick)
    out = io.BytesIO()
    mido.MidiFile(ticks_per_beat=1000, tracks=[track]).save(file=out)
    return out.getvalue()


def synthesised(midi: bytes, soundfont: str, rng: np.random.Generator) -> np.ndarray:
    """Return mono samples at `RATE` of a MIDI file, with the synthesiser's reverberation."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.mid"), Path(folder, "out.wav")
        source.write_bytes(midi)
        room = ("-R", "1", "-o", f"synth.reverb.room-size={rng.uniform(0.1, 0.9):.2f}")
        dry = ("-R", "0")
        command = ["fluidsynth", "-n", "-i", "-q", "-C", "0", *(dry, room)[rng.random() < 0.6]]
        command += ["-g", "0.5", "-r", str(2 * RATE), "-F", str(target), soundfont, str(source)]
        subprocess.run(command, check=True, capture_output=True)
        samples, _ = soundfile.read(target, dtype="float32", always_2d=True)
    return np.asarray(
        scipy.signal.decimate(samples.mean(axis=1), 2, ftype="fir"), dtype=np.float64
    )


def recorded(samples: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return samples as a microphone has them: another colour, noise 25 to 60 dB below."""
    spectrum = np.fft.rfft(samples)
    octave = np.log2(np.maximum(np.fft.rfftfreq(samples.size, 1 / RATE), 30.0) / 1000.0)
    slope = rng.normal(0.0, 1.5) * octave + rng.normal(0.0, 2.0) * np.sin(
        octave + rng.uniform(0.0, 6.0)
    )
    out = np.fft.irfft(spectrum * 10.0 ** (slope / 20.0), samples.size)
    noise = np.cumsum(rng.normal(size=samples.size)) if rng.random() < 0.3 else None
    white = rng.normal(size=samples.size)
    if noise is not None:  # a rumble, without what is too low to be heard
        white = noise - np.convolve(noise, np.ones(441) / 441, mode="same")
    level = np.sqrt(np.mean(out**2)) / (np.sqrt(np.mean(white**2)) + 1e-12)
    out += white * level * 10.0 ** (-rng.uniform(25.0, 60.0) / 20.0)
    return np.asarray(out * rng.uniform(0.2, 0.9) / (np.abs(out).max() + 1e-12))


def write_piece(
    folder: Path, score: Score, times: np.ndarray, rows: np.ndarray, since: float
) -> None:
    """Write `score.mid` of some rows of a score, which begins at `since`, and `truth.csv`."""
    begin = score.onsets[rows] - since + 0.5
    fixed = np.full(rows.size, 64)
    midi = performance_midi(
        begin,
        begin + np.maximum(score.durations[rows], 0.03),
        score.pitches[rows],
        fixed,
        np.zeros(rows.size, dtype=int),
        (0,),
        pedal=False,
    )
    atomic_write(folder / "score.mid", midi, overwrite=True)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    names = ("score_onset_s", "pitch", "performed_onset_s", "score_id", "grace")
    table.writerow(names)
    for at, row in zip(begin, rows, strict=True):
        if np.isfinite(times[row]):
            table.writerow(
                [f"{at:.6f}", score.pitches[row], f"{times[row]:.6f}", score.ids[row], 0]
            )
    atomic_write(folder / "truth.csv", text.getvalue(), overwrite=True)


if __name__ == "__main__":
    main()
