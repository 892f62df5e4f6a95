"""The site builds without a warning, and every page is in its navigation."""

import importlib.util
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAVIGATION = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]


def test_every_page_is_in_the_navigation_once() -> None:
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(re.findall(r"\S+\.md", NAVIGATION)) == sorted(pages)


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=str)
def test_headings_are_one_title_and_steps_of_one(path: Path) -> None:
    page = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", page, re.M)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


@pytest.mark.skipif(
    importlib.util.find_spec("mkdocs") is None
    or importlib.util.find_spec("mkdocstrings") is None
    or importlib.util.find_spec("material") is None,
    reason="needs the extra docs: mkdocs, its theme and mkdocstrings",
)
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "models.html").read_text(encoding="utf-8")
    assert "<!-- card" not in page
    assert "Intended use" in page
    for path in (tmp_path / "site").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for source in re.findall(r'<img[^>]* src="([^"]+)"', text):
            assert (path.parent / source).is_file(), f"{path.name}: no picture {source}"
        assert not re.findall(r'<(?:script|link)[^>]*(?:src|href)="https?:', text), path.name
