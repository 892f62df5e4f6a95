"""What `docs/architecture.md` says of floors and functions is what the code does."""

import importlib
import inspect
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import click
import pytest
from click.testing import CliRunner
from doc_pages import KIWI, ROOT
from kiwi_text import SAID, TEXT
from synthetic_speech import write_corpus
from test_floors import FLOORS

import align
from align.cli import cli
from align.learners import StructuredLearner

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
DATA = Path(str(files("align.data")))
_ITEM = re.compile(r"^(?P<indent> *)- `(?P<name>align[\w.]+)`: \S", re.M)


class Stop(NamedTuple):
    """A line of a trip: a function, and the function of the list within which it is called."""

    parent: str
    name: str


def section(title: str) -> str:
    """Return the text after a comment, up to the next heading."""
    return re.split(r"^##", PAGE.split(f"<!-- {title} -->")[1], maxsplit=1, flags=re.M)[0]


def stops(trip: str) -> list[Stop]:
    """Return the lines of a trip, from the top."""
    found, above = [], []
    for match in _ITEM.finditer(section(f"trip: {trip}")):
        del above[len(match["indent"]) // 4 :]
        found.append(Stop(above[-1] if above else "", match["name"]))
        above.append(match["name"])
    return found


def code_of(name: str) -> CodeType:
    """Return the code that runs when a function, a command or a class is called."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        break
    for part in parts[n:]:
        found = getattr(found, part)
    if isinstance(found, click.Command):
        found = found.callback
    if inspect.isclass(found):
        found = found.__init__
    code = inspect.unwrap(found).__code__
    assert isinstance(code, CodeType)
    return code


@contextmanager
def calls_among(names: set[str]) -> Iterator[list[Stop]]:
    """Collect the calls of some functions, each with the nearest of them that it is within."""
    known = {code_of(name): name for name in names}
    assert len(known) == len(names), "two names of the list are one function"
    found: list[Stop] = []

    def called(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in known:
            outer = frame.f_back
            while outer is not None and outer.f_code not in known:
                outer = outer.f_back
            parent = "" if outer is None else known[outer.f_code]
            found.append(Stop(parent, known[frame.f_code]))

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        yield found
    finally:
        sys.setprofile(before)


def command(*arguments: object) -> None:
    result = CliRunner().invoke(cli, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output


def speech(folder: Path) -> Callable[[], None]:
    out = folder / "kiwi.TextGrid"
    phones = " ".join(align.Alignment.from_labels(DATA / "kiwi.TextGrid").labels)
    return lambda: command("speech", DATA / "kiwi.flac", "--phones", phones, "-o", out)


def text(folder: Path) -> Callable[[], None]:
    lines = [f"{word} {' '.join(way.phones)}\n" for word in SAID for way in SAID[word]]
    (folder / "my.dict").write_text("".join(lines), encoding="utf-8")
    said, out = TEXT.replace(" brown", ""), folder / "kiwi.TextGrid"
    given = "--text", said, "--dictionary", folder / "my.dict"
    return lambda: command("speech", DATA / "kiwi.flac", *given, "-o", out)


def music(folder: Path) -> Callable[[], None]:
    shutil.copy(DATA / "minuet" / "score.mid", folder)
    audio, score = DATA / "minuet" / "audio.flac", folder / "score.mid"
    return lambda: command("music", audio, score, "-o", folder / "notes.csv")


def update(folder: Path) -> Callable[[], None]:
    corpus = align.read_corpus(write_corpus(folder / "corpus", {"ann": 1, "bob": 1}))
    features = [align.features.SpectralDistance(), align.features.DurationFeature()]
    learner = StructuredLearner(update="pa1", loss="maximal", epochs=1)
    aligner = align.SequenceAligner(features, learner=learner, cost="ramp", n_folds=2)

    def fit() -> None:
        aligner.fit(corpus)

    return fit


TRIPS = {"speech": speech, "text": text, "music": music, "update": update}


def test_every_trip_of_the_page_is_made() -> None:
    assert re.findall(r"<!-- trip: (\w+) -->", PAGE) == list(TRIPS)
    for trip in TRIPS:
        lines = [line for line in section(f"trip: {trip}").splitlines() if line.strip()]
        assert len(stops(trip)) == len(lines) > 10  # no line that the test does not understand


@pytest.mark.parametrize("trip", TRIPS)
def test_functions_are_called_in_the_order_of_the_list(trip: str, tmp_path: Path) -> None:
    listed = stops(trip)
    run = TRIPS[trip](tmp_path)
    with calls_among({stop.name for stop in listed}) as found:
        run()
    first_calls = [stop for stop in dict.fromkeys(found) if stop in listed]
    assert first_calls == listed


def test_the_trace_sees_order_and_nesting(tmp_path: Path) -> None:
    names = {"align.load", "align.SpeechAligner.align", "align.features.Signal.read"}
    with calls_among(names) as found:
        align.load("speech-en").align(DATA / "kiwi.flac", KIWI)
    assert found == [
        Stop("", "align.load"),
        Stop("", "align.SpeechAligner.align"),
        Stop("align.SpeechAligner.align", "align.features.Signal.read"),
    ]


def test_floors_are_those_of_the_rule() -> None:
    rows = re.findall(r"^\| (\d+) \| (.+?) \|", section("floors"), re.M)
    floors = {int(floor): set(re.findall(r"`(\w+)`", rooms)) for floor, rooms in rows}
    assert floors == dict(enumerate(FLOORS))
