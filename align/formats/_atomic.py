"""Writing a file whole or not at all.

The bytes go to a temporary file in the same folder, reach the disk, and only then take the name
of the output, so that a crash, a full disk or an interrupted run never leaves half a file or loses
the old one.
"""

import os
import secrets
import shutil
import stat
from contextlib import suppress

from align.errors import DataError

__all__ = ["atomic_write"]


def atomic_write(
    path: str | os.PathLike[str], data: bytes | str, *, overwrite: bool = False
) -> None:
    """Write `data` to `path`, completely or not at all.

    Parameters
    ----------
    path : path
        The output. A symbolic link is followed.
    data : bytes or str
        What to write; text as UTF-8 with the line ends it has.
    overwrite : bool
        Replace a file that exists. By default it is left alone: hand-corrected labels often bear
        the name that the next run would write.

    Raises
    ------
    DataError
        If the file exists and `overwrite` is false, or the folder is missing or not writable.
    """
    name = os.fspath(path)
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise DataError("is a folder; name a file to write.", path=name)
    if not os.path.isdir(folder):
        raise DataError("cannot be written: its folder does not exist; create it.", path=name)
    exists = os.path.exists(target)
    special = exists and not stat.S_ISREG(os.stat(target).st_mode)
    if exists and not special and not overwrite:
        raise _exists(name)
    content = data.encode("utf-8") if isinstance(data, str) else data
    temporary = os.path.join(folder, f".align-{secrets.token_hex(8)}.tmp")
    try:
        if special:  # a device or pipe such as /dev/null must not be replaced by a file
            with open(target, "wb") as stream:
                stream.write(content)
            return
        try:
            with open(temporary, "xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            if exists:
                shutil.copymode(target, temporary)
            if overwrite:
                os.replace(temporary, target)
            else:
                _move_to_new(temporary, target, name)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"cannot be written: {reason}.", path=name) from error


def _move_to_new(temporary: str, target: str, name: str) -> None:
    """Give the file its name, unless someone else took that name meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _exists(name) from None
    except OSError:  # a file system without hard links: the check is then not quite atomic
        if os.path.exists(target):
            raise _exists(name) from None
        os.replace(temporary, target)


def _exists(name: str) -> DataError:
    return DataError("exists; choose another name or allow overwriting.", path=name)
