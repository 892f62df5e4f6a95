"""The page of errata: its examples run, and what it names exists."""

import doctest
import re
from pathlib import Path

import align.features
import align.learners
import align.learners.parts.conversion
import align.learners.ranking

PAGE = Path(__file__).resolve().parents[2] / "docs" / "errata.md"


def test_examples():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 60
    assert result.failed == 0


def test_names():
    homes = (
        align.learners,
        align.learners.parts.conversion,
        align.learners.ranking,
        align.features,
    )
    # `Name`, `Name(argument=...)`, `Name.attribute` and `function_name`, but no formulas.
    spans = re.findall(r"`([^`\n]+)`", PAGE.read_text(encoding="utf-8"))
    names = {m[1] for s in spans if (m := re.match(r"([A-Z][A-Za-z]{3,}|[a-z]+_[a-z_]{3,})\b", s))}
    names -= {"step_size"}
    methods = {"squared_loss_bound"}
    assert len(names) > 30
    for name in names - methods:
        assert any(hasattr(home, name) for home in homes), name
    assert hasattr(align.learners.MultiplicativePAUniclass, "squared_loss_bound")
    assert hasattr(align.learners.Complexity, "dual_norm")
