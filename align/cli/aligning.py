"""``align demo`` and ``align speech``."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from align.cli.console import Console, message_options, plural
from align.errors import DataError, ParameterError

if TYPE_CHECKING:
    from align.alignment import Alignment

__all__ = ["demo", "speech"]

_PICTURES = (".png", ".pdf", ".svg")


@click.command()
@click.argument("folder", metavar="[DIR]", required=False, default="align-demo", type=Path)
@message_options
@click.pass_obj
def demo(console: Console, folder: Path) -> None:
    """Align the bundled recordings and show how well it went.

    Every output format is written into DIR (by default ./align-demo); files of an earlier
    demonstration there are replaced. The errors against the known truth are printed.
    """
    import align.demo

    with console.first_run():
        result = align.demo.run(folder, progress=console.progress)
    console.finish()
    click.echo(result.text)


@click.command()
@click.argument("audio", type=Path)
@click.option(
    "--phones",
    required=True,
    metavar='FILE|"sil k iy"',
    help="The phones in order: themselves, separated by spaces, or a file of them "
    "(.txt, or a label file whose times are ignored), or - for standard input.",
)
@click.option(
    "--model",
    default="speech-en",
    show_default=True,
    metavar="M",
    help="A model file, or the name of a bundled model.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=Path,
    metavar="OUT",
    help="Where to write; may be given several times. The suffix decides the format: .TextGrid, "
    ".csv, .json, .ctm, .phn, .lab, .txt (Audacity labels), .png. By default the name of the "
    "recording with .TextGrid, in the current folder.",
)
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@message_options
@click.pass_obj
def speech(
    console: Console,
    audio: Path,
    phones: str,
    model: str,
    outputs: tuple[Path, ...],
    overwrite: bool,
) -> None:
    r"""Find when each phone of AUDIO begins.

    \b
    align speech kiwi.wav --phones "sil k iy w iy sil"
    align speech kiwi.wav --phones kiwi.txt -o kiwi.TextGrid -o kiwi.png
    """
    targets = outputs or (Path(f"{audio.stem}.TextGrid"),)
    for target in targets:
        check_output(target, overwrite)
    events = read_phones(phones)
    if not audio.exists():
        raise DataError("there is no such file.", path=audio)

    import align

    with console.first_run(otherwise=f"Aligning {audio} ..."):
        alignment = align.load(model).align(audio, events)
    for target in targets:
        write_output(alignment, target, overwrite=overwrite)
    written = ", ".join(str(target) for target in targets)
    console.message(f"{plural(len(alignment), 'phone')} in {alignment.duration:.2f} s: {written}")


def read_phones(source: str) -> list[str]:
    """Read the phones that ``--phones`` gives: themselves, or the name of a file of them."""
    from align.formats import LABEL_FORMATS, read_labels

    path = Path(source)
    suffix = path.suffix.lower()
    where: str | None = None
    if source == "-":
        where, text = "standard input", sys.stdin.read()
    elif _is_file(path) or (len(source.split()) == 1 and suffix in LABEL_FORMATS):
        where = source
        if suffix in LABEL_FORMATS and suffix not in (".txt", ".lab"):
            return list(read_labels(path).labels)
        from align.formats._text import read_text

        text = read_text(path)
        rows = [line.split() for line in text.splitlines() if line.strip()]
        if suffix in (".txt", ".lab") and rows and all(_is_timed(row) for row in rows):
            return list(read_labels(path).labels)
    else:
        text = source
    phones = text.split()
    if not phones:
        raise DataError("there are no phones; give at least one.", path=where)
    return phones


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a long list of phones is no name of a file
        return False


def _is_timed(row: list[str]) -> bool:
    """Whether a line is ``start end label``."""
    try:
        return len(row) >= 3 and float(row[0]) <= float(row[1])
    except ValueError:
        return False


def check_output(path: Path, overwrite: bool) -> None:
    """Refuse, before any work is done, an output that could not be written after it."""
    from align.formats import LABEL_FORMATS

    suffix = path.suffix.lower()
    if suffix not in LABEL_FORMATS and suffix not in _PICTURES:
        known = ", ".join([*LABEL_FORMATS, *_PICTURES])
        raise ParameterError(
            f"{path}: the suffix {suffix!r} is no format of results; use {known}."
        )
    check_free(path, overwrite)


def check_free(path: Path, overwrite: bool) -> None:
    """Refuse an output that exists, or that has no folder to be in."""
    if path.is_dir():
        raise ParameterError(f"{path}: is a folder; name a file to write.")
    if path.exists() and not overwrite:
        raise ParameterError(f"{path}: exists; choose another name, or add --overwrite.")
    if not path.parent.is_dir():
        raise ParameterError(f"{path}: the folder {path.parent} does not exist; create it first.")


def write_output(
    alignment: "Alignment", path: Path, *, overwrite: bool = False, **plot_options: Any
) -> None:
    """Write an alignment in the format its suffix says, pictures included."""
    if path.suffix.lower() in _PICTURES:
        from align.plot import save_plot

        save_plot(alignment, path, overwrite=overwrite, **plot_options)
    else:
        from align.formats import write_labels

        write_labels(path, alignment, overwrite=overwrite)
