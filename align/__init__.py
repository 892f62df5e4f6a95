"""Align: learning to align a signal with the events in it.

The names below are loaded on first use, so that ``import align`` is immediate.
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align import decoders, features, learners
    from align.batch.run import align_corpus
    from align.corpus.reading import read_corpus
    from align.errors import AlignError, DataError, ModelError, ParameterError
    from align.evaluation.report import Report
    from align.features.sound.audio import Channel
    from align.models.loading import load
    from align.music.aligner import MusicAligner
    from align.results.alignment import Alignment
    from align.results.music import MusicAlignment
    from align.sequence.aligner import SequenceAligner
    from align.speech.aligner import SpeechAligner
    from align.speech.text.aligning import align_text
    from align.studio.session import Session
    from align.types import Example, Note

__version__ = "0.1.0"

__all__ = [
    "AlignError",
    "Alignment",
    "Channel",
    "DataError",
    "Example",
    "ModelError",
    "MusicAligner",
    "MusicAlignment",
    "Note",
    "ParameterError",
    "Report",
    "SequenceAligner",
    "Session",
    "SpeechAligner",
    "__version__",
    "align_corpus",
    "align_text",
    "decoders",
    "features",
    "learners",
    "load",
    "read_corpus",
]

__getattr__, _names = lazy_names(
    __name__,
    {
        "align.batch.run": "align_corpus",
        "align.corpus.reading": "read_corpus",
        "align.decoders": "decoders",
        "align.errors": "AlignError DataError ModelError ParameterError",
        "align.evaluation.report": "Report",
        "align.features": "features",
        "align.features.sound.audio": "Channel",
        "align.learners": "learners",
        "align.models.loading": "load",
        "align.music.aligner": "MusicAligner",
        "align.results.alignment": "Alignment",
        "align.results.music": "MusicAlignment",
        "align.sequence.aligner": "SequenceAligner",
        "align.speech.aligner": "SpeechAligner",
        "align.speech.text.aligning": "align_text",
        "align.studio.session": "Session",
        "align.types": "Example Note",
    },
)


def __dir__() -> list[str]:
    return __all__
