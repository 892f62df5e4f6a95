"""What the command line says on stderr: messages, progress, errors without tracebacks."""

import difflib
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from align.errors import AlignError, ParameterError, plural
from align.files.names import StrPath
from align.progress import Progress

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_F = TypeVar("_F", bound=Callable[..., Any])
_LONG = 2.0  # seconds after which work is worth a line, where no bar can be drawn
_AGAIN = 60.0  # seconds between such lines
_ALIKE = 3  # recordings that are named for the same reason, where a table names all


@dataclass
class Console:
    """How much is printed, and the one bar that may be on the screen.

    `verbosity` is -1 for errors only, 0 for messages and progress, 1 for details too; `debug`
    shows tracebacks. `own_process` says that this process runs nothing but the command. `names`
    are what messages call files that the user did not name.
    """

    verbosity: int = 0
    debug: bool = False
    own_process: bool = False
    names: dict[str, str] = field(default_factory=dict)
    begun: float = field(default_factory=time.perf_counter)
    _bar: Any = field(default=None, repr=False)
    _stage: str = ""
    _begun: float = 0.0
    _said: float = 0.0
    _since: float = field(default_factory=time.time)  # when what is counted now began

    def message(self, text: str) -> None:
        """Say what was done."""
        if self.verbosity >= 0:
            self._line(text)

    def detail(self, text: str) -> None:
        """Say it only with ``--verbose``."""
        if self.verbosity >= 1:
            self._line(text)

    def warn(self, text: str) -> None:
        """Say what the user should know, even with ``--quiet``."""
        self._line(_coloured("Warning: ", "yellow") + text)

    def error(self, text: str) -> None:
        """Say what went wrong."""
        self._line(_coloured("Error: ", "red") + text)

    def _line(self, text: str) -> None:
        self.finish()
        for path, name in self.names.items():
            text = text.replace(path, name)
        click.echo(text, err=True)

    def summary(self, text: str) -> None:
        """Print on standard output what was done or found; with ``--quiet`` nothing."""
        self.finish()
        if self.verbosity >= 0:
            click.echo(text)

    def elapsed(self) -> float:
        """Return how long the command has run, in seconds of the clock on the wall."""
        return time.perf_counter() - self.begun

    def failures(self, failed: Iterable[tuple[str, str]], table: StrPath | None = None) -> int:
        """Name every recording that could not be used, and return how many there are.

        Where all stand in a `table`, too, no more than three are named for the same reason.
        """
        table = table if table is not None and os.path.exists(table) else None
        count: Counter[str] = Counter()
        for name, why in failed:
            count[why] += 1
            if table is None or count[why] <= _ALIKE:
                self.error(why if why.startswith(name) else f"{name}: {why}")
        unnamed = 0 if table is None else sum(max(n - _ALIKE, 0) for n in count.values())
        if unnamed:
            self.error(f"and {unnamed} more for the same reasons; see {table}.")
        return count.total()

    # Progress --------------------------------------------------------------------------------

    def progress(self, stage: str, done: int, total: int) -> None:
        """Show progress: a bar on a terminal, elsewhere a line now and then for long stages."""
        if self.verbosity < 0:
            return
        now = time.monotonic()
        if stage != self._stage:
            since = self._since  # a stage may first be reported when some of it is done
            self.finish()
            self._since = since if done else self._since
            self._stage, self._begun, self._said = stage, now, now - _AGAIN + _LONG
        if not sys.stderr.isatty():
            if done < total and now - self._said >= _AGAIN:
                self._said = now
                click.echo(f"{stage}: {done} of {total}", err=True)
            return
        if self._bar is None:
            self._bar = click.progressbar(
                length=total, label=f"{stage:<24}", file=sys.stderr, show_pos=True, width=30
            )
            self._bar.__enter__()
            self._bar.start = self._since
        self._bar.length = total
        self._bar.update(max(0, done - self._bar.pos))
        if done >= total:
            self.finish()

    def progress_of_long(self) -> Progress:
        """Return what shows progress from two seconds on: what is done by then needs no bar."""
        begun = time.monotonic()

        def progress(stage: str, done: int, total: int) -> None:
            if time.monotonic() - begun >= _LONG:
                self.progress(stage, done, total)

        return progress

    def finish(self) -> None:
        """Leave the line of the bar, if there is one."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
        self._stage, self._since = "", time.time()

    @contextmanager
    def patience(self, text: str, after: float = _LONG) -> Iterator[None]:
        """Print `text` if what follows takes longer than `after` seconds."""
        timer = threading.Timer(after, self.message, (text,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def first_run(self, otherwise: str = "") -> Iterator[None]:
        """Explain the pause in which numba compiles the decoders for a new installation.

        Once that has happened, `otherwise` is printed if it still takes long.
        """
        if self.own_process:
            from align._numba import leave_out_unused

            leave_out_unused()
        if not _compiled_before():
            with self.patience(
                "Compiling the decoders (first run only, some ten seconds) ...", 1.0
            ):
                yield
        elif otherwise:
            with self.patience(otherwise, after=_LONG):
                yield
        else:
            yield


def _compiled_before() -> bool:
    """Whether numba has kept compiled decoders."""
    import align.decoders.dispatch  # noqa: F401, whose kernels are asked for
    from align._numba import kept_kernels

    return kept_kernels()


def finish(context: click.Context, failed: int, what: str) -> None:
    """End with status 1 where recordings failed."""
    if failed:
        context.obj.message(f"{plural(failed, 'recording')} {what}; they are named above.")
        context.exit(1)


def _coloured(text: str, colour: str) -> str:
    if os.environ.get("NO_COLOR"):
        return text
    return click.style(text, fg=colour, bold=True)  # click takes it off where it is not a terminal


@contextmanager
def _terminated() -> Iterator[None]:
    """Let SIGTERM, which batch systems send, end a command as tidily as Ctrl-C does."""

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # should anything catch what is raised
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


# Types of arguments, which a shell completes --------------------------------------------------

FILE = click.Path(path_type=Path, readable=False)
"""A file or folder; whether it is there, and what it holds, is for the command to say."""


class _Model(click.Path):
    """A model file, or the name of a bundled model."""

    name = "model"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Offer the bundled models, and files."""
        from click.shell_completion import CompletionItem

        from align.models.loading import bundled_models

        bundled = [name for name in bundled_models() if name.startswith(incomplete)]
        return [*map(CompletionItem, bundled), *super().shell_complete(ctx, param, incomplete)]


