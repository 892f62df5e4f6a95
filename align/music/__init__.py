"""Music: scores, default features, repeats, parts, notes within chords."""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.music.aligner import MusicAligner

__all__ = [
    "MusicAligner",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "MusicAligner": "align.music.aligner",
    },
)
