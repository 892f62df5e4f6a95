"""The one aligner: cross-fitting, learning, search, placement, correction, state."""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.sequence.aligner import SequenceAligner

__all__ = [
    "SequenceAligner",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "SequenceAligner": "align.sequence.aligner",
    },
)
