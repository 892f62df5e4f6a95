"""Rules of the house: packages, imports, start-up, what may never be in the code."""

import ast
import doctest
import fnmatch
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_trees import FILES, ROOT, nodes, tree

import align

TOP = frozenset(
    ".ci .dockerignore .gitattributes .github .gitignore CHANGELOG.md CONTRIBUTING.md Dockerfile "
    "LICENSE README.md align decoders docs features mkdocs.yml packaging pyproject.toml recipes "
    "tests".split()
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="is no checkout"
)
def test_nothing_else_lies_beside_the_folders() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode:
        pytest.skip("git does not list this folder")
    assert {name.split("/")[0] for name in tracked.stdout.split("\0") if name} == TOP


MODULES = [name for name in FILES if not name.endswith(".__main__")]

# Packaging --------------------------------------------------------------------------------------


def test_the_list_of_packages_is_what_is_on_the_disk() -> None:
    listed = PROJECT["tool"]["setuptools"]["packages"]
    on_disk = [name for name, path in FILES.items() if path.name == "__init__.py"]
    assert sorted(listed) == sorted(on_disk)


def test_every_data_file_is_packaged() -> None:
    assert PROJECT["tool"]["setuptools"]["package-data"]["*"] == ["*.pyi"]  # read at run time
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["align.data"]
    for path in (ROOT / "align" / "data").iterdir():
        if path.is_file() and path.suffix != ".py":
            assert any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns), path.name


def test_the_links_are_relative() -> None:
    for name in ("features", "decoders"):
        link = ROOT / "align" / name
        assert link.is_symlink()
        assert os.readlink(link) == f"../{name}"


def test_the_version_is_one() -> None:
    assert PROJECT["project"]["version"] == align.__version__
    assert f"## {align.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


# Names ------------------------------------------------------------------------------------------


IMPORTED = frozenset(
    name
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for name in re.findall(r"^\s*from (align[\w.]*) import", path.read_text("utf-8"), re.M)
)
"""What the documentation imports names from."""


def test_all_stands_where_names_are_handed_on() -> None:
    """It names what a package offers; within the house, names without underscore say it."""
    assert len(IMPORTED) > 5
    for name in MODULES:
        module = importlib.import_module(name)
        names = getattr(module, "__all__", None)
        if names is None:
            assert name not in IMPORTED, f"{name} has no __all__"
            continue
        assert len(set(names)) == len(names) > 0, name
        for public in names:
            assert hasattr(module, public), f"{name}: {public}"
        offers = FILES[name].name == "__init__.py" or name in IMPORTED
        assert offers or set(names) & set(named_by_imports(name)), f"{name} needs no __all__"


def named_by_imports(module: str) -> Iterator[str]:
    for node in tree(module).body:
        if isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def test_the_lazy_names_lead_home() -> None:
    assert align.__all__ == sorted(align.__all__)
    assert dir(align) == align.__all__
    for name in align.__all__:
        assert getattr(align, name) is not None
    with pytest.raises(AttributeError, match="No align attribute nonsense"):
        align.nonsense  # noqa: B018


def test_modules_say_what_they_are() -> None:
    assert [name for name in MODULES if not ast.get_docstring(tree(name))] == []


# Imports ----------------------------------------------------------------------------------------

HEAVY = {
    *("numba", "scipy", "sklearn", "librosa", "soundfile", "soxr", "joblib", "mido", "praatio"),
    *("matplotlib", "pandas", "pympi"),
}


