"""Every picture that commands draw is there, and is what a command of its page draws."""

import re

import pytest
from doc_pages import ROOT, blocks


@pytest.mark.parametrize(("name", "least"), [("gallery", 8), ("mismatch", 2)])
def test_every_picture_is_made_on_the_page(name: str, least: int) -> None:
    page = ROOT / "docs" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    shown = re.findall(rf"!\[[^\]]{{20,}}\]\(figures/{name}/([\w-]+\.png)\)", text)
    assert len(shown) == text.count("![") >= least  # each says what is in it
    typed = "\n".join(block.text for block in blocks(page))
    made = re.findall(r'(?:-o |savefig\("|^ *")([\w-]+\.png)\b', typed, re.M)
    assert sorted(shown) == sorted(made)
    assert {path.name for path in (ROOT / "docs" / "figures" / name).iterdir()} == set(shown)


def test_no_page_shows_a_picture_that_is_not_there() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"
