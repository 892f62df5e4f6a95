"""Appending to a file that only ever grows, such as a journal: all of it or nothing."""

import errno
import os

__all__ = ["append_whole"]


def append_whole(path: str | os.PathLike[str], data: bytes, *, size: int | None = None) -> int:
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
