"""The demonstration: bundled recordings whose true phone times are known, aligned and compared.

The recordings were synthesised with a free voice, which tells when each phone begins; how well a
model does on them says little about human speech, for which see ``docs/accuracy.md``.
"""

import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from align.errors import DataError
from align.types import Example

if TYPE_CHECKING:
    from align.alignment import Alignment
    from align.report import FileResult, Report

__all__ = ["MODEL", "DemoResult", "recordings", "run"]

MODEL = "speech-en"
"""The bundled model that the demonstration uses."""

_SUFFIXES = (".TextGrid", ".csv", ".json", ".txt", ".ctm", ".phn", ".lab")


@dataclass(frozen=True)
class DemoResult:
    """What the demonstration made.

    Parameters
    ----------
    folder : Path
        Where.
    files : list of Path
        Everything that was written there.
    text : str
        What to tell the user: the errors, and where to look.
    """

    folder: Path
    files: list[Path]
    text: str


def recordings() -> list[Example]:
    """Return the bundled recordings with their phones and true onsets.

    Raises
    ------
    DataError
        Where this installation has none.
    """
    from align.corpus import read_corpus

    return list(read_corpus(str(files("align.data"))))


def run(
    folder: str | os.PathLike[str],
    *,
    progress: Callable[[str, int, int], None] | None = None,
) -> DemoResult:
    """Align the bundled recordings and write every output into a folder.

    Parameters
    ----------
    folder : path
        Created where it is missing; files of the same names are replaced.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.

    Returns
    -------
    DemoResult

    Raises
    ------
    DataError
        Where the folder cannot be written.
    """
    from align.formats import write_labels
    from align.model_file import load
    from align.report import FileResult, Report

    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"the folder cannot be made ({error.strerror}); name another one.", path=target
        ) from error
    aligner = load(MODEL)
    examples = recordings()
    written: list[Path] = []
    results = []
    pictures = _have_matplotlib()
    for n, example in enumerate(examples):
        audio = Path(str(example.audio))
        begin = time.perf_counter()
        alignment = aligner.align(audio, example.events)
        elapsed = time.perf_counter() - begin
        outputs = [target / f"{audio.stem}{suffix}" for suffix in _SUFFIXES]
        for output in outputs:
            write_labels(output, alignment, overwrite=True)
        if pictures:
            outputs.append(target / f"{audio.stem}.png")
            _draw(example, alignment, outputs[-1])
        shutil.copyfile(audio, target / audio.name)
        written += [target / audio.name, *outputs]
        assert example.onsets is not None
        results.append(
            FileResult(
                name=audio.stem,
                labels=alignment.labels,
                true=example.onsets,
                predicted=alignment.onsets,
                seconds=alignment.duration,
                elapsed=elapsed,
            )
        )
        if progress is not None:
            progress("aligning", n + 1, len(examples))
    report = Report.from_files(results, kind=aligner.kind)
    kind = written[0].suffix
    return DemoResult(target, written, _text(target, report, results, kind, pictures))


def _draw(example: Example, alignment: "Alignment", path: Path) -> None:
    from align.alignment import Alignment
    from align.plot import save_plot

    assert example.onsets is not None
    truth = Alignment(
        example.events,
        example.onsets,
        duration=alignment.duration,
        end=None if example.end is None else min(example.end, alignment.duration),  # type: ignore[arg-type]
    )
    save_plot(alignment, path, truth, overwrite=True)


def _have_matplotlib() -> bool:
    return find_spec("matplotlib") is not None


def _text(
    folder: Path, report: "Report", results: "Sequence[FileResult]", kind: str, pictures: bool
) -> str:
    phones = sum(len(result.labels) for result in results)
    seconds = sum(result.seconds for result in results)
    stem = results[0].name
    look = [
        ("TextGrid", f"open it in Praat together with {stem}{kind}"),
        ("txt", "a label track for Audacity: File, Import, Labels"),
        ("csv", "a table: label, start, end"),
        ("json", "everything the alignment knows"),
    ]
    if pictures:
        look.insert(0, ("png", "the picture; blue is aligned, orange the truth"))
    lines = [
        f"Aligned {len(results)} recordings ({phones} phones, {seconds:.1f} s of sound) with the "
        f"model {MODEL}.",
        "The true times are known, because a free voice spoke the recordings; the errors are:",
        "",
        report.table("file"),
        "",
        f"Look into {folder}:",
        *(f"  {stem + '.' + suffix:<24}{what}" for suffix, what in look),
        "  and .ctm, .phn, .lab for other programs; the same for each recording.",
    ]
    if not pictures:
        lines.append("For pictures: pip install 'margin-align[plot]'.")
    lines += [
        "",
        'Your own recording:  align speech AUDIO --phones "sil k iy w iy sil"',
        "Your own model:      align train speech CORPUS_DIR -o my.align",
    ]
    return "\n".join(lines)
