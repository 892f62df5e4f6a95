"""Progress: a bar with what is left on a terminal, lines in a log, nothing with ``--quiet``."""

import io
import re
import sys
import time
from importlib.resources import files

import pytest
from command_line import run

from align.cli.console import Console

KIWI = files("align.data") / "kiwi.flac"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("verbosity", "shown"), [(0, True), (-1, False)])
def test_the_bar_says_how_long_it_will_take(
    monkeypatch: pytest.MonkeyPatch, verbosity: int, shown: bool
) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    console = Console(verbosity=verbosity)
    for done in range(1, 5):
        now[0] += 60.0
        console.progress("fitting", done, 10)
    console.finish()
    left = re.findall(r"\d\d:\d\d:\d\d", stream.getvalue())
    assert bool(left) == shown
    assert (stream.getvalue() != "") == shown
    if shown:
        assert left[-1].startswith("00:0")  # six more, of a minute each
        assert 5 <= int(left[-1].split(":")[1]) <= 8


def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let loading a model take a while, and two seconds pass at once."""
    import align.models.file as models

    load = models.load

    def slowly(*args: object, **options: object) -> object:
        time.sleep(0.4)
        return load(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(models, "load", slowly)
    monkeypatch.setattr("align.load", slowly, raising=False)
    monkeypatch.setattr("align.cli.console._LONG", 0.05)


def test_a_log_is_told_what_takes_long(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    slow(monkeypatch)
    monkeypatch.chdir(tmp_path)
    args = ("speech", KIWI, "--phones", KIWI.with_suffix(".TextGrid"))
    told = run(*args, "-o", "a.csv")
    assert told.exit_code == 0, told.stderr
    assert re.search(r"^(Aligning .*kiwi\.flac|Compiling) ", told.stderr)
    assert run(*args, "-o", "b.csv", "-q").stderr == ""
