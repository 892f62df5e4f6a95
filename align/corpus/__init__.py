"""Corpora: recordings with what is known of them, and what is wrong with them.

`reading`    folders and manifests into a `Corpus`
`pairs`      which labels belong to which recording of speech
`pieces`     which score and truth belong to which recording of music
`ipa`        a corpus in the International Phonetic Alphabet
`readers`    corpora as their makers publish them
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
