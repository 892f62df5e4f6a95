"""The page that says where each algorithm is, and what accepts it, is true."""

import importlib
import re
from pathlib import Path

import align.learners as learners

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([A-I]\d) \|[^|]*\| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
SIZES = {"A": 9, "B": 8, "C": 8, "D": 8, "E": 8, "F": 3, "G": 4, "H": 6, "I": 5}


def rows():
    return ROW.findall((ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8"))


def test_every_algorithm_is_listed_once():
    assert [row[0] for row in rows()] == [
        f"{letter}{i}" for letter, size in SIZES.items() for i in range(1, size + 1)
    ]


def test_every_name_exists():
    for number, names, _ in rows():
        for name in re.findall(r"`([^`]+)`", names):
            if "=" in name:  # a parameter
                continue
            if name.startswith("recipes/"):
                assert (ROOT / name).is_dir(), (number, name)
            elif name not in learners.__all__:
                assert importlib.import_module(f"align.learners.{name}"), (number, name)


def test_every_test_exists():
    for number, _, tests in rows():
        parts = [part.strip() for part in tests.split(";")]
        assert parts, number
        for part in parts:
            file, names = part.split(":")
            (path,) = Path(__file__).parent.rglob(f"{file}.py")
            source = path.read_text(encoding="utf-8")
            found = re.findall(r"`(\w+)`", names)
            assert found, (number, part)
            for name in found:
                assert f"\ndef test_{name}(" in source, (number, file, name)
