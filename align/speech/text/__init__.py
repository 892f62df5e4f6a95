"""From text: dictionaries, normalisation, transcripts, and the alignment of words and phones.

::

    from align.speech.text import align_text, read_transcript

    found = align_text("speech-en", "kiwi.wav", "The kiwi is green.")
    found.words.onsets, found.phones.labels
    found.to_textgrid("kiwi.TextGrid")

`align_text` does it all; its parts are there for other uses.
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.speech.text.aligning import align_text
    from align.speech.text.lattice import WordLattice, word_lattice
    from align.speech.text.pronouncing.arpabet import arpabet_to_ipa, ipa_to_arpabet
    from align.speech.text.pronouncing.dictionary import (
        Dictionary,
        Pronunciation,
        cmudict,
        read_dictionary,
    )
    from align.speech.text.pronouncing.espeak import espeak_available, espeak_phones
    from align.speech.text.pronouncing.lookup import Entry, look_up, look_up_all, make_dictionary
    from align.speech.text.reading.normalise import split_words
    from align.speech.text.reading.transcript import Utterance, read_transcript
    from align.speech.text.tiers import SpeakerTiers, TextAlignment
    from align.speech.text.untimed import adapt_to_texts
    from align.types import Mismatch

__all__ = [
    "Dictionary",
    "Entry",
    "Mismatch",
    "Pronunciation",
    "SpeakerTiers",
    "TextAlignment",
    "Utterance",
    "WordLattice",
    "adapt_to_texts",
    "align_text",
    "arpabet_to_ipa",
    "cmudict",
    "espeak_available",
    "espeak_phones",
    "ipa_to_arpabet",
    "look_up",
    "look_up_all",
    "make_dictionary",
    "read_dictionary",
    "read_transcript",
    "split_words",
    "word_lattice",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Dictionary": "align.speech.text.pronouncing.dictionary",
        "Entry": "align.speech.text.pronouncing.lookup",
        "Mismatch": "align.types",
        "Pronunciation": "align.speech.text.pronouncing.dictionary",
        "SpeakerTiers": "align.speech.text.tiers",
        "TextAlignment": "align.speech.text.tiers",
        "Utterance": "align.speech.text.reading.transcript",
        "WordLattice": "align.speech.text.lattice",
        "adapt_to_texts": "align.speech.text.untimed",
        "align_text": "align.speech.text.aligning",
        "arpabet_to_ipa": "align.speech.text.pronouncing.arpabet",
        "cmudict": "align.speech.text.pronouncing.dictionary",
        "espeak_available": "align.speech.text.pronouncing.espeak",
        "espeak_phones": "align.speech.text.pronouncing.espeak",
        "ipa_to_arpabet": "align.speech.text.pronouncing.arpabet",
        "look_up": "align.speech.text.pronouncing.lookup",
        "look_up_all": "align.speech.text.pronouncing.lookup",
        "make_dictionary": "align.speech.text.pronouncing.lookup",
        "read_dictionary": "align.speech.text.pronouncing.dictionary",
        "read_transcript": "align.speech.text.reading.transcript",
        "split_words": "align.speech.text.reading.normalise",
        "word_lattice": "align.speech.text.lattice",
    },
)