def python(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize(
    ("program", "forbidden"),
    [
        ("import align", HEAVY | {"numpy", "click"}),
        ("import align.cli", HEAVY | {"numpy"}),
        ("import align; align.Example; align.Alignment; align.read_corpus", HEAVY),
    ],
)
def test_imports_are_light(program: str, forbidden: set[str]) -> None:
    loaded = python(f"{program}; import sys; print(*sys.modules)").split()
    assert not forbidden.intersection(loaded)


def test_aligning_touches_neither_librosa_nor_scipy_signal() -> None:
    loaded = python(
        "import align, sys, numpy as np;"
        "from align.features.sound.audio import read_audio;"
        "from align.sequence.aligner import SequenceAligner;"
        "from align.features import *; align.SpeechAligner; print(*sys.modules)"
    ).split()
    assert not {"librosa.core", "librosa.feature", "scipy.signal"}.intersection(loaded)


@pytest.mark.skipif(os.name == "nt", reason="children's times are POSIX")
@pytest.mark.parametrize("arguments", [["-c", "import align"], ["-m", "align", "--help"]])
def test_start_up_takes_less_than_three_tenths_of_a_second(arguments: list[str]) -> None:
    taken = []
    for _ in range(4):  # processor time, since other processes may keep this one waiting
        before = os.times()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        after = os.times()
        spent = after.children_user - before.children_user
        taken.append(spent + after.children_system - before.children_system)
    assert min(taken) < 0.3


def imported(module: str) -> Iterator[str]:
    for node in nodes(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_recipes_and_figures_import_what_is_there() -> None:
    for path in [*(ROOT / "recipes").rglob("*.py"), *(ROOT / "docs").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "align":
                module = importlib.import_module(str(node.module))
                for name in (alias.name for alias in node.names):
                    found = hasattr(module, name) or f"{node.module}.{name}" in FILES
                    assert found, f"{path.name}: {node.module}.{name}"


def test_only_the_command_line_uses_click() -> None:
    for name in FILES:
        if not name.startswith("align.cli"):
            assert "click" not in {target.split(".")[0] for target in imported(name)}, name


# What may never be in the code ------------------------------------------------------------------

DANGEROUS_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "yaml"}
DANGEROUS_CALLS = {"eval", "exec", "compile", "__import__"}


def test_nothing_can_be_made_to_execute() -> None:
    for name in FILES:
        assert not DANGEROUS_MODULES.intersection(t.split(".")[0] for t in imported(name))
        for node in nodes(name):
            if not isinstance(node, ast.Call):
                continue
            function = ast.unparse(node.func)
            assert function not in DANGEROUS_CALLS, f"{name}: {function}"
            assert function not in ("joblib.load", "os.system", "yaml.load"), f"{name}: {function}"
            asked = [k for k in node.keywords if k.arg in ("shell", "allow_pickle")]
            keywords = {k.arg: ast.unparse(k.value) for k in asked}
            assert keywords.get("shell") != "True", f"{name}: a shell"
            if function in ("np.load", "numpy.load") or function.endswith("format.read_array"):
                assert keywords.get("allow_pickle") == "False", f"{name}: {function} may unpickle"


def test_the_library_does_not_print() -> None:
    for name in FILES:
        called = [node.func for node in nodes(name) if isinstance(node, ast.Call)]
        assert "print" not in {f.id for f in called if isinstance(f, ast.Name)}, name


def texts() -> list[Path]:
    listed = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    listed += sorted((ROOT / "docs").rglob("*.md")) + list(FILES.values())
    return listed + sorted((ROOT / "tests").rglob("*.py")) + sorted((ROOT / "recipes").rglob("*"))


def test_texts_name_no_machine_and_use_no_long_dashes() -> None:
    machine = re.compile(r"(?<![\w.:/])/(?:work|opt|home|root|Users)/\w")
    for path in texts():
        if path.suffix not in (".py", ".md", ".toml", ".sh"):
            continue
        text = path.read_text(encoding="utf-8")
        assert not machine.search(text), path
        assert "\u2014" not in text, path


# Kernels ----------------------------------------------------------------------------------------


def test_no_kernel_copies_an_array_into_a_slice() -> None:
    """numba's message for lengths that differ takes two seconds to compile; a loop has none."""
    found = []
    for name in FILES:
        for function in nodes(name):
            if not isinstance(function, ast.FunctionDef):
                continue
            makers = " ".join(map(ast.unparse, function.decorator_list))
            if not re.search(r"compiled|njit|lean|inlined", makers):
                continue
            for node in ast.walk(function):
                if not isinstance(node, ast.Assign) or not isinstance(
                    node.targets[0], ast.Subscript
                ):
                    continue
                sliced = any(isinstance(part, ast.Slice) for part in ast.walk(node.targets[0]))
                whole = isinstance(node.value, ast.Subscript | ast.Name)
                if sliced and whole and not ast.unparse(node.value).isupper():
                    found.append(f"{name}: {ast.unparse(node)}")
    assert found == []


# Tests ------------------------------------------------------------------------------------------

ACROSS = {"benchmarks", "docs", "faults", "fuzz", "golden_models", "recipes"}
"""Folders of tests that are of no folder of the package."""


def test_tests_mirror_the_folders_and_have_names_of_their_own() -> None:
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    names = [path.name for path in files]
    assert sorted(set(names)) == sorted(names)
    folders = {path.parent.relative_to(ROOT / "tests") for path in files}
    mirrored = {folder for folder in folders if folder.parts and folder.parts[0] not in ACROSS}
    assert [folder for folder in mirrored if not (ROOT / "align" / folder).is_dir()] == []
    assert ACROSS <= {folder.as_posix() for folder in folders}


# Examples ---------------------------------------------------------------------------------------


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [t for n in MODULES for t in finder.find(importlib.import_module(n)) if t.examples]
    assert len(found) >= 20


def test_every_package_is_found_by_pkgutil() -> None:
    found = {info.name for info in pkgutil.walk_packages(align.__path__, "align.")}
    assert found - {"align.__main__"} == set(MODULES) - {"align"}
