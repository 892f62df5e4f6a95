"""Reading and writing labels by the suffix of the file."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from align.errors import ParameterError
from align.formats.audacity import read_audacity, write_audacity
from align.formats.ctm import read_ctm, write_ctm
from align.formats.htk import read_lab, write_lab
from align.formats.json_file import read_json, write_json
from align.formats.labels import Labels
from align.formats.tables import read_csv, write_csv
from align.formats.textgrid import read_textgrid, write_textgrid
from align.formats.timit import read_phn, write_phn

if TYPE_CHECKING:
    from align.results.alignment import Alignment

__all__ = ["LABEL_FORMATS", "read_labels", "write_labels"]

LABEL_FORMATS = {
    ".textgrid": "textgrid",
    ".phn": "phn",
    ".wrd": "phn",
    ".lab": "lab",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "audacity",
    ".ctm": "ctm",
    ".json": "json",
}
"""Format of each suffix, in lower case."""

_READERS: dict[str, Callable[..., Labels]] = {
    "textgrid": read_textgrid,
    "phn": read_phn,
    "lab": read_lab,
    "csv": read_csv,
    "tsv": read_csv,
    "audacity": read_audacity,
    "ctm": read_ctm,
    "json": read_json,
}
_WRITERS: dict[str, Callable[..., None]] = {
    "textgrid": write_textgrid,
    "phn": write_phn,
    "lab": write_lab,
    "csv": write_csv,
    "tsv": write_csv,
    "audacity": write_audacity,
    "ctm": write_ctm,
    "json": write_json,
}


def _format_of(path: str | os.PathLike[str], given: str | None) -> str:
    if given is not None:
        if given not in _READERS:
            raise ParameterError(f"format={given!r}, must be one of {', '.join(_READERS)}.")
        return given
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in LABEL_FORMATS:
        known = ", ".join(LABEL_FORMATS)
        raise ParameterError(
            f"{os.fspath(path)}: the suffix {suffix!r} is no label format; use one of {known}, or "
            "name the format."
        )
    return LABEL_FORMATS[suffix]


def read_labels(
    path: str | os.PathLike[str],
    *,
    rate: float | None = None,
    duration: float | None = None,
    tier: str | None = None,
    silence: str = "sil",
    encoding: str | None = None,
    format: str | None = None,
) -> Labels:
    """Read labels with their times, in the format the suffix says.

    Parameters
    ----------
    path : path
        A ``.TextGrid``, ``.phn`` or ``.wrd`` (TIMIT), ``.lab`` (HTK), ``.csv``, ``.tsv``, ``.txt``
        (Audacity), ``.ctm`` or ``.json`` file; the suffix in any case.
    rate : float, optional
        Sampling rate in Hz that TIMIT files count samples at; by default 16000.
    duration : float, optional
        Length of the recording in seconds; labels beyond it are then an error.
    tier : str, optional
        Tier of a TextGrid; by default the one that holds the phones.
    silence : str
        Name of labels without text and of gaps; ``""`` leaves them nameless.
    encoding : str, optional
        By default UTF-8 or UTF-16, whichever the file is.
    format : str, optional
        One of ``textgrid``, ``phn``, ``lab``, ``csv``, ``tsv``, ``audacity``, ``ctm``, ``json``;
        by default what the suffix says.

    Returns
    -------
    Labels

    Raises
    ------
    DataError
        If the file cannot be used; the message names the line.
    ParameterError
        If the format is unknown.
    """
    kind = _format_of(path, format)
    options: dict[str, object] = {"duration": duration, "silence": silence, "encoding": encoding}
    if kind == "phn":
        options["rate"] = rate
    if kind == "textgrid":
        options["tier"] = tier
    return _READERS[kind](path, **options)


def write_labels(
    path: str | os.PathLike[str],
    alignment: "Alignment",
    format: str | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Write an alignment, in the format the suffix says, whole or not at all.

    Parameters
    ----------
    path : path
        The output; see `read_labels` for the suffixes.
    alignment : Alignment
        What to write.
    format : str, optional
        As for `read_labels`.
    overwrite : bool
        Replace a file that exists.

    Raises
    ------
    DataError
        If the file exists, cannot be written, or its format cannot hold a label.
    ParameterError
        If the format is unknown.
    """
    kind = _format_of(path, format)
    options = {"separator": "\t"} if kind == "tsv" else {}
    _WRITERS[kind](path, alignment, overwrite=overwrite, **options)
