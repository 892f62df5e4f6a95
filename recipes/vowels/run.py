"""The vowel space of a corpus: formants in the middle of each vowel, as a table and a picture.

::

    python recipes/vowels/run.py RECORDINGS ALIGNED -o vowels.csv [--plot vowels.png]

ALIGNED is what ``align corpus speech RECORDINGS ALIGNED --text`` has written, or a folder of any
other label files. The folder of a recording is its speaker. Formants are Praat's (Burg), by the
package praat-parselmouth; the ceiling is 5000 Hz for speakers whose median pitch is below 160 Hz,
else 5500 Hz.
"""

import argparse
import csv
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from align.corpus.listing import AUDIO_SUFFIXES
from align.errors import AlignError, DataError, ParameterError
from align.files.atomic import atomic_write
from align.formats import read_labels, read_phone_map
from align.show.figure import require_matplotlib

VOWELS = "iy ih eh ae aa ah ao uh uw ux er"  # those of English that move little
SHORTEST = 0.05  # seconds
CEILINGS = (160.0, 5000.0, 5500.0)  # median pitch that divides; Hz below it and above it
STEP = 0.005  # seconds from formant to formant
HEAD = ("file", "speaker", "vowel", "start", "end", "f1", "f2")
LEAST = 6  # vowels that an ellipse needs


class Vowel(NamedTuple):
    """A vowel, its times in seconds and its formants in Hz, or in standard deviations."""

    file: str
    speaker: str
    vowel: str
    start: float
    end: float
    f1: float
    f2: float


def praat() -> Any:
    """Return the package that measures."""
    try:
        import parselmouth
    except ImportError as error:
        raise ParameterError(
            "formants are measured by Praat; install it with: pip install praat-parselmouth."
        ) from error
    return parselmouth


def pairs(recordings: Path, labels: Path, suffix: str) -> Iterator[tuple[Path, Path]]:
    """Yield each recording with its label file, in order of name."""
    found = sorted(path for path in labels.rglob(f"*{suffix}") if path.is_file())
    if not found:
        raise DataError(f"holds no {suffix} file; align the recordings first.", path=labels)
    for path in found:
        stem = recordings / path.relative_to(labels)
        audio = [stem.with_suffix(end) for end in AUDIO_SUFFIXES]
        there = [one for one in audio if one.exists()]
        if not there:
            raise DataError(f"there is no recording of it in {recordings}.", path=path)
        yield there[0], path


def ceiling(sounds: Sequence[Any]) -> float:
    """Return up to which frequency a speaker's five formants are looked for, in Hz."""
    pitch = np.concatenate([one.to_pitch().selected_array["frequency"] for one in sounds])
    median = np.median(pitch[pitch > 0]) if (pitch > 0).any() else np.inf
    return CEILINGS[1] if median < CEILINGS[0] else CEILINGS[2]


def measure(
    recordings: Path, labels: Path, suffix: str, wanted: set[str], tracks: Path | None = None
) -> list[Vowel]:
    """Return all vowels whose formants Praat finds; write all formants to `tracks`."""
    speakers: dict[Path, list[tuple[Path, Path]]] = {}
    for audio, path in pairs(recordings, labels, suffix):
        speakers.setdefault(audio.parent, []).append((audio, path))
    found = []
    for folder, files in speakers.items():
        sounds = [praat().Sound(str(audio)) for audio, _ in files]
        highest = ceiling(sounds)
        for (audio, path), sound in zip(files, sounds, strict=True):
            formants = sound.to_formant_burg(time_step=STEP, maximum_formant=highest)
            name = audio.relative_to(recordings).with_suffix("").as_posix()
            if tracks is not None:
                write_track(tracks / f"{name}.formants.csv", formants)
            placed = read_labels(path)
            for label, (start, end) in zip(placed.labels, placed.intervals, strict=True):
                if label not in wanted or end - start < SHORTEST:
                    continue
                f1, f2 = (formants.get_value_at_time(k, (start + end) / 2) for k in (1, 2))
                if np.isfinite(f1) and np.isfinite(f2):
                    found.append(Vowel(name, folder.name, label, start, end, f1, f2))
    if not found:
        raise DataError(f"has none of the vowels {' '.join(sorted(wanted))}.", path=labels)
    return found


