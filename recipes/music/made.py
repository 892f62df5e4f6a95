"""Make recordings with known note times: scores played by free soundfonts.

::

    python recipes/music/made.py MADE --corpus CORPUS --soundfont FILE [FILE ...] [--copies 2]
    python recipes/music/made.py MADE --scores FOLDER --soundfont FILE [FILE ...] [--only NAME ...]

Every piece of CORPUS (folders of sets of pieces, as for `run.py`) is played again at its true
times: copies of even numbers of piano music by pianos, all others by other instruments. A note
lasts as long as in the score, in the tempo of the performance. The MIDI files of the folder
``--scores`` are played with a tempo that wanders, chords that are not quite together, wrong and
missing notes; instruments (`INSTRUMENTS`, or those named by ``--only``) and soundfonts take turns.
Bowed and blown instruments swell and fade, and each of their voices, where it has one note at a
time, slurs many of them: the synthesiser changes its pitch without another attack.

The truth is when a note is heard (`heard.py`): slow samples speak later than their key goes down,
which stands in a column of its own, `key_onset_s`. Slurred notes are heard at once.

A made piece is a folder in MADE in the layout of CORPUS. Its name is that of what it was made of,
so that folds can keep both on one side, and a number or the instrument after a hyphen. It needs
``fluidsynth`` on the path, and soundfonts (in Debian fluidsynth, fluid-soundfont-gm,
timgm6mb-soundfont, musescore-general-soundfont and csound-soundfont).
"""

import argparse
import csv
import io
import itertools
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import mido
import numpy as np
import scipy.signal
import soundfile
from heard import SPARING, delays

import align
from align.errors import AlignError
from align.files.atomic import atomic_write
from align.formats.scores import Score, read_score
from align.formats.scores.score_midi import read_midi_score

RATE = 22050
APART = 0.05
"""Seconds, sooner than which no voice of single notes has another."""
HELD_FOR = 10.0
"""Seconds of a score, beyond which a note is rather one whose end is missing."""
LONGEST = 75.0
"""Seconds of a made recording: a window of the piece that begins anywhere."""

PIANOS = (0, 0, 1, 3)
INSTRUMENTS: dict[str, tuple[tuple[int, ...], ...]] = {
    "accordion": ((21,),),
    "bach10": ((40,), (71,), (65,), (70,)),  # violin, clarinet, saxophone, bassoon
    "brass": ((56,), (56,), (60,), (57,)),
    "choir": ((52,),),
    "guitar": ((24,),),
    "harp": ((46,),),
    "harpsichord": ((6,),),
    "orchestra": ((48, 73), (48, 68), (48, 71, 60), (48, 60), (48, 70, 43)),
    "organ": ((19,),),
    "quartet": ((40,), (40,), (41,), (42,)),
    "recorders": ((74,),),
    "reeds": ((68,), (71,), (69,), (70,)),
    "saxophones": ((64,), (65,), (66,), (67,)),
    "strings": ((48,),),
    "trio": ((40,), (0,), (42,)),  # violin, piano, cello
    "voices": ((53,), (53,), (52,), (52,)),
    "winds": ((73,), (68,), (71,), (60,), (70,)),
}
"""General MIDI programs from 0 of each voice, the highest first; some voices are doubled."""

HELD = frozenset({*range(40, 45), *range(48, 54), *range(56, 80)})
"""Programs that are bowed, blown or sung."""

CHANNELS = tuple(c for c in range(16) if c != 9)
"""MIDI channels but that of the drums."""


