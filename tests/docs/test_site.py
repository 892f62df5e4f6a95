"""The site builds without a warning, needs no server, and every page is in its navigation."""

import importlib.util
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from devtools import Browser, find_browser

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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not all(map(importlib.util.find_spec, ("mkdocs", "mkdocstrings", "material"))):
        pytest.skip("needs the extra docs: mkdocs, its theme and mkdocstrings")
    built = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(built)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return built


def test_the_site_needs_nothing_from_elsewhere(site: Path) -> None:
    page = (site / "models.html").read_text(encoding="utf-8")
    assert "<!-- card" not in page
    assert "Intended use" in page
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for source in re.findall(r'<img[^>]* src="([^"]+)"', text):
            assert (path.parent / source).is_file(), f"{path.name}: no picture {source}"
        assert not re.findall(r'<(?:script|link)[^>]*(?:src|href)="https?:', text), path.name


@pytest.mark.parametrize(
    ("words", "title"),
    [("anchors", "What is known already"), ("confidence", "Is the confidence honest?")],
)
def test_the_pages_on_a_disk_are_searched(
    site: Path, tmp_path: Path, words: str, title: str
) -> None:
    executable = find_browser()
    if executable is None:
        pytest.skip("needs Chromium (on Debian: apt install chromium)")
    with Browser(executable, tmp_path) as browser:
        browser.visit(site / "index.html")
        browser.run("document.querySelector('.md-search__input').focus()")
        browser.write(words)
        titles = (
            "[...document.querySelectorAll('.md-search-result__item h2')].map(e => e.innerText)"
        )
        browser.wait(f"{titles}.length")
        assert title in browser.run(titles)
        assert browser.complaints() == []
