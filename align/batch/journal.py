"""What earlier runs have done in a folder of outputs.

The journal is a file of lines, each the JSON of one `Record`; of several records of one recording
the last counts. A record is written, and on the disk, *before* the outputs it describes get their
names. Outputs are whole or absent, so afterwards the state of an output shows what to do:

==============================  ==================================================================
the output                      means
==============================  ==================================================================
is absent                       the run was interrupted, or someone removed it: to be done
is what the record says         done
is what the record replaced     the run was interrupted: to be done
is anything else                someone changed it, by hand most likely: to be kept
==============================  ==================================================================

A line that was cut off is skipped: its output does not exist.
"""

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from align.errors import data_errors
from align.files.atomic import append_whole, atomic_write
from align.files.names import StrPath
from align.files.regular import open_regular


@dataclass(frozen=True)
class Identity:
    """Which content a file has: size in bytes, time of the last change in ns, and SHA-256."""

    size: int
    changed: int
    sha256: str

    def unchanged(self, path: str) -> bool:
        """Whether a file still has this content; read only where its time says otherwise."""
        try:
            status = os.stat(path)
            if status.st_size != self.size:
                return False
            return status.st_mtime_ns == self.changed or sha256_of(path) == self.sha256
        except OSError:
            return False


def sha256_of(path: str) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def identify(path: str) -> Identity:
    """Read which content a file has."""
    status = os.stat(path)
    return Identity(status.st_size, status.st_mtime_ns, sha256_of(path))


@dataclass(frozen=True)
class Record:
    """What was made of one recording.

    `key` digests the model and the options, `inputs` are the files it was made from. `outputs` and
    `replaced` give the path below the folder of outputs and the SHA-256 of what is there and of
    what was there before; `quality` is that of `align.batch.quality`.
    """

    name: str
    key: str
    inputs: tuple[Identity, ...]
    outputs: Mapping[str, str]
    replaced: Mapping[str, str] = field(default_factory=dict)
    quality: Mapping[str, Any] = field(default_factory=dict)

    def to_line(self) -> str:
        """Return the record as a line of the journal."""
        content = {
            "name": self.name,
            "key": self.key,
            "inputs": [[i.size, i.changed, i.sha256] for i in self.inputs],
            "outputs": dict(self.outputs),
            "replaced": dict(self.replaced),
            "quality": dict(self.quality),
        }
        return json.dumps(content, allow_nan=False, sort_keys=True) + "\n"

    @classmethod
    def from_line(cls, line: str) -> "Record | None":
        """Read a line; None for one that is no whole record."""
        try:
            content = json.loads(line)
            return cls(
                str(content["name"]),
                str(content["key"]),
                tuple(Identity(int(a), int(b), str(c)) for a, b, c in content["inputs"]),
                {str(k): str(v) for k, v in content["outputs"].items()},
                {str(k): str(v) for k, v in content["replaced"].items()},
                dict(content["quality"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None


class Journal:
    """The records of a folder of outputs, in a file that need not exist.

    Raises DataError where it is there and cannot be read.
    """

    def __init__(self, path: StrPath) -> None:
        self.path = os.fspath(path)
        self._records: dict[str, Record] = {}
        lines = list(self._lines())
        for line in lines:
            record = Record.from_line(line)
            if record is not None:
                self._records[record.name] = record
        self._untidy = len(lines) > 2 * len(self._records) or any(
            not line.endswith("\n") for line in lines[-1:]
        )

    def _lines(self) -> Iterator[str]:
        with data_errors("cannot be read", self.path), suppress(FileNotFoundError):
            with (
                open_regular(self.path) as file,
                io.TextIOWrapper(file, encoding="utf-8", errors="replace") as stream,
            ):
                yield from stream

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def get(self, name: str) -> Record | None:
        """Return the last record of a recording, if there is one."""
        return self._records.get(name)

    def tidy(self) -> None:
        """Write the file anew where most of it is outdated, or its last line was cut off."""
        if self._untidy:
            text = "".join(record.to_line() for record in self._records.values())
            atomic_write(self.path, text, overwrite=True)
            self._untidy = False

    def add(self, record: Record) -> None:
        """Append a record, and wait until it is on the disk.

        Raises DataError where it cannot be written; the file is then as it was.
        """
        with data_errors("cannot be written", self.path):
            append_whole(self.path, record.to_line().encode())
        self._records[record.name] = record
