"""What espeak-ng prints, in the IPA.

Where a language has no IPA for a phone, espeak-ng prints the name it has for it, as it is or
letter by letter: ``th`` for an aspirated t of Mandarin, ``l#`` for a voiceless l of Icelandic,
``?ɑ`` for a vowel with the stød of Danish, ``aɜ`` for an a of Vietnamese with the third tone.
Cantonese comes in the letters of Jyutping, whose z is an unaspirated ts, the vowel of Russian ы
as y, and what German *kurz* has between k and ts as two question marks by espeak-ng 1.51. Read
as IPA these are other phones, or none. Some signs are two phones: ``ja`` of Russian, ``unɡ1``.
"""

import re
from collections.abc import Iterable

from align.speech.text.pronouncing.arpabet import ARPABET_TO_IPA

_VOWELS = "aeiouyæøœɐɑɒɔɘəɛεɜɤɨɪɯɵʉʊʌʏ"
_MARKS = "\u0300-\u036fʰʲʷᵝ"
_TONAL = frozenset({"cmn", "yue", "vi", "hak"})
_WITHOUT_TONES = "cmn"  # whose pinyin is asked for without them; what comes back is a default
_AFFRICATES = {r"c(?!ç)": "tʃ", "ɟ": "dʒ"}  # of the languages of India
_EAST_SLAVIC = {r"\by\b": "ɨ", "ɭʲ": "lʲ", "ɭ": "ɫ", rf"\bj([{_VOWELS}])": r"j \1"}
_JYUTPING = {
    rf"\b([ptk])(?= (?:w )?[{_VOWELS}])": r"\1ʰ",  # before the plain ones, which they become
    r"\bz\b": "ts", r"\bc\b": "tsʰ", r"\bb\b": "p", r"\bd\b": "t", r"\bɡ\b": "k",
    "oe": "œ", "eo": "ɵ", "yu": "y", "aa": "aː", r"a(?!ː)": "ɐ",
}  # fmt: skip
_OF_LANGUAGE = {
    "cmn": {"onɡ": "ʊnɡ", r"\bər": "ɚ", r"i\.": "ɨ"},
    "de": {r"\?\?": "ʊɐ", r"\bɑː": "aː"},
    "ko": {"q": "k", r"tʃ h": "tʃʰ"},
    "ky": {"oe": "ø"},
    "lt": {r"ɭ": "lʲ", "l\u0329": "ɫ"},
    "or": {"l\u0329": "ɭ"},
    "pt": {r"\by\b": "ɪ"},
    "sv": {r"\bsx\b": "ɧ"},
    "tn": {"K": "ɬ"},
    "vi": {r"\bcr\b": "ʈ"},
    "yue": _JYUTPING,
    **dict.fromkeys(("be", "ru", "uk"), _EAST_SLAVIC),
    **dict.fromkeys(("gu", "hi", "kn", "kok", "ml", "mr", "ne", "pa", "te", "ur"), _AFFRICATES),
}
"""What a sign means in one language only: patterns over phones with spaces between them."""

_SIGNS = [
    (re.compile(pattern), sign)
    for pattern, sign in (
        *zip("SZXNAΦ:", "ʃʒχŋɑɸː", strict=True),
        (r"^\?+$", "ʔ"),
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
        (rf"(?<=[{_VOWELS}])ʲ|(?<=ʲ)ʲ", ""),
        (rf"^(.[{_MARKS}]*)\1$", r"\1ː"),
        (r"^(..+)\1$", r"\1"),
        (r"^əl$", "ə l"),
        (rf"(?<=[{_VOWELS}ː])nɡ$", " ŋ"),
        (r"^nɡ$", "ŋ"),
    )
]


def from_espeak(phones: Iterable[str], language: str) -> tuple[str, ...]:
    """Return the phones that espeak-ng prints for a word as the IPA has them.

    They are given as they are printed, without stress; `language` is the voice that said them.

    Examples
    --------
    >>> from_espeak(["th", "i"], "cmn"), from_espeak(["k", "??", "ts"], "de")
    (('tʰ', 'i'), ('k', 'ʊɐ', 'ts'))
    >>> from_espeak(["h", "oenɡ1"], "yue"), from_espeak(["j", "a", "ja"], "ru")
    (('h', 'œ1', 'ŋ'), ('j', 'a', 'j', 'a'))
    """
    code = language.split("-")[0].lower()
    text = " ".join(phones)
    for pattern, sign in _OF_LANGUAGE.get(code, {}).items():
        text = re.sub(pattern, sign, text)
    return tuple(sound for phone in text.split() for sound in _sounds(phone, code))


def _sounds(phone: str, code: str) -> list[str]:
    """Return one printed phone in the IPA, which may be two; its tone stays with the vowel."""
    sound, tone = phone, ""
    if code in _TONAL:
        sound = phone.rstrip("0123456789ɜʲ") or phone
        tone = phone[len(sound) :].replace("ɜ", "3").strip("ʲ")
    for pattern, sign in _SIGNS:
        sound = pattern.sub(sign, sound)
    if len(sound) > 1 and sound in ARPABET_TO_IPA:
        sound = "\u0361".join(sound)  # or it would be read as the name of another phone: ey, er
    vowel, *rest = sound.split() or [""]
    return [vowel + ("" if code == _WITHOUT_TONES else tone), *rest]
