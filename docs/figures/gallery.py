"""Make the pictures of `docs/gallery.md` by typing its commands.

::

    python docs/figures/gallery.py

What the commands need is what the tests of the page put beside them. The extras `plot` and `text`
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

PAGE = "docs/gallery.md"


def main() -> None:
    """Write the pictures that the page shows into ``gallery`` beside this file, in 256 colours."""
    mpl.use("agg")
    page = ROOT / PAGE
    names = re.findall(r"\(figures/gallery/([\w-]+\.png)\)", page.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        FOLDERS[PAGE](Path(folder))
        os.chdir(folder)
        space: dict[str, object] = {}
        for block in blocks(page):
            if block.language == "python":
                run_python(block, page, space)
            else:
                run_shell(block, set())
        for name in names:
            small = Image.open(name).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE)
            small.save(HERE / "gallery" / name, optimize=True)
        os.chdir(HERE)


if __name__ == "__main__":
    main()
