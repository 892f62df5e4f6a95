"""A small corpus to practise on: what ``align demo --corpus`` writes, cut from the bundled sounds.

::

    recordings/bert/quick.wav .TextGrid .txt      to train on, two speakers
    checked/anna/day.wav .TextGrid .txt           held out, one recording of each speaker
    new/kiwi.wav .phones .txt                     to align
    pieces/minuet/bars-01-04/audio.flac score.csv truth.csv
    others/minuet/bars-13-16/...                  held out
    recording.flac another.flac score.mid         two performances of the whole, and their score
    kiwi.flac kiwi.txt                            a whole sentence, and its text

The phrases are cut between words of the two synthesised sentences, and get the silences that the
sentence begins and ends with; so the times of their phones are as exact as those of the sentences.
`another.flac` is the score played by plucked strings that are computed here.
"""

import csv
import io
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.formats import read_labels
from align.formats.scores import read_score
from align.formats.tiers.textgrid import write_textgrid_tiers
from align.formats.tiers.tier import PHONES, WORDS, Tier, Tiers
from align.types import FloatArray

_FADE = 0.005  # seconds at both ends of what is cut, against clicks
_BARS_LENGTH = 1.5  # seconds in the score of the minuet
_PIECE_LEAD = 0.3  # seconds of silence before the first note of a piece
_SEED = 1733

_SPOKEN = {
    "kiwi": "a:1 quick:4 brown:4 fox:4 jumps:5 over:3 the:2 lazy:4 dog:3 ,:1 while:3 a:1 kiwi:4 "
    "watches:5",
    "north-wind": "the:2 north:4 wind:4 and:3 the:2 sun:3 were:2 arguing:7 one:3 day:2 about:4 "
    "which:3 of:2 them:3 was:3 stronger:6",
}
"""The words of each sentence with their numbers of phones; a comma is a pause."""

_PHRASES = {
    "recordings/bert": {
        "quick": ("kiwi", 0, 2),
        "brown": ("kiwi", 2, 4),
        "jumps": ("kiwi", 4, 6),
        "lazy": ("kiwi", 6, 8),
        "dog": ("kiwi", 8, 11),
    },
    "recordings/anna": {
        "north": ("north-wind", 0, 2),
        "wind": ("north-wind", 2, 4),
        "sun": ("north-wind", 4, 7),
        "arguing": ("north-wind", 7, 8),
        "which": ("north-wind", 11, 14),
        "stronger": ("north-wind", 14, 16),
    },
    "checked/bert": {"watches": ("kiwi", 11, 14)},
    "checked/anna": {"day": ("north-wind", 8, 11)},
    "new": {"kiwi": ("kiwi", 12, 13), "day": ("north-wind", 8, 10)},
}
"""Where each phrase goes: its sentence, and which words of it, the last one not included."""

_PIECES = {"pieces": ((1, 4), (5, 8), (9, 12)), "others": ((13, 16),)}
"""First and last bar of each piece."""

_README = """A corpus to practise on, written by `align demo --corpus`.

recordings  phrases to train on, by two speakers, with words and phones in TextGrids
checked     a phrase of each speaker that is not among them, to check the result
new         phrases with their phones (.phones) and words (.txt), to align
pieces      four bars each of a minuet: audio, score and when each note is played
others      four bars that are not among them, to check the result
recording.flac, another.flac, score.mid   the minuet played twice, and its score
kiwi.flac, kiwi.txt                       a whole sentence, and its text

The phrases are cut from two sentences spoken by free synthetic voices (flite, CMU ARCTIC), the
pieces from a minuet by Petzold on a sampled piano; the second performance is computed. You may use
them under the licence of Align. They show how the commands work; how well a model does on them
says nothing about people.
"""


class _Word(NamedTuple):
    """A word, or with an empty text a pause, and its phones: `first` until before `last`."""

    text: str
    first: int
    last: int


