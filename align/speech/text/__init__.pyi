from .aligning import align_text
from .lattice import WordLattice, word_lattice
from .learning.untimed import adapt_to_texts
from .pronouncing.arpabet import arpabet_to_ipa, ipa_to_arpabet
from .pronouncing.dictionary import Dictionary, Pronunciation, cmudict, read_dictionary
from .pronouncing.espeak import espeak_available, espeak_phones
from .pronouncing.lookup import Entry, look_up, look_up_all, make_dictionary
from .reading.normalise import split_words
from .reading.transcript import read_transcript
from .reading.utterances import Utterance
from .tiers import Mismatch, SpeakerTiers, TextAlignment

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
