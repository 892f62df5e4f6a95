"""The folders of align.learners: which may import which, and that no import goes in a circle."""

import ast
import importlib
import re
from graphlib import TopologicalSorter
from pathlib import Path

import align.learners

TOP = Path(align.learners.__file__).parent
# The floors, as the package says: each folder may import those that are named here.
FLOORS = {
    "parts": set(),
    "theory": {"parts"},
    "structured": {"parts", "theory"},
    "flat": {"parts", "theory"},
    # What the theory promises of rankers and kernels is printed by the flat learners' tables.
    "ranking": {"parts", "theory", "flat"},
    "kernels": {"parts", "theory", "flat"},
    "boosting": {"parts"},
}
# Modules beside the folders, which nothing imports.
FLOORS_OF_MODULES = {"compat": {"parts"}}


def module_of(path):
    parts = path.relative_to(TOP).with_suffix("").parts
    return ".".join(("align", "learners", *(p for p in parts if p != "__init__")))


TREES = {module_of(path): ast.parse(path.read_bytes()) for path in sorted(TOP.rglob("*.py"))}
INNER = {name: tree for name, tree in TREES.items() if name != "align.learners"}


def imports(tree):
    """Module and name of every import, at the top, within functions and for types only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def target(module, name):
    """The module that is loaded: a name may be a module of its package."""
    return f"{module}.{name}" if f"{module}.{name}" in TREES else module


def test_every_folder_has_its_floor():
    folders = {path.parent.name for path in TOP.glob("*/__init__.py")}
    assert folders == set(FLOORS)
    modules = {path.stem for path in TOP.glob("[!_]*.py")}
    assert modules == set(FLOORS_OF_MODULES)
    for folder in folders:
        package = importlib.import_module(f"align.learners.{folder}")
        for path in (TOP / folder).glob("[!_]*.py"):
            assert path.stem not in package.__all__, "a name hides a module"


def test_imports_go_to_a_lower_floor_or_stay_in_their_folder():
    for name, tree in INNER.items():
        folder = name.split(".")[2]
        for module, imported in imports(tree):
            if not module.startswith("align.learners"):
                continue
            assert module != "align.learners", f"{name} imports the top"
            assert module.split(".")[2] in (FLOORS | FLOORS_OF_MODULES)[folder] | {folder}, (
                f"{name} imports {module}"
            )
            if module == f"align.learners.{folder}":
                assert target(module, imported) != module, f"{name} imports its own package"


def test_no_import_goes_in_a_circle():
    graph = {
        name: {
            found
            for module, imported in imports(tree)
            if (found := target(module, imported)) in TREES and found != name
        }
        for name, tree in TREES.items()
    }
    list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def test_no_underscore_name_crosses_a_folder():
    for name, tree in INNER.items():
        folder = name.split(".")[2]
        for module, imported in imports(tree):
            if not module.startswith("align.") or module.split(".")[2:3] == [folder]:
                continue
            crossing = [part for part in (*module.split("."), imported) if part.startswith("_")]
            assert not set(crossing) - {"_blas", "_numba", "_params"}, (
                f"{name}: {module}.{imported}"
            )


def test_the_passive_aggressive_step_is_written_once():
    """Its loops are those that `step_kernels` lists; none divides a loss by a norm itself."""
    kernels = "align.learners.parts.step_kernels"
    listed = re.findall(r"^`([\w.]+)`  ", ast.get_docstring(TREES[kernels]), re.MULTILINE)
    loops = {
        name.removeprefix("align.learners.")
        for name, tree in INNER.items()
        if (kernels, "exact_alpha") in imports(tree)
    }
    # `_round` gives the flat loops the step of every slack, tuning and ball.
    assert {"flat._linear_pass", "flat._link_pass"} == {
        name.removeprefix("align.learners.")
        for name, tree in INNER.items()
        if ("align.learners.flat._round", "closed_step") in imports(tree)
    }
    assert loops - {"flat._round"} | {"flat._linear_pass", "flat._link_pass"} == set(listed)
    divided = {
        name.removeprefix("align.learners.")
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and isinstance(node.left, ast.Name)
        and node.left.id == "loss"
    }
    # The subgradient step of a squared hinge, in the reference and compiled, has no norm.
    assert divided == {"parts.steps", "flat._general", "flat._round"}
