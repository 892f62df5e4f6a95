"""Fixtures every test may use."""

import gc
import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click.testing
import pytest
from click.testing import CliRunner, Result
from hypothesis import Phase, settings

settings.register_profile("align", derandomize=True, deadline=None, max_examples=60)
# For recipes/mutation: an example that fails is enough, and need not be made smaller.
settings.register_profile(
    "mutation", settings.get_profile("align"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("align")

if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click 8.1: as it is from 8.2 on
    _init, _begin = CliRunner.__init__, click.testing._NamedTextIOWrapper.__init__
    CliRunner.__init__ = lambda self, **options: _init(self, **{"mix_stderr": False, **options})
    click.testing._NamedTextIOWrapper.__init__ = lambda self, *args, **options: _begin(
        self, *args, write_through=True, **options
    )
    Result.output = property(lambda self: self.stdout + self.stderr)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real recordings; the test is skipped where it is absent.

    ``ALIGN_DATA`` names it; by default ``shared/data`` beside the checkout.
    """
    root = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("ALIGN_DATA", root.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real recordings are not here ({folder}); set ALIGN_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def timit_sample(shared_data: Path) -> Path:
    """Twelve speakers of TIMIT, eight utterances each."""
    return shared_data / "speech" / "timit_sample"


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run the whole suite in two processes, and whatever is asked for by name in this one.

    Files stay whole, so that what a file compiles or trains is made once. ``-n 0`` runs all in
    one process, ``-n 4`` in four. Benchmarks and long fault tests, which measure or kill, are
    asked for by path or by mark, and so have the machine to themselves.
    """
    if hasattr(config, "workerinput"):  # this is one of the processes
        return
    option = config.option
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    chosen = (
        option.keyword or option.markexpr or getattr(option, "lf", False) or option.collectonly
    )
    watched = option.usepdb or option.trace or option.capture == "no"
    asked = getattr(option, "numprocesses", 0)  # 0 where xdist is not there
    if asked is None and whole and not (chosen or watched):
        asked = option.numprocesses = 2
    if asked and option.dist == "no":
        option.dist = "loadfile"
        option.loadscopereorder = False  # else files of many tests would come first


class FromTheEnd(pytest.Dir):
    """A folder whose files and folders are collected in the opposite order."""

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        return list(super().collect())[::-1]


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir | None:
    """Let one of two processes collect from the end; the order of the tests is made below.

    Each prepares the asserts of all files, or finds what the other has written already: so each
    prepares half of them.
    """
    if os.environ.get("PYTEST_XDIST_WORKER") != "gw1":
        return None
    folder: pytest.Dir = FromTheEnd.from_parent(parent, path=path)
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the collector of garbage from going through all tests again and again.

    A million objects are made while tests are collected, and stay: each walk over them takes a
    second, and compilers, which make many objects, cause dozens. Even those of a kernel, that soon
    go, are looked through often enough to take an eighth of its compilation.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000)
        gc.enable()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let a process tell the main one the outcome of a test in one message, not in six.

    The others say that a test begins, is set up, is torn down and has ended. With tests of some
    milliseconds they take a third of the time beside the tests themselves.
    """
    option = session.config.option
    all_asked = option.durations is not None or getattr(option, "xmlpath", None)
    if not hasattr(session.config, "workerinput") or all_asked:
        return
    for plugin in session.config.pluginmanager.get_plugins():
        send = getattr(plugin, "sendevent", None)  # as xdist sends whatever it sends
        if send is not None:
            plugin.sendevent = _only_outcomes(send)


def _only_outcomes(send: Callable[..., None]) -> Callable[..., None]:
    def sent(name: str, **content: Any) -> None:
        report = content.get("data") if name == "testreport" else None
        if report is not None and report["when"] != "call" and report["outcome"] == "passed":
            return
        if name not in ("logstart", "logfinish"):
            send(name, **content)

    return sent


LONG = ("faults", "tutorials")  # marks of tests that are done only when asked for
KERNELS = ("decoders", "features", "learners", "music", "sequence", "speech")  # folders of tests
COMPILING = (  # nearly all learners, all decoders, and the bounds of second order
    "test_bad_input.py",
    "test_decoders_exact.py",
    "test_second_order_bounds.py",
)
PROCESSES = ("faults", "tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes minutes, and choose an order in which two processes end together.

    First the folders with kernels, begun by the files that compile most of them: two
    processes in one folder would compile the same ones at the same time. Then what starts
    processes of its own, which find the kernels compiled, and last the many small files, so that
    no long one is waited for.
    """
    long = [mark for mark in LONG if mark not in config.option.markexpr]
    left_out = [item for item in items if any(map(item.get_closest_marker, long))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]

    def place(item: pytest.Item) -> tuple[int, str]:
        name, folder = item.path.name, item.path.parent
        if name in COMPILING:
            return 0, str(COMPILING.index(name))
        if {folder.name, folder.parent.name}.intersection(KERNELS):
            return 1, name
        return (2 if folder.name in PROCESSES else 3), name

    items.sort(key=place)
