"""Every picture of the gallery is there, and is what a command of the page draws."""

import re

from doc_pages import ROOT, blocks

PAGE = ROOT / "docs" / "gallery.md"
FOLDER = ROOT / "docs" / "figures" / "gallery"


def test_every_picture_is_made_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]{20,}\]\(figures/gallery/([\w-]+\.png)\)", text)
    assert len(shown) == text.count("![") >= 8  # each says what is in it
    typed = "\n".join(block.text for block in blocks(PAGE))
    made = re.findall(r'(?:-o |savefig\("|^ *")([\w-]+\.png)\b', typed, re.M)
    assert sorted(shown) == sorted(made)
    assert {path.name for path in FOLDER.iterdir()} == set(shown)


def test_no_page_shows_a_picture_that_is_not_there() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"