@dataclass(frozen=True)
class Played:
    """A score as it is played: seconds of its notes, NaN where left out, and their loudness.

    `parts` are numbers of the staves they are written on, 0 the highest; all 0 where unknown.
    """

    score: Score
    onsets: np.ndarray
    ends: np.ndarray
    loudness: np.ndarray
    parts: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("made")
    parser.add_argument("--corpus", help="a folder of sets of pieces to be played again")
    parser.add_argument("--scores", help="a folder of MIDI files to be played")
    parser.add_argument("--soundfont", nargs="+", required=True)
    parser.add_argument("--copies", type=int, default=2, help="of each piece and score")
    parser.add_argument("--only", nargs="+", choices=INSTRUMENTS, default=list(INSTRUMENTS))
    parser.add_argument("--pianos", action="store_true", help="leave out all other instruments")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    made = Path(arguments.made)
    for turn, (name, programs, played) in enumerate(performances(arguments)):
        if (made / name / "truth.csv").exists():
            continue  # made by a run that was stopped
        rng = np.random.default_rng([arguments.seed, *name.encode()])
        soundfont = arguments.soundfont[turn % len(arguments.soundfont)]
        try:
            make(made / name, played, programs, soundfont, rng)
        except AlignError as error:
            print(f"{name}: {error}")


def performances(
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, tuple[tuple[int, ...], ...], Played]]:
    """Yield names, programs and performances."""
    for example in align.read_corpus(arguments.corpus, kind="music") if arguments.corpus else ():
        folder = Path(example.name).parent
        score = read_score(folder / "score.mid")
        for copy in range(arguments.copies):
            rng = np.random.default_rng([arguments.seed, copy, len(score)])
            played = as_performed(score, example.onsets, rng)
            piano = folder.parent.name != "bach10" and copy % 2 == 0
            programs = INSTRUMENTS[str(rng.choice(arguments.only))]
            if piano:
                programs = ((int(rng.choice(PIANOS)),),)
            if piano or not arguments.pianos:
                yield f"{folder.name}-{copy}", programs, played
    paths = sorted(Path(arguments.scores).glob("*.mid")) if arguments.scores else []
    for turn, (path, _) in enumerate(itertools.product(paths, range(arguments.copies))):
        name = arguments.only[turn % len(arguments.only)]
        rng = np.random.default_rng([arguments.seed, turn])
        yield f"{path.stem}-{name}", INSTRUMENTS[name], as_drawn(*read_parts(path), rng)


def read_parts(path: Path) -> tuple[Score, np.ndarray]:
    """Return a score and the track of each of its notes, 0 that of the highest notes."""
    score = read_score(path)
    notes = sorted(read_midi_score(path).notes, key=lambda note: (note.onset, note.pitch))
    track = np.array([note.begin[0] for note in notes])
    pitch = np.array([note.pitch for note in notes])
    part = np.unique(track, return_inverse=True)[1]
    mean = np.bincount(part, pitch) / np.bincount(part)
    rank = np.argsort(np.argsort(-mean, kind="stable"), kind="stable")[part]
    if not np.array_equal(pitch, score.pitches):  # unisons are one note of a score
        rank = np.zeros(len(score), dtype=int)
    return score, rank


# Performances ------------------------------------------------------------------------------------


def as_performed(
    score: Score, onsets: np.ndarray, rng: np.random.Generator, parts: np.ndarray | None = None
) -> Played:
    """Return a score at known times [shape=(N,)]; notes end by the tempo about them."""
    known = np.isfinite(onsets)
    times, chord = np.unique(score.onsets[known], return_inverse=True)
    place = np.bincount(chord, onsets[known]) / np.bincount(chord)
    place = np.maximum.accumulate(place)
    # beyond the last onset at the mean tempo
    tempo = (place[-1] - place[0]) / max(times[-1] - times[0], 1e-3)
    times = np.append(times, times[-1] + 60.0)
    place = np.append(place, place[-1] + 60.0 * tempo)
    written = score.onsets + np.minimum(score.durations, HELD_FOR) * rng.uniform(0.7, 1.0)
    ends = np.maximum(np.interp(written, times, place), onsets + 0.05)
    parts = np.zeros(len(score), dtype=int) if parts is None else parts
    return Played(score, onsets, ends, loudness(score, rng), parts)


