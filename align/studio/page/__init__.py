"""The page of the studio: the parts of the report page, and what talks with the server.

The page is ``page.html`` with ``studio.css``, ``icon.svg`` and the scripts ``*.js``.
"""

from align.show.page.parts import page_part, page_script

__all__ = ["OWN_PARTS", "document", "icon", "script", "style"]

OWN_PARTS = ("server", "recording", "outbox", "queue", "gains", "main")
"""Scripts of this page alone, in their order."""


def document() -> str:
    """Return the page."""
    return page_part("page.html", __name__)


def icon() -> str:
    """Return its icon."""
    return page_part("icon.svg", __name__)


def script() -> str:
    """Return its script."""
    return page_script(page_part(f"{name}.js", __name__) for name in OWN_PARTS)


def style() -> str:
    """Return its style sheet."""
    return page_part("page.css") + page_part("studio.css", __name__)
