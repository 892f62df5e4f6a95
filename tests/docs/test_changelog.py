"""The change log leads to modules that exist."""

import importlib
import re

import pytest
from doc_pages import ROOT

UNRELEASED = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
MOVED = re.findall(r"^\| (`align.*?) \| (`align.*?) \|$", UNRELEASED, re.M)


def test_there_is_a_table_of_what_moved() -> None:
    assert len(MOVED) > 10


@pytest.mark.parametrize("where", [where for _, where in MOVED])
def test_what_moved_is_where_the_table_says(where: str) -> None:
    first = ""
    for name in re.findall(r"`([\w.]+)`", where):
        whole = first + name if name.startswith(".") else name
        first = first or whole.rpartition(".")[0]
        try:
            importlib.import_module(whole)
        except ModuleNotFoundError:
            module, _, attribute = whole.rpartition(".")
            assert hasattr(importlib.import_module(module), attribute), whole