MODEL = _Model(readable=False)
"""A model."""


# Options every command has ---------------------------------------------------------------------


def _setting(name: str, wanted: Any) -> Callable[..., None]:
    """Return the callback of an option that sets an attribute of the console."""

    def callback(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            setattr(context.ensure_object(Console), name, wanted)

    return callback


def message_options(command: _F) -> _F:
    """Add ``--quiet``, ``--verbose`` and ``--debug``, for the group and for each command."""
    for names, help_text, callback in (
        (("--debug",), "Show the traceback of an error.", _setting("debug", True)),
        (("-v", "--verbose"), "Say more.", _setting("verbosity", 1)),
        (("-q", "--quiet"), "Say only what went wrong.", _setting("verbosity", -1)),
    ):
        command = click.option(
            *names, is_flag=True, expose_value=False, callback=callback, help=help_text
        )(command)
    return command


class Commands(click.Group):
    """A group that suggests the command that was meant, and turns every error into a sentence."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return a command; where there is none, an error suggests the nearest."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            near = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f"did you mean '{near[0]}'?" if near else "see --help for the commands."
            ctx.fail(f"There is no command '{name}'; {hint}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order they were added, which is that of their use."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        if ctx.parent is not None:
            return super().invoke(ctx)
        console = ctx.ensure_object(Console)
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        given = list(ctx.args)  # which invoking takes away
        with warnings.catch_warnings(), _terminated():
            warnings.showwarning = _warning_line(console)
            try:
                return super().invoke(ctx)
            except click.NoSuchOption as error:
                console.finish()
                said = error.message + _name_with_dash(given)
                raise click.NoSuchOption(
                    error.option_name, said, error.possibilities, error.ctx
                ) from None
            except (click.exceptions.Exit, click.ClickException, SystemExit):
                console.finish()
                raise
            except (KeyboardInterrupt, click.Abort):
                console.finish()
                click.echo("Interrupted.", err=True)
                ctx.exit(130)
            except BrokenPipeError:  # the reader of stdout has gone: nothing is wrong
                with suppress(OSError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                ctx.exit(0)
            except Exception as error:
                if console.debug:
                    console.finish()
                    traceback.print_exc()
                    ctx.exit(_status(error))
                console.error(_sentence(error))
                ctx.exit(_status(error))


def _name_with_dash(given: Iterable[str]) -> str:
    """Return a hint where an argument that was taken for an option is a file."""
    files = [name for name in given if name.startswith("-") and os.path.exists(name)]
    return f" For the file of that name write {os.path.join('.', files[0])}." if files else ""


def _status(error: Exception) -> int:
    return 2 if isinstance(error, ParameterError) else 1


def _sentence(error: Exception) -> str:
    from concurrent.futures import BrokenExecutor

    if isinstance(error, AlignError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror.lower()}."
    if isinstance(error, MemoryError):
        return "there is not enough memory; try shorter recordings or fewer --jobs."
    if isinstance(error, BrokenExecutor):
        return "a process of --jobs was killed, mostly since memory ran out; try fewer --jobs."
    kind = type(error).__name__
    return (
        f"something unexpected happened ({kind}: {error}); --debug shows where, please report it."
    )


def _warning_line(console: Console) -> Callable[..., None]:
    def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        if category.__module__.startswith("align."):
            console.warn(str(message))
            return
        # Other people's warnings are for programmers.
        if issubclass(category, UserWarning) and not issubclass(category, RuntimeWarning):
            console.detail(f"{category.__name__}: {message}")

    return show