def as_drawn(score: Score, parts: np.ndarray, rng: np.random.Generator) -> Played:
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
    return as_performed(score, np.maximum(onsets, 0.1), rng, parts)


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
    programs: Sequence[tuple[int, ...]],
    soundfont: str,
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
    pitches = score.pitches[kept]
    onsets = played.onsets[kept] - first + 0.5
    ends = np.minimum(played.ends[kept] - first, LONGEST + 1.0) + 0.5
    voice = voices(score.onsets[kept], pitches, played.parts[kept], len(programs))
    heard = onsets.copy()
    for v, own in enumerate(programs):
        mine = voice == v
        begun = mine
        if HELD.issuperset(own):
            ends, tied = slurred(onsets, ends, mine, rng)
            begun = mine & ~tied
        wait = np.min([delays(soundfont, program) for program in own], axis=0)
        heard[begun] += wait[pitches[begun]]
    extra = wrong_notes(onsets, ends, pitches, rng)
    midi = performance_midi(
        np.append(onsets, extra[0]),
        np.append(ends, extra[1]),
        np.append(pitches, extra[2]),
        np.append(played.loudness[kept], np.full(len(extra[0]), 50)),
        np.append(voice, np.zeros(len(extra[0]), dtype=int)),
        programs,
        pedal=programs[0][0] in PIANOS and rng.random() < 0.6,
        swell=rng,
    )
    samples = synthesised(midi, soundfont, rng)
    samples = recorded(samples, rng)
    # played faster and higher by up to 30 cents, as another tuning
    speed = 2.0 ** (rng.normal(0.0, 0.12) / 12.0)
    rate = round(RATE * speed)
    folder.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate, format="FLAC", subtype="PCM_16")
    atomic_write(folder / "audio.flac", stream.getvalue(), overwrite=True)
    times = np.full((2, len(score)), np.nan)
    times[:, kept] = np.stack([heard, onsets]) * RATE / rate
    write_piece(folder, score, times, np.flatnonzero(between), since)


def voices(onsets: np.ndarray, pitches: np.ndarray, parts: np.ndarray, n: int) -> np.ndarray:
    """Return a voice for each note, 0 the highest: by part, or rank in a chord, else by pitch."""
    if parts.any():
        return parts * n // (parts.max() + 1)
    edges = np.quantile(pitches, np.arange(n - 1, 0, -1) / n) if n > 1 else np.empty(0)
    voice = np.searchsorted(-edges, -pitches, side="left")
    for time in np.unique(onsets) if n > 1 else ():
        chord = np.flatnonzero(onsets == time)
        if chord.size >= n:
            rank = np.argsort(np.argsort(-pitches[chord], kind="stable"), kind="stable")
            voice[chord] = np.minimum(rank, n - 1)
    return np.minimum(voice, n - 1)