def write_track(path: Path, formants: Any) -> None:
    """Write both formants at all times, for programs that cannot call Praat."""
    rows = [(t, *(formants.get_value_at_time(k, t) for k in (1, 2))) for t in formants.ts()]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(path, ("time", "f1", "f2"), rows)


def write_table(path: Path, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write a CSV table; times in seconds with four digits, frequencies in tenths of a hertz."""
    digits = {"start": 4, "end": 4, "time": 4, "f1": 1, "f2": 1}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        cells = zip(head, row, strict=True)
        writer.writerow(
            f"{cell:.{digits[name]}f}" if name in digits else cell for name, cell in cells
        )
    atomic_write(path, text.getvalue(), overwrite=True)


def normalised(vowels: Sequence[Vowel]) -> list[Vowel]:
    """Return formants less the mean of their speaker, over his or her deviation (Lobanov 1971)."""
    found = []
    for speaker in dict.fromkeys(one.speaker for one in vowels):
        own = [one for one in vowels if one.speaker == speaker]
        values = np.array([(one.f1, one.f2) for one in own])
        scaled = (values - values.mean(0)) / np.maximum(values.std(0), 1e-9)
        found += [one._replace(f1=f1, f2=f2) for one, (f1, f2) in zip(own, scaled, strict=True)]
    return found


def plot(vowels: Sequence[Vowel], path: Path, lobanov: bool) -> None:
    """Draw F2 to the left, F1 downwards; a letter in the mean, an ellipse of a deviation."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Ellipse
    from matplotlib.patheffects import withStroke

    figure = Figure(figsize=(7, 5.5), layout="constrained")
    ax = figure.add_subplot()
    letters = read_phone_map("timit_ipa")
    unit = "standard deviations of the speaker" if lobanov else "Hz"
    for k, vowel in enumerate(sorted({one.vowel for one in vowels})):
        values = np.array([(one.f2, one.f1) for one in vowels if one.vowel == vowel])
        colour, middle = f"C{k % 10}", values.mean(axis=0)
        ax.plot(*values.T, ".", color=colour, alpha=0.45, markersize=6, markeredgewidth=0)
        if len(values) >= LEAST:
            sizes, axes = np.linalg.eigh(np.cov(values.T))
            width, height = 2 * np.sqrt(np.maximum(sizes, 0.0))
            angle = np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))
            ax.add_patch(Ellipse(middle, width, height, angle=angle, fill=False, color=colour))
        ax.annotate(
            letters.get(vowel, vowel), middle, ha="center", va="center", fontsize=15,
            color=colour, path_effects=[withStroke(linewidth=4, foreground="white")], zorder=4,
        )  # fmt: skip
    ax.invert_xaxis()
    ax.invert_yaxis()
    ax.set_xlabel(f"F2 ({unit})")
    ax.set_ylabel(f"F1 ({unit})")
    ax.xaxis.set_label_position("top")
    ax.xaxis.tick_top()
    ax.yaxis.set_label_position("right")
    ax.yaxis.tick_right()
    ax.spines[["left", "bottom"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recordings", type=Path)
    parser.add_argument("aligned", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("vowels.csv"))
    parser.add_argument("--plot", type=Path, metavar="PNG")
    parser.add_argument("--tracks", type=Path, metavar="DIR", help="formants at all times, for R")
    parser.add_argument("--suffix", default=".TextGrid", help="of label files")
    parser.add_argument(
        "--vowels", default=VOWELS, metavar='"iy ih ..."', help="labels to measure"
    )
    parser.add_argument("--lobanov", action="store_true", help="draw speakers normalised")
    given = parser.parse_args(arguments)
    wanted = set(given.vowels.split())
    try:
        if given.plot is not None:
            require_matplotlib()
        found = measure(given.recordings, given.aligned, given.suffix, wanted, given.tracks)
        write_table(given.output, HEAD, found)
    except AlignError as error:
        print(error, file=sys.stderr)
        return 1
    if given.plot is not None:
        plot(normalised(found) if given.lobanov else found, given.plot, given.lobanov)
    print("vowel     n   F1   F2")
    for vowel in sorted({one.vowel for one in found}):
        values = np.array([(one.f1, one.f2) for one in found if one.vowel == vowel])
        print(f"{vowel:5} {len(values):5} {values[:, 0].mean():4.0f} {values[:, 1].mean():4.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
