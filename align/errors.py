"""The exceptions Align raises, and what their messages share.

::

    AlignError
    ├── ParameterError   a wrong argument (also a ValueError)
    ├── DataError        a wrong file: audio, labels, corpus
    │   └── NoTextError  a transcript without a word
    └── ModelError       a model file that cannot be used
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager


class AlignError(Exception):
    """Base of every error Align raises on purpose."""


class ParameterError(AlignError, ValueError):
    """An argument has a wrong value, shape or type."""


class DataError(AlignError):
    """A file or recording cannot be used as it is.

    Parameters
    ----------
    message : str
        What was wrong and what to do, in one sentence.
    path : str or os.PathLike, optional
        The file at fault.
    line : int, optional
        The line (counted from 1) at fault.

    Examples
    --------
    >>> print(DataError("the times go backwards; sort the lines.", path="a.phn", line=3))
    a.phn, line 3: the times go backwards; sort the lines.
    """

    def __init__(
        self, message: str, path: str | os.PathLike[str] | None = None, line: int | None = None
    ) -> None:
        super().__init__(message, path, line)
        self.message = message
        self.path = None if path is None else os.fspath(path)
        self.line = line

    def __str__(self) -> str:
        if self.path is None:
            return self.message
        where = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{where}: {self.message}"


class NoTextError(DataError):
    """A transcript holds no word, or is not there; somebody may still write it."""


class ModelError(AlignError):
    """A model file cannot be loaded or used."""


def check_shape(name: str, shape: tuple[int, ...], letters: str, wanted: tuple[int, ...]) -> None:
    """Raise ParameterError where an array has another shape than the one that is wanted.

    Examples
    --------
    >>> check_shape("cost", (2, 5), "(K, T)", (2, 7))
    Traceback (most recent call last):
    align.errors.ParameterError: cost.shape=(2, 5), must be (K, T)=(2, 7).
    """
    if shape != wanted:
        sizes = tuple(map(int, wanted))
        raise ParameterError(f"{name}.shape={shape}, must be {letters}={sizes}.")


@contextmanager
def data_errors(what: str, path: str | os.PathLike[str], then: str = "") -> Iterator[None]:
    """Make what the system refuses in this context a `DataError` of a file.

    `what` begins the message, as in "cannot be read"; `then` ends it.
    """
    try:
        yield
    except OSError as error:
        raise DataError(f"{what}: {error.strerror or error}{then}.", path=path) from error


def error_reason(error: AlignError, path: str | os.PathLike[str]) -> str:
    """Text of an error without the name of the file, for a list that shows it already.

    Examples
    --------
    >>> error_reason(DataError("the file is empty.", path="a.wav"), "a.wav")
    'the file is empty.'
    """
    if isinstance(error, DataError) and error.path == os.fspath(path) and error.line is None:
        return error.message
    return str(error)


def plural(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one.

    Examples
    --------
    >>> plural(1, "phone"), plural(2, "phone"), plural(3, "boundary")
    ('1 phone', '2 phones', '3 boundaries')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun.removesuffix('y') + 'ies' if noun.endswith('y') else noun + 's'}"
