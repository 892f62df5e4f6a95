"""Correcting alignments while the model learns from every correction.

`Session` is the whole, for Python; `align studio` puts a page on it. See ``docs/studio.md``.
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.studio.revision import StaleRevision
    from align.studio.session import Session

__all__ = ["Session", "StaleRevision"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "align.studio.revision": "StaleRevision",
        "align.studio.session": "Session",
    },
)
