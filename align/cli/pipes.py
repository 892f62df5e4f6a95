"""Recordings from standard input and results to standard output, for pipes.

``-`` as a recording is what standard input holds. ``-o -`` writes to standard output in the format
that is the default, and ``-o -.csv`` in that of the suffix.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, TypeVar

import click

from align.errors import DataError, ParameterError

if TYPE_CHECKING:
    from align.results.timing import Timing

_IN = "align-standard-input-"
_OUT = "align-standard-output-"
_Timing = TypeVar("_Timing", bound="Timing")


def bytes_of(stream: TextIO | None, name: str) -> BinaryIO:
    """Return what a standard stream reads or writes as bytes; DataError where it is closed."""
    if stream is None:
        raise DataError("is closed; give a file instead of -.", path=name)
    return stream.buffer


def recording(audio: Path) -> Path:
    """Return the recording; what standard input holds is kept in a file while the command runs."""
    if str(audio) != "-":
        return audio
    path = _folder(_IN) / "stdin.wav"  # libsndfile looks at the content
    path.write_bytes(bytes_of(sys.stdin, "standard input").read())
    click.get_current_context().obj.names[str(path)] = "standard input"
    return path


def without_name(result: _Timing, audio: Path) -> _Timing:
    """Return a result that does not name the file in which standard input was kept."""
    return replace(result, audio=None) if audio.parent.name.startswith(_IN) else result


def standard_output(targets: Sequence[Path], default: str) -> tuple[Path, ...]:
    """Return the files to write, each once; what goes to standard output is sent there at the end.

    `default` is the suffix of ``-``. Raises ParameterError if two results go there.
    """
    piped = [target for target in targets if _is_standard(target)]
    if not piped:
        return tuple(dict.fromkeys(targets))
    if len(piped) > 1:
        raise ParameterError("-o - may be given once: standard output takes one result.")
    suffix = piped[0].name[1:] or default
    path = click.get_current_context().with_resource(_sent(f"stdout{suffix}"))
    return tuple(dict.fromkeys(path if target is piped[0] else target for target in targets))


def named(targets: Sequence[Path]) -> str:
    """Return what messages call the files that were written."""
    return ", ".join(
        "standard output" if target.parent.name.startswith(_OUT) else str(target)
        for target in targets
    )


def _is_standard(target: Path) -> bool:
    return str(target) == "-" or (target.name.startswith("-.") and target.parent == Path())


def _folder(prefix: str) -> Path:
    folder = tempfile.TemporaryDirectory(prefix=prefix)
    return Path(click.get_current_context().with_resource(folder))


@contextmanager
def _sent(name: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=_OUT) as folder:
        path = Path(folder) / name
        yield path
        if path.exists():  # else there was an error
            stream = bytes_of(sys.stdout, "standard output")
            stream.write(path.read_bytes())
            stream.flush()
