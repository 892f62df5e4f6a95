"""From text: dictionaries, normalisation, transcripts, and the alignment of words and phones.

::

    from align.speech.text import align_text, read_transcript

    found = align_text("speech-en", "kiwi.wav", "The kiwi is green.")
    found.words.onsets, found.phones.labels
    found.to_textgrid("kiwi.TextGrid")

`align_text` does it all; its parts are there for other uses.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
