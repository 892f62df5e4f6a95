"""A tree of folders, of which none may be missing unnoticed."""

import os
from collections.abc import Iterator

from align.errors import DataError

_OF_SYSTEM = ("lost+found", "System Volume Information")  # at the top of a disk, for nobody


def walk(top: str, *, followlinks: bool = False) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what `os.walk` does, folders and files in order and without hidden ones.

    Raises DataError where a folder cannot be read, which `os.walk` would leave out in silence: a
    corpus would lack a speaker.
    """
    for folder, inner, names in os.walk(top, onerror=_refuse, followlinks=followlinks):
        inner[:] = _shown(inner)
        yield folder, inner, _shown(names)


def _shown(names: list[str]) -> list[str]:
    return sorted(name for name in names if not name.startswith("."))


def _refuse(error: OSError) -> None:
    folder = os.fspath(error.filename)
    gone = isinstance(error, FileNotFoundError | NotADirectoryError)
    if not gone and os.path.basename(folder) not in _OF_SYSTEM:
        raise DataError(
            f"cannot be read: {error.strerror}; ask for the right to read it, or move it "
            "elsewhere.",
            path=folder,
        ) from None