def slurred(
    onsets: np.ndarray, ends: np.ndarray, mine: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return ends of notes, half of them beyond the next onset of a voice of single notes.

    The synthesiser takes notes that overlap for a slur; all others are let go before the next.
    Also returned is which notes are slurred to the one before them.
    """
    own = np.flatnonzero(mine)
    own = own[np.argsort(onsets[own], kind="stable")]
    wait = np.diff(onsets[own])
    slur = np.zeros(mine.size, dtype=bool)
    if (wait < APART).any():  # it has chords
        return ends, slur
    ends, following = ends.copy(), onsets[own[1:]]
    near = ends[own[:-1]] > following - 0.4 * wait
    tied = near & (rng.random(near.size) < 0.5)
    apart = np.minimum(ends[own[:-1]], following - 0.01)
    ends[own[:-1]] = np.where(tied, following + 0.02, apart)
    slur[own[1:]] = tied
    return ends, slur


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
    programs: Sequence[tuple[int, ...]],
    *,
    pedal: bool = False,
    swell: np.random.Generator | None = None,
) -> bytes:
    """Return a MIDI file of a millisecond's resolution; each program has a channel."""
    channels = [(v, p) for v, own in enumerate(programs) for p in own]
    events = [
        (0.0, 0, mido.Message("program_change", channel=c, program=p))
        for c, (_, p) in zip(CHANNELS, channels, strict=False)
    ]
    for c, (v, p) in zip(CHANNELS, channels, strict=False):
        mine = np.flatnonzero(voice == v)
        until = ends[mine]
        for key in np.unique(pitches[mine]):  # a key is released before it is struck again
            own = np.flatnonzero(pitches[mine] == key)
            own = own[np.argsort(onsets[mine][own], kind="stable")]
            until[own[:-1]] = np.minimum(until[own[:-1]], onsets[mine][own[1:]] - 0.01)
        until = np.maximum(until, onsets[mine] + 0.02)
        for begin, end, key, level in zip(
            onsets[mine], until, pitches[mine], loudness[mine], strict=True
        ):
            on = mido.Message("note_on", channel=c, note=int(key), velocity=int(level))
            off = mido.Message("note_off", channel=c, note=int(key))
            events += [(float(begin), 2, on), (float(end), 1, off)]
        if swell is not None and p in HELD and mine.size:
            events += expression(np.sort(onsets[mine]), c, swell)
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


def expression(
    onsets: np.ndarray, channel: int, rng: np.random.Generator
) -> list[tuple[float, int, mido.Message]]:
    """Return messages by which a voice swells and fades, and slurs unless it has chords."""
    values = []
    if np.diff(onsets, prepend=-1.0).min() >= APART:
        values.append((0.0, 68, 127))
    level = 100.0
    for time in np.arange(0.0, onsets[-1] + 2.0, 0.05):
        level = float(np.clip(level + rng.normal(0.0, 2.5), 60.0, 127.0))
        values.append((float(time), 11, int(level)))
    return [
        (time, 0, mido.Message("control_change", channel=channel, control=number, value=value))
        for time, number, value in values
    ]


def synthesised(midi: bytes, soundfont: str, rng: np.random.Generator) -> np.ndarray:
    """Return mono samples at `RATE` of a MIDI file, with the synthesiser's reverberation."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.mid"), Path(folder, "out.wav")
        source.write_bytes(midi)
        legato = Path(folder, "legato")  # slurs change the pitch without another attack
        legato.write_text("".join(f"setlegatomode {c} 1\n" for c in CHANNELS), encoding="ascii")
        room = ("-R", "1", "-o", f"synth.reverb.room-size={rng.uniform(0.1, 0.9):.2f}")
        dry = ("-R", "0")
        command = ["fluidsynth", "-n", "-i", "-q", "-C", "0", *(dry, room)[rng.random() < 0.6]]
        command += [*SPARING, "-f", str(legato), "-g", "0.5"]
        command += ["-r", str(2 * RATE), "-F", str(target)]
        subprocess.run([*command, soundfont, str(source)], check=True, capture_output=True)
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
    """Write `score.mid` of some rows of a score, which begins at `since`, and `truth.csv`.

    `times` [shape=(2, N)] are when each note is heard, and when its key goes down.
    """
    begin = score.onsets[rows] - since + 0.5
    fixed = np.full(rows.size, 64)
    midi = performance_midi(
        begin,
        begin + np.maximum(score.durations[rows], 0.03),
        score.pitches[rows],
        fixed,
        np.zeros(rows.size, dtype=int),
        ((0,),),
    )
    atomic_write(folder / "score.mid", midi, overwrite=True)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    names = ("score_onset_s", "pitch", "performed_onset_s", "key_onset_s", "score_id", "grace")
    table.writerow(names)
    for at, row in zip(begin, rows, strict=True):
        if np.isfinite(times[0, row]):
            heard, key = (f"{time:.6f}" for time in times[:, row])
            table.writerow([f"{at:.6f}", score.pitches[row], heard, key, score.ids[row], 0])
    atomic_write(folder / "truth.csv", text.getvalue(), overwrite=True)


if __name__ == "__main__":
    main()
