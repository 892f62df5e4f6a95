"""Make the pictures of `docs/gallery.md` and `docs/mismatch.md` by typing their commands.

::

    python docs/figures/gallery.py

What the commands need is what the tests of the pages put beside them. The extras `plot` and `text`
are needed.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
from PIL import Image

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from doc_pages import FOLDERS, ROOT, blocks, run_python, run_shell  # noqa: E402

PAGES = ("docs/gallery.md", "docs/mismatch.md")


def main() -> None:
    """Write the pictures that each page shows into the folder of its name beside this file."""
    mpl.use("agg")
    for page in PAGES:
        draw(page)


def draw(page: str) -> None:
    """Write the pictures that a page shows, in 256 colours."""
    path = ROOT / page
    shown = rf"\(figures/{path.stem}/([\w-]+\.png)\)"
    names = re.findall(shown, path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        FOLDERS[page](Path(folder))
        os.chdir(folder)
        space: dict[str, object] = {}
        for block in blocks(path):
            if block.language == "python":
                run_python(block, path, space)
            else:
                run_shell(block, set())
        for name in names:
            small = Image.open(name).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE)
            small.save(HERE / path.stem / name, optimize=True)
        os.chdir(HERE)


if __name__ == "__main__":
    main()
