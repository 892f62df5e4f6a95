"""The page that says where each algorithm is, and what accepts it, is true."""

import importlib
import re
from pathlib import Path

import align.learners as learners

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([A-K]\d) \|[^|]*\| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
SIZES = {"A": 9, "B": 8, "C": 8, "D": 8, "E": 8, "F": 3, "G": 4, "H": 6, "I": 5}
SIZES |= {"J": 6, "K": 7}  # alignment and experiments, beyond the learners


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
                below = "align.learners." if number[0] < "J" else "align."
                assert importlib.import_module(below + name), (number, name)


def test_every_name_says_its_source():
    place = re.compile(r"[Ss]ections? \d|chapter \d|appendix|Eq\. \d|Figures? \d|Theorem|slides")
    for number, names, _ in rows():
        for name in re.findall(r"`([\w.]+)`", names):
            if name in learners.__all__:
                source = re.search(
                    r"Source: (.*?)\n\n", getattr(learners, name).__doc__ + "\n\n", re.S
                )
            else:
                below = "align.learners." if number[0] < "J" else "align."
                text = importlib.import_module(below + name).__doc__
                source = re.search(r"References\n-+\n(.*)", text, re.S)
            assert source, (number, name)
            assert place.search(source[1]), (number, name)


def test_every_test_exists():
    for number, _, tests in rows():
        parts = [part.strip() for part in tests.split(";")]
        assert parts, number
        for part in parts:
            file, names = part.split(":")
            (path,) = Path(__file__).parents[1].rglob(f"{file}.py")
            source = path.read_text(encoding="utf-8")
            found = re.findall(r"`(\w+)`", names)
            assert found, (number, part)
            for name in found:
                assert f"\ndef test_{name}(" in source, (number, file, name)
