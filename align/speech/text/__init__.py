"""From text: dictionaries, normalisation, transcripts, and the alignment of words and phones.

::

    from align.speech.text import align_text, read_transcript

    found = align_text("speech-en", "kiwi.wav", "The kiwi is green.")
    found.words.onsets, found.phones.labels
    found.to_textgrid("kiwi.TextGrid")

`align_text` does it all; its parts are there for other uses. In the order in which a text goes
through them:

================  ========================================================================
place             what lies there
================  ========================================================================
`reading`         transcripts of many kinds to utterances, and their texts to words
`pronouncing`     words to phones: dictionaries, espeak-ng, what phones become in speech
`aligning`        `align_text`, which asks the others; `channels`: each speaker on their own;
                  `slowness`: slow speech once more, with longer lengths
`conversation`    which utterances are aligned as one text
`untimely`        each of them near its times, or anywhere; what was found of each speaker
`verbalisation`   numbers that may be read in several ways, as they were said
`words`           the words of one: in `long` recordings in stretches, else at once
`parts`           a recording, and the part of it in which words are looked for
`text_part`       words with how they may be said and where they are looked for
`lattice`         words as a lattice of labels; `anchored`: words whose beginning is known
`paths`           the paths of the lattice through the part
`checking`        where text and recording disagree; `bracketed`: remarks that were said
`rows`            phones with word, confidence and match; `shared`: by two words
`tiers`           `TextAlignment`; `together`: several speakers as one
================  ========================================================================

Beside them `model` says what is asked of an aligner, `learning` what it learns from texts in
training, and `validation` checks a folder before hours are spent on it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
