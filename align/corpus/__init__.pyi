from .issues import Issue, Validation
from .reading import Corpus, read_corpus
from .validation import validate_corpus

__all__ = [
    "Corpus",
    "Issue",
    "Validation",
    "read_corpus",
    "validate_corpus",
]
