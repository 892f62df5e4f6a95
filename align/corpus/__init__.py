"""Corpora: recordings with what is known of them, and what is wrong with them.

`reading`    folders and manifests into a `Corpus`
`pairs`      which labels belong to which recording of speech
`pieces`     which score and truth belong to which recording of music
`ipa`        a corpus in the International Phonetic Alphabet
`readers`    corpora as their makers publish them
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.corpus.issues import Issue, Validation
    from align.corpus.reading import Corpus, read_corpus
    from align.corpus.validation import validate_corpus

__all__ = [
    "Corpus",
    "Issue",
    "Validation",
    "read_corpus",
    "validate_corpus",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "align.corpus.issues": "Issue Validation",
        "align.corpus.reading": "Corpus read_corpus",
        "align.corpus.validation": "validate_corpus",
    },
)
