from .aligner import SequenceAligner

__all__ = [
    "SequenceAligner",
]
