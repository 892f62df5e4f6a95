"""Which file is the truth of a piece, and which the result for it, by their names."""

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from align.evaluation.matching_beats import _PIECES as BEATS
from align.evaluation.matching_notes import _PIECES as NOTES

TRUTH = Path(str(files("align.data") / "minuet" / "truth.csv"))


def tree(top: Path, *names: str) -> str:
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TRUTH, top / name)
    return str(top)


def names_in(found: dict[str, str], top: str) -> dict[str, str]:
    return {name: Path(path).relative_to(top).as_posix() for name, path in found.items()}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a/truth.csv", "b/c/truth.csv"], {"a": "a/truth.csv", "b/c": "b/c/truth.csv"}),
        (
            ["One.truth.csv", "x/two.Truth.csv"],
            {"one": "One.truth.csv", "x/two": "x/two.Truth.csv"},
        ),
        (["one.truth.csv", "one.csv"], {"one": "one.truth.csv"}),  # the other may be a result
        (["one.csv", "x/two.csv"], {"one": "one.csv", "x/two": "x/two.csv"}),
        (["truth.csv"], {"": "truth.csv"}),
    ],
)
def test_truths(tmp_path: Path, names: list[str], expected: dict[str, str]) -> None:
    top = tree(tmp_path, *names)
    assert names_in(NOTES.truths(top), top) == expected


def test_a_truth_is_a_result_only_where_there_is_no_other(tmp_path: Path) -> None:
    top = tree(tmp_path / "mine", "one.truth.csv", "one.csv", "a/truth.csv", "b/x.truth.csv")
    truths = NOTES.truths(top)
    assert sorted(truths) == ["a", "b/x", "one"]
    found = names_in(NOTES.results(top, truths), top)
    assert found["one"] == "one.csv"
    assert found["a"] == "a/truth.csv"  # two people are compared
    assert found["b/x"] == "b/x.truth.csv"


def test_truths_of_beats(tmp_path: Path) -> None:
    top = tree(tmp_path, "a/truth.beats.csv", "b/one.truth.beats.txt", "b/one.beats.txt")
    assert names_in(BEATS.truths(top), top) == {
        "a": "a/truth.beats.csv",
        "b/one": "b/one.truth.beats.txt",
    }
