"""What espeak-ng prints, in the IPA.

Where a language has no IPA for a phone, espeak-ng prints the name it has for it, as it is or
letter by letter: ``th`` for an aspirated t of Mandarin, ``l#`` for a voiceless l of Icelandic,
``?ɑ`` for a vowel with the stød of Danish, ``aɜ`` for an a of Vietnamese with the third tone.
Read as IPA these are other phones, or none.
"""

import re

from align.speech.text.pronouncing.arpabet import ARPABET_TO_IPA

__all__ = ["from_espeak"]

_VOWELS = "aeiouyæøœɐɑɒɔɘəɛεɜɤɨɪɯɵʉʊʌʏ"
_TONAL = frozenset({"cmn", "yue", "vi", "hak", "th"})
_WITHOUT_TONES = "cmn"  # whose pinyin is asked for without them; what comes back is a default
_SIGNS = [
    (re.compile(pattern), sign)
    for pattern, sign in (
        *zip("SZXAΦ", "ʃʒχɑɸ", strict=True),
        (r"^[?ʔ](?=.)(.*)$", r"\1ˀ"),  # stød
        (r"ts\.", "ʈʂ"),
        *((rf"{plain}\.", letter) for plain, letter in zip("tdsznlr", "ʈɖʂʐɳɭɽ", strict=True)),
        (rf"(?<=[{_VOWELS}])\.", "ˤ"),  # beside an emphatic consonant of Arabic
        (r"(?<=[ptkcqsɕʃʂ])h$", "ʰ"),
        (r"#", "\u0325"),  # voiceless
        (r"(?<=[bcdfɡklmnprstvz])\^", "ʲ"),
        (r"(?<=[ptkqsʃ])`", "ʼ"),
        (r"u\"", "ʉ"),
        (r"[-^`\".?]", ""),
        (r"^(.)\1$", r"\1ː"),
    )
]


def from_espeak(phone: str, language: str) -> str:
    """Return a phone that espeak-ng prints as the IPA has it.

    Parameters
    ----------
    phone : str
        Without stress.
    language : str
        The voice that said it.

    Returns
    -------
    str

    Examples
    --------
    >>> from_espeak("th", "cmn"), from_espeak("?ɑ", "da"), from_espeak("aɜ", "vi")
    ('tʰ', 'ɑˀ', 'a3')
    >>> from_espeak("tʃ", "en"), from_espeak("ts.h", "cmn"), from_espeak("l#", "is")
    ('tʃ', 'ʈʂʰ', 'l̥')
    """
    code = language.split("-")[0].lower()
    sound, tone = phone, ""
    if code in _TONAL:
        sound = phone.rstrip("0123456789ɜ") or phone
        tone = phone[len(sound) :].replace("ɜ", "3")
    if code == _WITHOUT_TONES:
        sound, tone = sound.replace("i.", "ɨ"), ""
    for pattern, sign in _SIGNS:
        sound = pattern.sub(sign, sound)
    if len(sound) > 1 and sound in ARPABET_TO_IPA:
        sound = "\u0361".join(sound)  # or it would be read as the name of another phone: ey, er
    return sound + tone
