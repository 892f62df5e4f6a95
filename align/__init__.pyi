from . import decoders, features, learners
from .batch.run import align_corpus
from .corpus.reading import read_corpus
from .errors import AlignError, DataError, ModelError, ParameterError
from .evaluation.report import Report
from .features.sound.audio import Channel
from .models.loading import load
from .music.aligner import MusicAligner
from .results.alignment import Alignment
from .results.music import MusicAlignment
from .sequence.aligner import SequenceAligner
from .speech.aligner import SpeechAligner
from .speech.text.aligning import align_text
from .studio.session import Session
from .types import Example, Note

__version__: str

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
    "align_corpus",
    "align_text",
    "decoders",
    "features",
    "learners",
    "load",
    "read_corpus",
]
