"""What the formats share: labels line by line, JSON, and writing text whole or not at all."""

import inspect
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.text import parse_number, read_lines, read_text
from align.formats.labels import Labels, make_labels

__all__ = ["LabelLines", "parsed_json", "writer"]


class LabelLines:
    """The lines of a file that are not blank, and the labels that its reader finds in them.

    `wrong` and `number` name the line at hand; those that begin with `comment` are passed over.
    """

    def __init__(
        self, path: str | os.PathLike[str], encoding: str | None, comment: str | None = None
    ) -> None:
        self.path = os.fspath(path)
        self.labels: list[str] = []
        self.times: list[tuple[float, float]] = []
        self._encoding, self._comment = encoding, comment
        self._line = 0
        self.lines: list[int] = []

    def __iter__(self) -> Iterator[str]:
        for number, line in read_lines(self.path, self._encoding):
            self._line = number
            if self._comment is None or not line.startswith(self._comment):
                yield line

    def wrong(self, message: str) -> DataError:
        """Return the error to raise at this line."""
        return DataError(message, path=self.path, line=self._line)

    def number(self, text: str, what: str) -> float:
        """Return the number that a text is."""
        return parse_number(text, what, self.path, self._line)

    def whole(self, text: str, what: str, digits: int, unit: str) -> int:
        """Return the whole number, of fewer than so many digits, that a text is."""
        bare = text.removeprefix("-")
        if bare.isascii() and bare.isdigit() and len(bare) < digits:
            return int(text)
        raise self.wrong(f"the {what} is {text!r}, must be a whole number of {unit}.")

    def add(self, start: float, end: float, label: str) -> None:
        """Keep a label of this line; times in seconds."""
        self.times.append((start, end))
        self.labels.append(label)
        self.lines.append(self._line)

    def checked(self, duration: float | None, silence: str, *, overlaps: bool = False) -> Labels:
        """Return the labels, as `make_labels` checks them."""
        return make_labels(
            self.labels,
            self.times,
            path=self.path,
            lines=self.lines,
            duration=duration,
            silence=silence,
            overlaps=overlaps,
        )


def parsed_json(path: str | os.PathLike[str], encoding: str | None = None) -> Any:
    """Return what a JSON file holds; DataError, naming the line, where it is none."""
    name = os.fspath(path)
    try:
        return json.loads(read_text(path, encoding))
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}.", path=name, line=error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise DataError(f"is not usable JSON: {error}.", path=name) from None


def writer(form: Callable[..., str | bytes]) -> Callable[..., None]:
    """Return ``write_x(path, content, *, overwrite=False, **options)`` for a ``format_x``.

    It writes what `form` makes of the content and the options, whole or not at all.
    """

    def write(
        path: str | os.PathLike[str], *content: object, overwrite: bool = False, **options: object
    ) -> None:
        atomic_write(path, form(*content, **options), overwrite=overwrite)

    own = [
        inspect.Parameter("path", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *inspect.signature(form).parameters.values(),
        inspect.Parameter("overwrite", inspect.Parameter.KEYWORD_ONLY, default=False),
    ]
    write.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]  # what help shows
    # The name by which a process finds the function again.
    write.__name__ = write.__qualname__ = form.__name__.replace("format_", "write_")
    write.__module__ = form.__module__
    write.__doc__ = f"Write what `{form.__name__}` returns, with its options; see there."
    return write
