"""Opening a file that someone else has named.

A name in a manifest, or in a folder of recordings, may be that of a pipe that no one writes to, of
a socket, or of a device that never ends. Opening it would block, or do whatever the device does
when it is opened. Such names are refused before anything is opened.
"""

import errno
import os
import stat
from io import BufferedReader

from align.files.names import StrPath

_WHY = "it is a pipe, a socket or a device, not a file"


def open_regular(path: StrPath) -> BufferedReader:
    """Open a file to read its bytes, and nothing that is no file; a symbolic link is followed.

    Raises OSError if there is no such file, it cannot be opened, or it is a pipe, a socket or a
    device; its `strerror` then says so.

    Examples
    --------
    >>> import os
    >>> open_regular(os.devnull)
    Traceback (most recent call last):
        ...
    OSError: [Errno 22] it is a pipe, a socket or a device, not a file: '/dev/null'
    """
    _check(os.stat(path), path)
    stream = open(path, "rb", opener=_opened)
    try:
        _check(os.fstat(stream.fileno()), path)  # it may have been exchanged since
    except OSError:
        stream.close()
        raise
    return stream


def why_missing(path: StrPath, otherwise: str) -> str:
    """Return why there is no such file: a link that leads nowhere, or `otherwise`.

    Examples
    --------
    >>> why_missing("no such file.wav", "does not exist; check the name.")
    'does not exist; check the name.'
    """
    if not os.path.islink(path):
        return otherwise
    return f"is a link to {os.readlink(path)}, which does not exist; mend or remove the link."


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _check(status: os.stat_result, path: StrPath) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, _WHY, os.fspath(path))
