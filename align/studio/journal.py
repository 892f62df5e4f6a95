"""The journal of a session: a file of lines, each the JSON of one entry, that only ever grows.

An entry is on the disk before `Journal.add` returns. The state of a session is the fold of its
entries, so a file to append to is all that is needed, and a database would only add a schema; a
person can read the file, too. A line that was cut off, by a kill or a power failure, was never
acknowledged, and is dropped.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from align.errors import DataError, data_errors
from align.files.atomic import append_whole
from align.files.names import StrPath
from align.files.regular import open_regular


class Journal:
    """Entries in a file that need not exist yet.

    Raises DataError where the file cannot be read, or a line before the last one is damaged.

    Attributes
    ----------
    entries : list of dict
        Those that were there when it was opened.
    """

    def __init__(self, path: StrPath) -> None:
        self.path = os.fspath(path)
        self.entries: list[dict[str, Any]] = []
        self._size = 0
        self._last = 0
        lines = self._read().split(b"\n")
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                if not (isinstance(entry, dict) and isinstance(entry.get("do"), str)):
                    raise ValueError
            except ValueError:
                if number < len(lines) - 1:
                    raise DataError(
                        "is damaged; restore it from a copy, or choose another folder.",
                        path=self.path,
                        line=number,
                    ) from None
                break  # it was cut off
            if number == len(lines):
                break  # whole by chance, but its end was never written: not acknowledged
            self.entries.append(entry)
            self._size += len(line) + 1

    def _read(self) -> bytes:
        with data_errors("cannot be read", self.path), suppress(FileNotFoundError):
            with open_regular(self.path) as stream:
                return stream.read()
        return b""

    def add(self, entry: Mapping[str, Any]) -> None:
        """Append an entry, and wait until it is on the disk.

        Raises DataError where it cannot be written; the journal is then as it was.
        """
        line = json.dumps(entry, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        with data_errors("cannot be written", self.path, "; nothing was changed"):
            self._size = append_whole(self.path, line, size=self._size)
        self._last = len(line)

    def take_back(self) -> None:
        """Take the entry away that was added last, since what it says could not be done."""
        self._size -= self._last
        self._last = 0
        with data_errors("cannot be written", self.path):
            append_whole(self.path, b"", size=self._size)
