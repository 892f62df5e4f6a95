"""Arabic and Hebrew: vowels that a text does not write.

Both are mostly written without their short vowels, and espeak-ng reads what is written:
``b ʃ k l`` for *bi-shakl*. Which vowel stands behind a consonant, if any, the sound has to say.
"""

import unicodedata

_VOWELS = {"ar": ("a", "i", "u"), "he": ("a", "e", "i", "o", "u")}
_NO_VOWELS = "\u0651\u05bc\u05c1\u05c2"  # shadda, dagesh, the dots of shin and sin


def unwritten_vowels(word: str, language: str) -> tuple[str, ...]:
    """Return the vowels that may stand behind consonants of a word without being written.

    Parameters
    ----------
    word : str
        As it is written.
    language : str
        Code of its language.

    Returns
    -------
    tuple of str
        In the IPA. Empty where the word has signs of vowels, and in other languages.

    Examples
    --------
    >>> unwritten_vowels("كتب", "ar"), unwritten_vowels("كَتَبَ", "ar"), unwritten_vowels("ktb", "de")
    (('a', 'i', 'u'), (), ())
    """
    signs = unicodedata.normalize("NFD", word)
    if any(unicodedata.combining(sign) and sign not in _NO_VOWELS for sign in signs):
        return ()
    return _VOWELS.get(language.split("-")[0].lower(), ())
