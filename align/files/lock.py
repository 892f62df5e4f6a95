"""One run at a time in a folder.

The lock is one of the operating system on an open file. It ends with its process, however that
ends, so no lock is ever left behind.
"""

import json
import os
import platform
import time
from contextlib import suppress
from typing import IO, Any, Self

from align.errors import DataError, data_errors
from align.files.names import StrPath

_LOCKED = 1 << 30  # place of the byte that is locked on Windows


class FolderLock:
    """Hold a folder while in this context, or refuse.

    What is locked is `file`, which stays, empty. Raises DataError on entering, where another
    process holds the folder or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with FolderLock(folder, folder + "/lock"):
    ...         pass
    """

    def __init__(self, folder: StrPath, file: StrPath) -> None:
        self.folder = os.fspath(folder)
        self.file = os.fspath(file)
        self._stream: IO[str] | None = None

    def __enter__(self) -> Self:
        with data_errors("cannot be written to", self.folder):
            stream = open(self.file, "a+", encoding="utf-8", opener=_opened)
        try:
            _lock(stream)
        except OSError:
            holder = _holder(stream)
            stream.close()
            raise DataError(
                f"is in use by another run{holder}; wait until that has ended, or choose another "
                "folder.",
                path=self.folder,
            ) from None
        with suppress(OSError):  # a full disk: the lock holds all the same
            stream.truncate(0)
            json.dump({"process": os.getpid(), "host": platform.node()}, stream)
            stream.flush()
        self._stream = stream
        return self

    def __exit__(self, *exception: Any) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(OSError):
                stream.truncate(0)
            with suppress(OSError):
                stream.close()


def _opened(path: str, flags: int) -> int:
    """Open without following a link: the file is emptied, whatever it is."""
    for name in ("O_NOFOLLOW", "O_NONBLOCK"):
        flags |= getattr(os, name, 0)
    return os.open(path, flags, 0o666)


def _holder(stream: IO[str]) -> str:
    """Return who holds the lock; who has just got it needs a moment to write its name."""
    for wait in (0.0, 0.01, 0.1, 0.5):
        time.sleep(wait)
        stream.seek(0)
        try:
            content = json.loads(stream.read(4096))
            return f" (process {int(content['process'])} on {str(content['host'])[:64]})"
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return ""


def _lock(stream: IO[str]) -> None:
    """Lock a file for this process alone, or raise OSError at once."""
    if os.name == "nt":
        import msvcrt

        # What is locked cannot be read by others there: a byte far beyond who holds the lock.
        os.lseek(stream.fileno(), _LOCKED, os.SEEK_SET)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
