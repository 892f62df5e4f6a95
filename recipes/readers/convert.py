"""Write a corpus in Align's own layout.

::

    python recipes/readers/convert.py CORPUS KIND OUT [--copy] [--cut PAUSE] [--set NAME=VALUE ...]

KIND is a name of `align.corpus.readers.READERS`. Of speech, OUT gets a folder for each speaker
with the recordings and a TextGrid beside each; of music, a folder for each recording with
``audio.*``, ``score.csv`` and ``truth.csv``, and a table ``manifest.csv`` that says which pieces
are one. Recordings are linked; ``--copy`` copies them. What cannot be used is listed at the end.
"""

import argparse
import inspect
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from align.corpus.readers import READERS, cut_utterances
from align.corpus.reading import Corpus
from align.errors import AlignError, ParameterError
from align.features.sound.audio import audio_info
from align.formats import atomic_write
from align.formats.tiers.textgrid import format_textgrid
from align.types import Example

_DEVICE = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?:\.|$)", re.IGNORECASE)
"""What Windows takes for a device, with any suffix."""


def plain(name: str) -> str:
    """Return a name that every file system takes."""
    plain_name = re.sub(r"[^\w.+-]+", "_", name).strip("._") or "unnamed"
    return f"{plain_name}_" if _DEVICE.match(plain_name) else plain_name


def text_file(path: Path, text: str) -> None:
    atomic_write(path, text.encode("utf-8"), overwrite=True)


def grid(path: Path, labels: list[str], onsets: np.ndarray, end: float, duration: float) -> None:
    bounds = np.append(onsets, end)
    text = format_textgrid(
        {"phones": (labels, np.stack([bounds[:-1], bounds[1:]], axis=1))}, duration
    )
    text_file(path, text)


def place(source: str, target: Path, copy: bool) -> None:
    """Put a recording where it belongs, as a link or, where links are not allowed, a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() or target.exists():
        target.unlink()
    if not copy:
        with suppress(OSError):  # Windows allows links to developers only
            target.symlink_to(os.path.abspath(source))
            return
    shutil.copyfile(source, target)


def names_of(corpus: Corpus) -> Iterator[tuple[Example, str, str]]:
    """Yield each example with a folder and a name no other example has in it."""
    taken: set[tuple[str, str]] = set()
    for example in corpus:
        group = plain(example.group or "all")
        stem = plain(os.path.splitext(os.path.basename(example.name))[0])
        name, n = stem, 2
        while (group, name.lower()) in taken:
            name, n = f"{stem}-{n}", n + 1
        taken.add((group, name.lower()))
        yield example, group, name


def write_speech(corpus: Corpus, out: Path, copy: bool, pause: float | None) -> int:
    written = 0
    for example, group, name in names_of(corpus):
        source = example.name
        if pause is not None:
            written += write_utterances(example, out / group, name, pause)
            continue
        duration = audio_info(source).duration
        target = out / group / (name + os.path.splitext(source)[1].lower())
        place(source, target, copy)
        end = duration if example.end is None else example.end
        labels = [str(event) for event in example.events]
        grid(target.with_suffix(".TextGrid"), labels, example.onsets, end, duration)
        written += 1
    return written


def write_utterances(example: Example, folder: Path, name: str, pause: float) -> int:
    """Write the utterances of a recording as files of their own."""
    import soundfile

    folder.mkdir(parents=True, exist_ok=True)
    pieces = cut_utterances(example, pause=pause)
    with soundfile.SoundFile(example.name) as sound:
        for n, piece in enumerate(pieces):
            first = round(piece.start * sound.samplerate)
            sound.seek(first)
            samples = sound.read(round(piece.stop * sound.samplerate) - first, dtype="float64")
            target = folder / f"{name}-{n:04d}.flac"
            soundfile.write(target, samples, sound.samplerate, subtype="PCM_16")
            length = len(samples) / sound.samplerate
            labels = [str(event) for event in piece.events]
            grid(target.with_suffix(".TextGrid"), labels, piece.onsets, length, length)
    return len(pieces)


def write_music(corpus: Corpus, out: Path, copy: bool) -> int:
    table = ["audio,score,truth,group"]
    for example, group, name in names_of(corpus):
        folder = out / group / name
        audio = folder / ("audio" + os.path.splitext(example.name)[1].lower())
        place(example.name, audio, copy)
        score, truth = example.score, example.truth
        rows = ["onset,pitch,duration,id,grace"]
        for k, note in enumerate(score.ids):
            times = f"{score.onsets[k]:.6f},{score.pitches[k]},{score.durations[k]:.6f}"
            rows.append(f"{times},{note},{int(score.grace[k])}")
        text_file(folder / "score.csv", "\n".join(rows) + "\n")
        rows = ["score_onset_s,pitch,performed_onset_s"]
        for k, time in zip(truth.index, truth.performed, strict=True):
            rows.append(f"{score.onsets[k]:.6f},{score.pitches[k]},{time:.6f}")
        text_file(folder / "truth.csv", "\n".join(rows) + "\n")
        where = [path.relative_to(out).as_posix() for path in (audio, folder / "score.csv")]
        table.append(",".join([*where, f"{group}/{name}/truth.csv", group]))
    text_file(out / "manifest.csv", "\n".join(table) + "\n")
    return len(corpus)


def settings(kind: str, given: list[str]) -> dict[str, object]:
    """Return options of a reader as it takes them."""
    known = list(inspect.signature(READERS[kind]).parameters.values())[1:]
    options: dict[str, object] = {}
    for pair in given:
        name, _, value = pair.partition("=")
        found = [parameter for parameter in known if parameter.name == name]
        if not found or not value:
            names = ", ".join(parameter.name for parameter in known) or "none"
            raise ParameterError(f"--set {pair}: must be NAME=VALUE, with a NAME of: {names}.")
        default = found[0].default
        if isinstance(default, bool):
            options[name] = value.lower() in ("1", "true", "yes")
        elif isinstance(default, float):
            options[name] = float(value)
        elif isinstance(default, tuple):
            options[name] = tuple(value.split(","))
        else:
            options[name] = value
    return options


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("kind", choices=sorted(READERS))
    parser.add_argument("out", type=Path)
    parser.add_argument("--copy", action="store_true", help="copy recordings instead of linking")
    parser.add_argument("--cut", type=float, metavar="PAUSE", help="cut speech in such pauses (s)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="option of the reader"
    )
    given = parser.parse_args(arguments)
    try:
        corpus = READERS[given.kind](given.corpus, **settings(given.kind, given.set))
        given.out.mkdir(parents=True, exist_ok=True)
        if corpus.kind == "speech":
            written = write_speech(corpus, given.out, given.copy, given.cut)
        else:
            written = write_music(corpus, given.out, given.copy)
    except AlignError as error:
        print(error, file=sys.stderr)
        return 1
    for path, reason in corpus.problems:
        print(f"{path}: {reason}", file=sys.stderr)
    counts = f"{len(corpus.problems)} problems, {len(corpus.unpaired)} without truth"
    print(f"{written} written, {counts}", file=sys.stderr)
    return 1 if corpus.problems else 0


if __name__ == "__main__":
    sys.exit(main())
