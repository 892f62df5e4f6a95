"""How strictly evidence is taken that text and recording disagree, by models of different phones.

A network that learned the phones of one language scores them sharply. One of the phones of any
language, in the IPA, is vague: some words of any text fit any recording well enough. So what a
text lacks must then be longer and surer, and be compared with other orders of the words, and
pauses must be clearer.
"""

from typing import NamedTuple

from align.sequence.evidence import EvidenceModel
from align.speech.text.checking.astray import LEARNED, LEARNED_IPA, Learned
from align.speech.text.checking.unspoken import DEFAULT, DEFAULT_IPA, PROBABLE
from align.speech.text.model import PhoneAligner

CERTAIN = 0.75
"""Probability of words and of what is not in the text, from which on tiers follow it."""

SURE = 0.95
"""Probability that words were not said which nothing but a part without them explains."""


class Strictness(NamedTuple):
    """What is asked of evidence.

    Parameters
    ----------
    vague : bool
        Whether some words of any text fit: then a part must beat other orders of the words, and
        takes no warning back.
    observation : float
        Seconds of sound that say as much of a phone as any part of them does.
    pauses : float
        How many times it counts what a pause scores less than phones, where passages are looked
        for.
    shortest : int
        Words of a passage that was left out, at least.
    sure : float
        Probability that its words were not said.
    fits : float
        Match of the part that is left, from which on it may count. Low, since a word too few at
        its end is speech that passes for silence.
    probable, probable_in_noise : float
        Probability from which on single words are listed; and where second scores of words mean
        nothing.
    unspoken : EvidenceModel
        How probable it is that a word was not said, where a model has not learned it.
    astray : Learned
        How probable it is that a word is in the wrong place.
    """

    vague: bool
    observation: float
    pauses: float
    shortest: int
    sure: float
    fits: float
    probable: float
    probable_in_noise: float
    unspoken: EvidenceModel
    astray: Learned


ONE_LANGUAGE = Strictness(
    vague=False,
    observation=0.025,
    pauses=1.0,
    shortest=2,
    sure=SURE,
    fits=0.0,
    probable=PROBABLE,
    probable_in_noise=PROBABLE,
    unspoken=DEFAULT,
    astray=LEARNED,
)
"""For models of the phones of one language."""

ANY_LANGUAGE = Strictness(
    vague=True,
    observation=0.0125,
    pauses=2.0,
    shortest=4,
    sure=0.8,
    fits=0.1,
    probable=0.6,
    probable_in_noise=CERTAIN,
    unspoken=DEFAULT_IPA,
    astray=LEARNED_IPA,
)
"""For models of phones of any language."""


def strictness_of(model: PhoneAligner) -> Strictness:
    """Return how strictly evidence of a model is taken."""
    return ANY_LANGUAGE if model.takes_ipa else ONE_LANGUAGE
