"""How a corpus is listed, of speech and of music alike: a tree of folders, or a manifest."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from align.errors import DataError, ParameterError
from align.files.folders import walk
from align.files.names import suffix_of
from align.files.text import Place, read_text
from align.formats.documents.tables import table_rows

AUDIO_SUFFIXES = (
    ".wav",
    ".flac",
    ".sph",
    ".nist",
    ".aiff",
    ".aif",
    ".aifc",
    ".w64",
    ".rf64",
    ".caf",
    ".au",
    ".snd",
    ".ogg",
    ".oga",
    ".opus",
    ".mp3",
    *(".m4a", ".aac", ".wma", ".amr", ".3gp", ".mka", ".mp4", ".mov", ".mkv", ".webm"),
)
"""Suffixes of audio files, in lower case, in order of preference; those from ``.m4a`` on need the
extra ``media``."""

Groups: TypeAlias = str | Callable[[str], str | None] | None
"""What cross-fitting keeps together: "folder", "file", nothing, or what a function says."""


def check_listing(root: str, groups: Groups) -> None:
    """Raise DataError where there is no such folder or manifest; check what groups are."""
    if not callable(groups) and groups not in ("folder", "file", None):
        raise ParameterError(f"groups={groups!r}, must be 'folder', 'file', None or a function.")
    if not os.path.exists(root):
        raise DataError("does not exist; check the name.", path=root)
    if os.path.isfile(root):
        from align.formats.scores import SCORE_SUFFIXES

        suffix = suffix_of(root)
        if suffix in AUDIO_SUFFIXES:
            raise DataError("is one recording, must be a folder of them or a manifest.", path=root)
        if suffix in SCORE_SUFFIXES and suffix not in (".csv", ".tsv"):
            raise DataError("is one score, must be a folder of pieces or a manifest.", path=root)


def group_of(audio: str, folder: str, root: str, groups: Groups) -> str | None:
    """Return the group of a recording.

    `folder` is what the group is called after where groups are folders, by its path from `root`,
    the top of the corpus.

    Examples
    --------
    >>> group_of("timit/fcjf0/a.wav", "timit/fcjf0", "timit", "folder")
    'fcjf0'

    A bundle of a database of EMU belongs to its session:

    >>> group_of("my_emuDB/ann_ses/a_bndl/a.wav", "my_emuDB/ann_ses/a_bndl", "my_emuDB", "folder")
    'ann_ses'
    """
    if callable(groups):
        return groups(audio)
    if groups == "file":
        return audio
    if groups is None:
        return None
    name = os.path.relpath(folder, root).replace(os.sep, "/")
    if name.endswith("_bndl"):
        name = os.path.dirname(name) or "."
    return os.path.basename(os.path.abspath(root)) if name == "." else name


def folders(root: str) -> Iterator[tuple[str, list[str]]]:
    """Yield every folder of a tree with the sorted names of its files; nothing that is hidden."""
    seen = set()
    for folder, inner, names in walk(root, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:  # a symbolic link that leads back
            inner.clear()
            continue
        seen.add(real)
        yield folder, names


def manifest_rows(
    path: str, columns: Sequence[str], needed: Sequence[str]
) -> Iterator[dict[str, str]]:
    """Yield the rows of a table, by the names in its first line.

    It must have `columns`, and no row may leave those that are `needed` empty; else DataError,
    naming the line.
    """
    rows = table_rows(read_text(path), path)
    head = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    for column in columns:
        if column not in head:
            raise Place(path, 1).wrong(
                f"is neither a folder nor a manifest: its first line names no column {column!r}."
            )
    for number, cells in rows[1:]:
        row = dict(zip(head, (cell.strip() for cell in cells), strict=False))
        if not any(row.values()):
            continue
        if not all(row.get(column) for column in needed):
            raise Place(path, number).wrong(f"needs both {' and '.join(needed)}; fill them in.")
        yield row
