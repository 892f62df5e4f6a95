"""A line that shows how far a long piece of work is, on a terminal and in a notebook."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TextIO, TypeAlias, TypeVar

_T = TypeVar("_T")

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with a stage, how much of it is done, and how much there is."""

_BAR = 24
_EVERY = 0.2  # seconds between drawings
_RECENT = 0.1  # weight of what is new in the running mean of the rate


def no_report(stage: str, done: int, total: int) -> None:
    """Report to nobody: what is called where no `progress` is given."""


def counted(items: Sequence[_T], progress: Progress | None, stage: str) -> Iterator[_T]:
    """Return items one by one, and report each when the next is asked for.

    Examples
    --------
    >>> list(counted("ab", print, "aligning"))
    aligning 0 2
    aligning 1 2
    aligning 2 2
    ['a', 'b']
    """
    report = progress or no_report
    report(stage, 0, len(items))
    for n, item in enumerate(items, start=1):
        yield item
        report(stage, n, len(items))


def of_stage(progress: Progress | None, stage: str) -> Callable[[int, int], None] | None:
    """Return what is called with the two numbers of one stage, if there is a `progress`.

    Examples
    --------
    >>> of_stage(print, "aligning")(1, 2)
    aligning 1 2
    >>> of_stage(None, "aligning")
    """
    return None if progress is None else partial(progress, stage)


class ProgressLine:
    r"""Draw one line: stage, bar, count, rate and the time that is left.

    Parameters
    ----------
    stream : text stream, optional
        Where; by default standard error.
    unit : str
        What is counted.

    Notes
    -----
    Called as every `progress` of this package: with the stage, how much of it is done, and how
    much there is. The line is drawn over itself with a carriage return, which notebooks follow
    too.

    Examples
    --------
    >>> import io
    >>> line = ProgressLine(io.StringIO())
    >>> line("aligning", 0, 2); line("aligning", 2, 2)
    >>> line.stream.getvalue().split("\r")[-1].split("]")[0]
    'aligning [########################'
    """

    def __init__(self, stream: TextIO | None = None, unit: str = "files") -> None:
        self.stream = sys.stderr if stream is None else stream
        self.unit = unit
        self._stage = ""
        self._length = 0
        self._open = False

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show that `done` of `total` are done."""
        now = time.monotonic()
        if stage != self._stage:
            self.finish()
            self._stage, self._begun, self._first = stage, now, done
            self._last, self._drawn = (now, done), 0.0
            self._pace = 0.0  # seconds for one
        if done > self._last[1]:
            each = (now - self._last[0]) / (done - self._last[1])
            mean = (now - self._begun) / (done - self._first)
            # At first the mean of all, then mostly of the recent ones: lengths differ.
            weight = max(_RECENT, 1.0 / (done - self._first))
            self._pace += weight * (each - self._pace) if self._pace else mean
            self._last = (now, done)
        if now - self._drawn >= _EVERY or done >= total:
            self._drawn = now
            self._draw(done, total)
        if done >= total:
            self.finish()

    def _draw(self, done: int, total: int) -> None:
        filled = _BAR if total <= 0 else round(_BAR * done / total)
        text = f"{self._stage} [{'#' * filled}{'.' * (_BAR - filled)}] {done} of {total}"
        if self._pace > 0:
            text += f", {_rate(self._pace, self.unit)}"
            if done < total:
                text += f", {_clock((total - done) * self._pace)} left"
        text = text[: max(20, shutil.get_terminal_size().columns - 1)]
        self.stream.write("\r" + text.ljust(self._length))
        self.stream.flush()
        self._length, self._open = len(text), True

    def finish(self) -> None:
        """Leave the line, if one is begun."""
        if self._open:
            self.stream.write("\n")
            self.stream.flush()
        self._open, self._stage, self._length = False, "", 0


def _rate(pace: float, unit: str) -> str:
    if pace > 2.0:
        return f"{pace:.1f} s each"
    return f"{1 / pace:.1f} {unit}/s"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
