"""What an alignment is: events, when each begins, and how sure that is.

`alignment`   labels, one after the other
`music`       notes of a score, which may begin together
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.results.alignment import Alignment
    from align.results.music import MusicAlignment

__all__ = [
    "Alignment",
    "MusicAlignment",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Alignment": "align.results.alignment",
        "MusicAlignment": "align.results.music",
    },
)
