"""Align: learning to align a signal with the events in it.

The names below are loaded on first use, so that ``import align`` is immediate.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from align import decoders, features, learners
    from align.aligner import SequenceAligner
    from align.alignment import Alignment
    from align.corpus import read_corpus
    from align.corpus_run import align_corpus
    from align.errors import AlignError, DataError, ModelError, ParameterError
    from align.model_file import load
    from align.music import MusicAligner
    from align.music_alignment import MusicAlignment
    from align.report import Report
    from align.speech import SpeechAligner
    from align.text.aligning import align_text
    from align.types import Example, Note

__version__ = "0.1.0"

__all__ = [
    "AlignError",
    "Alignment",
    "DataError",
    "Example",
    "ModelError",
    "MusicAligner",
    "MusicAlignment",
    "Note",
    "ParameterError",
    "Report",
    "SequenceAligner",
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

_HOME = {
    "AlignError": "align.errors",
    "Alignment": "align.alignment",
    "DataError": "align.errors",
    "Example": "align.types",
    "ModelError": "align.errors",
    "MusicAligner": "align.music",
    "MusicAlignment": "align.music_alignment",
    "Note": "align.types",
    "ParameterError": "align.errors",
    "Report": "align.report",
    "SequenceAligner": "align.aligner",
    "SpeechAligner": "align.speech",
    "align_corpus": "align.corpus_run",
    "align_text": "align.text.aligning",
    "load": "align.model_file",
    "read_corpus": "align.corpus",
}


def __getattr__(name: str) -> Any:
    if name in ("decoders", "features", "learners"):
        return import_module(f"align.{name}")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'align' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
