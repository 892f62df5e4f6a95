from .aligner import MusicAligner

__all__ = [
    "MusicAligner",
]
