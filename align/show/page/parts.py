"""The scripts and the style of a page, from the files of this folder.

Each script is a part; `SHARED` are those that do not know where recordings come from nor where
corrections go to. A page adds its own parts, which hold what the shared ones call: `ready`,
`show`, `step`, `tell`, `nudge`, `undo`, `redo`, `dragged`, `relabelled`, `isCorrected`,
`recordingsListed`, `encodedOf` and `ownKeys`.
"""

from collections.abc import Iterable
from importlib.resources import files

SHARED = (
    *("model", "sound", "spectrum", "tiles", "view", "player", "stage"),
    *("choice", "list", "labels", "pointer", "keys", "theme"),
)
"""Names of the shared scripts, in their order."""


def page_part(name: str, package: str = "align.show.page") -> str:
    """Return the text of a file of a folder of pages, such as ``page.css``."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def page_script(own: Iterable[str]) -> str:
    """Return one script: the shared parts, then texts of the page's own, in a scope of theirs.

    Examples
    --------
    >>> page_script(["const ready = 1;"]).splitlines()[-2:]
    ['const ready = 1;', '})();']
    """
    shared = [page_part(f"{name}.js") for name in SHARED]
    text = "\n".join([*shared, *own])
    return f'"use strict";\n(() => {{\n{text}\n}})();\n'
