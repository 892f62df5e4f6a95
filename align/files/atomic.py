"""Writing a file, or appending to one, whole or not at all.

The bytes go to a temporary file in the same folder, reach the disk, and only then take the name of
the output, so that a crash, a full disk or an interrupted run never leaves half a file or loses
the old one. A process that is killed leaves its temporary file behind: its name holds the host and
the process it was of, so that a later run can remove it and leave alone what others are writing.
"""

import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache

from align.errors import DataError
from align.files.names import StrPath

_TEMPORARY = re.compile(r"\.align-([0-9a-f]{8})-([0-9]+)-[0-9a-f]{16}\.tmp")
_LONGEST_WRITE = 86400.0  # seconds; what is older was left behind, whoever it was of
_WAITS = (0.05, 0.1, 0.2, 0.4)  # seconds, before each further attempt to replace a file
_IN_USE = (5, 32)  # what Windows calls a file that another program holds open

_writing: set[str] = set()  # temporary files of this process
_captured: ContextVar[dict[str, bytes] | None] = ContextVar("captured", default=None)


def atomic_write(path: StrPath, data: bytes | str, *, overwrite: bool = False) -> None:
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
    content = data.encode("utf-8") if isinstance(data, str) else data
    if (sink := _captured.get()) is not None:
        sink[name] = content
        return
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
    if exists and os.name == "nt" and not os.access(target, os.W_OK):  # never replaced there
        raise DataError("cannot be written: it is read-only; allow to change it.", path=name)
    temporary = os.path.join(folder, _temporary_name())
    try:
        if special:  # a device or pipe such as /dev/null must not be replaced by a file
            with open(target, "wb") as stream:
                stream.write(content)
            return
        _writing.add(temporary)
        try:
            with open(temporary, "xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            if exists:
                shutil.copymode(target, temporary)
            if overwrite:
                _replace(temporary, target, name)
            else:
                _move_to_new(temporary, target, name)
            _sync_folder(folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            _writing.discard(temporary)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"cannot be written: {reason}.", path=name) from error


def append_whole(path: StrPath, data: bytes, *, size: int | None = None) -> int:
    """Append `data`, wait until it is on the disk, and return the size of the file.

    `size` is what to keep of the file, in bytes: what stands behind it was cut off. By default all
    is kept. Raises OSError where `data` cannot be written; the file then has the size to be kept.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "journal")
    ...     append_whole(path, b"one and a ha"), append_whole(path, b" two", size=3)
    (12, 7)
    """
    with open(path, "ab", buffering=0) as stream:
        kept = stream.tell() if size is None else stream.truncate(size)
        try:
            if stream.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(stream.fileno())
        except OSError:
            stream.truncate(kept)
            raise
    return kept + len(data)


def _move_to_new(temporary: str, target: str, name: str) -> None:
    """Give the file its name, unless someone else took that name meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _exists(name) from None
    except OSError:  # a file system without hard links: the check is then not quite atomic
        if os.path.exists(target):
            raise _exists(name) from None
        _replace(temporary, target, name)


def _replace(temporary: str, target: str, name: str) -> None:
    """Give the file the name of the old one; on Windows, once nobody holds the old one open.

    Scanners for viruses and editors do so for a moment; others, such as Excel, until they close.
    """
    for wait in (*_WAITS, None):
        try:
            return os.replace(temporary, target)
        except PermissionError as error:
            if getattr(error, "winerror", None) not in _IN_USE:
                raise
            if wait is None:
                raise DataError(
                    "cannot be written: another program holds it open; close it there, and run "
                    "this again.",
                    path=name,
                ) from error
            time.sleep(wait)


def _exists(name: str) -> DataError:
    return DataError("exists; choose another name or allow overwriting.", path=name)


def _temporary_name() -> str:
    return f".align-{_host()}-{os.getpid()}-{secrets.token_hex(8)}.tmp"


@cache
def _host() -> str:
    """Name of this machine, as eight hexadecimal digits."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _sync_folder(folder: str) -> None:
    """Make the new name itself outlast a power failure, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove_stale(folders: Iterable[StrPath]) -> list[str]:
    """Remove the temporary files that dead processes left in folders, and return which.

    Folders below them are not looked at. A file stays while the process that writes it runs; of
    other hosts' processes this cannot be known, and theirs stay for a day.
    """
    removed = []
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            path = os.path.join(folder, name)
            with suppress(OSError):  # someone else was quicker, or may do more than we
                if _is_stale(name, path):
                    os.unlink(path)
                    removed.append(path)
    return removed


def _is_stale(name: str, path: str) -> bool:
    match = _TEMPORARY.fullmatch(name)
    if match is None:
        return False
    if time.time() - os.lstat(path).st_mtime > _LONGEST_WRITE:
        return True
    if match[1] != _host():
        return False
    process = int(match[2])
    if process == os.getpid():  # numbers come again, in containers above all
        return os.path.realpath(path) not in _writing
    return not process_runs(process)


def process_runs(process: int) -> bool:
    """Whether a process of this number runs on this machine, as far as can be found out."""
    if os.name == "nt":  # there, signal 0 would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return not _has_ended(process)


def _has_ended(process: int) -> bool:
    """Whether a process has ended and its parent has not asked; in containers nobody may."""
    try:
        with open(f"/proc/{process}/stat", "rb") as stat:
            state = stat.read().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):  # not Linux, or gone since
        return False
    return state in (b"Z", b"X")


@contextmanager
def captured_writes() -> Iterator[dict[str, bytes]]:
    """Collect what `atomic_write` is given in this context, by path, instead of writing it.

    Examples
    --------
    >>> with captured_writes() as files:
    ...     atomic_write("kiwi.txt", "kiwi")
    >>> files
    {'kiwi.txt': b'kiwi'}
    """
    files: dict[str, bytes] = {}
    token = _captured.set(files)
    try:
        yield files
    finally:
        _captured.reset(token)
