"""The floors of the house: imports go down, never in a circle, and take no private names along.

A *room* is a folder or module directly under ``align``; each lies on a floor. Within a room, and
within each folder of it, folders import one another one way. All imports count: at the top of a
file, within a function, and for typing only.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest
from source_trees import FILES, ROOT, nodes, tree

FLOORS = [
    {"types", "errors", "progress", "_blas", "_workers", "_params", "_numba"},
    {"files"},
    {"learners", "potentials"},
    {"formats", "terms"},
    {"results", "features", "decoders"},
    {"corpus", "evaluation", "models"},
    {"sequence", "show"},
    {"speech", "music"},
    {"batch"},
    {"studio"},
    {"cli"},
    {"__main__"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

UPWARD: dict[tuple[str, str], str] = {
    ("align.results.timing", "show"): "a result can draw and report itself: `plot`, `report`",
}
"""Imports to a higher floor, or to another room of the same: module, room; and the reason."""

BY_NAME = {
    "align._numba": "two modules of numba, before anything else imports them",
    "align.batch.pool": "distributed is an extra, and no module of Align",
    "align.learners.parts._saved_state": "a file names one of the classes in its table",
    "align.models.loading": "`load` makes the aligner that a file says it is of; see its table",
}
"""Modules that import what a string names."""


class Import(NamedTuple):
    """Module `source` takes `name` from module `target`."""

    source: str
    target: str
    name: str


def imports_of(module: str) -> Iterator[Import]:
    for node in nodes(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "align":
                    yield Import(module, alias.name, "")
        elif isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "align":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in FILES:
                    yield Import(module, inner, "")
                else:
                    yield Import(module, str(node.module), alias.name)


@cache
def imports() -> list[Import]:
    return [found for module in sorted(FILES) for found in imports_of(module)]


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def folder(module: str) -> Path:
    return FILES[module].parent


def test_every_room_has_a_floor() -> None:
    assert {room(module) for module in FILES} - {"", "data"} == set(FLOOR)


def test_imports_go_down() -> None:
    wrong, used = [], set()
    for source, target, name in imports():
        here, there = room(source), room(target)
        if source == "align" or here == there:
            continue  # the front door leads everywhere, and loads nothing before it is asked
        if target == "align" and (name == "__version__" or here == "cli"):
            continue  # commands use Align as anyone does
        beside = folder(source) == folder(target) == ROOT / "align"
        if there == "" or FLOOR[there] > FLOOR[here] - (not beside):
            if (source, there) in UPWARD:
                used.add((source, there))
            else:
                wrong.append(f"{source} ({FLOOR[here]}) imports {target}")
    assert not wrong, "\n".join(wrong)
    assert used == set(UPWARD), "exceptions that are none any more"


def test_imports_by_name_are_known() -> None:
    found = {
        module
        for module, path in FILES.items()
        if re.search(r"\bimport_module\(|__import__\(", path.read_text(encoding="utf-8"))
    }
    assert found == set(BY_NAME)


def test_no_circle() -> None:
    """Also not within a folder; of exceptions the way down alone counts."""
    below: dict[str, set[str]] = {module: set() for module in FILES}
    for source, target, _ in imports():
        if "align" not in (source, target) and (source, room(target)) not in UPWARD:
            below[source].add(target)
    state: dict[str, int] = {}

    def visit(module: str, trail: list[str]) -> None:
        state[module] = 1
        for target in sorted(below[module]):
            if state.get(target) == 1:
                circle = [*trail[trail.index(target) :], target]
                pytest.fail("a circle: " + " -> ".join(circle))
            if target not in state:
                visit(target, [*trail, target])
        state[module] = 2

    for module in sorted(FILES):
        if module not in state:
            visit(module, [module])


def inside(package: str, module: str) -> str:
    """Return the folder or module of a package that a module lies in, or is; "" for others."""
    return module.removeprefix(f"{package}.").split(".")[0] * module.startswith(f"{package}.")


PACKAGES = [name for name, path in FILES.items() if path.name == "__init__.py" and "." in name]


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_import_one_way(package: str) -> None:
    """Of the folders and modules that lie side by side, however deep."""
    below: dict[str, set[str]] = {}
    for source, target, _ in imports():
        here, there = inside(package, source), inside(package, target)
        if here and there and here != there:
            below.setdefault(here, set()).add(there)
    TopologicalSorter(below).prepare()  # CycleError names the circle


@pytest.mark.parametrize("package", PACKAGES)
def test_a_map_names_what_lies_in_its_folder(package: str) -> None:
    text = ast.get_docstring(tree(package)) or ""
    if re.search("^(module|folder|place)  ", text, re.M):
        names = {inside(package, module) for module in FILES} - {""}
        assert {name for name in names if name[0] != "_" and f"`{name}`" not in text} == set()


def test_no_private_name_leaves_its_folder() -> None:
    """A private module serves its folder and those below; floor 0 serves everyone."""
    wrong = []
    for source, target, name in imports():
        if folder(source) == folder(target) or name == "__version__":
            continue
        own = folder(source).is_relative_to(folder(target)) or FLOOR.get(room(target)) == 0
        private = [part for part in target.split(".") if part.startswith("_") and not own]
        private += [name] * name.startswith("_")
        if private:
            wrong.append(f"{source} takes {private[0]} from {target}")
    assert not wrong, "\n".join(wrong)
