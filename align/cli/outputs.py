"""Files that commands write: refused before the work where they could not be, written after it."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from align.errors import DataError, ParameterError
from align.files.names import StrPath

PICTURES = (".png", ".pdf", ".svg")
PAGE = ".html"
SHOWN = (*PICTURES, PAGE)
"""Suffixes of what shows an alignment over its recording."""


def check_output(path: Path, overwrite: bool) -> None:
    """Refuse, before any work is done, an output that could not be written after it."""
    from align.formats import LABEL_FORMATS

    suffix = path.suffix.lower()
    if suffix not in LABEL_FORMATS and suffix not in SHOWN:
        known = ", ".join([*LABEL_FORMATS, *SHOWN])
        raise ParameterError(
            f"{path}: the suffix {suffix!r} is no format of results; use {known}."
        )
    check_free(path, overwrite)


def keep_inputs(targets: Iterable[Path], inputs: Iterable[str | Path | None]) -> None:
    """Refuse an output that is one of the files that are read, whatever may be replaced."""
    read = [path for path in inputs if path is not None and os.path.isfile(path)]
    for target in targets:
        if target.is_file() and any(os.path.samefile(target, path) for path in read):
            raise ParameterError(
                f"{target}: is read by this command, and is kept; choose another name (-o)."
            )


def check_free(path: Path, overwrite: bool) -> None:
    """Refuse an output that exists, or that has no folder to be in."""
    if path.is_dir():
        raise ParameterError(f"{path}: is a folder; name a file to write.")
    if path.exists() and not overwrite:
        raise ParameterError(f"{path}: exists; choose another name, or add --overwrite.")
    if not path.parent.is_dir():
        raise ParameterError(f"{path}: the folder {path.parent} does not exist; create it first.")


def write_json(content: dict[str, Any], path: Path, overwrite: bool) -> None:
    """Write JSON to a file, or with ``-`` to standard output."""
    from align.files.atomic import atomic_write
    from align.formats.documents.writing import json_text

    if str(path) == "-":
        click.echo(json_text(content), nl=False)
    else:
        atomic_write(path, json_text(content), overwrite=overwrite)


def save_model(model: Any, path: Path, **options: Any) -> None:
    """Save a model, where there is no room for it among temporary files: it took hours.

    Raises DataError where that was needed; it says where the model is.
    """
    try:
        model.save(path, **options)
    except DataError as error:
        rescued = Path(tempfile.mkdtemp(prefix="align-")) / path.name
        try:
            model.save(rescued, **options)
        except DataError:
            rescued.parent.rmdir()
            raise error from None
        raise DataError(f"{error} The model is in {rescued}; move it from there.") from None


def write_output(
    alignment: Any,
    path: Path,
    audio: StrPath | None = None,
    *,
    overwrite: bool = False,
    **plot_options: Any,
) -> None:
    """Write an alignment in the format of the suffix, or as a picture or page of `audio`.

    What was found for a text can be a page alone.
    """
    if path.suffix.lower() in PICTURES:
        from align.show.plot import save_plot

        save_plot(alignment, path, audio=audio, overwrite=overwrite, **plot_options)
    elif path.suffix.lower() == PAGE:
        from align.show.page import Recording, write_page

        write_page(Recording.of(alignment, audio=audio), path, overwrite=overwrite)
    else:
        from align.formats import write_labels

        write_labels(path, alignment, overwrite=overwrite)
