"""What the site does beyond MkDocs: links into the source tree, and cards of the models.

Pages stand on their own in the repository; on the site, links to files outside ``docs`` would
lead nowhere, so they become the path of the file. ``<!-- card NAME -->`` becomes the card of a
bundled model, written from what the model file holds.
"""

import re
from typing import Any

__all__ = ["on_page_markdown"]


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Return the text of a page as the site shows it."""
    depth = page.file.src_uri.count("/")
    up = r"(?:\.\./)" * (depth + 1)
    outside = re.compile(rf"\[([^\]]+)\]\({up}(?!\.\./)([^)\s#]+)[^)]*\)")

    def path(match: re.Match[str]) -> str:
        text, target = match[1].strip("`"), match[2]
        return f"`{target}`" if target.endswith(text) else f"{match[1]} (`{target}`)"

    return re.sub(r"<!-- card (\S+) -->", _card, outside.sub(path, markdown))


def _card(match: re.Match[str]) -> str:
    from align.models import model_card

    return model_card(match[1]).markdown()
