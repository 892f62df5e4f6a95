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
    from align.speech.text.learning.untimed import adapt_to_texts
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
        "align.speech.text.aligning": "align_text",
        "align.speech.text.lattice": "WordLattice word_lattice",
        "align.speech.text.pronouncing.arpabet": "arpabet_to_ipa ipa_to_arpabet",
        "align.speech.text.pronouncing.dictionary": (
            "Dictionary Pronunciation cmudict read_dictionary"
        ),
        "align.speech.text.pronouncing.espeak": "espeak_available espeak_phones",
        "align.speech.text.pronouncing.lookup": "Entry look_up look_up_all make_dictionary",
        "align.speech.text.reading.normalise": "split_words",
        "align.speech.text.reading.transcript": "Utterance read_transcript",
        "align.speech.text.tiers": "SpeakerTiers TextAlignment",
        "align.speech.text.learning.untimed": "adapt_to_texts",
        "align.types": "Mismatch",
    },
)
