from .aligner import SpeechAligner

__all__ = [
    "SpeechAligner",
]
