"""Progress: a bar with what is left on a terminal, lines in a log, nothing with ``--quiet``."""

import io
import re
import sys
import time
from importlib.resources import files
from pathlib import Path

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
    import align.models.loading as models

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


def test_a_bar_is_drawn_of_music_that_takes_long_only(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    console = Console()
    progress = console.progress_of_long()
    progress("listening", 1, 2)
    now[0] = 1.9
    progress("listening", 2, 2)
    assert stream.getvalue() == ""
    now[0] = 2.0
    progress("finding notes", 3, 7)
    console.finish()
    assert "finding notes" in stream.getvalue()
    assert "3/7" in stream.getvalue()


@pytest.mark.parametrize("named", [True, False])
def test_music_shows_its_progress(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("align.cli.console._LONG", 0.0)
    seen: dict[str, tuple[int, int]] = {}
    monkeypatch.setattr(
        Console, "progress", lambda _, stage, done, total: seen.update({stage: (done, total)})
    )
    piece = files("align.data") / "minuet"
    model = ("--model", "piano") if named else ()
    result = run("music", piece / "audio.flac", piece / "score.mid", *model)
    assert result.exit_code == 0, result.stderr
    assert {"listening", "finding notes", "aligning", "placing notes"} <= set(seen)
    assert ("asking another model" in seen) != named
    assert all(done == total for done, total in seen.values())