def write_demo_corpus(folder: StrPath) -> list[Path]:
    """Write a small corpus of speech and of music into a new or an empty folder.

    Returns the files in the order in which they were written. Raises DataError where the folder
    holds anything, or cannot be written.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise DataError("is not empty; name a new folder.", path=target)
        written = [*_speech(target), *_music(target)]
    except OSError as error:
        raise DataError(
            f"the corpus cannot be written ({error.strerror}); name another folder.", path=target
        ) from error
    atomic_write(target / "README.txt", _README)
    return [*written, target / "README.txt"]


def _sound(path: Path, samples: FloatArray, rate: int) -> Path:
    """Write samples as a file of the kind that the suffix says, in 16 bits."""
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate, subtype="PCM_16", format=path.suffix[1:].upper())
    atomic_write(path, stream.getvalue())
    return path


def _faded(samples: FloatArray, rate: int) -> FloatArray:
    """Return samples that begin and end softly."""
    n = min(round(_FADE * rate), len(samples) // 2)
    ramp = np.linspace(0, 1, n)
    return np.concatenate([ramp * samples[:n], samples[n:-n], ramp[::-1] * samples[-n:]])


# Speech -----------------------------------------------------------------------------------------


def _speech(target: Path) -> Iterator[Path]:
    """Write all phrases."""
    data = Path(str(files("align.data")))
    for place, phrases in _PHRASES.items():
        (target / place).mkdir(parents=True)
        for name, (sentence, first, last) in phrases.items():
            grid, samples, rate = _phrase(data / f"{sentence}.flac", sentence, first, last)
            path = target / place / name
            yield _sound(path.with_suffix(".wav"), samples, rate)
            words, phones = grid
            text = " ".join(word for word in words.labels if word)
            outputs = {".txt": text}
            if place == "new":
                outputs[".phones"] = " ".join(phones.labels)
            else:
                write_textgrid_tiers(path.with_suffix(".TextGrid"), grid)
                yield path.with_suffix(".TextGrid")
            for suffix, content in outputs.items():
                atomic_write(path.with_suffix(suffix), f"{content}\n")
                yield path.with_suffix(suffix)
    for whole in ("kiwi.flac", "kiwi.txt"):
        atomic_write(target / whole, (data / whole).read_bytes())
        yield target / whole


def _words(sentence: str) -> list[_Word]:
    """Return the words of a sentence; its first phone is a silence."""
    found, at = [], 1
    for item in _SPOKEN[sentence].split():
        text, count = item.split(":")
        found.append(_Word(text.strip(","), at, at + int(count)))
        at += int(count)
    return found


def _phrase(audio: Path, sentence: str, first: int, last: int) -> tuple[Tiers, FloatArray, int]:
    """Cut the words from `first` until before `last`, with the silences of the sentence around."""
    samples, rate = soundfile.read(audio, dtype="float64")
    truth = read_labels(audio.with_suffix(".TextGrid"))
    bounds = np.rint(np.append(truth.onsets, truth.end) * rate).astype(int)
    words = _words(sentence)[first:last]
    begin, end = words[0].first, words[-1].last
    parts = [(0, 1), (begin, end), (len(truth) - 1, len(truth))]
    cut = [_faded(samples[bounds[a] : bounds[b]], rate) for a, b in parts]
    lengths = np.concatenate([np.diff(bounds)[a:b] for a, b in parts])
    ends = np.append(0, np.cumsum(lengths)) / rate
    labels = [label for a, b in parts for label in truth.labels[a:b]]
    # A pause between words stays without a label, as a person would leave it.
    spans = [("", 0, 1), *((w.text, w.first - begin + 1, w.last - begin + 1) for w in words)]
    spans.append(("", len(labels) - 1, len(labels)))
    rows = [(text, float(ends[a]), float(ends[b])) for text, a, b in spans]
    phones = [(text, float(ends[k]), float(ends[k + 1])) for k, text in enumerate(labels)]
    tiers = (Tier.of_rows(WORDS, rows), Tier.of_rows(PHONES, phones))
    return Tiers(tiers, float(ends[-1])), np.concatenate(cut), rate


# Music ------------------------------------------------------------------------------------------


def _music(target: Path) -> Iterator[Path]:
    """Write the minuet in pieces and as a whole, and a second performance of it."""
    minuet = Path(str(files("align.data") / "minuet"))
    samples, rate = soundfile.read(minuet / "audio.flac", dtype="float64")
    score = read_score(minuet / "score.mid")
    notes = np.stack([score.onsets, score.pitches, score.durations], axis=1)
    with open(minuet / "truth.csv", newline="", encoding="utf-8") as stream:
        played = np.array([[float(x) for x in row[:3]] for row in list(csv.reader(stream))[1:]])
    for place, spans in _PIECES.items():
        for first, last in spans:
            folder = target / place / "minuet" / f"bars-{first:02d}-{last:02d}"
            folder.mkdir(parents=True)
            yield from _piece(folder, (first, last), samples, rate, notes, played)
    for name, content in (("recording.flac", "audio.flac"), ("score.mid", "score.mid")):
        atomic_write(target / name, (minuet / content).read_bytes())
        yield target / name
    yield _sound(target / "another.flac", _plucked(notes, rate), rate)


def _piece(
    folder: Path,
    bars: tuple[int, int],
    samples: FloatArray,
    rate: int,
    notes: FloatArray,
    played: FloatArray,
) -> Iterator[Path]:
    """Write some bars of a recording, with their score and when their notes are played."""
    begin, end = (bars[0] - 1) * _BARS_LENGTH, bars[1] * _BARS_LENGTH
    inside = played[(played[:, 0] >= begin - 1e-6) & (played[:, 0] < end - 1e-6)]
    after = played[played[:, 0] >= end - 1e-6, 2]
    start = round((inside[:, 2].min() - 2 * _FADE) * rate)
    stop = round((after.min() - 2 * _FADE) * rate) if after.size else len(samples)
    lead = round(_PIECE_LEAD * rate)
    cut = np.append(np.zeros(lead), _faded(samples[start:stop], rate))
    yield _sound(folder / "audio.flac", cut, rate)
    own = notes[(notes[:, 0] >= begin - 1e-6) & (notes[:, 0] < end - 1e-6)] - [begin, 0, 0]
    times = inside - [begin, 0, (start - lead) / rate]
    for name, head, rows in (
        ("score.csv", "onset,pitch,duration", [f"{a:.6f},{p:.0f},{d:.6f}" for a, p, d in own]),
        (
            "truth.csv",
            "score_onset_s,pitch,performed_onset_s",
            [f"{a:.6f},{p:.0f},{t:.6f}" for a, p, t in times],
        ),
    ):
        atomic_write(folder / name, "\n".join([head, *rows, ""]))
        yield folder / name


def _plucked(notes: FloatArray, rate: int) -> FloatArray:
    """Play notes [shape=(n, 3): onset and duration in seconds, pitch between] on plucked strings.

    A string is a row of partials that fade, the higher the sooner. The tempo is slower than that
    of the score and sways within each phrase of four bars; each note is a little early or late.
    """
    rng = np.random.default_rng(_SEED)
    phrase = 4 * _BARS_LENGTH
    onsets = notes[:, 0]
    sway = 0.25 * np.sin(2 * np.pi * onsets / phrase)
    begins = 0.5 + 1.15 * onsets + sway + rng.uniform(-0.01, 0.01, onsets.size)
    out = np.zeros(round((begins.max() + 3.0) * rate))
    t = np.arange(round(1.5 * rate)) / rate
    for begin, pitch in zip(begins, notes[:, 1], strict=True):
        frequency = 440.0 * 2 ** ((pitch - 69) / 12)
        partials = np.arange(1, min(10, int(rate / 2 / frequency)))
        fading = np.exp(-np.outer(2.0 + 0.8 * partials, t))
        tones = np.sin(2 * np.pi * frequency * np.outer(partials, t)) * fading
        tone = _faded(tones.T @ (1 / partials), rate)
        first = round(begin * rate)
        out[first : first + t.size] += tone[: out.size - first]
    out *= 0.3 / np.abs(out).max()
    return out
