"""Count the tests by what they are, for ``docs/reliability.md``.

::

    python tests/kinds.py

A test is a function; its cases are what pytest makes of it by parameters. The kinds are told by
where a test lies, what it asks pytest for, and what its code and the helpers of its file that it
calls mention. A test may be of several kinds, and one of none is an example with what must come
out of it.
"""

import ast
import inspect
import io
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PEERS = "jams|librosa|mir_eval|pandas|parselmouth|partitura|praatio|pympi|river|scipy|sklearn"


class Collected:
    """A plugin of pytest that keeps what is collected."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    @pytest.hookimpl(tryfirst=True)  # before those of long kinds are left out
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.items = list(items)


def mentions(pattern: str) -> Callable[[pytest.Function], bool]:
    return lambda item: re.search(pattern, source(item.function)) is not None


def lies_in(*parts: str) -> Callable[[pytest.Function], bool]:
    return lambda item: any(part in item.path.as_posix() for part in parts)


KINDS: dict[str, Callable[[pytest.Function], bool]] = {
    "property: anything hypothesis draws": lambda item: (
        hasattr(item.function, "hypothesis") or mentions(r"@given")(item)
    ),
    "brute force: every answer listed, or a slow twin": mentions(
        r"\bnaive|brute|by_enumeration|itertools\.(product|permutations|combinations)|\bslow_"
        r"|\b(product|permutations|combinations)\("
    ),
    "another program or library as the judge": mentions(rf"(?<![\w.])({PEERS})\b"),
    "golden: files and numbers of earlier versions or of papers": lambda item: (
        lies_in("golden")(item) or mentions(r"golden|published|as_printed")(item)
    ),
    "damaged files and fuzz": lambda item: (
        lies_in("/fuzz/")(item) or mentions(r"damaged|truncated")(item)
    ),
    "faults: kills, full disks, workers that die": lies_in("/faults/"),
    "a browser": lambda item: lies_in("browser")(item) or mentions("devtools")(item),
    "the command line": mentions(r"CliRunner|command_line|\brun\(\"|sys\.executable|invoke\("),
    "errors, by their sentence": mentions(r"pytest\.raises|assert_refused"),
    "pages of the docs as they stand": lies_in("/docs/"),
    "recipes": lies_in("/recipes/"),
    "speed beside a named peer": lies_in("/benchmarks/"),
}


@cache
def definitions(path: str) -> dict[str, tuple[str, set[str]]]:
    """Return the code of each function and class of a file, and the names that it uses."""
    found = {}
    for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inside = [*ast.walk(node)]
            names = {n.id for n in inside if isinstance(n, ast.Name)}
            fixtures = {n.arg for n in inside if isinstance(n, ast.arg)}
            found[node.name] = ast.unparse(node), names | fixtures
    return found


@cache
def imported(path: str) -> dict[str, str]:
    """Return what each imported name of a file is of."""
    found = {}
    for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                module = getattr(node, "module", "") or ""
                found[alias.asname or alias.name.split(".")[0]] = f"{module} {alias.name}"
    return found


@cache
def source(function: Callable[..., object]) -> str:
    """Return the code of a test, of what its file imports of it, and of helpers it calls."""
    function = inspect.unwrap(function)
    code = inspect.unwrap(getattr(getattr(function, "hypothesis", None), "inner_test", function))
    path = inspect.getsourcefile(code) or ""
    own, used = definitions(path), imported(path)
    found: dict[str, str] = {}
    waiting = {code.__name__}
    while waiting:
        name = waiting.pop()
        if name in own and name not in found:
            found[name], names = own[name]
            waiting |= names
        elif name in used:
            found[name] = used[name]
    return "\n".join(found.values())


def collected(*args: str) -> list[pytest.Item]:
    plugin = Collected()
    options = ["--collect-only", "-qq", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    with redirect_stdout(io.StringIO()) as said:
        status = pytest.main([*options, *args], plugins=[plugin])
    if not plugin.items:
        sys.exit(f"pytest cannot collect the tests (status {status}):\n{said.getvalue()}")
    return plugin.items


def table() -> str:
    tests: dict[str, set[object]] = defaultdict(set)
    cases: dict[str, int] = defaultdict(int)
    for item in collected(str(ROOT / "tests")):
        if not isinstance(item, pytest.Function):
            continue  # parts of pages
        kinds = [kind for kind, is_one in KINDS.items() if is_one(item)]
        for kind in [*(kinds or ["examples"]), "**all**"]:
            tests[kind].add((item.path, item.function.__qualname__))
            cases[kind] += 1
    places = [str(ROOT / folder) for folder in ("align", "features", "decoders")]
    doctests = len(collected("--doctest-modules", *places))
    counts = {kind: (tests[kind], cases[kind]) for kind in [*KINDS, "examples", "**all**"]}
    rows = [f"| {kind} | {len(own):,} | {n:,} |" for kind, (own, n) in counts.items()]
    rows.insert(-1, f"| docstrings with examples that run | {doctests:,} | {doctests:,} |")
    return "\n".join(["| kind | tests | cases |", "| --- | --- | --- |", *rows])


if __name__ == "__main__":
    print(table())
